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

finish
