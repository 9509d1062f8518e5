# What the tests of the command share. Sourced: common.sh, with QUERN, MAT and SOURCE set by ctest.
#
#   good COMMAND...              must exit 0 and say nothing on stderr
#   holds COMMAND...             a check by another program, which must exit 0
#   bad STATUS PATTERN COMMAND...  must exit STATUS, with exactly one line on stderr: "quern: ..."
#                                that the pattern (grep -E) is in, and leave no file behind
#   says PATTERN FILE            the file must hold a line with the pattern
#
# $folder.out and $folder.err are what the last good or bad command said.
# shellcheck shell=sh disable=SC2034
set -u
quern=${QUERN:?} mat=${MAT:?} source=${SOURCE:?}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder" "$folder.out" "$folder.err" "$folder.log"' EXIT
cd "$folder" || exit 1
failures=0 checks=0
unset QUERN_THREADS QUERN_FAULT QUERN_PEER_CBLAS

complain() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
  sed 's/^/    /' "$folder.out" "$folder.err" 2>/dev/null | head -20
}

good() {
  checks=$((checks + 1))
  "$@" >"$folder.out" 2>"$folder.err"
  status=$?
  if [ $status -ne 0 ]; then
    complain "$* (exit $status)"
  elif [ -s "$folder.err" ]; then
    complain "$* (said something on stderr)"
  fi
}

holds() {
  checks=$((checks + 1))
  "$@" >"$folder.log" 2>&1 && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*"
  head -20 "$folder.log" | sed 's/^/    /'
}

bad() {
  wanted=$1 pattern=$2
  shift 2
  checks=$((checks + 1))
  before=$(ls -A)
  "$@" >"$folder.out" 2>"$folder.err"
  status=$?
  if [ $status -ne "$wanted" ]; then
    complain "$* (exit $status, not $wanted)"
  elif [ "$(wc -l <"$folder.err")" -ne 1 ]; then
    complain "$* (not one line on stderr)"
  elif ! grep -q '^quern: ' "$folder.err"; then
    complain "$* (the line does not begin with quern:)"
  elif ! grep -Eq -- "$pattern" "$folder.err"; then
    complain "$* (the line lacks: $pattern)"
  elif [ "$before" != "$(ls -A)" ]; then
    complain "$* (left behind: $(ls -A))"
  fi
}

says() {
  checks=$((checks + 1))
  grep -Eq -- "$1" "$2" || complain "no '$1' in $2"
}

# /proc lets nobody make a file, root neither: seen before anything is measured
no_file_in_proc() {
  [ -d /proc/self ] && bad 2 '/proc/.*: cannot be written' timeout 20 "$quern" "$@"
}

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  [ "$failures" -eq 0 ]
  exit
}
