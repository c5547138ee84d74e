// The x of each place: rank by rank, down and up, places go to the middle of their neighbours as far as those beside
// them allow. What a row as a whole wants is found exactly by pooling places that push each other (isotonic
// regression).

#include "base/limits.h"
#include "base/sort.h"
#include "layout/layout_private.h"

enum {
  NODE_GAP = 28,
  BEND_GAP = 8,
  PLACE_ROUNDS = 12,  ///< The usual number of sweeps down and up.
  LOOSE_WEIGHT = 1,   ///< Of staying, for a place without neighbours on that side.
  LINK_WEIGHT = 16,   ///< Of being above or below a neighbour.
};

/// Places of a row that touch each other and move as one.
typedef struct Block {
  uint32_t count;
  int64_t weight;
  int64_t sum;  ///< Of wished places times weights, the widths before them taken off.
} Block;

typedef struct Wish {
  int32_t x;
  int32_t weight;
} Wish;

typedef struct Placing {
  Layering *layering;
  Block *blocks;    ///< Room for a row.
  Wish *wishes;     ///< Room for the links of a place.
  int64_t *starts;  ///< Room for a row: how far right of the first place each must be at least.
} Placing;

static int32_t width_of(const Layering *layering, uint32_t place)
{
  return layering_is_bend(layering, place) ? 0 : layering->nodes[place].width;
}

/// The least distance between the centres of neighbours.
static int32_t distance(const Layering *layering, uint32_t left, uint32_t right)
{
  bool has_bend = layering_is_bend(layering, left) || layering_is_bend(layering, right);
  return (width_of(layering, left) + width_of(layering, right) + 1) / 2 + (has_bend ? BEND_GAP : NODE_GAP);
}

// --- What a place wishes ---

static uint32_t collect_wishes(const Placing *placing, const Groups *links, uint32_t place, uint32_t count)
{
  const Layering *layering = placing->layering;
  for (uint32_t i = links->starts[place]; i < links->starts[place + 1]; i++) {
    placing->wishes[count++] = (Wish){ layering->x[links->items[i]], LINK_WEIGHT };
  }
  return count;
}

static int compare_wishes(const void *left, const void *right)
{
  const Wish *a = left;
  const Wish *b = right;
  return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : a->weight - b->weight;
}

/// The weighted median: where the sum of the ways is least. Anywhere between two may be as good; then the nearest place
/// to `preferred` is taken.
static Wish median_of(Wish *wishes, uint32_t count, int32_t preferred)
{
  sort_stable(wishes, count, sizeof(*wishes), compare_wishes);
  int64_t total = 0;
  for (uint32_t i = 0; i < count; i++)
    total += wishes[i].weight;
  int64_t left = 0;
  uint32_t at = 0;
  while (2 * (left + wishes[at].weight) < total)
    left += wishes[at++].weight;
  bool is_between = 2 * (left + wishes[at].weight) == total && at + 1 < count;
  int32_t most = is_between ? wishes[at + 1].x : wishes[at].x;
  int32_t x = preferred < wishes[at].x ? wishes[at].x : preferred > most ? most : preferred;
  return (Wish){ x, total > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)total };
}

typedef enum Side {
  SIDE_ABOVE = 1,
  SIDE_BELOW = 2,
} Side;

/// In the middle of its neighbours on one side; `other` is its place if there are none.
static int32_t middle_of(const Placing *placing, const Groups *links, uint32_t place, int32_t other)
{
  uint32_t count = collect_wishes(placing, links, place, 0);
  if (count == 0)
    return other;
  int32_t low = median_of(placing->wishes, count, INT32_MIN).x;
  int32_t high = median_of(placing->wishes, count, INT32_MAX).x;
  return low + (high - low) / 2;
}

/// Where all are as good, a place stands in line with those that were settled before it, so that chains are straight.
static Wish wish_of(const Placing *placing, uint32_t place, unsigned sides, bool is_down)
{
  const Layering *layering = placing->layering;
  int32_t preferred = middle_of(placing, is_down ? &layering->above : &layering->below, place, layering->x[place]);
  uint32_t count = 0;
  if (sides & SIDE_ABOVE)
    count = collect_wishes(placing, &layering->above, place, count);
  if (sides & SIDE_BELOW)
    count = collect_wishes(placing, &layering->below, place, count);
  return count > 0 ? median_of(placing->wishes, count, preferred) : (Wish){ layering->x[place], LOOSE_WEIGHT };
}

// --- Rows ---

static int64_t divide_down(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

static void settle_row(const Placing *placing, uint32_t rank, unsigned sides, bool is_down)
{
  const Layering *layering = placing->layering;
  uint32_t count;
  const uint32_t *row = layering_row(layering, rank, &count);
  uint32_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    placing->starts[i] = i == 0 ? 0 : placing->starts[i - 1] + distance(layering, row[i - 1], row[i]);
    Wish wish = wish_of(placing, row[i], sides, is_down);
    Block block = { 1, wish.weight, (wish.x - placing->starts[i]) * wish.weight };
    for (; blocks > 0; blocks--) {
      const Block *left = &placing->blocks[blocks - 1];
      if (divide_down(left->sum, left->weight) < divide_down(block.sum, block.weight))
        break;
      block = (Block){ left->count + block.count, left->weight + block.weight, left->sum + block.sum };
    }
    placing->blocks[blocks++] = block;
  }
  for (uint32_t i = 0, at = 0; i < blocks; i++) {
    int64_t x = divide_down(placing->blocks[i].sum, placing->blocks[i].weight);
    for (uint32_t k = 0; k < placing->blocks[i].count; k++, at++)
      layering->x[row[at]] = (int32_t)(x + placing->starts[at]);
  }
}

static void pack_rows(const Layering *layering)
{
  for (uint32_t rank = 0; rank < layering->rank_count; rank++) {
    uint32_t count;
    const uint32_t *row = layering_row(layering, rank, &count);
    int32_t width = 0;
    for (uint32_t i = 1; i < count; i++)
      width += distance(layering, row[i - 1], row[i]);
    for (uint32_t i = 0, x = 0; i < count; i++) {
      x += i == 0 ? 0 : (uint32_t)distance(layering, row[i - 1], row[i]);
      layering->x[row[i]] = (int32_t)x - width / 2;
    }
  }
}

static void sweep(const Placing *placing, bool is_down, unsigned sides)
{
  uint32_t ranks = placing->layering->rank_count;
  for (uint32_t i = 0; i < ranks; i++)
    settle_row(placing, is_down ? i : ranks - 1 - i, sides, is_down);
}

/// As many as the work allows, at least two.
static int count_rounds(const Layering *layering)
{
  uint64_t size = (uint64_t)layering->below.starts[layering->place_count] + layering->place_count;
  uint64_t rounds = LAYOUT_WORK / size;
  return rounds < 2 ? 2 : rounds > PLACE_ROUNDS ? PLACE_ROUNDS : (int)rounds;
}

void layering_place(Layering *layering)
{
  uint32_t links = layering->below.starts[layering->place_count];
  Placing placing = {
    .layering = layering,
    .blocks = ARENA_ARRAY(layering->arena, Block, layering->place_count),
    .wishes = ARENA_ARRAY(layering->arena, Wish, (size_t)links * 2),
    .starts = ARENA_ARRAY(layering->arena, int64_t, layering->place_count),
  };
  layering->x = ARENA_ARRAY(layering->arena, int32_t, layering->place_count);
  pack_rows(layering);
  int rounds = count_rounds(layering);
  for (int round = 0; round < rounds; round++)
    sweep(&placing, round % 2 == 0, round % 2 == 0 ? SIDE_ABOVE : SIDE_BELOW);
  for (int round = 0; round < rounds; round++)
    sweep(&placing, round % 2 == 0, SIDE_ABOVE | SIDE_BELOW);
}
