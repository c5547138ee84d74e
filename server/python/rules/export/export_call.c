// What the rules about exports ask of a call of torch.onnx.export().

#include "python/rules/export/export_call.h"

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/rules/forward/forward_tensors.h"
#include "python/rules/forward/tensor_makers.h"
#include "python/rules/module/module_build.h"
#include "python/rules/tools/made_model.h"
#include "python/rules/written_items.h"

size_t export_call_count(const PyModel *model)
{
  return (model->exports.count < PY_EXPORT_LIMIT ? model->exports.count : PY_EXPORT_LIMIT) + model->export_rows.count;
}

/// Whether a condition asks for a name that the row gives a value.
static bool asks_row(const PyModel *model, PyRef condition)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_NODE(tree, node, condition)) {
    const PyBinding *binding = py_model_binding_at(model, node);
    if (binding && py_model_is_given(model, binding))
      return true;
  }
  return false;
}

/// Whether the export is in a branch that the row, as far as is known, does not take, or after one that may leave.
static bool is_left_out(const PyModel *model, PyRef export)
{
  const PyTree *tree = &model->tree;
  uint32_t depth = 0;
  for (PyRef at = export, up; (up = tree->nodes[at].parent) != 0 && depth < PY_NESTING_LIMIT; at = up, depth++) {
    PyNodeKind kind = py_kind(tree, up);
    if (kind == PYK_FUNCTION_DEFINITION)
      return false;
    PyRef condition = kind == PYK_IF_STATEMENT || kind == PYK_ELIF_CLAUSE ? py_child(tree, up, PY_F_CONDITION) : 0;
    if (condition && asks_row(model, condition)) {
      PyNodeKind said = py_kind(tree, py_model_resolve(model, condition));
      bool is_first = py_child(tree, up, PY_F_CONSEQUENCE) == at;
      if (is_first ? said != PYK_TRUE : said != PYK_FALSE && said != PYK_NONE)
        return true;
    }
    for (PyRef before = kind == PYK_BLOCK ? py_first_child(tree, up) : 0; before && before != at;
         before = py_next_sibling(tree, before)) {
      PyRef asked = py_kind(tree, before) == PYK_IF_STATEMENT ? py_child(tree, before, PY_F_CONDITION) : 0;
      if (asked && py_tree_may_leave(tree, before) && asks_row(model, asked))
        return true;
    }
  }
  return false;
}

/// A model in which names have the values of a row.
static const PyModel *with_row(const PyModel *model, const PyExportRow *row, Arena *arena)
{
  PyModel *copy = ARENA_NEW(arena, PyModel);
  *copy = *model;
  copy->row = row->row;
  copy->row_scope = model->calls.items[model->exports.items[row->export]].scope;
  return copy;
}

ExportCall export_call(DiagSink *sink, size_t i)
{
  const PyFile *file = sink_python(sink);
  ExportCall export = { .sink = sink, .file = file, .model = file->model };
  size_t plain = export_call_count(file->model) - file->model->export_rows.count;
  if (i >= plain) {
    const PyExportRow *row = &file->model->export_rows.items[i - plain];
    export.model = with_row(file->model, row, sink->arena);
    i = row->export;
    // It is then looked at once more as it is, of which all was told.
    if (is_left_out(export.model, file->model->calls.items[file->model->exports.items[i]].node))
      export.model = file->model;
  }
  export.call = &file->model->calls.items[file->model->exports.items[i]];
  PyExporterChoice choice = py_file_exporter(file, export.call);
  export.kind = choice.kind;
  export.says_dynamo = choice.is_said;
  export.is_exported_program = choice.is_exported_program;
  return export;
}

bool export_capture(DiagSink *sink, const PyCall *call, ExportCall *ret_export)
{
  const PyFile *file = sink_python(sink);
  static const char *const names[] = { "torch.export.export", "torch.export.draft_export",
                                       "torch.export.export_for_training" };
  if (!str_starts_with(call->qualified, STR("torch.export.")) || !str_is_one_of(call->qualified, names, COUNT(names)) ||
      py_model_positional_count(file->model, call) > 3)
    return false;
  *ret_export = (ExportCall){ .sink = sink, .file = file, .model = file->model, .call = call };
  ret_export->kind = EXPORT_DYNAMO;
  ret_export->says_dynamo = true;
  ret_export->is_capture = true;
  ret_export->is_draft = str_equal(call->qualified, STR("torch.export.draft_export"));
  return true;
}

/// The position of an argument in one of the file's torch versions; PY_ABSENT if it is by keyword only.
static uint32_t position_of(const PyFile *file, const char *name)
{
  const PyExportArgument *argument = export_api_argument(file->db, str_from(name));
  if (!argument)
    return PY_ABSENT;
  for (PY_EACH_TORCH(file, torch)) {
    const PyExportForm *form = export_api_form(argument, torch);
    if (form && form->position >= 0)
      return (uint32_t)form->position;
  }
  return PY_ABSENT;
}

/// torch.export.export(mod, args, kwargs=None, *, ...)
static const PyArgument *capture_argument(const ExportCall *export, const char *name)
{
  static const char *const names[] = { "model", "args", "kwargs" };
  uint32_t position = 0;
  while (position < COUNT(names) && strcmp(names[position], name) != 0)
    position++;
  return py_model_argument(export->model, export->call, position < COUNT(names) ? position : PY_ABSENT,
                           position == 0 ? "mod" : name);
}

const PyArgument *export_argument(const ExportCall *export, const char *name)
{
  if (export->is_capture)
    return capture_argument(export, name);
  return py_model_argument(export->model, export->call, position_of(export->file, name), name);
}

bool export_may_have(const ExportCall *export, const char *name)
{
  return export_argument(export, name) || keys_may_give(export->model, export->call, name);
}

/// The function or method of the file that a call runs, if nothing else can be meant; PY_ABSENT.
static uint32_t called_function(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  if (call->function != PY_ABSENT)
    return call->function;
  if (py_kind(tree, function) == PYK_SUBSCRIPT) {  // `BUILDERS["small"]()`
    function = py_model_resolve(model, function);
    return py_kind(tree, function) == PYK_LAMBDA ? py_model_function_at(model, function)
                                                 : py_model_callable(model, function).function;
  }
  PyRef object = py_tree_object(tree, function);
  object = object ? py_model_resolve(model, object) : 0;
  PyRef named = object ? py_model_class_named(model, object) : 0;
  PyRef class_node = object && !named ? py_model_class_of_object(model, object) : named;
  uint32_t method = class_node ? export_method_of(model, class_node, py_tree_member_name(tree, function)) : PY_ABSENT;
  const PyFunction *found = method == PY_ABSENT ? NULL : &model->functions.items[method];
  return found && named && !found->is_static && !found->is_class_method ? PY_ABSENT : method;
}

/// The tensor of `torch.autograd.Variable(x)`, which is that tensor; 0 for other calls.
static PyRef tensor_of_variable(const PyModel *model, const PyCall *call)
{
  const PyArgument *data =
      str_equal(call->qualified, STR("torch.autograd.Variable")) ? py_model_argument(model, call, 0, "data") : NULL;
  return data && !data->is_splat ? data->value : 0;
}

/// `make_input()`, `self.dummy()`: what a function of the file returns; the call itself where that is not known.
static PyRef result_of_call(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  PyRef tensor = call ? tensor_of_variable(model, call) : 0;
  if (tensor)
    return tensor;
  uint32_t at = call ? called_function(model, call) : PY_ABSENT;
  const PyFunction *function = at == PY_ABSENT ? NULL : &model->functions.items[at];
  bool is_plain = function && (function->outer == function->node || function->class_node);
  if (is_plain && function->name.len == 0)
    return function->body;
  if (is_plain && function->return_count > 1 && !function->class_node) {
    PyRef returned = module_build_returned(model, call, function);
    return returned ? returned : node;
  }
  return is_plain && function->return_count == 1 && function->returned ? function->returned : node;
}

/// What `inputs["ids"]` is, where a function of the file makes `inputs`; 0.
static PyRef element_of_result(const PyModel *model, PyRef node)
{
  PyRef object = py_child(&model->tree, node, PY_F_VALUE);
  PyRef key = py_child(&model->tree, node, PY_F_SUBSCRIPT);
  object = object && key ? py_model_resolve(model, object) : 0;
  PyRef made = object ? result_of_call(model, object) : 0;
  return made && made != object ? py_model_element(model, py_model_resolve(model, made), py_model_resolve(model, key))
                                : 0;
}

PyRef export_resolve(const PyModel *model, PyRef node)
{
  for (int i = 0; i < PY_ALIAS_LIMIT; i++) {
    node = py_model_resolve(model, node);
    PyNodeKind kind = py_kind(&model->tree, node);
    PyRef value = kind == PYK_IDENTIFIER  ? forward_value_in_force(model, node)
                  : kind == PYK_SUBSCRIPT ? element_of_result(model, node)
                                          : result_of_call(model, node);
    if (!value || value == node)
      break;
    node = value;
  }
  return node;
}

PyRef export_value(const ExportCall *export, const char *name)
{
  const PyArgument *argument = export_argument(export, name);
  PyRef value = argument ? export_resolve(export->model, argument->value) : 0;
  return value && py_kind(&export->model->tree, value) != PYK_NONE ? value : 0;
}

PyRef export_default_number(const PyModel *model, PyRef node)
{
  PyRef object = py_tree_object(&model->tree, node);
  return object ? py_model_default_number(model, export_resolve(model, object), py_tree_member_name(&model->tree, node))
                : 0;
}

int export_opset(const PyFile *file, const PyCall *call)
{
  int opset = py_file_opset_named(file, call);
  const PyArgument *argument = py_model_argument(file->model, call, PY_ABSENT, "opset_version");
  PyRef standard =
      opset == 0 && argument ? export_default_number(file->model, export_resolve(file->model, argument->value)) : 0;
  int64_t number;
  bool is_known = standard && py_model_int(file->model, standard, &number) && number > 0 && number <= OPSET_LIMIT;
  return is_known ? (int)number : opset;
}

bool export_torch_is_from(const PyFile *file, uint16_t major, uint16_t minor)
{
  const TorchRelease release = { major, minor };
  for (PY_EACH_TORCH(file, torch)) {
    if (!torch_release_reached(py_file_release(file, torch), release))
      return false;
  }
  return true;
}

// --- Inputs ---

static bool is_maker(Str name)
{
  static const char *const names[] = { "randn",     "rand",         "zeros",      "ones",       "empty",
                                       "full",      "randint",      "tensor",     "arange",     "linspace",
                                       "eye",       "randn_like",   "rand_like",  "zeros_like", "ones_like",
                                       "full_like", "randint_like", "empty_like", "from_numpy" };
  if (!str_starts_with(name, STR("torch.")))
    return false;
  name = str_slice(name, STR("torch.").len, name.len);
  return str_is_one_of(name, names, COUNT(names)) || export_is_tensor_class(name);
}

bool export_is_tensor_class(Str name)
{
  static const char *const names[] = { "Tensor",     "FloatTensor",    "DoubleTensor", "HalfTensor",
                                       "LongTensor", "IntTensor",      "ShortTensor",  "ByteTensor",
                                       "BoolTensor", "BFloat16Tensor", "CharTensor",   "as_tensor" };
  return str_is_one_of(name, names, COUNT(names));
}

const PyCall *export_tensor_call(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, export_module_made(model, node));
  return call && is_maker(call->qualified) ? call : NULL;
}

/// Functions of torch that give one tensor, whatever they are called with.
static bool is_tensor_function(Str name)
{
  static const char *const names[] = { "abs",       "bernoulli", "bmm",      "cat",         "clamp",  "complex",
                                       "concat",    "cos",       "cumsum",   "diag",        "einsum", "exp",
                                       "flatten",   "flip",      "gather",   "hann_window", "hstack", "log",
                                       "logspace",  "matmul",    "mm",       "mul",         "normal", "permute",
                                       "poisson",   "polar",     "randperm", "reshape",     "round",  "sigmoid",
                                       "sin",       "softmax",   "sqrt",     "squeeze",     "stack",  "tanh",
                                       "transpose", "tril",      "triu",     "unsqueeze",   "vstack" };
  static const char *const functional[] = { "interpolate", "normalize", "one_hot", "pad", "sigmoid", "softmax" };
  Str prefix = STR("torch."), inner = STR("torch.nn.functional.");
  if (str_starts_with(name, inner))
    return str_is_one_of(str_slice(name, inner.len, name.len), functional, COUNT(functional));
  return str_equal(name, STR("torch.nn.Parameter")) ||
         (str_starts_with(name, prefix) && str_is_one_of(str_slice(name, prefix.len, name.len), names, COUNT(names)));
}

/// Methods that only tensors have, and that give one.
static bool is_tensor_method(Str name)
{
  static const char *const names[] = { "unsqueeze", "squeeze", "reshape", "view", "permute", "transpose", "expand" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Methods of tensors, and not only of them, that give a tensor.
static bool keeps_tensor(Str name)
{
  static const char *const names[] = {
    "abs",       "add",        "bernoulli_", "bmm",      "clamp",  "clone",   "copy_",   "cos",  "cumsum",
    "diagonal",  "div",        "eq",         "exp",      "fill_",  "flatten", "flip",    "ge",   "gt",
    "le",        "log",        "lt",         "matmul",   "mean",   "mul",     "ne",      "neg",  "normal_",
    "normalize", "pin_memory", "pow",        "random_",  "repeat", "round",   "sigmoid", "sin",  "softmax",
    "sqrt",      "sub",        "sum",        "swapaxes", "t",      "tanh",    "tril",    "triu", "uniform_",
    "unfold",    "zero_",      "clamp_",     "mul_",     "add_",
  };
  return str_is_one_of(name, names, COUNT(names));
}

/// What `x.T`, `x[None]` and `-x` are made of; 0 for other expressions.
static PyRef object_of_part(const PyTree *tree, PyRef node)
{
  switch (py_kind(tree, node)) {
  case PYK_ATTRIBUTE: {
    Str member = py_tree_member_name(tree, node);
    bool is_part = tensor_maker_is_member(member) || str_equal(member, STR("data"));
    return is_part ? py_tree_object(tree, node) : 0;
  }
  case PYK_SUBSCRIPT:
    return py_child(tree, node, PY_F_VALUE);
  case PYK_UNARY_OPERATOR:
    return py_child(tree, node, PY_F_ARGUMENT);
  default:
    return 0;
  }
}

/// The operand of `x * 2`, `2 * x` and `x > 0` that decides what they give; 0 for other expressions.
static PyRef operand_of(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_COMPARISON_OPERATOR)
    return py_tree_compares(tree, node) ? py_first_child(tree, node) : 0;
  PyRef left = kind == PYK_BINARY_OPERATOR ? py_child(tree, node, PY_F_LEFT) : 0;
  PyNodeKind first = left ? py_kind(tree, left) : PYK_OTHER;
  if (first == PYK_UNARY_OPERATOR)
    first = py_kind(tree, py_child(tree, left, PY_F_ARGUMENT));
  bool is_number = first == PYK_INTEGER || first == PYK_FLOAT;
  return is_number ? py_child(tree, node, PY_F_RIGHT) : left;
}

bool export_is_tensor(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = export_module_made(model, node);
    const PyCall *call = py_model_call(model, node);
    if (export_tensor_call(model, node) || (call && is_tensor_function(call->qualified)))
      return true;
    PyRef function = py_tree_callee(tree, node);
    PyRef method = py_tree_member(tree, function);
    if (method && is_tensor_method(py_text(tree, method)))
      return true;
    PyRef part = object_of_part(tree, node);
    if (method)
      node = keeps_tensor(py_text(tree, method)) ? py_tree_object(tree, function) : 0;
    else
      node = part ? part : operand_of(tree, node);
  }
  return false;
}

int export_input_count(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || export_argument(export, "kwargs"))
    return -1;
  if (py_kind(tree, args) != PYK_TUPLE && !written_copy(export->model, args, "tuple"))
    return export_is_tensor(export->model, args) ? 1 : -1;
  WrittenItems *items = ARENA_NEW(export->sink->arena, WrittenItems);
  if (!written_items(export->model, args, items))
    return -1;
  for (size_t i = 0; i < items->count; i++) {
    if (!export_is_tensor(export->model, items->items[i]))
      return -1;
  }
  return (int)items->count;
}

// --- Arguments ---

static bool add_name(const ExportCall *export, const PyModel *model, PyRef node, PyRef written, ExportNames *names)
{
  Str name;
  if (names->count == PY_EXPORT_NAME_LIMIT || !py_model_string(model, node, export->sink->arena, &name))
    return false;
  names->items[names->count] = name;
  names->nodes[names->count++] = written;
  return true;
}

/// Of a list that loops fill: `[f"past.{i}" for i in range(4)]`, `names.append(f"past.{i}")`.
static bool add_filled(const ExportCall *export, PyRef list, ExportNames *names)
{
  MadeWork work = { .arena = export->sink->arena };
  MadeItems items = { 0 };
  bool is_known = made_list(&work, (MadeItem){ export->model, list, 0 }, &items);
  for (size_t i = 0; i < items.count && is_known; i++)
    is_known = items.items[i].model &&
               add_name(export, items.items[i].model, items.items[i].node, items.items[i].written, names);
  vec_free(&items);
  return is_known;
}

/// The names in a list; false if one of them is not known.
static bool add_names(const ExportCall *export, PyRef list, ExportNames *names)
{
  WrittenItems *items = ARENA_NEW(export->sink->arena, WrittenItems);
  size_t before = names->count;
  if (py_kind(&export->model->tree, list) == PYK_DICTIONARY)
    return false;
  bool is_known = written_items(export->model, list, items);
  for (size_t i = 0; i < items->count && is_known; i++)
    is_known = add_name(export, export->model, items->items[i], items->items[i], names);
  if (is_known)
    return true;
  names->count = before;
  return add_filled(export, list, names);
}

static bool is_sum(const PyTree *tree, PyRef node)
{
  PyRef sign = py_kind(tree, node) == PYK_BINARY_OPERATOR ? py_child(tree, node, PY_F_OPERATOR) : 0;
  return sign && str_equal(py_text(tree, sign), STR("+"));
}

void export_read_names(const ExportCall *export, const char *argument, ExportNames *ret_names)
{
  const PyTree *tree = &export->model->tree;
  ret_names->node = export_value(export, argument);
  ret_names->count = 0;
  ret_names->is_known = export_argument(export, argument) || !export_may_have(export, argument);
  if (!ret_names->node)
    return;
  // `a + b + c` is `(a + b) + c`: what is left to be read is on the right of each.
  PyRef parts[PY_EXPRESSION_DEPTH];
  size_t count = 0;
  parts[count++] = ret_names->node;
  while (ret_names->is_known && count > 0) {
    PyRef part = export_resolve(export->model, parts[--count]);
    if (!is_sum(tree, part)) {
      ret_names->is_known = add_names(export, part, ret_names);
    } else if (count + 2 <= COUNT(parts)) {
      parts[count++] = py_child(tree, part, PY_F_RIGHT);
      parts[count++] = py_child(tree, part, PY_F_LEFT);
    } else {
      ret_names->is_known = false;
    }
  }
}

bool export_has_name(const ExportNames *list, size_t count, Str name)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(list->items[i], name))
      return true;
  }
  return false;
}

ExportAcceptance export_acceptance(const PyFile *file, const PyExportArgument *argument)
{
  ExportAcceptance acceptance = { 0 };
  for (PY_EACH_TORCH(file, torch)) {
    bool is_taken = argument && export_api_form(argument, torch);
    bool is_swallowed = !is_taken && export_api_ignores_unknown(file->db, torch);
    acceptance.is_taken |= is_taken;
    acceptance.is_swallowed |= is_swallowed;
    acceptance.is_refused |= !is_taken && !is_swallowed;
  }
  return acceptance;
}

bool export_is_in_context(const ExportCall *export, Str word)
{
  const PyTree *tree = &export->model->tree;
  for (PyRef node = export->call->node; node; node = tree->nodes[node].parent) {
    if (py_kind(tree, node) != PYK_WITH_STATEMENT)
      continue;
    for (PY_EACH_CHILD(tree, item, py_first_child(tree, node))) {
      Str text = py_text(tree, item);
      if (py_kind(tree, item) == PYK_WITH_ITEM && !str_starts_with(text, STR("torch.")) &&
          str_find(text, word, 0) != STR_NOT_FOUND)
        return true;
    }
  }
  return false;
}

Str export_int_meant(const ExportCall *export, PyRef node)
{
  Str text = py_text(&export->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, 1000, &value) ? text : (Str){ 0 };
}
