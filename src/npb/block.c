/* The results block, letter by letter as scripts expect it. */
#include "npb/npb.h"
#include <string.h>

static const char *const verdicts[] = {
    [NPB_UNSUCCESSFUL] = "UNSUCCESSFUL",
    [NPB_SUCCESSFUL] = "SUCCESSFUL",
    [NPB_NOT_PERFORMED] = "NOT PERFORMED",
};

/* "30 Nov 2026" of the compiler's "Nov 30 2026". */
static const char *compile_date(char out[12]) {
  const char *date = __DATE__;
  snprintf(out, 12, "%.2s %.3s %.4s", date + 4, date, date + 7);
  if (out[0] == ' ') out[0] = '0';
  return out;
}

void npb_print_block(FILE *file, const npb_block *b) {
  char date[12];
  fprintf(file, "\n\n %s Benchmark Completed\n", b->benchmark);
  fprintf(file, " Class           =                        %c\n", b->class_name);
  fprintf(file, " Size            =%s\n", b->size);
  fprintf(file, " Iterations      =             %12d\n", b->iterations);
  fprintf(file, " Time in seconds =             %12.2f\n", b->seconds);
  if (b->processes) {
    fprintf(file, " Total processes =             %12d\n", b->total);
    fprintf(file, " Active processes=             %12d\n", b->active);
  } else {
    fprintf(file, " Total threads   =             %12d\n", b->total);
    fprintf(file, " Avail threads   =             %12d\n", b->active);
  }
  fprintf(file, " Mop/s total     =             %12.2f\n", b->mops);
  fprintf(file, " Mop/s/%s =             %12.2f\n", b->processes ? "process  " : "thread   ",
          b->mops / (b->total > 0 ? b->total : 1));
  fprintf(file, " Operation type  = %24s\n", b->operation);
  fprintf(file, " Verification    =%25s\n", verdicts[b->verdict]);
  fprintf(file, " Version         =             %12s\n", NPB_VERSION);
  fprintf(file, " Compile date    =             %12s\n", compile_date(date));
  fprintf(file,
          "\n Compile options:\n"
          "    CC           = %s\n"
          "    CLINK        = $(CC)\n"
          "    C_LIB        = -lm -ldl -lpthread\n"
          "    C_INC        = -Iinclude -Isrc\n"
          "    CFLAGS       = %s\n"
          "    CLINKFLAGS   = (none)\n\n",
          NPB_CC, NPB_CFLAGS);
}
