#!/bin/sh
# quern certify: a small report, beside itself and beside one that is out of reach, and what it refuses.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
small='--device cpu --order 32 --seconds 0.001 --threads 1'

if "$quern" devices --json >/dev/null 2>&1; then
  # shellcheck disable=SC2086 # words
  good "$quern" certify $small --json site.json
  says '^PASSED$' "$folder.out"
  says '^  class A +[0-9.]+ Mop/s +ok' "$folder.out"
  for line in memory 'gemm f64 32' 'trsm f32 32 x 64' 'potrf f64'; do
    says "^  $line +[0-9.]+ .*ok" "$folder.out"
  done
  for field in $(grep -oE '^ +"[a-z_]+"' site.json | tr -d ' "' | sort -u); do
    says "\`$field\`" "$source/docs/certify.md"
  done
  # a machine a million times as fast
  sed 's/"value": \([0-9.]*\),/"value": \1e6,/' site.json >fast.json
  # shellcheck disable=SC2086
  bad 1 'wrong, or below the reference' "$quern" certify $small --against fast.json --quiet
  # one that has nothing of ours, and one that has more
  sed 's/"name": "/&of another machine /' site.json >other.json
  # shellcheck disable=SC2086
  bad 1 'the reference has none of these lines' "$quern" certify $small --against other.json --quiet
  sed 's/"format": 1/"format": 2/' site.json >next.json
  sed '/"lines"/,$d' site.json | sed '$s/$/ "lines": []}/' >empty.json
  echo '{}' >other.json
  # before anything is measured, which would take hours here
  for order in '--against other.json' '--against nowhere.json' '--against next.json' '--against empty.json'; do
    # shellcheck disable=SC2086
    bad 2 '((other|empty).json: not a file of quern certify|next.json: is of format 2|nowhere.json: cannot open: No such file)' \
      timeout 60 "$quern" certify --order 16384 --seconds 10 --threads 1 $order
  done
fi
bad 2 '--fail-under needs --against' "$quern" certify --fail-under 0.9
bad 2 '--order takes a whole number' "$quern" certify --order 1
bad 2 "unexpected|one operand too many" "$quern" certify now
finish
