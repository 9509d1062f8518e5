#!/bin/sh
# quern npb as its users meet it, on the cpu.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

run 0 "$quern" npb ep --class S --device cpu
has '^ NAS Parallel Benchmarks \(NPB3.4-OMP\) - EP Benchmark$' out
has '^ Number of random numbers generated:        33554432$' out
has '^N = 2\^   24$' out
has '^No. Gaussian Pairs =       13176389$' out
has '^Sums =     1.051299420395[0-9]*E\+07     1.051517131857[0-9]*E\+07$' out
has '^  0        6140517$' out
has '^  5             17$' out
has '^  9              0$' out
has '^ Class           =                        S$' out
has '^ Size            =                 33554432$' out
has '^ Verification    =               SUCCESSFUL$' out
has '^ Signed sums     =    -3.24783465203[0-9]*E\+03    -6.95840707838[0-9]*E\+03$' out
has 'absolute sums right, pairs right, signed sums right, counts right' out
lacks '^Gaussian pairs:' out
grep '^ Signed sums' out >one

# the same bits from any number of threads
for threads in 1 2 3; do
  run 0 "$quern" npb ep --class s --device cpu --threads "$threads"
  grep '^ Signed sums' out | cmp -s - one || fail "other bits with $threads threads"
  has "^ Total threads   = +$threads\$" out
done

# more threads than there is work for
run 0 "$quern" npb ep --class S --device cpu --threads 300
has '^ Number of available threads:                    300$' out
has '^ Total threads   =                      256$' out
has '^ Avail threads   =                      300$' out

NPB_TIMER_FLAG=on
export NPB_TIMER_FLAG
run 0 "$quern" npb ep --class S --device cpu
has '^Total time: ' out
has '^Gaussian pairs: ' out
unset NPB_TIMER_FLAG
: >timer.flag
run 0 "$quern" npb ep --class S --device cpu
has '^Total time: ' out
NPB_TIMER_FLAG=off run 0 "$quern" npb ep --class S --device cpu
lacks '^Total time: ' out
rm timer.flag

run 0 "$quern" npb ep --class S --device cpu --quiet
[ ! -s out ] || fail '--quiet printed'

"$quern" npb ep --class S --device cpu --json >out 2>err
if grep -q jansson err; then
  echo 'no jansson: --json is left out'
elif command -v python3 >/dev/null; then
  checks=$((checks + 1))
  python3 - out <<'END' || fail '--json'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["benchmark"] == "EP" and r["class"] == "S" and r["verified"] is True
assert r["pairs"] == 13176389 == sum(r["counts"]) and r["counts"][5] == 17
assert all(r["checks"][c] for c in ("absolute_sums", "pairs", "signed_sums", "counts"))
exact = [float.fromhex(x) for x in r["sums_exact"]]
assert abs(exact[0] / -3.247834652034740e3 - 1) < 1e-12 and exact[0] != r["sum_x"]
assert abs(exact[3] / 1.051517131857535e7 - 1) < 1e-14
assert r["seconds"] > 0 and abs(r["mops"] * r["seconds"] / 33.554432 - 1) < 1e-6
END
fi

refused '--class takes one of S W A B C D E F, not .X' ep --class X
refused '--class takes one of' ep --class SS
refused '--class takes one of' ep --class ''
refused '--class is missing' ep
refused 'npb has ep, not .cg' cg --class S
refused 'operand is missing' --class S
refused 'threads takes a whole number' ep --class S --threads 0
refused 'device takes' ep --class S --device gpu

# as NPB's programs are named
ln -s "$quern" ep.S.x
OMP_NUM_THREADS=1,3 run 0 ./ep.S.x --device cpu
has '^ Class           =                        S$' out
has '^ Total threads   =                        1$' out
has '^ Verification    =               SUCCESSFUL$' out
run 2 ./ep.S.x --frobnicate
lacks 'SUCCESSFUL' out

refused 'needs a device with a compiler' ep --class S --device cpu --variant port
refused '--variant takes default, port, all' ep --class S --device cpu --variant prot
refused '--variant takes' ep --class S --device cpu --variant coalesced,coalesced_block
refused 'name a --variant of it' ep --class S --device cpu --mi 2
refused 'mk takes a whole number' ep --class S --device cpu --variant port --mk x
refused 'block takes a whole number' ep --class S --device cpu --variant port --block 0

finish
