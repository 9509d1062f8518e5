/* Any bytes as a .npy file, as stored and as bf16. */
#include "fuzz/fuzz.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const qn_dtype bf16 = QN_BF16;
  const qn_dtype *wants[] = {NULL, &bf16};
  for (int i = 0; i < 2; i++) {
    qn_source source = fuzz_source(data, size);
    qn_file_matrix m = {0};
    if (qn_npy_recognise(&source)) fuzz_check(qn_npy_read(&source, wants[i], &m), &m);
    qn_source_close(&source);
  }
  return 0;
}
