#!/bin/sh
# EP's figures of docs/PERFORMANCE.md: the best of three runs for each class and device, every one
# verified, then the port's steps beside the default.
# usage: bench_npb.sh <quern> [device...]
set -u
quern=${1:?usage: bench_npb.sh <quern> [device...]}
shift
[ $# -gt 0 ] || set -- cpu
status=0

best() { # class device
  for _ in 1 2 3; do
    "$quern" npb ep --class "$1" --device "$2" | awk '
      /^CPU Time/ { time = $NF }
      /Mop\/s total/ { rate = $NF }
      /Verification/ { verdict = $NF }
      /^ Signed sums/ { sums = $4 " " $5 }
      END { print time, rate, verdict, sums; exit verdict != "SUCCESSFUL" }' || status=1
  done | sort -n | head -1
}

for device in "$@"; do
  classes='C D E'
  [ "$device" != cpu ] || classes='A'
  for class in $classes; do
    printf '%-10s class %s  seconds, Mop/s, verdict, signed sums: %s\n' "$device" "$class" \
      "$(best "$class" "$device")"
  done
  # class D in 32 passes of 32 GiB, 2^19 batches each
  [ "$device" = cpu ] ||
    "$quern" npb ep --class D --device "$device" --variant all --mk 12 --mi 5 || status=1
done
exit $status
