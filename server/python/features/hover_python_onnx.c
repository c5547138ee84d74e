// Hover on operators of ONNX and their attributes, in g.op() and op.X().

#include "describe/describe.h"
#include "python/features/hover_python.h"

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

void hover_python_onnx_op(PyHover *hover, const PyOp *op)
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

bool hover_python_attribute(PyHover *hover, PyRef keyword_argument)
{
  const PyTree *tree = hover->tree;
  PyRef list = tree->nodes[keyword_argument].parent;
  const PyCall *call = py_model_call(hover->model, tree->nodes[list].parent);
  const PyOp *op = py_model_op_at(hover->model, tree->nodes[list].parent);
  if (!op) {
    const PyExportArgument *argument = call && str_equal(call->qualified, STR("torch.onnx.export"))
                                           ? export_api_argument(hover->file->db, py_text(tree, hover->node))
                                           : NULL;
    if (argument)
      py_words_write_export_argument(&hover->words, argument);
    return argument != NULL;
  }
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
