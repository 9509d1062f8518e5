/* OpenCL devices: what they are, their context, and what decides the code they run. */
#include "backends/opencl/cl.h"
#include <stdio.h>
#include <string.h>

static void text_of(cl_device_id id, cl_device_info what, char *text, size_t size) {
  char long_text[1024] = "";
  qn_cl.clGetDeviceInfo(id, what, sizeof long_text - 1, long_text, NULL);
  const char *start = long_text + strspn(long_text, " ");
  snprintf(text, size, "%.*s", (int)(size - 1), start);
}

static cl_ulong number_of(cl_device_id id, cl_device_info what, size_t size) {
  union {
    cl_uint small;
    cl_ulong large;
  } value = {.large = 0};
  if (qn_cl.clGetDeviceInfo(id, what, size, &value, NULL) != CL_SUCCESS) return 0;
  return size == sizeof value.small ? value.small : value.large;
}

static bool has_double(cl_device_id id) {
  return number_of(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0;
}

/* The compute capability of a card of NVIDIA's, 90 for 9.0; 0 of another device. */
static int capability_of(cl_device_id id) {
  enum { COMPUTE_CAPABILITY_MAJOR_NV = 0x4000, COMPUTE_CAPABILITY_MINOR_NV = 0x4001 };
  char extensions[8192] = "";
  qn_cl.clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
  if (!strstr(extensions, "cl_nv_device_attribute_query")) return 0;
  return (int)(10 * number_of(id, COMPUTE_CAPABILITY_MAJOR_NV, sizeof(cl_uint)) +
               number_of(id, COMPUTE_CAPABILITY_MINOR_NV, sizeof(cl_uint)));
}

/* NVIDIA's devices name their architecture as the cuda backend does, so that what is chosen by it
 * is the same through both; others give their version of OpenCL, without the vendor's words that
 * follow it ("OpenCL 3.0 PoCL ..."). */
static void arch_of(cl_device_id id, char *text, size_t size) {
  const int capability = capability_of(id);
  if (capability) {
    snprintf(text, size, "sm_%d", capability);
    return;
  }
  text_of(id, CL_DEVICE_VERSION, text, size);
  char *number = strchr(text, ' ');
  if (number) number[1 + strcspn(number + 1, " ")] = '\0';
}

qn_status qn_cl_query(unsigned index, qn_device_info *info) {
  qn_cl_device device;
  qn_status status = qn_cl_find(index, &device);
  if (status) return status;
  cl_device_id id = device.id;
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "opencl:%u", index);
  snprintf(info->backend, sizeof info->backend, "opencl");
  text_of(id, CL_DEVICE_NAME, info->name, sizeof info->name);
  arch_of(id, info->arch, sizeof info->arch);
  text_of(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
  cl_device_type type = number_of(id, CL_DEVICE_TYPE, sizeof type);
  info->kind = type & CL_DEVICE_TYPE_GPU   ? QN_DEVICE_GPU
               : type & CL_DEVICE_TYPE_CPU ? QN_DEVICE_CPU
                                           : QN_DEVICE_OTHER;
  /* The halves need no extension: kernels convert their bits and compute in f32. */
  info->dtypes = 1u << QN_F16 | 1u << QN_BF16 | 1u << QN_F32 | 1u << QN_C64;
  if (has_double(id)) info->dtypes |= 1u << QN_F64 | 1u << QN_C128;
  info->compute_units = (unsigned)number_of(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
  info->clock_mhz = (unsigned)number_of(id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint));
  info->memory = number_of(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
  info->memory_max = number_of(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
  info->cache = number_of(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong));
  info->local_memory = number_of(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
  return QN_OK;
}

qn_status qn_cl_open(unsigned index, qn_bdev **dev) {
  qn_cl_device device;
  qn_status status = qn_cl_find(index, &device);
  if (status) return status;
  qn_bdev *d = qn_host_zalloc(sizeof *d);
  if (!d) return qn_fail(QN_ENOMEM, "opencl", "no host memory for a device");
  d->device = device;
  d->exact_divide = number_of(device.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config)) &
                    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  d->capability = capability_of(device.id);
  const cl_device_type type = number_of(device.id, CL_DEVICE_TYPE, sizeof type);
  d->gpu = type & CL_DEVICE_TYPE_GPU;
  pthread_mutex_init(&d->lock, NULL);
  *dev = d;
  return QN_OK;
}

void qn_cl_close(qn_bdev *dev) {
  if (!dev) return;
  if (dev->maps) qn_cl.clReleaseCommandQueue(dev->maps);
  if (dev->context) qn_cl.clReleaseContext(dev->context);
  pthread_mutex_destroy(&dev->lock);
  qn_host_free(dev, sizeof *dev);
}

qn_status qn_cl_context(qn_bdev *dev, cl_context *context) {
  qn_status status = QN_OK;
  pthread_mutex_lock(&dev->lock);
  if (!dev->context) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)dev->device.platform, 0};
    cl_int code;
    dev->context = qn_cl.clCreateContext(properties, 1, &dev->device.id, NULL, NULL, &code);
    if (code != CL_SUCCESS) dev->context = NULL;
    status = qn_cl_check(code, "clCreateContext");
  }
  *context = dev->context;
  pthread_mutex_unlock(&dev->lock);
  return status;
}

qn_status qn_cl_identity(qn_bdev *dev, char *text, size_t size) {
  char name[128], version[128], driver[128], platform[256] = "";
  text_of(dev->device.id, CL_DEVICE_NAME, name, sizeof name);
  text_of(dev->device.id, CL_DEVICE_VERSION, version, sizeof version);
  text_of(dev->device.id, CL_DRIVER_VERSION, driver, sizeof driver);
  qn_cl.clGetPlatformInfo(dev->device.platform, CL_PLATFORM_VERSION, sizeof platform - 1, platform,
                          NULL);
  snprintf(text, size, "opencl | %s | %s | %s | %s", name, version, driver, platform);
  return QN_OK;
}
