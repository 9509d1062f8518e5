/* The figures of EP as JSON. */
#include "cli/npb_json.h"

cli_json *npb_json(const ep_report *r) {
  const ep_check *c = &r->check;
  const struct {
    const char *name;
    ep_answer answer;
  } checks[] = {{"absolute_sums", c->absolute},
                {"pairs", c->pairs},
                {"signed_sums", c->signs},
                {"counts", c->counts}};
  const char class_name[2] = {r->class->name, 0};
  const double sums[] = {r->sums.x, r->sums.y, r->sums.abs_x, r->sums.abs_y};
  cli_json *root = cli_json_object(), *counts = cli_json_array(), *told = cli_json_object();
  cli_json *exact = cli_json_array();
  cli_json_text(root, "benchmark", "EP");
  cli_json_text(root, "class", class_name);
  cli_json_text(root, "device", r->device);
  cli_json_text(root, "variant", r->variant);
  cli_json_integer(root, r->processes ? "processes" : "threads", r->workers);
  cli_json_number(root, "seconds", r->seconds);
  cli_json_number(root, "mops", ep_mops(r));
  cli_json_number(root, "sum_x", r->sums.x);
  cli_json_number(root, "sum_y", r->sums.y);
  cli_json_number(root, "sum_abs_x", r->sums.abs_x);
  cli_json_number(root, "sum_abs_y", r->sums.abs_y);
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    char text[32];
    snprintf(text, sizeof text, "%a", sums[i]);
    cli_json_push_text(exact, text);
  }
  cli_json_set(root, "sums_exact", exact); /* the four, to the bit */
  cli_json_integer(root, "pairs", (int64_t)ep_pairs_taken(&r->sums));
  for (int i = 0; i < EP_BINS; i++) cli_json_push_integer(counts, (int64_t)r->sums.count[i]);
  cli_json_set(root, "counts", counts);
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
    if (checks[i].answer != EP_UNKNOWN)
      cli_json_truth(told, checks[i].name, checks[i].answer == EP_RIGHT);
  cli_json_set(root, "checks", told);
  cli_json_truth(root, "verified", c->passed);
  return root;
}
