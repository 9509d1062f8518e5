/* qn_device_warmup: rehearses the routines over a spread of shapes and makes ready what they would
 * launch. The operands have shapes and no memory: a rehearsal never looks at it. */
#include "blas3/potrf.h"
#include "blas3/prepare.h"
#include "blas3/step.h"
#include "blas3/triangle.h"
#include <quern/blas3.h>

enum { WARM_FORMS = 2048, SIZES = 3 };

/* One size that small tiles serve, one in between, one for the largest tiles. */
static const int64_t sizes[SIZES] = {48, 512, 4096};

typedef struct warmup {
  qn_stream *stream;
  qn_rehearsal forms;
  qn_buffer nothing;
} warmup;

static qn_matrix shape(warmup *w, qn_dtype dtype, int64_t rows, int64_t cols) {
  return qn_matrix_of(&w->nothing, dtype, rows, cols, rows);
}

static const qn_trans transposes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};

static int transposes_of(qn_dtype dtype) {
  return qn_dtype_is_complex(dtype) ? 3 : 2;
}

static qn_status rehearse_gemm(qn_stream *stream, const void *problem) {
  return qn_step_gemm(stream, problem);
}

static qn_status warm_product(warmup *w, qn_trans ta, qn_trans tb, qn_dtype dtype, qn_dtype c,
                              const int64_t size[3]) {
  int64_t m = size[0], n = size[1], k = size[2];
  qn_gemm_problem p = {.transa = ta, .transb = tb, .alpha = qn_real(1), .region = QN_REGION_ALL};
  p.a = ta == QN_NOTRANS ? shape(w, dtype, m, k) : shape(w, dtype, k, m);
  p.b = tb == QN_NOTRANS ? shape(w, dtype, k, n) : shape(w, dtype, n, k);
  p.c = shape(w, c, m, n);
  return qn_rehearse(w->stream, &w->forms, rehearse_gemm, &p);
}

static qn_status warm_gemm(warmup *w, qn_dtype dtype) {
  int trans = transposes_of(dtype);
  for (int form = 0; form < trans * trans; form++)
    for (int s = 0; s < SIZES * SIZES * SIZES; s++) {
      const int64_t size[] = {sizes[s % SIZES], sizes[s / SIZES % SIZES],
                              sizes[s / (SIZES * SIZES)]};
      qn_trans ta = transposes[form % trans], tb = transposes[form / trans];
      QN_TRY(warm_product(w, ta, tb, dtype, dtype, size));
      if (qn_dtype_is_half(dtype)) QN_TRY(warm_product(w, ta, tb, dtype, QN_F32, size));
    }
  return QN_OK;
}

static qn_status rehearse_trsm(qn_stream *stream, const void *problem) {
  return qn_trsm_run(stream, problem);
}
static qn_status rehearse_trmm(qn_stream *stream, const void *problem) {
  return qn_trmm_run(stream, problem);
}

/* The order is the largest: the recursion comes by all smaller ones. */
static qn_status warm_triangle(warmup *w, qn_dtype dtype, qn_rehearsed run) {
  const int64_t n = sizes[SIZES - 1];
  for (int form = 0; form < 2 * transposes_of(dtype); form++)
    for (int s = 0; s < SIZES; s++) {
      qn_side side = form % 2 ? QN_RIGHT : QN_LEFT;
      qn_triangular_problem p = {side,
                                 QN_LOWER,
                                 transposes[form / 2],
                                 QN_NONUNIT,
                                 qn_real(1),
                                 shape(w, dtype, n, n),
                                 {NULL, 0, 0, 0, 0, dtype},
                                 NULL,
                                 0};
      p.b = side == QN_LEFT ? shape(w, dtype, n, sizes[s]) : shape(w, dtype, sizes[s], n);
      QN_TRY(qn_rehearse(w->stream, &w->forms, run, &p));
      p.alpha = qn_real(0); /* the kernel that clears B */
      QN_TRY(qn_rehearse(w->stream, &w->forms, run, &p));
    }
  return QN_OK;
}

static qn_status warm_potrf(warmup *w, qn_dtype dtype) {
  if (qn_dtype_is_half(dtype)) return QN_OK; /* it has no half types */
  const int64_t n = sizes[SIZES - 1];
  for (int lower = 0; lower < 2; lower++) {
    qn_potrf_problem p = {lower ? QN_LOWER : QN_UPPER, shape(w, dtype, n, n)};
    QN_TRY(qn_rehearse(w->stream, &w->forms, qn_potrf_rehearsed, &p));
  }
  return QN_OK;
}

static qn_status warm_dtype(warmup *w, unsigned routines, qn_dtype dtype) {
  if (routines & QN_ROUTINE_GEMM) QN_TRY(warm_gemm(w, dtype));
  if (routines & QN_ROUTINE_TRMM) QN_TRY(warm_triangle(w, dtype, rehearse_trmm));
  if (routines & QN_ROUTINE_TRSM) QN_TRY(warm_triangle(w, dtype, rehearse_trsm));
  if (routines & QN_ROUTINE_POTRF) QN_TRY(warm_potrf(w, dtype));
  return QN_OK;
}

static qn_status warm(warmup *w, unsigned routines, unsigned dtypes, qn_warmup_report *report) {
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++)
    if (dtypes >> dtype & 1) QN_TRY(warm_dtype(w, routines, (qn_dtype)dtype));
  qn_jit_cost cost;
  QN_TRY(qn_form_kernels(w->stream->device, w->forms.form, w->forms.count, &cost));
  *report = (qn_warmup_report){w->forms.count, cost.compiled, cost.loaded, cost.seconds};
  return QN_OK;
}

static qn_status run(qn_device *device, unsigned routines, unsigned dtypes,
                     qn_warmup_report *report) {
  const size_t bytes = WARM_FORMS * sizeof(qn_form);
  qn_stream *stream;
  QN_TRY(qn_stream_create(device, &stream));
  warmup w = {.stream = stream, .forms = {qn_host_alloc(bytes), 0, WARM_FORMS}};
  qn_status status = w.forms.form ? warm(&w, routines, dtypes, report)
                                  : qn_fail(QN_ENOMEM, "qn_device_warmup", "no host memory");
  qn_host_free(w.forms.form, bytes);
  qn_stream_free(stream);
  return status;
}

qn_status qn_device_warmup(qn_device *device, unsigned routines, unsigned dtypes,
                           qn_warmup_report *report) {
  const char *me = "qn_device_warmup";
  qn_warmup_report ignored;
  if (!report) report = &ignored;
  *report = (qn_warmup_report){0};
  if (!device) return qn_fail(QN_EINVAL, me, "device is NULL");
  if (routines & ~(unsigned)QN_ROUTINE_ALL)
    return qn_fail(QN_EINVAL, me, "routines is 0x%x; QN_ROUTINE_ALL is 0x%x", routines,
                   (unsigned)QN_ROUTINE_ALL);
  for (int dtype = 0; dtype < 32; dtype++) {
    if (!(dtypes >> dtype & 1)) continue;
    if (dtype >= QN_DTYPE_COUNT) return qn_fail(QN_EINVAL, me, "dtypes is 0x%x", dtypes);
    if (!(device->info.dtypes >> dtype & 1))
      return qn_fail(QN_EUNSUPPORTED, me, "device %s does not compute in %s", device->info.id,
                     qn_dtype_name((qn_dtype)dtype));
  }
  QN_TRY(qn_device_check(device, me));
  if (device->cpu || !qn_target_of(device)) return QN_OK;
  return run(device, routines ? routines : QN_ROUTINE_ALL, dtypes ? dtypes : device->info.dtypes,
             report);
}
