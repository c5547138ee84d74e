#include "facts/facts_find.h"

#include "base/vec.h"

typedef struct Search {
  const SymbolicsDb *db;
  Str domain;  ///< Of the names that are visited.
  Str name;    ///< Without domain and overload.
  Str overload;
  bool any_case;
  Vec(FoundOperator) found;
} Search;

static bool fits(const Search *search, Str name)
{
  return search->any_case ? str_equal_ignore_case(name, search->name) : str_equal(name, search->name);
}

static bool visit_onnx(Str name, void *context)
{
  Search *search = context;
  if (fits(search, name))
    vec_push(&search->found, (FoundOperator){ .onnx = symbolics_onnx_operator(search->db, search->domain, name) });
  return true;
}

static bool visit_domain(Str domain, void *context)
{
  Search *search = context;
  search->domain = domain;
  symbolics_each_onnx_name(search->db, domain, (Str){ 0 }, visit_onnx, search);
  return true;
}

static void add_torch(Search *search, Str full_name)
{
  const TorchOperator *op = symbolics_torch_operator(search->db, full_name);
  bool has_overload = search->overload.len == 0;
  for (uint32_t i = 0; op && i < op->overload_count && !has_overload; i++)
    has_overload = str_equal(op->overloads[i].overload, search->overload) ||
                   (op->overloads[i].overload.len == 0 && str_equal(search->overload, STR("default")));
  if (op && has_overload)
    vec_push(&search->found, (FoundOperator){ .torch = op, .overload = search->overload });
}

static bool visit_torch(Str name, void *context)
{
  Search *search = context;
  size_t colons = str_find(name, STR("::"), 0);
  if (colons != STR_NOT_FOUND && fits(search, str_slice(name, colons + 2, name.len)))
    add_torch(search, name);
  return true;
}

/// Moves what is in aten to the front of the torch operators that start at `first`.
static void aten_first(Search *search, size_t first)
{
  for (size_t i = first; i < search->found.count; i++) {
    FoundOperator op = search->found.items[i];
    if (!str_starts_with(op.torch->name, STR("aten::")))
      continue;
    memmove(&search->found.items[first + 1], &search->found.items[first], (i - first) * sizeof(op));
    search->found.items[first] = op;
    return;
  }
}

static void search_everywhere(Search *search)
{
  if (search->overload.len == 0)
    symbolics_each_onnx_domain(search->db, visit_domain, search);
  size_t first = search->found.count;
  symbolics_each_torch_name(search->db, (Str){ 0 }, visit_torch, search);
  aten_first(search, first);
}

static void search_exactly(Search *search, Str word, size_t colons)
{
  Str domain = str_slice(word, 0, colons);
  const OnnxOperator *op = symbolics_onnx_operator(search->db, domain, str_slice(word, colons + 2, word.len));
  // In a graph an ONNX operator is `onnx::Conv`.
  if (!op && str_equal(domain, STR("onnx")))
    op = symbolics_onnx_operator(search->db, (Str){ 0 }, str_slice(word, colons + 2, word.len));
  if (op)
    vec_push(&search->found, (FoundOperator){ .onnx = op });
  Str full_name = str_slice(word, 0, (size_t)(search->name.data + search->name.len - word.data));
  add_torch(search, full_name);
}

size_t symbolics_find(const SymbolicsDb *db, Str word, Arena *arena, const FoundOperator **ret_found)
{
  Search search = { .db = db };
  size_t colons = str_find(word, STR("::"), 0);
  Str rest = colons == STR_NOT_FOUND ? word : str_slice(word, colons + 2, word.len);
  size_t dot = str_find_char(rest, '.', 0);
  search.name = str_slice(rest, 0, dot);
  search.overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, dot + 1, rest.len);
  if (colons != STR_NOT_FOUND) {
    search_exactly(&search, word, colons);
  } else if (search.name.len > 0) {
    search_everywhere(&search);
    search.any_case = search.found.count == 0;
    if (search.any_case)
      search_everywhere(&search);
  }
  FoundOperator *kept = vec_copy(&search.found, arena);
  size_t count = search.found.count;
  vec_free(&search.found);
  *ret_found = kept;
  return count;
}
