// What a registration names: opsets, descriptors, a function, and the parts of a row.

#include "base/limits.h"
#include "python/model/python_model_private.h"

// --- Opsets ---

void python_registration_add_opset(PyModel *model, PyRegistration *registration, int64_t opset)
{
  vec_push(&model->opsets, opset < -1 ? -1 : opset > 1000 ? 1000 : (int)opset);
  registration->opset_count++;
}

/// What a loop's variable runs over, as in `for opset in range(9, 14)`; else the node itself.
static PyRef values_of_loop(const PyModel *model, PyRef node)
{
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return node;
  PyRef target = 0;
  PyRef iterable = python_loop_over(model, node, py_text(&model->tree, node), &target);
  return iterable && py_kind(&model->tree, target) == PYK_IDENTIFIER ? py_model_resolve(model, iterable) : node;
}

/// range(9, 14), if it is short.
static bool read_range(PyModel *model, PyRegistration *registration, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  if (!call || !str_equal(call->qualified, STR("range")))
    return false;
  const PyArgument *from = py_model_argument(model, call, 0, NULL);
  const PyArgument *to = py_model_argument(model, call, 1, NULL);
  int64_t first;
  int64_t end;
  if (!from || !to || call->argument_count != 2 || !py_model_int(model, from->value, &first) ||
      !py_model_int(model, to->value, &end) || first < 0 || end > 1000 || end - first >= 64)
    return false;
  for (; first < end; first++)
    python_registration_add_opset(model, registration, first);
  return true;
}

/// What `list(x)` or `tuple(x)` makes a list of; else the node itself.
static PyRef listed(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  Str name = call ? call->qualified : (Str){ 0 };
  const PyArgument *argument =
      str_equal(name, STR("list")) || str_equal(name, STR("tuple")) ? py_model_argument(model, call, 0, NULL) : NULL;
  return argument ? py_model_resolve(model, argument->value) : node;
}

void python_registration_read_opsets(PyModel *model, PyRegistration *registration, PyRef node)
{
  registration->opset_node = node;
  registration->first_opset = (uint32_t)model->opsets.count;
  if (!node)
    return;
  node = py_model_resolve(model, node);
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  int64_t opset;
  registration->opset_known = true;
  if (py_model_int(model, node, &opset)) {
    python_registration_add_opset(model, registration, opset);
    return;
  }
  registration->opset_is_wrong_type = kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_NONE;
  node = listed(model, values_of_loop(model, node));
  kind = py_kind(tree, node);
  if (kind == PYK_LIST || kind == PYK_TUPLE) {
    for (PY_EACH_ELEMENT(tree, item, node)) {
      registration->opset_known &= py_model_int(model, item, &opset);
      if (registration->opset_known)
        python_registration_add_opset(model, registration, opset);
    }
    return;
  }
  registration->opset_known = read_range(model, registration, node);
}

// --- Descriptors ---

/// A string, a name of one, or `*SPECS` where these are written out; false for anything else.
static bool read_descriptor(PyModel *model, PyFunction *function, const PyArgument *argument)
{
  const PyTree *tree = &model->tree;
  PyRef list = argument->is_splat ? py_model_resolve(model, argument->value) : 0;
  bool is_list = list && (py_kind(tree, list) == PYK_LIST || py_kind(tree, list) == PYK_TUPLE);
  PyRef item = argument->is_splat ? is_list ? py_tree_first_element(tree, list) : 0 : argument->node;
  bool is_known = argument->keyword.len == 0 && !argument->is_dictionary_splat && item;
  for (int count = 0; is_known && item; item = is_list ? py_tree_next_element(tree, item) : 0) {
    PyRef letter = py_model_resolve(model, item);
    PyNodeKind kind = py_kind(tree, letter);
    is_known = (kind == PYK_STRING || kind == PYK_CONCATENATED_STRING) && count++ < PY_ELEMENT_LIMIT;
    if (is_known) {
      vec_push(&model->descriptors, letter);
      function->descriptor_count++;
    }
  }
  return is_known;
}

void python_read_descriptors(PyModel *model, uint32_t index, uint32_t call)
{
  PyFunction *function = &model->functions.items[index];
  function->parse_args = call;
  function->descriptors_known = true;
  function->first_descriptor = (uint32_t)model->descriptors.count;
  function->descriptor_count = 0;  // Of a second @parse_args, too.
  const PyCall *parse_args = &model->calls.items[call];
  for (PY_EACH_ARGUMENT(model, argument, parse_args)) {
    function->descriptors_known &= read_descriptor(model, function, argument);
  }
}

// --- Functions ---

/// A method without an object where it needs one, or with one where it doesn't take it.
static bool is_misplaced(const PyModel *model, const PyCallable *callable)
{
  const PyFunction *function = &model->functions.items[callable->function];
  if (!function->class_node || function->is_static || callable->partial != PY_ABSENT)
    return false;
  bool has_self = function->param_count > 0 && str_equal(py_model_params(model, function)->name, STR("self"));
  return has_self != callable->is_bound;
}

/// False for a @classmethod whose first parameter is not called cls.
static bool takes_class(const PyModel *model, uint32_t index)
{
  const PyFunction *function = &model->functions.items[index];
  return !function->is_class_method ||
         (function->param_count > 0 && str_equal(py_model_params(model, function)->name, STR("cls")));
}

void python_registration_read_function(PyModel *model, PyRegistration *registration, const PyRow *row, PyRef node)
{
  registration->function_node = python_row_value(model, row, node);
  registration->function = registration->method = PY_ABSENT;
  if (!node)
    return;
  PyCallable callable = python_callable(model, row, node);
  registration->class_node = callable.class_node;
  registration->partial = callable.partial;
  registration->is_opaque = callable.partial != PY_ABSENT;
  if (callable.function == PY_ABSENT) {
    registration->function_name = py_model_qualified(model, callable.named, &model->arena);
    return;
  }
  registration->has_object = callable.is_bound;
  if (is_misplaced(model, &callable))
    registration->method = callable.function;
  else if (takes_class(model, callable.function))
    registration->function = callable.function;
  if (callable.parse_args != PY_ABSENT)
    python_read_descriptors(model, callable.function, callable.parse_args);
}

// --- Rows ---

PyRef python_registration_spread(const PyModel *model, const PyCall *call)
{
  const PyArgument *last =
      call->argument_count > 0 ? &model->arguments.items[call->first_argument + call->argument_count - 1] : NULL;
  return last && (last->is_dictionary_splat || (last->is_splat && call->argument_count == 1)) ? last->value : 0;
}

PyRef python_registration_part(const PyModel *model, PyRef row, int position, const char *keyword)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, row);
  const PyCall *call = py_model_call(model, row);
  if (call) {
    const PyArgument *argument =
        str_equal(call->qualified, STR("dict")) ? py_model_argument(model, call, PY_ABSENT, keyword) : NULL;
    return argument ? argument->value : 0;
  }
  PyRef item = kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_DICTIONARY ? py_tree_first_element(tree, row) : 0;
  for (int i = 0; item && i < PY_KEYWORD_LIMIT; item = py_tree_next_element(tree, item), i++) {
    if (py_tree_is_splat(tree, item))
      return 0;
    if (kind != PYK_DICTIONARY && i == position)
      return item;
    PyRef key = py_tree_key(tree, item);
    Str text = key && py_kind(tree, key) == PYK_STRING ? py_text(tree, key) : (Str){ 0 };
    if (text.len > 2 && str_equal(str_slice(text, 1, text.len - 1), str_from(keyword)))
      return py_child(tree, item, PY_F_VALUE);
  }
  return 0;
}
