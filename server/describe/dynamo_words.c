#include "describe/dynamo_words.h"

#include "base/buffer.h"
#include "describe/operator_ways.h"

enum { SHOWN_PARTS = 8 };

Str dynamo_part_list(const DynamoFate *fate, Arena *arena)
{
  Buffer list = { 0 };
  for (uint32_t i = 0; i < fate->part_count && i < SHOWN_PARTS; i++) {
    Str part = fate->parts[i];
    Str name = str_slice(part, 0, part.len - (part.data[part.len - 1] == '*'));
    buffer_printf(&list, "%s%.*s", i > 0 ? ", " : "", STR_ARG(dynamo_overload_words(name, arena)));
  }
  if (fate->part_count > SHOWN_PARTS)
    buffer_printf(&list, " and %u more", fate->part_count - SHOWN_PARTS);
  Str text = arena_copy(arena, buffer_str(&list));
  buffer_done(&list);
  return text;
}

Str dynamo_parts_words(const DynamoFate *fate, Str who, Arena *arena)
{
  Str part = dynamo_overload_words(fate->part, arena);
  switch (fate->verdict) {
  case DYNAMO_REFUSED:
    return arena_printf(arena, "torch.export takes it apart into %.*s, for which the %.*s has no function.",
                        STR_ARG(part), STR_ARG(who));
  case DYNAMO_DEPENDS:
    return arena_printf(arena,
                        "torch.export takes it apart, with some arguments into %.*s, for which the %.*s has no "
                        "function.",
                        STR_ARG(part), STR_ARG(who));
  case DYNAMO_DECOMPOSED:
    if (fate->part_count == 0)
      return arena_printf(arena, "torch.export takes it apart, and nothing is left of it for the %.*s.", STR_ARG(who));
    return arena_printf(arena, "torch.export takes it apart into %.*s, and the %.*s has functions for that.",
                        STR_ARG(dynamo_part_list(fate, arena)), STR_ARG(who));
  default:
    return arena_printf(arena, "torch.export takes it apart; whether the %.*s converts its parts is not known.",
                        STR_ARG(who));
  }
}

Str dynamo_parts_phrase(const DynamoFate *fate, Arena *arena)
{
  Str part = dynamo_overload_words(fate->part, arena);
  switch (fate->verdict) {
  case DYNAMO_REFUSED:
    return arena_printf(arena, "taken apart into %.*s, which has no function", STR_ARG(part));
  case DYNAMO_DEPENDS:
    return arena_printf(arena, "taken apart, with some arguments into %.*s, which has no function", STR_ARG(part));
  case DYNAMO_DECOMPOSED:
    return STR("taken apart, with functions for all parts");
  default:
    return STR("taken apart by torch.export, whether its parts are converted is not known");
  }
}

static Str exporter_words(const OperatorTarget *target, const DynamoFate *fate, Arena *arena)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(target->db, &versions);
  Str torch = target->torch < count ? versions[target->torch] : (Str){ 0 };
  Str name = arena_printf(arena, "dynamo exporter of torch %.*s", STR_ARG(torch));
  return fate->onnxscript.len == 0
             ? name
             : arena_printf(arena, "%.*s with onnxscript %.*s", STR_ARG(name), STR_ARG(target->onnxscript));
}

Str dynamo_fate_words(const OperatorTarget *target, const DynamoFate *fate, int opset, Arena *arena)
{
  Str who = exporter_words(target, fate, arena);
  if (fate->verdict == DYNAMO_TRANSLATED)
    return arena_printf(arena, "The %.*s converts it at opset %d.", STR_ARG(who), opset);
  if (fate->verdict == DYNAMO_NOT_KNOWN && fate->parts == NULL && opset == 0)
    return arena_printf(arena, "Whether the %.*s converts it is not known.", STR_ARG(who));
  return dynamo_parts_words(fate, who, arena);
}

/// Does torch itself have the operator?
static bool is_custom(const OperatorTarget *target, Str overload)
{
  size_t colons = str_find(overload, STR("::"), 0);
  size_t dot = colons == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(overload, '.', colons);
  return !symbolics_torch_operator(target->db, str_slice(overload, 0, dot));
}

/// The release of onnxscript that would do, as a sentence with a blank before it.
static Str onnxscript_words(const DynamoFate *fate, Arena *arena)
{
  return fate->onnxscript.len == 0 ? (Str){ 0 }
                                   : arena_printf(arena, " onnxscript %.*s has one.", STR_ARG(fate->onnxscript));
}

/// What the other exporter makes of it, as a sentence with a blank before it; empty if it can't, either.
static Str torchscript_words(const OperatorTarget *target, Str overload, Arena *arena)
{
  size_t dot = str_find_char(overload, '.', str_find(overload, STR("::"), 0));
  Str name = str_slice(overload, 0, dot);
  OpsetSet opsets = symbolics_support_marks(target->db, target->torch, EXPORTER_TORCHSCRIPT, name).supported;
  const Str words[] = { STR(" "), operator_exporter_words(EXPORTER_TORCHSCRIPT, opsets, 0, arena) };
  return opsets == 0 ? (Str){ 0 } : arena_join(arena, words, COUNT(words));
}

Str dynamo_refusal_words(const OperatorTarget *target, Str overload, const DynamoFate *fate, Arena *arena)
{
  Str name = dynamo_overload_words(overload, arena);
  Str part = dynamo_overload_words(fate->part, arena);
  Str who = exporter_words(target, fate, arena);
  bool is_unsure = fate->verdict == DYNAMO_DEPENDS;
  const char *inputs = fate->is_complex ? " of complex inputs" : "";
  if (is_custom(target, overload))
    return arena_printf(arena,
                        "'%.*s' is a custom operator: its export fails unless custom_translation_table has a function "
                        "for it.",
                        STR_ARG(name));
  Str own = onnxscript_words(fate, arena);
  Str other = fate->is_complex || own.len > 0 ? own : torchscript_words(target, overload, arena);
  if (str_equal(name, part) && fate->since > 0 && !fate->is_complex)
    return arena_printf(arena, "'%.*s' can't be exported: the %.*s has a function for it only from opset %d on.%.*s",
                        STR_ARG(name), STR_ARG(who), fate->since, STR_ARG(other));
  if (str_equal(name, part))
    return arena_printf(arena, "'%.*s' can't be exported: the %.*s has no function%s for it.%.*s", STR_ARG(name),
                        STR_ARG(who), inputs, STR_ARG(other));
  return arena_printf(arena, "'%.*s' %s: %sit is decomposed into %.*s, for which the %.*s has no function%s.%.*s",
                      STR_ARG(name), is_unsure ? "may not be exportable" : "can't be exported",
                      is_unsure ? "with some arguments " : "", STR_ARG(part), STR_ARG(who), inputs, STR_ARG(other));
}
