/* Writes the first inputs of the fuzz targets: seeds <folder for npy> <for mtx> <for epilogue>. */
#include <stdio.h>
#include <string.h>

static int failures;

static void put(const char *folder, int index, const void *bytes, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/seed%02d", folder, index);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size) failures++;
  if (file && fclose(file) != 0) failures++;
}

static void npy_seeds(const char *folder) {
  static const char *const dictionaries[] = {
      "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
      "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }",
      "{'descr': '>c16', 'fortran_order': True, 'shape': (3,), }",
      "{'descr': '<c8', 'fortran_order': False, 'shape': (), }",
      "{'descr': '<f2', 'fortran_order': False, 'shape': (4L, 4L), }",
      "{'descr': '|V2', 'fortran_order': False, 'shape': (0, 4), }",
      "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, ), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (9223372036854775807, 2), }",
  };
  for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
    unsigned char bytes[256] = "\x93NUMPY";
    int version = 1 + (int)i % 3;
    size_t start = version == 1 ? 10 : 12, length = strlen(dictionaries[i]);
    bytes[6] = (unsigned char)version;
    bytes[8] = (unsigned char)(length + 1);
    memcpy(bytes + start, dictionaries[i], length);
    bytes[start + length] = '\n';
    put(folder, (int)i, bytes, start + length + 1 + 64);
  }
}

static void mtx_seeds(const char *folder) {
  static const char *const texts[] = {
      "%%MatrixMarket matrix array real general\n2 2\n1\n-2.5e-3\n1.0D+03\nnan\n",
      "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n",
      "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
      "%%MatrixMarket matrix coordinate real symmetric\n% comment\n\n3 3 2\n1 1 2000.25\r\n3 2 "
      ".5\n",
      "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n3 2\n",
      "%%MatrixMarket matrix coordinate complex general\n9 9 1\n9 9 -inf 1.5-100\n",
      "%%matrixmarket MATRIX coordinate unsigned-integer general\n99999 99999 1\n1 1 1\n",
      "%%MatrixMarket matrix array double general\n1 "
      "1\n1234567890123456789012345678901234567890e-300",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    put(folder, (int)i, texts[i], strlen(texts[i]));
}

static void epilogue_seeds(const char *folder) {
  static const char *const texts[] = {
      "relu(acc + bias_n)",
      "gelu(acc * s + bias_m) + residual",
      "acc > 0 ? acc : 0.01 * acc",
      "clamp(silu(x) * y, -1e3, min(t, max(row, col)))",
      "-(((c))) / 2.5e-1 != -1",
      "exp(acc) + log(acc) - tanh(erf(sqrt(abs(acc)))) == sigmoid(gelu_tanh(acc)) <= .5",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    put(folder, (int)i, texts[i], strlen(texts[i]));
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  npy_seeds(argv[1]);
  mtx_seeds(argv[2]);
  epilogue_seeds(argv[3]);
  return failures ? 1 : 0;
}
