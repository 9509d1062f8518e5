/* Results of a few bytes that reach the host by the next sync. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "pool_fixture.h"
#include <quern/matrix.h>

static qn_buffer *holding(fixture *f, uint32_t word) {
  qn_buffer *buffer = take(f, sizeof word);
  assert_int_equal(qn_fill(f->s, buffer, 0, sizeof word, word, sizeof word), QN_OK);
  return buffer;
}

/* Posts `word` from a buffer that is given back at once. */
static void post(fixture *f, uint32_t word, uint32_t *to) {
  qn_buffer *buffer = holding(f, word);
  assert_int_equal(qn_post(f->s, to, buffer, sizeof word), QN_OK);
  qn_buffer_free(buffer);
}

static void arrives_by_the_sync_and_not_before(void **state) {
  fixture *f = *state;
  uint32_t first = 0, second = 0;
  post(f, 7, &first);
  post(f, 8, &second);
  assert_int_equal(stats_of(f->device).requests, 4); /* each its source and a pinned buffer */
  assert_int_equal(mock.syncs, 0);
  assert_int_equal(qn_stream_sync(f->t), QN_OK);
  assert_int_equal(first, 0);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(first, 7);
  assert_int_equal(second, 8);
  first = 1;
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(first, 1); /* once */
}

static void the_last_posted_stays(void **state) {
  fixture *f = *state;
  uint32_t word = 0;
  post(f, 7, &word);
  post(f, 8, &word);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(word, 8);
}

/* Whatever way the later one takes. */
static void the_last_posted_stays_without_memory(void **state) {
  fixture *f = *state;
  uint32_t word = 0;
  qn_buffer *second = holding(f, 8);
  post(f, 7, &word);
  mock.room = 0;
  assert_int_equal(qn_post(f->s, &word, second, sizeof word), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(word, 8);
  qn_buffer_free(second);
}

static void a_later_copy_stays(void **state) {
  fixture *f = *state;
  uint32_t words[2] = {0, 0}, other = 0;
  qn_buffer *second = take(f, sizeof words);
  assert_int_equal(qn_fill(f->s, second, 0, sizeof words, 8, sizeof *words), QN_OK);
  post(f, 7, words + 1);
  post(f, 9, &other);
  assert_int_equal(qn_copy_out(f->s, words, second, 0, sizeof words), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(words[1], 8);
  assert_int_equal(other, 9);
  qn_buffer_free(second);
}

static void what_is_recalled_does_not_come(void **state) {
  fixture *f = *state;
  uint32_t words[3] = {1, 2, 3};
  for (uint32_t i = 0; i < 3; i++) post(f, 7, words + i);
  qn_recall(f->s, words + 1, sizeof *words);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(words[0], 7);
  assert_int_equal(words[1], 2);
  assert_int_equal(words[2], 7);
}

/* The buffer may be written again behind the post: it goes in the stream's order. */
static void keeps_the_streams_order(void **state) {
  fixture *f = *state;
  uint32_t word = 0;
  qn_buffer *a = holding(f, 7);
  assert_int_equal(qn_post(f->s, &word, a, sizeof word), QN_OK);
  assert_int_equal(qn_fill(f->s, a, 0, sizeof word, 9, sizeof word), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(word, 7);
  qn_buffer_free(a);
}

static void the_end_of_a_stream_delivers(void **state) {
  fixture *f = *state;
  uint32_t word = 0;
  post(f, 7, &word);
  qn_stream_free(f->s);
  assert_int_equal(word, 7);
  assert_int_equal(qn_stream_create(f->device, &f->s), QN_OK);
}

/* Without pinned memory it is a plain copy. */
static void goes_without_memory(void **state) {
  fixture *f = *state;
  uint32_t word = 0;
  qn_buffer *a = holding(f, 7);
  mock.room = 0;
  assert_int_equal(qn_post(f->s, &word, a, sizeof word), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(word, 7);
  qn_buffer_free(a);
}

static void a_lost_copy_is_told(void **state) {
  fixture *f = *state;
  uint32_t word = 3;
  qn_buffer *a = holding(f, 7);
  mock.lose_next_copy = true;
  assert_int_equal(qn_post(f->s, &word, a, sizeof word), QN_ELOST);
  assert_int_equal(word, 3);
  qn_buffer_free(a);
}

/* A sync that fails is the last time that the place must be there. */
static void nothing_comes_after_a_failed_sync(void **state) {
  fixture *f = *state;
  uint32_t word = 3;
  post(f, 7, &word);
  f->s->sticky = QN_EBACKEND; /* as a launch that failed leaves it; the rest of its work is done */
  assert_int_equal(qn_stream_sync(f->s), QN_EBACKEND);
  qn_stream_free(f->s);
  assert_int_equal(qn_stream_create(f->device, &f->s), QN_OK);
  assert_int_equal(word, 3);
}

/* Columns of a matrix that is read, not what lies between them. */
static void a_matrix_read_later_stays(void **state) {
  fixture *f = *state;
  uint32_t host[2][3] = {{0}};
  qn_matrix m;
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, 2, 2, &m), QN_OK);
  assert_int_equal(qn_fill(f->s, m.buffer, 0, 16, 8, 4), QN_OK);
  post(f, 7, &host[1][1]);
  post(f, 9, &host[0][2]);
  assert_int_equal(qn_matrix_read(f->s, host, 3, m), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(host[1][1], 8);
  assert_int_equal(host[0][2], 9);
  qn_buffer_free(m.buffer);
}

/* Work on the stream writes it, as a kernel would. */
static void a_place_is_delivered(void **state) {
  fixture *f = *state;
  uint32_t words[2] = {0, 3};
  for (int i = 0; i < 2; i++) {
    qn_buffer *place = qn_post_place(f->s, words + i, sizeof *words);
    assert_non_null(place);
    assert_int_equal(qn_fill(f->s, place, 0, sizeof *words, 7, sizeof *words), QN_OK);
  }
  qn_recall(f->s, words + 1, sizeof *words);
  assert_int_equal(words[0], 0);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(words[0], 7);
  assert_int_equal(words[1], 3);
}

static void no_place_without_memory(void **state) {
  fixture *f = *state;
  uint32_t word = 3;
  mock.room = 0;
  assert_null(qn_post_place(f->s, &word, sizeof word));
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(word, 3);
}

int main(void) {
#define LETTER(name) cmocka_unit_test_setup_teardown(name, pool_set_up, pool_tear_down)
  const struct CMUnitTest tests[] = {
      LETTER(arrives_by_the_sync_and_not_before),
      LETTER(the_last_posted_stays),
      LETTER(the_last_posted_stays_without_memory),
      LETTER(a_later_copy_stays),
      LETTER(what_is_recalled_does_not_come),
      LETTER(keeps_the_streams_order),
      LETTER(the_end_of_a_stream_delivers),
      LETTER(goes_without_memory),
      LETTER(a_lost_copy_is_told),
      LETTER(nothing_comes_after_a_failed_sync),
      LETTER(a_matrix_read_later_stays),
      LETTER(a_place_is_delivered),
      LETTER(no_place_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
