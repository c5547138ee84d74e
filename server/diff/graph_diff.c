#include "diff/graph_diff.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/sort.h"
#include "diff/diff_match.h"

static const Part *part_a(const GraphDiff *diff, uint32_t part)
{
  return &diff->a->parts.items[part];
}

static const Part *part_b(const GraphDiff *diff, uint32_t part)
{
  return &diff->b->parts.items[part];
}

// --- Writing down ---

static void add_change(GraphDiff *diff, ChangeKind kind, Str name, Str a, Str b)
{
  vec_push(&diff->changes, (Change){ kind, name, a, b });
}

static void add_part_difference(GraphDiff *diff, DifferenceKind kind, uint32_t a, uint32_t b, size_t first_change)
{
  Difference difference = { .kind = kind, .a = a, .b = b, .first_change = first_change };
  difference.change_count = diff->changes.count - first_change;
  difference.line_a = a == NO_PART ? 0 : part_a(diff, a)->line;
  difference.line_b = b == NO_PART ? 0 : part_b(diff, b)->line;
  vec_push(&diff->items, difference);
}

// --- Which value is which ---

static bool is_value_of(const GraphStructure *structure, uint32_t value, uint32_t part, uint32_t index)
{
  return value != NO_VALUE && structure->values.items[value].part == part &&
         structure->values.items[value].index == index;
}

/// Whether two values, each of which may be left out, are the same.
static bool are_one(const GraphDiff *diff, uint32_t a, uint32_t b)
{
  if (a == NO_VALUE || b == NO_VALUE)
    return a == b;
  const PartValue *value = &diff->a->values.items[a];
  return is_value_of(diff->b, b, diff->to_b[value->part], value->index);
}

/// Whether a part that is on one side only uses a value of a part that is on both, maybe over others like itself.
static bool leads_to(const GraphStructure *structure, const uint32_t *to_other, uint32_t from, uint32_t part,
                     uint32_t index)
{
  uint32_t waiting[DIFF_BYPASS_LIMIT] = { from };
  size_t count = 1;
  for (size_t at = 0; at < count; at++) {
    const Part *gone = &structure->parts.items[waiting[at]];
    for (uint32_t i = 0; i < gone->use_count; i++) {
      uint32_t value = structure->uses.items[gone->first_use + i];
      if (is_value_of(structure, value, part, index))
        return true;
      bool goes_on = value != NO_VALUE && to_other[structure->values.items[value].part] == NO_PART;
      if (goes_on && count < COUNT(waiting))
        waiting[count++] = structure->values.items[value].part;
    }
  }
  return false;
}

/// Whether another value is used only because of parts that were removed or added, which are told by themselves.
static bool is_explained(const GraphDiff *diff, uint32_t a, uint32_t b)
{
  if (a == NO_VALUE || b == NO_VALUE)
    return false;
  const PartValue *from_a = &diff->a->values.items[a];
  const PartValue *from_b = &diff->b->values.items[b];
  bool is_gone = diff->to_b[from_a->part] == NO_PART;
  bool is_new = diff->to_a[from_b->part] == NO_PART;
  if (is_gone && is_new)
    return true;
  if (is_gone)
    return leads_to(diff->a, diff->to_b, from_a->part, diff->to_a[from_b->part], from_b->index);
  return is_new && leads_to(diff->b, diff->to_a, from_b->part, diff->to_b[from_a->part], from_a->index);
}

static uint32_t used(const GraphStructure *structure, const Part *part, uint32_t i)
{
  return i < part->use_count ? structure->uses.items[part->first_use + i] : NO_VALUE;
}

static Str value_name(const GraphStructure *structure, uint32_t value)
{
  return value == NO_VALUE ? (Str){ 0 } : structure->values.items[value].name;
}

// --- Two parts that are one ---

static void compare_uses(GraphDiff *diff, const Part *a, const Part *b)
{
  for (uint32_t i = 0; i < a->use_count || i < b->use_count; i++) {
    uint32_t value_a = used(diff->a, a, i);
    uint32_t value_b = used(diff->b, b, i);
    if (!are_one(diff, value_a, value_b) && !is_explained(diff, value_a, value_b))
      add_change(diff, CHANGE_INPUT, arena_printf(&diff->arena, "%u", i), value_name(diff->a, value_a),
                 value_name(diff->b, value_b));
  }
}

static const PartAttribute *attribute_of(const GraphStructure *structure, const Part *part, Str name, uint32_t number)
{
  // Both are mostly written in one order.
  for (uint32_t i = 0; i < part->attribute_count; i++) {
    uint32_t at = part->first_attribute + (number + i) % part->attribute_count;
    if (str_equal(structure->attributes.items[at].name, name))
      return &structure->attributes.items[at];
  }
  return NULL;
}

static void compare_attributes(GraphDiff *diff, const Part *a, const Part *b)
{
  ChangeKind kind = a->kind == STRUCTURE_OUTPUT ? CHANGE_TYPE : CHANGE_ATTRIBUTE;
  for (uint32_t i = 0; i < a->attribute_count; i++) {
    const PartAttribute *before = &diff->a->attributes.items[a->first_attribute + i];
    const PartAttribute *after = attribute_of(diff->b, b, before->name, i);
    if (!after || !str_equal(before->value, after->value))
      add_change(diff, kind, before->name, before->value, after ? after->value : (Str){ 0 });
  }
  for (uint32_t i = 0; i < b->attribute_count; i++) {
    const PartAttribute *after = &diff->b->attributes.items[b->first_attribute + i];
    if (!attribute_of(diff->a, a, after->name, i))
      add_change(diff, kind, after->name, (Str){ 0 }, after->value);
  }
}

static bool says_type(const GraphDiff *diff, const Part *part, Str a, Str b)
{
  bool has_both = a.len > 0 && b.len > 0;
  return has_both || part->kind != STRUCTURE_NODE || (diff->has_inner_types[0] && diff->has_inner_types[1]);
}

static void compare_types(GraphDiff *diff, const Part *a, const Part *b)
{
  for (uint32_t i = 0; i < a->value_count && i < b->value_count; i++) {
    const PartValue *before = &diff->a->values.items[a->first_value + i];
    const PartValue *after = &diff->b->values.items[b->first_value + i];
    bool is_shown = !str_equal(before->type, after->type) && says_type(diff, a, before->type, after->type);
    // The type of a constant that a node holds is a part of its values.
    if (is_shown && a->kind == b->kind)
      add_change(diff, CHANGE_TYPE, before->name, before->type, after->type);
  }
}

/// The values after the type; of an input with a default the type as well, which is not that of the input.
static Str content_of(const Part *part)
{
  return part->kind == STRUCTURE_INPUT ? part->constant
                                       : str_slice(part->constant, part->constant_type, part->constant.len);
}

static void compare_constants(GraphDiff *diff, const Part *a, const Part *b)
{
  bool is_mixed = a->kind != b->kind;
  if (is_mixed)
    add_change(diff, CHANGE_KIND, (Str){ 0 }, a->kind == STRUCTURE_NODE ? STR("Constant node") : STR("initializer"),
               b->kind == STRUCTURE_NODE ? STR("Constant node") : STR("initializer"));
  bool is_unknown = a->is_unknown || b->is_unknown;
  diff->unknown += is_unknown;
  Str before = is_mixed ? a->constant : content_of(a);
  Str after = is_mixed ? b->constant : content_of(b);
  if (!is_unknown && !str_equal(before, after))
    add_change(diff, CHANGE_VALUES, (Str){ 0 }, before, after);
}

static void compare_node(GraphDiff *diff, const Part *a, const Part *b)
{
  bool is_same = diff->is_mixed ? str_equal(diff_part_op(a, diff->lacks_domains), diff_part_op(b, diff->lacks_domains))
                                : str_equal(a->op, b->op);
  if (!is_same)
    add_change(diff, CHANGE_OPERATOR, (Str){ 0 }, a->op, b->op);
  if (a->value_count != b->value_count)
    add_change(diff, CHANGE_OUTPUTS, (Str){ 0 }, arena_printf(&diff->arena, "%u", a->value_count),
               arena_printf(&diff->arena, "%u", b->value_count));
  if (!diff->is_mixed)
    compare_attributes(diff, a, b);
}

/// Inputs, constants and outputs of graphs, and a constant that is a node on one side.
static void compare_others(GraphDiff *diff, const Part *a, const Part *b)
{
  if (a->kind == STRUCTURE_OUTPUT && !diff->is_mixed)
    compare_attributes(diff, a, b);
  if (a->constant.len > 0 && b->constant.len > 0)
    compare_constants(diff, a, b);
  else if (!diff->is_mixed && (a->constant.len > 0 || b->constant.len > 0))
    add_change(diff, CHANGE_VALUES, (Str){ 0 }, a->constant, b->constant);
}

/// A name without the sign that some languages write before it.
static Str bare(Str name)
{
  return str_slice(name, str_starts_with(name, STR("%")), name.len);
}

static void count_renamed(GraphDiff *diff, const Part *a, const Part *b)
{
  bool is_outside =
      a->kind != STRUCTURE_NODE && a->kind != STRUCTURE_CONSTANT && diff->a->blocks.items[a->block].owner == NO_PART;
  for (uint32_t i = 0; i < a->value_count && i < b->value_count; i++) {
    Str before = diff->a->values.items[a->first_value + i].name;
    Str after = diff->b->values.items[b->first_value + i].name;
    if (str_equal(bare(before), bare(after)))
      continue;
    diff->renamed_values++;
    if (is_outside)
      vec_push(&diff->renamed, (Renaming){ before, after });
  }
  if (a->kind == STRUCTURE_OUTPUT && is_outside && !str_equal(bare(a->label), bare(b->label)))
    vec_push(&diff->renamed, (Renaming){ a->label, b->label });
}

static void compare_pair(GraphDiff *diff, uint32_t number)
{
  const Part *a = part_a(diff, number);
  const Part *b = part_b(diff, diff->to_b[number]);
  size_t first = diff->changes.count;
  if (a->kind == STRUCTURE_NODE && b->kind == STRUCTURE_NODE)
    compare_node(diff, a, b);
  else
    compare_others(diff, a, b);
  if (!diff->is_mixed) {
    compare_types(diff, a, b);
    compare_uses(diff, a, b);
  }
  count_renamed(diff, a, b);
  if (diff->changes.count > first)
    add_part_difference(diff, DIFFERENCE_CHANGED, number, diff->to_b[number], first);
}

// --- All of them ---

/// Inputs and outputs that changed places with one before them.
static void compare_order(GraphDiff *diff)
{
  size_t count = diff->a->blocks.count;
  uint32_t *last = xcalloc(2 * count + 1, sizeof(*last));
  for (uint32_t i = 0; i < diff->a->parts.count; i++) {
    const Part *a = part_a(diff, i);
    bool is_placed = (a->kind == STRUCTURE_INPUT || a->kind == STRUCTURE_OUTPUT) && !a->is_free;
    if (!is_placed || diff->to_b[i] == NO_PART)
      continue;
    uint32_t *before = &last[2 * a->block + (a->kind == STRUCTURE_OUTPUT)];
    uint32_t number = diff_part_number(part_b(diff, diff->to_b[i]), diff->is_mixed) + 1;
    uint32_t number_a = diff_part_number(a, diff->is_mixed);
    if (number < *before && number != number_a + 1) {
      size_t first = diff->changes.count;
      add_change(diff, CHANGE_ORDER, (Str){ 0 }, arena_printf(&diff->arena, "%u", number_a),
                 arena_printf(&diff->arena, "%u", number - 1));
      add_part_difference(diff, DIFFERENCE_CHANGED, i, diff->to_b[i], first);
    } else {
      *before = number;
    }
  }
  free(last);
}

/// Whether a part on one side only is inside of a node that is, too, and is told with it.
static bool is_told(const GraphStructure *structure, const uint32_t *to_other, uint32_t part)
{
  uint32_t owner = structure->blocks.items[structure->parts.items[part].block].owner;
  return owner != NO_PART && to_other[owner] == NO_PART;
}

static void tell_lone(GraphDiff *diff, DifferenceKind kind, uint32_t a, uint32_t b)
{
  const Part *part = a != NO_PART ? part_a(diff, a) : part_b(diff, b);
  const PartBlock *block = &(a != NO_PART ? diff->a : diff->b)->blocks.items[part->block];
  if (diff->functions > 0 && diff_is_function(block))
    return;
  if (diff->is_mixed && diff_part_is_minor(part))
    diff->minor++;
  else if (a != NO_PART ? !is_told(diff->a, diff->to_b, a) : !is_told(diff->b, diff->to_a, b))
    add_part_difference(diff, kind, a, b, diff->changes.count);
}

static void compare_parts(GraphDiff *diff)
{
  for (uint32_t i = 0; i < diff->a->parts.count; i++) {
    if (diff->to_b[i] != NO_PART)
      compare_pair(diff, i);
    else
      tell_lone(diff, DIFFERENCE_REMOVED, i, NO_PART);
  }
  for (uint32_t i = 0; i < diff->b->parts.count; i++) {
    if (diff->to_a[i] == NO_PART)
      tell_lone(diff, DIFFERENCE_ADDED, NO_PART, i);
  }
  compare_order(diff);
}

static void add_fact_difference(GraphDiff *diff, DifferenceKind kind, const StructureFact *a, const StructureFact *b)
{
  Difference difference = { .kind = kind, .a = NO_PART, .b = NO_PART, .fact = a ? a->name : b->name };
  difference.line_a = a ? a->line : 0;
  difference.line_b = b ? b->line : 0;
  difference.first_change = diff->changes.count;
  difference.change_count = 1;
  add_change(diff, CHANGE_VALUE, (Str){ 0 }, a ? a->value : (Str){ 0 }, b ? b->value : (Str){ 0 });
  vec_push(&diff->items, difference);
}

/// The facts of a structure by name. Of what is said twice the last counts, as it does for readers of models.
static Map *facts_by_name(const GraphStructure *structure)
{
  Map *by_name = map_new();
  for (size_t i = 0; i < structure->facts.count; i++)
    map_put(by_name, structure->facts.items[i].name, &structure->facts.items[i]);
  return by_name;
}

static void compare_facts(GraphDiff *diff)
{
  Map *by_name = facts_by_name(diff->b);
  Map *own = facts_by_name(diff->a);
  for (size_t i = 0; i < diff->a->facts.count; i++) {
    const StructureFact *a = map_remove(own, diff->a->facts.items[i].name);
    if (!a)
      continue;
    const StructureFact *b = map_remove(by_name, a->name);
    if (!b)
      add_fact_difference(diff, DIFFERENCE_REMOVED, a, NULL);
    else if (!str_equal(a->value, b->value))
      add_fact_difference(diff, DIFFERENCE_CHANGED, a, b);
  }
  for (size_t i = 0; i < diff->b->facts.count; i++) {
    const StructureFact *b = map_remove(by_name, diff->b->facts.items[i].name);
    if (b)
      add_fact_difference(diff, DIFFERENCE_ADDED, NULL, b);
  }
  map_free(by_name);
  map_free(own);
}

// --- The order in which they are told ---

typedef struct Told {
  Difference difference;
  Str scope;
  uint32_t line;
  int rank;  ///< Facts, then what a graph takes and gives, then nodes.
} Told;

static int rank_of(const Part *part)
{
  return part->kind == STRUCTURE_NODE ? 2 : 1;
}

static Told told_of(const GraphDiff *diff, const Difference *difference)
{
  Told told = { .difference = *difference };
  told.line = difference->kind == DIFFERENCE_ADDED ? difference->line_b : difference->line_a;
  const Part *part = difference->a != NO_PART   ? part_a(diff, difference->a)
                     : difference->b != NO_PART ? part_b(diff, difference->b)
                                                : NULL;
  if (part) {
    told.scope = part->scope;
    told.rank = rank_of(part);
  }
  return told;
}

static int compare_told(const void *left, const void *right)
{
  const Told *a = left;
  const Told *b = right;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  int scope = str_compare(a->scope, b->scope);
  if (scope != 0)
    return scope;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->difference.kind < b->difference.kind ? -1 : a->difference.kind > b->difference.kind;
}

static void sort_differences(GraphDiff *diff)
{
  size_t count = diff->items.count;
  if (count == 0)
    return;
  Told *told = xcalloc(count, sizeof(*told));
  for (size_t i = 0; i < count; i++)
    told[i] = told_of(diff, &diff->items.items[i]);
  sort_stable(told, count, sizeof(*told), compare_told);
  for (size_t i = 0; i < count; i++)
    diff->items.items[i] = told[i].difference;
  free(told);
}

static bool has_unknown(const GraphStructure *structure)
{
  for (size_t i = 0; i < structure->parts.count; i++) {
    if (structure->parts.items[i].is_unknown)
      return true;
  }
  return false;
}

static bool has_inner_types(const GraphStructure *structure)
{
  for (size_t i = 0; i < structure->values.count; i++) {
    const PartValue *value = &structure->values.items[i];
    if (value->type.len > 0 && structure->parts.items[value->part].kind == STRUCTURE_NODE)
      return true;
  }
  return false;
}

/// As printable graphs do.
static bool lacks_domains(const GraphStructure *structure)
{
  for (size_t i = 0; i < structure->parts.count; i++) {
    const Part *part = &structure->parts.items[i];
    if (part->kind == STRUCTURE_NODE && part->op.len > 0 && !str_contains(part->op, STR("::")))
      return true;
  }
  return false;
}

static uint32_t *no_parts(size_t count)
{
  uint32_t *parts = xmalloc((count + 1) * sizeof(*parts));
  memset(parts, 0xFF, (count + 1) * sizeof(*parts));
  return parts;
}

static bool is_outer_input(const GraphStructure *structure, const Part *part)
{
  const PartBlock *block = &structure->blocks.items[part->block];
  bool is_input = part->kind == STRUCTURE_INPUT && !part->is_free && !part->is_parameter;
  return is_input && block->owner == NO_PART && block->name.len == 0;
}

static size_t count_outer_inputs(const GraphStructure *structure)
{
  size_t count = 0;
  for (size_t i = 0; i < structure->parts.count; i++)
    count += is_outer_input(structure, &structure->parts.items[i]);
  return count;
}

static size_t count_constants(const GraphStructure *structure)
{
  size_t count = 0;
  for (size_t i = 0; i < structure->parts.count; i++)
    count += structure->parts.items[i].kind == STRUCTURE_CONSTANT;
  return count;
}

/// The weights of a model are its initializers; the graph that it was made of, and a printable graph, have them among
/// the inputs, after all others.
static void mark_parameters(GraphStructure *structure, const GraphStructure *other)
{
  size_t inputs = count_outer_inputs(other);
  size_t count = count_outer_inputs(structure);
  size_t more = count > inputs ? count - inputs : 0;
  if (count_constants(other) < more)
    return;
  for (size_t i = structure->parts.count; more > 0 && i-- > 0;) {
    Part *part = &structure->parts.items[i];
    part->is_parameter = is_outer_input(structure, part);
    more -= part->is_parameter;
  }
}

static size_t count_functions(const GraphStructure *structure)
{
  size_t count = 0;
  for (size_t i = 0; i < structure->blocks.count; i++)
    count += diff_is_function(&structure->blocks.items[i]);
  return count;
}

void diff_graphs(GraphStructure *a, GraphStructure *b, bool is_mixed, GraphDiff *ret_diff)
{
  *ret_diff = (GraphDiff){ .a = a, .b = b, .is_mixed = is_mixed };
  ret_diff->to_b = no_parts(a->parts.count);
  ret_diff->to_a = no_parts(b->parts.count);
  ret_diff->has_inner_types[0] = has_inner_types(a);
  ret_diff->has_inner_types[1] = has_inner_types(b);
  if (is_mixed) {
    mark_parameters(a, b);
    mark_parameters(b, a);
    size_t functions[] = { count_functions(a), count_functions(b) };
    ret_diff->functions = functions[0] == 0 || functions[1] == 0 ? functions[0] + functions[1] : 0;
  }
  ret_diff->lacks_domains = is_mixed && (lacks_domains(a) || lacks_domains(b));
  HashRule rule = { has_unknown(a) || has_unknown(b), is_mixed, ret_diff->lacks_domains };
  PartHashes hashes_a;
  PartHashes hashes_b;
  part_hashes(a, rule, &hashes_a);
  part_hashes(b, rule, &hashes_b);
  diff_match(ret_diff, &hashes_a, &hashes_b);
  part_hashes_done(&hashes_a);
  part_hashes_done(&hashes_b);
  if (!is_mixed)
    compare_facts(ret_diff);
  compare_parts(ret_diff);
  sort_differences(ret_diff);
}

void diff_done(GraphDiff *diff)
{
  free(diff->to_a);
  free(diff->to_b);
  vec_free(&diff->items);
  vec_free(&diff->changes);
  vec_free(&diff->renamed);
  arena_done(&diff->arena);
}
