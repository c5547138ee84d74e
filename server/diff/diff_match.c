#include "diff/diff_match.h"

#include "base/hash.h"
#include "base/limits.h"

/// How alike two neighbours of a pair must be to be one.
typedef enum Likeness {
  LIKE_LABEL,  ///< Down to their attributes.
  LIKE_OP,
} Likeness;

typedef struct KeyedPart {
  uint64_t key;
  uint32_t part;
  uint32_t side;  ///< 0 for `a`.
} KeyedPart;

typedef struct Matcher {
  GraphDiff *diff;
  const GraphStructure *graphs[2];
  const PartHashes *hashes[2];
  uint32_t *to[2];  ///< By part of a side: what it is on the other.
  Likeness likeness;
  bool stays;             ///< Pairs lead nowhere yet.
  bool has_other_inputs;  ///< One of the two graphs takes more than the other.
  Vec(uint32_t) pairs;    ///< Parts of `a` whose neighbours were not looked at yet.
  Vec(KeyedPart) keyed;
  uint32_t *first_block[2];  ///< By part, one more than there are: what the graphs in it take and give, in `owned`.
  uint32_t *owned[2];
} Matcher;

// --- Pairs ---

static const Part *part_of(const Matcher *m, int side, uint32_t part)
{
  return &m->graphs[side]->parts.items[part];
}

static uint32_t owner_of(const Matcher *m, int side, uint32_t part)
{
  return m->graphs[side]->blocks.items[part_of(m, side, part)->block].owner;
}

static bool are_alike(const Matcher *m, uint32_t a, uint32_t b)
{
  return m->likeness == LIKE_LABEL ? m->hashes[0]->label[a] == m->hashes[1]->label[b]
                                   : m->hashes[0]->op[a] == m->hashes[1]->op[b];
}

static bool is_free(const Matcher *m, uint32_t a, uint32_t b)
{
  return m->to[0][a] == NO_PART && m->to[1][b] == NO_PART;
}

/// Whether what the two are inside of may be the same: no other pair has one of them.
static bool owners_agree(const Matcher *m, uint32_t a, uint32_t b)
{
  uint32_t owner_a = owner_of(m, 0, a);
  uint32_t owner_b = owner_of(m, 1, b);
  if (owner_a == NO_PART || owner_b == NO_PART)
    return owner_a == owner_b;
  return m->to[0][owner_a] == owner_b || is_free(m, owner_a, owner_b);
}

/// Makes the two a pair, with what they are inside of.
static void pair(Matcher *m, uint32_t a, uint32_t b)
{
  while (a != NO_PART && b != NO_PART && is_free(m, a, b)) {
    m->to[0][a] = b;
    m->to[1][b] = a;
    vec_push(&m->pairs, a);
    a = owner_of(m, 0, a);
    b = owner_of(m, 1, b);
  }
}

static void try_pair(Matcher *m, uint32_t a, uint32_t b)
{
  if (is_free(m, a, b) && are_alike(m, a, b) && owners_agree(m, a, b))
    pair(m, a, b);
}

// --- Along values ---

/// The value that the part uses at `*at` or next; NO_VALUE for one that is left out, or after the last. Between two
/// languages those left out are no places, as not each writes them.
static uint32_t next_used(const Matcher *m, int side, const Part *part, uint32_t *at)
{
  const uint32_t *uses = m->graphs[side]->uses.items + part->first_use;
  while (m->diff->is_mixed && *at < part->use_count && uses[*at] == NO_VALUE)
    ++*at;
  return *at < part->use_count ? uses[(*at)++] : NO_VALUE;
}

/// To what makes the values that both use.
static void follow_uses(Matcher *m, const Part *a, const Part *b)
{
  uint32_t at_a = 0;
  uint32_t at_b = 0;
  while (at_a < a->use_count && at_b < b->use_count) {
    uint32_t value_a = next_used(m, 0, a, &at_a);
    uint32_t value_b = next_used(m, 1, b, &at_b);
    if (value_a == NO_VALUE || value_b == NO_VALUE)
      continue;
    const PartValue *from_a = &m->graphs[0]->values.items[value_a];
    const PartValue *from_b = &m->graphs[1]->values.items[value_b];
    if (from_a->index == from_b->index)
      try_pair(m, from_a->part, from_b->part);
  }
}

/// Of what is made of the same all makers are the same, so these pairs are as sure.
static void follow_makers(Matcher *m)
{
  for (uint32_t a = (uint32_t)m->hashes[0]->count; a-- > 0;) {
    uint32_t b = m->to[0][a];
    if (b != NO_PART && m->hashes[0]->before[a] == m->hashes[1]->before[b])
      follow_uses(m, part_of(m, 0, a), part_of(m, 1, b));
  }
}

typedef struct UseRange {
  const ValueUse *items;
  uint32_t count;
} UseRange;

static UseRange uses_of(const Matcher *m, int side, uint32_t value)
{
  const PartHashes *hashes = m->hashes[side];
  uint32_t first = hashes->first_use[value];
  return (UseRange){ hashes->uses + first, hashes->first_use[value + 1] - first };
}

/// The only free user among `range` that is as `other` is; NO_PART for none or several.
static uint32_t only_user(const Matcher *m, int side, UseRange range, ValueUse use, uint64_t wanted)
{
  uint32_t found = NO_PART;
  for (uint32_t i = 0; i < range.count; i++) {
    uint32_t part = range.items[i].part;
    const PartHashes *hashes = m->hashes[side];
    uint64_t hash = m->likeness == LIKE_LABEL ? hashes->label[part] : hashes->op[part];
    if (range.items[i].position != use.position || hash != wanted || m->to[side][part] != NO_PART)
      continue;
    if (found != NO_PART)
      return NO_PART;
    found = part;
  }
  return found;
}

/// To what uses a value that both make, where only one on each side is alike.
static void follow_value(Matcher *m, uint32_t value_a, uint32_t value_b)
{
  UseRange a = uses_of(m, 0, value_a);
  UseRange b = uses_of(m, 1, value_b);
  if (a.count > DIFF_USER_LIMIT || b.count > DIFF_USER_LIMIT)
    return;
  for (uint32_t i = 0; i < a.count; i++) {
    const PartHashes *hashes = m->hashes[0];
    uint32_t part = a.items[i].part;
    uint64_t wanted = m->likeness == LIKE_LABEL ? hashes->label[part] : hashes->op[part];
    uint32_t user_a = only_user(m, 0, a, a.items[i], wanted);
    uint32_t user_b = user_a == NO_PART ? NO_PART : only_user(m, 1, b, a.items[i], wanted);
    if (user_b != NO_PART)
      try_pair(m, user_a, user_b);
  }
}

/// To the inputs and outputs of the graphs inside of both, one after the other.
static void follow_blocks(Matcher *m, uint32_t a, uint32_t b)
{
  uint32_t at_a = m->first_block[0][a];
  uint32_t at_b = m->first_block[1][b];
  while (at_a < m->first_block[0][a + 1] && at_b < m->first_block[1][b + 1])
    try_pair(m, m->owned[0][at_a++], m->owned[1][at_b++]);
}

static void follow_pairs(Matcher *m)
{
  while (!m->stays && m->pairs.count > 0) {
    uint32_t number = m->pairs.items[--m->pairs.count];
    const Part *a = part_of(m, 0, number);
    const Part *b = part_of(m, 1, m->to[0][number]);
    follow_uses(m, a, b);
    for (uint32_t i = 0; i < a->value_count && i < b->value_count; i++)
      follow_value(m, a->first_value + i, b->first_value + i);
    follow_blocks(m, number, m->to[0][number]);
  }
}

/// The same for all pairs once more, when less likeness is asked for than before.
static void follow_all_pairs(Matcher *m)
{
  for (uint32_t a = (uint32_t)m->hashes[0]->count; a-- > 0;) {
    if (m->to[0][a] != NO_PART)
      vec_push(&m->pairs, a);
  }
  follow_pairs(m);
}

// --- By keys ---

typedef enum GroupRule {
  GROUP_ONE,   ///< One on each side.
  GROUP_SAME,  ///< As many on both sides, in their order.
  GROUP_ANY,   ///< In their order as far as it goes.
} GroupRule;

static int compare_keyed(const void *left, const void *right)
{
  const KeyedPart *a = left;
  const KeyedPart *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  if (a->side != b->side)
    return a->side < b->side ? -1 : 1;
  return a->part < b->part ? -1 : a->part > b->part;
}

/// A group of parts with one key: those of `a`, then those of `b`.
static void pair_group(Matcher *m, const KeyedPart *group, size_t count_a, size_t count_b, GroupRule rule)
{
  bool fits = rule == GROUP_ANY ? true : rule == GROUP_SAME ? count_a == count_b : count_a == 1 && count_b == 1;
  for (size_t i = 0; fits && i < count_a && i < count_b; i++) {
    uint32_t a = group[i].part;
    uint32_t b = group[count_a + i].part;
    // The pairs before may have led to these already.
    if (!is_free(m, a, b) || !owners_agree(m, a, b))
      continue;
    pair(m, a, b);
    follow_pairs(m);
  }
}

static void pair_keyed(Matcher *m, GroupRule rule)
{
  size_t count = m->keyed.count;
  vec_sort(&m->keyed, compare_keyed);
  for (size_t start = 0, end; start < count; start = end) {
    size_t split = start;
    while (split < count && m->keyed.items[split].key == m->keyed.items[start].key && m->keyed.items[split].side == 0)
      split++;
    end = split;
    while (end < count && m->keyed.items[end].key == m->keyed.items[start].key)
      end++;
    pair_group(m, m->keyed.items + start, split - start, end - split, rule);
  }
}

typedef uint64_t KeyOf(const Matcher *m, int side, uint32_t part);

/// A key of 0 leaves a part out.
static void pair_by(Matcher *m, KeyOf *key_of, GroupRule rule)
{
  vec_clear(&m->keyed);
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < m->hashes[side]->count; i++) {
      uint64_t key = m->to[side][i] == NO_PART ? key_of(m, side, i) : 0;
      if (key != 0)
        vec_push(&m->keyed, (KeyedPart){ key, i, (uint32_t)side });
    }
  }
  pair_keyed(m, rule);
}

static uint64_t key_whole(const Matcher *m, int side, uint32_t part)
{
  return hash_mix(m->hashes[side]->before[part], m->hashes[side]->after[part]);
}

static uint64_t key_before(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->before[part];
}

static uint64_t key_after(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->after[part];
}

static uint64_t key_around(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->around[AROUND_STEPS][part];
}

static uint64_t key_near(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->around[2][part];
}

static uint64_t key_next(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->around[1][part];
}

static uint64_t key_kinds(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->kinds[KIND_STEPS][part];
}

static uint64_t key_kinds_next(const Matcher *m, int side, uint32_t part)
{
  return m->hashes[side]->kinds[1][part];
}

/// Names of modules are the same in most exports of a model, so they may tell two nodes apart that nothing else does.
static uint64_t key_scope(const Matcher *m, int side, uint32_t part)
{
  const Part *p = part_of(m, side, part);
  return p->scope.len > 0 ? hash_add_str(m->hashes[side]->op[part], p->scope) : 0;
}

/// What a part is says which it is where it holds much: an initializer, or a node with attributes.
static uint64_t key_label(const Matcher *m, int side, uint32_t part)
{
  const Part *p = part_of(m, side, part);
  return p->constant.len > 0 || p->attribute_count > 0 ? m->hashes[side]->label[part] : 0;
}

// --- In the same place ---

/// A number that is the same for both parts of a pair; 0 for a part without one.
static uint64_t pair_number(const Matcher *m, int side, uint32_t part)
{
  uint32_t other = m->to[side][part];
  return other == NO_PART ? 0 : (uint64_t)(side == 0 ? part : other) + 1;
}

static uint64_t add_makers(const Matcher *m, int side, const Part *part, uint64_t hash, bool *is_known)
{
  for (uint32_t i = 0; i < part->use_count; i++) {
    uint32_t value = m->graphs[side]->uses.items[part->first_use + i];
    if (value == NO_VALUE)
      continue;
    const PartValue *v = &m->graphs[side]->values.items[value];
    if (m->diff->is_mixed && diff_part_is_minor(part_of(m, side, v->part)))
      continue;
    uint64_t number = pair_number(m, side, v->part);
    *is_known |= number > 0;
    hash = hash_mix(hash, number > 0 ? hash_mix(number, v->index) : 0);
  }
  return hash;
}

static uint64_t add_users(const Matcher *m, int side, const Part *part, uint64_t hash, bool *is_known)
{
  for (uint32_t i = 0; i < part->value_count; i++) {
    UseRange range = uses_of(m, side, part->first_value + i);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < range.count; k++) {
      uint64_t number = pair_number(m, side, range.items[k].part);
      *is_known |= number > 0;
      sum += number > 0 ? hash_mix(number, m->diff->is_mixed ? 0 : range.items[k].position) : 0;
    }
    hash = hash_mix(hash, sum);
  }
  return hash;
}

static uint64_t place_seed(const Matcher *m, int side, uint32_t part)
{
  const Part *p = part_of(m, side, part);
  uint32_t owner = owner_of(m, side, part);
  StructureKind kind = p->kind == STRUCTURE_CONSTANT ? STRUCTURE_NODE : p->kind;
  return hash_mix((uint64_t)kind + 1, owner == NO_PART ? 0 : pair_number(m, side, owner));
}

/// Where it is: between what, whatever it is itself.
static uint64_t key_place(const Matcher *m, int side, uint32_t part)
{
  bool has_makers = false;
  bool has_users = false;
  const Part *p = part_of(m, side, part);
  uint64_t hash = add_makers(m, side, p, place_seed(m, side, part), &has_makers);
  hash = add_users(m, side, p, hash, &has_users);
  bool is_known = (has_makers || p->use_count == 0) && (has_users || p->value_count == 0) && (has_makers || has_users);
  return is_known ? hash : 0;
}

static uint64_t key_makers(const Matcher *m, int side, uint32_t part)
{
  bool is_known = false;
  uint64_t hash = add_makers(m, side, part_of(m, side, part), m->hashes[side]->op[part], &is_known);
  return is_known ? hash : 0;
}

static uint64_t key_users(const Matcher *m, int side, uint32_t part)
{
  bool is_known = false;
  uint64_t hash = add_users(m, side, part_of(m, side, part), m->hashes[side]->op[part], &is_known);
  return is_known ? hash : 0;
}

/// In the signature of the graph itself.
static bool is_outer(const GraphStructure *graph, uint32_t part, StructureKind kind)
{
  const Part *p = &graph->parts.items[part];
  const PartBlock *block = &graph->blocks.items[p->block];
  return p->kind == kind && p->constant.len == 0 && block->owner == NO_PART && !diff_is_function(block);
}

static uint32_t count_outer_inputs(const GraphStructure *graph)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < graph->parts.count; i++)
    count += is_outer(graph, i, STRUCTURE_INPUT);
  return count;
}

/// Inputs of the graph by what takes them, where one was added or removed. Else where they stand says more.
static uint64_t key_taken(const Matcher *m, int side, uint32_t part)
{
  const Part *p = part_of(m, side, part);
  if (!m->has_other_inputs || p->value_count != 1 || !is_outer(m->graphs[side], part, STRUCTURE_INPUT))
    return 0;
  const uint32_t *first_use = &m->hashes[side]->first_use[p->first_value];
  return first_use[0] < first_use[1] ? m->hashes[side]->after[part] : 0;
}

/// Outputs of the graph by what makes them, wherever they are in its signature.
static uint64_t key_given(const Matcher *m, int side, uint32_t part)
{
  const GraphStructure *graph = m->graphs[side];
  const Part *p = part_of(m, side, part);
  if (p->use_count != 1 || !is_outer(graph, part, STRUCTURE_OUTPUT))
    return 0;
  uint32_t value = graph->uses.items[p->first_use];
  if (value == NO_VALUE)
    return 0;
  const PartValue *v = &graph->values.items[value];
  return hash_mix(m->hashes[side]->before[v->part], v->index);
}

/// Inputs and outputs of the graph that nothing else tells apart: by their place in the signature.
static uint64_t key_number(const Matcher *m, int side, uint32_t part)
{
  const Part *p = part_of(m, side, part);
  bool is_numbered = p->kind == STRUCTURE_INPUT || p->kind == STRUCTURE_OUTPUT;
  return is_numbered ? hash_mix(m->hashes[side]->op[part],
                                hash_mix(diff_part_number(p, m->diff->is_mixed), place_seed(m, side, part)))
                     : 0;
}

static void list_owned(Matcher *m, int side)
{
  const GraphStructure *graph = m->graphs[side];
  uint32_t count = (uint32_t)graph->parts.count;
  uint32_t *first = m->first_block[side] = xcalloc(count + 2, sizeof(*first));
  m->owned[side] = xcalloc(count + 1, sizeof(**m->owned));
  for (int is_filling = 0; is_filling < 2; is_filling++) {
    for (uint32_t i = 0; i < count; i++) {
      const Part *part = &graph->parts.items[i];
      uint32_t owner = graph->blocks.items[part->block].owner;
      if (owner == NO_PART || part->kind == STRUCTURE_NODE || part->kind == STRUCTURE_CONSTANT)
        continue;
      if (is_filling)
        m->owned[side][first[owner]++] = i;
      else
        first[owner + 1]++;
    }
    for (uint32_t i = 1; !is_filling && i <= count; i++)
      first[i] += first[i - 1];
  }
  // Filling moved each beginning to its end.
  memmove(first + 1, first, count * sizeof(*first));
  first[0] = 0;
}

static void match(Matcher *m)
{
  static KeyOf *const certain[] = { key_given, key_taken, key_before, key_whole, key_after };
  static KeyOf *const exact[] = { key_whole, key_before, key_after };
  static KeyOf *const close[] = { key_around, key_near, key_next, key_label };
  static KeyOf *const loose[] = { key_kinds, key_kinds_next, key_scope };
  static KeyOf *const places[] = { key_place, key_users, key_makers, key_number };
  // Neighbours say less than all that comes before or after, so nobody follows them before that is known.
  m->stays = true;
  for (size_t i = 0; i < COUNT(certain); i++) {
    pair_by(m, certain[i], GROUP_ONE);
    follow_makers(m);
  }
  m->stays = false;
  follow_pairs(m);
  for (size_t i = 0; i < COUNT(exact); i++)
    pair_by(m, exact[i], GROUP_SAME);
  for (size_t i = 0; i < COUNT(close); i++)
    pair_by(m, close[i], GROUP_ONE);
  m->likeness = LIKE_OP;
  for (size_t i = 0; i < COUNT(loose); i++)
    pair_by(m, loose[i], GROUP_ONE);
  follow_all_pairs(m);
  // What is otherwise is known by its neighbours, and then leads to others.
  for (int round = 0; round < DIFF_PLACE_ROUNDS; round++) {
    for (size_t i = 0; i < COUNT(places); i++)
      pair_by(m, places[i], GROUP_ONE);
  }
  pair_by(m, key_next, GROUP_ANY);
  pair_by(m, key_label, GROUP_ANY);
}

void diff_match(GraphDiff *diff, const PartHashes *a, const PartHashes *b)
{
  Matcher m = { .diff = diff,
                .graphs = { diff->a, diff->b },
                .hashes = { a, b },
                .to = { diff->to_b, diff->to_a },
                .likeness = LIKE_LABEL,
                .has_other_inputs = count_outer_inputs(diff->a) != count_outer_inputs(diff->b) };
  for (int side = 0; side < 2; side++)
    list_owned(&m, side);
  match(&m);
  for (int side = 0; side < 2; side++) {
    free(m.first_block[side]);
    free(m.owned[side]);
  }
  vec_free(&m.pairs);
  vec_free(&m.keyed);
}
