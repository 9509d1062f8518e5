#!/bin/sh
# Products by fused multiply-adds wait a cycle where two operands that are new to them lie in one
# bank of registers. How many do in the inner loop is up to the assembler, and a change far from the
# loop can make it three times as many: counted in the code, no more than a quarter may.
# usage: banks.sh <quern> <architecture> <write_cubins>
set -u
quern=$1 arch=$2 write_cubins=$3
code=$(mktemp) said=$(mktemp) folder=$(mktemp -d)
trap 'rm -rf "$code" "$said" "$folder"' EXIT
failures=0

# Prints the products of the innermost loop that has many, and how many of them wait. An operand is
# not new where the instruction before kept it (.reuse) in the same place.
count() {
  awk '
    function number(text) {
      return match(text, /R[0-9]+/) ? substr(text, RSTART + 1, RLENGTH - 1) + 0 : -1
    }
    match($0, /^ *\.L_x_[0-9]+:/) { name = $1; sub(/:.*/, "", name); label[name] = lines; next }
    match($0, /\/\*[0-9a-f]+\*\/ +/) {
      text = substr($0, RSTART + RLENGTH)
      sub(/;.*/, "", text)
      sub(/^@!?U?P[0-9T]+ +/, "", text)
      line[lines++] = text
      if (text !~ /^BRA/ || !match(text, /\.L_x_[0-9]+/)) next
      name = substr(text, RSTART, RLENGTH)
      if (!(name in label)) next
      from = label[name]
      products = 0
      for (i = from; i < lines; i++) products += line[i] ~ /^FFMA/
      if (products < 256 || (last && lines - from >= last - first)) next
      first = from
      last = lines
    }
    END {
      for (i = first; i < last; i++) {
        if (line[i] ~ /^NOP/) continue
        if (line[i] !~ /^FFMA/) { kept[1] = kept[2] = kept[3] = -1; continue }
        split(substr(line[i], index(line[i], " ") + 1), operand, ",")
        even = odd = 0
        for (s = 1; s <= 3; s++) {
          r = number(operand[s + 1])
          fresh = r >= 0 && r != kept[s]
          for (q = 1; q < s; q++) if (seen[q] == r) fresh = 0
          seen[s] = fresh ? r : -2
          if (fresh) r % 2 ? odd++ : even++
          next_kept[s] = operand[s + 1] ~ /reuse/ ? r : -1
        }
        for (s = 1; s <= 3; s++) kept[s] = next_kept[s]
        all++
        wait += even > 1 || odd > 1
      }
      print all + 0, wait + 0
    }' "$code"
}

# few NAME: in $code
few() {
  grep -q '^ *[.]L_x_' "$code" || {
    echo 'skipped: only nvdisasm names the places of branches'
    exit 77
  }
  # shellcheck disable=SC2046
  set -- "$1" $(count)
  echo "$1: $3 of $2 products wait for a bank"
  [ "$2" -gt 0 ] && [ $(($3 * 4)) -le "$2" ] || failures=$((failures + 1))
}

# few_in_product DTYPE VARIANT
few_in_product() {
  "$quern" bench gemm --dtype "$1" --variant "$2" --sizes 4096 --device "cuda:$arch" --dump sass \
    -o "$code" 2>"$said" || {
    if grep -Eq 'no libnvrtc|no nvdisasm|makes no code' "$said"; then
      echo "skipped: $(cat "$said")"
      exit 77
    fi
    echo "$1 $2: $(cat "$said")"
    failures=$((failures + 1))
    return
  }
  few "$1 $2"
}

# few_in_triangle SIDE TRIANGLE: f32, by the large tile; TRIANGLE is the macro of that side, lower
few_in_triangle() {
  rm -f "$folder"/*
  "$write_cubins" "$folder" "$arch" cuda/gemm_f32.cu -DBM=256 -DQN_T=2 "-DTRIANGLE=$2" >"$said" 2>&1 || {
    echo "triangle on side $1: $(cat "$said")"
    failures=$((failures + 1))
    return
  }
  for cubin in "$folder"/*.cubin; do
    "$disassembler" --print-code "$cubin" >"$code" || failures=$((failures + 1))
    few "f32 pipe_large, triangle on side $1, $(grep -o 'TRANS[AB]=.' "${cubin%cubin}options" | tr '\n' ' ')"
  done
}

for variant in pipe_large pipe_medium pipe_small pipe_thin pipe_flat; do few_in_product f32 $variant; done
few_in_product c64 pipe_large
disassembler=$(PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin:/usr/local/cuda/bin command -v nvdisasm)
few_in_triangle L 1
few_in_triangle R 3
exit $((failures > 0))
