#!/bin/sh
# Format and lint: clang-format over all C sources, clang-tidy over what the build compiles,
# the scripts through shellcheck. A tool that is not there is named and left out.
# usage: lint.sh <build folder> [format|tidy|shell]
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1 only=${2:-all} bad=0 ran=0

wanted() { [ "$only" = all ] || [ "$only" = "$1" ]; }
have() {
  command -v "$1" >/dev/null 2>&1 && return 0
  echo "lint: $1 is missing"
  return 1
}
sources() { find include src tests examples -name '*.c' -o -name '*.h'; }

if wanted format && have clang-format; then
  ran=1
  { sources && find src -name '*.cu'; } | xargs clang-format --dry-run -Werror || bad=1
fi
if wanted tidy && have clang-tidy; then
  ran=1
  # gcc's own flags are unknown to clang; the rest of the compile commands serve as they are
  sources | grep '^src/.*\.c$' | while read -r file; do
    grep -qF "$PWD/$file" "$build/compile_commands.json" && echo "$file"
  done | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" 2>/dev/null || bad=1
fi
if wanted shell && have shellcheck; then
  ran=1
  find scripts tests -name '*.sh' -exec shellcheck -S warning {} + || bad=1
  shellcheck -S warning .ci/run || bad=1
fi
[ $ran = 1 ] || exit 77
exit $bad
