#!/bin/sh
# quern bench gemm --dump: by a card on paper where NVRTC is found, and what is refused.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

bad 2 'takes ptx, cubin or sass' "$quern" bench gemm --device cpu --dump elf
bad 2 'of gemm alone' "$quern" bench trsm --device cpu --dump ptx
bad 2 "of NVIDIA's cards, not of cpu: .*cuda:sm_90a" "$quern" bench gemm --device cpu --dump ptx
bad 2 'names no device|takes auto' "$quern" bench gemm --device cuda:sm_9x --dump ptx

paper="--device cuda:sm_80 --dtype bf16 --sizes 512"
# shellcheck disable=SC2086 # words
if "$quern" bench gemm $paper --variant mma_naive --dump ptx >"$folder.out" 2>"$folder.err"; then
  says '^// mma_naive, bf16 NN 512 x 512 x 512: cuda/gemm_mma_naive.cu .*-DQN_T=1' "$folder.out"
  says '^[.]target sm_80' "$folder.out"
  says '^[.]visible [.]entry gemm' "$folder.out"
  good "$quern" bench gemm $paper --variant mma_naive,mma_m16n8k8 --dump cubin -o naive.cubin
  for file in naive.cubin naive.cubin.2; do holds grep -q ELF $file; done
  bad 2 'needs -o FILE' "$quern" bench gemm $paper --dump cubin
  bad 2 'variant wgmma_large.*cannot do bf16' "$quern" bench gemm $paper --variant wgmma_large --dump ptx
  bad 2 'nowhere/x: ' "$quern" bench gemm $paper --variant mma_naive --dump ptx -o nowhere/x
  # what the library would do there is known, and nothing is computed
  bad 2 'cuda:sm_80 compiles and computes nothing' "$quern" bench gemm $paper --quiet
  bad 2 'makes no code for sm_200' "$quern" bench gemm --device cuda:sm_200 --dump ptx
  mkdir bin
  # shellcheck disable=SC2016 # for the shell of that file
  printf '#!/bin/sh\n[ "$1" = --print-code ] && grep -q ELF "$2" && echo HMMA.16816' >bin/nvdisasm
  chmod +x bin/nvdisasm
  good env PATH="$folder/bin:$PATH" "$quern" bench gemm $paper --variant mma_naive --dump sass -o s.txt
  says '^// mma_naive' s.txt
  says '^HMMA.16816' s.txt
  printf '#!/bin/sh\nexit 3\n' >bin/nvdisasm
  bad 1 'bin/nvdisasm failed' env PATH="$folder/bin:$PATH" "$quern" bench gemm $paper \
    --variant mma_naive --dump sass -o s2.txt
else
  says 'libnvrtc' "$folder.err"
fi
finish
