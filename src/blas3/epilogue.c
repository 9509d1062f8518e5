/* The public epilogue: names, creation, questions. */
#include "blas3/epilogue.h"
#include <string.h>

static const char function[] = "qn_epilogue_create";

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(const char *text, size_t length) {
  if (length == 0 || length >= QN_EPILOGUE_NAME || !is_letter(*text)) return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9')) return false;
  return true;
}

static bool is_taken(const qn_epilogue *e, const char *name) {
  for (int slot = 0; slot < QN_EPILOGUE_NAMES; slot++)
    if (strcmp(e->name[slot], name) == 0) return true;
  return qn_epilogue_function(name) != QN_EPI_COUNT;
}

static qn_status declare_one(qn_epilogue *e, int slot, const char *word, size_t length,
                             const char *what) {
  if (!is_name(word, length))
    return qn_fail(QN_EINVAL, function,
                   "the %s '%.*s' is no name: letters, digits and _, %d at most", what,
                   (int)(length < 64 ? length : 64), word, QN_EPILOGUE_NAME - 1);
  char name[QN_EPILOGUE_NAME] = "";
  memcpy(name, word, length);
  if (is_taken(e, name))
    return qn_fail(QN_EINVAL, function, "the %s '%s' has a name that is taken", what, name);
  memcpy(e->name[slot], name, sizeof name);
  return QN_OK;
}

/* Gives the words of a list to the slots from `slot` on. */
static qn_status declare(qn_epilogue *e, int slot, int most, const char *names, const char *what) {
  static const char between[] = " ,\t\n";
  int count = 0;
  if (!names) return QN_OK;
  for (names += strspn(names, between); *names; names += strspn(names, between)) {
    size_t length = strcspn(names, between);
    if (count == most)
      return qn_fail(QN_EINVAL, function, "more than %d %ss: '%.*s'", most, what,
                     (int)(length < 64 ? length : 64), names);
    QN_TRY(declare_one(e, slot + count++, names, length, what));
    names += length;
  }
  return QN_OK;
}

static qn_status build(qn_epilogue *e, const char *expression, const char *scalars,
                       const char *operands) {
  static const char *const builtin[QN_SLOT_OPERAND] = {
      [QN_SLOT_ACC] = "acc",           [QN_SLOT_C] = "c",           [QN_SLOT_ROW] = "row",
      [QN_SLOT_COL] = "col",           [QN_SLOT_BIAS_M] = "bias_m", [QN_SLOT_BIAS_N] = "bias_n",
      [QN_SLOT_RESIDUAL] = "residual",
  };
  for (int slot = 0; slot < QN_SLOT_OPERAND; slot++)
    memcpy(e->name[slot], builtin[slot], strlen(builtin[slot]));
  QN_TRY(declare(e, QN_SLOT_SCALAR, QN_EPILOGUE_SCALARS, scalars, "scalar"));
  QN_TRY(declare(e, QN_SLOT_OPERAND, QN_EPILOGUE_OPERANDS, operands, "operand"));
  return qn_epilogue_parse(expression, e);
}

qn_status qn_epilogue_create(const char *expression, const char *scalars, const char *operands,
                             qn_epilogue **epilogue) {
  if (!epilogue) return qn_fail(QN_EINVAL, function, "epilogue is NULL");
  *epilogue = NULL;
  if (!expression) return qn_fail(QN_EINVAL, function, "expression is NULL");
  qn_epilogue *e = qn_host_zalloc(sizeof *e);
  if (!e) return qn_fail(QN_ENOMEM, function, "no host memory for an epilogue");
  qn_status status = build(e, expression, scalars, operands);
  if (status == QN_OK) {
    *epilogue = e;
  } else {
    qn_epilogue_free(e);
  }
  return status;
}

void qn_epilogue_free(qn_epilogue *epilogue) {
  if (epilogue) qn_host_free(epilogue, sizeof *epilogue);
}

bool qn_epilogue_uses(const qn_epilogue *epilogue, const char *name) {
  if (!epilogue || !name || !*name) return false;
  for (unsigned slot = 0; slot < QN_EPILOGUE_NAMES; slot++)
    if (strcmp(epilogue->name[slot], name) == 0) return qn_epilogue_reads(&epilogue->program, slot);
  return false;
}
