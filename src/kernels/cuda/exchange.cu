/* Results that travel between thread blocks of one launch without flags. Needs element.cl.
 *
 * The host fills the memory with ones (the bytes 0xff); a word that is not all ones is a result.
 * All ones is a NaN, and a result that had these bits is written as another NaN. 64-bit words are
 * judged by their upper half. Words are written and read whole, in any order. */

/* Each of the four words is read whole, from where all groups see it. */
QN_DEV uint4 load_shared_by_groups(const uint4 *p) {
  uint4 v;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}

QN_DEV ulonglong2 load_shared_by_groups(const ulonglong2 *p) {
  ulonglong2 v;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(v.x), "=l"(v.y)
               : "l"(p)
               : "memory");
  return v;
}

QN_DEV void store_shared_by_groups(uint4 *p, uint4 v) {
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

QN_DEV void store_shared_by_groups(ulonglong2 *p, ulonglong2 v) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.x), "l"(v.y)
               : "memory");
}

#if QN_T == 3 || QN_T == 5
typedef ulonglong2 piece;
#define HIGH(word)      ((qn_u32)((word) >> 32))
#define IS_RESULT(v)    (HIGH((v).x) != 0xffffffffu && HIGH((v).y) != 0xffffffffu)
#define LARGEST_PART(v) max(HIGH((v).x), HIGH((v).y))
#else
typedef uint4 piece;
#define IS_RESULT(v)                                                                               \
  ((v).x != 0xffffffffu && (v).y != 0xffffffffu && (v).z != 0xffffffffu && (v).w != 0xffffffffu)
#define LARGEST_PART(v) max(max((v).x, (v).y), max((v).z, (v).w))
#endif

/* QN_SPIN_LIMIT, for work on kernels: a wait without end becomes a fault. */
#ifdef QN_SPIN_LIMIT
#define SPINS int spins = 0
#define SPIN                                                                                       \
  if (++spins > QN_SPIN_LIMIT) __trap()
#else
#define SPINS
#define SPIN (void)0
#endif

/* A result that is no hole. */
QN_DEV real not_a_hole(real x) {
#if QN_T == 3 || QN_T == 5
  return HIGH(QN_BITS_OF_F64(x)) == 0xffffffffu ? QN_F64_OF_BITS(0x7ff8000000000000ull) : x;
#else
  return QN_BITS_OF_F32(x) == 0xffffffffu ? QN_F32_OF_BITS(0x7fffffffu) : x;
#endif
}

/* `count` results side by side, in pieces: a multiple of VW. */
QN_DEV void publish_run(elem *to, const elem *x, int count) {
  QN_UNROLL
  for (int i = 0; i < count; i += VW) {
    union {
      piece whole;
      real part[16 / sizeof(real)];
    } out;
    QN_UNROLL
    for (int v = 0; v < VW; v++) {
#if QN_IS_COMPLEX
      out.part[2 * v] = not_a_hole(x[i + v].x);
      out.part[2 * v + 1] = not_a_hole(x[i + v].y);
#else
      out.part[v] = not_a_hole(x[i + v]);
#endif
    }
    store_shared_by_groups((piece *)(to + i), out.whole);
  }
}

/* One result that is no hole. */
QN_DEV void publish_one(real *to, real x) {
#if QN_T == 3 || QN_T == 5
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(x) : "memory");
#else
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
#endif
}

/* One element, part by part, none a hole. */
QN_DEV void publish_element(elem *to, elem x) {
#if QN_IS_COMPLEX
  publish_one((real *)to, not_a_hole(x.x));
  publish_one((real *)to + 1, not_a_hole(x.y));
#else
  publish_one(to, not_a_hole(x));
#endif
}
