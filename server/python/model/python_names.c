// What names stand for: bindings, import paths, constants.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/search.h"
#include "base/sort.h"
#include "python/model/python_model_private.h"

// --- The index of bindings ---

/// An entry while entries are sorted.
typedef struct SortItem {
  PyNameEntry entry;
  Str name;
} SortItem;

/// In order of hash and scope; names are compared by whoever finds these the same.
static int compare_key(PyNameEntry a, PyNameEntry b)
{
  if (a.hash != b.hash)
    return a.hash < b.hash ? -1 : 1;
  return a.scope < b.scope ? -1 : a.scope > b.scope;
}

/// Of a name, whose hash is given, in a scope. With good upper bits: these number the buckets, so that the parameters
/// of a thousand functions, which are all called alike, are in different ones.
static PyNameEntry key_of(uint32_t hash, uint32_t scope)
{
  return (PyNameEntry){ .scope = scope, .hash = (hash ^ scope * UINT32_C(0x85EBCA6B)) * UINT32_C(0x9E3779B1) };
}

static int compare_items(const void *a, const void *b)
{
  const SortItem *x = a;
  const SortItem *y = b;
  int order = compare_key(x->entry, y->entry);
  if (order == 0)
    order = str_compare(x->name, y->name);
  if (order != 0)
    return order;
  return x->entry.binding < y->entry.binding ? -1 : x->entry.binding > y->entry.binding;
}

/// Notes where in the sorted list the names of each bucket start, and where the last one ends.
static void index_buckets(PyModel *model, const SortItem *items, size_t count)
{
  uint32_t bits = 1;
  while (bits < 20 && (size_t)1 << bits < count)
    bits++;
  model->name_shift = 32 - bits;
  size_t buckets = (size_t)1 << bits;
  vec_reserve(&model->name_starts, buckets + 1);
  model->name_starts.count = buckets + 1;
  uint32_t *starts = model->name_starts.items;
  memset(starts, 0, (buckets + 1) * sizeof(*starts));
  for (size_t i = 0; i < count; i++)
    starts[(items[i].entry.hash >> model->name_shift) + 1]++;
  for (size_t bucket = 0; bucket < buckets; bucket++)
    starts[bucket + 1] += starts[bucket];
}

/// By bucket, which leaves little to sort in each of them.
static void sort_names(const PyModel *model, const SortItem *items, size_t count, SortItem *sorted)
{
  const uint32_t *starts = model->name_starts.items;
  size_t buckets = model->name_starts.count - 1;
  uint32_t *filled = xcalloc(buckets, sizeof(*filled));
  for (size_t i = 0; i < count; i++) {
    size_t bucket = items[i].entry.hash >> model->name_shift;
    sorted[starts[bucket] + filled[bucket]++] = items[i];
  }
  free(filled);
  for (size_t bucket = 0; bucket < buckets; bucket++) {
    if (starts[bucket + 1] - starts[bucket] > 1)
      sort_stable(sorted + starts[bucket], starts[bucket + 1] - starts[bucket], sizeof(*sorted), compare_items);
  }
}

void python_index_names(PyModel *model)
{
  size_t count = model->bindings.count;
  model->named = xcalloc(python_node_room(model), sizeof(*model->named));
  SortItem *found = xcalloc(count + 1, sizeof(*found));
  SortItem *items = xcalloc(count + 1, sizeof(*items));
  for (size_t i = 0; i < count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    found[i] = (SortItem){ key_of(str_hash(binding->name), binding->scope), binding->name };
    found[i].entry.binding = (uint32_t)i;
  }
  index_buckets(model, found, count);
  sort_names(model, found, count, items);
  free(found);
  vec_reserve(&model->names, count);
  for (size_t i = 0; i < count; i++) {
    vec_push(&model->names, items[i].entry);
    PyBinding *binding = &model->bindings.items[items[i].entry.binding];
    bool is_next =
        i > 0 && compare_key(items[i].entry, items[i - 1].entry) == 0 && str_equal(items[i].name, items[i - 1].name);
    PyBinding *before = is_next ? &model->bindings.items[items[i - 1].entry.binding] : NULL;
    binding->first = is_next ? before->first : items[i].entry.binding;
    if (is_next)
      before->next = items[i].entry.binding;
  }
  free(items);
}

static int compare_entry(const PyModel *model, size_t i, PyNameEntry key, Str name)
{
  PyNameEntry entry = model->names.items[i];
  int order = compare_key(entry, key);
  return order != 0 ? order : str_compare(model->bindings.items[entry.binding].name, name);
}

/// First binding of the name in exactly this scope. Another name of the same hash is rare, and comparing names costs.
static uint32_t find_in_scope(const PyModel *model, PyNameEntry key, Str name)
{
  const uint32_t *bucket = model->name_starts.items + (key.hash >> model->name_shift);
  if (bucket[0] == bucket[1])
    return PY_ABSENT;
  size_t at;
  SEARCH_FIRST(at, bucket[0], bucket[1], compare_key(model->names.items[at], key) < 0);
  if (at == bucket[1] || compare_key(model->names.items[at], key) != 0)
    return PY_ABSENT;
  uint32_t binding = model->names.items[at].binding;
  if (str_equal(model->bindings.items[binding].name, name))
    return binding;
  SEARCH_FIRST(at, at, bucket[1], compare_entry(model, at, key, name) < 0);
  return at < bucket[1] && compare_entry(model, at, key, name) == 0 ? model->names.items[at].binding : PY_ABSENT;
}

uint32_t python_find_in_scope(const PyModel *model, uint32_t scope, Str name)
{
  return find_in_scope(model, key_of(str_hash(name), scope), name);
}

/// The scope around; of another file's there is none.
static bool go_out(const PyModel *model, uint32_t *scope)
{
  if (*scope == PY_ABSENT)
    return false;
  bool is_foreign = model->foreign.count > 0 && *scope >= model->foreign.items[0].function;
  *scope = model->functions.items[*scope].parent;
  return !is_foreign || *scope != PY_ABSENT;
}

uint32_t py_model_lookup(const PyModel *model, uint32_t scope, Str name)
{
  uint32_t hash = str_hash(name);
  for (;;) {
    uint32_t found = find_in_scope(model, key_of(hash, scope), name);
    if (found != PY_ABSENT || !go_out(model, &scope))
      return found;
  }
}

uint32_t py_model_name_at(const PyModel *model, PyRef identifier)
{
  enum { ASKED = 2 };  // PY_ABSENT is 1 with it.
  atomic_uint *known = &model->named[identifier];
  uint32_t found = atomic_load_explicit(known, memory_order_relaxed);
  if (found == 0) {
    found = py_model_lookup(model, py_model_scope_of(model, identifier), py_text(&model->tree, identifier)) + ASKED;
    atomic_store_explicit(known, found, memory_order_relaxed);
  }
  return found - ASKED;
}

const PyBinding *py_model_binding_named(const PyModel *model, uint32_t scope, Str name)
{
  uint32_t found = py_model_lookup(model, scope, name);
  return found == PY_ABSENT ? NULL : &model->bindings.items[found];
}

const PyBinding *py_model_binding_of(const PyModel *model, uint32_t scope, PyRef node)
{
  bool is_name = py_kind(&model->tree, node) == PYK_IDENTIFIER;
  return is_name ? py_model_binding_named(model, scope, py_text(&model->tree, node)) : NULL;
}

const PyBinding *py_model_binding_at(const PyModel *model, PyRef node)
{
  uint32_t found = py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_name_at(model, node) : PY_ABSENT;
  return found == PY_ABSENT ? NULL : &model->bindings.items[found];
}

// --- Names to import paths ---

/// The binding if the name is bound exactly once in the scope where it is found; `found` is py_model_lookup()'s answer.
static const PyBinding *only_binding(const PyModel *model, uint32_t found)
{
  if (found == PY_ABSENT)
    return NULL;
  const PyBinding *binding = &model->bindings.items[found];
  return binding->next == PY_ABSENT ? binding : NULL;
}

/// What an imported name may be: `try: import a as x / except ImportError: import b as x` binds it twice, and the one
/// of torch is what people who export get.
static const PyBinding *import_binding(const PyModel *model, uint32_t found)
{
  const PyBinding *first = NULL;
  for (uint32_t at = found; at != PY_ABSENT; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    if (binding->kind != PY_BIND_IMPORT)
      continue;
    if (str_starts_with(binding->qualified, STR("torch")) || str_starts_with(binding->qualified, STR("onnxscript")))
      return binding;
    if (!first)
      first = binding;
  }
  return first;
}

/// The module whose `import *` may have brought the name.
static Str star_module(const PyModel *model)
{
  for (size_t i = 0; i < model->star_imports.count; i++) {
    if (str_starts_with(model->star_imports.items[i], STR("torch.onnx")))
      return model->star_imports.items[i];
  }
  return (Str){ 0 };
}

static bool is_builtin_value(Str name)
{
  static const char *const names[] = { "int",        "float",  "bool",     "str",       "len",    "list",
                                       "tuple",      "dict",   "range",    "max",       "min",    "print",
                                       "isinstance", "type",   "zip",      "enumerate", "any",    "set",
                                       "all",        "sorted", "format",   "round",     "divmod", "map",
                                       "filter",     "iter",   "reversed", "getattr",   "open" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Takes `a.b.c` apart from the right; false if its root is no name, or it is too long.
static bool split_chain(const PyTree *tree, PyRef node, PyRef *ret_root, Str *parts, size_t *ret_count)
{
  size_t count = 0;
  for (node = py_tree_strip(tree, node); py_kind(tree, node) == PYK_ATTRIBUTE; node = py_tree_strip(tree, node)) {
    PyRef name = py_tree_member(tree, node);
    PyRef object = py_tree_object(tree, node);
    if (!name || !object || count == PY_CHAIN_LIMIT)
      return false;
    parts[count++] = py_text(tree, name);
    node = object;
  }
  if (py_kind(tree, node) != PYK_IDENTIFIER)
    return false;
  *ret_root = node;
  *ret_count = count;
  return true;
}

/// `getattr(a.b, "c")` is a.b.c: the name and the object; false for other calls, and with a default.
static bool split_getattr(const PyModel *model, PyRef node, Arena *arena, Str *ret_name, PyRef *ret_object)
{
  const PyTree *tree = &model->tree;
  PyRef function = py_tree_callee(tree, node);
  PyRef list = function ? py_child(tree, node, PY_F_ARGUMENTS) : 0;
  if (!list || !str_equal(py_text(tree, function), STR("getattr")))
    return false;
  PyRef object = py_tree_first_element(tree, list);
  PyRef name = object ? py_tree_next_element(tree, object) : 0;
  if (!name || py_tree_next_element(tree, name) || !py_model_string(model, name, arena, ret_name))
    return false;
  *ret_object = object;
  return true;
}

/// What stands for the name that a chain starts with.
typedef struct Root {
  Str qualified;           ///< Empty if nobody knows, and with
  const PyBinding *alias;  ///< the binding that gives it another expression as its value; NULL for none.
} Root;

/// A name that the file does not bind: one of the module of torch.onnx that it imports with a star, or a builtin, of
/// whose members nothing is known.
static Str unbound_name(const PyModel *model, Str name, bool has_member, Arena *arena)
{
  if (is_builtin_value(name))
    return has_member ? (Str){ 0 } : name;
  Str module = star_module(model);
  return module.len > 0 ? arena_printf(arena, "%.*s.%.*s", STR_ARG(module), STR_ARG(name)) : module;
}

/// `from a import f`, and further down `def f(...)` or `f = wrap(f)` as a statement of the same block: the import is
/// gone from there on, and for functions that are called later.
static bool is_replaced(const PyModel *model, const PyBinding *import, PyRef name)
{
  const PyTree *tree = &model->tree;
  PyRef import_block, block;
  if (import->next == PY_ABSENT || !py_tree_statement(tree, import->node, &import_block))
    return false;
  enum { MOST = 16 };
  bool is_in_order = py_model_scope_of(model, name) == import->scope;
  uint32_t at = import->next;
  for (int i = 0; at != PY_ABSENT && i < MOST; i++, at = model->bindings.items[at].next) {
    const PyBinding *later = &model->bindings.items[at];
    bool is_other = later->kind == PY_BIND_FUNCTION || later->kind == PY_BIND_CLASS || later->kind == PY_BIND_ASSIGN;
    if (later->kind == PY_BIND_IMPORT || (is_in_order && later->node > name))
      return false;
    py_tree_statement(tree, later->node, &block);
    if (is_other && block == import_block)
      return true;
  }
  return false;
}

static Root root_of(const PyModel *model, uint32_t found, PyRef name, bool has_member, Arena *arena)
{
  const PyBinding *import = import_binding(model, found);
  if (import && is_replaced(model, import, name))
    return (Root){ 0 };
  if (import)
    return (Root){ .qualified = import->qualified };
  const PyBinding *binding = only_binding(model, found);
  if (binding && binding->kind == PY_BIND_ASSIGN && binding->value)
    return (Root){ .alias = binding };
  Str text = py_text(&model->tree, name);
  return (Root){ .qualified = found == PY_ABSENT ? unbound_name(model, text, has_member, arena) : (Str){ 0 } };
}

/// The members of a chain, the last one first.
typedef struct Members {
  Str items[PY_CHAIN_LIMIT * (PY_ALIAS_LIMIT + 1)];
  size_t count;
} Members;

/// Takes a chain apart down to its root, through getattr() and through names that stand for other chains. Empty if the
/// root is unknown.
static Str take_members(const PyModel *model, PyRef node, Members *members, Arena *arena)
{
  uint32_t scope = py_model_scope_of(model, node);
  for (int alias = 0; alias < PY_ALIAS_LIMIT; alias++) {
    Str *next = &members->items[members->count];
    PyRef object, name;
    size_t added;
    if (split_getattr(model, py_tree_strip(&model->tree, node), arena, next, &object)) {
      members->count++;
      node = object;
      continue;
    }
    if (!split_chain(&model->tree, node, &name, next, &added))
      return (Str){ 0 };
    members->count += added;
    Str text = py_text(&model->tree, name);
    uint32_t found =
        scope == py_model_scope_of(model, name) ? py_model_name_at(model, name) : py_model_lookup(model, scope, text);
    Root root = root_of(model, found, name, members->count > 0, arena);
    if (!root.alias)
      return root.qualified;
    node = root.alias->value;
    scope = root.alias->scope;
  }
  return (Str){ 0 };
}

static Str join_members(Str root, const Members *members, Arena *arena)
{
  size_t len = root.len;
  for (size_t i = 0; i < members->count; i++)
    len += members->items[i].len + 1;
  char *text = arena_alloc(arena, len + 1);
  memcpy(text, root.data, root.len);
  char *at = text + root.len;
  for (size_t i = members->count; i-- > 0;) {
    *at++ = '.';
    memcpy(at, members->items[i].data, members->items[i].len);
    at += members->items[i].len;
  }
  return str_make(text, len);
}

Str py_model_qualified_raw(const PyModel *model, PyRef node, Arena *arena)
{
  Members members;
  members.count = 0;  // The items are written before they are read, and are too many to be cleared for each name.
  Str root = take_members(model, node, &members, arena);
  return root.len > 0 && members.count > 0 ? join_members(root, &members, arena) : root;
}

static Str replace_prefix(Str s, Str prefix, Str with, Arena *arena)
{
  Str rest = str_slice(s, prefix.len, s.len);
  return arena_printf(arena, "%.*s%.*s", STR_ARG(with), STR_ARG(rest));
}

static Str canonical(Str name, Arena *arena)
{
  static const struct {
    Str prefix;
    Str with;
  } moves[] = {
    { STR_INIT("torch.onnx._internal.torchscript_exporter.symbolic_"), STR_INIT("torch.onnx.symbolic_") },
    { STR_INIT("torch.onnx._internal.torchscript_exporter.utils."), STR_INIT("torch.onnx.") },
    { STR_INIT("torch.onnx._internal.torchscript_exporter._type_utils"), STR_INIT("torch.onnx._type_utils") },
    { STR_INIT("torch.onnx._internal.torchscript_exporter."), STR_INIT("torch.onnx._internal.") },
    { STR_INIT("torch.onnx.utils."), STR_INIT("torch.onnx.") },
  };
  for (size_t i = 0; i < COUNT(moves); i++) {
    if (str_starts_with(name, moves[i].prefix))
      return replace_prefix(name, moves[i].prefix, moves[i].with, arena);
  }
  return name;
}

Str py_model_qualified(const PyModel *model, PyRef node, Arena *arena)
{
  return canonical(py_model_qualified_raw(model, node, arena), arena);
}

// --- Constants ---

/// The part of `a, b = x, y` that a name of it gets; 0.
static PyRef unpacked_value(const PyModel *model, const PyBinding *binding)
{
  const PyTree *tree = &model->tree;
  PyRef pattern = tree->nodes[binding->node].parent;
  if (binding->unpack == PY_ABSENT || !binding->value || py_kind(tree, tree->nodes[pattern].parent) != PYK_ASSIGNMENT)
    return 0;
  uint32_t left = binding->unpack;
  // What stands after a `*rest` gets another part.
  for (PyRef name = py_first_child(tree, pattern); name != binding->node; name = py_next_sibling(tree, name)) {
    if (py_kind(tree, name) != PYK_IDENTIFIER)
      return 0;
  }
  PyRef value = py_tree_strip(tree, binding->value);
  PyNodeKind kind = py_kind(tree, value);
  bool is_written = kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_EXPRESSION_LIST;
  PyRef item = is_written && left < PY_ELEMENT_LIMIT ? py_tree_first_element(tree, value) : 0;
  while (item && !py_tree_is_splat(tree, item) && left-- > 0)
    item = py_tree_next_element(tree, item);
  return item && !py_tree_is_splat(tree, item) ? item : 0;
}

/// What is assigned, or what a parameter always gets; 0.
static PyRef value_of_binding(const PyModel *model, const PyBinding *binding)
{
  return binding->kind == PY_BIND_ASSIGN  ? binding->value
         : binding->kind == PY_BIND_PARAM ? model->params.items[binding->index].bound_value
                                          : unpacked_value(model, binding);
}

PyRef python_foreign_value(const PyModel *model, uint32_t found)
{
  return found == PY_ABSENT ? 0 : value_of_binding(model, &model->bindings.items[found]);
}

bool py_model_is_given(const PyModel *model, const PyBinding *binding)
{
  return model->row && binding->scope == model->row_scope &&
         (binding->kind == PY_BIND_PARAM || binding->kind == PY_BIND_OTHER);
}

PyRef py_model_given(const PyModel *model, PyRef name, const PyBinding *binding)
{
  if (!py_model_is_given(model, binding))
    return binding->kind == PY_BIND_PARAM ? model->params.items[binding->index].bound_value : 0;
  PyRef value = python_row_value(model, model->row, name);
  return value == name ? 0 : value;
}

/// What the turn of a comprehension that is gone through gives a name in it, however often others are named so; 0.
static PyRef value_of_turn(const PyModel *model, PyRef name)
{
  bool is_in = model->row_turn && model->row_turn < name && name < model->tree.nodes[model->row_turn].next;
  PyRef value = is_in ? python_row_value(model, model->row, name) : name;
  return value == name ? 0 : value;
}

/// The value of a name that is assigned once, or of a parameter that always gets the same; 0.
static PyRef value_of_name(const PyModel *model, PyRef name)
{
  uint32_t found = py_model_name_at(model, name);
  uint32_t foreign = py_model_foreign_name(model, py_model_scope_of(model, name), found, py_text(&model->tree, name));
  const PyBinding *binding = only_binding(model, foreign == PY_ABSENT ? found : foreign);
  if (!binding)
    return value_of_turn(model, name);
  if (binding->is_changed)
    return 0;
  return py_model_is_given(model, binding) ? py_model_given(model, name, binding) : value_of_binding(model, binding);
}

PyRef python_resolve(const PyModel *model, PyRef node, int *steps)
{
  while (node && (*steps)-- > 0) {
    node = py_tree_strip(&model->tree, node);
    PyNodeKind kind = py_kind(&model->tree, node);
    PyRef value = kind == PYK_IDENTIFIER                           ? value_of_name(model, node)
                  : kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT ? python_resolve_member(model, node, steps)
                  : kind == PYK_CALL                               ? python_foreign_result(model, node)
                                                                   : 0;
    if (!value)
      return node;
    node = value;
  }
  return node;
}

PyRef py_model_resolve(const PyModel *model, PyRef node)
{
  int steps = PY_ALIAS_LIMIT;
  return python_resolve(model, node, &steps);
}

static bool digits_to_int(Str text, int64_t *ret_value)
{
  int base = 10;
  if (text.len > 2 && text.data[0] == '0') {
    char mark = (char)(text.data[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (base != 10)
      text = str_slice(text, 2, text.len);
  }
  int64_t value = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '_')
      continue;
    int digit = ascii_hex_value(text.data[i]);
    if (digit < 0 || digit >= base || value > (INT64_MAX - digit) / base)
      return false;
    value = value * base + digit;
  }
  *ret_value = value;
  return text.len > 0;
}

/// A literal, with a sign or without.
static bool literal_int(const PyModel *model, PyRef node, int64_t *ret_value)
{
  bool is_negative = false;
  if (py_kind(&model->tree, node) == PYK_UNARY_OPERATOR) {
    PyRef sign = py_child(&model->tree, node, PY_F_OPERATOR);
    if (!sign || !str_equal(py_text(&model->tree, sign), STR("-")))
      return false;
    is_negative = true;
    node = py_model_resolve(model, py_child(&model->tree, node, PY_F_ARGUMENT));
  }
  if (py_kind(&model->tree, node) != PYK_INTEGER || !digits_to_int(py_text(&model->tree, node), ret_value))
    return false;
  if (is_negative)
    *ret_value = -*ret_value;
  return true;
}

/// `OPSET + 1`, `LEAST - 2`
static bool added_int(const PyModel *model, PyRef node, int64_t *ret_value)
{
  const PyTree *tree = &model->tree;
  Str sign = py_text(tree, py_child(tree, node, PY_F_OPERATOR));
  bool is_minus = str_equal(sign, STR("-"));
  int64_t right;
  if ((!is_minus && !str_equal(sign, STR("+"))) ||
      !literal_int(model, py_model_resolve(model, py_child(tree, node, PY_F_LEFT)), ret_value) ||
      !literal_int(model, py_model_resolve(model, py_child(tree, node, PY_F_RIGHT)), &right) ||
      *ret_value > INT32_MAX || *ret_value < INT32_MIN || right > INT32_MAX || right < INT32_MIN)
    return false;
  *ret_value += is_minus ? -right : right;
  return true;
}

bool py_model_int(const PyModel *model, PyRef node, int64_t *ret_value)
{
  if (!node)
    return false;
  node = py_model_resolve(model, node);
  return py_kind(&model->tree, node) == PYK_BINARY_OPERATOR ? added_int(model, node, ret_value)
                                                            : literal_int(model, node, ret_value);
}
