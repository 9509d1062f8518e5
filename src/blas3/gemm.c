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
  *why = "set for the device";
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

/* What keeps a variant from problems of its dtypes on the device, in words; NULL: nothing. */
static const char *needs_of(const qn_gemm_variant *variant, const qn_device *device) {
  const char *lack = variant->lacks ? variant->lacks(device) : NULL;
  return lack ? lack : variant->needs;
}

static qn_status choose_forced(const qn_stream *stream, const qn_gemm_problem *p,
                               const qn_gemm_variant *forced, const char *why,
                               qn_gemm_choice *choice) {
  const char *needs = needs_of(forced, stream->device);
  if (!forced->applicable(stream, p))
    return qn_fail(QN_EUNSUPPORTED, "qn_gemm",
                   "variant %s, %s, cannot do %s %lld x %lld x %lld%s%s", forced->name, why,
                   qn_dtype_name(p->a.dtype), (long long)p->c.rows, (long long)p->c.cols,
                   (long long)qn_gemm_inner(p), needs ? ": it needs " : "", needs ? needs : "");
  *choice = (qn_gemm_choice){forced, why};
  log_choice(stream, p, choice);
  return QN_OK;
}

static qn_status choose_by_cost(const qn_stream *stream, const qn_gemm_problem *p,
                                qn_gemm_choice *choice) {
  const qn_target *target = qn_target_of(stream->device);
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
  return QN_OK;
}

/* Where a matrix begins within a line of any cache. */
static uint64_t place_of(qn_matrix m) {
  const uint64_t line = 128;
  if (!m.buffer) return 0;
  return (m.buffer->mem + (uint64_t)m.offset * qn_dtype_size(m.dtype)) % line;
}

/* All that variants look at: shape, strides, where columns begin, and what is asked. */
static void key_of(const qn_gemm_problem *p, uint64_t key[QN_CHOICE_KEY]) {
  const bool light = p->epilogue && qn_epilogue_is_light(p->epilogue->epilogue);
  const bool reads_c = p->epilogue && qn_epilogue_reads(&p->epilogue->epilogue->program, QN_SLOT_C);
  const uint64_t asked = (uint64_t)qn_scalar_is(p->alpha, 0.0) | qn_scalar_is(p->beta, 0.0) << 1 |
                         (p->epilogue != NULL) << 2 | light << 3 | reads_c << 4;
  const uint64_t given[QN_CHOICE_KEY] = {
      (uint64_t)p->c.rows,
      (uint64_t)p->c.cols,
      (uint64_t)qn_gemm_inner(p),
      (uint64_t)p->a.ld,
      (uint64_t)p->b.ld,
      (uint64_t)p->c.ld,
      place_of(p->a) | place_of(p->b) << 8 | place_of(p->c) << 16 | asked << 24,
      (uint64_t)p->a.dtype | (uint64_t)p->c.dtype << 8 | (uint64_t)p->transa << 16 |
          (uint64_t)p->transb << 24 | (uint64_t)p->region << 32};
  memcpy(key, given, sizeof given);
}

/* Where what was chosen last for such a problem stands. */
static qn_gemm_chosen *place_to_remember(qn_stream *stream, const uint64_t key[QN_CHOICE_KEY]) {
  uint64_t hash = 0;
  for (int i = 0; i < QN_CHOICE_KEY; i++) hash = (hash ^ key[i]) * UINT64_C(0x9E3779B97F4A7C15);
  return &stream->chosen[hash >> 61];
}

/* The choice among a card's variants takes as long as half a launch, so that it is made once. */
static qn_status recall_or_choose(qn_stream *stream, const qn_gemm_problem *p,
                                  qn_gemm_choice *choice) {
  if (stream->device->cpu) return choose_by_cost(stream, p, choice);
  uint64_t key[QN_CHOICE_KEY];
  key_of(p, key);
  qn_gemm_chosen *last = place_to_remember(stream, key);
  if (!last->variant || memcmp(last->key, key, sizeof key) != 0) {
    QN_TRY(choose_by_cost(stream, p, choice));
    *last = (qn_gemm_chosen){.variant = choice->variant, .why = choice->why};
    memcpy(last->key, key, sizeof key);
  }
  *choice = (qn_gemm_choice){last->variant, last->why};
  return QN_OK;
}

qn_status qn_gemm_choose(qn_stream *stream, const qn_gemm_problem *p, qn_gemm_choice *choice) {
  const qn_target *target = qn_target_of(stream->device);
  const char *why;
  const qn_gemm_variant *forced = forced_variant(stream->device, target, &why);
  if (forced) return choose_forced(stream, p, forced, why, choice);

  QN_TRY(recall_or_choose(stream, p, choice));
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
    rows[i] = (qn_gemm_variant_info){v->name, needs_of(v, device), v == target->f16_sums};
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
