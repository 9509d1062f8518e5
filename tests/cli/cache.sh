#!/bin/sh
# quern cache
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
export QUERN_CACHE_DIR="$folder/kernels"

"$quern" cache list >list.out 2>list.err
if grep -q 'without xxhash' list.err; then
  bad 2 'without xxhash' "$quern" cache list
  finish
fi

# a folder that is not there is an empty one
good "$quern" cache list
says '^0 modules, +0\.0 KiB, in .*/kernels$' "$folder.out"
good "$quern" cache clear
says '^0 modules removed from ' "$folder.out"

# the cpu compiles nothing
good "$quern" cache warm --device cpu
says '^cpu .*nothing is compiled there$' "$folder.out"
good "$quern" cache list
says '^0 modules' "$folder.out"

bad 2 "takes list, clear or warm, not 'empty'" "$quern" cache empty
bad 2 'operand is missing' "$quern" cache
bad 2 'go with warm' "$quern" cache list --dtype f32
bad 2 'go with warm' "$quern" cache clear --device cpu
bad 2 "dtype takes f16 bf16 f32 f64 c64 c128, not 'f33'" "$quern" cache warm --device cpu --dtype f32,f33
bad 2 'device takes auto' "$quern" cache warm --device gpu
bad 2 'opencl:99' "$quern" cache warm --device opencl:99

# a signal ends the command also when NVRTC, which handles some, has compiled
if "$quern" bench gemm --device cuda:sm_80 --sizes 64 --variant tile_small --dump ptx >ptx.out 2>&1; then
  mkdir -m 700 ended
  QUERN_CACHE_DIR="$folder/ended" QUERN_COMPILE_THREADS=1 \
    timeout -s KILL 60 "$quern" cache warm --device cuda:sm_80 --dtype f32 >ended.out 2>&1 &
  while [ -z "$(ls ended)" ] && kill -0 $!; do sleep 0.1; done
  kill $!
  wait $!
  holds [ $? -eq 143 ]
fi

# where there is a device with a compiler: fill, see, use, empty
if "$quern" devices | grep -q '^opencl:0 '; then
  "$quern" cache warm --device opencl:0 --dtype f32 >warm.out 2>/dev/null
  holds grep -Eq '^opencl:0 .*: [1-9][0-9]* kernels ready; [1-9][0-9]* modules compiled, 0 from the cache' warm.out
  good "$quern" cache list
  says '^KEY +SIZE +LAST USED +MODULE$' "$folder.out"
  says '^[0-9a-f]{8} .* [KM]iB  2[0-9]{3}-.*portable/trsm_base\.cl .*QN_T=2' "$folder.out"
  says '^[1-9][0-9]* modules, .* in .*/kernels$' "$folder.out"
  good "$quern" cache warm --device opencl:0 --dtype f32
  says ' 0 modules compiled, [1-9][0-9]* from the cache' "$folder.out"

  # --explain tells the two apart
  "$mat" random A.npy f4 96 96 1 && "$mat" random B.npy f4 96 96 2
  good "$quern" gemm A.npy B.npy -o C.npy --device opencl:0 --explain
  says '^ +compilation, warm +1 ' "$folder.out"
  says 'compilation: warm, 0 compiled, [1-9] from the cache on disk' "$folder.out"
  good "$quern" cache clear
  says '^[1-9][0-9]* modules removed' "$folder.out"
  "$quern" gemm A.npy B.npy -o C.npy --device opencl:0 --explain >cold.out 2>/dev/null
  holds grep -Eq 'compilation: cold, [1-9] compiled, 0 from the cache on disk' cold.out
fi
finish
