#!/bin/sh
# Help, the man page and the completions: all tell of the same commands, options and variables.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
commands='devices gemm trmm trsm potrf bench probe roofline certify npb cache'
man=$source/man/quern.1

good "$quern" --help
cp "$folder.out" help.txt
good "$quern" help
holds cmp help.txt "$folder.out"
good "$quern" -h
good "$quern" help help
holds cmp help.txt "$folder.out"
for command in $commands; do
  says "^  $command +[a-z]" help.txt
  good "$quern" help "$command"
  cp "$folder.out" "$command.txt"
  good "$quern" "$command" --help
  holds cmp "$command.txt" "$folder.out"
  says "^usage: quern $command" "$command.txt"
  says '^examples$' "$command.txt"
  says "^  .*quern $command" "$command.txt"
  for option in $(grep -oE -- '^ +(-[a-z], )?--[a-z][a-z-]*' "$command.txt" | grep -oE -- '--[a-z][a-z-]*'); do
    says "Fl Fl ${option#--}( |\$)" "$man"
    says "[ \"'({,]${option}[][ \"',})]" "$source/completions/quern.bash"
    says "[ '{,]${option}[]['},]" "$source/completions/_quern"
  done
  says "\\.Cm .*$command" "$man"
done

# and no others
cat ./*.txt >all.txt
for option in $(grep -oE 'Fl Fl [a-z][a-z-]*' "$man" | sed 's/Fl Fl //' | sort -u); do
  says "--$option" all.txt
done
for option in $(grep -oE -- '--[a-z][a-z-]*' "$source/completions/quern.bash" | sort -u); do
  says "$option" all.txt
done

# completion offers each command its own options
if command -v bash >/dev/null 2>&1; then
  for command in $commands; do
    bash -c '. "$1"; COMP_WORDS=(quern "$2" --) COMP_CWORD=2; _quern
      printf "%s\n" "${COMPREPLY[@]}"' - "$source/completions/quern.bash" "$command" |
      sort -u >offered
    grep -oE -- '^ +(-[a-zA-Z], )?--[a-z][a-z-]*' "$command.txt" | grep -oE -- '--[a-z][a-z-]*' | sort -u >known
    holds diff known offered
  done
fi

# the environment: what the sources read is listed, what is listed is in the man page
good "$quern" --help env
cp "$folder.out" env
good "$quern" help env
holds cmp env "$folder.out"
grep -oE '^  QUERN_[A-Z_]+' env | tr -d ' ' | sort -u >listed
grep -oE 'Ev QUERN_[A-Z_]+' "$man" | sed 's/Ev //' | sort -u >described
holds diff listed described
find "$source/src" -name '*.[ch]' -exec grep -ohE '"QUERN_[A-Z_]+"' {} + | tr -d '"' | sort -u >used
holds test -s used
for variable in $(cat used); do says "^$variable\$" listed; done

# the examples work as they stand
"$mat" triangle L.npy f8 12 1 && cp L.npy U.npy
"$mat" spd A.npy f8 12 2 && "$mat" random B.npy f8 12 12 3 && "$mat" random C0.npy f8 12 12 4
"$mat" random b.npy f8 12 1 5
for pair in A L; do
  good "$quern" gemm $pair.npy B.npy --alpha 0 --c $pair.npy -o $pair.mtx
done
for command in gemm trmm trsm potrf; do
  sed -n '/^examples$/,$p' $command.txt | grep -oE 'quern [a-z]+ .*' |
    sed -e 's/  .*//' -e 's/ &&$//' -e 's/ && quern/ \&\& "$QUERN"/' -e 's/^quern/"$QUERN"/' >examples
  holds test -s examples
  while read -r line; do good sh -c "$line"; done <examples
done

good "$quern" --version
says '^quern [0-9]+\.[0-9]+\.[0-9]+$' "$folder.out"
good "$quern" gemm --version
finish
