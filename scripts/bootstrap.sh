#!/bin/sh
# Brings what a target needs, where that may be done: `bootstrap.sh build` the compiler and the
# optional libraries of the command, `bootstrap.sh check` what the tests need besides.
#
# On Debian and its kin, as root or with a sudo that asks nothing, missing packages are installed.
# Elsewhere nothing is changed: what is missing is named, and the build goes on without it. Only a
# missing make, cmake or C compiler stops it. QUERN_BOOTSTRAP=off looks and installs nothing.
set -u

want=${1:-build}

# tool or header that shows a package is there | package | what it brings
needed='
bin:cmake|cmake|the build
bin:cc|gcc|the compiler
hdr:stdio.h|libc6-dev|the headers of C
bin:pkg-config|pkg-config|the finding of optional libraries
hdr:jansson.h|libjansson-dev|JSON output of the command
hdr:cairo/cairo.h|libcairo2-dev|charts
hdr:xxhash.h|libxxhash-dev|the kernel cache on disk
hdr:CL/cl.h|opencl-c-headers|the OpenCL backend
'
needed_check='
hdr:cmocka.h|libcmocka-dev|the unit tests
lib:libopenblas.so.0|libopenblas0-pthread|comparison with a CPU BLAS
lib:libclblast.so.1|libclblast1|comparison with CLBlast
lib:libOpenCL.so.1|ocl-icd-libopencl1|the OpenCL tests
icd:pocl.icd|pocl-opencl-icd|the OpenCL tests
bin:oclgrind|oclgrind|race and bounds checks of the portable kernels
bin:clang|clang|fuzzing, and the build by a second compiler
san:libclang_rt.fuzzer|libclang-rt-14-dev|fuzzing
bin:clang-format|clang-format|the format check
bin:clang-tidy|clang-tidy|the lint check
bin:shellcheck|shellcheck|the check of the scripts
py:numpy|python3-numpy|checks of .npy files against numpy
'
[ "$want" = check ] && needed="$needed$needed_check"

present() {
  kind=${1%%:*} name=${1#*:}
  case $kind in
  bin) command -v "$name" >/dev/null 2>&1 ;;
  hdr)
    for dir in /usr/include /usr/local/include /usr/include/*; do
      [ -f "$dir/$name" ] && return 0
    done
    return 1
    ;;
  lib) ldconfig -p 2>/dev/null | grep -qF "$name" || /sbin/ldconfig -p 2>/dev/null | grep -qF "$name" ;;
  icd) [ -f /etc/OpenCL/vendors/"$name" ] ;;
  san) find /usr/lib/llvm-*/lib/clang -name "$name*" 2>/dev/null | grep -q . ;;
  py)
    # the first python3 on the PATH need not be the distribution's
    python3 -c "import $name" >/dev/null 2>&1 || /usr/bin/python3 -c "import $name" >/dev/null 2>&1
    ;;
  esac
}

missing() {
  echo "$needed" | while IFS='|' read -r probe package brings; do
    [ -n "$probe" ] && ! present "$probe" && echo "$package|$brings"
  done
  return 0
}

may_install() {
  [ "${QUERN_BOOTSTRAP:-on}" != off ] && command -v apt-get >/dev/null 2>&1 || return 1
  [ "$(id -u)" = 0 ] && { as_root=; return 0; }
  command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null && { as_root='sudo -n'; return 0; }
  return 1
}

lacks=$(missing)
if [ -n "$lacks" ] && may_install; then
  packages=$(echo "$lacks" | cut -d'|' -f1 | sort -u | tr '\n' ' ')
  echo "bootstrap: installing $packages(a minute or two)"
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update >"$log" 2>&1 || echo "bootstrap: the package lists could not be renewed"
  # shellcheck disable=SC2086 # a list of words
  if ! $as_root apt-get install -y --no-install-recommends $packages >>"$log" 2>&1; then
    # One package that is not to be had must not cost the others.
    for package in $packages; do
      $as_root apt-get install -y --no-install-recommends "$package" >>"$log" 2>&1 ||
        echo "bootstrap: $package could not be installed"
    done
  fi
  rm -f "$log"
  lacks=$(missing)
fi

stop=0
if [ -n "$lacks" ]; then
  echo "$lacks" | sort -u | while IFS='|' read -r package brings; do
    echo "bootstrap: $package is missing; it brings $brings"
  done
  command -v apt-get >/dev/null 2>&1 && echo "bootstrap: to install what is missing:" \
    apt-get install "$(echo "$lacks" | cut -d'|' -f1 | sort -u | tr '\n' ' ')"
  for tool in cmake cc; do
    command -v $tool >/dev/null 2>&1 || {
      echo "bootstrap: $tool is needed to build and could not be installed" >&2
      stop=1
    }
  done
fi
exit $stop
