/* The order of the tickets of Cholesky's walk (src/kernels/cuda/potrf_order.cu), which is C too:
 * each tile is made once, and needs what smaller tickets make alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define QN_DEV       static
#define QN_MIN(a, b) ((a) < (b) ? (a) : (b))
#define QN_MAX(a, b) ((a) > (b) ? (a) : (b))
#include "kernels/cuda/potrf_order.cu"

enum { MOST = 140 };

static int made_by[MOST][MOST], square_of[MOST]; /* ticket, or -1 */

static void needs(int ticket, int i, int j) {
  if (made_by[i][j] < 0 || made_by[i][j] >= ticket)
    fail_msg("ticket %d waits for tile (%d, %d) of ticket %d", ticket, i, j, made_by[i][j]);
}

static void makes(int ticket, int i, int j) {
  if (made_by[i][j] >= 0)
    fail_msg("tickets %d and %d make tile (%d, %d)", made_by[i][j], ticket, i, j);
  made_by[i][j] = ticket;
}

/* A tile below the diagonal: all on its left, the row of its column, and that diagonal tile. */
static void take_tile(int ticket, int i, int j) {
  for (int k = 0; k < j; k++) {
    needs(ticket, i, k);
    needs(ticket, j, k);
  }
  needs(ticket, j, j);
  makes(ticket, i, j);
}

static void take(int ticket, part p) {
  if (p.is == SQUARE) {
    assert_int_equal(p.j, p.i - 2);
    for (int k = 0; k < p.j; k++) needs(ticket, p.i, k);
    square_of[p.i] = ticket;
    return;
  }
  if (p.j >= 0) take_tile(ticket, p.i, p.j);
  if (p.is != PAIR) return;
  assert_int_equal(p.j, p.i - 1);
  if (has_square(p.i)) assert_true(square_of[p.i] >= 0 && square_of[p.i] < ticket);
  makes(ticket, p.i, p.i);
}

/* As many as the launch has (potrf_walk.c). */
static int count_tickets(int blocks, int columns) {
  return columns * (blocks - 1) - columns * (columns - 1) / 2 + 1 + QN_MAX(columns - 3, 0);
}

static void take_all(int blocks, int columns) {
  memset(made_by, -1, sizeof made_by);
  memset(square_of, -1, sizeof square_of);
  for (int ticket = 0; ticket < count_tickets(blocks, columns); ticket++) {
    const part p = part_of_ticket(ticket, blocks, columns);
    assert_true(p.i < blocks && p.j < columns);
    take(ticket, p);
  }
  for (int i = 0; i < blocks; i++)
    for (int j = 0; j < columns && j <= i; j++) assert_true(made_by[i][j] >= 0);
}

static void tickets_wait_for_smaller_ones(void **state) {
  (void)state;
  for (int blocks = 1; blocks < MOST; blocks += blocks < 40 ? 1 : 13)
    for (int columns = 1; columns <= blocks; columns += columns < 40 ? 1 : 7)
      take_all(blocks, columns);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tickets_wait_for_smaller_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
