#!/bin/sh
# Installs into an empty folder and builds consumer.c against it, three ways: find_package with the
# shared and with the static library, and pkg-config.
# usage: install_use.sh <source root> <build folder>
set -eu
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
quietly cmake --install "$build_dir" --prefix "$work/prefix"

cp "$source_dir/tests/build/consumer.c" "$work/"
cat >"$work/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(quern 0.1 REQUIRED)
foreach(kind quern quern_static)
  add_executable(use_${kind} consumer.c)
  target_link_libraries(use_${kind} PRIVATE quern::${kind})
endforeach()
EOF
quietly cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
quietly cmake --build "$work/build"
"$work/build/use_quern"
"$work/build/use_quern_static"

pc=$(find "$work/prefix" -name quern.pc)
if command -v pkg-config >/dev/null 2>&1; then
  export PKG_CONFIG_PATH="${pc%/*}"
  # shellcheck disable=SC2046 # flags are words
  cc "$work/consumer.c" -o "$work/use_pc" $(pkg-config --cflags --libs quern)
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir quern) "$work/use_pc"
fi

# Nothing but the public names leaves the library, and it needs nothing but the C library.
lib=$(find "$work/prefix" -name 'libquern.so')
leaks=$(nm -D --defined-only "$lib" | awk '$2 ~ /[TDBRV]/ && $3 !~ /^qn_/ {print $3}')
[ -z "$leaks" ] || { echo "exported without the prefix qn_: $leaks"; exit 1; }
extra=$(objdump -p "$lib" | awk '/NEEDED/ && $2 !~ /^(libc|libm|libdl|libpthread|ld-linux.*)\.so/ {print $2}')
[ -z "$extra" ] || { echo "the library needs $extra"; exit 1; }
