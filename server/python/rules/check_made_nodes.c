// Nodes that are put together by onnx.helper.make_node(): names of operators, attributes, and how many inputs and
// outputs there are, by the schemas. Which opset a node is for says the model that the file makes of it, if it makes
// models of one opset; else something is wrong only if it is at all opsets.

#include "base/ascii.h"
#include "python/rules/made_model.h"
#include "python/rules/public_objects.h"

typedef struct MadeNode {
  DiagSink *sink;
  const PyCall *call;
  const OnnxOperator *op;
  int64_t opset;  ///< 0: any.
} MadeNode;

static void say(const MadeNode *node, RuleId rule, PyRef at, Str message, const Fix *fix)
{
  py_say(node->sink, rule, SEVERITY_ERROR, at, message, fix);
}

/// The number of `make_opsetid("", 17)` in the list; 0 if there is none, or something else in it.
static int64_t opset_of_list(const PyModel *model, PyRef list)
{
  int64_t opset = 0, version;
  Str domain;
  Arena arena = { 0 };
  for (PyRef item = list ? py_tree_first_element(&model->tree, list) : 0; item;
       item = py_tree_next_element(&model->tree, item)) {
    const PyCall *call = py_model_call(model, py_model_resolve(model, item));
    const PyArgument *name = call ? py_model_argument(model, call, 0, "domain") : NULL;
    const PyArgument *number = call ? py_model_argument(model, call, 1, "version") : NULL;
    if (!name || !number || !py_model_string(model, name->value, &arena, &domain) ||
        !py_model_int(model, number->value, &version)) {
      opset = 0;
      break;
    }
    if (domain.len == 0 || str_equal(domain, STR("ai.onnx")))
      opset = version;
  }
  arena_done(&arena);
  return opset;
}

/// The opset of all models that the file makes; 0 if they differ, or one is not known.
static int64_t opset_of_file(const PyModel *model)
{
  int64_t found = 0;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("onnx.helper.make_model")))
      continue;
    const PyArgument *imports = py_model_argument(model, call, PY_ABSENT, "opset_imports");
    int64_t opset = imports ? opset_of_list(model, py_model_resolve(model, imports->value)) : 0;
    if (opset == 0 || (found > 0 && found != opset))
      return 0;
    found = opset;
  }
  return found;
}

/// Whether `is_wrong` is true of the schema of the node's opset, or of all.
static bool is_wrong_at_all(const MadeNode *node, bool (*is_wrong)(const OnnxSchema *, Str, int64_t), Str name,
                            int64_t count)
{
  const OnnxSchema *schema = node->opset > 0 ? onnx_operator_at(node->op, node->opset) : NULL;
  if (schema)
    return is_wrong(schema, name, count);
  for (uint32_t i = 0; i < node->op->version_count && node->opset == 0; i++) {
    if (!is_wrong(&node->op->versions[i], name, count))
      return false;
  }
  return node->opset == 0;
}

static bool lacks_attribute(const OnnxSchema *schema, Str name, int64_t count)
{
  return !onnx_schema_attribute(schema, name);
}

static bool refuses_inputs(const OnnxSchema *schema, Str name, int64_t count)
{
  return count < schema->min_input || count > schema->max_input;
}

static bool refuses_outputs(const OnnxSchema *schema, Str name, int64_t count)
{
  return count < schema->min_output || count > schema->max_output;
}

/// " at opset 17"
static Str opset_text(const MadeNode *node)
{
  return node->opset > 0 ? arena_printf(node->sink->arena, " at opset %lld", (long long)node->opset)
                         : STR(" at any opset");
}

static void check_attributes(const MadeNode *node)
{
  static const char *const others[] = { "op_type", "inputs", "outputs", "name", "doc_string", "domain", "overload" };
  for (PY_EACH_ARGUMENT(sink_python(node->sink)->model, argument, node->call)) {
    Str name = argument->keyword;
    if (name.len > 0 && !str_is_one_of(name, others, COUNT(others)) && is_wrong_at_all(node, lacks_attribute, name, 0))
      say(node, RULE_UNKNOWN_ATTRIBUTE, argument->node,
          arena_printf(node->sink->arena, "%.*s has no attribute '%.*s'%.*s.", STR_ARG(node->op->name), STR_ARG(name),
                       STR_ARG(opset_text(node))),
          NULL);
  }
}

/// How many elements the list has that is written out; -1.
static int64_t list_length(const PyModel *model, PyRef list)
{
  PyNodeKind kind = list ? py_kind(&model->tree, list) : PYK_OTHER;
  int64_t count = 0;
  for (PyRef item = kind == PYK_LIST || kind == PYK_TUPLE ? py_first_child(&model->tree, list) : 0; item;
       item = py_next_sibling(&model->tree, item)) {
    if (py_tree_is_splat(&model->tree, item))
      return -1;
    count++;
  }
  return kind == PYK_LIST || kind == PYK_TUPLE ? count : -1;
}

static void check_count(const MadeNode *node, uint32_t position, const char *name, RuleId rule,
                        bool (*is_wrong)(const OnnxSchema *, Str, int64_t))
{
  const PyModel *model = sink_python(node->sink)->model;
  const PyArgument *argument = py_model_argument(model, node->call, position, name);
  int64_t count = argument ? list_length(model, py_model_resolve(model, argument->value)) : -1;
  if (count >= 0 && is_wrong_at_all(node, is_wrong, (Str){ 0 }, count))
    say(node, rule, argument->value,
        arena_printf(node->sink->arena, "%.*s takes no %lld %s%.*s.", STR_ARG(node->op->name), (long long)count, name,
                     STR_ARG(opset_text(node))),
        NULL);
}

typedef struct Spelling {
  Str name, found;
} Spelling;

static bool is_spelled(Str name, void *context)
{
  Spelling *spelling = context;
  if (str_equal_ignore_case(name, spelling->name))
    spelling->found = name;
  return spelling->found.len == 0;
}

/// `make_node("ReLU", ...)`: other names may be those of a plugin.
static void check_name(DiagSink *sink, const PyArgument *type, Str name)
{
  Spelling spelling = { .name = name };
  symbolics_each_onnx_name(sink_python(sink)->db, STR(""), STR(""), is_spelled, &spelling);
  if (spelling.found.len > 0)
    py_say(sink, RULE_UNKNOWN_ONNX_OP, SEVERITY_ERROR, type->value,
           arena_printf(sink->arena, "ONNX has no operator '%.*s': did you mean '%.*s'?", STR_ARG(name),
                        STR_ARG(spelling.found)),
           py_edit_string(sink, true, type->value, spelling.found));
}

/// `is_judged` is true of a node that was judged with its model.
static void check_node(DiagSink *sink, const PyCall *call, int64_t opset, bool is_judged)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  const PyArgument *type = py_model_argument(model, call, 0, "op_type");
  const PyArgument *domain = py_model_argument(model, call, PY_ABSENT, "domain");
  Str name, domain_name = { 0 };
  if (!type || !py_model_string(model, type->value, sink->arena, &name) || name.len == 0 || call->has_splat ||
      (domain && (!py_model_string(model, domain->value, sink->arena, &domain_name) || domain_name.len > 0)) ||
      py_tree_try_around(&model->tree, call->node))
    return;
  MadeNode node = { sink, call, symbolics_onnx_operator(file->db, STR(""), name), opset };
  if (!node.op && !call->has_dictionary_splat)
    check_name(sink, type, name);
  if (!node.op || node.op->version_count == 0 || is_judged)
    return;
  if (!call->has_dictionary_splat)
    check_attributes(&node);
  check_count(&node, 1, "inputs", RULE_INPUT_COUNT, refuses_inputs);
  check_count(&node, 2, "outputs", RULE_OUTPUT_COUNT, refuses_outputs);
}

void check_python_made_nodes(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_known = false;
  int64_t opset = 0;
  // Models for other programs may have nodes that only these know.
  bool is_for_onnx = py_model_mentions(model, "check_model") || py_model_mentions(model, "check_graph") ||
                     py_model_mentions(model, "InferenceSession") || py_model_mentions(model, "strict_mode=True");
  if (public_is_onnx_itself(model) || !is_for_onnx ||
      (!py_model_mentions(model, "make_node") && !py_model_mentions(model, "parse_model")))
    return;
  bool *judged = ARENA_ARRAY(sink->arena, bool, model->node_count);
  made_models_check(sink, judged);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("onnx.helper.make_node")))
      continue;
    opset = is_known ? opset : opset_of_file(model);
    is_known = true;
    check_node(sink, call, opset, judged[call->node]);
  }
}
