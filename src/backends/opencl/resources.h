/* What kernels take of a multiprocessor. The first two are pure. */
#ifndef QN_OPENCL_RESOURCES_H
#define QN_OPENCL_RESOURCES_H

#include "backends/opencl/cl.h"

/* Of NVIDIA's verbose build log: registers and bytes in memory of an item of `kernel`. False where
 * the log does not tell. */
bool qn_cl_read_log(const char *log, const char *kernel, uint32_t *registers, uint32_t *spills);

/* Items that a multiprocessor of NVIDIA's holds of a kernel in groups of `group`, and the most of
 * any kernel; 0 for a capability (90: 9.0) that is not known. */
uint32_t qn_cl_resident(int capability, uint32_t registers, uint32_t local_bytes, uint32_t group,
                        uint32_t *most);

qn_status qn_cl_resources(qn_bdev *dev, qn_bkernel *kernel, qn_kernel_info *info);
qn_status qn_cl_residency(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                          uint32_t *most);

#endif
