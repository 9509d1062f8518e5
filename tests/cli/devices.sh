#!/bin/sh
# quern devices
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

good "$quern" devices
says '^DEVICE +NAME +ARCH +MEMORY +DTYPES$' "$folder.out"
says '^cpu .*f32 f64 c64 c128$' "$folder.out"

good "$quern" devices --verbose
says '^cpu$' "$folder.out"
says '^  architecture +(avx512|avx2|neon|plain)$' "$folder.out"
says '^  cores +[1-9]' "$folder.out"
says '^backends$' "$folder.out"

if "$quern" devices --json >/dev/null 2>&1; then
  good "$quern" devices --json
  says '"id": "cpu"' "$folder.out"
  for python in python3 /usr/bin/python3; do
    command -v $python >/dev/null 2>&1 || continue
    holds $python -c 'import json, sys
found = json.load(open(sys.argv[1]))
cpu = [d for d in found["devices"] if d["id"] == "cpu"][0]
assert "f64" in cpu["dtypes"] and cpu["memory_bytes"] > 0' "$folder.out"
    break
  done
else
  bad 2 'libjansson-dev' "$quern" devices --json
fi

# a reader that goes away is no failure to speak of; a full disk is one
good sh -c "'$quern' devices --verbose | true"
[ -c /dev/full ] && bad 1 'standard output' sh -c "'$quern' devices >/dev/full"
[ -c /dev/full ] && bad 1 'standard output: No space' \
  sh -c "'$quern' bench gemm --sizes 4 --csv - >/dev/full"

# which package brings what is not there
"$quern" devices >all.txt
! grep -q 'libcuda.so.1 not found' all.txt || says 'Debian package libcuda1' all.txt
! grep -q 'libOpenCL.so.1 not found' all.txt || says 'Debian package ocl-icd-libopencl1' all.txt

# a library that is named and cannot be loaded is not called missing
echo text >text.so
for backend in CUDA OPENCL; do
  "$quern" devices --verbose | grep -qi "^  $backend" || continue # not built
  good env QUERN_${backend}_LIBRARY="$PWD/text.so" "$quern" devices
  says "QUERN_${backend}_LIBRARY: .*text.so: (invalid ELF header|file too short)" "$folder.out"
done

finish
