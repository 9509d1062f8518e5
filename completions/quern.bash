# bash completion for quern

_quern() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local commands='devices gemm trmm trsm potrf bench probe roofline certify npb cache help'
  local common='--device --dtype --threads --verbose --quiet --help --version'
  local file='--output --explain'
  local options values=''
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
    return
  fi
  case $command in
    devices) options='--json --verbose --quiet --help --version' ;;
    gemm)
      options="--transa --transb --alpha --beta --c --epilogue --bias --residual --scalar --operand
        $file $common"
      ;;
    trmm | trsm) options="--side --uplo --trans --diag --alpha $file $common" ;;
    potrf) options="--uplo $file $common" ;;
    bench)
      options="--sizes --nrhs --side --uplo --trans --diag --transa --transb --variant --seconds --sustain --dump --output --against --fail-under --plot
        --json --csv $common"
      ;;
    probe) options='--list --elements --order --block --bytes --seconds --json --plot --device --threads
      --verbose --quiet --help --version' ;;
    roofline) options="--sizes --compare --seconds --json --plot $common" ;;
    certify) options='--order --seconds --against --fail-under --json --plot --device --threads --verbose
      --quiet --help --version' ;;
    cache) options='--dtype --device --verbose --quiet --help --version' ;;
    npb) options='--class --variant --mk --mi --block --json --device --threads --verbose --quiet
      --help --version' ;;
    help) values="$commands env" ;;
    --help) values="env" ;;
    *) return ;;
  esac

  case $prev in
    --transa | --transb | --trans) values='N T C' ;;
    --side) values='L R' ;;
    --uplo) values='L U' ;;
    --diag) values='N U' ;;
    --dtype) values='f16 bf16 f32 f64 c64 c128' ;;
    --class) values='S W A B C D E F' ;;
    --variant) values='default port use_sm coalesced coalesced_block q_coalesced all' ;;
    --against) values="cblas cublas cublaslt clblast" ;;
    --device) values="auto $(quern devices 2>/dev/null | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }')" ;;
    --alpha | --beta | --epilogue | --scalar | --operand | --threads | --sizes | --nrhs | --mk | --mi | --block | \
      --elements | --order | --bytes | --seconds | --fail-under) return ;;
    --json | --csv | --plot | --output | --c | --bias | --residual | -o)
      if [[ $command != devices && $command != npb ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
      fi
      ;;
    cache) [[ $COMP_CWORD -eq 2 && $cur != -* ]] && values='list clear warm' ;;
    npb) [[ $COMP_CWORD -eq 2 && $cur != -* ]] && values='ep' ;;
    bench) [[ $COMP_CWORD -eq 2 && $cur != -* ]] && values='gemm trmm trsm potrf' ;;
  esac

  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
  elif [[ $command == probe && $cur != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(quern probe --list 2>/dev/null | grep -o '^[a-z]*')" -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $command != devices && $command != bench && $command != npb &&
    $command != cache ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(
      compgen -f -X '!*.npy' -- "$cur"
      compgen -f -X '!*.mtx' -- "$cur"
      compgen -d -- "$cur"
    )
  fi
}
complete -F _quern quern
