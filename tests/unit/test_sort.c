// sort_stable(): sorted, nothing lost, and equal elements in the order that they had, for elements of any size.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"
#include "base/vec.h"
#include "random_numbers.h"

enum { MOST = 300 };

typedef struct Card {
  uint32_t rank;
  uint32_t dealt;  ///< What place it had.
} Card;

/// So large that few of them fill the room that needs no allocation.
typedef struct Folder {
  Card card;
  char papers[200];
} Folder;

static int compare_ranks(const void *a, const void *b)
{
  uint32_t x = ((const Card *)a)->rank;
  uint32_t y = ((const Card *)b)->rank;
  return (x > y) - (x < y);
}

static int compare_letters(const void *a, const void *b)
{
  return *(const char *)a - *(const char *)b;
}

/// True when the place is marked for the first time.
static bool mark(uint64_t *marks, uint32_t place)
{
  uint64_t bit = UINT64_C(1) << place % 64;
  bool is_new = !(marks[place / 64] & bit);
  marks[place / 64] |= bit;
  return is_new;
}

/// `card` follows `before`, and none was seen twice.
static void assert_follows(const Card *before, const Card *card, uint64_t *seen)
{
  assert_true(mark(seen, card->dealt));
  if (!before)
    return;
  assert_true(before->rank <= card->rank);
  if (before->rank == card->rank)
    assert_true(before->dealt < card->dealt);
}

static void deal_and_sort(size_t count, size_t ranks)
{
  Vec(Card) cards = { 0 };
  Vec(Folder) folders = { 0 };
  for (size_t i = 0; i < count; i++) {
    Card card = { (uint32_t)random_below(ranks), (uint32_t)i };
    vec_push(&cards, card);
    Folder folder = { .card = card };
    memset(folder.papers, (int)(i % 256), sizeof(folder.papers));
    vec_push(&folders, folder);
  }
  vec_sort(&cards, compare_ranks);
  vec_sort(&folders, compare_ranks);
  uint64_t seen[MOST / 64 + 1] = { 0 }, filed[MOST / 64 + 1] = { 0 };
  for (size_t i = 0; i < count; i++) {
    assert_follows(i > 0 ? &cards.items[i - 1] : NULL, &cards.items[i], seen);
    assert_follows(i > 0 ? &folders.items[i - 1].card : NULL, &folders.items[i].card, filed);
    for (size_t k = 0; k < sizeof(folders.items[i].papers); k += 199)
      assert_int_equal((unsigned char)folders.items[i].papers[k], folders.items[i].card.dealt % 256);
  }
  vec_free(&cards);
  vec_free(&folders);
}

static void equal_keys_keep_their_order(void **state)
{
  (void)state;
  for (size_t count = 0; count <= MOST; count++) {
    deal_and_sort(count, 1);
    deal_and_sort(count, 3);
    deal_and_sort(count, MOST);
  }
}

static void sorted_and_reversed(void **state)
{
  (void)state;
  for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
    Card cards[100];
    for (uint32_t i = 0; i < 100; i++)
      cards[i] = (Card){ (is_reversed ? 99 - i : i) / 2, i };
    sort_stable(cards, 100, sizeof(Card), compare_ranks);
    uint64_t seen[2] = { 0 };
    for (size_t i = 0; i < 100; i++)
      assert_follows(i > 0 ? &cards[i - 1] : NULL, &cards[i], seen);
  }
}

static void bytes_and_nothing(void **state)
{
  (void)state;
  char letters[] = "the quick brown fox jumps over the lazy dog";
  sort_stable(letters, strlen(letters), 1, compare_letters);
  assert_string_equal(letters, "        abcdeeefghhijklmnoooopqrrsttuuvwxyz");
  sort_stable(NULL, 0, sizeof(Card), compare_ranks);
}

static void high_halves(void **state)
{
  (void)state;
  for (size_t count = 1; count <= MOST; count += 13) {
    uint64_t keys[MOST], scratch[MOST];
    for (size_t i = 0; i < count; i++)
      keys[i] = (uint64_t)(random_below(20) << 20) << 32 | i;
    sort_by_high_half(keys, scratch, count);
    for (size_t i = 1; i < count; i++)
      assert_true(keys[i - 1] < keys[i]);  // The lower half is the place, so equals have kept their order.
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_keys_keep_their_order),
    cmocka_unit_test(sorted_and_reversed),
    cmocka_unit_test(bytes_and_nothing),
    cmocka_unit_test(high_halves),
  };
  return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
