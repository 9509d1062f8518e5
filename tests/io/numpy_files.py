# NumPy on its side of the exchange.
# numpy_files.py write DIR : writes DIR/<dtype>_<order>.npy of every kind that Quern reads, and what the
#                            elements are, column by column in this machine's order, as DIR/<same>.raw
# numpy_files.py check DIR : reads the <dtype>.npy and <dtype>.mtx that Quern wrote into DIR and compares
import itertools
import os
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

ROWS, COLS = 67, 13
TYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}


def values(code):
    """(i, j) holds (7 i - 3 j) / 16, and the imaginary part (i + j) / 32: exact in every dtype."""
    i, j = numpy.meshgrid(numpy.arange(ROWS), numpy.arange(COLS), indexing="ij")
    real = (7 * i - 3 * j) / 16
    return (real + 1j * (i + j) / 32 if code[0] == "c" else real).astype(code)


def write(folder):
    for (name, code), order, byte in itertools.product(TYPES.items(), "CF", "<>"):
        matrix = values(code)
        kind = f"{name}_{order}{'little' if byte == '<' else 'big'}"
        stored = numpy.array(matrix, dtype=byte + code, order=order)
        numpy.save(os.path.join(folder, kind + ".npy"), stored)
        with open(os.path.join(folder, kind + ".raw"), "wb") as raw:
            raw.write(matrix.tobytes("F"))


def check(folder):
    for name, code in TYPES.items():
        expected = values(code)
        array = numpy.load(os.path.join(folder, name + ".npy"), allow_pickle=False)
        assert array.dtype == numpy.dtype(code), array.dtype
        assert array.flags.f_contiguous and numpy.array_equal(array, expected), name
        try:
            from scipy.io import mmread
        except ImportError:
            continue
        text = mmread(os.path.join(folder, name + ".mtx"))
        assert numpy.array_equal(text.astype(code), expected), name
    void = numpy.load(os.path.join(folder, "bf16.npy"), allow_pickle=False)
    assert void.dtype == numpy.dtype("V2") and void.shape == (ROWS, COLS)
    wide = values("f4").view(numpy.uint32)
    rounded = (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
    assert numpy.array_equal(void.view(numpy.uint16), rounded), "bf16"


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
