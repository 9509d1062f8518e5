#!/bin/sh
# A program that frees nothing, under valgrind: no access to freed or foreign memory, nothing lost.
# Skipped (77) where valgrind is not installed. It knows no AVX-512.
# usage: valgrind.sh <program> <argument>...
command -v valgrind >/dev/null 2>&1 || {
  echo 'skipped: valgrind is not installed'
  exit 77
}
QUERN_CPU_ISA=avx2 exec valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite \
  --error-exitcode=9 "$@"
