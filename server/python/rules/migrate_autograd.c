// symbolic() of a torch.autograd.Function: the node that it makes becomes one of torch.onnx.ops.symbolic() in
// forward(), of which the exporter captures what it does. The types and shapes of its results are those that forward()
// computes.

#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate.h"

static uint32_t forward_of(const PyModel *model, PyRef class_node)
{
  uint32_t found = PY_ABSENT;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node)
      continue;
    if (str_equal(function->name, STR("_forward")))
      return PY_ABSENT;
    if (str_equal(function->name, STR("forward")))
      found = i;
  }
  return found;
}

/// The only statement of a function, `return g.op(...)`; NULL.
static const PyOp *returned_op(const PyModel *model, const PyFunction *function)
{
  const PyTree *tree = &model->tree;
  PyRef statement = function->body ? py_first_child(tree, function->body) : 0;
  if (!statement || py_next_sibling(tree, statement) || py_kind(tree, statement) != PYK_RETURN_STATEMENT)
    return NULL;
  uint32_t call = py_model_call_at(model, py_tree_strip(tree, py_first_child(tree, statement)));
  uint32_t op = call == PY_ABSENT ? PY_ABSENT : py_model_op_of_call(model, call);
  if (op == PY_ABSENT)
    return NULL;
  const PyOp *at = &model->ops.items[op];
  bool is_plain = at->kind == PY_OP_GRAPH && at->name_known && !at->has_splat_input && !at->has_splat_attribute;
  return is_plain && at->outputs > 0 ? at : NULL;
}

static bool is_literal_or_param(const PyModel *model, const PyFunction *function, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (PyRef at = node; at < tree->nodes[node].next; at++) {
    if (py_kind(tree, at) == PYK_CALL || py_kind(tree, at) == PYK_ATTRIBUTE)
      return false;
    if (py_kind(tree, at) != PYK_IDENTIFIER)
      continue;
    bool is_param = false;
    for (uint32_t i = 1; i < function->param_count; i++)
      is_param |= str_equal(model->params.items[function->first_param + i].name, py_text(tree, at));
    if (!is_param)
      return false;
  }
  return true;
}

/// A value of torch.onnx.ops.symbolic() has the type that Python shows: `1` is no float.
static Str attribute_value(const Migration *migration, const PyAttribute *attribute)
{
  Arena *arena = migration->sink->arena;
  Str text = py_text(&migration->model->tree, attribute->value);
  PyNodeKind kind = py_kind(&migration->model->tree, attribute->value);
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  char letter = attribute->suffix.data[0];
  if (letter == 's')
    return text;
  const char *type = letter == 'f' ? "float" : "int";
  bool is_exact = (letter == 'f' && kind == PYK_FLOAT) || (letter == 'i' && kind == PYK_INTEGER);
  if (is_exact || (is_list && letter == 'i'))
    return text;
  // A name may hold a list, which the suffix of g.op() leaves open.
  bool may_be_list = is_list || kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT;
  if (is_list)
    return arena_printf(arena, "[%s(value) for value in %.*s]", type, STR_ARG(text));
  return may_be_list && letter == 'i' ? text : arena_printf(arena, "%s(%.*s)", type, STR_ARG(text));
}

static Str attributes_text(Migration *migration, const PyFunction *function, const PyOp *op)
{
  const PyModel *model = migration->model;
  Buffer out = { 0 };
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
    bool is_known = attribute->suffix.len == 1 && strchr("ifs", attribute->suffix.data[0]) &&
                    is_literal_or_param(model, function, attribute->value);
    migration->is_possible &= is_known;
    if (is_known)
      buffer_printf(&out, "%s\"%.*s\": %.*s", i > 0 ? ", " : "", STR_ARG(attribute->name),
                    STR_ARG(attribute_value(migration, attribute)));
  }
  Str text = arena_copy(migration->sink->arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

static Str inputs_text(Migration *migration, const PyFunction *function, const PyOp *op)
{
  const PyModel *model = migration->model;
  Buffer out = { 0 };
  for (uint32_t i = 0; i < op->input_count; i++) {
    PyRef value = model->arguments.items[op->first_input + i].value;
    migration->is_possible &=
        py_kind(&model->tree, value) == PYK_IDENTIFIER && is_literal_or_param(model, function, value);
    buffer_append(&out, py_text(&model->tree, value));
    buffer_append(&out, STR(", "));
  }
  Str text = arena_copy(migration->sink->arena, str_trim(buffer_str(&out)));
  buffer_done(&out);
  return text;
}

/// The names of forward()'s parameters, as symbolic() has them after the graph; false if they are not the same.
static bool same_params(const PyModel *model, const PyFunction *symbolic, const PyFunction *forward, Buffer *names)
{
  if (symbolic->param_count != forward->param_count || forward->param_count == 0)
    return false;
  for (uint32_t i = 0; i < forward->param_count; i++) {
    const PyParam *param = &model->params.items[forward->first_param + i];
    bool is_same = i == 0 || str_equal(param->name, model->params.items[symbolic->first_param + i].name);
    if (!is_same || param->kind != PY_PARAM_PLAIN)
      return false;
    buffer_printf(names, "%s%.*s", i > 0 ? ", " : "", STR_ARG(param->name));
  }
  return true;
}

/// The new forward(), which comes in the place of symbolic().
static Str new_forward(Migration *migration, const PyFunction *symbolic, const PyFunction *forward, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  Arena *arena = migration->sink->arena;
  Buffer names = { 0 };
  Buffer out = { 0 };
  migration->is_possible &= same_params(model, symbolic, forward, &names);
  Str parameters = str_slice(tree->text, tree->nodes[py_child(tree, forward->node, PY_F_PARAMETERS)].start,
                             tree->nodes[py_child(tree, forward->node, PY_F_PARAMETERS)].end);
  Str class_name = py_text(tree, py_child(tree, symbolic->class_node, PY_F_NAME));
  const char *several = op->outputs > 1 ? "s" : "";
  const char *version = op->domain.len > 0 ? ", version=1" : "";
  Str dtype = op->outputs > 1 ? STR("[value.dtype for value in out]") : STR("out.dtype");
  Str shape = op->outputs > 1 ? STR("[value.shape for value in out]") : STR("out.shape");
  buffer_printf(&out, "@staticmethod\n    def forward%.*s:\n        out = %.*s._forward(%.*s)\n", STR_ARG(parameters),
                STR_ARG(class_name), STR_ARG(buffer_str(&names)));
  buffer_printf(&out, "        if torch.onnx.is_in_onnx_export():\n            ");
  buffer_printf(&out, "return %storch.onnx.ops.symbolic%s(\"%.*s\", (%.*s), {%.*s}, dtype%s=%.*s, shape%s=%.*s%s)%s\n",
                op->outputs > 1 ? "tuple(" : "", op->outputs > 1 ? "_multi_out" : "", STR_ARG(op->full_name),
                STR_ARG(inputs_text(migration, symbolic, op)), STR_ARG(attributes_text(migration, symbolic, op)),
                several, STR_ARG(dtype), several, STR_ARG(shape), version, op->outputs > 1 ? ")" : "");
  buffer_append(&out, STR("        return out"));
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&names);
  buffer_done(&out);
  return text;
}

const Fix *migrate_autograd(DiagSink *sink, uint32_t symbolic_index)
{
  Migration migration = migration_begin(sink, symbolic_index);
  const PyModel *model = migration.model;
  const PyTree *tree = &model->tree;
  const PyFunction *symbolic = &model->functions.items[symbolic_index];
  uint32_t forward_index = symbolic->class_node ? forward_of(model, symbolic->class_node) : PY_ABSENT;
  const PyOp *op = returned_op(model, symbolic);
  if (!migration_is_wanted(migration.file) || forward_index == PY_ABSENT || !op || !symbolic->is_static ||
      symbolic->parse_args != PY_ABSENT)
    return NULL;
  const PyFunction *forward = &model->functions.items[forward_index];
  uint32_t torch = py_model_lookup(model, PY_ABSENT, STR("torch"));
  migration.is_possible = forward->is_static && torch != PY_ABSENT &&
                          !py_child(tree, forward->node, PY_F_RETURN_TYPE) && !tree->nodes[forward->node].has_error &&
                          !tree->nodes[symbolic->node].has_error;
  // Four columns, as the text that comes in has.
  size_t start = tree->nodes[symbolic->outer].start;
  migration.is_possible &= start >= 4 && str_ends_with(str_slice(tree->text, 0, start), STR("\n    "));
  migration_edit(&migration, start, tree->nodes[symbolic->outer].end, new_forward(&migration, symbolic, forward, op));
  migration_edit(&migration, tree->nodes[forward->name_node].start, tree->nodes[forward->name_node].end,
                 STR("_forward"));
  return migration_finish(&migration, STR("Make the node in forward() by torch.onnx.ops.symbolic()"));
}
