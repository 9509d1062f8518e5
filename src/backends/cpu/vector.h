/* Words over GNU vector extensions, alike in gcc and clang: lists of lanes for
 * __builtin_shufflevector and full unrolling. */
#ifndef QN_CPU_VECTOR_H
#define QN_CPU_VECTOR_H

#define QN_INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#define QN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define QN_UNROLL _Pragma("GCC unroll 32")
#endif

/* Keeps a loaded vector in a register: without it the compiler may load it again for each use. */
#if defined(__x86_64__)
#define QN_KEEP(v) __asm__("" : "+x"(v))
#elif defined(__aarch64__)
#define QN_KEEP(v) __asm__("" : "+w"(v))
#else
#define QN_KEEP(v) (void)(v)
#endif

/* Lanes of two vectors of 4, 8 or 16: x0 y0 x1 y1 ... from the lower and the upper halves, the
 * even and odd lanes of both, the even lanes of x with the odd of y, and x with neighbours swapped.
 */
#define QN_LO_2     0, 2
#define QN_HI_2     1, 3
#define QN_EVEN_2   0, 2
#define QN_ODD_2    1, 3
#define QN_BLEND_2  0, 3
#define QN_SWAP_2   1, 0
#define QN_LO_4     0, 4, 1, 5
#define QN_HI_4     2, 6, 3, 7
#define QN_EVEN_4   0, 2, 4, 6
#define QN_ODD_4    1, 3, 5, 7
#define QN_BLEND_4  0, 5, 2, 7
#define QN_SWAP_4   1, 0, 3, 2
#define QN_LO_8     0, 8, 1, 9, 2, 10, 3, 11
#define QN_HI_8     4, 12, 5, 13, 6, 14, 7, 15
#define QN_EVEN_8   0, 2, 4, 6, 8, 10, 12, 14
#define QN_ODD_8    1, 3, 5, 7, 9, 11, 13, 15
#define QN_BLEND_8  0, 9, 2, 11, 4, 13, 6, 15
#define QN_SWAP_8   1, 0, 3, 2, 5, 4, 7, 6
#define QN_LO_16    0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define QN_HI_16    8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define QN_EVEN_16  0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define QN_ODD_16   1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define QN_BLEND_16 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#define QN_SWAP_16  1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14

#define QN_PASTE2(a, b)       a##b
#define QN_PASTE(a, b)        QN_PASTE2(a, b)
#define QN_LANES(kind, n)     QN_PASTE(QN_##kind##_, n)
#define QN_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

#endif
