/* What a kernel takes of a multiprocessor: registers, spills, and so how many items find room
 * there.
 *
 * OpenCL tells local memory. NVIDIA's driver writes the rest into a build log where it is asked to,
 * and then compiles the module once more, so that is left until somebody wants to know. The log
 * has, for each kernel,
 *
 *   ptxas info    : Compiling entry function 'axpy' for 'sm_90'
 *   ptxas info    : Function properties for axpy
 *       16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
 *   ptxas info    : Used 40 registers, 1024 bytes smem
 *
 * On other cards a kernel's private memory is what did not fit into registers. */
#include "backends/opencl/resources.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- NVIDIA's build log ---- */

/* The number in front of `words`, looked for from `at` to `end`; 0 where they are not there. */
static uint32_t number_before(const char *at, const char *end, const char *words) {
  const char *found = strstr(at, words);
  if (!found || (end && found > end)) return 0;
  while (found > at && found[-1] >= '0' && found[-1] <= '9') found--;
  uint32_t value = 0;
  return sscanf(found, "%" SCNu32, &value) == 1 ? value : 0;
}

bool qn_cl_read_log(const char *log, const char *kernel, uint32_t *registers, uint32_t *spills) {
  static const char entry[] = "Compiling entry function '";
  const size_t length = strlen(kernel);
  for (const char *at = log; (at = strstr(at, entry)) != NULL;) {
    at += sizeof entry - 1;
    if (strncmp(at, kernel, length) != 0 || at[length] != '\'') continue;
    const char *end = strstr(at, entry);
    *registers = number_before(at, end, " registers");
    *spills = number_before(at, end, " bytes stack frame");
    return *registers > 0;
  }
  return false;
}

/* The module's PTX with a last line of its own: what the driver has compiled before it does not
 * compile, and says nothing of. NULL where the binary is no text. */
static char *unseen(cl_program program, size_t *size) {
  enum { ROOM = 64 };
  if (qn_cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) !=
          CL_SUCCESS ||
      *size == 0)
    return NULL;
  const size_t room = *size + ROOM;
  char *text = qn_host_zalloc(room);
  if (!text) return NULL;
  if (qn_cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof text, &text, NULL) !=
          CL_SUCCESS ||
      !strstr(text, ".version")) {
    qn_host_free(text, room);
    return NULL;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const size_t end = strlen(text);
  snprintf(text + end, room - end, "\n// %jd.%09ld\n", (intmax_t)now.tv_sec, now.tv_nsec);
  *size = room;
  return text;
}

/* NULL where the driver refuses. */
static char *verbose_log(qn_bmodule *module) {
  size_t size = 0;
  char *text = unseen(module->program, &size), *log = NULL;
  if (!text) return NULL;
  const unsigned char *data = (const unsigned char *)text;
  const size_t length = strlen(text) + 1;
  cl_int code, loaded;
  cl_device_id id = module->dev->device.id;
  cl_program program =
      qn_cl.clCreateProgramWithBinary(module->dev->context, 1, &id, &length, &data, &loaded, &code);
  if (code == CL_SUCCESS) {
    qn_cl.clBuildProgram(program, 1, &id, "-cl-nv-verbose", NULL, NULL);
    log = qn_cl_build_log(module->dev, program);
    qn_cl.clReleaseProgram(program);
  }
  qn_host_free(text, size);
  return log;
}

/* The module's log, which it keeps; "" where there is none. */
static const char *log_of(qn_bmodule *module) {
  pthread_mutex_lock(&module->lock);
  if (!module->asked) module->log = verbose_log(module);
  module->asked = true;
  pthread_mutex_unlock(&module->lock);
  return module->log ? module->log : "";
}

/* ---- the table's operations ---- */

static cl_ulong group_number(const qn_bkernel *kernel, cl_kernel_work_group_info what) {
  cl_ulong value = 0;
  qn_cl.clGetKernelWorkGroupInfo(kernel->kernel, kernel->module->dev->device.id, what, sizeof value,
                                 &value, NULL);
  return value;
}

qn_status qn_cl_resources(qn_bdev *dev, qn_bkernel *kernel, qn_kernel_info *info) {
  char name[256] = "";
  if (dev->capability) {
    qn_cl.clGetKernelInfo(kernel->kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    qn_cl_read_log(log_of(kernel->module), name, &info->registers, &info->spill_bytes);
  } else if (dev->gpu) {
    info->spill_bytes = (uint32_t)group_number(kernel, CL_KERNEL_PRIVATE_MEM_SIZE);
  }
  return QN_OK;
}

/* Multiprocessors of NVIDIA's by compute capability: warps and groups that they hold, bytes of
 * local memory. */
typedef struct multiprocessor {
  int capability;
  uint32_t warps, groups, local;
} multiprocessor;

static const multiprocessor *find_multiprocessor(int capability) {
  enum { KIB = 1024 };
  static const multiprocessor list[] = {
      {50, 64, 32, 64 * KIB},   {52, 64, 32, 96 * KIB},   {53, 64, 32, 64 * KIB},
      {60, 64, 32, 64 * KIB},   {61, 64, 32, 96 * KIB},   {62, 64, 32, 64 * KIB},
      {70, 64, 32, 96 * KIB},   {72, 64, 32, 96 * KIB},   {75, 32, 16, 64 * KIB},
      {80, 64, 32, 164 * KIB},  {86, 48, 16, 100 * KIB},  {87, 48, 16, 164 * KIB},
      {89, 48, 24, 100 * KIB},  {90, 64, 32, 228 * KIB},  {100, 64, 32, 228 * KIB},
      {103, 64, 32, 228 * KIB}, {120, 48, 24, 100 * KIB}, {121, 48, 24, 100 * KIB}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].capability == capability) return &list[i];
  return NULL;
}

static uint32_t rounded(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

uint32_t qn_cl_resident(int capability, uint32_t registers, uint32_t local_bytes, uint32_t group,
                        uint32_t *most) {
  enum { WARP = 32, QUARTERS = 4, QUARTER = 16384, UNIT = 256, ASIDE = 1024 };
  const multiprocessor *m = find_multiprocessor(capability);
  *most = m ? m->warps * WARP : 0;
  if (!m || registers == 0 || group == 0) return 0;
  const uint32_t warps = (group + WARP - 1) / WARP;
  const uint32_t by_registers = QUARTER / rounded(registers * WARP, UNIT) * QUARTERS;
  uint32_t groups = least(m->groups, least(m->warps, by_registers) / warps);
  /* from 8.0 on each group has 1 KiB beside its own */
  const bool aside = capability >= 80;
  const uint32_t local = rounded(local_bytes + (aside ? ASIDE : 0), aside ? UNIT / 2 : UNIT);
  if (local) groups = least(groups, m->local / local);
  return groups * group;
}

qn_status qn_cl_residency(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                          uint32_t *most) {
  qn_kernel_info info = {0};
  *items = *most = 0;
  if (!dev->capability) return QN_OK;
  qn_status status = qn_cl_resources(dev, kernel, &info);
  const uint32_t local = (uint32_t)group_number(kernel, CL_KERNEL_LOCAL_MEM_SIZE);
  if (!status) *items = qn_cl_resident(dev->capability, info.registers, local, group, most);
  if (!*items) *most = 0;
  return status;
}
