/* The order in which the tiles of a Cholesky factor are begun. Needs prelude.cl.
 *
 *      P   +---+                        Columns in groups of GROUP. Of group P
 *          | D |                          D  are the tiles of its rows, a triangle,
 *          +---+---+                      N  those below it in the rows of the next group,
 *      P+1 | N | D |                      R  the rest below.
 *          +---+---+---+
 *          |   | N | D |                D(0) N(0) | D(1) R(0) N(1) | D(2) R(1) N(2) | ...
 *          | R +---+---+
 *          |   | R | N |                A tile needs those on its left, those left of the diagonal
 *          +---+---+---+                tile of its column, and that one: all of them have smaller
 *                                       tickets. The next triangle, on whose chain of diagonal
 * tiles all others wait, is under way before the rest.
 *
 * A diagonal tile is made with the one on its left, a pair, by one thread block; of the first
 * triangle's first tile, alone. Ahead of it goes the square of its row, a partial sum over its
 * tiles but the last two, where there are any. */

#define GROUP 2

typedef enum kind { SINGLE, PAIR, SQUARE } kind;

/* What a ticket makes: tile (i, j); with the diagonal tile (i, i), i = j + 1; or the square of row
 * i up to column j. */
typedef struct part {
  int i, j;
  kind is;
} part;

QN_DEV int has_square(int i) {
  return i >= 3;
}

/* Takes `ticket` from the pair of row i and the square of the next one, if that is before `end`.
 * Returns whether that was it. */
QN_DEV int part_is_pair(part *own, int *ticket, int i, int end) {
  own->i = i;
  own->j = i - 1;
  own->is = PAIR;
  if ((*ticket)-- == 0) return 1;
  if (i + 1 >= end || !has_square(i + 1)) return 0;
  own->i = i + 1;
  own->is = SQUARE;
  return (*ticket)-- == 0;
}

/* The triangle of rows first ... end - 1. */
QN_DEV int part_in_triangle(part *own, int *ticket, int first, int end) {
  if (has_square(first)) {
    own->i = first;
    own->j = first - 2;
    own->is = SQUARE;
    if ((*ticket)-- == 0) return 1;
  }
  if (part_is_pair(own, ticket, first, end)) return 1;
  for (int j = first; j + 1 < end; j++) {
    if (part_is_pair(own, ticket, j + 1, end)) return 1;
    own->i = j + 2 + *ticket;
    own->j = j;
    own->is = SINGLE;
    if (own->i < end) return 1;
    *ticket -= QN_MAX(end - j - 2, 0);
  }
  return 0;
}

/* Rows from ... to - 1 of columns first ... end - 1, down the columns, but for the last column's
 * first tile where that belongs to a pair. */
QN_DEV int part_in_rows(part *own, int *ticket, int from, int to, int first, int end, int paired) {
  const int rows = QN_MAX(to - from, 0), count = rows * (end - first) - (rows > 0 && paired);
  const int at = *ticket + (paired && *ticket >= rows * (end - first - 1));
  if (*ticket >= count) {
    *ticket -= count;
    return 0;
  }
  own->i = from + at % rows;
  own->j = first + at / rows;
  own->is = SINGLE;
  return 1;
}

/* How many tickets D, R of the group before, and N have; in D pairs, single tiles, and squares. */
QN_DEV int tickets_of_group(int first, int end, int next, int blocks) {
  const int width = end - first, rows = next - end;
  return width + (width - 1) * (width - 2) / 2 + QN_MAX(end - QN_MAX(first, 3), 0) +
         (first > 0 ? GROUP * (blocks - end) : 0) + rows * width - (rows > 0);
}

/* Groups from `first` >= 3 on that end before `ticket`, while they are whole and so is the next
 * one: in few steps each, since a thread block can do nothing before it knows its part. */
QN_DEV int skip_groups(int *ticket, int first, int blocks, int columns) {
  const int beside = 2 * GROUP - 1 + (GROUP - 1) * (GROUP - 2) / 2;
  for (; first + 2 * GROUP <= columns; first += GROUP) {
    const int tickets = GROUP * (blocks - first) + beside;
    if (*ticket < tickets) break;
    *ticket -= tickets;
  }
  return first;
}

QN_DEV part part_of_ticket(int ticket, int blocks, int columns) {
  part own = {0, -1, PAIR};
  if (ticket == 0) return own; /* all others wait for it */
  for (int first = 0;; first += GROUP) {
    if (first == 2 * GROUP) first = skip_groups(&ticket, first, blocks, columns);
    const int end = QN_MIN(first + GROUP, columns), next = QN_MIN(end + GROUP, columns);
    const int tickets = tickets_of_group(first, end, next, blocks);
    if (ticket >= tickets && next > end) {
      ticket -= tickets;
      continue;
    }
    if (part_in_triangle(&own, &ticket, first, end)) return own;
    if (first > 0 && part_in_rows(&own, &ticket, end, blocks, first - GROUP, first, 0)) return own;
    if (part_in_rows(&own, &ticket, end, next, first, end, 1)) return own;
    if (next == end) break;
  }
  part_in_rows(&own, &ticket, columns, blocks, (columns - 1) / GROUP * GROUP, columns, 0);
  return own;
}
