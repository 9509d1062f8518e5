/* The words in which the portable kernels are written: OpenCL C 1.2 and CUDA C from one source.
 *
 *   QN_KERNEL QN_WG_SIZE(x, y, z) void name(QN_GLOBAL const real *QN_RESTRICT a, qn_i64 a0, ...)
 *
 * Memory. A variable in local memory and a pointer to one need different words, since CUDA marks
 * the variable (__shared__) but not the pointer, and OpenCL marks both:
 *   QN_LOCAL_VAR float tile[256];              inside a kernel's body, at its outermost level
 *   QN_DEV void load(QN_LOCAL_PTR float *tile) in a function that gets it
 * Places. QN_LID(d) item in its group, QN_WGID(d) group in the grid, QN_LSIZE(d) items a group,
 *   QN_NWG(d) groups, QN_GID(d) item in the grid; d is 0, 1 or 2, written as a constant.
 * Integers. qn_i32 qn_u32 qn_i64 qn_u64 qn_u16 qn_u8 are the same widths everywhere (long is not).
 * Arithmetic. QN_FMAF and QN_FMA64 round once where the device does that at full speed.
 *   a * b + c may be contracted too. No fast-math of any kind.
 * Loops. QN_UNROLL before a loop of constant length. */

#ifdef __OPENCL_VERSION__

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define QN_HAS_F64 1
#else
#define QN_HAS_F64 0
#endif
#define QN_KERNEL   __kernel
#define QN_DEV      inline
#define QN_GLOBAL   __global
#define QN_CONSTANT __constant
#define QN_LOCAL_VAR __local
#define QN_LOCAL_PTR __local
#define QN_RESTRICT restrict
#define QN_WG_SIZE(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define QN_WG_SIZE_PER_UNIT(x, y, z, groups) QN_WG_SIZE(x, y, z)
#define QN_LID(d)   ((int)get_local_id(d))
#define QN_WGID(d)  ((int)get_group_id(d))
#define QN_LSIZE(d) ((int)get_local_size(d))
#define QN_NWG(d)   ((int)get_num_groups(d))
#define QN_GID(d)   ((qn_i64)get_global_id(d))
#define QN_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define QN_BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
typedef uchar qn_u8;
typedef ushort qn_u16;
typedef int qn_i32;
typedef uint qn_u32;
typedef long qn_i64;
typedef ulong qn_u64;
#define QN_BITS_OF_F32(x)  as_uint(x)
#define QN_F32_OF_BITS(x)  as_float(x)
#define QN_BITS_OF_F64(x)  as_ulong(x)
#define QN_F64_OF_BITS(x)  as_double(x)
#ifdef FP_FAST_FMAF
#define QN_FMAF(a, b, c) fma(a, b, c)
#else
#define QN_FMAF(a, b, c) ((a) * (b) + (c))
#endif
#define QN_FMA64(a, b, c) fma(a, b, c)
#define QN_F32X2(x, y) ((float2)(x, y))
#define QN_F64X2(x, y) ((double2)(x, y))
#define QN_F32X4(x, y, z, w) ((float4)(x, y, z, w))

#else /* CUDA C by NVRTC */

#define QN_HAS_F64  1
#define QN_KERNEL   extern "C" __global__
#define QN_DEV      static __device__ __forceinline__
#define QN_GLOBAL
#define QN_CONSTANT const
#define QN_LOCAL_VAR __shared__
#define QN_LOCAL_PTR
#define QN_RESTRICT __restrict__
#define QN_WG_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))
#define QN_WG_SIZE_PER_UNIT(x, y, z, groups) __launch_bounds__((x) * (y) * (z), groups)
#define QN_CUDA_AXIS_0 x
#define QN_CUDA_AXIS_1 y
#define QN_CUDA_AXIS_2 z
#define QN_CUDA_JOIN(a, b) a##b
#define QN_CUDA_AXIS(d) QN_CUDA_JOIN(QN_CUDA_AXIS_, d)
#define QN_LID(d)   ((int)threadIdx.QN_CUDA_AXIS(d))
#define QN_WGID(d)  ((int)blockIdx.QN_CUDA_AXIS(d))
#define QN_LSIZE(d) ((int)blockDim.QN_CUDA_AXIS(d))
#define QN_NWG(d)   ((int)gridDim.QN_CUDA_AXIS(d))
#define QN_GID(d)   ((qn_i64)QN_WGID(d) * QN_LSIZE(d) + QN_LID(d))
#define QN_BARRIER() __syncthreads()
#define QN_BARRIER_GLOBAL() __syncthreads()
typedef unsigned char qn_u8;
typedef unsigned short qn_u16;
typedef int qn_i32;
typedef unsigned int qn_u32;
typedef long long qn_i64;
typedef unsigned long long qn_u64;
#define QN_BITS_OF_F32(x)  __float_as_uint(x)
#define QN_F32_OF_BITS(x)  __uint_as_float(x)
#define QN_BITS_OF_F64(x)  ((qn_u64)__double_as_longlong(x))
#define QN_F64_OF_BITS(x)  __longlong_as_double((qn_i64)(x))
#define QN_FMAF(a, b, c) fmaf(a, b, c)
#define QN_FMA64(a, b, c) fma(a, b, c)
#define QN_F32X2(x, y) make_float2(x, y)
#define QN_F64X2(x, y) make_double2(x, y)
#define QN_F32X4(x, y, z, w) make_float4(x, y, z, w)

#endif

#define QN_UNROLL _Pragma("unroll")
#define QN_MIN(a, b) ((a) < (b) ? (a) : (b))
#define QN_MAX(a, b) ((a) > (b) ? (a) : (b))
