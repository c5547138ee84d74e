#include "core/defined_operators.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"

// --- Reading ---

/// One blank where there is white space, and around the arrow.
static Str spelled_as_printed(Str text, Arena *arena)
{
  Buffer out = { 0 };
  bool has_gap = false;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    bool is_arrow = c == '-' && i + 1 < text.len && text.data[i + 1] == '>';
    bool is_tight = out.len == 0 || c == ',' || c == ')' || out.data[out.len - 1] == '(';
    if (ascii_is_space(c)) {
      has_gap = true;
      continue;
    }
    if ((has_gap && !is_tight) || is_arrow)
      buffer_append_char(&out, ' ');
    has_gap = is_arrow || c == ',';
    buffer_append(&out, is_arrow ? STR("->") : str_make(&c, 1));
    i += is_arrow;
  }
  Str spelled = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return spelled;
}

static bool is_name(Str name)
{
  bool is_good = name.len > 0 && !ascii_is_digit(name.data[0]);
  for (size_t i = 0; i < name.len && is_good; i++)
    is_good = ascii_is_word(name.data[i]);
  return is_good;
}

bool defined_operator_read(Str space, Str text, Arena *arena, DefinedOperator *ret_defined)
{
  size_t open = str_find_char(text, '(', 0);
  Str name = str_trim(str_slice(text, 0, open));
  size_t colons = str_find(name, STR("::"), 0);
  if (colons != STR_NOT_FOUND) {
    space = str_slice(name, 0, colons);
    name = str_slice(name, colons + 2, name.len);
  }
  size_t dot = str_find_char(name, '.', 0);
  Str overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, dot + 1, name.len);
  name = str_slice(name, 0, dot);
  if (!is_name(space) || !is_name(name) || (dot != STR_NOT_FOUND && !is_name(overload)))
    return false;
  *ret_defined = (DefinedOperator){
    .name = arena_printf(arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(name)),
    .overload = arena_copy(arena, overload),
  };
  if (open != STR_NOT_FOUND)
    ret_defined->schema =
        arena_printf(arena, "%.*s%s%.*s%.*s", STR_ARG(ret_defined->name), overload.len > 0 ? "." : "",
                     STR_ARG(overload), STR_ARG(spelled_as_printed(str_slice(text, open, text.len), arena)));
  return true;
}

// --- Tables ---

static int compare_definitions(const void *a, const void *b)
{
  const DefinedOperator *x = *(const DefinedOperator *const *)a;
  const DefinedOperator *y = *(const DefinedOperator *const *)b;
  int order = str_compare(x->name, y->name);
  if (order == 0)
    order = str_compare(x->overload, y->overload);
  return order != 0 ? order : str_compare(x->schema, y->schema);
}

typedef Vec(TorchOverload) OverloadVec;

/// The overload of the definitions from `first` to before `end`, if all that have a schema have the same.
static void add_overload(OverloadVec *overloads, const DefinedOperator **first, const DefinedOperator **end,
                         Arena *arena)
{
  TorchOverload overload = { .overload = (*first)->overload, .torch_versions = UINT32_MAX };
  for (const DefinedOperator **at = first; at < end; at++) {
    if ((*at)->schema.len == 0)
      continue;
    if (overload.schema.len > 0 && !str_equal(overload.schema, (*at)->schema))
      return;
    overload.schema = (*at)->schema;
  }
  if (overload.schema.len == 0)
    return;
  torch_overload_parse(&overload, arena);
  vec_push(overloads, overload);
}

OperatorTable operator_table_make(const DefinedOperator **definitions, size_t count, Arena *arena)
{
  TorchOperator *items = ARENA_ARRAY(arena, TorchOperator, count);
  OperatorTable table = { .items = items };
  OverloadVec overloads = { 0 };
  sort_stable(definitions, count, sizeof(*definitions), compare_definitions);
  for (size_t i = 0; i < count;) {
    Str name = definitions[i]->name;
    vec_clear(&overloads);
    while (i < count && str_equal(definitions[i]->name, name)) {
      size_t first = i;
      while (i < count && str_equal(definitions[i]->name, name) &&
             str_equal(definitions[i]->overload, definitions[first]->overload))
        i++;
      add_overload(&overloads, definitions + first, definitions + i, arena);
    }
    if (overloads.count > 0)
      items[table.count++] = (TorchOperator){ .name = name,
                                              .overloads = vec_copy(&overloads, arena),
                                              .overload_count = (uint32_t)overloads.count };
  }
  vec_free(&overloads);
  return table;
}

const TorchOperator *operator_table_find(const OperatorTable *table, Str name)
{
  size_t at;
  SEARCH_FIRST(at, 0, table->count, str_compare(table->items[at].name, name) < 0);
  return at < table->count && str_equal(table->items[at].name, name) ? &table->items[at] : NULL;
}
