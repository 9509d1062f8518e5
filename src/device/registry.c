/* Names of devices and what stands behind them: "cpu", "cuda:0", "opencl:1", "auto".
 *
 * "cuda:sm_90a" opens a card on paper, which compiles and computes nothing; "faults+NAME" opens
 * NAME through the decorator that makes calls fail; it is listed nowhere. */
#include "device/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 32, MESSAGE_BYTES = 256, ANY_DTYPE = -1 };

/* A name taken apart. */
typedef struct device_name {
  bool faults;
  char backend[NAME_BYTES];
  unsigned index;
  const qn_backend_ops *paper; /* of a device on paper, whose number is then `index`; else NULL */
} device_name;

/* Backends that a name may mention, whether or not this build has them. */
static const char *const known_backends[] = {"cuda", "opencl", "cpu"};

static unsigned probe(const qn_backend_ops *ops, char message[MESSAGE_BYTES]) {
  unsigned count = 0;
  message[0] = '\0';
  qn_status status = ops->probe(&count, message, MESSAGE_BYTES);
  if (status == QN_OK) return count;
  if (!message[0]) snprintf(message, MESSAGE_BYTES, "%s", qn_last_error());
  return 0;
}

qn_status qn_backends(qn_backend_info *rows, unsigned capacity, unsigned *count) {
  if (!count) return qn_fail(QN_EINVAL, "qn_backends", "count is NULL");
  if (!rows && capacity) return qn_fail(QN_EINVAL, "qn_backends", "rows is NULL");
  for (unsigned i = 0; i < qn_backend_count && i < capacity; i++) {
    memset(&rows[i], 0, sizeof rows[i]);
    snprintf(rows[i].name, sizeof rows[i].name, "%s", qn_backend_list[i]->name);
    rows[i].devices = probe(qn_backend_list[i], rows[i].message);
  }
  *count = qn_backend_count;
  return QN_OK;
}

qn_status qn_devices(qn_device_info *rows, unsigned capacity, unsigned *count) {
  if (!count) return qn_fail(QN_EINVAL, "qn_devices", "count is NULL");
  if (!rows && capacity) return qn_fail(QN_EINVAL, "qn_devices", "rows is NULL");
  unsigned found = 0;
  for (unsigned b = 0; b < qn_backend_count; b++) {
    char message[MESSAGE_BYTES];
    unsigned devices = probe(qn_backend_list[b], message);
    for (unsigned i = 0; i < devices; i++, found++) {
      if (found >= capacity) continue;
      qn_status status = qn_backend_list[b]->query(i, &rows[found]);
      if (status != QN_OK) return status;
    }
  }
  *count = found;
  return QN_OK;
}

static bool is_known(const char *backend) {
  for (size_t i = 0; i < sizeof known_backends / sizeof known_backends[0]; i++)
    if (strcmp(backend, known_backends[i]) == 0) return true;
  for (unsigned i = 0; i < qn_backend_count; i++)
    if (strcmp(backend, qn_backend_list[i]->name) == 0) return true;
  return false;
}

/* Whether the backend has a device on paper of that name. */
static bool parse_arch(const char *arch, device_name *name) {
  for (unsigned i = 0; i < qn_backend_count && !name->paper; i++)
    if (strcmp(qn_backend_list[i]->name, name->backend) == 0 && qn_backend_list[i]->on_paper)
      name->paper = qn_backend_list[i]->on_paper(arch, &name->index);
  return name->paper != NULL && !name->faults;
}

/* [faults+]BACKEND[:INDEX] or BACKEND:ARCH */
static bool parse(const char *text, device_name *name) {
  static const char prefix[] = "faults+";
  name->faults = strncmp(text, prefix, sizeof prefix - 1) == 0;
  if (name->faults) text += sizeof prefix - 1;
  name->index = 0;
  name->paper = NULL;

  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  if (length >= NAME_BYTES) return false;
  memcpy(name->backend, text, length);
  name->backend[length] = '\0';
  if (!is_known(name->backend)) return false;
  if (!colon) return true;

  const char *digits = colon + 1;
  size_t places = strspn(digits, "0123456789");
  if (places == 0) return parse_arch(digits, name);
  if (places > 3 || digits[places] != '\0') return false;
  name->index = (unsigned)strtoul(digits, NULL, 10);
  return name->index < QN_FAULTS_STRIDE;
}

static qn_status open_named(const char *text, const device_name *name, qn_device **device) {
  static const char function[] = "qn_device_open";
  if (name->paper) return qn_device_acquire(name->paper, name->index, device);
  for (unsigned b = 0; b < qn_backend_count; b++) {
    const qn_backend_ops *ops = qn_backend_list[b];
    if (strcmp(ops->name, name->backend) != 0) continue;
    char message[MESSAGE_BYTES];
    unsigned count = probe(ops, message);
    if (name->index >= count)
      return qn_fail(QN_ENODEVICE, function, "no device '%s': %s has %u device%s (%s)", text,
                     ops->name, count, count == 1 ? "" : "s", message);
    if (name->faults)
      return qn_device_acquire(&qn_faults_backend, b * QN_FAULTS_STRIDE + name->index, device);
    return qn_device_acquire(ops, name->index, device);
  }
  return qn_fail(QN_ENODEVICE, function, "no device '%s': this build has no %s backend", text,
                 name->backend);
}

/* What "auto" takes: cards, and the cpu through its own backend; never a cpu behind a GPU's
 * interface, which would be slower. */
static bool auto_takes(const qn_backend_ops *ops, const qn_device_info *info, int dtype) {
  if (info->kind != QN_DEVICE_GPU && strcmp(ops->name, "cpu") != 0) return false;
  return dtype == ANY_DTYPE || (info->dtypes >> dtype & 1);
}

static qn_status open_auto(const char *function, int dtype, qn_device **device) {
  char found[1024] = "";
  size_t used = 0;
  for (unsigned b = 0; b < qn_backend_count; b++) {
    const qn_backend_ops *ops = qn_backend_list[b];
    char message[MESSAGE_BYTES];
    unsigned count = probe(ops, message);
    for (unsigned i = 0; i < count; i++) {
      qn_device_info info;
      memset(&info, 0, sizeof info);
      if (ops->query(i, &info) != QN_OK || !auto_takes(ops, &info, dtype)) continue;
      if (qn_device_acquire(ops, i, device) == QN_OK) return QN_OK;
      qn_log(QN_LOG_WARNING, "passing over %s: %s", info.id, qn_last_error());
      snprintf(message, sizeof message, "%s", qn_last_error());
    }
    if (used < sizeof found)
      used += (size_t)snprintf(found + used, sizeof found - used, "%s%s: %s", used ? "; " : "",
                               ops->name, message);
  }
  return qn_fail(QN_ENODEVICE, function, "no device%s%s (%s)",
                 dtype == ANY_DTYPE ? "" : " computes ",
                 dtype == ANY_DTYPE ? "" : qn_dtype_name((qn_dtype)dtype), found);
}

qn_status qn_device_open(const char *name, qn_device **device) {
  static const char function[] = "qn_device_open";
  if (!device) return qn_fail(QN_EINVAL, function, "device is NULL");
  *device = NULL;
  if (!name) return qn_fail(QN_EINVAL, function, "name is NULL");
  if (strcmp(name, "auto") == 0) return open_auto(function, ANY_DTYPE, device);
  device_name parts;
  if (!parse(name, &parts))
    return qn_fail(QN_EINVAL, function, "'%s' names no device: auto, cpu, cuda:N, opencl:N", name);
  return open_named(name, &parts, device);
}

qn_status qn_device_open_for(qn_dtype dtype, qn_device **device) {
  static const char function[] = "qn_device_open_for";
  if (!device) return qn_fail(QN_EINVAL, function, "device is NULL");
  *device = NULL;
  if (!qn_dtype_size(dtype)) return qn_fail(QN_EINVAL, function, "dtype is %d", (int)dtype);
  return open_auto(function, (int)dtype, device);
}
