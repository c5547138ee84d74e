#include "why/suggested_fixes.h"

#include "base/ascii.h"
#include "base/limits.h"

/// A line without what quotes it: comment signs, `>` of mail.
static Str bare_line(Str text, size_t at)
{
  Str line = str_trim(str_slice(text, at, str_line_end(text, at)));
  while (line.len > 0 && (line.data[0] == '#' || line.data[0] == '>'))
    line = str_trim(str_slice(line, 1, line.len));
  return line;
}

static Str name_before(Str line)
{
  size_t end = 0;
  while (end < line.len && ascii_is_word(line.data[end]))
    end++;
  return str_slice(line, 0, end);
}

static bool read_suggestion(Str line, SuggestedDim *ret_dim)
{
  Str name = name_before(line);
  Str sign = STR(" = ");
  if (name.len == 0 || !str_starts_with(str_slice(line, name.len, line.len), sign))
    return false;
  *ret_dim = (SuggestedDim){ name, str_trim(str_slice(line, name.len + sign.len, line.len)) };
  return ret_dim->value.len > 0 && ret_dim->value.len <= SUGGESTED_DIM_VALUE_LIMIT;
}

SuggestedDims suggested_fixes_read(Str text, Arena *arena)
{
  size_t start = str_find(text, STR("Suggested fixes:"), 0);
  if (start == STR_NOT_FOUND)
    return (SuggestedDims){ 0 };
  SuggestedDim *items = ARENA_ARRAY(arena, SuggestedDim, SUGGESTED_DIM_LIMIT);
  SuggestedDims dims = { .items = items, .range = { start, str_line_end(text, start) } };
  while (dims.range.end < text.len && dims.count < SUGGESTED_DIM_LIMIT &&
         read_suggestion(bare_line(text, dims.range.end + 1), &items[dims.count])) {
    dims.count++;
    dims.range.end = str_line_end(text, dims.range.end + 1);
  }
  return dims;
}

const SuggestedDim *suggested_fixes_find(const SuggestedDims *dims, Str name)
{
  for (size_t i = 0; i < dims->count; i++) {
    if (str_equal(dims->items[i].name, name))
      return &dims->items[i];
  }
  return NULL;
}

static Str line_of(const SuggestedDim *dim, Arena *arena)
{
  return dim ? arena_join(arena, (Str[]){ dim->name, STR(" = "), dim->value }, 3) : (Str){ 0 };
}

Str suggested_fixes_words(const SuggestedDims *dims, Str name, Arena *arena)
{
  Str line = line_of(suggested_fixes_find(dims, name), arena);
  Str root = line_of(suggested_fixes_find(dims, arena_join(arena, (Str[]){ STR("_"), name }, 2)), arena);
  return line.len > 0 && root.len > 0 ? arena_join(arena, (Str[]){ line, STR(", "), root }, 3) : line;
}
