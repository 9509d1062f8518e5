/* The Matrix Market format: text, a header line, comments, a line of sizes, then one entry a line.
 *
 *   %%MatrixMarket matrix coordinate real symmetric      %%MatrixMarket matrix array real general
 *   % comments and blank lines, anywhere after it        2 3
 *   494 494 1080                                         1.5      values column by column, of
 *   1 1 2000.25      row, column (from 1), value         2.5e-3   symmetric ones the lower triangle
 *
 * Source: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design",
 * NISTIR 5935, 1996. */
#ifndef QN_IO_MTX_H
#define QN_IO_MTX_H

#include "io/source.h"

typedef enum qn_mtx_field {
  QN_MTX_REAL,
  QN_MTX_INTEGER,
  QN_MTX_COMPLEX,
  QN_MTX_PATTERN
} qn_mtx_field;

typedef enum qn_mtx_symmetry {
  QN_MTX_GENERAL,
  QN_MTX_SYMMETRIC,
  QN_MTX_SKEW,
  QN_MTX_HERMITIAN
} qn_mtx_symmetry;

typedef struct qn_mtx_header {
  bool coordinate;
  qn_mtx_field field;
  qn_mtx_symmetry symmetry;
  int64_t rows, cols;
  int64_t entries;   /* in the file: what the size line says, or what an array of this shape has */
  const char *sizes; /* the line of sizes, for errors */
  const char *body;  /* what follows it */
} qn_mtx_header;

bool qn_mtx_recognise(const qn_source *source);
qn_status qn_mtx_parse(const qn_source *source, qn_mtx_header *header);

/* Reads the matrix as f64 or c128, or as `want` where that is f32 or c64, or complex of a real
 * file; the other dtypes are left to qn_io_convert_matrix. */
qn_status qn_mtx_read(qn_source *source, const qn_dtype *want, qn_file_matrix *m);

/* Fails with the place of `at` in the file and what is wrong there. */
qn_status qn_mtx_fail(const qn_source *source, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As above for text that is not `what`: quotes it. */
qn_status qn_mtx_fail_text(const qn_source *source, const char *at, const char *what);

/* The first byte from `at` that begins something: past blanks, line ends and comments, which begin
 * a line. `at` stands within a line, or at the start of one where *line_start. */
const char *qn_mtx_next(const char *at, const char *end, bool line_start);

#endif
