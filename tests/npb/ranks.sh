#!/bin/sh
# The ranks of MPI: the same bits from any number of them.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
program=${QUERN_MPI:?} launcher=${MPIEXEC:-mpiexec}
unset QUERN_MPI
more=
if "$launcher" --version 2>&1 | grep -q 'Open MPI\|OpenRTE'; then
  more=--oversubscribe
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
fi
"$launcher" $more -n 1 true >out 2>&1 || {
  echo "$launcher does not run here: $(cat out)"
  exit 77
}

run 0 "$quern" npb ep --class S --device cpu
grep '^ Signed sums' out >one
for ranks in 1 2 3 4; do
  run 0 "$launcher" $more -n $ranks "$program" npb ep --class S --device cpu
  has '\(NPB3.4-MPI\) - EP Benchmark$' out
  has "^ Total number of processes:  +$ranks\$" out
  has "^ Total processes = +$ranks\$" out
  has "^ Active processes= +$ranks\$" out
  has '^ Verification    =               SUCCESSFUL$' out
  grep '^ Signed sums' out | cmp -s - one || fail "other bits from $ranks ranks"
done

run 0 "$launcher" $more -n 2 "$program" npb ep --class S --device cpu --json
has '"processes": 2' out

# one line, whoever fails, and its exit status
told() { # pattern command...
  pattern=$1
  shift
  checks=$((checks + 1))
  "$@" >out 2>err && fail "it was taken: $*"
  [ "$(grep -c '^quern: ' err)" -eq 1 ] || fail "not one line from the ranks of $*: $(cat err)"
  has "$pattern" err
  lacks ' SUCCESSFUL' out
}
told '^quern: --class takes one of' "$launcher" $more -n 3 "$program" npb ep --class X
told '^quern: rank 1: --device: no device' \
  "$launcher" $more -n 1 "$program" npb ep --class S --device cpu : \
  -n 2 "$program" npb ep --class S --device opencl:99
if "$quern" devices | grep -q '^opencl:0 '; then
  run 0 "$quern" npb ep --class S --device opencl:0
  grep '^ Signed sums' out >one
  run 0 "$launcher" $more -n 3 "$program" npb ep --class S --device opencl:0
  has '^ Verification    =               SUCCESSFUL$' out
  grep '^ Signed sums' out | cmp -s - one || fail 'other bits from three ranks of a device'
  told '^quern: rank 2: faults: call 3, launch' \
    "$launcher" $more -n 2 "$program" npb ep --class S --device cpu : \
    -n 2 env QUERN_FAULT=3:launch "$program" npb ep --class S --device faults+opencl:0
fi
finish
