/* OpenCL C's own words in CUDA C, for kernels that users bring. Needs prelude.cl; empty in OpenCL.
 *
 * The words are those with underscores (__kernel, __global): CUDA's own attributes are spelled with
 * the bare ones. __local marks variables only: a function that takes a pointer to local memory
 * writes QN_LOCAL_PTR instead, for CUDA has no qualifier there. */
#ifndef __OPENCL_VERSION__

#define __kernel   QN_KERNEL
#define __global
#define __local    __shared__
#define __constant const
#define __private
#define restrict   __restrict__
#define CLK_LOCAL_MEM_FENCE  1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(fences)      __syncthreads()

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
/* OpenCL's long has 64 bits, as here it has on Linux and macOS. */
typedef unsigned long ulong;

#define QN_BY_AXIS(d, builtin) ((d) == 0 ? builtin.x : (d) == 1 ? builtin.y : builtin.z)
QN_DEV size_t get_local_id(uint d) {
  return QN_BY_AXIS(d, threadIdx);
}
QN_DEV size_t get_group_id(uint d) {
  return QN_BY_AXIS(d, blockIdx);
}
QN_DEV size_t get_local_size(uint d) {
  return QN_BY_AXIS(d, blockDim);
}
QN_DEV size_t get_num_groups(uint d) {
  return QN_BY_AXIS(d, gridDim);
}
QN_DEV size_t get_global_id(uint d) {
  return get_group_id(d) * get_local_size(d) + get_local_id(d);
}
QN_DEV size_t get_global_size(uint d) {
  return get_num_groups(d) * get_local_size(d);
}

QN_DEV float mad(float a, float b, float c) {
  return a * b + c;
}
QN_DEV float native_exp(float x) {
  return __expf(x);
}
QN_DEV uint as_uint(float x) {
  return QN_BITS_OF_F32(x);
}
QN_DEV float as_float(uint x) {
  return QN_F32_OF_BITS(x);
}

#endif
