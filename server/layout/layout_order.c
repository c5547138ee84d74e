// The order of places within their ranks: each is moved to the middle of its neighbours, rank by rank, down and up, and
// neighbours change places where fewer links cross then. The best order of all rounds counts; where several cross as
// seldom, the one whose links are shortest when it is placed.

#include <stdlib.h>

#include "base/limits.h"
#include "base/sort.h"
#include "layout/layout_private.h"

enum {
  ROUNDS = 40,
  ROUNDS_WITHOUT_GAIN = 10,
  EXCHANGE_PASSES = 10,
  TURN_PASSES =
      4,  ///< Of those, in which neighbours change places that cross as often then: the way out of many dead ends.
  TRIES = 60,
};

typedef struct Ordering {
  Layering *layering;
  uint64_t *keys;            ///< Room to sort the links of a place, or a row.
  uint64_t *moving;          ///< Room for a row.
  uint32_t *changes;         ///< By rank: the last pass of exchanges that changed it, from 1.
  uint32_t *tree;            ///< Room for a Fenwick tree over a row.
  uint32_t *round_best;      ///< The items of the best order since the last walk.
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
  bool is_mean = round / 4 % 2 == 1;
  bool turns_equals = round % 4 < 2;
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
  if (now == 0)
    return false;
  int64_t then =
      pair_crossings(layering, &layering->above, right, left) + pair_crossings(layering, &layering->below, right, left);
  return then < now || (turns_equals && then == now);
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

/// A row is looked at again while it changes, or one beside it.
static bool is_due(const Ordering *ordering, uint32_t rank, uint32_t pass)
{
  const uint32_t *changes = ordering->changes;
  return pass == 0 || changes[rank] >= pass || (rank > 0 && changes[rank - 1] >= pass) ||
         (rank + 1 < ordering->layering->rank_count && changes[rank + 1] >= pass);
}

static void exchange(const Ordering *ordering, bool turns_equals)
{
  uint32_t rank_count = ordering->layering->rank_count;
  memset(ordering->changes, 0, rank_count * sizeof(*ordering->changes));
  bool has_changed = true;
  for (uint32_t pass = 0; pass < EXCHANGE_PASSES && has_changed; pass++) {
    has_changed = false;
    for (uint32_t rank = 0; rank < rank_count; rank++) {
      if (!is_due(ordering, rank, pass) || !exchange_in_row(ordering, rank, turns_equals && pass < TURN_PASSES))
        continue;
      ordering->changes[rank] = pass + 1;
      has_changed = true;
    }
  }
}

// --- The order to begin with ---

/// How a walk goes through the graph.
typedef enum Walk {
  WALK_DOWN = 0,      ///< From the first nodes.
  WALK_UP = 1,        ///< From the last ones.
  WALK_IN_RINGS = 2,  ///< All neighbours first, not their neighbours.
  WALK_COUNT = 4,
} Walk;

/// Rows in the order in which a walk comes to their places.
static void order_by_walk(Layering *layering, unsigned walk)
{
  const Groups *links = walk & WALK_UP ? &layering->above : &layering->below;
  const Groups *back = walk & WALK_UP ? &layering->below : &layering->above;
  uint32_t *waiting = ARENA_ARRAY(layering->arena, uint32_t, (size_t)links->starts[layering->place_count] + 1);
  bool *is_seen = ARENA_ARRAY(layering->arena, bool, layering->place_count);
  uint32_t *filled = ARENA_ARRAY(layering->arena, uint32_t, layering->rank_count);
  for (uint32_t root = 0; root < layering->place_count; root++) {
    uint32_t begin = 0;
    uint32_t end = 0;
    if (back->starts[root] == back->starts[root + 1])
      waiting[end++] = root;
    while (begin < end) {
      uint32_t place = walk & WALK_IN_RINGS ? waiting[begin++] : waiting[--end];
      if (is_seen[place])
        continue;
      is_seen[place] = true;
      uint32_t rank = layering->ranks[place];
      layering->rows.items[layering->rows.starts[rank] + filled[rank]++] = place;
      for (uint32_t i = links->starts[place + 1]; i-- > links->starts[place];)
        waiting[end++] = links->items[i];
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

static void mix(uint32_t *items, uint32_t count, uint32_t *state)
{
  for (uint32_t i = count; i > 1; i--) {
    uint32_t k = next_chance(state) % i;
    uint32_t item = items[i - 1];
    items[i - 1] = items[k];
    items[k] = item;
  }
}

/// Rows in any order.
static void mix_rows(const Layering *layering, uint32_t *state)
{
  for (uint32_t rank = 0; rank < layering->rank_count; rank++) {
    uint32_t count;
    uint32_t *row = layering_row(layering, rank, &count);
    mix(row, count, state);
  }
  number_rows(layering);
}

/// Rows of another walk through the graph, in which chains are together.
static void mix_walk(Layering *layering, unsigned walk, uint32_t *state)
{
  const Groups *links = walk & WALK_UP ? &layering->above : &layering->below;
  for (uint32_t place = 0; place < layering->place_count; place++)
    mix(links->items + links->starts[place], links->starts[place + 1] - links->starts[place], state);
  order_by_walk(layering, walk);
}

/// Begins from other rows again and again, as far as the work goes: rows that cross as seldom may lie better.
static void try_again(Ordering *ordering, int rounds)
{
  Layering *layering = ordering->layering;
  uint64_t cost = ((uint64_t)layering->below.starts[layering->place_count] + layering->place_count) * ROUNDS;
  uint64_t tries = LAYOUT_WORK / (2 * cost);
  uint32_t state = 1;
  for (uint64_t i = 0; i < tries && i < TRIES; i++) {
    if (i % 2 == 0)
      mix_rows(layering, &state);
    else
      mix_walk(layering, i / 2 % WALK_COUNT, &state);
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
    .changes = ARENA_ARRAY(layering->arena, uint32_t, layering->rank_count),
    .tree = ARENA_ARRAY(layering->arena, uint32_t, (size_t)layering->place_count + 1),
    .round_best = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count),
    .best = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count),
    .crossings = UINT64_MAX,
  };
  layering->rows = groups_make(layering->ranks, layering->place_count, layering->rank_count, layering->arena);
  layering->columns = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count);
  int rounds = count_rounds(layering);
  unsigned walks = rounds == ROUNDS ? WALK_COUNT : 1;
  for (unsigned walk = 0; walk < walks; walk++) {
    order_by_walk(layering, walk);
    improve(&ordering, rounds);
  }
  if (rounds == ROUNDS)
    try_again(&ordering, rounds);
  memcpy(layering->rows.items, ordering.best, layering->place_count * sizeof(*ordering.best));
  number_rows(layering);
}
