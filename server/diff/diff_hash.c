#include "diff/diff_hash.h"

#include "base/hash.h"

/// Salts, so that equal numbers in different roles give different hashes.
enum {
  SALT_BLOCK = 1,
  SALT_CONSTANT,
  SALT_FREE,
  SALT_INPUT,
  SALT_NODE,
  SALT_OUTPUT,
  SALT_VALUE,
  SALT_USE,
  SALT_LEFT_OUT,
  SALT_INSIDE,
};

static uint64_t *new_row(size_t count)
{
  return xcalloc(count + 1, sizeof(uint64_t));
}

// --- What a part is ---

/// Of the block that a part is in: its name. Between two languages it says nothing but that a function is no graph.
static uint64_t *hash_blocks(const GraphStructure *structure, HashRule rule)
{
  size_t count = structure->blocks.count;
  uint64_t *hashes = new_row(count);
  for (size_t i = 0; i < count; i++) {
    const PartBlock *block = &structure->blocks.items[i];
    if (!rule.is_mixed || diff_is_function(block))
      hashes[i] = hash_add_str(hash_mix(SALT_BLOCK, block->owner == NO_PART), block->name);
  }
  return hashes;
}

bool diff_is_function(const PartBlock *block)
{
  return block->owner == NO_PART && block->name.len > 0;
}

bool diff_part_is_minor(const Part *part)
{
  static const char *const names[] = { "prim::Constant",       "prim::ListConstruct", "prim::GetAttr",
                                       "prim::TupleConstruct", "onnx::Constant",      "Constant" };
  return part->kind == STRUCTURE_CONSTANT || part->is_free || part->is_parameter ||
         str_is_one_of(part->op, names, COUNT(names));
}

Str diff_part_op(const Part *part, bool lacks_domains)
{
  // A trace has the one operator that all convolutions come to.
  static const char *const convolutions[] = { "aten::_convolution", "aten::convolution", "aten::conv1d", "aten::conv2d",
                                              "aten::conv3d" };
  static const Str aten = STR_INIT("org.pytorch.aten::");  // In a model; in the graph it was made of it is aten.
  size_t colons = str_find(part->op, STR("::"), 0);
  Str op = colons == STR_NOT_FOUND ? part->op : str_slice(part->op, 0, str_find_char(part->op, '.', colons));
  if (lacks_domains)
    return colons == STR_NOT_FOUND ? op : str_slice(op, colons + 2, op.len);
  if (str_starts_with(op, aten))
    return str_slice(op, sizeof("org.pytorch.") - 1, op.len);
  return str_is_one_of(op, convolutions, COUNT(convolutions)) ? STR("aten::convolution") : op;
}

static uint64_t hash_op(const Part *part, uint64_t block, HashRule rule)
{
  static const int salts[] = { [STRUCTURE_INPUT] = SALT_INPUT,
                               [STRUCTURE_CONSTANT] = SALT_CONSTANT,
                               [STRUCTURE_NODE] = SALT_NODE,
                               [STRUCTURE_OUTPUT] = SALT_OUTPUT };
  // A constant is one, whether a node or an initializer holds it.
  if (part->constant.len > 0 && part->kind != STRUCTURE_INPUT)
    return hash_mix(SALT_CONSTANT, block);
  uint64_t hash = hash_mix((uint64_t)(part->is_free ? SALT_FREE : salts[part->kind]), block);
  return hash_add_str(hash, rule.is_mixed ? diff_part_op(part, rule.lacks_domains) : part->op);
}

static uint64_t hash_label(const GraphStructure *structure, const Part *part, uint64_t op, HashRule rule)
{
  if (part->constant.len > 0)
    return rule.ignores_values ? op : hash_add_str(op, part->constant);
  if (part->kind != STRUCTURE_NODE || rule.is_mixed)
    return op;
  // The order of attributes means nothing.
  uint64_t sum = 0;
  for (uint32_t i = 0; i < part->attribute_count; i++) {
    const PartAttribute *attribute = &structure->attributes.items[part->first_attribute + i];
    sum += hash_add_str(hash_add_str(SALT_NODE, attribute->name), attribute->value);
  }
  return hash_mix(op, sum);
}

static void hash_labels(const GraphStructure *structure, HashRule rule, PartHashes *hashes)
{
  uint64_t *blocks = hash_blocks(structure, rule);
  for (size_t i = 0; i < hashes->count; i++) {
    const Part *part = &structure->parts.items[i];
    hashes->op[i] = hash_op(part, blocks[part->block], rule);
    hashes->label[i] = hash_label(structure, part, hashes->op[i], rule);
    hashes->kinds[0][i] = hash_add_str(hashes->op[i], str_slice(part->constant, 0, part->constant_type));
  }
  free(blocks);
}

// --- Who uses a value ---

static void list_uses(const GraphStructure *structure, PartHashes *hashes)
{
  size_t values = structure->values.count;
  uint32_t *next = xcalloc(values + 2, sizeof(*next));
  for (size_t i = 0; i < structure->uses.count; i++) {
    if (structure->uses.items[i] != NO_VALUE)
      next[structure->uses.items[i] + 2]++;
  }
  for (size_t i = 2; i < values + 2; i++)
    next[i] += next[i - 1];
  hashes->uses = xcalloc(structure->uses.count + 1, sizeof(*hashes->uses));
  for (uint32_t p = 0; p < hashes->count; p++) {
    const Part *part = &structure->parts.items[p];
    for (uint32_t i = 0; i < part->use_count; i++) {
      uint32_t value = structure->uses.items[part->first_use + i];
      if (value != NO_VALUE)
        hashes->uses[next[value + 1]++] = (ValueUse){ p, i };
    }
  }
  hashes->first_use = next;
}

// --- What comes before and after ---

/// Lists, each of numbers in ascending order: the parts of a block, and the blocks of a part.
typedef struct Nesting {
  uint32_t *first_part;   ///< By block.
  uint32_t *next_part;    ///< By part.
  uint32_t *first_block;  ///< By part.
  uint32_t *next_block;   ///< By block.
} Nesting;

static uint32_t *no_numbers(size_t count)
{
  uint32_t *numbers = xmalloc((count + 1) * sizeof(*numbers));
  memset(numbers, 0xFF, (count + 1) * sizeof(*numbers));
  return numbers;
}

static Nesting nesting_of(const GraphStructure *structure)
{
  size_t parts = structure->parts.count;
  size_t blocks = structure->blocks.count;
  Nesting nesting = { no_numbers(blocks), no_numbers(parts), no_numbers(parts), no_numbers(blocks) };
  for (size_t i = parts; i-- > 0;) {
    uint32_t *first = &nesting.first_part[structure->parts.items[i].block];
    nesting.next_part[i] = *first;
    *first = (uint32_t)i;
  }
  for (size_t i = blocks; i-- > 0;) {
    uint32_t owner = structure->blocks.items[i].owner;
    if (owner == NO_PART)
      continue;
    nesting.next_block[i] = nesting.first_block[owner];
    nesting.first_block[owner] = (uint32_t)i;
  }
  return nesting;
}

static void nesting_done(Nesting *nesting)
{
  free(nesting->first_part);
  free(nesting->next_part);
  free(nesting->first_block);
  free(nesting->next_block);
}

/// Puts the parts of a block, each after what is inside of it, after the `count` in `order`; returns how many there
/// are then. `nesting` loses the blocks that were listed.
static size_t list_block(const GraphStructure *structure, Nesting *nesting, uint32_t block, uint32_t *order,
                         size_t count)
{
  Vec(uint32_t) next = { 0 };  // In the block and in those around it.
  vec_push(&next, nesting->first_part[block]);
  while (next.count > 0) {
    uint32_t part = *vec_last(&next);
    uint32_t inside = part == NO_PART ? NO_PART : nesting->first_block[part];
    if (part == NO_PART) {
      next.count--;
    } else if (inside != NO_PART) {
      nesting->first_block[part] = nesting->next_block[inside];
      vec_push(&next, nesting->first_part[inside]);
    } else {
      if (!structure->parts.items[part].is_free)
        order[count++] = part;
      *vec_last(&next) = nesting->next_part[part];
    }
  }
  vec_free(&next);
  return count;
}

/// The parts in an order in which what is inside of a node comes before it, and each value before its uses, wherever
/// the text has the inside: in the node, or after the graph that the node is in.
static uint32_t *inside_first(const GraphStructure *structure)
{
  size_t count = 0;
  uint32_t *order = xcalloc(structure->parts.count + 1, sizeof(*order));
  Nesting nesting = nesting_of(structure);
  for (uint32_t i = 0; i < structure->parts.count; i++) {
    if (structure->parts.items[i].is_free)
      order[count++] = i;
  }
  for (uint32_t i = 0; i < structure->blocks.count; i++) {
    if (structure->blocks.items[i].owner == NO_PART)
      count = list_block(structure, &nesting, i, order, count);
  }
  nesting_done(&nesting);
  return order;
}

/// `hash` with a value that a part uses.
static uint64_t add_value(const GraphStructure *structure, HashRule rule, const uint64_t *parts, uint32_t value,
                          uint64_t hash)
{
  if (value == NO_VALUE)
    return rule.is_mixed ? hash : hash_mix(hash, SALT_LEFT_OUT);
  const PartValue *v = &structure->values.items[value];
  if (rule.is_mixed && diff_part_is_minor(&structure->parts.items[v->part]))
    return hash;
  return hash_mix(hash, hash_mix(hash_mix(SALT_VALUE, parts[v->part]), v->index));
}

static uint64_t seed_before(const Part *part, uint64_t label, HashRule rule)
{
  bool is_numbered = part->kind != STRUCTURE_NODE && part->constant.len == 0;
  return is_numbered ? hash_mix(label, diff_part_number(part, rule.is_mixed)) : label;
}

static void hash_before(const GraphStructure *structure, HashRule rule, const uint32_t *order, PartHashes *hashes)
{
  uint64_t *inside = new_row(hashes->count);
  for (size_t i = 0; i < hashes->count; i++) {
    uint32_t p = order[i];
    const Part *part = &structure->parts.items[p];
    uint64_t hash = hash_mix(seed_before(part, hashes->label[p], rule), inside[p]);
    for (uint32_t k = 0; k < part->use_count; k++)
      hash = add_value(structure, rule, hashes->before, structure->uses.items[part->first_use + k], hash);
    hashes->before[p] = hash;
    const PartBlock *block = &structure->blocks.items[part->block];
    if (block->owner != NO_PART)
      inside[block->owner] += hash_mix(hash_add_str(SALT_INSIDE, block->name), hash);
  }
  free(inside);
}

/// The sum over all uses of a value, as they have no order.
static uint64_t uses_hash(const PartHashes *hashes, HashRule rule, const uint64_t *parts, uint32_t value)
{
  uint64_t sum = 0;
  for (uint32_t i = hashes->first_use[value]; i < hashes->first_use[value + 1]; i++)
    sum += hash_mix(hash_mix(SALT_USE, parts[hashes->uses[i].part]), rule.is_mixed ? 0 : hashes->uses[i].position);
  return sum;
}

static void hash_after(const GraphStructure *structure, HashRule rule, const uint32_t *order, PartHashes *hashes)
{
  for (size_t i = hashes->count; i-- > 0;) {
    uint32_t p = order[i];
    const Part *part = &structure->parts.items[p];
    uint32_t owner = structure->blocks.items[part->block].owner;
    uint64_t hash = hashes->label[p];
    if (part->kind == STRUCTURE_OUTPUT)
      hash = hash_mix(hash, diff_part_number(part, rule.is_mixed));
    if (owner != NO_PART)
      hash = hash_mix(hash, hashes->after[owner]);
    for (uint32_t k = 0; k < part->value_count; k++)
      hash = hash_mix(hash, uses_hash(hashes, rule, hashes->after, part->first_value + k));
    hashes->after[p] = hash;
  }
}

static void hash_around(const GraphStructure *structure, HashRule rule, const PartHashes *hashes, const uint64_t *from,
                        uint64_t *to)
{
  for (uint32_t p = 0; p < hashes->count; p++) {
    const Part *part = &structure->parts.items[p];
    uint64_t hash = from[p];
    for (uint32_t k = 0; k < part->use_count; k++)
      hash = add_value(structure, rule, from, structure->uses.items[part->first_use + k], hash);
    for (uint32_t k = 0; k < part->value_count; k++)
      hash = hash_mix(hash, uses_hash(hashes, rule, from, part->first_value + k));
    uint32_t owner = structure->blocks.items[part->block].owner;
    to[p] = owner == NO_PART ? hash : hash_mix(hash, from[owner]);
  }
}

void part_hashes(const GraphStructure *structure, HashRule rule, PartHashes *ret_hashes)
{
  size_t count = structure->parts.count;
  *ret_hashes = (PartHashes){ .count = count };
  ret_hashes->op = new_row(count);
  ret_hashes->label = ret_hashes->around[0] = new_row(count);
  ret_hashes->kinds[0] = new_row(count);
  ret_hashes->before = new_row(count);
  ret_hashes->after = new_row(count);
  hash_labels(structure, rule, ret_hashes);
  list_uses(structure, ret_hashes);
  uint32_t *order = inside_first(structure);
  hash_before(structure, rule, order, ret_hashes);
  hash_after(structure, rule, order, ret_hashes);
  free(order);
  for (size_t step = 1; step <= AROUND_STEPS; step++) {
    ret_hashes->around[step] = new_row(count);
    hash_around(structure, rule, ret_hashes, ret_hashes->around[step - 1], ret_hashes->around[step]);
  }
  for (size_t step = 1; step <= KIND_STEPS; step++) {
    ret_hashes->kinds[step] = new_row(count);
    hash_around(structure, rule, ret_hashes, ret_hashes->kinds[step - 1], ret_hashes->kinds[step]);
  }
}

void part_hashes_done(PartHashes *hashes)
{
  free(hashes->op);
  free(hashes->before);
  free(hashes->after);
  for (size_t i = 0; i <= AROUND_STEPS; i++)
    free(hashes->around[i]);
  for (size_t i = 0; i <= KIND_STEPS; i++)
    free(hashes->kinds[i]);
  free(hashes->first_use);
  free(hashes->uses);
  *hashes = (PartHashes){ 0 };
}
