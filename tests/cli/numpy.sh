#!/bin/sh
# The exchange with NumPy, both ways: its arithmetic on our files, its orders and byte orders.
# shellcheck disable=SC2154 # common.sh sets them
. "$(dirname "$0")/common.sh"
for python in python3 /usr/bin/python3 ''; do
  [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null && break
done
[ -n "$python" ] || { echo 'NumPy is missing'; exit 77; }

cat >make.py <<'PY'
import numpy as np
r = np.random.default_rng(7)
L = np.tril(r.standard_normal((60, 60))) / 8 + 2 * np.eye(60)
B = r.standard_normal((60, 7))
np.save('L.npy', L)                                   # C order
np.save('B.npy', np.asfortranarray(B).astype('>f8'))  # the other byte order
np.save('S.npy', L @ L.T)
np.save('h.npy', B.astype('f2'))
np.save('v.npy', B[:, 0])                             # one dimension
PY
cat >check.py <<'PY'
import numpy as np
L, B, S = np.load('L.npy'), np.load('B.npy'), np.load('S.npy')
def near(name, wanted, tolerance=1e-12):
    got = np.load(name)
    assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
    assert abs(got.astype('f8') - wanted).max() <= tolerance * abs(wanted).max(), name
    return got
assert near('X.npy', np.linalg.solve(L, B)).flags.f_contiguous
near('P.npy', L @ B)
near('F.npy', np.linalg.cholesky(S))
near('G.npy', 2 * L.T @ B)
near('T.npy', L @ B)
assert near('H.npy', L @ np.load('h.npy'), 5e-3).dtype == np.float16
near('V.npy', np.linalg.solve(L, B[:, :1]))
PY
holds "$python" make.py
good "$quern" trsm L.npy B.npy -o X.npy
good "$quern" trmm L.npy B.npy -o P.npy
good "$quern" potrf S.npy -o F.npy
good "$quern" gemm L.npy B.npy --transa T --alpha 2 -o G.npy
good "$quern" gemm L.npy B.npy -o T.mtx
good "$quern" gemm L.npy B.npy --alpha 0 --c T.mtx -o T.npy
good "$quern" gemm L.npy h.npy --dtype f16 -o H.npy
good "$quern" trsm L.npy v.npy -o V.npy
holds "$python" check.py
finish
