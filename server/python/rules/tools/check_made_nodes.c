// Nodes that are put together by onnx.helper.make_node(): names of operators, attributes, and how many inputs and
// outputs there are, by the schemas. Which opset a node is for says the model that the file makes of it, if it makes
// models of one opset; else something is wrong only if it is at all opsets.

#include "base/ascii.h"
#include "python/rules/public_objects.h"
#include "python/rules/tools/made_model.h"

typedef struct MadeNode {
  DiagSink *sink;
  const PyCall *call;
  const OnnxOperator *op;
  int64_t opset;              ///< 0: any.
  const PyFunction *wrapper;  ///< What is called is a function of the file that makes the node; NULL for make_node().
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

static bool is_param(const PyModel *model, const PyFunction *function, Str name)
{
  for (uint32_t i = 0; function && i < function->param_count; i++) {
    if (str_equal(py_model_params(model, function)[i].name, name))
      return true;
  }
  return false;
}

static void check_attributes(const MadeNode *node)
{
  static const char *const others[] = { "op_type", "inputs", "outputs", "name", "doc_string", "domain", "overload" };
  for (PY_EACH_ARGUMENT(sink_python(node->sink)->model, argument, node->call)) {
    Str name = argument->keyword;
    bool is_other =
        str_is_one_of(name, others, COUNT(others)) || is_param(sink_python(node->sink)->model, node->wrapper, name);
    if (name.len > 0 && !is_other && is_wrong_at_all(node, lacks_attribute, name, 0))
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

static void check_count(const MadeNode *node, const PyArgument *argument, const char *name, RuleId rule,
                        bool (*is_wrong)(const OnnxSchema *, Str, int64_t))
{
  const PyModel *model = sink_python(node->sink)->model;
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

/// Whether the function around a parameter names what it is given here: `if op == "ReLU": ...` chooses another way.
static bool is_chosen_by(const PyModel *model, PyRef node, Str name)
{
  enum { LOOKED_AT = 4096 };
  const PyBinding *binding = py_model_binding_at(model, node);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope == PY_ABSENT)
    return false;
  Str body = py_text(&model->tree, model->functions.items[binding->scope].body);
  return str_contains(str_slice(body, 0, body.len < LOOKED_AT ? body.len : LOOKED_AT), name);
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
  MadeNode node = { sink, call, symbolics_onnx_operator(file->db, STR(""), name), opset, NULL };
  if (!node.op && !call->has_dictionary_splat && !is_chosen_by(model, type->value, name))
    check_name(sink, type, name);
  if (!node.op || node.op->version_count == 0 || is_judged)
    return;
  if (!call->has_dictionary_splat)
    check_attributes(&node);
  check_count(&node, py_model_argument(model, call, 1, "inputs"), "inputs", RULE_INPUT_COUNT, refuses_inputs);
  check_count(&node, py_model_argument(model, call, 2, "outputs"), "outputs", RULE_OUTPUT_COUNT, refuses_outputs);
}

// --- Functions that make a node of what they are given: `def add(op, inputs, outputs, **attributes)` ---

/// The parameter of the function that an argument hands on; NULL.
static const PyParam *param_of(const PyModel *model, const PyFunction *function, const PyArgument *argument)
{
  const PyBinding *binding = argument ? py_model_binding_at(model, argument->value) : NULL;
  bool is_own = py_binding_is_only(binding, PY_BIND_PARAM) && binding->index >= function->first_param &&
                binding->index < function->first_param + function->param_count;
  return is_own ? &model->params.items[binding->index] : NULL;
}

/// What a call of the function gives the parameter.
static const PyArgument *given_to(const PyModel *model, const PyFunction *function, const PyCall *call, bool is_method,
                                  const PyParam *param)
{
  uint32_t position = (uint32_t)(param - py_model_params(model, function));
  return param->kind == PY_PARAM_PLAIN && position >= is_method
             ? py_model_argument_of(model, call, position - is_method, param->name)
             : NULL;
}

/// Whether make_node() gets the `**attributes` of the function as they are: nothing else of the function names them.
static bool hands_attributes_on(const PyModel *model, const PyFunction *function, const PyCall *made)
{
  const PyParam *rest = NULL;
  for (PY_EACH_ARGUMENT(model, argument, made))
    rest = argument->is_dictionary_splat ? param_of(model, function, argument) : rest;
  uint32_t uses = 0;
  for (PyRef node = function->body; rest && node < model->tree.nodes[function->body].next; node++)
    uses += py_kind(&model->tree, node) == PYK_IDENTIFIER && str_equal(py_text(&model->tree, node), rest->name);
  return rest && rest->kind == PY_PARAM_KWARGS && uses == 1;
}

typedef struct Wrapper {
  const PyFunction *function;
  const PyParam *type, *inputs;  ///< `inputs` may be NULL.
  bool has_attributes;
} Wrapper;

static void check_wrapped(DiagSink *sink, const Wrapper *wrapper, const PyCall *call, bool is_method, int64_t opset)
{
  const PyFile *file = sink_python(sink);
  const PyArgument *type = given_to(file->model, wrapper->function, call, is_method, wrapper->type);
  Str name;
  if (!type || call->has_splat || call->has_dictionary_splat ||
      !py_model_string(file->model, type->value, sink->arena, &name) || name.len == 0 ||
      py_tree_try_around(&file->model->tree, call->node))
    return;
  MadeNode node = { sink, call, symbolics_onnx_operator(file->db, STR(""), name), opset, wrapper->function };
  if (!node.op)
    check_name(sink, type, name);
  if (!node.op || node.op->version_count == 0)
    return;
  if (wrapper->has_attributes)
    check_attributes(&node);
  if (wrapper->inputs)
    check_count(&node, given_to(file->model, wrapper->function, call, is_method, wrapper->inputs), "inputs",
                RULE_INPUT_COUNT, refuses_inputs);
}

/// Calls of the function around a make_node() that takes the operator from a parameter.
static void check_wrapper(DiagSink *sink, const PyCall *made, int64_t opset)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = made->scope == PY_ABSENT ? NULL : &model->functions.items[made->scope];
  const PyArgument *domain = py_model_argument(model, made, PY_ABSENT, "domain");
  if (!function || domain || function->has_unknown_decorator || made->has_splat)
    return;
  Wrapper wrapper = { .function = function,
                      .type = param_of(model, function, py_model_argument(model, made, 0, "op_type")),
                      .inputs = param_of(model, function, py_model_argument(model, made, 1, "inputs")),
                      .has_attributes = hands_attributes_on(model, function, made) };
  if (!wrapper.type)
    return;
  bool is_method = function->class_node && !function->is_static;
  for (uint32_t at = function->first_call; at != PY_ABSENT && !is_method; at = model->calls.items[at].next)
    check_wrapped(sink, &wrapper, &model->calls.items[at], false, opset);
  for (uint32_t at = function->first_method_call; at != PY_ABSENT; at = model->calls.items[at].next)
    check_wrapped(sink, &wrapper, &model->calls.items[at], is_method, opset);
}

/// How many make_node() each function has, up to 2.
static uint8_t *count_makers(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  uint8_t *counts = ARENA_ARRAY(sink->arena, uint8_t, model->functions.count + 1);
  memset(counts, 0, model->functions.count + 1);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (call->scope != PY_ABSENT && counts[call->scope] < 2 && str_equal(call->qualified, STR("onnx.helper.make_node")))
      counts[call->scope]++;
  }
  return counts;
}

void check_python_made_nodes(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_known = false;
  int64_t opset = 0;
  // Models for other programs may have nodes that only these know.
  static const char *const readers[] = { "check_model", "check_graph", "InferenceSession", "strict_mode=True" };
  if ((!py_model_mentions(model, "make_node") && !py_model_mentions(model, "parse_model")) ||
      !py_model_mentions_one_of(model, readers, COUNT(readers)) || public_is_onnx_itself(sink_python(sink)))
    return;
  bool *judged = ARENA_ARRAY(sink->arena, bool, model->node_count);
  made_models_check(sink, judged);
  uint8_t *made_in = count_makers(sink);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("onnx.helper.make_node")))
      continue;
    opset = is_known ? opset : opset_of_file(model);
    is_known = true;
    check_node(sink, call, opset, judged[call->node]);
    // One that makes several nodes may choose between them.
    if (call->scope != PY_ABSENT && made_in[call->scope] == 1)
      check_wrapper(sink, call, opset);
  }
}
