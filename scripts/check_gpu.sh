#!/bin/sh
# Runs the conformance tests and the demo on every device that the command finds beside the cpu; on
# NVIDIA's cards also each variant of the product by itself, the layouts of fragments, the
# instructions in the code and, where it is installed, compute-sanitizer. Needs a build, not ctest: the build folder may have
# been made on another machine.
# usage: check_gpu.sh <build folder> [device...]
#   QUERN_CHECK_THIN   one case in N of the conformance grids [1]
#   QUERN_CHECK_LOGS   where the logs go [a temporary folder]
set -u
build=$1
tests=$(cd "$(dirname "$0")/../tests" && pwd)
shift
thin=${QUERN_CHECK_THIN:-1}
logs=${QUERN_CHECK_LOGS:-$(mktemp -d)}
mkdir -p "$logs"
passed=0 failed=0 skipped=0

devices=$*
[ -n "$devices" ] || devices=$("$build/bin/quern" devices | awk 'NR > 1 && $1 ~ /:/ {print $1}')
if [ -z "$devices" ]; then
  echo "check-gpu: no device beside the cpu"
  "$build/bin/quern" devices --verbose
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# try <name> <command...>: one line, and the log's end when it failed
try() {
  name=$1
  shift
  log=$logs/$(echo "$name" | tr ' /:' '___').log
  begun=$(date +%s)
  if "$@" >"$log" 2>&1; then code=0; else code=$?; fi
  took=$(($(date +%s) - begun))
  case $code in
  0) passed=$((passed + 1)) && echo "ok       $name (${took} s)" ;;
  77) skipped=$((skipped + 1)) && echo "skipped  $name: $(tail -n 1 "$log" | sed 's/^skipped: //')" ;;
  *)
    failed=$((failed + 1))
    echo "FAILED   $name ($code)"
    tail -n 15 "$log" | sed 's/^/         /'
    ;;
  esac
}

pipelined='pipe_large pipe_medium pipe_small pipe_thin pipe_flat pipe_narrow pipe_strip pipe_tiny'
halves='mma_pipelined wgmma_large wgmma_turns wgmma_pair wgmma_square wgmma_wide wgmma_narrow wgmma_small
  wgmma_split_square wgmma_split_thin wgmma_split_small'

# Kernels as racecheck understands them (async.cu of src/kernels/cuda).
sources=$logs/kernels
cp -r "$tests/../src/kernels/." "$sources"
sed -i 's/^#define FOR_RACECHECK 0/#define FOR_RACECHECK 1/' "$sources"/cuda/*.cu

# sanitized <device> <tool> <topic> <variant or nothing> <one case in> [variant of trsm]
sanitized() {
  [ "$2" = racecheck ] && folder=$sources || folder=
  try "$1 $2 $3 $4${6-}" env QUERN_TEST_DEVICE="$1" QUERN_GEMM_VARIANT="$4" QUERN_TEST_THIN="$5" \
    QUERN_TRSM_VARIANT="${6-}" QUERN_KERNEL_DIR="$folder" \
    compute-sanitizer --tool "$2" --report-api-errors no --error-exitcode 9 \
    "$build/tests/conformance/test_conformance_$3"
}

for device in $devices; do
  for test in "$build"/tests/conformance/test_conformance_* "$build"/tests/blas3/test_blas3_*; do
    [ -x "$test" ] || continue
    try "$device ${test##*/test_}" \
      env QUERN_TEST_DEVICE="$device" QUERN_TEST_THIN="$thin" "$test"
  done
  [ -x "$build/bin/co2_forecast" ] &&
    try "$device demo" "$build/bin/co2_forecast" --device "$device" --out "$logs/demo"

  case $device in cuda:*) ;; *) continue ;; esac
  try "$device fragments" env QUERN_TEST_DEVICE="$device" \
    "$build/tests/kernels/test_kernels_fragments"
  try "$device potrf by panels" env QUERN_TEST_DEVICE="$device" QUERN_TEST_THIN="$thin" \
    QUERN_POTRF_BLOCK=512 "$build/tests/conformance/test_conformance_potrf"
  for topic in trsm nonfinite exact; do
    try "$device trsm by tensor cores $topic" env QUERN_TEST_DEVICE="$device" \
      QUERN_TEST_THIN="$thin" QUERN_TRSM_VARIANT=tensor \
      "$build/tests/conformance/test_conformance_$topic"
  done
  try "$device trsm by tensor cores, longer" env QUERN_TEST_DEVICE="$device" \
    QUERN_TEST_THIN="$thin" QUERN_TRSM_VARIANT=tensor QUERN_TRSM_BLOCK=512 \
    "$build/tests/conformance/test_conformance_trsm"
  arch=$("$build/bin/quern" devices | sed -n "s/^$device .* \(sm_[0-9a]*\) .*/\1/p")
  try "$device opcodes" sh "$tests/kernels/opcodes.sh" "$build/bin/quern" "$device" "$arch" sass
  try "$device epilogue by the command" env QUERN_TEST_DEVICE="$device" QUERN="$build/bin/quern" \
    MAT="$build/tests/cli/mat" SOURCE="$tests/.." sh "$tests/cli/epilogue.sh"
  for variant in $pipelined; do # whatever the costs would choose
    for topic in gemm trmm exact nonfinite; do
      try "$device $variant $topic" env QUERN_TEST_DEVICE="$device" QUERN_TEST_THIN="$thin" \
        QUERN_GEMM_VARIANT="$variant" "$build/tests/conformance/test_conformance_$topic"
    done
  done
  for variant in $halves; do # with alpha and k not 0
    try "$device $variant gemm" env QUERN_TEST_DEVICE="$device" QUERN_TEST_THIN="$thin" \
      QUERN_GEMM_VARIANT="$variant" "$build/tests/conformance/test_conformance_gemm"
  done
  if command -v compute-sanitizer >/dev/null 2>&1; then
    # API errors are not reported: the cuda backend learns a kernel's parameters by asking for one
    # after the other until the driver says that there are no more, and the tool would count each
    # such answer. Errors that matter fail the test itself.
    for tool in memcheck racecheck initcheck; do
      for topic in gemm trsm trmm potrf; do sanitized "$device" $tool $topic '' 400; done
      sanitized "$device" $tool trsm '' 400 tensor
      for variant in $pipelined; do sanitized "$device" $tool gemm "$variant" 400; done
      for variant in $halves; do sanitized "$device" $tool gemm "$variant" 60; done
    done
  else
    echo "skipped  $device compute-sanitizer is not installed"
    skipped=$((skipped + 1))
  fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
