// Arguments of torch.onnx.export() and of layers that are written elsewhere: `export(model, x, f, **OPTIONS)` of a dict
// that is written out, and `export = functools.partial(torch.onnx.export, opset_version=13)`, also of `g.op`. The call
// gets them as if they were written in it, so that rules need to know nothing of it.

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/model/python_model_private.h"

/// An argument, and where it comes from.
typedef struct SpreadArgument {
  PyArgument argument;
  uint32_t dictionary;  ///< The argument of the call that it was a part of: entries of one dict replace each other.
  bool is_partial;      ///< Of functools.partial(): the call may say something else.
} SpreadArgument;

/// A dict that was searched for in the file.
typedef struct SpreadName {
  PyRef bound;    ///< The identifier.
  bool is_table;  ///< Of dicts, of which one is spread: `**OPTIONS["server"]`.
  bool stays;     ///< Nothing changes it.
} SpreadName;

typedef struct Spread {
  PyModel *model;
  Vec(SpreadArgument) arguments;
  Vec(SpreadName) names;
  bool has_rest;  ///< There are more arguments, of which nothing is known.
} Spread;

/// What comes now may say something else than parts of the same argument said before, of one keyword, or of any if that
/// is empty.
static void forget_entries(Spread *spread, SpreadArgument entry, Str keyword)
{
  size_t kept = 0;
  for (size_t i = 0; i < spread->arguments.count; i++) {
    SpreadArgument one = spread->arguments.items[i];
    if (one.dictionary != entry.dictionary || (keyword.len > 0 && !str_equal(one.argument.keyword, keyword)))
      spread->arguments.items[kept++] = one;
  }
  spread->arguments.count = kept;
  spread->has_rest = true;
}

// --- Dicts that nothing changes ---

static bool is_sequence(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_LIST || py_kind(tree, node) == PYK_TUPLE;
}

static bool is_fields(const PyCall *call)
{
  return str_equal(call->qualified, STR("dataclasses.asdict")) && call->argument_count == 1 && !call->has_splat;
}

/// `options.copy()`
static bool is_copy(const PyTree *tree, const PyCall *call)
{
  return call->argument_count == 0 && py_tree_object(tree, call->function_node) &&
         str_equal(py_tree_member_name(tree, call->function_node), STR("copy"));
}

/// A dict that is made there: written out, `dict(...)`, `copy.copy(options)`, `a | b`, `dataclasses.asdict(options)`.
static bool is_made(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "dict", "collections.OrderedDict", "copy.copy", "copy.deepcopy" };
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  PyRef sign = py_kind(tree, node) == PYK_BINARY_OPERATOR ? py_child(tree, node, PY_F_OPERATOR) : 0;
  return py_kind(tree, node) == PYK_DICTIONARY || (sign && str_equal(py_text(tree, sign), STR("|"))) ||
         (call && (is_fields(call) || is_copy(tree, call) || str_is_one_of(call->qualified, makers, COUNT(makers))));
}

/// What does not change a dict: `options["f"]`, `options.get("f")`, `print(options)`, `**options`.
static bool only_reads(const PyModel *model, PyRef node)
{
  static const char *const methods[] = { "get", "items", "keys", "values", "copy" };
  static const char *const readers[] = { "print", "len", "dict", "str", "repr", "sorted", "bool" };
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[node].parent;
  switch (py_kind(tree, parent)) {
  case PYK_DICTIONARY_SPLAT:
    return true;
  case PYK_SUBSCRIPT:
    return tree->nodes[node].field == PY_F_VALUE;
  case PYK_ATTRIBUTE:
    return str_is_one_of(py_tree_member_name(tree, parent), methods, COUNT(methods));
  case PYK_ARGUMENT_LIST:
    return str_is_one_of(py_text(tree, py_child(tree, tree->nodes[parent].parent, PY_F_FUNCTION)), readers,
                         COUNT(readers));
  default:
    return false;
  }
}

/// `**options["server"]`, and `options["path"]` of a string or a number: whoever gets a dict of a table otherwise may
/// change it.
static bool only_spreads(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[node].parent;
  if (py_kind(tree, parent) != PYK_SUBSCRIPT || tree->nodes[node].field != PY_F_VALUE)
    return false;
  PyNodeKind kind = py_kind(tree, py_model_resolve(model, parent));
  bool is_target = tree->nodes[parent].field == PY_F_LEFT;
  return py_kind(tree, tree->nodes[parent].parent) == PYK_DICTIONARY_SPLAT ||
         (!is_target && (kind == PYK_STRING || kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE ||
                         kind == PYK_FALSE || kind == PYK_NONE));
}

/// Whether the node names the binding, and not a member or an argument that is called so.
static bool is_use(const PyModel *model, PyRef node, const PyBinding *binding)
{
  const PyTree *tree = &model->tree;
  return py_tree_is_looked_up(tree, node) && node != binding->node && str_equal(py_text(tree, node), binding->name) &&
         py_model_binding_at(model, node) == binding;
}

/// Whether the file does nothing with the name that may change its dict. Fixes in a dict that more than one place uses
/// would change what others get.
static bool stays_as_written(Spread *spread, const PyBinding *binding, bool is_table)
{
  PyModel *model = spread->model;
  for (size_t i = 0; i < spread->names.count; i++) {
    if (spread->names.items[i].bound == binding->node && spread->names.items[i].is_table == is_table)
      return spread->names.items[i].stays;
  }
  if (spread->names.count == PY_SPREAD_NAME_LIMIT)
    return false;
  bool stays = binding->next == PY_ABSENT && !binding->is_changed;
  uint32_t uses = 0;
  for (PyRef node = 1; stays && node < model->tree.count; node++) {
    if (!is_use(model, node, binding))
      continue;
    uses++;
    stays = is_table ? only_spreads(model, node) : only_reads(model, node);
  }
  vec_push(&spread->names, ((SpreadName){ binding->node, is_table, stays }));
  if (stays && uses > 1 && binding->value)
    vec_push(&model->shared, binding->value);
  return stays;
}

/// What a property gives back, or a member of which the file only reads: `self.options`; 0.
static PyRef member_given(const PyModel *model, PyRef attribute)
{
  const PyTree *tree = &model->tree;
  Str name = py_tree_member_name(tree, attribute);
  PyRef value = py_model_resolve(model, attribute);
  bool is_made_anew = py_kind(tree, tree->nodes[value].parent) == PYK_RETURN_STATEMENT;
  for (PyRef node = 1; !is_made_anew && node < tree->count; node++) {
    bool is_it = py_kind(tree, node) == PYK_ATTRIBUTE && str_equal(py_tree_member_name(tree, node), name);
    if (is_it && tree->nodes[node].field != PY_F_LEFT && !only_reads(model, node))
      return 0;
  }
  return value != attribute ? value : 0;
}

/// The dictionary or the call of dict() that is spread; 0 if it is not known, or may have changed since.
static PyRef dictionary_of(Spread *spread, PyRef node)
{
  PyModel *model = spread->model;
  for (int i = 0; node && i < PY_ALIAS_LIMIT; i++) {
    node = py_tree_strip(&model->tree, node);
    const PyCall *call = py_model_call(model, node);
    if (is_made(model, node))
      return node;
    if (call || py_kind(&model->tree, node) == PYK_ATTRIBUTE) {
      PyRef made = call ? python_written_result(model, node) : member_given(model, node);
      node = made != node ? made : 0;
      continue;
    }
    bool is_table = py_kind(&model->tree, node) == PYK_SUBSCRIPT;
    PyRef name = is_table ? py_child(&model->tree, node, PY_F_VALUE) : node;
    const PyBinding *binding = py_model_binding_at(model, name);
    if (!binding || !stays_as_written(spread, binding, is_table))
      return 0;
    PyRef value = is_table || binding->kind == PY_BIND_IMPORT ? py_model_resolve(model, node) : binding->value;
    node = (binding->kind == PY_BIND_ASSIGN || binding->kind == PY_BIND_IMPORT) && value != node ? value : 0;
  }
  return 0;
}

// --- Their entries ---

/// `"name": value` as an argument; false if the key is not known.
static bool read_pair(PyModel *model, PyRef pair, PyArgument *ret_argument)
{
  const PyTree *tree = &model->tree;
  PyRef key = py_tree_key(tree, pair);
  PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
  *ret_argument = (PyArgument){ .node = pair, .value = value };
  if (py_kind(tree, pair) == PYK_DICTIONARY_SPLAT) {
    ret_argument->value = py_first_child(tree, pair);
    ret_argument->is_dictionary_splat = true;
    return ret_argument->value != 0;
  }
  return value && py_model_string(model, key, &model->arena, &ret_argument->keyword) && ret_argument->keyword.len > 0;
}

/// The arguments of dict(): what it gets by position is a dict, too.
static void add_call_entries(Spread *spread, const PyCall *call, SpreadArgument entry)
{
  for (uint32_t i = 0; i < call->argument_count; i++) {
    entry.argument = py_model_arguments(spread->model, call)[i];
    if (entry.argument.is_splat || spread->arguments.count >= PY_KEYWORD_LIMIT) {
      forget_entries(spread, entry, (Str){ 0 });
      return;
    }
    entry.argument.is_dictionary_splat |= entry.argument.keyword.len == 0;
    vec_push(&spread->arguments, entry);
  }
}

/// What the only call of a function gives its `**options`: `save(model, opset_version=13)`. False if it is none.
static bool add_rest_entries(Spread *spread, const PyBinding *binding, SpreadArgument entry)
{
  const PyModel *model = spread->model;
  bool is_rest = py_binding_is_only(binding, PY_BIND_PARAM) &&
                 model->params.items[binding->index].kind == PY_PARAM_KWARGS && binding->scope != PY_ABSENT;
  const PyFunction *function = is_rest ? &model->functions.items[binding->scope] : NULL;
  const PyCall *call = function && function->first_call != PY_ABSENT && !function->has_unknown_decorator
                           ? &model->calls.items[function->first_call]
                           : NULL;
  if (!call || call->next != PY_ABSENT)
    return false;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    entry.argument = py_model_arguments(model, call)[i];
    bool is_own = entry.argument.keyword.len == 0 || py_model_param(model, function, entry.argument.keyword);
    if (is_own && !entry.argument.is_dictionary_splat)
      continue;
    if (spread->arguments.count >= PY_KEYWORD_LIMIT)
      return false;
    vec_push(&spread->arguments, entry);
  }
  return true;
}

static void add_merged(Spread *spread, PyRef dictionary, SpreadArgument entry)
{
  entry.argument = (PyArgument){ .node = dictionary, .value = dictionary, .is_dictionary_splat = true };
  vec_push(&spread->arguments, entry);
}

/// `dict(zip(("a", "b"), (1, 2)))` of what is written out.
static void add_zipped(Spread *spread, const PyCall *zip, SpreadArgument entry)
{
  PyModel *model = spread->model;
  const PyTree *tree = &model->tree;
  const PyArgument *arguments = py_model_arguments(model, zip);
  PyRef keys = py_model_resolve(model, arguments[0].value), values = py_model_resolve(model, arguments[1].value);
  PyRef key = is_sequence(tree, keys) && is_sequence(tree, values) ? py_tree_first_element(tree, keys) : 0;
  PyRef value = key ? py_tree_first_element(tree, values) : 0;
  if (!key)
    forget_entries(spread, entry, (Str){ 0 });
  for (; key && value; key = py_tree_next_element(tree, key), value = py_tree_next_element(tree, value)) {
    entry.argument = (PyArgument){ .node = value, .value = value };
    bool is_known = py_model_string(model, key, &model->arena, &entry.argument.keyword) &&
                    spread->arguments.count < PY_KEYWORD_LIMIT;
    if (is_known)
      vec_push(&spread->arguments, entry);
    else
      forget_entries(spread, entry, (Str){ 0 });
  }
}

/// `dataclasses.asdict(options)`: the fields that the class declares.
static void add_fields(Spread *spread, PyRef object, SpreadArgument entry)
{
  PyModel *model = spread->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = py_model_class_of_object(model, py_model_resolve(model, object));
  PyRef body = class_node ? py_child(tree, class_node, PY_F_BODY) : 0;
  bool is_all = body && py_child(tree, class_node, PY_F_SUPERCLASSES) == 0;
  if (!is_all)
    forget_entries(spread, entry, (Str){ 0 });
  for (PyRef statement = is_all ? py_first_child(tree, body) : 0; statement;
       statement = py_next_sibling(tree, statement)) {
    PyRef field = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
    PyRef name = field && py_kind(tree, field) == PYK_ASSIGNMENT && py_child(tree, field, PY_F_TYPE)
                     ? py_child(tree, field, PY_F_LEFT)
                     : 0;
    if (!name || spread->arguments.count >= PY_KEYWORD_LIMIT)
      continue;
    PyRef value = python_member_of(model, object, py_text(tree, name));
    entry.argument = (PyArgument){ .node = name, .value = value ? value : name, .keyword = py_text(tree, name) };
    vec_push(&spread->arguments, entry);
  }
}

/// Adds what is known of what a dict holds.
static void add_entries(Spread *spread, PyRef dictionary, SpreadArgument entry)
{
  PyModel *model = spread->model;
  const PyCall *call = py_model_call(model, dictionary);
  if (py_kind(&model->tree, dictionary) == PYK_BINARY_OPERATOR) {
    add_merged(spread, py_child(&model->tree, dictionary, PY_F_LEFT), entry);
    add_merged(spread, py_child(&model->tree, dictionary, PY_F_RIGHT), entry);
    return;
  }
  if (call && is_copy(&model->tree, call)) {
    add_merged(spread, py_tree_object(&model->tree, call->function_node), entry);
    return;
  }
  if (call && is_fields(call)) {
    add_fields(spread, py_model_arguments(model, call)->value, entry);
    return;
  }
  const PyCall *zip =
      call && call->argument_count == 1 ? py_model_call(model, py_model_arguments(model, call)->value) : NULL;
  if (zip && str_equal(zip->qualified, STR("zip")) && zip->argument_count == 2 && !zip->has_splat) {
    add_zipped(spread, zip, entry);
    return;
  }
  if (call) {
    add_call_entries(spread, call, entry);
    return;
  }
  for (PY_EACH_CHILD(&model->tree, pair, dictionary)) {
    if (read_pair(model, pair, &entry.argument) && spread->arguments.count < PY_KEYWORD_LIMIT)
      vec_push(&spread->arguments, entry);
    else
      forget_entries(spread, entry, (Str){ 0 });
  }
}

/// Keys that a dict gets on the way to where it is spread.
typedef struct SetEntries {
  Spread *spread;
  SpreadArgument entry;
} SetEntries;

static void add_set_entry(const KeySet *set, void *context)
{
  const SetEntries *entries = context;
  Spread *spread = entries->spread;
  PyModel *model = spread->model;
  const PyTree *tree = &model->tree;
  SpreadArgument one = entries->entry;
  PyRef around = set->key ? tree->nodes[set->key].parent : set->value;
  bool is_item = py_kind(tree, around) == PYK_SUBSCRIPT;
  one.argument =
      (PyArgument){ .node = is_item ? set->key : around, .value = set->value, .is_dictionary_splat = !set->key };
  bool is_known = !set->key || key_set_text(model, set, &model->arena, &one.argument.keyword);
  if (is_known && !set->is_maybe && spread->arguments.count < PY_KEYWORD_LIMIT)
    vec_push(&spread->arguments, one);
  else
    forget_entries(spread, one, is_known ? one.argument.keyword : (Str){ 0 });
}

/// Adds what is known of a dict that is changed before: `options = dict(opset_version=13)` and then
/// `options.update(others)`; or of the `**options` of a function. False if it is none.
static bool add_filled_entries(Spread *spread, PyRef name, SpreadArgument entry)
{
  const PyModel *model = spread->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  PyRef value =
      py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value ? py_tree_strip(&model->tree, binding->value) : 0;
  bool is_rest = py_binding_is_only(binding, PY_BIND_PARAM);
  if (is_rest && !binding->is_changed)
    return add_rest_entries(spread, binding, entry);
  if (!is_rest && (!value || !is_made(model, value)))
    return false;
  SetEntries entries = { spread, entry };
  if (!keys_set_each(model, name, name, NULL, NULL))
    forget_entries(spread, entry, (Str){ 0 });
  else if (value)
    add_entries(spread, value, entry);
  else if (!add_rest_entries(spread, binding, entry))
    forget_entries(spread, entry, (Str){ 0 });
  keys_set_each(model, name, name, add_set_entry, &entries);
  return true;
}

/// Puts the entries of the dict in the place of the argument.
static void spread_argument(Spread *spread, size_t at)
{
  SpreadArgument entry = spread->arguments.items[at];
  Vec(SpreadArgument) after = { 0 };
  for (size_t i = at + 1; i < spread->arguments.count; i++)
    vec_push(&after, spread->arguments.items[i]);
  spread->arguments.count = at;
  PyRef value = py_tree_strip(&spread->model->tree, entry.argument.value);
  PyRef dictionary = dictionary_of(spread, value);
  if (dictionary && !spread->model->tree.nodes[dictionary].has_error)
    add_entries(spread, dictionary, entry);
  else if (!add_filled_entries(spread, value, entry))
    forget_entries(spread, entry, (Str){ 0 });
  for (size_t i = 0; i < after.count; i++)
    vec_push(&spread->arguments, after.items[i]);
  vec_free(&after);
}

static bool spread_all(Spread *spread)
{
  int count = 0;
  for (size_t i = 0; i < spread->arguments.count;) {
    if (!spread->arguments.items[i].argument.is_dictionary_splat)
      i++;
    else if (count++ == PY_ALIAS_LIMIT)
      return false;
    else
      spread_argument(spread, i);
  }
  return true;
}

/// Leaves out what another argument of the same name replaces. False if Python does not take both.
static bool drop_replaced(Spread *spread)
{
  size_t kept = 0;
  for (size_t i = 0; i < spread->arguments.count; i++) {
    SpreadArgument one = spread->arguments.items[i];
    bool is_replaced = false;
    for (size_t k = i + 1; k < spread->arguments.count && one.argument.keyword.len > 0; k++) {
      const SpreadArgument *other = &spread->arguments.items[k];
      if (!str_equal(one.argument.keyword, other->argument.keyword))
        continue;
      if (one.dictionary != other->dictionary && !(one.is_partial && !other->is_partial))
        return false;
      is_replaced = true;
    }
    if (!is_replaced)
      spread->arguments.items[kept++] = one;
  }
  spread->arguments.count = kept;
  return true;
}

// --- Calls ---

static bool add_own(Spread *spread, const PyCall *call, uint32_t first, bool is_partial)
{
  for (uint32_t i = first; i < call->argument_count; i++) {
    if (spread->arguments.count >= PY_KEYWORD_LIMIT)
      return false;
    SpreadArgument one = { .argument = py_model_arguments(spread->model, call)[i],
                           .dictionary = call->first_argument + i,
                           .is_partial = is_partial };
    vec_push(&spread->arguments, one);
  }
  return true;
}

/// What the call spreads itself, of which something is not known.
static void add_rest(Spread *spread, const PyCall *call)
{
  for (uint32_t i = 0; i < call->argument_count; i++) {
    PyArgument argument = py_model_arguments(spread->model, call)[i];
    if (argument.is_dictionary_splat)
      vec_push(&spread->arguments, ((SpreadArgument){ .argument = argument }));
  }
}

/// Gives the call all arguments that are known; `partial` NULL for none. False if the call stays as it is.
static bool spread_call(Spread *spread, PyCall *call, const PyCall *partial)
{
  PyModel *model = spread->model;
  spread->arguments.count = 0;
  spread->has_rest = false;
  if ((partial && (partial->has_splat || !add_own(spread, partial, 1, true))) || !add_own(spread, call, 0, false) ||
      !spread_all(spread) || !drop_replaced(spread) || (partial && spread->has_rest))
    return false;
  if (spread->has_rest)
    add_rest(spread, call);
  call->first_argument = (uint32_t)model->arguments.count;
  call->argument_count = (uint32_t)spread->arguments.count;
  call->has_dictionary_splat = spread->has_rest;
  for (size_t i = 0; i < spread->arguments.count; i++)
    vec_push(&model->arguments, spread->arguments.items[i].argument);
  return true;
}

/// An export, or a layer or a class of the file, whose numbers decide what it takes.
static bool is_followed(const PyModel *model, const PyCall *call)
{
  bool is_name = py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER;
  return str_equal(call->qualified, STR("torch.onnx.export")) || str_starts_with(call->qualified, STR("torch.nn.")) ||
         (is_name && py_model_class_named(model, call->function_node) != 0);
}

/// The `export` or `op` of `functools.partial(torch.onnx.export, ...)` and `functools.partial(g.op, ...)`; 0.
static PyRef followed_partial(PyModel *model, const PyCall *call)
{
  const PyArgument *first =
      str_equal(call->qualified, STR("functools.partial")) ? py_model_argument(model, call, 0, NULL) : NULL;
  bool is_it = first && (str_equal(py_tree_member_name(&model->tree, first->value), STR("op")) ||
                         str_equal(py_model_qualified(model, first->value, &model->arena), STR("torch.onnx.export")));
  return is_it ? py_tree_last_name(&model->tree, first->value) : 0;
}

/// The call of functools.partial() that makes what is called; NULL.
static const PyCall *partial_called(PyModel *model, const PyCall *call)
{
  const PyCall *partial =
      call->qualified.len > 0 ? NULL : py_model_call(model, py_model_resolve(model, call->function_node));
  return partial && followed_partial(model, partial) ? partial : NULL;
}

void python_spread_exports(PyModel *model)
{
  Spread spread = { .model = model };
  bool has_partial = false;
  for (size_t i = 0; i < model->calls.count && !has_partial; i++)
    has_partial = followed_partial(model, &model->calls.items[i]) != 0;
  int count = 0;
  for (size_t i = 0; i < model->calls.count && count < PY_EXPORT_LIMIT; i++) {
    PyCall *call = &model->calls.items[i];
    const PyCall *partial = has_partial ? partial_called(model, call) : NULL;
    if ((!partial && !(call->has_dictionary_splat && is_followed(model, call))) ||
        py_model_expects_failure(model, call->node))
      continue;
    count++;
    if (!spread_call(&spread, call, partial) || !partial)
      continue;
    if (!str_equal(py_text(&model->tree, followed_partial(model, partial)), STR("op")))
      call->qualified = STR("torch.onnx.export");
    vec_push(&model->shared, partial->node);
  }
  vec_free(&spread.arguments);
  vec_free(&spread.names);
}
