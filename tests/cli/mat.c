/* Makes and checks matrices for the tests of the command, by code of its own: nothing of the
 * library or its readers is used. It knows .npy version 1 in Fortran order alone.
 *
 *   mat values FILE DTYPE ROWS COLS V...         column by column; re im pairs where complex
 *   mat random FILE DTYPE ROWS COLS SEED         uniform in (-1, 1)
 *   mat spd FILE DTYPE N SEED                    Hermitian positive definite
 *   mat triangle FILE DTYPE N SEED               full, its diagonal near 4 and the rest small
 *   mat gemm TA TB ALPHA A B BETA C0|- C         exits 0 if C = alpha op(A) op(B) + beta C0
 *   mat trmm SIDE UPLO TRANS DIAG ALPHA A B X    exits 0 if X = alpha op(A) B, or B op(A)
 *   mat trsm SIDE UPLO TRANS DIAG ALPHA A B X    exits 0 if op(A) X = alpha B, or X op(A)
 *   mat potrf UPLO A L                           exits 0 if L L^H = A, its other triangle 0
 *   mat show FILE                                dtype, shape and values */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex scalar;

typedef struct matrix {
  char dtype[4]; /* "f4" "f8" "c8" "c16" */
  long rows, cols;
  scalar *v;
} matrix;

static _Noreturn void die(const char *what, const char *which) {
  fprintf(stderr, "mat: %s: %s\n", which, what);
  exit(1);
}

/* Elements live until the end. */
enum { HELD_MOST = 16 };
static scalar *held[HELD_MOST];

static void release_all(void) {
  for (int i = 0; i < HELD_MOST; i++) free(held[i]);
}

static matrix make(const char *dtype, long rows, long cols) {
  static int count;
  matrix m = {.rows = rows, .cols = cols};
  snprintf(m.dtype, sizeof m.dtype, "%s", dtype);
  m.v = calloc((size_t)(rows * cols) + 1, sizeof *m.v);
  if (!m.v || count == HELD_MOST) die("out of memory", dtype);
  held[count++] = m.v;
  return m;
}

static scalar at(const matrix *m, long i, long j) {
  return m->v[i + j * m->rows];
}

static int is_complex(const matrix *m) {
  return m->dtype[0] == 'c';
}

static int is_double(const matrix *m) {
  return strcmp(m->dtype, "f8") == 0 || strcmp(m->dtype, "c16") == 0;
}

static void write_part(FILE *file, const matrix *m, double part) {
  const float single = (float)part;
  if (is_double(m)) {
    fwrite(&part, sizeof part, 1, file);
  } else {
    fwrite(&single, sizeof single, 1, file);
  }
}

static void save(const char *path, const matrix *m) {
  char header[118];
  FILE *file = fopen(path, "wb");
  if (!file) die("cannot be written", path);
  int used = snprintf(header, sizeof header,
                      "{'descr': '<%s', 'fortran_order': True, 'shape': (%ld, %ld), }", m->dtype,
                      m->rows, m->cols);
  memset(header + used, ' ', sizeof header - (size_t)used);
  header[sizeof header - 1] = '\n';
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fwrite(header, 1, sizeof header, file);
  for (long e = 0; e < m->rows * m->cols; e++) {
    write_part(file, m, creal(m->v[e]));
    if (is_complex(m)) write_part(file, m, cimag(m->v[e]));
  }
  if (fclose(file)) die("cannot be written", path);
}

static double read_part(FILE *file, const matrix *m, const char *path) {
  double part = 0.0;
  float single = 0.0f;
  const size_t got =
      is_double(m) ? fread(&part, sizeof part, 1, file) : fread(&single, sizeof single, 1, file);
  if (got != 1) die("is too short", path);
  return is_double(m) ? part : single;
}

static matrix load(const char *path) {
  unsigned char magic[10];
  char header[65536], dtype[4];
  long rows, cols;
  FILE *file = fopen(path, "rb");
  if (!file) die("cannot be read", path);
  if (fread(magic, 1, 10, file) != 10 || memcmp(magic, "\x93NUMPY\x01", 7) != 0)
    die("is no .npy of version 1", path);
  const size_t length = magic[8] + 256u * magic[9];
  if (fread(header, 1, length, file) != length) die("has a short header", path);
  header[length] = '\0';
  const char *descr = strstr(header, "'descr': '<"), *shape = strstr(header, "'shape': (");
  if (!descr || !shape || !strstr(header, "'fortran_order': True") ||
      sscanf(descr, "'descr': '<%3[fc0-9]", dtype) != 1 ||
      sscanf(shape, "'shape': (%ld, %ld", &rows, &cols) != 2)
    die("has another header than is known here", path);
  matrix m = make(dtype, rows, cols);
  for (long e = 0; e < rows * cols; e++) {
    m.v[e] = read_part(file, &m, path);
    if (is_complex(&m)) m.v[e] += I * read_part(file, &m, path);
  }
  if (fgetc(file) != EOF) die("has more than its shape holds", path);
  fclose(file);
  return m;
}

static uint32_t state;
static double uniform(void) {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 8388608.0 - 1.0;
}

static void fill(matrix *m, unsigned seed, double scale) {
  state = seed * 2654435761u + 1u;
  for (long e = 0; e < m->rows * m->cols; e++) {
    m->v[e] = scale * uniform();
    if (is_complex(m)) m->v[e] += I * scale * uniform();
  }
}

/* ---- checks ---- */

static scalar number(const char *text) {
  char *end;
  const double re = strtod(text, &end);
  return *end ? re + I * strtod(end, NULL) : re;
}

/* op(M), written out. */
static matrix op(const matrix *m, char trans) {
  if (trans == 'N') return *m;
  matrix t = make(m->dtype, m->cols, m->rows);
  for (long i = 0; i < t.rows; i++)
    for (long j = 0; j < t.cols; j++)
      t.v[i + j * t.rows] = trans == 'T' ? at(m, j, i) : conj(at(m, j, i));
  return t;
}

static matrix triangle(const matrix *m, char uplo, char diag) {
  matrix t = make(m->dtype, m->rows, m->cols);
  for (long i = 0; i < t.rows; i++) {
    for (long j = 0; j < t.cols; j++) {
      const int kept = uplo == 'L' ? i >= j : i <= j;
      t.v[i + j * t.rows] = !kept ? 0.0 : i == j && diag == 'U' ? 1.0 : at(m, i, j);
    }
  }
  return t;
}

static matrix product(const matrix *a, const matrix *b) {
  if (a->cols != b->rows) die("shapes do not fit", "product");
  matrix c = make(is_double(a) ? b->dtype : a->dtype, a->rows, b->cols); /* the less exact */
  for (long i = 0; i < c.rows; i++)
    for (long j = 0; j < c.cols; j++)
      for (long l = 0; l < a->cols; l++) c.v[i + j * c.rows] += at(a, i, l) * at(b, l, j);
  return c;
}

/* Whether x = alpha y (+ beta z), to the accuracy of x's dtype. */
static int alike(const matrix *x, scalar alpha, const matrix *y, scalar beta, const matrix *z) {
  const double tolerance = is_double(x) ? 1e-12 : 1e-4;
  double largest = 1e-300, worst = 0.0;
  if (x->rows != y->rows || x->cols != y->cols) die("has another shape", "the result");
  for (long e = 0; e < x->rows * x->cols; e++) {
    const scalar wanted = alpha * y->v[e] + (z ? beta * z->v[e] : 0.0);
    const double error = cabs(x->v[e] - wanted);
    largest = fmax(largest, cabs(wanted));
    if (!(error <= worst)) worst = error;
  }
  if (worst <= tolerance * largest) return 0;
  fprintf(stderr, "mat: off by %g where %g is the largest\n", worst, largest);
  return 1;
}

static int check_gemm(char **arg) {
  const matrix a = load(arg[3]), b = load(arg[4]), c = load(arg[7]);
  const matrix left = op(&a, arg[0][0]), right = op(&b, arg[1][0]);
  const matrix p = product(&left, &right);
  if (strcmp(arg[6], "-") == 0) return alike(&c, number(arg[2]), &p, 0.0, NULL);
  const matrix c0 = load(arg[6]);
  return alike(&c, number(arg[2]), &p, number(arg[5]), &c0);
}

static int check_triangular(int solve, char **arg) {
  const matrix a = load(arg[5]), b = load(arg[6]), x = load(arg[7]);
  const matrix cut = triangle(&a, arg[1][0], arg[3][0]);
  const matrix t = op(&cut, arg[2][0]);
  const matrix *other = solve ? &x : &b;
  const matrix p = arg[0][0] == 'L' ? product(&t, other) : product(other, &t);
  return solve ? alike(&p, number(arg[4]), &b, 0.0, NULL)
               : alike(&x, number(arg[4]), &p, 0.0, NULL);
}

static int check_potrf(char **arg) {
  const matrix a = load(arg[1]), l = load(arg[2]);
  const matrix cut = triangle(&l, arg[0][0], 'N'), transposed = op(&l, 'C');
  if (alike(&l, 1.0, &cut, 0.0, NULL)) return 1;
  const matrix p = arg[0][0] == 'L' ? product(&l, &transposed) : product(&transposed, &l);
  return alike(&p, 1.0, &a, 0.0, NULL);
}

static int show(const char *path) {
  const matrix m = load(path);
  printf("%s %ld x %ld:", m.dtype, m.rows, m.cols);
  for (long e = 0; e < m.rows * m.cols; e++) {
    printf(" %.10g", creal(m.v[e]));
    if (is_complex(&m)) printf("%+.10gi", cimag(m.v[e]));
  }
  printf("\n");
  return 0;
}

/* ---- making ---- */

static int make_values(int count, char **arg) {
  matrix m = make(arg[1], atol(arg[2]), atol(arg[3]));
  const int parts = is_complex(&m) ? 2 : 1;
  if (count != 4 + parts * m.rows * m.cols) die("not as many values as the shape has", arg[0]);
  for (long e = 0; e < m.rows * m.cols; e++) {
    m.v[e] = atof(arg[4 + parts * e]);
    if (parts == 2) m.v[e] += I * atof(arg[5 + 2 * e]);
  }
  save(arg[0], &m);
  return 0;
}

static int make_random(char **arg) {
  matrix m = make(arg[1], atol(arg[2]), atol(arg[3]));
  fill(&m, (unsigned)atol(arg[4]), 1.0);
  save(arg[0], &m);
  return 0;
}

static int make_square(char **arg, int positive) {
  const long n = atol(arg[2]);
  matrix m = make(arg[1], n, n);
  fill(&m, (unsigned)atol(arg[3]), positive ? 1.0 : 1.0 / sqrt((double)n));
  if (positive) {
    const matrix transposed = op(&m, 'C');
    m = product(&m, &transposed);
  }
  for (long i = 0; i < n; i++) m.v[i + i * n] = creal(m.v[i + i * n]) + (positive ? n : 4);
  save(arg[0], &m);
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  char **arg = argv + 2;
  atexit(release_all);
  if (strcmp(what, "values") == 0) return make_values(argc - 2, arg);
  if (strcmp(what, "show") == 0) return show(arg[0]);
  if (strcmp(what, "random") == 0 && argc == 7) return make_random(arg);
  if (strcmp(what, "spd") == 0 && argc == 6) return make_square(arg, 1);
  if (strcmp(what, "triangle") == 0 && argc == 6) return make_square(arg, 0);
  if (strcmp(what, "gemm") == 0 && argc == 10) return check_gemm(arg);
  if (strcmp(what, "trmm") == 0 && argc == 10) return check_triangular(0, arg);
  if (strcmp(what, "trsm") == 0 && argc == 10) return check_triangular(1, arg);
  if (strcmp(what, "potrf") == 0 && argc == 5) return check_potrf(arg);
  fprintf(stderr, "mat: wrong use; its source says how\n");
  return 2;
}
