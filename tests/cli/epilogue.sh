#!/bin/sh
# quern gemm --epilogue: the expression on each kind of operand, on the cpu, on the OpenCL device that
# runs anywhere and on the device of QUERN_TEST_DEVICE, and what is refused.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"

# A B = (1 2 3; 4 5 6), by an A that is the unit matrix
"$mat" values A.npy f8 2 2 1 0 0 1
"$mat" values B.npy f8 2 3 1 4 2 5 3 6
"$mat" values n.npy f8 3 1 -2 0 -4
"$mat" values m.npy f8 2 1 10 20
"$mat" values C0.npy f8 2 3 1 1 1 1 1 1
"$mat" values up.npy f8 1 3 10 20 30
"$mat" values R.npy f8 2 3 0 1 0 1 0 1

# gives EXPECTED VALUES... -- OPTIONS of gemm
gives() {
  wanted=$1
  shift
  good "$quern" gemm A.npy B.npy -o X.npy "$@"
  "$mat" show X.npy >shown
  says "^f8 2 x 3: $wanted\$" shown
}

for device in cpu opencl:0 ${QUERN_TEST_DEVICE:-}; do
  [ "$device" = cpu ] || "$quern" devices | grep -q "^ *$device" || continue
  gives '0 2 2 5 0 2' --device "$device" --epilogue 'relu(acc + bias_n)' --bias n.npy
  gives '10 14 20 25 30 36' --device "$device" --epilogue 'acc * gate + up' \
    --operand gate=R.npy,up=up.npy
  [ "$device" = cpu ] || continue # a compiler takes its time for each expression
  gives '11 24 12 25 13 26' --device "$device" --epilogue 'acc + bias_m' --bias m.npy
  gives '9 22 12 25 9 22' --device "$device" --epilogue 'acc + bias_m + bias_n' \
    --operand bias_m=m.npy,bias_n=n.npy
  gives '1 9 2 11 3 13' --device "$device" --epilogue 'residual ? acc * s + t : acc' \
    --residual R.npy --scalar s=2,t=1
  gives '3 9 5 11 7 13' --device "$device" --epilogue 'acc + c' --c C0.npy --alpha 2 --beta 0
done

# the halves take a bias of their own dtype; --explain has it among what was read
good "$quern" gemm A.npy B.npy -o X.npy --dtype bf16 --epilogue 'acc > limit' --scalar limit=3.5
good "$quern" gemm A.npy B.npy -o X.npy --explain --epilogue 'acc + bias_n' --bias n.npy
says '^  read n.npy' "$folder.out"
says '^  backward error   not judged' "$folder.out"
good "$quern" gemm A.npy B.npy -o X.npy --epilogue 'acc * i' --scalar i=2
"$mat" values Z.npy c16 2 2 1 1 0 0 0 0 1 -1
good "$quern" gemm Z.npy Z.npy -o X.npy --epilogue 'acc * turn' --scalar turn=1-2i
"$mat" show X.npy >shown
says '^c16 2 x 2: 4[+]2i 0[+]0i 0[+]0i -4-2i$' shown

refused() { # PATTERN OPTIONS...
  pattern=$1
  shift
  bad 2 "$pattern" "$quern" gemm A.npy B.npy -o X2.npy "$@"
}
refused "--epilogue: column 8: unknown name 'bias'" --epilogue 'relu(  bias)'
refused 'column 7: .*ends' --epilogue 'acc + '
refused "column 1: unknown function 'softmax'" --epilogue 'softmax(acc)'
refused 'longer than 4096' --epilogue "$(printf '%10000s' acc | tr ' ' '-')"
refused 'nested more than 64' --epilogue "$(printf '%1000s' acc | tr ' ' '(')"
refused 'bias FILE is missing' --epilogue 'acc + bias_n'
refused 'residual FILE is missing' --epilogue 'acc + residual'
refused 'neither bias_m nor bias_n' --epilogue 'acc' --bias n.npy
refused 'bias_m=FILE,bias_n=FILE' --epilogue 'bias_m + bias_n' --bias n.npy
refused 'does not name residual' --epilogue 'acc' --residual R.npy
refused 'goes with --epilogue' --bias n.npy
refused 'goes with --epilogue' --scalar s=2
refused "NAME=NUMBER.*not 's'" --epilogue 'acc * s' --scalar s
refused "NAME=NUMBER.*not 's=fast'" --epilogue 'acc * s' --scalar s=fast
refused '--scalar s=1-2i is complex and A.npy is f64' --epilogue 'acc * s' --scalar s=1-2i
refused "NAME=NUMBER.*not 's t=1'" --epilogue 'acc * s' --scalar 's t=1'
refused "NAME=FILE" --epilogue 'acc * s' --operand s
refused "'2s' is no name" --epilogue 'acc' --scalar 2s=1
refused 'more than 4' --epilogue acc --operand a=R.npy,b=R.npy,d=R.npy,e=R.npy,f=R.npy
refused 'm.npy is 2 x 1; bias_n is a vector of 3' --epilogue 'acc + bias_n' --bias m.npy
refused 'n.npy is 3 x 1; bias_m is a vector of 2' --epilogue 'acc + bias_m' --bias n.npy
refused 'm.npy is 2 x 1; residual is .* 2 x 3' --epilogue 'acc + residual' --residual m.npy
refused 'n.npy is 3 x 1; an operand is .* 2 x 3' --epilogue 'acc * v' --operand v=n.npy
refused 'c FILE is missing' --epilogue 'acc + c'
refused 'missing.npy.*No such file' --epilogue 'acc + bias_n' --bias missing.npy
"$mat" values n4.npy f4 3 1 1 2 3
refused 'n4.npy is f32 where the product is f64; --dtype' --epilogue 'acc + bias_n' --bias n4.npy
bad 2 'column 1 of the epilogue: relu has no meaning for c128' "$quern" gemm Z.npy Z.npy -o X2.npy \
  --epilogue 'relu(acc)'
finish
