#!/bin/sh
# gemm, trmm, trsm and potrf on files, every option, checked by arithmetic of its own.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

for dtype in f4 f8 c8 c16; do
  case $dtype in c*) alpha=1.5-2i beta=0.5+1i ;; *) alpha=-1.5 beta=0.5 ;; esac
  "$mat" triangle A.npy $dtype 37 1
  "$mat" random B.npy $dtype 37 11 2
  "$mat" random R.npy $dtype 11 37 3
  "$mat" spd S.npy $dtype 37 4
  "$mat" random C0.npy $dtype 37 11 5
  for uplo in L U; do
    good "$quern" potrf S.npy -o X.npy --uplo $uplo
    holds "$mat" potrf $uplo S.npy X.npy
    for trans in N T C; do
      for diag in N U; do
        for routine in trmm trsm; do
          good "$quern" $routine A.npy B.npy -o X.npy --uplo $uplo --trans $trans --diag $diag \
            --alpha $alpha
          holds "$mat" $routine L $uplo $trans $diag $alpha A.npy B.npy X.npy
          good "$quern" $routine A.npy R.npy -o X.npy --side R --uplo $uplo --trans $trans \
            --diag $diag
          holds "$mat" $routine R $uplo $trans $diag 1 A.npy R.npy X.npy
        done
      done
    done
  done
  for ops in NN NT NC TN CT; do
    ta=${ops%?} tb=${ops#?}
    right=B.npy
    [ "$tb" != N ] && right=R.npy
    good "$quern" gemm A.npy $right -o X.npy --transa "$ta" --transb "$tb" --alpha $alpha
    holds "$mat" gemm "$ta" "$tb" $alpha A.npy $right 0 - X.npy
    good "$quern" gemm A.npy $right -o X.npy --transa "$ta" --transb "$tb" --c C0.npy --beta $beta
    holds "$mat" gemm "$ta" "$tb" 1 A.npy $right $beta C0.npy X.npy
  done
done

# the log tells which variant ran, to who asks for it
for asked in gemm all other,gemm; do
  holds env QUERN_LOG=$asked "$quern" gemm A.npy B.npy -o X.npy
  says '^quern: gemm c128 NN 37 x 11 x 37: [a-z_]+ \(' "$folder.log"
done
good env QUERN_LOG=gem "$quern" gemm A.npy B.npy -o X.npy

# C0 counts once where --beta is not given; one side narrower than the other; conversion
good "$quern" gemm A.npy B.npy -o X.npy --c C0.npy
holds "$mat" gemm N N 1 A.npy B.npy 1 C0.npy X.npy
"$mat" random narrow.npy f4 37 11 9
"$mat" triangle wide.npy f8 37 10
good "$quern" trsm wide.npy narrow.npy -o X.npy --dtype f64
holds "$mat" trsm L L N N 1 wide.npy narrow.npy X.npy
good "$quern" trsm wide.npy narrow.npy -o X.npy --dtype f32 --threads 1 --device cpu
holds "$mat" trsm L L N N 1 wide.npy narrow.npy X.npy

# nothing at all, and one element
"$mat" values none.npy f8 0 0
"$mat" values empty.npy f8 0 3
"$mat" values one.npy f8 1 1 4
good "$quern" gemm none.npy empty.npy -o X.npy
says 'f8 0 x 3:' /dev/stdin <<EOF
$("$mat" show X.npy)
EOF
good "$quern" trsm none.npy empty.npy -o X.npy
good "$quern" potrf none.npy -o X.npy
good "$quern" potrf one.npy -o X.npy
holds "$mat" potrf L one.npy X.npy
"$mat" random tall.npy f8 5 0 1
good "$quern" gemm tall.npy empty.npy -o X.npy
says 'f8 5 x 3: 0 0 0' /dev/stdin <<EOF
$("$mat" show X.npy)
EOF

# --explain: the parts of the table, and a backward error within its limit; base blocks small enough
# that an order of 300 is cut and products stand between them
export QUERN_TRSM_BLOCK=64 QUERN_TRMM_BLOCK=64
"$mat" triangle A.npy f8 300 1
"$mat" random B.npy f8 300 40 2
for routine in trsm trmm gemm; do
  good "$quern" $routine A.npy B.npy -o X.npy --explain
  says "^X.npy: $routine .* f64 on cpu" "$folder.out"
  says '^  read A.npy' "$folder.out"
  says '^    products, [a-z_]+ .*%' "$folder.out"
  says '^  write X.npy' "$folder.out"
  says '^  in all .* 100.0 %' "$folder.out"
  says '^  rate .*GFLOP/s, .*% of' "$folder.out"
  says '^  backward error   [0-9.e-]+ u, limit' "$folder.out"
done
says '^  backward error' "$folder.out"
good "$quern" trsm A.npy B.npy -o X.npy --explain --uplo U
says '^    base blocks, ' "$folder.out"
unset QUERN_TRSM_BLOCK QUERN_TRMM_BLOCK

# 494_bus: a real matrix, solved by its factor
bus=$source/shared/data/494_bus.mtx
if [ -f "$bus" ]; then
  "$mat" random rhs.npy f8 494 3 7
  good "$quern" potrf "$bus" -o L.npy
  good "$quern" trsm L.npy rhs.npy -o Y.npy
  good "$quern" trsm L.npy Y.npy --trans T -o X.npy --explain
  holds "$mat" trsm L L T N 1 L.npy Y.npy X.npy
  says 'backward error' "$folder.out" || true
fi
finish
