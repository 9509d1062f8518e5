/* Open devices: one object for each physical device, counted, shared by all threads, and usable in
 * the child of a fork. */
#include "device/device.h"
#include <string.h>

/* Guards the list and every step of a count from or to zero. Taken before a device's own lock. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static qn_device *open_devices;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* A fork copies the locks as they are; were one held by another thread then, the child would wait
 * for ever. So the forking thread takes them all, and both sides let go. */
static void before_fork(void) {
  pthread_mutex_lock(&registry_lock);
  for (qn_device *d = open_devices; d; d = d->next) pthread_mutex_lock(&d->lock);
}

static void after_fork(void) {
  for (qn_device *d = open_devices; d; d = d->next) pthread_mutex_unlock(&d->lock);
  pthread_mutex_unlock(&registry_lock);
}

static void register_fork_handlers(void) {
  pthread_atfork(before_fork, after_fork, after_fork);
}

static void destroy(qn_device *device) {
  qn_kernel_store *forms = atomic_load(&device->forms), *kernels = atomic_load(&device->kernels);
  if (forms) forms->free(forms, device->ops);
  if (kernels) kernels->free(kernels, device->ops);
  qn_pool_delete(device);
  if (device->handle) device->ops->close(device->handle);
  pthread_mutex_destroy(&device->lock);
  qn_host_free(device, sizeof *device);
}

static qn_status create(const qn_backend_ops *ops, unsigned index, qn_device **out) {
  qn_device *device = qn_host_zalloc(sizeof *device);
  if (!device) return qn_fail(QN_ENOMEM, "qn_device_open", "no memory for the device");
  device->ops = ops;
  device->index = index;
  pthread_mutex_init(&device->lock, NULL);
  atomic_init(&device->references, 1);

  qn_status status = ops->open(index, &device->handle);
  if (status == QN_OK) status = ops->query(index, &device->info);
  if (status == QN_OK) status = qn_pool_new(device);
  if (status != QN_OK) {
    destroy(device);
    return status;
  }
  if (ops->proc) device->cpu = ops->proc(device->handle, QN_PROC_CPU_OPS);
  *out = device;
  return QN_OK;
}

static qn_device *find_open(const qn_backend_ops *ops, unsigned index) {
  for (qn_device *d = open_devices; d; d = d->next)
    if (d->ops == ops && d->index == index) return d;
  return NULL;
}

qn_status qn_device_acquire(const qn_backend_ops *ops, unsigned index, qn_device **out) {
  pthread_once(&fork_once, register_fork_handlers);
  qn_status status = QN_OK;
  pthread_mutex_lock(&registry_lock);
  qn_device *device = find_open(ops, index);
  if (device) {
    qn_device_retain(device);
  } else {
    status = create(ops, index, &device);
    if (status == QN_OK) {
      device->next = open_devices;
      open_devices = device;
    }
  }
  if (status == QN_OK) *out = device;
  pthread_mutex_unlock(&registry_lock);
  return status;
}

void qn_device_retain(qn_device *device) {
  atomic_fetch_add_explicit(&device->references, 1, memory_order_relaxed);
}

/* Only under the registry's lock may a count reach zero: a thread that opens the device at the same
 * time finds it either alive or gone. */
void qn_device_release(qn_device *device) {
  int count = atomic_load_explicit(&device->references, memory_order_relaxed);
  while (count > 1)
    if (atomic_compare_exchange_weak_explicit(&device->references, &count, count - 1,
                                              memory_order_release, memory_order_relaxed))
      return;

  pthread_mutex_lock(&registry_lock);
  if (atomic_fetch_sub_explicit(&device->references, 1, memory_order_acq_rel) == 1) {
    qn_device **link = &open_devices;
    while (*link != device) link = &(*link)->next;
    *link = device->next;
    destroy(device);
  }
  pthread_mutex_unlock(&registry_lock);
}

void qn_device_close(qn_device *device) {
  if (device) qn_device_release(device);
}

qn_status qn_device_query(qn_device *device, qn_device_info *info) {
  if (!device) return qn_fail(QN_EINVAL, "qn_device_query", "device is NULL");
  if (!info) return qn_fail(QN_EINVAL, "qn_device_query", "info is NULL");
  *info = device->info;
  return QN_OK;
}

qn_status qn_device_result(qn_device *device, qn_status status) {
  if (status == QN_ELOST) atomic_store(&device->status, QN_ELOST);
  return status;
}

qn_status qn_device_check(const qn_device *device, const char *function) {
  if (!device) return qn_fail(QN_EINVAL, function, "device is NULL");
  if (atomic_load_explicit(&device->status, memory_order_relaxed) == QN_OK) return QN_OK;
  return qn_fail(QN_ELOST, function, "device %s is lost: close everything that uses it",
                 device->info.id);
}
