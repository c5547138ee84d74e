// Example inputs in a list: what the model, or the exporter, makes of it.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_parts.h"
#include "python/rules/python_report.h"
#include "python/rules/written_items.h"

void export_arity(const ExportModel *made, uint32_t *ret_required, uint32_t *ret_most)
{
  *ret_required = export_required_inputs(made);
  *ret_most = 0;
  for (size_t i = 0; i < made->param_count; i++) {
    if (made->params[i].kind == PY_PARAM_ARGS)
      *ret_most = UINT32_MAX;
    else if (made->params[i].kind == PY_PARAM_PLAIN && *ret_most != UINT32_MAX)
      (*ret_most)++;
  }
}

/// What forward() says of its first parameter; empty.
static Str first_annotation(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  PyRef annotation = 0;
  if (made->forward != PY_ABSENT && made->param_count > 0)
    annotation = model->params.items[model->functions.items[made->forward].first_param + 1].annotation;
  return annotation ? py_text(&model->tree, annotation) : (Str){ 0 };
}

/// A list is one argument, so it is wrong for a model that wants a tensor, or more than one argument.
static bool wants_no_list(const ExportCall *export, const ExportModel *made)
{
  if (export_module_fact(made))
    return true;
  if (!made->has_params)
    return false;
  uint32_t required;
  uint32_t most;
  export_arity(made, &required, &most);
  if (required != 1)
    return required > 1;
  Str annotation = first_annotation(export, made);
  return str_equal(annotation, STR("torch.Tensor")) || str_equal(annotation, STR("Tensor"));
}

/// Whether a name is used as no list could be: `x.shape`, `x / 2`, `self.conv(x)`.
static bool is_used_as_tensor(const ExportCall *export, const ExportModel *made, PyRef name)
{
  static const char *const of_lists[] = { "append", "extend",  "index", "count",  "copy", "pop",
                                          "insert", "reverse", "sort",  "remove", "clear" };
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[name].parent;
  PyNodeKind kind = py_kind(tree, parent);
  if (kind == PYK_ATTRIBUTE)
    return tree->nodes[name].field == PY_F_OBJECT &&
           !str_is_one_of(py_tree_member_name(tree, parent), of_lists, COUNT(of_lists));
  if (kind == PYK_BINARY_OPERATOR) {
    Str sign = py_text(tree, py_child(tree, parent, PY_F_OPERATOR));
    return !str_equal(sign, STR("+")) && !str_equal(sign, STR("*"));
  }
  const PyCall *call = py_model_call_of_list(model, parent);
  PyRef called = call ? call->function_node : 0;
  Str own = py_tree_own_name(tree, called);
  return own.len > 0 && module_part_gives_tensor(model, module_parts_value(export->parts, made->class_node, own));
}

/// The same of the one input of forward(), wherever it is used.
static bool takes_tensor(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  if (wants_no_list(export, made))
    return true;
  if (made->forward == PY_ABSENT || made->param_count == 0)
    return false;
  const PyFunction *forward = &model->functions.items[made->forward];
  PyRef end = forward->body ? model->tree.nodes[forward->body].next : 0;
  if (end - forward->body > PY_METHOD_NODE_LIMIT)
    return false;
  for (PyRef node = forward->body; node < end; node++) {
    const PyBinding *binding =
        py_kind(&model->tree, node) == PYK_IDENTIFIER && str_equal(py_text(&model->tree, node), made->params[0].name)
            ? py_model_binding_at(model, node)
            : NULL;
    if (py_binding_is_only(binding, PY_BIND_PARAM) && is_used_as_tensor(export, made, node))
      return true;
  }
  return false;
}

/// `if isinstance(x, list): ...`: it may want one all the same.
static bool asks_for_class(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  PyRef body = made->forward == PY_ABSENT ? 0 : model->functions.items[made->forward].body;
  Str text = body ? py_text(&model->tree, body) : (Str){ 0 };
  return str_contains(text, STR("isinstance(")) || str_contains(text, STR("type("));
}

/// torch.export insists on a tuple. Before torch 2.9 the exporter then traces the model, for which a list is as good.
static bool is_wrong_list(const ExportCall *export, const ExportModel *made)
{
  if (export->kind == EXPORT_DYNAMO)
    return export_torch_is_from(export->file, 2, 9);
  return wants_no_list(export, made) || (takes_tensor(export, made) && !asks_for_class(export, made));
}

/// Whether the model may want the list as it is: one argument, which is said to be a list, or of which nothing says
/// that it is a tensor.
static bool takes_list(const ExportCall *export, const ExportModel *made, PyRef list, int count)
{
  const PyTree *tree = &export->model->tree;
  PyRef first = py_tree_first_element(tree, list);
  if (export_module_fact(made) || !made->has_params || !first || py_kind(tree, first) == PYK_LIST)
    return false;
  uint32_t required;
  uint32_t most;
  export_arity(made, &required, &most);
  Str annotation = first_annotation(export, made);
  bool is_said = str_starts_with(annotation, STR("list[")) || str_starts_with(annotation, STR("List[")) ||
                 str_starts_with(annotation, STR("typing.List["));
  return required <= 1 && most == 1 && (count > 1 || is_said);
}

static const Fix *fix_list(const ExportCall *export, const ExportModel *made, PyRef list)
{
  DiagSink *sink = export->sink;
  const PyTree *tree = &export->model->tree;
  if (tree->nodes[list].has_error)
    return NULL;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, item, list))
    count++;
  Range range = py_range(sink, list);
  Str text = py_text(tree, list);
  bool has_comma = str_ends_with(str_trim(str_slice(text, 0, text.len - 1)), STR(","));
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  Fix *fix = ARENA_NEW(sink->arena, Fix);
  if (takes_list(export, made, list, count)) {
    edits[0] = (TextEdit){ { range.start, range.start }, STR("(") };
    edits[1] = (TextEdit){ { range.end, range.end }, STR(",)") };
    *fix = (Fix){ .title = STR("Put it into a tuple"), .edits = edits, .edit_count = 2, .is_safe = true };
    return fix;
  }
  edits[0] = (TextEdit){ { range.start, range.start + 1 }, STR("(") };
  edits[1] = (TextEdit){ { range.end - 1, range.end }, count == 1 && !has_comma ? STR(",)") : STR(")") };
  bool is_sure = export_module_fact(made) || takes_tensor(export, made) ||
                 (export->kind != EXPORT_DYNAMO && (made->has_params || count == 1));
  *fix = (Fix){ .title = STR("Make it a tuple"), .edits = edits, .edit_count = 2, .is_safe = is_sure };
  return fix;
}

/// `[x] * 2` and `[x] + rest`
static bool is_list_of_lists(const PyTree *tree, PyRef node)
{
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  Str sign = py_text(tree, py_child(tree, node, PY_F_OPERATOR));
  return py_kind(tree, node) == PYK_BINARY_OPERATOR && (str_equal(sign, STR("*")) || str_equal(sign, STR("+"))) &&
         (py_kind(tree, py_tree_strip(tree, left)) == PYK_LIST ||
          py_kind(tree, py_tree_strip(tree, right)) == PYK_LIST);
}

void export_check_args_list(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  PyRef args = export_value(export, "args");
  PyNodeKind kind = args ? py_kind(&export->model->tree, args) : PYK_OTHER;
  bool is_list = kind == PYK_LIST || kind == PYK_LIST_COMPREHENSION ||
                 (kind == PYK_BINARY_OPERATOR && is_list_of_lists(&export->model->tree, args)) ||
                 (args && written_copy(export->model, args, "list") != NULL);
  if (!is_list || !is_wrong_list(export, made) || !sink_wants(sink, RULE_EXPORT_ARGS_LIST, OWN))
    return;
  const char *message =
      export->kind != EXPORT_DYNAMO
          ? "A list is passed to the model as its one argument: write a tuple of the arguments, such as (x,)."
      : takes_tensor(export, made)
          ? "The dynamo exporter takes the arguments in a tuple, and no list: write (x,)."
          : "The dynamo exporter takes the arguments in a tuple, and no list: write (x,), or ([x],) where forward() "
            "takes a list.";
  py_say(sink, RULE_EXPORT_ARGS_LIST, OWN, export_argument(export, "args")->value, str_from(message),
         kind == PYK_LIST ? fix_list(export, made, args) : NULL);
}
