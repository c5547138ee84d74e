// Attributes of g.op() and op.X(): keywords, and what `**attributes` holds as far as that is written out.

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/model/python_model_private.h"

/// `name_node` is the identifier `alpha_f`, or the string of a dictionary's key.
static void add_attribute(PyModel *model, PyOp *op, PyAttribute attribute)
{
  size_t underscore = str_rfind_char(attribute.keyword, '_');
  attribute.name = attribute.keyword;
  if (op->kind != PY_OP_ONNXSCRIPT && underscore != STR_NOT_FOUND && underscore > 0) {
    attribute.name = str_slice(attribute.keyword, 0, underscore);
    attribute.suffix = str_slice(attribute.keyword, underscore + 1, attribute.keyword.len);
  }
  vec_push(&model->attributes, attribute);
  op->attribute_count++;
}

static void add_keyword(PyModel *model, PyOp *op, PyAttribute attribute)
{
  int64_t outputs;
  if (op->kind == PY_OP_ONNXSCRIPT || !str_equal(attribute.keyword, STR("outputs"))) {
    add_attribute(model, op, attribute);
    return;
  }
  op->outputs_node = attribute.value;
  op->outputs = py_model_int(model, attribute.value, &outputs) && outputs >= 0 && outputs < 10000 ? (int)outputs : -1;
}

static bool add_pair(PyModel *model, PyOp *op, PyRef pair)
{
  PyAttribute attribute = { .node = pair, .name_node = py_child(&model->tree, pair, PY_F_KEY) };
  attribute.value = py_child(&model->tree, pair, PY_F_VALUE);
  bool is_known = py_kind(&model->tree, pair) == PYK_PAIR && attribute.value &&
                  py_model_string(model, attribute.name_node, &model->arena, &attribute.keyword);
  if (is_known)
    add_keyword(model, op, attribute);
  return is_known;
}

static PyAttribute keyword_of(const PyModel *model, const PyArgument *argument)
{
  PyRef name = py_child(&model->tree, argument->node, PY_F_NAME);
  return (PyAttribute){ argument->node, name, argument->keyword, .value = argument->value };
}

/// Whether a later pair of the dictionary has the key.
static bool is_replaced(const PyModel *model, PyRef splat, PyRef key)
{
  const PyTree *tree = &model->tree;
  uint32_t count = 0;
  for (PyRef pair = py_tree_next_element(tree, splat); pair && count < PY_KEYWORD_LIMIT;
       pair = py_tree_next_element(tree, pair), count++) {
    PyRef later = py_tree_key(tree, pair);
    if (later && str_equal(py_text(tree, later), py_text(tree, key)))
      return true;
  }
  return false;
}

/// `{"alpha_f": 1.0, **other}`: the other dictionary may have that key, too.
static bool is_merged_late(const PyTree *tree, PyRef dictionary)
{
  PyRef first = py_tree_first_element(tree, dictionary);
  uint32_t count = 0;
  for (PyRef pair = first; pair && count < PY_KEYWORD_LIMIT; pair = py_tree_next_element(tree, pair), count++) {
    if (pair != first && py_kind(tree, pair) == PYK_DICTIONARY_SPLAT)
      return true;
  }
  return false;
}

/// `**BASE` in `{**BASE, "alpha_f": 1.0}`, a literal of its own.
static bool add_merged(PyModel *model, PyOp *op, PyRef splat)
{
  PyRef inner = py_model_resolve(model, py_first_child(&model->tree, splat));
  uint32_t count = 0;
  if (py_kind(&model->tree, inner) != PYK_DICTIONARY)
    return false;
  for (PY_EACH_ELEMENT(&model->tree, pair, inner)) {
    PyRef key = py_tree_key(&model->tree, pair);
    bool is_known = key && (is_replaced(model, splat, key) || add_pair(model, op, pair));
    if (count++ == PY_KEYWORD_LIMIT || !is_known)
      return false;
  }
  return true;
}

/// `**{f"{key}_f": value for key, value in TABLE.items()}`
typedef struct Comprehended {
  PyOp *op;
  PyRef pair;
  bool is_known;
} Comprehended;

static void add_comprehended(PyModel *model, const PyRow *row, void *context)
{
  Comprehended *all = context;
  PyAttribute attribute = { .node = all->pair, .name_node = py_child(&model->tree, all->pair, PY_F_KEY) };
  attribute.value = py_child(&model->tree, all->pair, PY_F_VALUE);
  attribute.value = attribute.value && row ? python_row_value(model, row, attribute.value) : 0;
  all->is_known &= attribute.value && all->op->attribute_count < PY_KEYWORD_LIMIT &&
                   python_row_string(model, row, attribute.name_node, &model->arena, &attribute.keyword);
  if (all->is_known)
    add_keyword(model, all->op, attribute);
}

static bool add_comprehension(PyModel *model, PyOp *op, PyRef node)
{
  Comprehended all = { op, py_first_child(&model->tree, node), true };
  uint32_t before = op->attribute_count;
  PyRef read[] = { all.pair ? py_child(&model->tree, all.pair, PY_F_KEY) : 0,
                   all.pair ? py_child(&model->tree, all.pair, PY_F_VALUE) : 0 };
  PyRef clause = all.pair ? py_next_sibling(&model->tree, all.pair) : 0;
  if (!clause || py_kind(&model->tree, all.pair) != PYK_PAIR || !read[0] || !read[1] ||
      py_next_sibling(&model->tree, clause))  // `if value`: some may be left out.
    return false;
  python_each_row(model, all.pair, read, COUNT(read), add_comprehended, &all);
  return all.is_known && op->attribute_count > before;
}

/// `**{"alpha_f": 1.0}`, `**dict(alpha_f=1.0)`: false if what it holds is not known.
static bool add_dictionary(PyModel *model, PyOp *op, PyRef value)
{
  value = python_written_result(model, py_model_resolve(model, value));
  const PyCall *call = py_model_call(model, value);
  uint32_t count = 0;
  if (call && str_equal(call->qualified, STR("dict"))) {
    for (; count < call->argument_count && count < PY_KEYWORD_LIMIT; count++) {
      const PyArgument *argument = &py_model_arguments(model, call)[count];
      if (argument->keyword.len == 0)
        return false;
      add_keyword(model, op, keyword_of(model, argument));
    }
    return count == call->argument_count;
  }
  if (py_kind(&model->tree, value) == PYK_DICTIONARY_COMPREHENSION)
    return add_comprehension(model, op, value);
  if (py_kind(&model->tree, value) != PYK_DICTIONARY || is_merged_late(&model->tree, value))
    return false;
  for (PY_EACH_ELEMENT(&model->tree, pair, value)) {
    bool is_merged = py_kind(&model->tree, pair) == PYK_DICTIONARY_SPLAT;
    bool is_known = is_merged ? add_merged(model, op, pair) : add_pair(model, op, pair);
    if (count++ == PY_KEYWORD_LIMIT || !is_known)
      return false;
  }
  return true;
}

/// Keys that a dictionary gets before it is given: `attributes["alpha_f"] = 0.5`.
typedef struct GivenKeys {
  PyModel *model;
  PyOp *op;
  bool is_known;
} GivenKeys;

static void add_given_key(const KeySet *set, void *context)
{
  GivenKeys *keys = context;
  PyAttribute attribute = { .node = set->key, .name_node = set->key, .value = set->value };
  keys->is_known &= !set->is_maybe && key_set_text(keys->model, set, &keys->model->arena, &attribute.keyword);
  if (keys->is_known && keys->op->attribute_count < PY_KEYWORD_LIMIT)
    add_keyword(keys->model, keys->op, attribute);
}

static bool has_attribute(const PyModel *model, const PyOp *op, Str keyword)
{
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    if (str_equal(model->attributes.items[op->first_attribute + i].keyword, keyword))
      return true;
  }
  return false;
}

/// What the dictionary has from the beginning, but for what is set again. False if that is not known.
static bool add_first_keys(PyModel *model, PyOp *op, PyRef dictionary)
{
  const PyCall *call = py_model_call(model, dictionary);
  for (uint32_t i = 0; call && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len == 0 || op->attribute_count >= PY_KEYWORD_LIMIT)
      return false;
    if (!has_attribute(model, op, argument->keyword))
      add_keyword(model, op, keyword_of(model, argument));
  }
  if (call)
    return true;
  for (PY_EACH_ELEMENT(&model->tree, pair, dictionary)) {
    Str keyword;
    PyRef key = py_tree_key(&model->tree, pair);
    if (!key || !py_model_string(model, key, &model->arena, &keyword) || op->attribute_count >= PY_KEYWORD_LIMIT)
      return false;
    if (!has_attribute(model, op, keyword))
      add_pair(model, op, pair);
  }
  return true;
}

/// `attributes = {}`, and then `attributes["alpha_f"] = 0.5`. False if what it holds besides is not known.
static bool add_filled_dictionary(PyModel *model, PyOp *op, PyRef name)
{
  GivenKeys keys = { model, op, true };
  const PyBinding *binding = py_model_binding_at(model, name);
  const PyCall *call = binding && binding->value ? py_model_call(model, binding->value) : NULL;
  bool is_made = (call && str_equal(call->qualified, STR("dict"))) ||
                 (binding && py_kind(&model->tree, binding->value) == PYK_DICTIONARY);
  return binding && binding->is_changed && binding->value && is_made &&
         keys_set_each(model, name, model->calls.items[op->call].node, add_given_key, &keys) && keys.is_known &&
         add_first_keys(model, op, binding->value);
}

/// The function of which a name is `**attributes`, that nothing changes; NULL.
static const PyFunction *function_of_keywords(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  bool is_one = py_binding_is_only(binding, PY_BIND_PARAM) && !binding->is_changed &&
                model->params.items[binding->index].kind == PY_PARAM_KWARGS;
  return is_one ? &model->functions.items[binding->scope] : NULL;
}

/// The same of a dictionary that a call is given as `**options`: a literal, maybe of a row.
static void add_keywords_of_dictionary(PyModel *model, PyOp *op, const PyFunction *function, PyRef dictionary)
{
  if (py_kind(&model->tree, dictionary) != PYK_DICTIONARY)
    return;
  for (PY_EACH_ELEMENT(&model->tree, pair, dictionary)) {
    Str keyword;
    PyRef key = py_tree_key(&model->tree, pair);
    if (!key || op->attribute_count >= PY_KEYWORD_LIMIT || !py_model_string(model, key, &model->arena, &keyword))
      return;
    if (!str_equal(keyword, STR("outputs")) && !py_model_param(model, function, keyword) &&
        !has_attribute(model, op, keyword))
      add_pair(model, op, pair);
  }
}

/// What a call gives `**attributes` of the function, each attribute once. `row` has the names of loops around the call.
static void add_keywords_of_call(PyModel *model, PyOp *op, const PyFunction *function, const PyCall *call,
                                 const PyRow *row)
{
  for (uint32_t i = 0; i < call->argument_count && op->attribute_count < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->is_dictionary_splat) {
      PyRef value = row ? python_row_value(model, row, argument->value) : argument->value;
      add_keywords_of_dictionary(model, op, function, py_model_resolve(model, value));
    }
    bool is_attribute = argument->keyword.len > 0 && !str_equal(argument->keyword, STR("outputs")) &&
                        !py_model_param(model, function, argument->keyword);
    if (is_attribute && !has_attribute(model, op, argument->keyword))
      add_attribute(model, op, keyword_of(model, argument));
  }
}

/// The same of the calls from `at` on.
static void add_keywords_of_calls(PyModel *model, PyOp *op, const PyFunction *function, uint32_t at)
{
  for (int count = 0; at != PY_ABSENT && count < PY_CALLER_LIMIT; at = model->calls.items[at].next, count++)
    add_keywords_of_call(model, op, function, &model->calls.items[at], NULL);
}

/// The same of `partial(function, alpha_f=1.0)`, of an operator whose name is not known.
static void add_keywords_of_partials(PyModel *model, PyOp *op, const PyFunction *function)
{
  if (op->name_known || !py_model_mentions(model, "partial(") || model->partials++ >= PY_IDLE_LIMIT)
    return;
  int count = 0;
  for (size_t i = 0; i < model->calls.count && count < PY_CALLER_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *first = str_equal(call->qualified, STR("functools.partial")) && call->argument_count > 1
                                  ? py_model_arguments(model, call)
                                  : NULL;
    const PyBinding *binding = first ? py_model_binding_at(model, first->value) : NULL;
    bool is_it = py_binding_is_only(binding, PY_BIND_FUNCTION) && &model->functions.items[binding->index] == function;
    count += is_it;
    if (is_it)
      add_keywords_of_call(model, op, function, call, NULL);
  }
}

/// Whether nothing gives a function arguments twice: what is known of a parameter is of that call.
static bool is_called_once(const PyModel *model, const PyFunction *function)
{
  const PyCall *call = function->first_call == PY_ABSENT ? NULL : &model->calls.items[function->first_call];
  const PyCall *method =
      function->first_method_call == PY_ABSENT ? NULL : &model->calls.items[function->first_method_call];
  const PyRegistration *registration = py_model_registration(model, function->first_registration);
  return (call != NULL) + (method != NULL) + (registration != NULL) == 1 && (!call || call->next == PY_ABSENT) &&
         (!method || method->next == PY_ABSENT) && (!registration || registration->next_of_function == PY_ABSENT);
}

/// `def pool(g, x, **attributes): return g.op("MaxPool", x, **attributes)`: what calls of the function give it, of one
/// operator, or of one that is not known, whose attributes are named alike. There may be others.
static void add_callers_keywords(PyModel *model, PyOp *op, PyRef name, const PyCall *caller, const PyRow *row)
{
  const PyCall *own = &model->calls.items[op->call];
  const PyFunction *function = function_of_keywords(model, name);
  bool is_written = op->name_known && py_kind(&model->tree, op->name_node) == PYK_STRING && op->name_node > own->node &&
                    op->name_node < model->tree.nodes[own->node].next;
  if (!function || function->param_count > PY_MAKER_PARAMS)
    return;
  if (caller && caller->function != PY_ABSENT && &model->functions.items[caller->function] == function) {
    add_keywords_of_call(model, op, function, caller, row);
    return;
  }
  if (op->name_known && !is_written && !is_called_once(model, function))
    return;
  add_keywords_of_calls(model, op, function, function->first_call);
  add_keywords_of_calls(model, op, function, function->first_method_call);
  for (PY_EACH_REGISTRATION(model, registration, (uint32_t)(function - model->functions.items))) {
    if (registration->partial != PY_ABSENT)
      add_keywords_of_call(model, op, function, &model->calls.items[registration->partial], NULL);
  }
  add_keywords_of_partials(model, op, function);
}

void python_op_add_keyword(PyModel *model, PyOp *op, const PyArgument *argument)
{
  add_keyword(model, op, keyword_of(model, argument));
}

void python_op_add_spread(PyModel *model, PyOp *op, PyRef name, PyRef made, const PyCall *caller, const PyRow *row)
{
  bool is_known = add_dictionary(model, op, made) || add_filled_dictionary(model, op, name);
  op->has_unknown_attributes |= !is_known;
  if (is_known)
    return;
  if (!op->outputs_node)
    op->outputs = -1;  // It may hold that, too.
  add_callers_keywords(model, op, name, caller, row);
}
