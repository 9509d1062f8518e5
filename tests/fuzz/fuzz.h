/* What both fuzz targets share: bytes in, a source that the readers take. */
#ifndef QN_TESTS_FUZZ_H
#define QN_TESTS_FUZZ_H

#include "io/source.h"

/* A copy of the input behind which any read is an error. */
qn_source fuzz_source(const uint8_t *data, size_t size);

/* Reads every element and checks the shape; then closes the matrix. */
void fuzz_check(qn_status status, qn_file_matrix *m);

#endif
