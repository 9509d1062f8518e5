# What the tests of npb share. Sourced, with QUERN set by ctest.
#
#   run STATUS COMMAND...        must exit STATUS; what it says is in `out` and `err`
#   has PATTERN FILE, lacks PATTERN FILE
#   refused PATTERN ARGUMENTS... quern npb ARGUMENTS must exit 2 with one line that has the pattern
#   fail TEXT
# shellcheck shell=sh
set -u
quern=${QUERN:?}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset QUERN_FAULT QUERN_THREADS NPB_TIMER_FLAG OMP_NUM_THREADS QUERN_POOL_LIMIT
failures=0 checks=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $1"
}

run() {
  wanted=$1
  shift
  checks=$((checks + 1))
  "$@" >out 2>err
  status=$?
  [ $status -eq "$wanted" ] && return
  fail "$* (exit $status, not $wanted)"
  head -20 out err
}

has() {
  checks=$((checks + 1))
  grep -Eq -- "$1" "$2" && return
  fail "no '$1' in $2"
  cat "$2"
}

lacks() {
  checks=$((checks + 1))
  grep -Eq -- "$1" "$2" || return
  fail "'$1' in $2"
  cat "$2"
}

refused() {
  pattern=$1
  shift
  run 2 "$quern" npb "$@"
  has "$pattern" err
  [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $*: $(cat err)"
}

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  [ "$failures" -eq 0 ]
  exit
}
