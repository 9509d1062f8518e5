/* Any bytes as a Matrix Market file, as f64 or c128 and as c64. */
#include "fuzz/fuzz.h"
#include "io/mtx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const qn_dtype c64 = QN_C64;
  const qn_dtype *wants[] = {NULL, &c64};
  for (int i = 0; i < 2; i++) {
    qn_source source = fuzz_source(data, size);
    qn_file_matrix m = {0};
    if (qn_mtx_recognise(&source)) fuzz_check(qn_mtx_read(&source, wants[i], &m), &m);
    qn_source_close(&source);
  }
  return 0;
}
