/* qn_gemm and qn_gemm_ex: one step, and the choice of the variant that does it. */
#include "blas3/args.h"
#include "blas3/prepare.h"
#include "blas3/settings.h"
#include "blas3/step.h"
#include <quern/blas3.h>
#include <string.h>

static const qn_gemm_variant *find_variant(const qn_target *target, const char *name) {
  for (unsigned i = 0; i < target->gemms; i++)
    if (strcmp(target->gemm[i]->name, name) == 0) return target->gemm[i];
  return NULL;
}

/* The one that the program set, else the one of the environment; NULL where the choice is free. */
static const qn_gemm_variant *forced_variant(const qn_device *device, const qn_target *target,
                                             const char **why) {
  const qn_gemm_variant *set = atomic_load(&device->gemm_variant);
  *why = "set by the program";
  if (set) return set;
  const char *name = qn_settings_get()->gemm_variant;
  if (!*name) return NULL;
  *why = "forced by QUERN_GEMM_VARIANT";
  const qn_gemm_variant *forced = find_variant(target, name);
  if (!forced) qn_log(QN_LOG_WARNING, "QUERN_GEMM_VARIANT=%s ignored: no such variant here", name);
  return forced;
}

static void log_choice(const qn_stream *stream, const qn_gemm_problem *p,
                       const qn_gemm_choice *choice) {
  if (!qn_log_enabled() || stream->rehearsal) return;
  qn_log(QN_LOG_DEBUG, "gemm %s %c%c %lld x %lld x %lld: %s (%s)", qn_dtype_name(p->a.dtype),
         (char)p->transa, (char)p->transb, (long long)p->c.rows, (long long)p->c.cols,
         (long long)qn_gemm_inner(p), choice->variant->name, choice->why);
}

static qn_status choose_forced(const qn_stream *stream, const qn_gemm_problem *p,
                               const qn_gemm_variant *forced, const char *why,
                               qn_gemm_choice *choice) {
  if (!forced->applicable(stream, p))
    return qn_fail(QN_EUNSUPPORTED, "qn_gemm",
                   "variant %s, %s, cannot do %s %lld x %lld x %lld%s%s", forced->name, why,
                   qn_dtype_name(p->a.dtype), (long long)p->c.rows, (long long)p->c.cols,
                   (long long)qn_gemm_inner(p), forced->needs ? ": it needs " : "",
                   forced->needs ? forced->needs : "");
  *choice = (qn_gemm_choice){forced, why};
  log_choice(stream, p, choice);
  return QN_OK;
}

qn_status qn_gemm_choose(const qn_stream *stream, const qn_gemm_problem *p,
                         qn_gemm_choice *choice) {
  const qn_target *target = qn_target_of(stream->device);
  const char *why;
  const qn_gemm_variant *forced = forced_variant(stream->device, target, &why);
  if (forced) return choose_forced(stream, p, forced, why, choice);

  double lowest = 0.0;
  unsigned candidates = 0;
  for (unsigned i = 0; i < target->gemms; i++) {
    const qn_gemm_variant *variant = target->gemm[i];
    if (!variant->applicable(stream, p)) continue;
    double cost = variant->cost(stream, p);
    if (candidates++ > 0 && cost >= lowest) continue;
    lowest = cost;
    choice->variant = variant;
  }
  if (candidates == 0)
    return qn_fail(QN_EUNSUPPORTED, "qn_gemm", "device %s has no variant for %s",
                   stream->device->info.id, qn_dtype_name(p->a.dtype));
  choice->why = candidates == 1 ? "the only one applicable" : "lowest expected cost";
  log_choice(stream, p, choice);
  return QN_OK;
}

static qn_status rehearse(qn_stream *stream, const void *problem) {
  return qn_step_gemm(stream, problem);
}

static qn_status run(qn_stream *stream, const qn_gemm_problem *p) {
  if (p->c.rows == 0 || p->c.cols == 0) return QN_OK;
  uint32_t form = (uint32_t)p->transa << 16 | (uint32_t)p->transb << 8 | p->c.dtype;
  if (p->epilogue) form ^= (uint32_t)((uintptr_t)p->epilogue->text >> 4) ^ p->epilogue->f32;
  qn_prepare_key key = {'g', p->a.dtype, form, p->c.rows, p->c.cols, qn_gemm_inner(p)};
  QN_TRY(qn_prepare(stream, &key, rehearse, p));
  return qn_stream_result(stream, qn_step_gemm(stream, p));
}

qn_status qn_gemm(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha, qn_matrix a,
                  qn_matrix b, qn_scalar beta, qn_matrix c) {
  qn_gemm_problem p = {transa, transb, alpha, beta, a, b, c, QN_REGION_ALL, NULL, NULL};
  QN_TRY(qn_gemm_args(stream, "qn_gemm", &p));
  return run(stream, &p);
}

qn_status qn_gemm_ex(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha,
                     qn_matrix a, qn_matrix b, qn_scalar beta, qn_matrix c,
                     const qn_epilogue *epilogue, const qn_epilogue_args *args) {
  qn_gemm_problem p = {transa, transb, alpha, beta, a, b, c, QN_REGION_ALL, NULL, NULL};
  qn_epilogue_use use;
  QN_TRY(qn_gemm_args(stream, "qn_gemm_ex", &p));
  if (epilogue) {
    QN_TRY(qn_epilogue_check(stream, epilogue, args, a.dtype, c, &use));
    p.epilogue = &use;
  }
  return run(stream, &p);
}

qn_status qn_gemm_variants(qn_device *device, qn_gemm_variant_info *rows, unsigned capacity,
                           unsigned *count) {
  const char *me = "qn_gemm_variants";
  if (!device || !count || (!rows && capacity > 0))
    return qn_fail(QN_EINVAL, me, "%s is NULL", !device ? "device" : !count ? "count" : "rows");
  const qn_target *target = qn_target_of(device);
  *count = target ? target->gemms : 0;
  for (unsigned i = 0; i < *count && i < capacity; i++) {
    const qn_gemm_variant *v = target->gemm[i];
    rows[i] = (qn_gemm_variant_info){v->name, v->needs, v == target->f16_sums};
  }
  return QN_OK;
}

qn_status qn_device_set_gemm_variant(qn_device *device, const char *name) {
  const char *me = "qn_device_set_gemm_variant";
  if (!device) return qn_fail(QN_EINVAL, me, "device is NULL");
  const qn_target *target = qn_target_of(device);
  const qn_gemm_variant *variant = name && target ? find_variant(target, name) : NULL;
  if (name && !variant)
    return qn_fail(QN_EINVAL, me, "device %s has no variant '%.60s'", device->info.id, name);
  atomic_store(&device->gemm_variant, variant);
  return QN_OK;
}
