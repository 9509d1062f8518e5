#!/bin/sh
# The instructions that the products of halves are about stand in their code: in PTX, which needs no
# card, or in what ptxas made of it.
# usage: opcodes.sh <quern> <device> <sm> ptx|sass
set -u
quern=$1 device=$2 sm=$3 form=$4
source=$(dirname "$0")/../../src/blas3
code=$(mktemp) said=$(mktemp)
trap 'rm -f "$code" "$said"' EXIT
failures=0 checks=0

# holds VARIANT DTYPE PTX SASS: lists of patterns, parted by blanks
holds() {
  variant=$1 dtype=$2
  [ "$form" = ptx ] && patterns=$3 || patterns=$4
  "$quern" bench gemm --dtype "$dtype" --variant "$variant" --transa T --sizes 4096 \
    --device "$device" --dump "$form" -o "$code" 2>"$said" || {
    if grep -Eq 'no libnvrtc|no nvdisasm|makes no code' "$said"; then
      echo "skipped: $(cat "$said")"
      exit 77
    fi
    echo "$variant: $(cat "$said")"
    failures=$((failures + 1))
    return
  }
  for pattern in $patterns; do
    checks=$((checks + 1))
    grep -Eq -- "$pattern" "$code" && continue
    echo "$variant $dtype for $sm: no $pattern in the $form"
    failures=$((failures + 1))
  done
}

fragments='ldmatrix[.]sync[.]aligned[.]m8n8[.]x4'
product='mma[.]sync[.]aligned[.]m16n8k16[.]row[.]col[.]f32[.]bf16'
copies='cp[.]async[.]cg'
holds wmma_naive bf16 'wmma[.]mma[.]sync.*m16n16k16[.]f32[.]bf16' 'HMMA[.]16816[.]F32[.]BF16'
holds mma_naive bf16 "$fragments $product" 'LDSM[.]16[.]M88[.]4 HMMA[.]16816[.]F32[.]BF16'
holds mma_naive_f16acc f16 "$fragments m16n8k16[.]row[.]col[.]f16[.]f16[.]f16[.]f16" \
  'LDSM[.]16 HMMA[.]16816[.]F16'
holds mma_m16n8k8 bf16 'ldmatrix[.]sync.*x2 m16n8k8[.]row[.]col[.]f32[.]bf16' \
  'LDSM[.]16[.]M88[.]2 HMMA[.]1688[.]F32[.]BF16'
for variant in mma_tiled mma_swizzled; do
  holds $variant bf16 "$fragments $product" 'LDSM[.]16[.]M88[.]4 HMMA[.]16816[.]F32[.]BF16'
done
for variant in mma_async mma_pipelined; do
  holds $variant bf16 "$fragments $product $copies" \
    'LDSM[.]16[.]M88[.]4 HMMA[.]16816[.]F32[.]BF16 LDGSTS.*128'
done
holds pipe_large f64 'mma[.]sync.*row[.]col[.]f64' 'DMMA'
case $sm in
sm_90*)
  names=$(sed -n 's/.*"\(wgmma_[a-z0-9_]*\)".*/\1/p' "$source"/gemm_wgmma*.c | sort -u)
  for variant in $names; do
    holds "$variant" bf16 'wgmma[.]mma_async[.]sync.*bf16 cp[.]async[.]bulk[.]tensor' \
      'HGMMA[.]64x[0-9]*x16[.]F32[.]BF16 UTMALDG'
    products=yes
  done
  [ "${products:-}" = yes ] || {
    echo "no variant by wgmma for $sm"
    failures=$((failures + 1))
  }
  ;;
esac
echo "$form of $device: $checks instructions, $failures missing"
[ $failures = 0 ]
