#!/bin/sh
# Outputs that cannot be written, and failures of the machine: one line, and what stood there kept.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
"$mat" triangle A.npy f8 200 1
"$mat" spd S.npy f8 200 1
"$mat" random B.npy f8 200 200 2
"$mat" random old.npy f8 2 2 3
cp old.npy X.npy

kept() {
  checks=$((checks + 1))
  cmp -s old.npy X.npy || complain 'the existing output was touched'
}

bad 2 'X.txt.*\.npy' "$quern" trsm A.npy B.npy -o X.txt
bad 2 'nowhere/X.npy.*nowhere.*No such' "$quern" trsm A.npy B.npy -o nowhere/X.npy
bad 2 'B.npy/X.npy.*B.npy is not a directory' "$quern" trsm A.npy B.npy -o B.npy/X.npy
mkdir folder.npy
bad 2 'folder.npy.*is a directory' "$quern" trsm A.npy B.npy -o folder.npy
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked && chmod 555 locked
  bad 2 'locked.*Permission denied' "$quern" trsm A.npy B.npy -o locked/X.npy
fi

no_file_in_proc trsm A.npy B.npy -o /proc/X.npy

# a disk that is full when it comes to it: by a limit on files, by a device that is always full
bad 1 'X.npy' sh -c "ulimit -f 8 && exec '$quern' trsm A.npy B.npy -o X.npy"
kept
if [ -c /dev/full ]; then
  ln -s /dev/full full.npy
  bad 1 'full.npy.*No space' "$quern" trsm A.npy B.npy -o full.npy
fi

# calls of the device that fail, one after the other, until there are no more
call=1
while [ $call -lt 100 ]; do
  checks=$((checks + 1))
  QUERN_FAULT=$call "$quern" potrf S.npy -o X.npy --device faults+cpu >"$folder.out" \
    2>"$folder.err"
  status=$?
  if [ $status -ne 0 ]; then
    { [ $status -eq 1 ] && [ "$(wc -l <"$folder.err")" -eq 1 ]; } ||
      complain "call $call failed: exit $status"
    kept
  else
    "$mat" potrf L S.npy X.npy || complain "call $call failed and the result is wrong"
    cmp -s old.npy X.npy || cp old.npy X.npy
    [ $call -gt 20 ] && break
  fi
  call=$((call + 1))
done

# in place, through a link, over an existing file
cp B.npy C.npy
good "$quern" trsm A.npy C.npy -o C.npy
holds "$mat" trsm L L N N 1 A.npy B.npy C.npy
mkdir real
cp old.npy real/X.npy
ln -s real/X.npy link.npy
good "$quern" trsm A.npy B.npy -o link.npy
holds test -L link.npy
holds "$mat" trsm L L N N 1 A.npy B.npy real/X.npy
good "$quern" trsm A.npy B.npy -o X.npy
holds "$mat" trsm L L N N 1 A.npy B.npy X.npy

# into a pipe, through a link
ln -s /dev/stdout pipe.npy
checks=$((checks + 1))
"$quern" trsm A.npy B.npy -o pipe.npy --quiet 2>"$folder.err" | cat >piped.npy
cmp -s X.npy piped.npy || complain 'through a pipe'

# a signal in the middle of the work leaves nothing behind
mkdir ended
for signal in TERM HUP; do
  checks=$((checks + 1))
  "$quern" bench gemm --sizes 2048,2048,2048 --csv ended/x.csv >"$folder.out" 2>"$folder.err" &
  tries=0
  while [ -z "$(ls -A ended)" ] && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
  [ -n "$(ls -A ended)" ] || complain 'bench made no file to begin with'
  kill -s $signal $!
  wait $!
  [ $? -gt 128 ] || complain "SIG$signal did not end it"
  [ -z "$(ls -A ended)" ] || complain "SIG$signal left behind: $(ls -A ended)"
done

# how much is said
good "$quern" trsm A.npy B.npy -o X.npy --quiet
holds test ! -s "$folder.out"
checks=$((checks + 1))
"$quern" trsm A.npy B.npy -o X.npy --verbose >"$folder.out" 2>"$folder.err" || complain verbose
says '^quern: A.npy: 200 x 200 f64, mapped' "$folder.err"
checks=$((checks + 1))
QUERN_THREADS=lots "$quern" trsm A.npy B.npy -o X.npy >"$folder.out" 2>"$folder.err" ||
  complain 'malformed variable'
says '^quern: warning: QUERN_THREADS=lots ignored' "$folder.err"
holds test "$(wc -l <"$folder.err")" -eq 1
finish
