/* A card on paper: "cuda:sm_90a" compiles what a card of that architecture would run, on a machine
 * that has none. Its memory is addresses without anything behind them, a launch is refused. So the
 * library's own choice of kernels can be looked at, and the cache on disk filled for machines
 * elsewhere; nothing can be computed. */
#include "backends/cuda/cuda.h"
#include "backends/cuda/nvrtc.h"
#include "device/paper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest cards of each capability: the choice of kernels goes by their size. From NVIDIA's
 * data sheets and the table of capabilities in the CUDA programming guide. */
static const struct model {
  int capability;
  unsigned units, local_kib;
} models[] = {{75, 72, 64},   {80, 108, 163},  {86, 84, 99},    {87, 16, 163},  {89, 142, 99},
              {90, 132, 227}, {100, 148, 227}, {103, 148, 227}, {120, 188, 99}, {121, 48, 99}};

/* The newest model up to the capability. */
static const struct model *model_of(int capability) {
  const struct model *found = models;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (models[i].capability <= capability) found = &models[i];
  return found;
}

/* The driver's version, where there is a driver, bounds the compiler's as it does for its cards. */
static qn_status find_compiler(void) {
  enum { NEWEST = 20 };
  unsigned cards;
  char message[256];
  qn_cu_probe(&cards, message, sizeof message);
  const int major = qn_cu_driver_version() / 1000;
  if (qn_nvrtc_find(major ? major : NEWEST, message, sizeof message)) return QN_OK;
  return qn_fail(QN_ENODEVICE, "cuda", "%s", message);
}

static qn_status query(unsigned capability, qn_device_info *info) {
  const struct model *model = model_of((int)capability);
  memset(info, 0, sizeof *info);
  snprintf(info->arch, sizeof info->arch, "sm_%u%s", capability, capability == 90 ? "a" : "");
  snprintf(info->id, sizeof info->id, "cuda:%.24s", info->arch);
  snprintf(info->backend, sizeof info->backend, "cuda");
  snprintf(info->name, sizeof info->name, "a compiler without a card");
  info->kind = QN_DEVICE_GPU;
  info->dtypes = (1u << QN_DTYPE_COUNT) - 1;
  info->compute_units = model->units;
  info->local_memory = (uint64_t)model->local_kib << 10;
  info->memory = info->memory_max = UINT64_C(1) << 40;
  return QN_OK;
}

static qn_status open_paper(unsigned capability, qn_bdev **dev) {
  char target[32];
  qn_status status = find_compiler();
  if (!status) status = qn_nvrtc_target((int)capability, target, sizeof target);
  if (status) return status;
  if (strncmp(target, "sm_", 3) != 0)
    return qn_fail(QN_ENODEVICE, "cuda", "the NVRTC found makes no code for sm_%u", capability);
  qn_bdev *d = qn_host_zalloc(sizeof *d);
  if (!d) return qn_fail(QN_ENOMEM, "cuda", "no host memory for a device");
  d->capability = (int)capability;
  *dev = d;
  return QN_OK;
}

static void close_paper(qn_bdev *dev) {
  qn_host_free(dev, sizeof *dev);
}

/* No two live blocks overlap, and 48 bits last. */
static qn_status alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  enum { ALIGN = 256 };
  static atomic_size_t next = ALIGN;
  (void)dev;
  if (kind == QN_MEMORY_PINNED)
    return qn_fail(QN_EUNSUPPORTED, "cuda", "there is no card behind this device");
  *mem = atomic_fetch_add(&next, (bytes + ALIGN) / ALIGN * ALIGN);
  return QN_OK;
}
static void release(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev, (void)kind, (void)mem;
}
static void *host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev, (void)kind, (void)mem;
  return NULL;
}

static qn_status refuse(const qn_bstream *stream) {
  const qn_bdev *dev = (const qn_bdev *)stream;
  return qn_fail(QN_ENODEVICE, "cuda", "cuda:sm_%d%s compiles and computes nothing",
                 dev->capability, dev->capability == 90 ? "a" : "");
}
static qn_status copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                         const qn_rect *rect) {
  (void)dst, (void)dst_offset, (void)src, (void)rect;
  return refuse(stream);
}
static qn_status copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                          const qn_rect *rect) {
  (void)dst, (void)src, (void)src_offset, (void)rect;
  return refuse(stream);
}
static qn_status copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                      size_t src_offset, const qn_rect *rect) {
  (void)dst, (void)dst_offset, (void)src, (void)src_offset, (void)rect;
  return refuse(stream);
}
static qn_status fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                      unsigned width) {
  (void)dst, (void)offset, (void)bytes, (void)pattern, (void)width;
  return refuse(stream);
}
static qn_status launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *shape,
                        const qn_arg *args, unsigned count) {
  (void)kernel, (void)shape, (void)args, (void)count;
  return refuse(stream);
}

/* What was compiled is not looked into: any kernel may be in it. */
static qn_status module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module) {
  (void)binary;
  *module = (qn_bmodule *)dev;
  return QN_OK;
}
static void module_free(qn_bmodule *module) {
  (void)module;
}
static qn_status kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                            qn_kernel_info *info) {
  (void)name;
  memset(info, 0, sizeof *info);
  info->params = -1;
  *kernel = (qn_bkernel *)module;
  return QN_OK;
}

static qn_status probe(unsigned *count, char *message, size_t size) {
  *count = 0;
  snprintf(message, size, "devices on paper are named by their architecture");
  return QN_OK;
}

static const qn_backend_ops ops = {
    .abi = QN_BACKEND_ABI,
    .name = "cuda on paper",
    .probe = probe,
    .query = query,
    .open = open_paper,
    .close = close_paper,
    .alloc = alloc,
    .free = release,
    .host = host,
    QN_PAPER_SLOTS,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .identity = qn_cu_identity,
    .compile = qn_cu_compile,
    .module_load = module_load,
    .module_free = module_free,
    .kernel_get = kernel_get,
    .launch = launch,
    .proc = qn_cu_proc,
};

const qn_backend_ops *qn_cu_on_paper(const char *arch, unsigned *index) {
  static const char prefix[] = "sm_";
  if (strncmp(arch, prefix, sizeof prefix - 1) != 0) return NULL;
  const char *digits = arch + sizeof prefix - 1;
  const size_t places = strspn(digits, "0123456789");
  const bool suffix = digits[places] == 'a' && digits[places + 1] == '\0';
  if (places < 2 || places > 3 || (digits[places] && !suffix)) return NULL;
  *index = (unsigned)strtoul(digits, NULL, 10);
  return &ops;
}
