// The order of places within their ranks: each is moved to the middle of its neighbours, rank by rank, down and up, and
// neighbours change places where fewer links cross then. The best order of all rounds counts; where several cross as
// seldom, the one whose links are shortest when it is placed.

#include <stdlib.h>

#include "base/limits.h"
#include "base/sort.h"
#include "layout/layout_private.h"

enum { ROUNDS = 40, ROUNDS_WITHOUT_GAIN = 10, EXCHANGE_PASSES = 10, TRIES = 30 };

typedef struct Ordering {
  Layering *layering;
  uint64_t *keys;            ///< Room to sort the links of a place, or a row.
  uint64_t *moving;          ///< Room for a row.
  uint32_t *tree;            ///< Room for a Fenwick tree over a row.
  uint32_t *round_best;      ///< The items of the best order since the rows were mixed.
  uint64_t round_crossings;  ///< Of that.
  uint32_t *best;            ///< Those of the best order of all; of orders that cross as often the shortest one.
  uint64_t crossings;
  uint64_t length;
} Ordering;

static void number_row(const Layering *layering, uint32_t rank)
{
  uint32_t count;
  const uint32_t *row = layering_row(layering, rank, &count);
  for (uint32_t i = 0; i < count; i++)
    layering->columns[row[i]] = i;
}

static void number_rows(const Layering *layering)
{
  for (uint32_t rank = 0; rank < layering->rank_count; rank++)
    number_row(layering, rank);
}

// --- Crossings ---

/// Links of a place by the column of their other end.
static void sort_links(const Ordering *ordering, const Groups *links, uint32_t place)
{
  uint32_t *items = links->items + links->starts[place];
  uint32_t count = links->starts[place + 1] - links->starts[place];
  if (count < 2)
    return;
  for (uint32_t i = 0; i < count; i++)
    ordering->keys[i] = (uint64_t)ordering->layering->columns[items[i]] << 32 | items[i];
  sort_by_high_half(ordering->keys, ordering->keys + count, count);
  for (uint32_t i = 0; i < count; i++)
    items[i] = (uint32_t)ordering->keys[i];
}

/// How many of the ends that were added lie right of a column; adds this one, too.
static uint64_t count_right(uint32_t *tree, uint32_t size, uint32_t column, uint32_t added)
{
  uint64_t left = 0;
  for (uint32_t i = column + 1; i > 0; i &= i - 1)
    left += tree[i];
  for (uint32_t i = column + 1; i <= size; i += i & (~i + 1))
    tree[i]++;
  return added - left;
}

/// Crossings between a rank and the next one.
static uint64_t rank_crossings(const Ordering *ordering, uint32_t rank)
{
  const Layering *layering = ordering->layering;
  uint32_t count;
  uint32_t below;
  const uint32_t *row = layering_row(layering, rank, &count);
  (void)layering_row(layering, rank + 1, &below);
  memset(ordering->tree, 0, ((size_t)below + 1) * sizeof(*ordering->tree));
  uint64_t crossings = 0;
  uint32_t added = 0;
  for (uint32_t i = 0; i < count; i++) {
    sort_links(ordering, &layering->below, row[i]);
    for (uint32_t k = layering->below.starts[row[i]]; k < layering->below.starts[row[i] + 1]; k++)
      crossings += count_right(ordering->tree, below, layering->columns[layering->below.items[k]], added++);
  }
  return crossings;
}

static uint64_t all_crossings(const Ordering *ordering)
{
  uint64_t crossings = 0;
  for (uint32_t rank = 0; rank + 1 < ordering->layering->rank_count; rank++)
    crossings += rank_crossings(ordering, rank);
  return crossings;
}

// --- Moving to the middle ---

/// The weighted median of a place's neighbours, or their mean; in 1/256 columns. `links` are those of one side.
static uint32_t middle_of(const Ordering *ordering, const Groups *links, uint32_t place, bool is_mean)
{
  const uint32_t *columns = ordering->layering->columns;
  const uint32_t *items = links->items + links->starts[place];
  uint32_t count = links->starts[place + 1] - links->starts[place];
  uint64_t sum = 0;
  if (is_mean) {
    for (uint32_t i = 0; i < count; i++)
      sum += columns[items[i]];
    return (uint32_t)((sum << 8) / count);
  }
  sort_links(ordering, links, place);
  uint64_t left = columns[items[(count - 1) / 2]];
  uint64_t right = columns[items[count / 2]];
  if (count < 3 || left == right)
    return (uint32_t)((left + right) << 7);
  uint64_t left_width = left - columns[items[0]];
  uint64_t right_width = columns[items[count - 1]] - right;
  uint64_t width = left_width + right_width;
  return width == 0 ? (uint32_t)((left + right) << 7)
                    : (uint32_t)(((left * right_width + right * left_width) << 8) / width);
}

/// Sorts a row by the middles of its places; those without neighbours stay where they are.
static void order_row(const Ordering *ordering, const Groups *links, uint32_t rank, bool is_mean, bool turns_equals)
{
  const Layering *layering = ordering->layering;
  uint32_t count;
  uint32_t *row = layering_row(layering, rank, &count);
  uint64_t *moving = ordering->moving;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t place = row[turns_equals ? count - 1 - i : i];
    if (links->starts[place] < links->starts[place + 1])
      moving[found++] = (uint64_t)middle_of(ordering, links, place, is_mean) << 32 | place;
  }
  sort_by_high_half(moving, ordering->keys, found);
  for (uint32_t i = 0, next = 0; i < count; i++) {
    if (links->starts[row[i]] < links->starts[row[i] + 1])
      row[i] = (uint32_t)moving[next++];
  }
  number_row(layering, rank);
}

static void sweep(const Ordering *ordering, int round)
{
  const Layering *layering = ordering->layering;
  bool is_mean = round / 2 % 2 == 1;
  bool turns_equals = round / 4 % 2 == 1;
  for (uint32_t i = 1; i < layering->rank_count; i++) {
    if (round % 2 == 0)
      order_row(ordering, &layering->above, i, is_mean, turns_equals);
    else
      order_row(ordering, &layering->below, layering->rank_count - 1 - i, is_mean, turns_equals);
  }
}

// --- Exchanging neighbours ---

/// Crossings of the links of two places on one side, if `left` is left of `right`. Links are sorted.
static int64_t pair_crossings(const Layering *layering, const Groups *links, uint32_t left, uint32_t right)
{
  int64_t crossings = 0;
  uint32_t passed = links->starts[right];
  for (uint32_t i = links->starts[left]; i < links->starts[left + 1]; i++) {
    uint32_t column = layering->columns[links->items[i]];
    while (passed < links->starts[right + 1] && layering->columns[links->items[passed]] < column)
      passed++;
    crossings += passed - links->starts[right];
  }
  return crossings;
}

static bool exchange_gains(const Layering *layering, uint32_t left, uint32_t right, bool turns_equals)
{
  int64_t now =
      pair_crossings(layering, &layering->above, left, right) + pair_crossings(layering, &layering->below, left, right);
  int64_t then =
      pair_crossings(layering, &layering->above, right, left) + pair_crossings(layering, &layering->below, right, left);
  return then < now || (turns_equals && now > 0 && then == now);
}

static bool exchange_in_row(const Ordering *ordering, uint32_t rank, bool turns_equals)
{
  const Layering *layering = ordering->layering;
  uint32_t count;
  uint32_t *row = layering_row(layering, rank, &count);
  bool has_changed = false;
  for (uint32_t i = 0; i < count; i++) {
    sort_links(ordering, &layering->above, row[i]);
    sort_links(ordering, &layering->below, row[i]);
  }
  for (uint32_t i = 0; i + 1 < count; i++) {
    if (!exchange_gains(layering, row[i], row[i + 1], turns_equals))
      continue;
    uint32_t left = row[i];
    row[i] = row[i + 1];
    row[i + 1] = left;
    layering->columns[row[i]] = i;
    layering->columns[left] = i + 1;
    has_changed = true;
  }
  return has_changed;
}

static void exchange(const Ordering *ordering, bool turns_equals)
{
  bool has_changed = true;
  for (int pass = 0; pass < EXCHANGE_PASSES && has_changed; pass++) {
    has_changed = false;
    for (uint32_t rank = 0; rank < ordering->layering->rank_count; rank++)
      has_changed |= exchange_in_row(ordering, rank, turns_equals && pass == 0);
  }
}

// --- The order to begin with ---

/// Rows in the order in which a walk from the first nodes, or from the last ones, comes to their places.
static void order_by_walk(Layering *layering, bool is_upwards)
{
  const Groups *links = is_upwards ? &layering->above : &layering->below;
  const Groups *back = is_upwards ? &layering->below : &layering->above;
  uint32_t *stack = ARENA_ARRAY(layering->arena, uint32_t, (size_t)links->starts[layering->place_count] + 1);
  bool *is_seen = ARENA_ARRAY(layering->arena, bool, layering->place_count);
  uint32_t *filled = ARENA_ARRAY(layering->arena, uint32_t, layering->rank_count);
  for (uint32_t root = 0; root < layering->place_count; root++) {
    uint32_t depth = 0;
    if (back->starts[root] == back->starts[root + 1])
      stack[depth++] = root;
    while (depth > 0) {
      uint32_t place = stack[--depth];
      if (is_seen[place])
        continue;
      is_seen[place] = true;
      uint32_t rank = layering->ranks[place];
      layering->rows.items[layering->rows.starts[rank] + filled[rank]++] = place;
      for (uint32_t i = links->starts[place + 1]; i-- > links->starts[place];)
        stack[depth++] = links->items[i];
    }
  }
  number_rows(layering);
}

// --- Rounds ---

static void copy_rows(const Layering *layering, uint32_t *to, const uint32_t *from)
{
  memcpy(to, from, layering->place_count * sizeof(*to));
}

static bool keep_if_best(Ordering *ordering)
{
  uint64_t crossings = all_crossings(ordering);
  if (crossings >= ordering->round_crossings)
    return false;
  ordering->round_crossings = crossings;
  copy_rows(ordering->layering, ordering->round_best, ordering->layering->rows.items);
  return true;
}

/// How far links lead to the side when the rows are placed.
static uint64_t length_of(Layering *layering)
{
  layering_place(layering);
  uint64_t length = 0;
  for (uint32_t place = 0; place < layering->place_count; place++) {
    for (uint32_t i = layering->below.starts[place]; i < layering->below.starts[place + 1]; i++)
      length += (uint64_t)llabs((int64_t)layering->x[place] - layering->x[layering->below.items[i]]);
  }
  return length;
}

/// Begins from the rows as they are.
static void improve(Ordering *ordering, int rounds)
{
  Layering *layering = ordering->layering;
  int without_gain = 0;
  ordering->round_crossings = UINT64_MAX;
  keep_if_best(ordering);
  for (int round = 0; round < rounds && without_gain < ROUNDS_WITHOUT_GAIN && ordering->round_crossings > 0; round++) {
    sweep(ordering, round);
    exchange(ordering, round % 4 >= 2);
    without_gain = keep_if_best(ordering) ? 0 : without_gain + 1;
  }
  if (ordering->round_crossings > ordering->crossings)
    return;
  copy_rows(layering, layering->rows.items, ordering->round_best);
  number_rows(layering);
  uint64_t length = length_of(layering);
  if (ordering->round_crossings == ordering->crossings && length >= ordering->length)
    return;
  ordering->crossings = ordering->round_crossings;
  ordering->length = length;
  copy_rows(layering, ordering->best, ordering->round_best);
}

/// As many as the work allows, at least two: one down and one up.
static int count_rounds(const Layering *layering)
{
  uint32_t links = layering->below.starts[layering->place_count];
  uint64_t rounds = LAYOUT_WORK / ((uint64_t)links + layering->place_count);
  return rounds < 2 ? 2 : rounds > ROUNDS ? ROUNDS : (int)rounds;
}

/// A number that looks like chance and is the same everywhere.
static uint32_t next_chance(uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/// Mixes the rows: what is reached from there may be better than what was reached before.
static void mix_rows(const Layering *layering, uint32_t *state)
{
  for (uint32_t rank = 0; rank < layering->rank_count; rank++) {
    uint32_t count;
    uint32_t *row = layering_row(layering, rank, &count);
    for (uint32_t i = count; i > 1; i--) {
      uint32_t k = next_chance(state) % i;
      uint32_t place = row[i - 1];
      row[i - 1] = row[k];
      row[k] = place;
    }
  }
  number_rows(layering);
}

/// Begins from mixed rows again and again, as far as the work goes: rows that cross as seldom may lie better.
static void try_again(Ordering *ordering, int rounds)
{
  const Layering *layering = ordering->layering;
  uint64_t cost = ((uint64_t)layering->below.starts[layering->place_count] + layering->place_count) * ROUNDS;
  uint64_t tries = LAYOUT_WORK / (2 * cost);
  uint32_t state = 1;
  for (uint64_t i = 0; i < tries && i < TRIES; i++) {
    mix_rows(layering, &state);
    improve(ordering, rounds);
  }
}

void layering_order(Layering *layering)
{
  size_t link_count = layering->below.starts[layering->place_count];
  Ordering ordering = {
    .layering = layering,
    .keys = ARENA_ARRAY(layering->arena, uint64_t, layering->place_count + link_count * 2),
    .moving = ARENA_ARRAY(layering->arena, uint64_t, layering->place_count),
    .tree = ARENA_ARRAY(layering->arena, uint32_t, (size_t)layering->place_count + 1),
    .round_best = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count),
    .best = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count),
    .crossings = UINT64_MAX,
  };
  layering->rows = groups_make(layering->ranks, layering->place_count, layering->rank_count, layering->arena);
  layering->columns = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count);
  int rounds = count_rounds(layering);
  order_by_walk(layering, false);
  improve(&ordering, rounds);
  if (rounds == ROUNDS) {
    order_by_walk(layering, true);
    improve(&ordering, rounds);
    try_again(&ordering, rounds);
  }
  memcpy(layering->rows.items, ordering.best, layering->place_count * sizeof(*ordering.best));
  number_rows(layering);
}
