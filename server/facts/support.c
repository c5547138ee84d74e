// "Is aten::X supported at opset N?", from the rows of the torch tables.

#include "base/ascii.h"
#include "base/buffer.h"
#include "facts/symbolics_internal.h"
#include "records.h"

/// One cell of the support table, gathered from the layers.
typedef struct Support {
  OpsetSet registered, blocked;
  uint32_t flags;
} Support;

/// The cell's index in a layer's columns, or NO_SLOT.
static int64_t find_cell(const Stack *stack, uint32_t torch, Str name)
{
  int local = stack->local_version[torch];
  int64_t slot = local < 0 ? NO_SLOT : layer_find_torch(stack->layer, name);
  if (slot == NO_SLOT)
    return NO_SLOT;
  return (int64_t)wire_u32(stack->layer->rows, (size_t)slot) * stack->layer->version_count + local;
}

/// Each column comes from the newest layer that says anything about it.
static Support find_support(const SymbolicsDb *db, uint32_t torch, Str name)
{
  Support support = { 0 };
  for (uint32_t i = db->layer_count; i-- > 0 && torch < db->version_count;) {
    const Layer *layer = db->stack[i].layer;
    int64_t cell = find_cell(&db->stack[i], torch, name);
    if (cell == NO_SLOT)
      continue;
    if (support.registered == 0) {
      support.registered = wire_u64(layer->registered, (size_t)cell);
      support.blocked = wire_u64(layer->blocked, (size_t)cell);
    }
    if (support.flags == 0)
      support.flags = wire_u32(layer->flags, (size_t)cell);
  }
  return support;
}

static const PassNote *find_pass(const SymbolicsDb *db, uint32_t torch, Str name)
{
  for (uint32_t i = db->layer_count; i-- > 0 && torch < db->version_count;) {
    const Layer *layer = db->stack[i].layer;
    int64_t cell = find_cell(&db->stack[i], torch, name);
    uint32_t note = cell == NO_SLOT ? 0 : wire_u32(layer->pass, (size_t)cell);
    if (note > 0)
      return &layer->passes[note - 1];
  }
  return NULL;
}

/// Without the number of a prim kind with a subgraph: prim::fork_0.
static Str strip_number(Str kind)
{
  size_t len = ascii_digits_start(kind, kind.len);
  bool is_numbered = len < kind.len && len > 0 && kind.data[len - 1] == '_' && str_starts_with(kind, STR("prim::"));
  return is_numbered ? str_slice(kind, 0, len - 1) : kind;
}

/// The name under which functions are looked up: without the one trailing underscore of an in-place operator.
static Str strip_underscore(Str kind)
{
  return kind.len > 0 && kind.data[kind.len - 1] == '_' ? str_slice(kind, 0, kind.len - 1) : kind;
}

const PassNote *symbolics_pass(const SymbolicsDb *db, uint32_t torch, Str kind)
{
  return find_pass(db, torch, strip_number(kind));
}

static uint32_t tags_of(uint32_t flags)
{
  return (flags & FLAG_RANDOM ? TAG_RANDOM : 0) | (flags & FLAG_VIEW ? TAG_VIEW : 0) |
         (flags & FLAG_METADATA ? TAG_METADATA : 0) | (flags & FLAG_LIST_MUTATION ? TAG_LIST_MUTATION : 0);
}

uint32_t symbolics_torch_tags(const SymbolicsDb *db, Str name)
{
  uint32_t tags = 0;
  for (uint32_t torch = 0; torch < db->version_count; torch++)
    tags |= tags_of(find_support(db, torch, name).flags);
  return tags;
}

static int clamp(int opset, int min, int max)
{
  return opset < min ? min : opset > max ? max : opset;
}

static SupportMarks torchscript_marks(Support support, OpsetRange range)
{
  SupportMarks marks = { .registered = support.registered };
  for (int opset = range.min; opset <= range.max; opset++) {
    int chosen = opset_set_dispatch(support.registered, opset);
    if (opset_set_has(support.blocked, chosen))
      marks.blocked |= opset_set_of(opset);
    else if (chosen > 0)
      marks.supported |= opset_set_of(opset);
  }
  return marks;
}

/// Namespaces whose operators torch.onnx calls unsupported rather than unknown.
static bool is_known_namespace(Str kind)
{
  return str_starts_with(kind, STR("aten::")) || str_starts_with(kind, STR("prim::")) ||
         str_starts_with(kind, STR("quantized::")) || str_starts_with(kind, STR("torchvision::"));
}

static SupportAnswer torchscript_support(const SymbolicsDb *db, uint32_t torch, Str kind, int opset, OpsetRange range)
{
  kind = strip_number(kind);
  Support support = find_support(db, torch, strip_underscore(kind));
  SupportAnswer answer = { .pass = symbolics_pass(db, torch, kind) };
  int chosen = opset_set_dispatch(support.registered, clamp(opset, 0, OPSET_LIMIT));
  OpsetSet supported = torchscript_marks(support, range).supported;
  if (chosen > 0 && !opset_set_has(support.blocked, chosen)) {
    answer.status = SUPPORT_YES;
    answer.since = opset_set_first(supported);
    return answer;
  }
  if (opset < OPSET_LIMIT)
    answer.since = opset_set_first(supported & opset_set_range(opset + 1, OPSET_LIMIT));
  if (chosen > 0)
    answer.status = SUPPORT_BLOCKED;
  else if (answer.since > 0)
    answer.status = SUPPORT_NEWER;
  else
    answer.status = support.registered || is_known_namespace(kind) ? SUPPORT_NEVER : SUPPORT_UNKNOWN_NAMESPACE;
  return answer;
}

/// A function written for opset 18 serves every lower one too: the model is built at 18 and converted.
DynamoAnswer layer_dynamo_answer(uint32_t first, bool decomposed, bool complex_inputs, int opset, OpsetRange range)
{
  DynamoAnswer answer = { .status = SUPPORT_NEVER, .since = (int)first };
  if (first > 0)
    answer.status = (int)first <= clamp(opset, range.min, range.max) ? SUPPORT_YES : SUPPORT_NEWER;
  else if (complex_inputs)
    answer = (DynamoAnswer){ .status = SUPPORT_YES, .since = range.min, .complex_only = true };
  else if (decomposed)
    answer.status = SUPPORT_DECOMPOSED;
  // Below its first opset an operator that is decomposed as well still gets through in parts.
  if (answer.status == SUPPORT_NEWER && decomposed)
    answer.status = SUPPORT_DECOMPOSED;
  return answer;
}

/// The flags of `kind`; of the plain operator if `kind` works in place and has no function of its own, because
/// torch.export makes it functional first.
static uint32_t dynamo_flags(const SymbolicsDb *db, uint32_t torch, Str kind)
{
  uint32_t flags = find_support(db, torch, kind).flags;
  if (flags & (FLAG_DYNAMO_OPSET | FLAG_DYNAMO_COMPLEX))
    return flags;
  uint32_t plain = find_support(db, torch, strip_underscore(kind)).flags;
  return plain & (FLAG_DYNAMO_OPSET | FLAG_DYNAMO_COMPLEX | FLAG_DYNAMO_DECOMPOSED) ? plain : flags;
}

static DynamoAnswer answer_by_flags(uint32_t flags, int opset, OpsetRange range)
{
  return layer_dynamo_answer(flags & FLAG_DYNAMO_OPSET, (flags & FLAG_DYNAMO_DECOMPOSED) != 0,
                             (flags & FLAG_DYNAMO_COMPLEX) != 0, opset, range);
}

bool symbolics_has_outcomes(const SymbolicsDb *db, uint32_t torch, Str name)
{
  for (uint32_t i = 0; i < db->layer_count && torch < db->version_count; i++) {
    int64_t cell = find_cell(&db->stack[i], torch, name);
    if (cell != NO_SLOT && (wire_u32(db->stack[i].layer->flags, (size_t)cell) & FLAG_OUTCOMES))
      return true;
  }
  return false;
}

Str symbolics_support_name(Str kind)
{
  return strip_underscore(strip_number(kind));
}

bool symbolics_knows(const SymbolicsDb *db, uint32_t torch, Exporter exporter)
{
  OpsetRange range;
  return symbolics_opset_range(db, torch, exporter, &range) && db->has_facts[torch][exporter];
}

SupportAnswer symbolics_support(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str kind, int opset)
{
  OpsetRange range;
  if (str_starts_with(kind, STR("onnx::")))
    return (SupportAnswer){ .status = SUPPORT_ONNX };
  if (!symbolics_knows(db, torch, exporter) || !symbolics_opset_range(db, torch, exporter, &range))
    return (SupportAnswer){ .status = SUPPORT_NO_FACTS };
  if (exporter == EXPORTER_TORCHSCRIPT)
    return torchscript_support(db, torch, kind, opset, range);
  // torch.export's graphs have no prim nodes; what they stood for is not looked up.
  if (str_starts_with(kind, STR("prim::")))
    return (SupportAnswer){ .status = SUPPORT_NO_FACTS };
  DynamoAnswer answer = answer_by_flags(dynamo_flags(db, torch, kind), opset, range);
  return (SupportAnswer){ .status = answer.status, .since = answer.since };
}

OpsetSet symbolics_registered_opsets(const SymbolicsDb *db, uint32_t torch, Str kind)
{
  return find_support(db, torch, strip_underscore(strip_number(kind))).registered;
}

SupportMarks symbolics_support_marks(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str kind)
{
  SupportMarks marks = { 0 };
  OpsetRange range;
  if (!symbolics_opset_range(db, torch, exporter, &range))
    return marks;
  if (exporter == EXPORTER_TORCHSCRIPT)
    return torchscript_marks(find_support(db, torch, strip_underscore(strip_number(kind))), range);
  uint32_t flags = dynamo_flags(db, torch, kind);
  for (int opset = range.min; opset <= range.max; opset++) {
    if (answer_by_flags(flags, opset, range).status == SUPPORT_YES)
      marks.supported |= opset_set_of(opset);
  }
  return marks;
}
