// The example inputs of torch.onnx.export() against the parameters of forward(), and axes of dynamic_axes that the
// example has not got. Both exporters run the model with them.

#include "base/limits.h"
#include "python/rules/export_call.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

// --- How many ---

/// How many positional inputs the call gives; -1 if that is not known.
static int given_inputs(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || export_argument(export, "kwargs"))
    return -1;
  if (py_kind(tree, args) != PYK_TUPLE)
    return export_is_tensor(export->model, args) ? 1 : -1;
  int count = 0;
  for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item), count++) {
    PyNodeKind kind = py_kind(tree, py_model_resolve(export->model, item));
    // A dict at the end is taken as keyword arguments; ints may be meant as a shape.
    bool is_sure = kind == PYK_NONE || kind == PYK_FLOAT || kind == PYK_LIST || kind == PYK_TRUE || kind == PYK_FALSE ||
                   export_is_tensor(export->model, item);
    if (!is_sure || count == PY_EXPORT_NAME_LIMIT)
      return -1;
  }
  return count;
}

/// How many the model takes at most; -1 for any number.
static int most_inputs(const ExportCall *export, const ExportModel *made)
{
  const PyFunction *forward = &export->model->functions.items[made->forward];
  int most = 0;
  for (uint32_t i = 1; i < forward->param_count; i++) {
    PyParamKind kind = export->model->params.items[forward->first_param + i].kind;
    if (kind == PY_PARAM_ARGS)
      return -1;
    most += kind == PY_PARAM_PLAIN;
  }
  return most;
}

static void check_count(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  bool is_module = export_module_fact(made) != NULL;
  if (made->forward == PY_ABSENT && !is_module)
    return;
  int given = given_inputs(export);
  int least = is_module ? 1 : (int)export_required_inputs(export, made);
  int most = is_module ? 1 : most_inputs(export, made);
  if (given < 0 || (given >= least && (most < 0 || given <= most)) || !sink_wants(sink, RULE_EXPORT_ARGS_COUNT, OWN))
    return;
  int wanted = given < least ? least : most;
  const char *bound = least == most ? "" : given < least ? "at least " : "at most ";
  py_say(sink, RULE_EXPORT_ARGS_COUNT, OWN, export_argument(export, "args")->value,
         arena_printf(sink->arena, "The model takes %s%d input%s, and %s given.", bound, wanted, wanted == 1 ? "" : "s",
                      given == 1 ? "1 is" : arena_printf(sink->arena, "%d are", given).data),
         NULL);
}

// --- Axes ---

/// The rank of `torch.randn(1, 3, 224, 224)` or `torch.zeros((1, 3))`; -1 if unknown.
static int rank_of(const ExportCall *export, PyRef node)
{
  static const char *const makers[] = { "torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty" };
  const PyModel *model = export->model;
  uint32_t index = py_model_call_at(model, py_model_resolve(model, node));
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (!call || call->has_splat || !str_is_one_of(call->qualified, makers, COUNT(makers)))
    return -1;
  int rank = 0;
  for (uint32_t i = 0; i < call->argument_count && i < PY_ARGUMENT_LIMIT; i++) {
    const PyArgument *argument = &model->arguments.items[call->first_argument + i];
    if (argument->keyword.len > 0)
      continue;
    PyRef value = py_model_resolve(model, argument->value);
    PyNodeKind kind = py_kind(&model->tree, value);
    int64_t size;
    if (i == 0 && (kind == PYK_TUPLE || kind == PYK_LIST)) {
      int length = 0;
      for (PyRef item = py_tree_first_element(&model->tree, value); item;
           item = py_tree_next_element(&model->tree, item), length++) {
        if (py_kind(&model->tree, item) == PYK_LIST_SPLAT || length == PY_ELEMENT_LIMIT)
          return -1;
      }
      return length;
    }
    // A name may stand for a tuple, unless others come after it.
    if (!py_model_int(model, value, &size) && call->argument_count - i == 1 && rank == 0)
      return -1;
    rank++;
  }
  return rank > 0 ? rank : -1;
}

/// The example of the input that is called so; 0.
static PyRef example_named(const ExportCall *export, const ExportNames *inputs, Str name)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  size_t position = 0;
  while (position < inputs->count && !str_equal(inputs->items[position], name))
    position++;
  if (!args || !inputs->is_known || position == inputs->count)
    return 0;
  if (py_kind(tree, args) != PYK_TUPLE)
    return position == 0 ? args : 0;
  PyRef item = py_tree_first_element(tree, args);
  for (size_t i = 0; item && i < position; i++)
    item = export_is_tensor(export->model, item) ? py_tree_next_element(tree, item) : 0;
  return item;
}

int export_rank_of_input(const ExportCall *export, const ExportNames *inputs, Str name)
{
  PyRef example = example_named(export, inputs, name);
  return example ? rank_of(export, example) : -1;
}

void export_check_inputs(const ExportCall *export, const ExportModel *made)
{
  check_count(export, made);
}
