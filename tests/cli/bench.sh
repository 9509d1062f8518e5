#!/bin/sh
# quern bench: alone, beside a peer that is right, beside one that is wrong, without one.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

good "$quern" bench trsm --sizes 24,40 --dtype f32,c128 --nrhs n,3 --side L,R --threads 1
holds test "$(grep -cE '^(f32|c128) ' "$folder.out")" -eq 16
good "$quern" bench trmm --sizes 24 --dtype f32 --nrhs 3 --side L,R --uplo L,U --trans N,T --seconds 0.001
says '^f32 +R 24 x 3 ' "$folder.out"
says '^f32 +LUT 24 x 3 ' "$folder.out"
holds test "$(grep -c '^f32 ' "$folder.out")" -eq 8
bad 2 'trans takes N, T, C' "$quern" bench trsm --sizes 16 --trans X
good "$quern" bench potrf --sizes 16 --dtype f64 --threads 1 --csv figures.csv
holds test "$(wc -l <figures.csv)" -eq 2
says '^potrf,f64,,L,,,,16,16,,1,' figures.csv
good "$quern" bench gemm --sizes 16,8x9x10 --dtype f32 --threads 1 --csv - --quiet
says '^gemm,f32,,,N,N,,8,9,10,1,' "$folder.out"

# no peer: it says so and goes on
checks=$((checks + 1))
QUERN_PEER_CBLAS=/nowhere/libblas.so "$quern" bench gemm --sizes 16 --dtype f64 --threads 1 \
  --against cblas >"$folder.out" 2>"$folder.err" || complain 'without a peer'
says '^quern: QUERN_PEER_CBLAS=/nowhere/libblas.so is not a loadable.*timing ours alone' "$folder.err"
says '^f64 +16 x 16 x 16' "$folder.out"

checks=$((checks + 1))
"$quern" bench gemm --sizes 16 --dtype f64 --device cpu --against clblast >"$folder.out" 2>"$folder.err" ||
  complain 'clblast on the cpu'
says 'CLBlast computes on opencl devices alone; timing ours alone' "$folder.err"

if [ -f "${FAKE_CBLAS:-}" ]; then
  export QUERN_PEER_CBLAS="$FAKE_CBLAS"
  good "$quern" bench gemm --sizes 16 --dtype f64 --threads 1 --against cblas
  says '^peer  OpenBLAS 9.9.9, Paper kernels' "$folder.out"
  says 'geometric mean [0-9.]+' "$folder.out"
  export FAKE_CBLAS_WRONG=0
  bad 1 'a timed result was wrong' "$quern" bench gemm --sizes 16 --dtype f64 --threads 1 \
    --against cblas
  says '^f64 .*[0-9]!' "$folder.out"
  unset QUERN_PEER_CBLAS FAKE_CBLAS_WRONG
fi

if "$quern" devices --json >/dev/null 2>&1; then
  good "$quern" bench trmm --sizes 16 --dtype f64 --nrhs 4 --threads 1 --json figures.json
  for field in format quern device cells means; do says "^  \"$field\":" figures.json; done
  for field in routine dtype m n uplo side trans diag threads batch ours; do
    says "^      \"$field\":" figures.json
    says "\`$field\`" "$source/docs/bench.md"
  done

  # an earlier run: the same figures give the ratio 1 or so; ten times as fast is not reached
  good "$quern" bench trmm --sizes 16,24 --dtype f64 --nrhs 4 --threads 1 --against figures.json
  says '^peer  figures.json: quern ' "$folder.out"
  says '^f64 +L 16 x 4 .* [0-9.]+[~ ] +[0-9.]+$' "$folder.out"
  says '^f64 +L 24 x 4 .* - +[0-9.]+$' "$folder.out"
  sed 's/\("\(median\|low\|high\)": [0-9.]*\)e-/\1e-1/' figures.json >fast.json
  bad 1 'ratio [0-9.]+ is under 0.5' "$quern" bench trmm --sizes 16 --dtype f64 --nrhs 4 --threads 1 \
    --against fast.json --fail-under 0.5 --quiet
  echo '{}' >other.json
  bad 2 'other.json: not a file of quern bench' "$quern" bench gemm --sizes 16 --against other.json
  if "$quern" bench gemm --sizes 16,32 --dtype f32,f64 --plot gemm.svg --quiet 2>"$folder.err"; then
    says '<svg' gemm.svg
    bad 2 'ends in .svg or .png' "$quern" bench gemm --sizes 16 --plot gemm.pdf
    no_file_in_proc bench gemm --sizes 16 --plot /proc/gemm.svg
    bad 2 'too many curves' "$quern" bench trsm --sizes 16 --nrhs 1,2,3,4,5,6,7,8 --plot trsm.svg
    # a panel a side, and in each a curve a number of right-hand sides
    good "$quern" bench trsm --sizes 16,8 --nrhs n,8 --side L,R --dtype f64 --plot trsm.svg --quiet
    holds test "$(grep -c '<svg' trsm.svg)" -eq 1
  else
    says 'cairo was missing' "$folder.err"
  fi
else
  bad 2 'libjansson-dev' "$quern" bench trmm --sizes 16 --json figures.json
fi

bad 2 '--fail-under needs --against' "$quern" bench gemm --fail-under 0.9
bad 2 '--fail-under takes a number above 0' "$quern" bench gemm --against cblas --fail-under -1
bad 2 'gemm has no --nrhs' "$quern" bench gemm --sizes 16 --nrhs 4
bad 2 'potrf has no --side' "$quern" bench potrf --sizes 16 --side R
bad 2 'trsm has no --transa' "$quern" bench trsm --sizes 16 --transa T
bad 2 "1 to 1048576.*not '1048577'" "$quern" bench gemm --sizes 1048577
# variants by name
good "$quern" bench gemm --sizes 16 --dtype f64 --threads 1 --device cpu --variant all
says '^cpu_packed ' "$folder.out"
says '^cpu_scale .* needs alpha = 0 or k = 0$' "$folder.out"
bad 2 "variants that --explain shows" "$quern" bench gemm --sizes 16 --device cpu --variant none
bad 2 'variant is of gemm alone' "$quern" bench trmm --sizes 16 --device cpu --variant all

# what the device lacks goes before what a problem would need
if "$quern" devices | grep -q '^ *opencl:0'; then
  good "$quern" bench gemm --sizes 16 --dtype f32 --threads 1 --device opencl:0 --variant mma_naive,wgmma_large
  says '^mma_naive .* needs CUDA on sm_80 or newer$' "$folder.out"
  says '^wgmma_large .* needs CUDA on sm_90$' "$folder.out"
fi

# steady load, on a device alone: the cpu has no such figure
if "$quern" devices | grep -q '^ *opencl:0'; then
  good "$quern" bench gemm --sizes 32 --dtype f32 --threads 1 --device opencl:0 --sustain 0.05
  says '^      ours: samples; sustained [0-9.]+ ms, [0-9.]+ GFLOP/s$' "$folder.out"
fi
bad 2 '--sustain takes a number above 0' "$quern" bench gemm --sizes 16 --sustain 0

# the grid of make bench, small; where there is no BLAS it says so on stderr
checks=$((checks + 1))
env BENCH_SIZES=16 BENCH_THREADS=1 BENCH_DTYPES=f64 "$source/scripts/bench.sh" "$quern" \
  >"$folder.out" 2>"$folder.err" || complain 'the grid of make bench'
for routine in gemm trsm trmm potrf; do says "^== $routine\$" "$folder.out"; done
finish
