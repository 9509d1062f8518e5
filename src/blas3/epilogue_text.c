/* An epilogue as C for kernels: what stands for portable/epilogue.cl, whose words it gives their
 * meaning. For relu(acc + bias_n):
 *
 *   #include "portable/epilogue_math.cl"
 *   #define EPILOGUE_READS_C 0
 *   (type and load of each matrix, by EPILOGUE_F32)
 *   #define EPILOGUE_PARAMS , QN_GLOBAL const epi_1_elem *EPI_RESTRICT epi_1, qn_i64 epi_1_at, ...
 *   #define EPILOGUE_PASS   , epi_1, epi_1_at, epi_1_i, epi_1_j
 *   QN_DEV acc epilogue_bias_n(qn_i64 epi_j EPILOGUE_PARAMS) {
 *     return epi_1_load(epi_1[epi_1_at + epi_j * epi_1_j]);
 *   }
 *   QN_DEV acc epilogue_light(acc epi_acc, acc epi_v0, acc epi_v1 EPILOGUE_PARAMS) {
 *     const acc epi_t0 = epi_add(epi_acc, epi_v1);
 *     const acc epi_t1 = epi_relu(epi_t0);
 *     return epi_t1;
 *   }
 *   QN_DEV acc epilogue_apply(acc epi_acc, acc epi_c, qn_i64 epi_i, qn_i64 epi_j EPILOGUE_PARAMS) {
 *     return epilogue_light(epi_acc, acc_zero(), epilogue_bias_n(epi_j EPILOGUE_PASS)
 * EPILOGUE_PASS);
 *   }
 *
 * What is not light has values and operations in epilogue_apply. */
#include "blas3/epilogue.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 64 << 10, SOURCE_BYTES = 64 }; /* an operation is below 200 bytes */

typedef struct writer {
  char *text;
  size_t used;
  const qn_epilogue_program *program;
} writer;

QN_PRINTF(2, 3)
static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(w->text + w->used, TEXT_BYTES - w->used, format, args);
  va_end(args);
  w->used = (size_t)qn_min64((int64_t)w->used + length, TEXT_BYTES - 1);
}

static bool reads(const writer *w, int slot) {
  return qn_epilogue_reads(w->program, (unsigned)slot);
}

static void put_types(writer *w) {
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++) {
    if (!reads(w, QN_SLOT_BIAS_M + i)) continue;
    put(w,
        "#if EPILOGUE_F32 & %d\n"
        "typedef float epi_%d_elem;\n"
        "#define epi_%d_load(e) (e)\n"
        "#else\n"
        "typedef elem epi_%d_elem;\n"
        "#define epi_%d_load(e) acc_load(e)\n"
        "#endif\n",
        1 << i, i, i, i, i);
  }
}

static void put_parameters(writer *w) {
  put(w, "#define EPILOGUE_PARAMS");
  for (int s = 0; s < QN_EPILOGUE_SCALARS; s++)
    if (reads(w, QN_SLOT_SCALAR + s)) put(w, " , acc epi_s%d", s);
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++)
    if (reads(w, QN_SLOT_BIAS_M + i))
      put(w,
          " , QN_GLOBAL const epi_%d_elem *EPI_RESTRICT epi_%d, qn_i64 epi_%d_at, qn_i64 epi_%d_i, "
          "qn_i64 epi_%d_j",
          i, i, i, i, i);
  put(w, "\n#define EPILOGUE_PASS");
  for (int s = 0; s < QN_EPILOGUE_SCALARS; s++)
    if (reads(w, QN_SLOT_SCALAR + s)) put(w, " , epi_s%d", s);
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++)
    if (reads(w, QN_SLOT_BIAS_M + i))
      put(w, " , epi_%d, epi_%d_at, epi_%d_i, epi_%d_j", i, i, i, i);
  put(w, "\n");
}

/* The steps that are known leave the address: a bias along the columns is then the same for all
 * rows, which the compiler sees. */
static void put_load(writer *w, int i) {
  const int slot = QN_SLOT_BIAS_M + i;
  put(w, "epi_%d_load(epi_%d[epi_%d_at", i, i, i);
  if (slot == QN_SLOT_RESIDUAL)
    put(w, " + epi_i");
  else if (slot != QN_SLOT_BIAS_N)
    put(w, " + epi_i * epi_%d_i", i);
  if (slot != QN_SLOT_BIAS_M) put(w, " + epi_j * epi_%d_j", i);
  put(w, "])");
}

/* What is read once before the operations. */
static void put_values(writer *w) {
  if (reads(w, QN_SLOT_ROW)) put(w, "  const acc epi_row = acc_make((real)epi_i, (real)0);\n");
  if (reads(w, QN_SLOT_COL)) put(w, "  const acc epi_col = acc_make((real)epi_j, (real)0);\n");
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++) {
    if (!reads(w, QN_SLOT_BIAS_M + i)) continue;
    put(w, "  const acc epi_v%d = ", i);
    put_load(w, i);
    put(w, ";\n");
  }
}

/* The word for a source; `made` is the operation that left each temp. */
static void name_source(const writer *w, int slot, const unsigned *made, char to[SOURCE_BYTES]) {
  static const char *const fixed[] = {"epi_acc", "epi_c", "epi_row", "epi_col"};
  if (slot < QN_SLOT_BIAS_M) {
    snprintf(to, SOURCE_BYTES, "%s", fixed[slot]);
  } else if (slot < QN_SLOT_SCALAR) {
    snprintf(to, SOURCE_BYTES, "epi_v%d", slot - QN_SLOT_BIAS_M);
  } else if (slot < QN_SLOT_CONSTANT) {
    snprintf(to, SOURCE_BYTES, "epi_s%d", slot - QN_SLOT_SCALAR);
  } else if (slot < QN_SLOT_TEMP) {
    double wide = w->program->constant[slot - QN_SLOT_CONSTANT];
    float narrow = (float)wide;
    uint64_t wide_bits;
    uint32_t narrow_bits;
    memcpy(&wide_bits, &wide, sizeof wide);
    memcpy(&narrow_bits, &narrow, sizeof narrow);
    snprintf(to, SOURCE_BYTES, "epi_number(0x%08xu, 0x%016llxUL)", narrow_bits,
             (unsigned long long)wide_bits);
  } else {
    snprintf(to, SOURCE_BYTES, "epi_t%u", made[slot - QN_SLOT_TEMP]);
  }
}

static void put_operations(writer *w) {
#define NAME(name, sources, complex) {#name, sources},
  static const struct {
    const char *name;
    int sources;
  } codes[] = {QN_EPILOGUE_CODES(NAME)};
#undef NAME
  unsigned made[QN_EPILOGUE_TEMPS] = {0};
  for (unsigned i = 0; i < w->program->ops; i++) {
    const qn_epilogue_op *op = &w->program->op[i];
    put(w, "  const acc epi_t%u = epi_%s(", i, codes[op->code].name);
    for (int s = 0; s < codes[op->code].sources; s++) {
      char source[SOURCE_BYTES];
      name_source(w, op->source[s], made, source);
      put(w, "%s%s", s ? ", " : "", source);
    }
    put(w, ");\n");
    made[op->target - QN_SLOT_TEMP] = i;
  }
  put(w, "  return epi_t%u;\n", w->program->ops - 1);
}

/* Instructions that an operation is about; 0: too many, or with branches. */
static unsigned weight_of(qn_epilogue_code code) {
  switch (code) {
  case QN_EPI_div:
  case QN_EPI_exp:
  case QN_EPI_log:
  case QN_EPI_tanh:
  case QN_EPI_erf:
  case QN_EPI_sqrt:
  case QN_EPI_silu:
  case QN_EPI_sigmoid:
    return 0;
  case QN_EPI_gelu:
  case QN_EPI_gelu_tanh:
    return 12;
  case QN_EPI_clamp:
    return 4;
  default:
    return 2;
  }
}

bool qn_epilogue_is_light(const qn_epilogue *e) {
  const qn_epilogue_program *p = &e->program;
  const unsigned most = 24;
  unsigned weight = 0;
  for (int slot = QN_SLOT_C; slot < QN_SLOT_SCALAR; slot++)
    if (slot != QN_SLOT_BIAS_M && slot != QN_SLOT_BIAS_N && qn_epilogue_reads(p, (unsigned)slot))
      return false;
  for (unsigned i = 0; i < p->ops; i++) {
    const unsigned more = weight_of((qn_epilogue_code)p->op[i].code);
    if (more == 0) return false;
    weight += more;
  }
  return weight <= most;
}

static void put_bias(writer *w, int slot, const char *name, const char *index) {
  put(w,
      "#define EPILOGUE_%s %d\nQN_DEV acc epilogue_%s(qn_i64 epi_%s EPILOGUE_PARAMS) {\n  return ",
      slot == QN_SLOT_BIAS_M ? "BIAS_M" : "BIAS_N", reads(w, slot), name, index);
  if (reads(w, slot))
    put_load(w, slot - QN_SLOT_BIAS_M);
  else
    put(w, "acc_zero()");
  put(w, ";\n}\n");
}

static void put_light(writer *w) {
  put_bias(w, QN_SLOT_BIAS_M, "bias_m", "i");
  put_bias(w, QN_SLOT_BIAS_N, "bias_n", "j");
  put(w, "QN_DEV acc epilogue_light(acc epi_acc, acc epi_v0, acc epi_v1 EPILOGUE_PARAMS) {\n");
  put_operations(w);
  put(w, "}\n");
}

static void put_apply(writer *w, bool light) {
  put(w, "QN_DEV acc epilogue_apply(acc epi_acc, acc epi_c, qn_i64 epi_i, qn_i64 epi_j "
         "EPILOGUE_PARAMS) {\n");
  if (light) {
    put(w, "  return epilogue_light(epi_acc, epilogue_bias_m(epi_i EPILOGUE_PASS), "
           "epilogue_bias_n(epi_j EPILOGUE_PASS) EPILOGUE_PASS);\n");
  } else {
    put_values(w);
    put_operations(w);
  }
  put(w, "}\n");
}

static void put_all(writer *w, bool light) {
  put(w, "#include \"portable/epilogue_math.cl\"\n#define EPILOGUE_READS_C %d\n",
      reads(w, QN_SLOT_C));
  put(w, "#define EPILOGUE_LIGHT %d\n", light);
  put_types(w);
  put_parameters(w);
  if (light) put_light(w);
  put_apply(w, light);
}

/* ---- one of each ---- */

typedef struct node {
  qn_replacement replacement;
  struct node *next;
} node;

/* Keeps a copy of the text, or finds its like. */
static const qn_replacement *intern(const char *text) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static node *first;
  pthread_mutex_lock(&lock);
  node *n = first;
  while (n && strcmp(n->replacement.text, text) != 0) n = n->next;
  if (!n && (n = qn_host_zalloc(sizeof *n))) {
    n->replacement = (qn_replacement){"portable/epilogue.cl", qn_host_strdup(text)};
    n->next = first;
    if (n->replacement.text) {
      first = n;
    } else {
      qn_host_free(n, sizeof *n);
      n = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  return n ? &n->replacement : NULL;
}

char *qn_epilogue_write(const qn_epilogue *e) {
  writer w = {.text = qn_host_alloc(TEXT_BYTES), .program = &e->program};
  if (!w.text) return NULL;
  put_all(&w, qn_epilogue_is_light(e));
  char *text = qn_host_strdup(w.text);
  qn_host_free(w.text, TEXT_BYTES);
  return text;
}

qn_status qn_epilogue_text(const qn_epilogue *e, const qn_replacement **text) {
  _Atomic(const qn_replacement *) *kept = (_Atomic(const qn_replacement *) *)&e->text;
  *text = atomic_load(kept);
  if (*text) return QN_OK;
  char *written = qn_epilogue_write(e);
  if (written) *text = intern(written);
  qn_host_strfree(written);
  if (!*text) return qn_fail(QN_ENOMEM, "qn_gemm_ex", "no host memory for the epilogue's text");
  atomic_store(kept, *text);
  return QN_OK;
}
