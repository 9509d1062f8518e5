#!/bin/sh
# Compiles every kernel that the library would compile for an AMD card, by clang for gfx90a: syntax,
# types, and what the machine has no code for. Warnings fail. Skipped (77) without a clang that
# knows the target.
# usage: amd.sh <program that writes the sources> ...
set -u
for clang in ${CLANG:-} clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
  echo 'kernel void f(global int *p) { *p = 1; }' |
    "$clang" -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -S -emit-llvm -o /dev/null - \
      2>/dev/null && break
  clang=
done
[ -n "$clang" ] || {
  echo 'skipped: no clang that compiles OpenCL C for amdgcn'
  exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$1" "$folder" || exit 1
compiled=0 failed=0
for source in "$folder"/*.cl; do
  compiled=$((compiled + 1))
  # shellcheck disable=SC2046 # the options are words
  "$clang" -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -Xclang \
    -finclude-default-header -D__OPENCL_VERSION__=120 -Werror $(cat "${source%.cl}.options") -S -emit-llvm -o /dev/null "$source" && continue
  failed=$((failed + 1))
  echo "FAILED: $(cat "${source%.cl}.options")"
done
echo "$compiled modules compiled for gfx90a by $clang, $failed failed"
[ "$failed" -eq 0 ] && [ "$compiled" -gt 50 ]
