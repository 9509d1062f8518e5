#!/bin/sh
# The portable kernels under oclgrind: races, accesses out of bounds, work-groups that part at a
# barrier. Skipped (77) where oclgrind is not installed.
#
# oclgrind 21.10 has a compiler that dies when two threads are in it, so kernels are compiled one by
# one; and --uninitialized is left out, because it stops at the compiler's instruction "freeze".
# usage: oclgrind.sh <program>
set -u
program=$1
command -v oclgrind >/dev/null 2>&1 || {
  echo 'skipped: oclgrind is not installed (Debian package oclgrind)'
  exit 77
}
# The command preloads its OpenCL; the library under test opens one by name, so it is given that one.
prefix=$(dirname "$(dirname "$(command -v oclgrind)")")
for runtime in "$prefix"/lib/oclgrind/liboclgrind-rt.so "$prefix"/lib/*/oclgrind/liboclgrind-rt.so \
  "$prefix"/lib/liboclgrind-rt.so; do
  [ -e "$runtime" ] && break
done
[ -e "$runtime" ] || {
  echo "skipped: liboclgrind-rt.so is not under $prefix/lib"
  exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
# usage: watch <blocks of a triangle in one launch> <dtype>...
watch() {
  blocks=$1
  shift
  oclgrind --data-races --max-errors 20 --log "$folder/log" \
    env QUERN_OPENCL_LIBRARY="$runtime" QUERN_CACHE_LIMIT=0 QUERN_COMPILE_THREADS=1 \
    QUERN_TRIANGLE_BLOCKS="$blocks" "$program" "$@" && return
  status=1
  echo "the program ended with $?"
}
watch 8 f16 bf16 f32 f64 c64 c128
[ -s "$folder/log" ] || watch 1 f64
[ -s "$folder/log" ] || exit $status
echo 'oclgrind found:'
cat "$folder/log"
exit 1
