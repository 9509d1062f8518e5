/* One writer for each format. */
#ifndef QN_IO_WRITE_H
#define QN_IO_WRITE_H

#include "io/output.h"

qn_status qn_npy_write(qn_output *output, const qn_file_matrix *m);
qn_status qn_mtx_write(qn_output *output, const qn_file_matrix *m);

#endif
