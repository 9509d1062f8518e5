/* Any bytes as an epilogue: what is refused has one line that names a column, and what is accepted
 * is a program within its bounds, whose text for kernels has its end. */
#include "blas3/epilogue.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(void) {
  static const char start[] = "qn_epilogue_create: column ";
  const char *error = qn_last_error();
  if (strncmp(error, start, sizeof start - 1) != 0 || strpbrk(error, "\n\r\033")) abort();
}

/* Sources have been made before they are read; targets are temps. */
static void check_program(const qn_epilogue_program *p) {
  bool made[QN_EPILOGUE_TEMPS] = {false};
  if (p->ops == 0 || p->ops > QN_EPILOGUE_OPS || p->constants > QN_EPILOGUE_CONSTANTS ||
      p->temps > QN_EPILOGUE_TEMPS)
    abort();
  for (unsigned i = 0; i < p->ops; i++) {
    const qn_epilogue_op *op = &p->op[i];
    if (op->code >= QN_EPI_COUNT || op->target < QN_SLOT_TEMP || op->target >= QN_SLOTS) abort();
    for (int s = 0; s < 3; s++) {
      if (op->source[s] >= QN_SLOTS) abort();
      if (op->source[s] >= QN_SLOT_TEMP && !made[op->source[s] - QN_SLOT_TEMP]) abort();
      if (op->source[s] >= QN_SLOT_CONSTANT && op->source[s] < QN_SLOT_TEMP &&
          op->source[s] - QN_SLOT_CONSTANT >= (int)p->constants)
        abort();
    }
    made[op->target - QN_SLOT_TEMP] = true;
  }
}

static void check_text(const qn_epilogue *e) {
  char *text = qn_epilogue_write(e);
  if (!text || !strstr(text, "  return epi_t") || strcmp(text + strlen(text) - 2, "}\n") != 0)
    abort();
  qn_host_strfree(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  qn_epilogue *e;
  if (qn_epilogue_create(text, "s t", "x y", &e) != QN_OK) {
    check_error();
  } else {
    check_program(&e->program);
    check_text(e);
    qn_epilogue_free(e);
  }
  free(text);
  return 0;
}
