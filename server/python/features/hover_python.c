// Hover in a Python file: operators and attributes in g.op() and op.X(), letters of @parse_args, names in
// registrations, functions of symbolic_helper, arguments of torch.onnx.export(), symbolic functions. Elsewhere there is
// none: another server knows Python better.

#include "base/limits.h"
#include "describe/describe.h"
#include "describe/operator_conditions.h"
#include "describe/operator_context.h"
#include "describe/operator_ways.h"
#include "python/features/python_features.h"
#include "python/features/python_words.h"

enum { SCHEMAS_SHOWN = 6, VERSIONS_SHOWN = 12 };

/// One hover; its range is the node's.
typedef struct PyHover {
  OperatorContext job;
  PyWords words;
  const PyFile *file;
  const PyModel *model;
  const PyTree *tree;
  PyRef node;
} PyHover;

// --- Operators of ONNX ---

static PyOpsets opsets_of(const PyHover *hover, const PyOp *op)
{
  if (op->opset > 0)
    return (PyOpsets){ .set = opset_set_of(op->opset), .is_known = true };
  return py_help_written_for(hover->file, hover->model->calls.items[op->call].node);
}

/// A custom operator, of which only this file knows.
static void write_custom_operator(PyHover *hover, const PyOp *op)
{
  Markup *markup = &hover->job.markup;
  markup_code(markup, markup_shorten(op->full_name, 200, hover->job.arena));
  if (str_equal(op->domain, STR("aten")) || str_equal(op->domain, STR("prim"))) {
    markup_text(markup, ": an operator of torch's own graphs, which ONNX does not have");
  } else if (op->domain.len > 0) {
    markup_text(markup, ": an operator of the custom domain ");
    markup_code(markup, op->domain);
    markup_text(markup, ". What runs the model has to know it; its version is set by custom_opsets in "
                        "torch.onnx.export(), else it is 1.");
  } else {
    markup_text(markup, ": ONNX has no operator of this name");
  }
}

static void hover_onnx_op(PyHover *hover, const PyOp *op)
{
  if (!op->name_known)
    return;
  PyShownOpset shown = py_help_shown_opset(hover->file, opsets_of(hover, op));
  Str name = op->kind == PY_OP_ONNXSCRIPT && op->domain.len > 0
                 ? arena_printf(hover->job.arena, "%.*s::%.*s", STR_ARG(op->domain), STR_ARG(op->name))
                 : op->full_name;
  const OnnxOperator *found;
  const OnnxSchema *schema = py_help_onnx_schema(hover->file, name, shown.opset, &found);
  if (!found) {
    write_custom_operator(hover, op);
    return;
  }
  hover->job.opset = shown.opset;
  hover->job.hides_suffixes = op->kind == PY_OP_ONNXSCRIPT;
  operator_context_write_onnx(&hover->job, found->domain, found->name);
  py_words_write_opset(&hover->words, shown, found, schema);
}

/// "opsets 1 to 12", "opsets 1 to 10 and 13 on"
static Str versions_with(const PyHover *hover, const OnnxOperator *op, Str attribute)
{
  Buffer text = { 0 };
  for (uint32_t i = 0; i < op->version_count; i++) {
    if (!onnx_schema_attribute(&op->versions[i], attribute))
      continue;
    uint32_t first = op->versions[i].since;
    while (i + 1 < op->version_count && onnx_schema_attribute(&op->versions[i + 1], attribute))
      i++;
    buffer_printf(&text, "%s%u", text.len > 0 ? ", " : "", first);
    if (i + 1 == op->version_count)
      buffer_append(&text, STR(" on"));
    else if (op->versions[i + 1].since - 1 > first)
      buffer_printf(&text, " to %u", op->versions[i + 1].since - 1);
  }
  Str copy = arena_copy(hover->job.arena, buffer_str(&text));
  buffer_done(&text);
  return copy;
}

static void write_no_attribute(PyHover *hover, const OnnxOperator *op, const PyAttribute *attribute, int opset)
{
  Markup *markup = &hover->job.markup;
  markup_code(markup, op->name);
  markup_text(markup, " has no attribute ");
  markup_code(markup, attribute->name);
  if (op->domain.len == 0)
    markup_text(markup, " at opset %d", opset);
  Str others = versions_with(hover, op, attribute->name);
  if (others.len > 0)
    markup_text(markup, "; it has one at opsets %.*s", STR_ARG(others));
}

/// The suffix as it is there, which may not be the one of the schema.
static void write_written_suffix(PyHover *hover, const PyAttribute *attribute, const OnnxAttribute *schema_attribute)
{
  Str wanted = str_from(schema_attribute ? onnx_attribute_suffix(schema_attribute->type) : "");
  if (schema_attribute && wanted.len > 0 && !str_equal(wanted, attribute->suffix)) {
    Str name = describe_onnx_spelling(schema_attribute, hover->job.arena);
    markup_paragraph(&hover->job.markup);
    markup_text(&hover->job.markup, "In g.op() it is ");
    markup_code(&hover->job.markup, name);
    markup_text(&hover->job.markup, ".");
  }
  py_words_write_suffix(&hover->words, attribute->suffix);
}

static void hover_op_attribute(PyHover *hover, const PyOp *op, const PyAttribute *attribute)
{
  Markup *markup = &hover->job.markup;
  bool is_graph_op = op->kind != PY_OP_ONNXSCRIPT;
  PyShownOpset shown = py_help_shown_opset(hover->file, opsets_of(hover, op));
  Str name = !is_graph_op && op->domain.len > 0
                 ? arena_printf(hover->job.arena, "%.*s::%.*s", STR_ARG(op->domain), STR_ARG(op->name))
                 : op->full_name;
  const OnnxOperator *found = NULL;
  const OnnxSchema *schema = op->name_known ? py_help_onnx_schema(hover->file, name, shown.opset, &found) : NULL;
  bool is_newer = found && !schema;
  if (is_newer)
    schema = &found->versions[0];
  const OnnxAttribute *known = schema ? onnx_schema_attribute(schema, attribute->name) : NULL;
  if (!found && (!is_graph_op || !symbolics_is_suffix(hover->file->db, hover->file->torch, attribute->suffix)))
    return;
  if (known) {
    py_words_write_attribute(&hover->words, known, false);
    markup_paragraph(markup);
    markup_text(markup, "Attribute of ");
    markup_code(markup, found->name);
    if (is_newer)
      markup_text(markup, ", which needs opset %u", schema->since);
    else if (found->domain.len == 0)
      markup_text(markup, " at opset %d%s", shown.opset,
                  shown.is_one_of_several ? ", one of those that are possible here" : "");
  } else if (schema) {
    write_no_attribute(hover, found, attribute, shown.opset);
  } else {
    markup_text(markup, "Attribute ");
    markup_code(markup, attribute->name);
  }
  if (is_graph_op)
    write_written_suffix(hover, attribute, known);
}

static bool hover_attribute_name(PyHover *hover, PyRef keyword_argument)
{
  const PyTree *tree = hover->tree;
  PyRef list = tree->nodes[keyword_argument].parent;
  uint32_t call = py_model_call_at(hover->model, tree->nodes[list].parent);
  uint32_t index = call == PY_ABSENT ? PY_ABSENT : py_model_op_of_call(hover->model, call);
  if (index == PY_ABSENT) {
    const PyExportArgument *argument =
        call != PY_ABSENT && str_equal(hover->model->calls.items[call].qualified, STR("torch.onnx.export"))
            ? export_api_argument(hover->file->db, py_text(tree, hover->node))
            : NULL;
    if (argument)
      py_words_write_export_argument(&hover->words, argument);
    return argument != NULL;
  }
  const PyOp *op = &hover->model->ops.items[index];
  if (op->kind == PY_OP_ATEN)
    return false;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &hover->model->attributes.items[op->first_attribute + i];
    if (attribute->name_node == hover->node)
      hover_op_attribute(hover, op, attribute);
  }
  if (str_equal(py_text(tree, hover->node), STR("outputs")) && op->kind == PY_OP_GRAPH)
    markup_text(&hover->job.markup, "How many outputs the node has: 1 gives a value, more give a tuple of them.");
  return true;
}

// --- Operators of torch ---

/// Those of the torch version that a graph can hold; of other versions, and others, only if there are none.
static void write_schemas(PyHover *hover, const TorchOperator *op)
{
  Buffer code = { 0 };
  size_t shown = 0;
  size_t hidden = 0;
  for (int pass = 0; pass < 3 && shown == 0; pass++) {
    for (uint32_t i = 0; i < op->overload_count; i++) {
      const TorchOverload *overload = &op->overloads[i];
      bool holds = overload->torch_versions >> hover->file->torch & 1;
      if ((pass < 2 && !py_help_overload_is_usual(overload)) || (pass == 0 && !holds))
        continue;
      if (shown < SCHEMAS_SHOWN)
        buffer_printf(&code, "%s%.*s", shown++ > 0 ? "\n" : "",
                      STR_ARG(markup_shorten(overload->schema, HOVER_TEXT_LIMIT, hover->job.arena)));
      else
        hidden++;
    }
  }
  markup_block(&hover->job.markup, "", buffer_str(&code));
  buffer_done(&code);
  if (hidden > 0) {
    markup_paragraph(&hover->job.markup);
    markup_text(&hover->job.markup, "and %zu more overload%s", hidden, hidden == 1 ? "" : "s");
  }
}

/// Where the dynamo exporter is taken, which calls no symbolic function.
static void write_ignored(PyHover *hover)
{
  Str words =
      operator_ignored_words(py_file_registration_use(hover->file).kind == EXPORT_DYNAMO && !hover->model->is_builtin,
                             hover->model->exports.count > 0);
  if (words.len == 0)
    return;
  markup_paragraph(&hover->job.markup);
  markup_text(&hover->job.markup, "Symbolic functions are %.*s.", STR_ARG(words));
}

/// Where this file's own functions for the operator are the ones that an export takes.
static void write_own_support(PyHover *hover, Str name)
{
  OpsetSet own = py_help_own_opsets(hover->file, name);
  if (own == 0 || hover->model->is_builtin || !py_help_is_looked_up(name))
    return;
  OpsetRange range = hover->file->range;
  OpsetSet served = opset_set_served(own, py_help_all_opsets(hover->file, name), range.min, range.max);
  markup_paragraph(&hover->job.markup);
  if (served == 0)
    markup_text(&hover->job.markup, "Registered here, but %.*s.", STR_ARG(operator_shadowed_words()));
  else
    markup_text(&hover->job.markup, "An export to %.*s takes what is registered here.",
                STR_ARG(opset_set_phrase(served, hover->job.arena)));
  write_ignored(hover);
}

static void hover_torch_name(PyHover *hover, Str name)
{
  Markup *markup = &hover->job.markup;
  Str kind = str_starts_with(name, STR("::")) ? arena_printf(hover->job.arena, "aten%.*s", STR_ARG(name)) : name;
  OperatorTarget target = operator_target(&hover->job);
  OperatorFacts facts = operator_facts(&target, kind, false, hover->job.arena);
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  if (!op && !describe_is_of_kind(kind)) {
    markup_code(markup, markup_shorten(name, 200, hover->job.arena));
    markup_text(markup, ": %.*s",
                STR_ARG(facts.kind == OPERATOR_ATEN ? operator_unknown_words()
                                                    : STR("an operator that torch itself does not have")));
  } else if (op) {
    write_schemas(hover, op);
  } else {
    markup_code(markup, kind);
    markup_text(markup, ": ");
    markup_prose(markup, describe_prim(kind));
  }
  write_own_support(hover, name);
  bool is_own = op && !symbolics_torch_operator(hover->file->db, kind);  // Its schema is what there is to say.
  if (op && !is_own)
    operator_context_write_versions(&hover->job, &facts);
  if (!is_own)
    operator_ways_write(markup, &facts, NULL, hover->job.arena);
  operator_conditions_write(markup, &facts, HOVER_CONDITIONS_SHOWN, hover->job.arena);
}

// --- Letters ---

static const TorchArgument *argument_at(const TorchOverload *overload, uint32_t position)
{
  return position < overload->argument_count ? &overload->arguments[position] : NULL;
}

static Str argument_text(const PyHover *hover, const TorchArgument *argument)
{
  return arena_printf(hover->job.arena, "%.*s %.*s%s%.*s", STR_ARG(argument->type), STR_ARG(argument->name),
                      argument->has_default ? "=" : "", STR_ARG(argument->default_text));
}

static bool is_shown(const PyHover *hover, const TorchOverload *overload)
{
  return py_file_overload_applies(hover->file, overload) && py_help_overload_is_usual(overload);
}

/// The argument of one operator that a letter is for, once for each of its forms.
static void write_letter_of(PyHover *hover, Str name, uint32_t position, uint32_t count)
{
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  Markup *markup = &hover->job.markup;
  Str written = { 0 };
  bool has_fitting = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++)
    has_fitting |= is_shown(hover, &op->overloads[i]) && op->overloads[i].argument_count == count;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    const TorchArgument *argument = argument_at(overload, position);
    if (!argument || !is_shown(hover, overload) || (has_fitting && overload->argument_count != count))
      continue;
    Str text = argument_text(hover, argument);
    if (str_equal(text, written))
      continue;
    written = text;
    markup_item(markup);
    markup_code(markup, text);
    markup_text(markup, " of ");
    markup_code(markup, str_slice(overload->schema, 0, str_find_char(overload->schema, '(', 0)));
    markup_text(markup, ": %.*s can read it", STR_ARG(py_words_letters(&hover->words, argument->type)));
  }
}

static void hover_letter(PyHover *hover, uint32_t function, uint32_t position)
{
  Markup *markup = &hover->job.markup;
  Str letter;
  if (!py_model_string(hover->model, hover->node, hover->job.arena, &letter))
    return;
  uint32_t count;
  uint32_t first = py_file_input_params(hover->file, function, &count);
  markup_code(markup, arena_printf(hover->job.arena, "\"%.*s\"", STR_ARG(letter)));
  if (position < count) {
    markup_text(markup, " for the parameter ");
    markup_code(markup, hover->model->params.items[first + position].name);
  }
  markup_paragraph(markup);
  if (export_api_descriptor(hover->file->db, letter))
    py_words_write_letter(&hover->words, letter);
  else
    markup_text(markup, "No letter of parse_args: every export that calls the function fails.");
  PyNames names = py_file_registered_names(hover->file, function, hover->job.arena);
  for (size_t i = 0; i < names.count && i < SCHEMAS_SHOWN; i++)
    write_letter_of(hover, names.items[i], position, count);
}

/// `_get_const(x, "f", "alpha")`
static bool hover_helper_letter(PyHover *hover, uint32_t call)
{
  const PyCall *at = &hover->model->calls.items[call];
  Str module = STR("torch.onnx.symbolic_helper.");
  Str letter;
  const PyHelper *helper =
      str_starts_with(at->qualified, module)
          ? export_api_helper(hover->file->db, str_slice(at->qualified, module.len, at->qualified.len))
          : NULL;
  const PySignature *signature = helper ? export_api_helper_signature(helper, hover->file->torch) : NULL;
  for (uint32_t i = 0; signature && i < signature->parameter_count; i++) {
    const PyArgument *argument = py_model_argument(hover->model, at, i, NULL);
    if (!py_help_takes_letter(&signature->parameters[i]) || !argument || argument->node != hover->node ||
        !py_model_string(hover->model, hover->node, hover->job.arena, &letter) ||
        !export_api_descriptor(hover->file->db, letter))
      continue;
    markup_code(&hover->job.markup, arena_printf(hover->job.arena, "\"%.*s\"", STR_ARG(letter)));
    markup_text(&hover->job.markup, ": ");
    py_words_write_letter(&hover->words, letter);
    return true;
  }
  return false;
}

// --- Symbolic functions ---

static void write_converted(PyHover *hover, uint32_t function, Str name)
{
  Markup *markup = &hover->job.markup;
  OpsetSet served = py_help_served_opsets(hover->file, function, name);
  bool is_unknown = py_help_has_unknown_opset(hover->file, function, name);
  markup_paragraph(markup);
  markup_text(markup, "Converts ");
  markup_code(markup, name);
  if (!is_unknown && served != 0)
    markup_text(markup, ", %.*s", STR_ARG(opset_set_phrase(served, hover->job.arena)));
  else if (!is_unknown)
    markup_text(markup, ", but %.*s", STR_ARG(operator_shadowed_words()));
  write_ignored(hover);
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  if (op)
    write_schemas(hover, op);
}

static void hover_function(PyHover *hover, uint32_t function)
{
  const PyFunction *at = &hover->model->functions.items[function];
  Markup *markup = &hover->job.markup;
  PyNames names = py_file_registered_names(hover->file, function, hover->job.arena);
  size_t count = 0;
  for (size_t i = 0; i < names.count; i++) {
    if (py_help_is_looked_up(names.items[i]) && count++ < SCHEMAS_SHOWN)
      write_converted(hover, function, names.items[i]);
  }
  if (count > SCHEMAS_SHOWN) {
    markup_paragraph(markup);
    markup_text(markup, "and %zu more operators", count - SCHEMAS_SHOWN);
  }
  if (at->roles & PY_ROLE_AUTOGRAD)
    markup_text(markup, "The symbolic function of a torch.autograd.Function: it gets the graph, then the arguments of "
                        "forward, tensors as graph values and everything else as it is.");
  if (at->roles & PY_ROLE_AUTOGRAD)
    write_ignored(hover);
}

// --- What is under the cursor ---

/// "aten::elu" of "aten::elu.out"
static Str without_overload(Str name)
{
  return str_slice(name, 0, str_find_char(name, '.', 0) == STR_NOT_FOUND ? name.len : str_find_char(name, '.', 0));
}

/// `@torch_op("aten::elu")`, `@onnx_impl(...)`, also in a list of names.
static bool hover_torchlib_name(PyHover *hover)
{
  const PyTree *tree = hover->tree;
  PyRef list = tree->nodes[hover->node].parent;
  if (py_kind(tree, list) == PYK_TUPLE || py_kind(tree, list) == PYK_LIST)
    list = tree->nodes[list].parent;
  uint32_t call =
      py_kind(tree, list) == PYK_ARGUMENT_LIST ? py_model_call_at(hover->model, tree->nodes[list].parent) : PY_ABSENT;
  Str name;
  if (call == PY_ABSENT || !py_model_string(hover->model, hover->node, hover->job.arena, &name))
    return false;
  Str callee = py_text(tree, hover->model->calls.items[call].function_node);
  bool is_decorator = str_ends_with(callee, STR("torch_op")) || str_ends_with(callee, STR("onnx_impl"));
  bool is_name = is_decorator && str_find(name, STR("::"), 0) != STR_NOT_FOUND;
  if (is_name)
    hover_torch_name(hover, without_overload(name));
  return is_name;
}

static bool hover_string(PyHover *hover)
{
  const PyModel *model = hover->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].name_node == hover->node && model->registrations.items[i].name_known) {
      hover_torch_name(hover, model->registrations.items[i].name);
      return true;
    }
  }
  if (hover_torchlib_name(hover))
    return true;
  PyRef list = hover->tree->nodes[hover->node].parent;
  if (py_kind(hover->tree, list) != PYK_ARGUMENT_LIST)
    return false;
  uint32_t call = py_model_call_at(model, hover->tree->nodes[list].parent);
  uint32_t op = call == PY_ABSENT ? PY_ABSENT : py_model_op_of_call(model, call);
  if (op != PY_ABSENT && model->ops.items[op].name_node == hover->node) {
    if (model->ops.items[op].kind == PY_OP_GRAPH)
      hover_onnx_op(hover, &model->ops.items[op]);
    else if (model->ops.items[op].name_known)
      hover_torch_name(hover, arena_printf(hover->job.arena, "aten::%.*s", STR_ARG(model->ops.items[op].full_name)));
    return true;
  }
  for (uint32_t i = 0; i < model->functions.count && call != PY_ABSENT; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->parse_args != call || !function->descriptors_known)
      continue;
    for (uint32_t k = 0; k < function->descriptor_count; k++) {
      if (model->descriptors.items[function->first_descriptor + k] == hover->node)
        hover_letter(hover, i, k);
    }
    return true;
  }
  return call != PY_ABSENT && hover_helper_letter(hover, call);
}

/// `torch.ops.aten.elu`, `torch.ops.aten.elu.default`
static bool hover_torch_op(PyHover *hover, Str qualified)
{
  Str module = STR("torch.ops.");
  Str path = str_starts_with(qualified, module) ? str_slice(qualified, module.len, qualified.len) : (Str){ 0 };
  size_t dot = str_find_char(path, '.', 0);
  if (dot == STR_NOT_FOUND)
    return false;
  Str name = without_overload(str_slice(path, dot + 1, path.len));
  hover_torch_name(hover, arena_printf(hover->job.arena, "%.*s::%.*s", (int)dot, path.data, STR_ARG(name)));
  return true;
}

/// A function of symbolic_helper, an operator of torch, or a name of torch.onnx of which something is known.
static bool hover_qualified(PyHover *hover, PyRef expression)
{
  Str module = STR("torch.onnx.symbolic_helper.");
  Str name = py_model_qualified(hover->model, expression, hover->job.arena);
  const PyHelper *helper =
      str_starts_with(name, module) ? export_api_helper(hover->file->db, str_slice(name, module.len, name.len)) : NULL;
  const PyApi *api = helper ? NULL : export_api_name(hover->file->db, name);
  if (helper)
    py_words_write_helper(&hover->words, helper);
  else if (api && str_equal(api->name, name))
    py_words_write_api(&hover->words, api);
  else
    return hover_torch_op(hover, name);
  return true;
}

static bool hover_identifier(PyHover *hover)
{
  const PyTree *tree = hover->tree;
  PyRef parent = tree->nodes[hover->node].parent;
  PyField field = (PyField)tree->nodes[hover->node].field;
  switch (py_kind(tree, parent)) {
  case PYK_KEYWORD_ARGUMENT:
    return field == PY_F_NAME ? hover_attribute_name(hover, parent) : hover_qualified(hover, hover->node);
  case PYK_FUNCTION_DEFINITION: {
    uint32_t function = field == PY_F_NAME ? py_model_function_at(hover->model, parent) : PY_ABSENT;
    if (function != PY_ABSENT)
      hover_function(hover, function);
    return function != PY_ABSENT;
  }
  case PYK_ATTRIBUTE: {
    uint32_t call = field == PY_F_ATTRIBUTE ? py_model_call_at(hover->model, tree->nodes[parent].parent) : PY_ABSENT;
    uint32_t op = call == PY_ABSENT ? PY_ABSENT : py_model_op_of_call(hover->model, call);
    if (op != PY_ABSENT && hover->model->ops.items[op].name_node == hover->node) {
      hover_onnx_op(hover, &hover->model->ops.items[op]);
      return true;
    }
    return field == PY_F_ATTRIBUTE && hover_qualified(hover, parent);
  }
  default:
    return hover_qualified(hover, hover->node);
  }
}

bool python_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  if (!file)
    return false;
  PyHover hover = { .job = operator_context(context), .file = file, .model = file->model, .tree = &file->model->tree };
  hover.words = (PyWords){ file, context->arena, &hover.job.markup };
  hover.job.torch = file->torch;
  hover.job.hides_needs = true;
  hover.node = py_node_at(hover.tree, offset);
  PyNodeKind kind = py_kind(hover.tree, hover.node);
  if (kind == PYK_STRING)
    hover_string(&hover);
  else if (kind == PYK_IDENTIFIER)
    hover_identifier(&hover);
  const PyNode *node = &hover.tree->nodes[hover.node];
  return markup_finish(&hover.job.markup, context->arena, (Range){ node->start, node->end }, ret_hover);
}
