#!/bin/sh
# EP on a device with a compiler, here OpenCL's first (PoCL will do): every variant verified, limits
# refused with their numbers, and no call that fails can end in SUCCESSFUL.
# shellcheck disable=SC2154 # common.sh sets them
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/common.sh"
device=${NPB_DEVICE:-opencl:0}
"$quern" devices | grep -q "^$device " || {
  echo "no $device here"
  exit 77
}

run 0 "$quern" npb ep --class S --device "$device"
has '^ Verification    =               SUCCESSFUL$' out
has 'absolute sums right, pairs right, signed sums right, counts right' out
has "^ Device          = $device" out

# its logarithm and root are as good as the cpu's: all four sums agree to 14 digits of their terms
sums() { awk '/^Sums =/ { x = $3; y = $4 } /^ Signed sums/ { print x, y, $4, $5 }' out; }
sums >there
run 0 "$quern" npb ep --class S --device cpu
checks=$((checks + 1))
sums | cat - there | awk '
  NR == 1 { for (i = 1; i <= 4; i++) a[i] = $i }
  NR == 2 { for (i = 1; i <= 4; i++) { d = a[i] - $i; if (d < 0) d = -d; if (!(d <= 1e-14 * a[1])) bad = 1 } }
  END { exit bad || NR != 2 }' || fail "other sums than the cpu's: $(cat there)"

# the port and its steps; batches that leave the last group half empty too
run 0 "$quern" npb ep --class S --device "$device" --variant all --mk 14 --mi 2
for variant in port use_sm q_coalesced coalesced coalesced_block coalesced_block,q_coalesced \
  use_sm,coalesced default; do
  has "^$variant  .* yes\$" out
done
lacks ' NO$' out
"$quern" npb ep --class S --device "$device" --variant all --mk 12 --json >out 2>err
if ! grep -q jansson err && command -v python3 >/dev/null; then
  checks=$((checks + 1))
  python3 - out <<'END' || fail '--variant all --json'
import json, sys
r = json.load(open(sys.argv[1]))
v = r["variants"]
assert (r["mk"], r["mi"], r["block"]) == (12, 0, 128) and len(v) == 10
assert v[0]["variant"] == "port" and v[-1]["variant"] == "default"
assert all(x["verified"] and x["class"] == "S" for x in v) and v[0]["times_port"] == 1
assert v[0]["memory_bytes"] == 2**28 + 2**12 * 112 + 2**13 > v[-1]["memory_bytes"] > 0
END
fi
run 0 "$quern" npb ep --class S --device "$device" --variant coalesced_block,use_sm --block 96
has '^ Verification    =               SUCCESSFUL$' out
has '^ Variant         = use_sm,coalesced_block$' out

# a device that computes a little wrongly, by a part in 10^6: it is told, and the exit status says so
mkdir -p kernels/portable
sed 's/^\(#define QN_FMA64.*\) fma(a, b, c)/\1 (fma(a, b, c) * 1.000001)/' \
  "$tests/../../src/kernels/portable/prelude.cl" >kernels/portable/prelude.cl
QUERN_KERNEL_DIR=$PWD/kernels
export QUERN_KERNEL_DIR
run 1 "$quern" npb ep --class S --device "$device"
has '^ Verification    =             UNSUCCESSFUL$' out
has '^ Checks .* absolute sums WRONG' out
has '^quern: EP class S: wrong result$' err
run 1 "$quern" npb ep --class S --device "$device" --quiet
unset QUERN_KERNEL_DIR

QUERN_POOL_LIMIT=4G
export QUERN_POOL_LIMIT
refused '^quern: '"$device"': x takes 16 x 2\^\(28 - 0\) bytes = 4.00 GiB, counts and sums 0.45 MiB more, and the pool may hold 4.00 GiB' \
  ep --class A --device "$device" --variant port
run 2 "$quern" npb ep --class A --device "$device" --variant all
[ ! -s out ] || fail "a table that cannot be finished was begun: $(cat out)"
unset QUERN_POOL_LIMIT
refused 'make no batch of 2\^20 in each of 2\^6 passes' \
  ep --class S --device "$device" --variant port --mk 20 --mi 6

# each launch, copy and wait fails in its turn
for kind in launch copy sync; do
  call=0
  while :; do
    call=$((call + 1))
    checks=$((checks + 1))
    QUERN_FAULT=$call:$kind "$quern" npb ep --class S --device "faults+$device" >out 2>err
    status=$?
    [ $status -ne 0 ] || break
    grep -q SUCCESSFUL out && fail "call $call of $kind failed and it printed SUCCESSFUL"
    [ "$(wc -l <err)" -eq 1 ] || fail "call $call of $kind: not one line: $(cat err)"
    [ $call -lt 99 ] || break
  done
  grep -q ' SUCCESSFUL' out || fail "without a fault of $kind it did not verify"
  [ $call -ge 3 ] || fail "only $((call - 1)) calls of $kind failed"
done
finish
