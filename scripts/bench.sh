#!/bin/sh
# The grid that the library's speed is held to, beside the BLAS of this machine.
# usage: bench.sh <quern> [folder for the JSON files]
# BENCH_SIZES, BENCH_THREADS and BENCH_DTYPES narrow it.
set -u
quern=${1:?usage: bench.sh QUERN [FOLDER]}
folder=${2:-}
sizes=${BENCH_SIZES:-256,512,1024,2048,4096}
dtypes=${BENCH_DTYPES:-f32,f64}
cores=$(nproc 2>/dev/null || echo 1)
if [ "$cores" -gt 1 ]; then threads=1,$cores; else threads=1; fi
threads=${BENCH_THREADS:-$threads}
bad=0

bench() {
  routine=$1
  shift
  printf '\n== %s\n' "$routine"
  [ -n "$folder" ] && set -- "$@" --json "$folder/$routine.json"
  "$quern" bench "$routine" --against cblas --dtype "$dtypes" --threads "$threads" "$@" || bad=1
}

[ -n "$folder" ] && mkdir -p "$folder"
thin=
[ -z "${BENCH_SIZES:-}" ] && thin=,4096x4096x64,64x4096x4096
bench gemm --sizes "$sizes$thin"
bench trsm --sizes "$sizes" --side L,R --nrhs n,64
bench trmm --sizes "$sizes" --side L,R --nrhs n,64
bench potrf --sizes "$sizes"
exit $bad
