// What changed between two versions of an ONNX operator, in lines that a hover can show.

#include "base/buffer.h"
#include "base/vec.h"
#include "facts/symbolics_internal.h"

enum { TYPES_IN_LINE = 8 };

typedef Vec(Str) StrVec;
typedef Vec(OnnxConcern) ConcernVec;

/// One comparison.
typedef struct Comparison {
  const OnnxSchema *before;
  const OnnxSchema *after;
  Arena *arena;
  StrVec lines;
  ConcernVec concerns;  ///< By line.
  uint64_t breaks;      ///< As OnnxChanges.breaks.
} Comparison;

static void say(Comparison *comparison, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(Comparison *comparison, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str line = arena_vprintf(comparison->arena, format, args);
  va_end(args);
  vec_push(&comparison->lines, line);
  vec_push(&comparison->concerns, (OnnxConcern){ 0 });
}

/// The line that was said last is about what a model of the version before may have to change for.
static void mark_break(Comparison *comparison)
{
  size_t last = comparison->lines.count - 1;
  if (last < 64)
    comparison->breaks |= (uint64_t)1 << last;
}

/// The same of nodes that have the attribute, or that do not.
static void mark_break_of(Comparison *comparison, Str attribute, bool is_without)
{
  mark_break(comparison);
  *vec_last(&comparison->concerns) = (OnnxConcern){ attribute, is_without };
}

/// Inputs or outputs of one version.
typedef struct Side {
  const char *word;
  const OnnxParam *params;
  uint32_t count;
  uint32_t min, max;
} Side;

static Side input_side(const OnnxSchema *schema)
{
  return (Side){ "input", schema->inputs, schema->input_count, schema->min_input, schema->max_input };
}

static Side output_side(const OnnxSchema *schema)
{
  return (Side){ "output", schema->outputs, schema->output_count, schema->min_output, schema->max_output };
}

/// The index of the param of that name, or `count`.
static uint32_t find_param(const Side *side, Str name)
{
  uint32_t i = 0;
  while (i < side->count && !str_equal(side->params[i].name, name))
    i++;
  return i;
}

static const char *option_word(OnnxOption option)
{
  static const char *const words[] = { "required", "optional", "variadic" };
  return words[option];
}

// Attributes.

/// The new input that took over the attribute `name`: the same name in any case, or one that ends with it
/// (Pad's `value` is `constant_value` since 11).
static const OnnxParam *find_successor(const Comparison *comparison, Str name)
{
  Side before = input_side(comparison->before);
  for (uint32_t i = 0; i < comparison->after->input_count; i++) {
    const OnnxParam *input = &comparison->after->inputs[i];
    Str tail = str_slice(input->name, input->name.len - (name.len < input->name.len ? name.len : input->name.len),
                         input->name.len);
    bool is_tail = tail.len < input->name.len && input->name.data[input->name.len - tail.len - 1] == '_';
    if (find_param(&before, input->name) == before.count && str_equal_ignore_case(tail, name) &&
        (is_tail || tail.len == input->name.len))
      return input;
  }
  return NULL;
}

static void say_removed_attribute(Comparison *comparison, const OnnxAttribute *attribute)
{
  const OnnxParam *input = find_successor(comparison, attribute->name);
  if (!input)
    say(comparison, "attribute `%.*s` is gone", STR_ARG(attribute->name));
  else if (str_equal(input->name, attribute->name))
    say(comparison, "`%.*s` is an input (%s), no longer an attribute", STR_ARG(input->name),
        option_word(input->option));
  else
    say(comparison, "attribute `%.*s` is the input `%.*s` (%s)", STR_ARG(attribute->name), STR_ARG(input->name),
        option_word(input->option));
  mark_break_of(comparison, attribute->name, false);
}

static void say_new_attribute(Comparison *comparison, const OnnxAttribute *attribute)
{
  Str tail = (Str){ 0 };
  if (attribute->required)
    tail = STR(", required");
  else if (attribute->has_default)
    tail = arena_printf(comparison->arena, ", default %.*s", STR_ARG(attribute->default_text));
  say(comparison, "new attribute `%.*s` (%s%.*s)", STR_ARG(attribute->name), onnx_attribute_type_name(attribute->type),
      STR_ARG(tail));
  if (attribute->required)
    mark_break_of(comparison, attribute->name, true);
}

/// A new attribute of which the schema doesn't say that a node wants it, or something else. Source:
/// onnx/defs/tensor/defs.cc, which refuses the node.
static const struct {
  const char *attribute;
  const char *other;
} either[] = {
  { "num_outputs", "split" },
};

static void say_either(Comparison *comparison, Str attribute)
{
  for (size_t i = 0; i < COUNT(either); i++) {
    if (!str_equal(attribute, str_from(either[i].attribute)))
      continue;
    say(comparison, "either `%s` or `%s` has to be given", either[i].other, either[i].attribute);
    mark_break_of(comparison, str_from(either[i].other), true);
  }
}

static void compare_attribute(Comparison *comparison, const OnnxAttribute *before, const OnnxAttribute *after)
{
  Str name = after->name;
  size_t said = comparison->lines.count;
  if (before->type != after->type)
    say(comparison, "attribute `%.*s` is of type %s, it was %s", STR_ARG(name), onnx_attribute_type_name(after->type),
        onnx_attribute_type_name(before->type));
  if (before->required != after->required)
    say(comparison, "attribute `%.*s` is %s, it was %s", STR_ARG(name), after->required ? "required" : "optional",
        before->required ? "required" : "optional");
  if (before->has_default && after->has_default && !str_equal(before->default_text, after->default_text))
    say(comparison, "the default of `%.*s` is %.*s, it was %.*s", STR_ARG(name), STR_ARG(after->default_text),
        STR_ARG(before->default_text));
  else if (after->has_default && !before->has_default)
    say(comparison, "`%.*s` has a default, %.*s", STR_ARG(name), STR_ARG(after->default_text));
  else if (before->has_default && !after->has_default)
    say(comparison, "`%.*s` has no default, it was %.*s", STR_ARG(name), STR_ARG(before->default_text));
  bool is_wider = before->required && !after->required && before->type == after->type;
  // The new default of a word is the new name of the old one (GridSample 20).
  bool is_of_users = before->type != after->type || after->type == ONNX_STRING;
  if (comparison->lines.count > said && !is_wider)
    mark_break_of(comparison, name, !is_of_users);
}

static void compare_attributes(Comparison *comparison)
{
  const OnnxSchema *before = comparison->before;
  const OnnxSchema *after = comparison->after;
  for (uint32_t i = 0; i < before->attribute_count; i++) {
    const OnnxAttribute *kept = onnx_schema_attribute(after, before->attributes[i].name);
    if (kept)
      compare_attribute(comparison, &before->attributes[i], kept);
    else
      say_removed_attribute(comparison, &before->attributes[i]);
  }
  for (uint32_t i = 0; i < after->attribute_count; i++) {
    if (onnx_schema_attribute(before, after->attributes[i].name))
      continue;
    say_new_attribute(comparison, &after->attributes[i]);
    say_either(comparison, after->attributes[i].name);
  }
}

// Inputs and outputs.

static void compare_param(Comparison *comparison, const char *word, const OnnxParam *before, const OnnxParam *after)
{
  Str name = after->name;
  if (before->option != after->option)
    say(comparison, "%s `%.*s` is %s, it was %s", word, STR_ARG(name), option_word(after->option),
        option_word(before->option));
  if (before->option != after->option && after->option == ONNX_SINGLE)
    mark_break(comparison);
  if (before->heterogeneous != after->heterogeneous)
    say(comparison,
        after->heterogeneous ? "the values of `%.*s` may differ in type" : "the values of `%.*s` must be of one type",
        STR_ARG(name));
  if (before->min_arity != after->min_arity && before->option == after->option)
    say(comparison, "`%.*s` takes at least %u values, it was %u", STR_ARG(name), after->min_arity, before->min_arity);
}

/// Whether the input was made of an attribute. Then that was said already.
static bool is_former_attribute(const Comparison *comparison, const OnnxParam *input)
{
  for (uint32_t i = 0; i < comparison->before->attribute_count; i++) {
    Str name = comparison->before->attributes[i].name;
    if (!onnx_schema_attribute(comparison->after, name) && find_successor(comparison, name) == input)
      return true;
  }
  return false;
}

/// The name that the param `name` of `from` has in `to`: its own, or the one that is in its place if neither is
/// anywhere in the other version. `to->count` if it is gone.
static uint32_t match_param(const Side *from, const Side *to, uint32_t index)
{
  uint32_t same = find_param(to, from->params[index].name);
  if (same < to->count)
    return same;
  bool is_renamed = index < to->count && find_param(from, to->params[index].name) == from->count;
  return is_renamed ? index : to->count;
}

static void say_param(Comparison *comparison, const Side *before, const Side *after, uint32_t index)
{
  const OnnxParam *param = &after->params[index];
  uint32_t old = match_param(after, before, index);
  if (old == before->count) {
    if (before->word[0] == 'i' && is_former_attribute(comparison, param))
      return;
    say(comparison, "new %s `%.*s` (%s)", after->word, STR_ARG(param->name), option_word(param->option));
    if (param->option == ONNX_SINGLE)
      mark_break(comparison);
    return;
  }
  const OnnxParam *former = &before->params[old];
  if (!str_equal(former->name, param->name))
    say(comparison, "%s `%.*s` is called `%.*s`", after->word, STR_ARG(former->name), STR_ARG(param->name));
  else if (old != index)
    say(comparison, "%s `%.*s` is number %u, it was number %u", after->word, STR_ARG(param->name), index + 1, old + 1);
  if (old != index)
    mark_break(comparison);
  compare_param(comparison, after->word, former, param);
}

static void compare_sides(Comparison *comparison, Side before, Side after)
{
  size_t said = comparison->lines.count;
  for (uint32_t i = 0; i < before.count; i++) {
    if (match_param(&before, &after, i) == after.count)
      say(comparison, "%s `%.*s` is gone", before.word, STR_ARG(before.params[i].name));
    else
      continue;
    mark_break(comparison);
  }
  for (uint32_t i = 0; i < after.count; i++)
    say_param(comparison, &before, &after, i);
  bool is_counted = before.min != after.min || (before.max != after.max && after.max != ONNX_NO_LIMIT);
  if (is_counted && said == comparison->lines.count && before.count == after.count)
    say(comparison, "at least %u %ss, it was %u", after.min, after.word, before.min);
}

// Types.

static const Str *allowed_types(const OnnxSchema *schema, const OnnxParam *param, uint32_t *ret_count)
{
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  *ret_count = constraint ? constraint->type_count : 1;
  return constraint ? constraint->types : &param->type;
}

/// "tensor(float)" is called float.
static Str short_type(Str type)
{
  bool is_tensor = str_starts_with(type, STR("tensor(")) && str_ends_with(type, STR(")"));
  return is_tensor ? str_slice(type, 7, type.len - 1) : type;
}

/// The types that `have` has and `lack` does not; empty if there are none.
static Str missing_types(Comparison *comparison, const Str *have, uint32_t have_count, const Str *lack,
                         uint32_t lack_count)
{
  Buffer text = { 0 };
  uint32_t found = 0;
  uint32_t last = 0;  // Lists have mostly one order, so the next is looked for after the last one found.
  for (uint32_t i = 0; i < have_count; i++) {
    uint32_t seen = 0;
    while (seen < lack_count && !str_equal(have[i], lack[(last + seen) % lack_count]))
      seen++;
    if (seen < lack_count) {
      last = (last + seen + 1) % lack_count;
      continue;
    }
    if (found++ < TYPES_IN_LINE)
      buffer_printf(&text, "%s%.*s", text.len > 0 ? ", " : "", STR_ARG(short_type(have[i])));
  }
  if (found > TYPES_IN_LINE)
    buffer_printf(&text, " and %u more", found - TYPES_IN_LINE);
  Str kept = text.len > 0 ? arena_copy(comparison->arena, buffer_str(&text)) : (Str){ 0 };
  buffer_done(&text);
  return kept;
}

/// The params whose types changed in the same way, said together.
typedef struct TypeChange {
  Str more, fewer;
  Buffer params;
} TypeChange;

typedef Vec(TypeChange) TypeChangeVec;

static void add_type_change(TypeChangeVec *changes, Str more, Str fewer, Str name)
{
  size_t i = 0;
  while (i < changes->count && !(str_equal(changes->items[i].more, more) && str_equal(changes->items[i].fewer, fewer)))
    i++;
  if (i == changes->count)
    vec_push(changes, (TypeChange){ .more = more, .fewer = fewer });
  Buffer *params = &changes->items[i].params;
  buffer_printf(params, "%s`%.*s`", params->len > 0 ? ", " : "", STR_ARG(name));
}

static void collect_type_changes(Comparison *comparison, Side before, Side after, TypeChangeVec *changes)
{
  for (uint32_t i = 0; i < after.count; i++) {
    uint32_t old = match_param(&after, &before, i);
    if (old == before.count)
      continue;
    uint32_t had_count, has_count;
    const Str *had = allowed_types(comparison->before, &before.params[old], &had_count);
    const Str *has = allowed_types(comparison->after, &after.params[i], &has_count);
    Str more = missing_types(comparison, has, has_count, had, had_count);
    Str fewer = missing_types(comparison, had, had_count, has, has_count);
    if (more.len > 0 || fewer.len > 0)
      add_type_change(changes, more, fewer, after.params[i].name);
  }
}

/// Says what changed in the types; true if anything did.
static bool compare_types(Comparison *comparison)
{
  TypeChangeVec changes = { 0 };
  collect_type_changes(comparison, input_side(comparison->before), input_side(comparison->after), &changes);
  collect_type_changes(comparison, output_side(comparison->before), output_side(comparison->after), &changes);
  bool changed = changes.count > 0;
  for (size_t i = 0; i < changes.count; i++) {
    TypeChange *change = &changes.items[i];
    if (change->more.len > 0)
      say(comparison, "%.*s: also %.*s", STR_ARG(buffer_str(&change->params)), STR_ARG(change->more));
    if (change->fewer.len > 0) {
      say(comparison, "%.*s: no longer %.*s", STR_ARG(buffer_str(&change->params)), STR_ARG(change->fewer));
      mark_break(comparison);
    }
    buffer_done(&change->params);
  }
  vec_free(&changes);
  return changed;
}

OnnxChanges onnx_schema_changes(const OnnxSchema *schema, Arena *arena)
{
  const OnnxSchema *before = schema->before;
  if (!before)
    return (OnnxChanges){ .step = ONNX_STEP_FIRST };
  Comparison comparison = { .before = before, .after = schema, .arena = arena };
  if (before->deprecated != schema->deprecated)
    say(&comparison, schema->deprecated ? "deprecated" : "no longer deprecated");
  if (schema->deprecated && !before->deprecated)
    mark_break(&comparison);
  compare_attributes(&comparison);
  compare_sides(&comparison, input_side(before), input_side(schema));
  compare_sides(&comparison, output_side(before), output_side(schema));
  bool is_signature = comparison.lines.count > 0;
  bool is_types = compare_types(&comparison);
  for (uint32_t i = 0; i < schema->note_count; i++)
    say(&comparison, "%.*s", STR_ARG(schema->notes[i]));
  if (comparison.lines.count == 0)
    say(&comparison, "the signature is the same, only the description changed");
  OnnxChanges changes = { .step = is_signature ? ONNX_STEP_SIGNATURE
                                  : is_types   ? ONNX_STEP_TYPES
                                               : ONNX_STEP_WORDS,
                          .count = (uint32_t)comparison.lines.count,
                          .breaks = comparison.breaks };
  changes.lines = vec_copy(&comparison.lines, arena);
  changes.concerns = vec_copy(&comparison.concerns, arena);
  vec_free(&comparison.lines);
  vec_free(&comparison.concerns);
  return changes;
}
