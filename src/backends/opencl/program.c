/* OpenCL programs: from source to a binary that can be kept, from the binary to kernels, launches.
 */
#include "backends/opencl/cl.h"
#include <stdio.h>
#include <string.h>

char *qn_cl_build_log(qn_bdev *dev, cl_program program) {
  size_t size = 0;
  qn_cl.clGetProgramBuildInfo(program, dev->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  if (size <= 1) return NULL;
  char *raw = qn_host_zalloc(size + 1);
  if (!raw) return NULL;
  qn_cl.clGetProgramBuildInfo(program, dev->device.id, CL_PROGRAM_BUILD_LOG, size, raw, NULL);
  char *log = qn_host_strdup(raw); /* some drivers count bytes behind the NUL */
  qn_host_free(raw, size + 1);
  return log;
}

static qn_status binary_of(cl_program program, qn_blob *binary) {
  size_t size = 0;
  cl_int code = qn_cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clGetProgramInfo");
  if (size == 0) return qn_fail(QN_EBACKEND, "clGetProgramInfo", "the program has no binary");
  unsigned char *data = qn_host_alloc(size);
  if (!data) return qn_fail(QN_ENOMEM, "opencl", "no host memory for a binary of %zu bytes", size);
  code = qn_cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL);
  if (code != CL_SUCCESS) {
    qn_host_free(data, size);
    return qn_cl_check(code, "clGetProgramInfo");
  }
  *binary = (qn_blob){data, size};
  return QN_OK;
}

/* Of our own kernels only the tests want to hear warnings: PoCL tells the process's stderr how many
 * there were, and on AVX2 vectors of 64 bytes give some. */
static qn_status build(qn_bdev *dev, cl_program program, const qn_source *source, char **log) {
  char options[2048];
  const bool ours = strncmp(source->name, "portable/", 9) == 0;
  int used = snprintf(options, sizeof options, "-cl-std=CL1.2 -cl-kernel-arg-info%s%s %s",
                      dev->exact_divide ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
                      ours ? " -w" : "", source->options ? source->options : "");
  if (used >= (int)sizeof options)
    return qn_fail(QN_EINVAL, "clBuildProgram", "%s: the options are too long", source->name);
  cl_int code = qn_cl.clBuildProgram(program, 1, &dev->device.id, options, NULL, NULL);
  *log = qn_cl_build_log(dev, program);
  if (code == CL_SUCCESS) return QN_OK;
  if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS)
    return qn_fail(QN_ECOMPILE, "clBuildProgram", "%s: %s: %s", source->name,
                   qn_cl_error_name(code), *log ? *log : "no build log");
  return qn_cl_check(code, "clBuildProgram");
}

qn_status qn_cl_compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log) {
  *log = NULL;
  cl_context context;
  qn_status status = qn_cl_context(dev, &context);
  if (status) return status;
  cl_int code;
  const char *text = source->text;
  cl_program program = qn_cl.clCreateProgramWithSource(context, 1, &text, NULL, &code);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clCreateProgramWithSource");
  status = build(dev, program, source, log);
  if (!status) status = binary_of(program, binary);
  qn_cl.clReleaseProgram(program);
  return status;
}

qn_status qn_cl_module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module) {
  cl_context context;
  qn_status status = qn_cl_context(dev, &context);
  if (status) return status;
  cl_int code, loaded;
  const unsigned char *data = binary->data;
  cl_program program = qn_cl.clCreateProgramWithBinary(context, 1, &dev->device.id, &binary->size,
                                                       &data, &loaded, &code);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clCreateProgramWithBinary");
  code = qn_cl.clBuildProgram(program, 1, &dev->device.id, "", NULL, NULL);
  qn_bmodule *m = code == CL_SUCCESS ? qn_host_zalloc(sizeof *m) : NULL;
  if (!m) {
    qn_cl.clReleaseProgram(program);
    if (code != CL_SUCCESS) return qn_cl_check(code, "clBuildProgram");
    return qn_fail(QN_ENOMEM, "opencl", "no host memory for a module");
  }
  m->dev = dev;
  m->program = program;
  pthread_mutex_init(&m->lock, NULL);
  *module = m;
  return QN_OK;
}

void qn_cl_module_free(qn_bmodule *module) {
  if (!module) return;
  for (qn_bkernel *k = module->kernels, *next; k; k = next) {
    next = k->next;
    qn_cl.clReleaseKernel(k->kernel);
    pthread_mutex_destroy(&k->lock);
    qn_host_free(k, sizeof *k);
  }
  qn_host_strfree(module->log);
  qn_cl.clReleaseProgram(module->program);
  pthread_mutex_destroy(&module->lock);
  qn_host_free(module, sizeof *module);
}

/* Bytes of a built-in scalar or vector type by its name, 0 for another type. */
static unsigned size_of_type(const char *name) {
  static const struct {
    const char *name;
    unsigned size;
  } types[] = {{"uchar", 1}, {"char", 1},  {"ushort", 2}, {"short", 2}, {"half", 2},  {"uint", 4},
               {"int", 4},   {"float", 4}, {"ulong", 8},  {"long", 8},  {"double", 8}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t length = strlen(types[i].name);
    if (strncmp(name, types[i].name, length) != 0) continue;
    unsigned lanes = 1;
    if (name[length] && sscanf(name + length, "%u", &lanes) != 1) return 0;
    return types[i].size * (lanes == 3 ? 4 : lanes);
  }
  return 0;
}

static void describe_params(cl_kernel kernel, qn_kernel_info *info) {
  cl_uint count = 0;
  info->params = -1;
  if (qn_cl.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) != CL_SUCCESS)
    return;
  info->params = (int32_t)count;
  for (cl_uint i = 0; i < count && i < QN_MAX_KERNEL_ARGS; i++) {
    cl_kernel_arg_address_qualifier space;
    char type[64] = "";
    if (qn_cl.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                                 NULL) != CL_SUCCESS)
      continue; /* programs made from binaries may have forgotten it */
    qn_param *param = &info->param[i];
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      param->kind = QN_PARAM_LOCAL;
    } else if (space != CL_KERNEL_ARG_ADDRESS_PRIVATE) {
      *param = (qn_param){QN_PARAM_MEM, sizeof(void *)};
    } else {
      qn_cl.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type, NULL);
      *param = (qn_param){QN_PARAM_VALUE, size_of_type(type)};
    }
  }
}

/* Items a group may have. A kernel that declares its group has that one: some drivers tell the
 * size that they would have chosen themselves even then. */
static size_t largest_group(cl_device_id id, cl_kernel kernel) {
  size_t group = 0, declared[3] = {0};
  qn_cl.clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  if (qn_cl.clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof declared,
                                     declared, NULL) != CL_SUCCESS)
    return group;
  const size_t items = declared[0] * declared[1] * declared[2];
  return items > group ? items : group;
}

static void describe(qn_bmodule *module, cl_kernel kernel, qn_kernel_info *info) {
  memset(info, 0, sizeof *info);
  cl_ulong local = 0;
  cl_device_id id = module->dev->device.id;
  const size_t group = largest_group(id, kernel);
  qn_cl.clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
  info->max_group = (uint32_t)group;
  info->local_bytes = (uint32_t)local;
  describe_params(kernel, info);
}

qn_status qn_cl_kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                           qn_kernel_info *info) {
  cl_int code;
  cl_kernel native = qn_cl.clCreateKernel(module->program, name, &code);
  if (code == CL_INVALID_KERNEL_NAME)
    return qn_fail(QN_EINVAL, "clCreateKernel", "the source has no kernel '%s'", name);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clCreateKernel");
  qn_bkernel *k = qn_host_zalloc(sizeof *k);
  if (!k) {
    qn_cl.clReleaseKernel(native);
    return qn_fail(QN_ENOMEM, "opencl", "no host memory for a kernel");
  }
  k->module = module;
  k->kernel = native;
  pthread_mutex_init(&k->lock, NULL);
  describe(module, native, info);
  pthread_mutex_lock(&module->lock);
  k->next = module->kernels;
  module->kernels = k;
  pthread_mutex_unlock(&module->lock);
  *kernel = k;
  return QN_OK;
}

static qn_status set_arg(cl_kernel kernel, unsigned index, const qn_arg *arg) {
  cl_mem mem = (cl_mem)arg->mem;
  size_t size = arg->size;
  const void *value = arg->value;
  if (arg->kind == QN_ARG_MEM) {
    size = sizeof mem;
    value = &mem;
  } else if (arg->kind == QN_ARG_LOCAL) {
    value = NULL;
  }
  cl_int code = qn_cl.clSetKernelArg(kernel, index, size, value);
  if (code == CL_SUCCESS) return QN_OK;
  qn_status status = code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_INDEX ||
                             code == CL_INVALID_ARG_VALUE || code == CL_INVALID_MEM_OBJECT
                         ? QN_EINVAL
                         : QN_EBACKEND;
  return qn_fail(status, "clSetKernelArg", "argument %u of %zu bytes: %s (%d)", index, size,
                 qn_cl_error_name(code), (int)code);
}

qn_status qn_cl_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                       const qn_arg *args, unsigned count) {
  if (launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1 ||
      launch->dynamic_local)
    return qn_fail(QN_EUNSUPPORTED, "clEnqueueNDRangeKernel",
                   "OpenCL has no clusters and takes local memory as an argument");
  size_t global[3], local[3];
  for (int d = 0; d < 3; d++) {
    local[d] = launch->group[d];
    global[d] = (size_t)launch->groups[d] * local[d];
  }
  qn_status status = QN_OK;
  pthread_mutex_lock(&kernel->lock);
  for (unsigned i = 0; i < count && !status; i++) status = set_arg(kernel->kernel, i, &args[i]);
  if (!status)
    status = qn_cl_check(qn_cl.clEnqueueNDRangeKernel(stream->queue, kernel->kernel, 3, NULL,
                                                      global, local, 0, NULL, NULL),
                         "clEnqueueNDRangeKernel");
  pthread_mutex_unlock(&kernel->lock);
  return status;
}
