/* quern devices: what this machine has to compute on, and what is missing. */
#include "cli/cli.h"
#include "cli/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inventory {
  qn_device_info *devices;
  qn_backend_info *backends;
  unsigned device_count, backend_count;
} inventory;

static qn_status take_inventory(inventory *i) {
  qn_status status = qn_backends(NULL, 0, &i->backend_count);
  if (!status) status = qn_devices(NULL, 0, &i->device_count);
  if (status) return status;
  i->backends = calloc(i->backend_count + 1u, sizeof *i->backends);
  i->devices = calloc(i->device_count + 1u, sizeof *i->devices);
  if (!i->backends || !i->devices) return QN_ENOMEM;
  unsigned backends = i->backend_count, devices = i->device_count;
  status = qn_backends(i->backends, backends, &i->backend_count);
  if (!status) status = qn_devices(i->devices, devices, &i->device_count);
  if (i->backend_count > backends) i->backend_count = backends;
  if (i->device_count > devices) i->device_count = devices;
  return status;
}

static void list_dtypes(unsigned dtypes, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int t = 0; t < QN_DTYPE_COUNT && used < size; t++)
    if (dtypes & (1u << t))
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
                               qn_dtype_name((qn_dtype)t));
}

static int wider(int width, const char *text) {
  const int length = (int)strlen(text);
  return length > width ? length : width;
}

static void print_short(const inventory *i) {
  int id = 6, name = 4, arch = 4; /* of the headings */
  for (unsigned d = 0; d < i->device_count; d++) {
    id = wider(id, i->devices[d].id);
    name = wider(name, i->devices[d].name);
    arch = wider(arch, i->devices[d].arch);
  }
  printf("%-*s  %-*s  %-*s  %10s  %s\n", id, "DEVICE", name, "NAME", arch, "ARCH", "MEMORY",
         "DTYPES");
  for (unsigned d = 0; d < i->device_count; d++) {
    const qn_device_info *info = &i->devices[d];
    char dtypes[64];
    list_dtypes(info->dtypes, dtypes, sizeof dtypes);
    printf("%-*s  %-*s  %-*s  %6.1f GiB  %s\n", id, info->id, name, info->name, arch, info->arch,
           (double)info->memory / (1 << 30), dtypes);
  }
}

static void print_size(const char *what, uint64_t bytes) {
  if (bytes >= (uint64_t)1 << 30) {
    printf("  %-14s %.1f GiB\n", what, (double)bytes / (1 << 30));
  } else if (bytes >= (uint64_t)1 << 20) {
    printf("  %-14s %.1f MiB\n", what, (double)bytes / (1 << 20));
  } else if (bytes > 0) {
    printf("  %-14s %.1f KiB\n", what, (double)bytes / (1 << 10));
  }
}

static const char *kind_text(qn_device_kind kind) {
  return kind == QN_DEVICE_CPU ? "cpu" : kind == QN_DEVICE_GPU ? "gpu" : "other";
}

static void print_long(const inventory *i) {
  for (unsigned d = 0; d < i->device_count; d++) {
    const qn_device_info *info = &i->devices[d];
    char dtypes[64];
    list_dtypes(info->dtypes, dtypes, sizeof dtypes);
    printf("%s\n", info->id);
    printf("  %-14s %s\n", "name", info->name);
    printf("  %-14s %s\n", "kind", kind_text(info->kind));
    printf("  %-14s %s\n", "architecture", info->arch);
    if (*info->driver) printf("  %-14s %s\n", "driver", info->driver);
    printf("  %-14s %s\n", "dtypes", dtypes);
    printf("  %-14s %u\n", info->kind == QN_DEVICE_CPU ? "cores" : "units", info->compute_units);
    if (info->clock_mhz) printf("  %-14s %u MHz\n", "clock", info->clock_mhz);
    print_size("memory", info->memory);
    print_size("one allocation", info->memory_max);
    print_size("last cache", info->cache);
    print_size("local memory", info->local_memory);
  }
}

/* Every backend in a long list; in the short one those that found nothing, and why. */
static void print_backends(const inventory *i, bool all) {
  bool first = true;
  for (unsigned b = 0; b < i->backend_count; b++) {
    const qn_backend_info *info = &i->backends[b];
    if (!all && info->devices > 0) continue;
    if (first) printf("\n%s\n", all ? "backends" : "not found");
    first = false;
    printf("  %-8s %s\n", info->name, info->message);
  }
}

static void print_json(const inventory *i) {
  cli_json *devices = cli_json_array(), *backends = cli_json_array(), *root = cli_json_object();
  for (unsigned d = 0; d < i->device_count; d++) {
    const qn_device_info *info = &i->devices[d];
    cli_json *row = cli_json_object(), *dtypes = cli_json_array();
    for (int t = 0; t < QN_DTYPE_COUNT; t++)
      if (info->dtypes & (1u << t)) cli_json_push_text(dtypes, qn_dtype_name((qn_dtype)t));
    cli_json_text(row, "id", info->id);
    cli_json_text(row, "backend", info->backend);
    cli_json_text(row, "name", info->name);
    cli_json_text(row, "kind", kind_text(info->kind));
    cli_json_text(row, "arch", info->arch);
    cli_json_text(row, "driver", info->driver);
    cli_json_set(row, "dtypes", dtypes);
    cli_json_integer(row, "compute_units", info->compute_units);
    cli_json_integer(row, "clock_mhz", info->clock_mhz);
    cli_json_integer(row, "memory_bytes", (int64_t)info->memory);
    cli_json_integer(row, "allocation_bytes_max", (int64_t)info->memory_max);
    cli_json_integer(row, "cache_bytes", (int64_t)info->cache);
    cli_json_integer(row, "local_memory_bytes", (int64_t)info->local_memory);
    cli_json_push(devices, row);
  }
  for (unsigned b = 0; b < i->backend_count; b++) {
    cli_json *row = cli_json_object();
    cli_json_text(row, "name", i->backends[b].name);
    cli_json_integer(row, "devices", i->backends[b].devices);
    cli_json_text(row, "message", i->backends[b].message);
    cli_json_push(backends, row);
  }
  cli_json_text(root, "quern", qn_version_string());
  cli_json_set(root, "devices", devices);
  cli_json_set(root, "backends", backends);
  cli_json_print(root, stdout);
  cli_json_free(root);
}

static int run(const cli_args *args) {
  if (args->value[OPT_JSON] && !cli_json_available())
    return cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  inventory i = {0};
  const qn_status status = take_inventory(&i);
  if (status == QN_OK && args->value[OPT_JSON]) {
    print_json(&i);
  } else if (status == QN_OK) {
    const bool all = args->value[OPT_VERBOSE] != NULL;
    if (all) {
      print_long(&i);
    } else {
      print_short(&i);
    }
    print_backends(&i, all);
  }
  free(i.devices);
  free(i.backends);
  return status ? cli_fail(status, "") : CLI_DONE;
}

static const cli_option options[] = {OPT_JSON, OPT_VERBOSE, OPT_QUIET,
                                     OPT_HELP, OPT_VERSION, OPT_COUNT};

const cli_command cli_devices_command = {
    .name = "devices",
    .summary = "list what this machine has to compute on, and what is missing",
    .operands = "",
    .operand_count = 0,
    .about =
        "Each device has a name that --device of the other commands takes. Backends that found\n"
        "nothing say what is missing and which package brings it.\n",
    .examples = "  quern devices\n"
                "  quern devices --verbose\n"
                "  quern devices --json\n",
    .options = options,
    .run = run,
};
