#include "describe/kernel_words.h"

#include "describe/describe.h"

/// Runtimes that lie next to each other, "1.10 to 1.20".
static void append_range(Buffer *out, const MessageTable *table, size_t first, size_t last)
{
  buffer_printf(out, "%s%.*s", out->len > 0 ? ", " : "", STR_ARG(table->runtimes[first].version));
  if (last + 1 == table->runtime_count && last > first)
    buffer_append(out, STR(" on"));
  else if (last > first)
    buffer_printf(out, " to %.*s", STR_ARG(table->runtimes[last].version));
}

Str kernel_runtimes_words(const SymbolicsDb *db, uint32_t runtimes, Arena *arena)
{
  const MessageTable *table = symbolics_messages(db, 0);
  Buffer out = { 0 };
  for (size_t i = 0; i < table->runtime_count; i++) {
    if (!(table->runtimes[i].bit & runtimes))
      continue;
    size_t first = i;
    while (i + 1 < table->runtime_count && (table->runtimes[i + 1].bit & runtimes))
      i++;
    append_range(&out, table, first, i);
  }
  Str words = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return words;
}

enum { SHOWN_TYPES = 64 };  // More than there are element types.

/// "double bfloat16" as "double, bfloat16", families in one word.
static Str types_words(Str types, Arena *arena)
{
  Str list[SHOWN_TYPES];
  uint32_t count = 0;
  for (size_t start = 0, end = 0; end != STR_NOT_FOUND && count < SHOWN_TYPES; start = end + 1) {
    end = str_find_char(types, ' ', start);
    Str word = str_slice(types, start, end);
    list[count++] = str_equal(word, STR("-")) ? STR("left out") : word;
  }
  return describe_type_set(list, count, arena);
}

/// "T double, bfloat16", "every type"; with the opsets of the model if they matter.
static Str condition_of(const KernelGap *gap, Arena *arena)
{
  Str words = { 0 };
  Str rest = gap->condition;
  Str constraint, types;
  while (kernel_gap_next_part(&rest, &constraint, &types))
    words = arena_printf(arena, "%.*s%s%.*s %.*s", STR_ARG(words), words.len > 0 ? " with " : "", STR_ARG(constraint),
                         STR_ARG(types_words(types, arena)));
  if (words.len == 0)
    words = STR("every type");
  if (gap->first_opset == 0)
    return words;
  return arena_printf(arena, "%.*s, in models of opset %u to %u", STR_ARG(words), gap->first_opset, gap->last_opset);
}

static uint32_t newest_with_gaps(const KernelGaps *gaps)
{
  return gaps->count > 0 ? gaps->items[gaps->count - 1].since : 0;
}

Str kernel_types_words(const SymbolicsDb *db, Str op, uint32_t since, int64_t opset, Arena *arena)
{
  const KernelGaps *gaps = symbolics_kernel_gaps(db, op);
  Str words = { 0 };
  if (gaps && since == 0)
    since = newest_with_gaps(gaps);
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    const KernelGap *gap = &gaps->items[i];
    Str rest = gap->condition;
    Str constraint, types;
    bool is_one = kernel_gap_next_part(&rest, &constraint, &types) && rest.len == 0;
    if (!is_one || gap->since != since || (opset > 0 && !kernel_gap_is_at(gap, since, opset)))
      continue;
    Str told = arena_printf(arena, "%.*s %.*s", STR_ARG(constraint), STR_ARG(types_words(types, arena)));
    if (!str_contains(words, told))
      words = arena_printf(arena, "%.*s%s%.*s (onnxruntime %.*s)", STR_ARG(words), words.len > 0 ? "; " : "",
                           STR_ARG(told), STR_ARG(kernel_runtimes_words(db, gap->runtimes, arena)));
  }
  return words;
}

void kernel_write_gaps(Markup *markup, const SymbolicsDb *db, Str op, uint32_t since, int64_t opset, Arena *arena)
{
  const KernelGaps *gaps = symbolics_kernel_gaps(db, op);
  bool has_heading = false;
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    const KernelGap *gap = &gaps->items[i];
    if (gap->since != since || (opset > 0 && !kernel_gap_is_at(gap, since, opset)))
      continue;
    if (!has_heading)
      markup_heading(markup, "No kernel in ONNX Runtime (CPU), by release");
    has_heading = true;
    markup_item(markup);
    markup_text(markup, "%.*s", STR_ARG(kernel_runtimes_words(db, gap->runtimes, arena)));
    markup_column(markup, ": ");
    markup_text(markup, "%.*s", STR_ARG(condition_of(gap, arena)));
  }
}
