#!/bin/sh
# Files that cannot be used: one line that names file and reason, exit status 2, nothing written.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
"$mat" triangle A.npy f8 6 1
"$mat" random B.npy f8 6 4 2
"$mat" random B32.npy f4 6 4 2
"$mat" random Z.npy c16 6 4 2
"$mat" random wide.npy f8 4 6 2

refused() { # PATTERN FILE: as A of a solve
  bad 2 "$2.*$1" "$quern" trsm "$2" B.npy -o X.npy
}
npy() { # DESCR SHAPE: a .npy header of version 1
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': $1, 'fortran_order': True, 'shape': $2, }"
}
zeros() { head -c "$1" /dev/zero; }

refused 'No such file' missing.npy
mkdir folder.npy
refused 'folder' folder.npy
: >empty.npy
refused '' empty.npy
echo 'no matrix at all' >text.npy
refused 'neither' text.npy
{ npy "'<f8'" '(6, 6)'; zeros 100; } >short.npy
refused '' short.npy
head -c 40 A.npy >header.npy
refused '' header.npy
printf '\223NUMPY\002\000\377\377\377\377{' >oversized.npy
refused '' oversized.npy
printf '\223NUMPY\011\000\166\000' >version.npy
refused 'version' version.npy
{ npy "'|O'" '(6, 6)'; zeros 288; } >object.npy
refused '' object.npy
{ npy "[('x', '<f8')]" '(6, 6)'; zeros 288; } >structured.npy
refused '' structured.npy
{ npy "'<i8'" '(6, 6)'; zeros 288; } >integer.npy
refused '' integer.npy
{ npy "'<f8'" '(2, 3, 6)'; zeros 288; } >cube.npy
refused '' cube.npy
{ npy "'<f8'" '(-6, -6)'; zeros 288; } >negative.npy
refused '' negative.npy

market() { # FILE HEADER-WORDS BODY
  printf '%%%%MatrixMarket %s\n%b' "$2" "$3" >"$1"
}
market word.mtx 'matrix coordinate real general' '2 2 1\n1 1 one\n'
refused '' word.mtx
market lacking.mtx 'matrix coordinate real general' '2 2 3\n1 1 1.0\n2 2 1.0\n'
refused '' lacking.mtx
market beyond.mtx 'matrix coordinate real general' '2 2 1\n3 1 1.0\n'
refused '' beyond.mtx
market zero.mtx 'matrix coordinate real general' '2 2 1\n0 1 1.0\n'
refused '' zero.mtx
market header.mtx 'matrix sparse real general' '2 2 1\n1 1 1.0\n'
refused '' header.mtx
market huge.mtx 'matrix coordinate real general' '9000000 9000000 1\n1 1 1.0\n'
refused '[0-9] (TB|GB|PB|bytes)' huge.mtx

# dtypes and shapes
bad 2 'A.npy is f64 and B32.npy is f32; --dtype f64' "$quern" trsm A.npy B32.npy -o X.npy
bad 2 'A.npy is f64 and Z.npy is c128; --dtype c128' "$quern" gemm A.npy Z.npy -o X.npy
bad 2 'Z.npy' "$quern" gemm A.npy Z.npy -o X.npy --dtype f64
bad 2 'wide.npy is 4 x 6; a square' "$quern" trsm wide.npy B.npy -o X.npy
bad 2 'wide.npy is 4 x 6; a square' "$quern" trmm wide.npy B.npy -o X.npy
bad 2 'wide.npy is 4 x 6; a square' "$quern" potrf wide.npy -o X.npy
bad 2 'wide.npy is 4 x 6; with A.npy 6 x 6 and --side L it needs 6 rows' \
  "$quern" trsm A.npy wide.npy -o X.npy
bad 2 'B.npy is 6 x 4; with A.npy 6 x 6 and --side R it needs 6 columns' \
  "$quern" trmm A.npy B.npy -o X.npy --side R
bad 2 'A.npy is 6 x 6 and wide.npy is 4 x 6: op\(A\) has 6 columns and op\(B\) 4 rows' \
  "$quern" gemm A.npy wide.npy -o X.npy
bad 2 'A.npy is 6 x 6; the product is 6 x 4' "$quern" gemm A.npy B.npy --c A.npy -o X.npy
bad 2 'potrf needs f32' "$quern" potrf A.npy --dtype f16 -o X.npy

# what is fine: any case, CRLF, D exponents, comments, blank lines; doubles add up
market fine.mtx 'MATRIX Coordinate REAL General' \
  '% comment\r\n\r\n2 2 4\r\n1 1 1.0D0\r\n\r\n2 1 5D-1\r\n2 2 1.5\r\n2 2 .5\r\n'
"$mat" values fine.npy f8 2 2 1 0.5 0 2
"$mat" values rhs.npy f8 2 1 4 6
good "$quern" trsm fine.mtx rhs.npy -o X.npy
holds "$mat" trsm L L N N 1 fine.npy rhs.npy X.npy
market lower.mtx 'matrix coordinate real symmetric' '2 2 3\n1 1 2\n2 1 0.5\n2 2 3\n'
"$mat" values lower.npy f8 2 2 2 0.5 0.5 3
good "$quern" gemm lower.mtx fine.mtx -o X.npy
holds "$mat" gemm N N 1 lower.npy fine.npy 0 - X.npy
good "$quern" gemm lower.mtx fine.mtx -o X.mtx
says '^%%MatrixMarket matrix array real general' X.mtx
good "$quern" gemm X.mtx fine.mtx --alpha 0 --c X.mtx -o Y.npy
holds cmp X.npy Y.npy

# bytes after the array: told with the result, not beside another reason
{ cat rhs.npy; printf x; } >longer.npy
checks=$((checks + 1))
"$quern" trsm fine.mtx longer.npy -o X.npy >"$folder.out" 2>"$folder.err" || complain 'longer.npy'
says '^quern: warning: longer.npy: 1 byte after the array is ignored' "$folder.err"
holds "$mat" trsm L L N N 1 fine.npy rhs.npy X.npy
bad 2 'square' "$quern" trsm longer.npy rhs.npy -o Y.npy

# a diagonal with zeros: named, and solved as division has it
"$mat" values singular.npy f8 4 4 1 2 3 0 0 0 4 0 0 0 5 0 0 0 0 0
"$mat" values ones.npy f8 4 1 1 1 1 1
checks=$((checks + 1))
"$quern" trsm singular.npy ones.npy -o inf.npy >"$folder.out" 2>"$folder.err" || complain 'singular'
says '^quern: singular.npy: 2 zeros on the diagonal, the first in row 2' "$folder.err"
holds test "$(wc -l <"$folder.err")" -eq 1
holds test -f inf.npy
"$mat" show inf.npy >shown
says 'f8 4 x 1: 1 -inf inf -?nan' shown
good "$quern" trsm singular.npy ones.npy -o unit.npy --diag U
good "$quern" trsm singular.npy ones.npy -o inf2.npy --uplo U --diag U

# not positive definite: named, nothing written, what stood there kept
"$mat" values indefinite.npy f8 3 3 4 2 0 2 1 0 0 0 1
bad 1 'indefinite.npy is not positive definite: its leading minor of order 2' \
  "$quern" potrf indefinite.npy -o L.npy
cp B.npy kept.npy
bad 1 'order 2' "$quern" potrf indefinite.npy -o kept.npy
holds cmp B.npy kept.npy
finish
