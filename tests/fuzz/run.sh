#!/bin/sh
# One fuzz target for some seconds, from fresh seeds, in a folder that is removed.
# usage: run.sh <seeds program> <target> npy|mtx|epilogue <seconds>
set -eu
seeds=$1 target=$2 kind=$3 seconds=$4
[ -x "$target" ] || { echo "fuzz: clang with libFuzzer is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/npy" "$work/mtx" "$work/epilogue"
"$seeds" "$work/npy" "$work/mtx" "$work/epilogue"
cd "$work"
"$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
  -verbosity=0 "$work/$kind"
