#!/bin/sh
# The README quotes examples/solve.c: each line of its C block stands there, in one run.
# usage: readme.sh <source root>
set -u
cd "$1" || exit 2
awk '
  FNR == NR { if (/^```/) { inside = /^```c$/; next } if (inside) quoted[++count] = $0; next }
  { if ($0 == quoted[found + 1]) found++; else if (found < count) found = ($0 == quoted[1]) }
  END {
    if (count > 0 && found == count) exit 0
    print "the C block of README.md, " count + 0 " lines, does not stand so in examples/solve.c"
    exit 1
  }' README.md examples/solve.c
