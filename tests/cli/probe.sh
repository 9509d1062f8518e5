#!/bin/sh
# quern probe: the list, a tiny run on the cpu and on OpenCL, JSON, and what it refuses.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
small='--elements 4096 --order 32 --bytes 64K --seconds 0.001 --threads 1'

good "$quern" probe --list
rows=$(grep -oE '^[a-z]+' "$folder.out")
for row in bandwidth latency peaks transfer launch allocation matmul fusion overlap prefetch; do says "^$row " "$folder.out"; done

run_all() {
  # shellcheck disable=SC2086 # words
  good "$quern" probe --device "$1" $small
  for row in $rows; do says "^$row: " "$folder.out"; done
  says '^ceilings: memory [0-9.]+ GB/s' "$folder.out"
  grep -q '[0-9.][!] ' "$folder.out" && complain "$1: a wrong result"
}
run_all cpu
says 'left out: the cpu device has no compiler' "$folder.out"
if "$quern" devices | grep -q '^opencl:0 '; then
  run_all opencl:0
  says '(memory|compute|latency)-bound' "$folder.out"
fi

# a row by its name, and JSON
if "$quern" devices --json >/dev/null 2>&1; then
  # shellcheck disable=SC2086
  good "$quern" probe latency --device cpu $small --json probe.json
  for field in format quern device ceilings rows; do
    says "^  \"$field\":" probe.json
    says "\`$field\`" "$source/docs/probe.md"
  done
  for field in $(grep -oE '^ {10}"[a-z_]+"' probe.json | tr -d ' "' | sort -u); do
    says "\`$field\`" "$source/docs/probe.md"
  done
  bad 2 'cannot be written' "$quern" probe latency --device cpu --json nowhere/probe.json
fi

# a picture, refused before anything is measured where there would be none
bad 2 'none of these rows has a curve to draw' "$quern" probe add --plot add.svg
# shellcheck disable=SC2086
if "$quern" probe allocation --device cpu $small --plot all.svg >"$folder.out" 2>"$folder.err"; then
  says '<svg' all.svg
  bad 2 'ends in .svg or .png' "$quern" probe latency --plot latency.gif
  bad 2 'cannot be written' "$quern" probe latency --plot nowhere/latency.png
  no_file_in_proc probe --plot /proc/probe.svg
else
  says 'cairo was missing' "$folder.err"
fi

good "$quern" probe --list latency matmul
holds test "$(grep -cE '^[a-z]+ ' "$folder.out")" -eq 2
bad 2 "unknown row 'latnecy'; did you mean latency" "$quern" probe --list latnecy
bad 2 "unknown row 'latnecy'; did you mean latency" "$quern" probe latnecy
bad 2 "unknown row 'wobble'; see quern probe --list" "$quern" probe wobble
for option in elements order block; do
  bad 2 "--$option takes a whole number" "$quern" probe --$option 3x
  bad 2 "--$option takes a whole number" "$quern" probe --$option 0
done
bad 2 '--bytes takes .* bytes, such as 64M' "$quern" probe --bytes 64Q
bad 2 '--bytes takes .* bytes, such as 64M' "$quern" probe --bytes 12
bad 2 '--seconds takes a number above 0' "$quern" probe --seconds 0
finish
