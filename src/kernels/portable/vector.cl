/* 16 bytes of accumulators: what one access to local memory moves. Needs element.cl.
 *
 * vec has VW of them; UNVEC(d, at, v) spreads v over d[at], d[at + 1], ... */
#if QN_T <= 2
typedef float4 vec;
#define VW 4
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at] = v_.x, (d)[(at) + 1] = v_.y, (d)[(at) + 2] = v_.z, (d)[(at) + 3] = v_.w;              \
  } while (0)
#elif QN_T == 3
typedef double2 vec;
#define VW 2
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at] = v_.x, (d)[(at) + 1] = v_.y;                                                          \
  } while (0)
#elif QN_T == 4
typedef float4 vec;
#define VW 2
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at] = acc_make(v_.x, v_.y), (d)[(at) + 1] = acc_make(v_.z, v_.w);                          \
  } while (0)
#else
typedef double2 vec;
#define VW              1
#define UNVEC(d, at, v) ((d)[at] = (v))
#endif
