#include "facts/opset_set.h"

#include "base/buffer.h"

/// From here on an export takes the nearest function at or below its opset; below, the nearest up to here.
enum { DISPATCH_PIVOT = 9 };

OpsetSet opset_set_range(int low, int high)
{
  low = low < 0 ? 0 : low;
  high = high > OPSET_LIMIT ? OPSET_LIMIT : high;
  if (low > high)
    return 0;
  return ~(OpsetSet)0 >> (OPSET_LIMIT - high) & ~(OpsetSet)0 << low;
}

static int highest(OpsetSet set)
{
  return set ? OPSET_LIMIT - __builtin_clzll(set) : 0;
}

int opset_set_dispatch(OpsetSet registered, int opset)
{
  if (opset >= DISPATCH_PIVOT)
    return highest(registered & opset_set_range(1, opset));
  return opset_set_first(registered & opset_set_range(opset, DISPATCH_PIVOT));
}

OpsetSet opset_set_served(OpsetSet mine, OpsetSet others, int first, int last)
{
  OpsetSet served = 0;
  for (int opset = first; mine != 0 && opset <= last; opset++) {
    int chosen = opset_set_dispatch(mine | others, opset);
    if (chosen > 0 && opset_set_has(mine, chosen))
      served |= opset_set_of(opset);
  }
  return served;
}

/// Takes the first run of opsets that follow each other out of a set that has one; returns its last.
static int take_run(OpsetSet *set, int *ret_first)
{
  int first = opset_set_first(*set);
  OpsetSet gaps = ~(*set >> first);
  int last = first + (gaps ? opset_set_first(gaps) : OPSET_LIMIT + 1 - first) - 1;
  *set &= ~opset_set_range(first, last);
  *ret_first = first;
  return last;
}

Str opset_set_text(OpsetSet set, Arena *arena)
{
  Buffer text = { 0 };
  while (set) {
    int first;
    int last = take_run(&set, &first);
    buffer_printf(&text, first == last ? "%s%d" : "%s%d-%d", text.len > 0 ? ", " : "", first, last);
  }
  Str kept = text.len > 0 ? arena_copy(arena, buffer_str(&text)) : (Str){ 0 };
  buffer_done(&text);
  return kept;
}

Str opset_set_words(OpsetSet set, Arena *arena)
{
  Buffer text = { 0 };
  while (set) {
    int first;
    int last = take_run(&set, &first);
    const char *joint = text.len == 0 ? "" : set == 0 ? " and " : ", ";
    buffer_printf(&text, first == last ? "%s%d" : "%s%d to %d", joint, first, last);
  }
  Str copy = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return copy;
}

Str opset_set_phrase(OpsetSet set, Arena *arena)
{
  Str word = opset_set_has_many(set) ? STR("opsets ") : STR("opset ");
  return arena_join(arena, (Str[]){ word, opset_set_words(set, arena) }, 2);
}
