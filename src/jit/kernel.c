/* The public kernel: a user's source text behind the same caches as the library's own. */
#include "jit/jit.h"
#include <quern/kernel.h>
#include <string.h>

struct qn_kernel {
  qn_device *device;
  const qn_jit_entry *entry;
};

qn_status qn_kernel_create(qn_device *device, const char *name, const char *source,
                           const char *options, qn_kernel **kernel) {
  const char *me = "qn_kernel_create";
  if (!device || !name || !source || !kernel)
    return qn_fail(QN_EINVAL, me, "device, name, source or kernel is NULL");
  qn_status status = qn_device_check(device, me);
  if (status) return status;
  qn_kernel *k = qn_host_zalloc(sizeof *k);
  if (!k) return qn_fail(QN_ENOMEM, me, "no host memory for a kernel");
  const qn_jit_request request = {name, source, options, name, NULL};
  status = qn_jit_kernels(device, &request, 1, &k->entry, NULL);
  if (status) {
    qn_host_free(k, sizeof *k);
    qn_error_prefix("%s: ", me);
    return status;
  }
  qn_device_retain(device);
  k->device = device;
  *kernel = k;
  return QN_OK;
}

void qn_kernel_free(qn_kernel *kernel) {
  if (!kernel) return;
  qn_device *device = kernel->device;
  qn_host_free(kernel, sizeof *kernel);
  qn_device_release(device);
}

qn_status qn_kernel_query(const qn_kernel *kernel, qn_kernel_report *report) {
  if (!kernel || !report) return qn_fail(QN_EINVAL, "qn_kernel_query", "kernel or report is NULL");
  const qn_backend_ops *ops = kernel->device->ops;
  qn_kernel_info info = kernel->entry->info;
  qn_status status = QN_OK;
  if (ops->resources) status = ops->resources(kernel->device->handle, kernel->entry->handle, &info);
  *report = (qn_kernel_report){info.registers, info.local_bytes, info.spill_bytes, info.max_group,
                               info.params};
  return qn_device_result(kernel->device, status);
}

qn_status qn_kernel_occupancy(const qn_kernel *kernel, uint32_t group, double *share) {
  const char *me = "qn_kernel_occupancy";
  if (!kernel || !share) return qn_fail(QN_EINVAL, me, "kernel or share is NULL");
  const qn_kernel_info *info = &kernel->entry->info;
  if (group == 0 || (info->max_group && group > info->max_group))
    return qn_fail(QN_EINVAL, me, "a group of %u items; the kernel allows 1 to %u", group,
                   info->max_group);
  const qn_backend_ops *ops = kernel->device->ops;
  uint32_t items = 0, most = 0;
  *share = 0.0;
  if (!ops->residency) return QN_OK;
  const qn_status status =
      ops->residency(kernel->device->handle, kernel->entry->handle, group, &items, &most);
  if (!status && most) *share = (double)items / most;
  return qn_device_result(kernel->device, status);
}

/* The argument in the backend's words; bytes stay where the caller has them. */
static qn_status translate(qn_stream *stream, const qn_kernel_arg *arg, unsigned index,
                           qn_arg *out) {
  *out = (qn_arg){.kind = QN_ARG_VALUE, .value = &arg->as};
  switch (arg->kind) {
  case QN_KERNEL_BUFFER:
    if (!arg->as.buffer || arg->as.buffer->device != stream->device)
      return qn_fail(QN_EINVAL, "qn_kernel_launch", "argument %u: %s", index,
                     arg->as.buffer ? "the buffer belongs to another device" : "buffer is NULL");
    *out = (qn_arg){.kind = QN_ARG_MEM, .mem = arg->as.buffer->mem};
    return qn_buffer_use(arg->as.buffer, stream);
  case QN_KERNEL_I32:
  case QN_KERNEL_F32:
    out->size = 4;
    return QN_OK;
  case QN_KERNEL_I64:
  case QN_KERNEL_F64:
    out->size = 8;
    return QN_OK;
  case QN_KERNEL_BYTES:
    out->size = arg->size;
    out->value = arg->as.bytes;
    if (out->value && out->size) return QN_OK;
    return qn_fail(QN_EINVAL, "qn_kernel_launch", "argument %u: no bytes", index);
  case QN_KERNEL_LOCAL:
    *out = (qn_arg){.kind = QN_ARG_LOCAL, .size = arg->size};
    if (out->size) return QN_OK;
    return qn_fail(QN_EINVAL, "qn_kernel_launch", "argument %u: 0 bytes of local memory", index);
  }
  return qn_fail(QN_EINVAL, "qn_kernel_launch", "argument %u: kind %d is none", index,
                 (int)arg->kind);
}

static qn_status check_declared(const qn_param *declared, const qn_arg *arg, unsigned index) {
  static const char *const kinds[] = {"anything", "a value", "a buffer", "local memory"};
  static const int declared_as[] = {[QN_ARG_VALUE] = QN_PARAM_VALUE,
                                    [QN_ARG_MEM] = QN_PARAM_MEM,
                                    [QN_ARG_LOCAL] = QN_PARAM_LOCAL};
  int kind = declared_as[arg->kind];
  if (declared->kind != QN_PARAM_UNKNOWN && (int)declared->kind != kind)
    return qn_fail(QN_EINVAL, "qn_kernel_launch", "argument %u: the kernel declares %s, given %s",
                   index, kinds[declared->kind], kinds[kind]);
  size_t size = arg->kind == QN_ARG_MEM ? sizeof(void *) : arg->size;
  if (declared->size && arg->kind != QN_ARG_LOCAL && declared->size != size)
    return qn_fail(QN_EINVAL, "qn_kernel_launch",
                   "argument %u: the kernel declares %u bytes, given %zu", index, declared->size,
                   size);
  return QN_OK;
}

static qn_status check_grid(const qn_kernel_info *info, const qn_grid *grid) {
  uint64_t items = (uint64_t)grid->group[0] * grid->group[1];
  items = items > UINT32_MAX ? items : items * grid->group[2];
  if (items == 0 || (info->max_group && items > info->max_group))
    return qn_fail(QN_EINVAL, "qn_kernel_launch",
                   "a group of %u x %u x %u items; the kernel allows 1 to %u", grid->group[0],
                   grid->group[1], grid->group[2], info->max_group);
  return QN_OK;
}

qn_status qn_kernel_launch(qn_stream *stream, qn_kernel *kernel, qn_grid grid,
                           const qn_kernel_arg *args, unsigned count) {
  const char *me = "qn_kernel_launch";
  qn_status status = qn_stream_check(stream, me);
  if (status) return status;
  if (!kernel || (count && !args)) return qn_fail(QN_EINVAL, me, "kernel or args is NULL");
  if (kernel->device != stream->device)
    return qn_fail(QN_EINVAL, me, "the kernel belongs to another device than the stream");
  const qn_kernel_info *info = &kernel->entry->info;
  if (count > QN_MAX_KERNEL_ARGS || (info->params >= 0 && (int32_t)count != info->params))
    return qn_fail(QN_EINVAL, me, "%u arguments; the kernel takes %d", count,
                   info->params >= 0 ? info->params : QN_MAX_KERNEL_ARGS);
  status = check_grid(info, &grid);
  qn_arg list[QN_MAX_KERNEL_ARGS];
  for (unsigned i = 0; i < count && !status; i++) {
    status = translate(stream, &args[i], i, &list[i]);
    if (!status) status = check_declared(&info->param[i], &list[i], i);
  }
  if (status) return status;
  qn_launch launch = {0};
  memcpy(launch.groups, grid.groups, sizeof launch.groups);
  memcpy(launch.group, grid.group, sizeof launch.group);
  return qn_jit_launch(stream, kernel->entry, &launch, list, count);
}
