#!/bin/sh
# Wrong use: one line that names what is wrong, exit status 2, nothing written.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
"$mat" triangle A.npy f8 6 1
"$mat" random B.npy f8 6 4 2

bad 2 'no command' "$quern"
bad 2 "unknown command 'trms'; did you mean tr[ms]m" "$quern" trms
bad 2 "unknown command 'devcies'; did you mean devices" "$quern" devcies
bad 2 "unknown command 'xyzzy'; see quern --help" "$quern" xyzzy
bad 2 "unknown command 'xyzzy'" "$quern" help xyzzy
bad 2 'stands before the command' "$quern" --device cpu gemm
bad 2 'did you mean --side' "$quern" trsm A.npy B.npy -o X.npy --sdie L
bad 2 'did you mean --threads' "$quern" trsm A.npy B.npy -o X.npy --thread=2s --thraeds=2
bad 2 'unknown option --frobnicate; see quern trsm --help' "$quern" trsm A.npy --frobnicate
bad 2 'unknown option --uplo' "$quern" gemm A.npy B.npy -o X.npy --uplo L
bad 2 'unknown option -z' "$quern" trsm -z
bad 2 'option --side needs a value' "$quern" trsm A.npy B.npy -o X.npy --side
bad 2 'option -o needs a value' "$quern" trsm A.npy B.npy -o
bad 2 'option --explain takes no value' "$quern" trsm A.npy B.npy -o X.npy --explain=yes
bad 2 "output takes the name of a file, not ''" "$quern" trsm A.npy B.npy -o ''
bad 2 'json - and --csv - would mix' "$quern" bench gemm --sizes 8 --json - --csv -
bad 2 'both.svg is named twice' "$quern" bench gemm --sizes 8 --json both.svg --csv both.svg
bad 2 'both.svg is named twice' "$quern" bench gemm --sizes 8 --csv both.svg --plot both.svg
bad 2 'operand is missing; usage: quern trsm A B -o X' "$quern" trsm A.npy -o X.npy
bad 2 "'C.npy' is one operand too many" "$quern" gemm A.npy B.npy C.npy
bad 2 ' -o FILE is missing' "$quern" trsm A.npy B.npy
bad 2 'quiet and --verbose' "$quern" trsm A.npy B.npy -o X.npy -q -v

for value in X l. LR ''; do
  bad 2 "side takes L\|R, not '$value'" "$quern" trsm A.npy B.npy -o X.npy --side "$value"
done
bad 2 "uplo takes L\|U, not 'N'" "$quern" potrf A.npy -o X.npy --uplo N
bad 2 "trans takes N\|T\|C, not 'H'" "$quern" trmm A.npy B.npy -o X.npy --trans H
bad 2 "diag takes N\|U" "$quern" trmm A.npy B.npy -o X.npy --diag L
bad 2 "transb takes N\|T\|C" "$quern" gemm A.npy B.npy -o X.npy --transb R
for value in two 1e999 1-2 2ii '' 1,5 ' 2'; do
  bad 2 "alpha takes a number.*not '$value'" "$quern" trsm A.npy B.npy -o X.npy --alpha "$value"
done
bad 2 'alpha 1-2i is complex and A.npy is f64; --dtype c128' \
  "$quern" trsm A.npy B.npy -o X.npy --alpha 1-2i
bad 2 'beta needs --c' "$quern" gemm A.npy B.npy -o X.npy --beta 2
bad 2 'dtype takes f16 .* not' "$quern" trsm A.npy B.npy -o X.npy --dtype f128
for value in 0 -1 1.5 many '' ' 2'; do
  bad 2 "threads takes a whole number" "$quern" trsm A.npy B.npy -o X.npy --threads "$value"
done

bad 2 "device takes auto, cpu, .* not 'gpu'" "$quern" trsm A.npy B.npy -o X.npy --device gpu
bad 2 "no .*'?cuda:97" "$quern" trsm A.npy B.npy -o X.npy --device cuda:97
bad 2 "no .*'?opencl:97" "$quern" trsm A.npy B.npy -o X.npy --device opencl:97

bad 2 "bench takes gemm, trmm, trsm or potrf, not 'gem'" "$quern" bench gem
bad 2 "sizes takes .* not '0'" "$quern" bench gemm --sizes 64,0
bad 2 "sizes takes .* not '64x64'" "$quern" bench gemm --sizes 64x64
bad 2 "sizes takes .* not '8x8x8'" "$quern" bench trsm --sizes 8x8x8
bad 2 "sizes takes .* not ''" "$quern" bench trsm --sizes 8,
bad 2 "against takes cblas.*, or an earlier .json file, not 'mkl'" "$quern" bench gemm --against mkl
bad 2 "dtype takes .* not 'f31'" "$quern" bench gemm --dtype f32,f31
bad 2 "nrhs takes" "$quern" bench trsm --nrhs m
bad 2 'nowhere/x.json' "$quern" bench gemm --sizes 8 --csv nowhere/x.json

# letters in either case, options before and after the operands, operands behind --
good "$quern" trsm --side l -o X.npy A.npy --trans t B.npy
holds "$mat" trsm L L T N 1 A.npy B.npy X.npy
cp A.npy ./-a.npy
good "$quern" trsm -o X.npy -- -a.npy B.npy
finish
