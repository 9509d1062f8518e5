#!/bin/sh
# quern roofline: a tiny run with JSON and pictures, two files over one another, and what it refuses.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

# Other work on the machine may leave a ceiling below a point: that is its own message, exit 1.
measure() {
  checks=$((checks + 1))
  "$quern" roofline --device cpu --sizes 16 --threads 1 --seconds 0.001 "$@" >"$folder.out" 2>"$folder.err"
  status=$?
  [ $status -eq 0 ] && return
  { [ $status -eq 1 ] && grep -q 'lies above its ceiling' "$folder.err"; } || complain "roofline $*"
}

json=a.json
"$quern" devices --json >/dev/null 2>&1 || json=''
# shellcheck disable=SC2086 # none, or two words
measure --dtype f32,f64 ${json:+--json $json}
holds test "$(grep -cE '^(f32|f64) +(gemm|trmm|trsm|potrf) +16 ' "$folder.out")" -eq 8
says '^ceilings: memory [0-9.]+ GB/s, caches [0-9.]+ GB/s, f32 [0-9.]+ GFLOP/s' "$folder.out"

if [ -s a.json ]; then
  for field in $(grep -oE '"[a-z_]+"' a.json | tr -d '"' | sort -u); do
    grep -qE "^(gemm|trmm|trsm|potrf|roofline)$" <<EOT || says "\`$field\`" "$source/docs/roofline.md"
$field
EOT
  done
  sed 's/"seconds": 1/"seconds": 2/' a.json >b.json
  good "$quern" roofline --compare a.json b.json
  holds test "$(grep -cE '^f(32|64) .* [0-9.]+$' "$folder.out")" -eq 8
  if "$quern" roofline --compare a.json b.json --plot both.png >/dev/null 2>&1; then
    holds test -s both.png
    good "$quern" roofline --compare a.json a.json --plot both.svg
    says '<svg' both.svg
    bad 2 'ends in .svg or .png' "$quern" roofline --plot roof.jpg
    bad 2 'cannot be written' "$quern" roofline --plot nowhere/roof.png
    no_file_in_proc roofline --plot /proc/roof.png
    good "$quern" roofline a.json --plot again.svg
    says '<svg' again.svg
    holds test "$(grep -cE '^(f32|f64) +(gemm|trmm|trsm|potrf) +16 ' "$folder.out")" -eq 8
    bad 2 "takes no 'b.json' without --compare" "$quern" roofline a.json b.json --plot both.svg
  fi
  echo '{"kind": "bench"}' >other.json
  bad 2 'other.json: not a file of quern roofline' "$quern" roofline --compare a.json other.json
  sed 's/"format": 1/"format": 2/' a.json >next.json
  bad 2 'next.json: is of format 2; quern .* reads 1' "$quern" roofline --compare a.json next.json
  bad 2 'none.json: ' "$quern" roofline --compare a.json none.json
fi
bad 2 '--compare takes two JSON files' "$quern" roofline --compare a.json
bad 2 "takes no 'gemm' without --compare" "$quern" roofline gemm
bad 2 "--sizes takes up to 16 orders.*not '0'" "$quern" roofline --sizes 16,0
bad 2 '--dtype takes f16' "$quern" roofline --dtype f31
finish
