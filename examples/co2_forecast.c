/* Where is the carbon dioxide of Mauna Loa going? A Gaussian-process forecast of the record to 2034
 * and many thousand possible futures drawn from it, on any device that the library finds.
 *
 * co2_model.c says what is assumed, co2_steps.c is the computation, co2_check.c judges it, and
 * co2_chart.c draws it. This file reads the command line and prints what came out. */
#include "co2_forecast.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef CO2_DATA
#define CO2_DATA "examples/data/co2_mm_mlo.csv"
#endif

static const char usage[] =
    "usage: co2_forecast [options]\n"
    "  --device NAME    auto (the default), cpu, cuda:0, opencl:0 ...\n"
    "  --futures N      how many to draw, from 8 (default 65536)\n"
    "  --dtype T        f64 or f32 for the futures; the regression is always f64\n"
    "  --threshold PPM  what to count the futures above (default 450)\n"
    "  --until YEAR     forget the record from that year on, and compare\n"
    "  --data FILE      lines of year,month,ppm\n"
    "  --out DIR        write the chart (SVG and PNG) and the forecast (CSV) there\n";

typedef struct options {
  const char *device, *data, *out;
  int until;
} options;

void *co2_room(size_t count) {
  void *room = calloc(count ? count : 1, sizeof(double));
  if (room) return room;
  fprintf(stderr, "co2_forecast: no memory for %zu numbers\n", count);
  exit(1);
}

static _Noreturn void misuse(const char *option, const char *value) {
  fprintf(stderr, "co2_forecast: %s %s cannot be used\n%s", option, value, usage);
  exit(2);
}

static long whole_number(const char *option, const char *text, long low, long high) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < low || value > high) misuse(option, text);
  return value;
}

static void read_options(int argc, char **argv, options *o, co2_forecast *f) {
  enum { DEVICE, FUTURES, DTYPE, THRESHOLD, UNTIL, DATA, OUT, HELP };
  static const struct option names[] = {{"device", required_argument, NULL, DEVICE},
                                        {"futures", required_argument, NULL, FUTURES},
                                        {"dtype", required_argument, NULL, DTYPE},
                                        {"threshold", required_argument, NULL, THRESHOLD},
                                        {"until", required_argument, NULL, UNTIL},
                                        {"data", required_argument, NULL, DATA},
                                        {"out", required_argument, NULL, OUT},
                                        {"help", no_argument, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
    switch (c) {
    case DEVICE:
      o->device = optarg;
      break;
    case FUTURES:
      f->futures = whole_number("--futures", optarg, CO2_SHOWN, 1L << 30);
      break;
    case DTYPE:
      if (qn_dtype_parse(optarg, &f->dtype) || (f->dtype != QN_F64 && f->dtype != QN_F32))
        misuse("--dtype", optarg);
      break;
    case THRESHOLD:
      f->threshold = (double)whole_number("--threshold", optarg, 300, 1000);
      break;
    case UNTIL:
      o->until = (int)whole_number("--until", optarg, 1960, CO2_END);
      break;
    case DATA:
      o->data = optarg;
      break;
    case OUT:
      o->out = optarg;
      break;
    case HELP:
      fputs(usage, stdout);
      exit(0);
    default:
      fputs(usage, stderr);
      exit(2);
    }
  }
  if (optind < argc) misuse("argument", argv[optind]);
}

/* What is kept back is cut off the record's end. */
static void split_record(co2_forecast *f, int until) {
  int kept = 12 * until - f->record.first;
  if (until && kept < f->record.count) {
    if (kept < 24) misuse("--until", "less than two years after the record's start");
    f->later.first = f->record.first + kept;
    f->later.count = f->record.count - kept;
    memcpy(f->later.ppm, f->record.ppm + kept, sizeof(double) * (size_t)f->later.count);
    f->record.count = kept;
  }
  f->first = f->record.first + f->record.count;
  f->months = 12 * (CO2_END + 1) - f->first;
  if (f->months < 2 * CO2_YEAR) misuse("--data", "a record that reaches the end of the forecast");
}

static double sigma(const co2_forecast *f, int month) {
  return sqrt(f->covariance[month + month * f->months]);
}

/* The first month by which at least this share of the futures has passed; -1 for none. */
static int month_of_share(const co2_forecast *f, double share) {
  for (int i = 0; i < f->months; i++)
    if (f->passed[i] >= share) return i;
  return -1;
}

static void print_month(const co2_forecast *f, double share) {
  int i = month_of_share(f, share);
  if (i < 0)
    printf("  %3.0f %% of the futures: not by the end of %d\n", 100 * share, CO2_END);
  else
    printf("  %3.0f %% of the futures: by %d-%02d\n", 100 * share, (f->first + i) / 12,
           (f->first + i) % 12 + 1);
}

static void print_forecast(const co2_forecast *f) {
  printf(
      "\nppm +- two sigma       May                September          above %.0f ppm on average\n",
      f->threshold);
  for (int i = 0; i < f->months; i++) {
    if ((f->first + i) % 12 != 11 || i < CO2_YEAR - 1) continue; /* a December, its year whole */
    printf("  %d        %7.2f +- %4.2f     %7.2f +- %4.2f     %6.2f %%\n", (f->first + i) / 12,
           f->mean[i - 7], 2 * sigma(f, i - 7), f->mean[i - 3], 2 * sigma(f, i - 3),
           100 * f->year_above[CO2_LEVELS - 1][i]);
  }
  printf("\nThe mean of twelve months first passes %.0f ppm in\n", f->threshold);
  print_month(f, 0.05);
  print_month(f, 0.5);
  print_month(f, 0.95);
}

/* With --until: how the forecast fared (its parameters, though, were fitted to the whole record).
 */
static void print_hindsight(const co2_forecast *f) {
  int inside = 0, last = f->later.count - 1;
  if (last < 0) return;
  for (int i = 0; i <= last; i++) inside += fabs(f->later.ppm[i] - f->mean[i]) <= 2 * sigma(f, i);
  printf(
      "\nOf the %d months recorded since, %d (%.0f %%) lie within two sigma; the last is %.2f ppm, "
      "forecast %.2f +- %.2f\n",
      last + 1, inside, 100.0 * inside / (last + 1), f->later.ppm[last], f->mean[last],
      2 * sigma(f, last));
}

static bool write_csv(const co2_forecast *f, const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/co2_forecast.csv", directory);
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "year,month,mean,sigma,share_above,share_of_year_above,share_passed\n");
    for (int i = 0; i < f->months; i++)
      fprintf(file, "%d,%d,%.3f,%.3f,%.6f,%.6f,%.6f\n", (f->first + i) / 12,
              (f->first + i) % 12 + 1, f->mean[i], sigma(f, i), f->above[i],
              f->year_above[CO2_LEVELS - 1][i], f->passed[i]);
  }
  bool good = file && !ferror(file);
  if (file && fclose(file) != 0) good = false;
  if (good)
    printf("wrote %s\n", path);
  else
    fprintf(stderr, "co2_forecast: %s: cannot be written\n", path);
  return good;
}

static bool compute(co2_forecast *f, const char *device_name) {
  qn_device *device;
  qn_stream *stream = NULL;
  qn_device_info info;
  if (qn_device_open(device_name, &device) || qn_stream_create(device, &stream) ||
      qn_device_query(device, &info)) {
    fprintf(stderr, "co2_forecast: %s\n", qn_last_error());
    return false;
  }
  printf("Quern %s on %s: %s, %s", qn_version_string(), info.id, info.name, info.arch);
  if (strcmp(info.backend, "cpu") == 0) printf(", %d threads", qn_num_threads());
  printf("\n%d months of record up to %d-%02d, %d months of forecast, %lld futures in %s\n\n",
         f->record.count, (f->first - 1) / 12, (f->first - 1) % 12 + 1, f->months,
         (long long)f->futures, qn_dtype_name(f->dtype));
  if (strcmp(info.backend, "cpu") != 0)
    printf("  (the first run on a device compiles its kernels, in the steps that need them)\n");
  co2_regress(stream, f);
  co2_simulate(stream, f);
  qn_stream_free(stream);
  qn_device_close(device);
  return true;
}

int main(int argc, char **argv) {
  static co2_forecast f = {.threshold = 450.0, .futures = 65536, .dtype = QN_F64};
  options o = {"auto", CO2_DATA, NULL, 0};
  read_options(argc, argv, &o, &f);
  if (!co2_read(o.data, &f.record)) return 2;
  split_record(&f, o.until);
  if (!compute(&f, o.device)) return 1;

  bool good = co2_check(&f);
  print_forecast(&f);
  print_hindsight(&f);
  if (o.out) {
    printf("\n");
    if (mkdir(o.out, 0777) != 0 && errno != EEXIST) {
      fprintf(stderr, "co2_forecast: %s: %s\n", o.out, strerror(errno));
      return 1;
    }
    good = write_csv(&f, o.out) && good;
    good = co2_draw(&f, o.out) && good;
  }
  return good ? 0 : 1;
}
