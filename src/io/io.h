/* Matrices in files: NumPy's .npy and Matrix Market's .mtx, for the command.
 *
 * Errors : one line in qn_last_error(), "<file>: <reason>": QN_EFORMAT where the contents cannot be
 *          used (also a dtype that was asked for and cannot be had), QN_EIO where the system
 *          refused to read or write, QN_ENOMEM where the matrix does not fit, with both sizes.
 * Threads: any number of files at once; one qn_file_matrix belongs to one thread at a time. */
#ifndef QN_IO_H
#define QN_IO_H

#include <quern/types.h>

typedef enum qn_io_hold {
  QN_IO_BORROWED,  /* the caller's memory: qn_io_close leaves it */
  QN_IO_MAPPED,    /* a private mapping of the file: writes stay in memory, copied page by page */
  QN_IO_ALLOCATED, /* host memory of its own */
} qn_io_hold;

/* Element (i, j) stands at data[i + j * ld], column-major as everywhere; data is NULL where rows or
 * cols is 0. For qn_io_write fill in all above the line and leave the rest zero. */
typedef struct qn_file_matrix {
  qn_dtype dtype;
  int64_t rows, cols;
  int64_t ld; /* >= max(1, rows) */
  void *data; /* aligned to its real type; may be overwritten, the file never changes */
  /* ---- */
  qn_io_hold hold;
  void *base;    /* what qn_io_close gives back */
  size_t bytes;  /* and its size */
  size_t beyond; /* bytes of the file after the matrix, which were ignored */
} qn_file_matrix;

/* Reads a matrix, judging by the contents, not the name: the magic of .npy, else %%MatrixMarket.
 * Dtype  : as stored; f64 or c128 for Matrix Market.
 * Shapes : 0-d is 1 x 1 and 1-d is n x 1; other ranks are refused.
 * Memory : a .npy in Fortran order (or a vector) of this machine's byte order is mapped, not
 *          copied, and must not shrink while it is open; all else is read in one pass into memory.
 *          A pipe works too, at the price of holding its bytes. */
qn_status qn_io_open(const char *path, qn_file_matrix *m);

/* As qn_io_open, as `dtype`: values are rounded or widened once, real ones become complex; complex
 * ones never real (QN_EFORMAT). bf16 has no name in .npy: two-byte void ("V2", what ml_dtypes
 * writes) is read as bf16 by this call alone, and then as nothing else. */
qn_status qn_io_open_as(const char *path, qn_dtype dtype, qn_file_matrix *m);

/* Gives the memory back and zeroes *m. A zeroed or closed one is allowed. */
void qn_io_close(qn_file_matrix *m);

/* QN_OK if the name is one that qn_io_write can write (.npy or .mtx, any case), to be asked before
 * hours of work; QN_EINVAL otherwise. */
qn_status qn_io_check_output(const char *path);

/* Writes `m` in the format of the name: .npy (version 1, Fortran order, this machine's byte order)
 * or .mtx (array, general, the fewest digits that read back as the same number).
 * Files  : written beside the target under no name or a temporary one, synced, then renamed, so
 *          that after any failure the old file stands untouched and nothing else is left. A link
 *          is followed and stays a link; an existing file keeps its permissions, a new one gets
 *          those of the umask. A pipe or device is written to as it is. */
qn_status qn_io_write(const char *path, const qn_file_matrix *m);

#endif
