/* The list of rows and the table of their results. */
#include "cli/probe_report.h"
#include "cli/cli.h"
#include "cli/format.h"
#include <math.h>
#include <string.h>

void probe_print_row(const probe_row *row) {
  printf("%-11s %s\n", row->name, row->shows);
  if (row->pair) printf("%-11s   compares %s\n", "", row->pair);
}

void probe_print_head(const probe_report *r) {
  const qn_device_info *d = &r->device;
  printf("quern %s on %s (%s, %s", qn_version_string(), d->id, d->arch, d->name);
  if (d->clock_mhz) printf(", %u MHz", d->clock_mhz);
  if (r->threads) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
  printf(")\n");
}

void probe_print_ceilings(const probe_report *r) {
  const probe_ceilings *c = &r->ceilings;
  if (c->memory <= 0.0) return;
  printf("ceilings: memory %s GB/s", cli_format_figure(c->memory).text);
  if (c->local > 0.0) printf(", local memory %s GB/s", cli_format_figure(c->local).text);
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    if (c->compute[a] > 0.0)
      printf(", %s %s GFLOP/s", probe_arithmetic_name((probe_arithmetic)a),
             cli_format_figure(c->compute[a]).text);
  printf("\n");
}

/* "~" behind a figure whose spread is over 10 %, "!" behind a wrong one. */
static char mark(const probe_figure *f) {
  return f->wrong ? '!' : bench_spread(&f->seconds) > BENCH_SPREAD_LIMIT ? '~' : ' ';
}

static bool any_kernel(const probe_result *r) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->figure[i].kernel[0]) return true;
  return false;
}

/* Whether the driver tells more of a kernel than its local memory. */
static bool any_registers(const probe_result *r) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->figure[i].resources.registers) return true;
  return false;
}

static bool any_verdict(const probe_result *r) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->figure[i].bound != PROBE_UNBOUND) return true;
  return false;
}

static void print_number(double value, int width, const char *unit) {
  if (value > 0.0) {
    printf(" %*.0f%s", width - (int)strlen(unit), value, unit);
  } else {
    printf(" %*s", width, "-");
  }
}

static void print_figure(const probe_figure *f, bool kernels, bool verdicts) {
  const probe_resources *r = &f->resources;
  printf("  %-30s %10s%c %10s %-7s", f->variant, cli_format_time(f->seconds.median).text, mark(f),
         cli_format_figure(probe_value(f)).text, probe_unit_name(f->unit));
  if (kernels) {
    print_number(r->registers, 4, "");
    print_number(r->local_bytes, 6, "");
    print_number(r->spill_bytes, 5, "");
    print_number(100.0 * r->occupancy, 5, "%");
  }
  if (verdicts) {
    print_number(100.0 * f->memory_share, 6, "%");
    print_number(100.0 * f->local_share, 5, "%");
    print_number(100.0 * f->compute_share, 7, "%");
    printf("  %s", probe_bound_name(f->bound));
  }
  printf("\n");
}

void probe_print_result(const probe_result *r) {
  printf("\n%s: %s\n", r->row->name, r->row->shows);
  if (*r->left_out) {
    printf("  left out: %s\n", r->left_out);
    return;
  }
  const bool kernels = any_kernel(r), verdicts = any_verdict(r);
  printf("  %-30s %11s %18s", "", "time", "");
  if (kernels) printf(" %4s %6s %5s %5s", "regs", "group", "spill", "occup");
  if (verdicts) printf(" %6s %5s %7s", "memory", "local", "compute");
  printf("\n");
  for (unsigned i = 0; i < r->count; i++) print_figure(&r->figure[i], kernels, verdicts);
  if (kernels && !any_registers(r))
    printf("  - the driver tells neither registers nor occupancy\n");
  if (*r->lesson) printf("  = %s\n", r->lesson);
  if (r->slow && *probe_remedy(r->slow))
    printf("  > %s is %s: %s\n", r->slow->variant, probe_bound_name(r->slow->bound),
           probe_remedy(r->slow));
  fflush(stdout);
}

bool probe_any_wrong(const probe_report *r) {
  bool wrong = false;
  for (unsigned i = 0; i < r->done; i++)
    for (unsigned k = 0; k < r->result[i].count; k++) wrong |= r->result[i].figure[k].wrong;
  return wrong;
}
