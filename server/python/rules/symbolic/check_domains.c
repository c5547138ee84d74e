// Domains of custom operators, and their versions.

#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/model/keys_set.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

/// Domains of operators that are not ONNX ones of their own: the exporter takes them for something of PyTorch.
static bool is_torch_domain(Str domain)
{
  static const char *const domains[] = { "aten", "prim", "quantized", "caffe2", "_caffe2", "org.pytorch.aten" };
  return str_is_one_of(domain, domains, COUNT(domains));
}

static bool is_custom_domain(Str domain)
{
  return domain.len > 0 && !str_starts_with(domain, STR("ai.onnx")) && !is_torch_domain(domain);
}

bool py_op_is_custom(const PyOp *op)
{
  return op->kind == PY_OP_GRAPH && op->name_known && op->name.len > 0 && is_custom_domain(op->domain);
}

// --- custom_opsets of torch.onnx.export() ---

/// The domains that a file's symbolic functions use.
typedef struct Domains {
  Str items[PY_DOMAIN_LIMIT];
  size_t count;
  bool is_complete;  ///< No operator has a name that can't be read off.
} Domains;

static bool has_domain(const Domains *domains, Str domain)
{
  for (size_t i = 0; i < domains->count; i++) {
    if (str_equal(domains->items[i], domain))
      return true;
  }
  return false;
}

static void add_domain(Domains *domains, Str domain)
{
  if (has_domain(domains, domain))
    return;
  if (domains->count == PY_DOMAIN_LIMIT)
    domains->is_complete = false;
  else
    domains->items[domains->count++] = domain;
}

/// Whether the operator is part of what an export of this file can make.
static bool is_exported(const PyModel *model, const PyOp *op)
{
  int depth = 0;
  for (uint32_t scope = op->scope; scope != PY_ABSENT && depth < PY_NESTING_LIMIT;
       scope = model->functions.items[scope].parent, depth++) {
    if (model->functions.items[scope].roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD))
      return true;
  }
  return false;
}

static Domains domains_of_ops(const PyModel *model)
{
  Domains domains = { .is_complete = true };
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    domains.is_complete &= op->name_known || op->kind != PY_OP_GRAPH;
    if (py_op_is_custom(op) && is_exported(model, op))
      add_domain(&domains, op->domain);
  }
  return domains;
}

/// onnxscript.values.Opset(domain, version)
typedef struct ScriptOpset {
  PyRef node;
  Str domain;
  int64_t version;
} ScriptOpset;

typedef struct ScriptOpsets {
  ScriptOpset items[PY_DOMAIN_LIMIT];
  size_t count;
} ScriptOpsets;

static void read_script_opsets(DiagSink *sink, ScriptOpsets *ret_opsets)
{
  const PyModel *model = sink_python(sink)->model;
  ret_opsets->count = 0;
  for (size_t i = 0; i < model->calls.count && ret_opsets->count < PY_DOMAIN_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("onnxscript.values.Opset")))
      continue;
    ScriptOpset opset = { .node = call->node };
    const PyArgument *domain = py_model_argument(model, call, 0, "domain");
    const PyArgument *version = py_model_argument(model, call, 1, "version");
    if (domain && version && py_model_string(model, domain->value, sink->arena, &opset.domain) &&
        py_model_int(model, version->value, &opset.version))
      ret_opsets->items[ret_opsets->count++] = opset;
  }
}

/// What a file uses, whatever an export of it says.
typedef struct Used {
  Domains domains;
  ScriptOpsets scripts;
} Used;

/// The domain that the key is meant as, or empty: its name is a namespace of registered torch operators, or nearly that
/// of a domain, or there is nothing else that it could be.
static Str meant_by_key(DiagSink *sink, Str key, const Domains *used, size_t key_count)
{
  const PyModel *model = sink_python(sink)->model;
  const char *names[PY_DOMAIN_LIMIT];
  for (size_t i = 0; i < used->count; i++)
    names[i] = arena_copy(sink->arena, used->items[i]).data;
  const char *near = nearest_word(arena_copy(sink->arena, key).data, names, used->count);
  if (near)
    return str_from(near);
  bool is_namespace = false;
  for (size_t i = 0; i < model->registrations.count && i < PY_REGISTRATION_LIMIT; i++) {
    Str name = model->registrations.items[i].name;
    is_namespace |= str_starts_with(name, key) && str_starts_with(str_slice(name, key.len, name.len), STR("::"));
  }
  return used->count == 1 && (is_namespace || key_count == 1) ? used->items[0] : (Str){ 0 };
}

static void check_key(DiagSink *sink, PyRef node, Str key, const Domains *used, size_t key_count)
{
  Str meant = meant_by_key(sink, key, used, key_count);
  if (meant.len == 0 || !sink_wants(sink, RULE_UNUSED_CUSTOM_OPSET, OWN))
    return;
  Str message = arena_printf(sink->arena, "No operator of this file has the domain '%.*s': did you mean '%.*s'?",
                             STR_ARG(key), STR_ARG(meant));
  py_say(sink, RULE_UNUSED_CUSTOM_OPSET, OWN, node, message, py_edit_string(sink, false, node, meant));
}

static void check_missing_domain(DiagSink *sink, PyRef dictionary, Str domain)
{
  if (!sink_wants(sink, RULE_CUSTOM_DOMAIN_VERSION, OWN))
    return;
  Str message = arena_printf(sink->arena, "'%.*s' is not in custom_opsets, so its version is 1.", STR_ARG(domain));
  Str title = arena_printf(sink->arena, "Add '%.*s'", STR_ARG(domain));
  Str text = arena_printf(sink->arena, "\"%.*s\": 1", STR_ARG(domain));
  py_say(sink, RULE_CUSTOM_DOMAIN_VERSION, OWN, dictionary, message,
         py_edit_append(sink, true, title, dictionary, text));
}

/// Whether onnxscript gives the domain another version than custom_opsets.
static void check_version(DiagSink *sink, PyRef value, Str key, const ScriptOpset *opset)
{
  int64_t here;
  if (!py_model_int(sink_python(sink)->model, value, &here) || here == opset->version ||
      !sink_wants(sink, RULE_OPSET_VERSION_CONFLICT, OWN))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, opset->node),
                                arena_printf(sink->arena, "Version %d is given here.", (int)opset->version) };
  Str message = arena_printf(
      sink->arena, "The domain '%.*s' gets version %d here, but its Opset() has version %d: give both the same.",
      STR_ARG(key), (int)here, (int)opset->version);
  bool is_literal = py_kind(&sink_python(sink)->model->tree, value) == PYK_INTEGER;
  Str right = arena_printf(sink->arena, "%d", (int)opset->version);
  py_report(sink, RULE_OPSET_VERSION_CONFLICT, OWN, value,
            (Diagnostic){ .message = message,
                          .related = related,
                          .related_count = 1,
                          .fixes = is_literal ? py_edit_replace(sink, false, value, right) : NULL,
                          .fix_count = is_literal });
}

static const ScriptOpset *find_script_opset(const ScriptOpsets *opsets, Str domain)
{
  for (size_t i = 0; i < opsets->count; i++) {
    if (str_equal(opsets->items[i].domain, domain))
      return &opsets->items[i];
  }
  return NULL;
}

/// The keys of a dict that is written out; false if one of them, or a `**`, hides something.
static bool read_keys(DiagSink *sink, PyRef dictionary, Domains *ret_keys)
{
  const PyModel *model = sink_python(sink)->model;
  *ret_keys = (Domains){ .is_complete = true };
  for (PY_EACH_CHILD(&model->tree, child, dictionary)) {
    Str key;
    PyRef key_node = py_child(&model->tree, child, PY_F_KEY);
    if (py_kind(&model->tree, child) != PYK_PAIR || !py_model_string(model, key_node, sink->arena, &key))
      return false;
    add_domain(ret_keys, key);
  }
  return ret_keys->is_complete;
}

static void check_custom_opsets(DiagSink *sink, PyRef dictionary, const Used *used)
{
  const PyModel *model = sink_python(sink)->model;
  Domains keys;
  if (!read_keys(sink, dictionary, &keys))
    return;
  for (PY_EACH_CHILD(&model->tree, pair, dictionary)) {
    PyRef node = py_child(&model->tree, pair, PY_F_KEY);
    PyRef value = py_child(&model->tree, pair, PY_F_VALUE);
    Str key = { 0 };
    py_model_string(model, node, sink->arena, &key);
    const ScriptOpset *script = find_script_opset(&used->scripts, key);
    if (script && value)
      check_version(sink, value, key, script);
    if (!script && used->domains.is_complete && !has_domain(&used->domains, key))
      check_key(sink, node, key, &used->domains, keys.count);
  }
  for (size_t i = 0; i < used->domains.count; i++) {
    // Version 1 of com.microsoft is all there is.
    Str domain = used->domains.items[i];
    if (!has_domain(&keys, domain) && !str_equal(domain, STR("com.microsoft")))
      check_missing_domain(sink, dictionary, domain);
  }
}

/// Nobody says a version: it is 1, as almost always.
static void check_no_opsets(DiagSink *sink, const PyCall *export, const Domains *domains)
{
  for (size_t i = 0; i < domains->count && !keys_may_give(sink_python(sink)->model, export, "custom_opsets"); i++) {
    if (str_equal(domains->items[i], STR("com.microsoft")) ||
        py_file_exporter(sink_python(sink), export).kind == EXPORT_DYNAMO ||
        !sink_wants(sink, RULE_CUSTOM_DOMAIN_VERSION, SEVERITY_HINT))
      continue;
    py_say(
        sink, RULE_CUSTOM_DOMAIN_VERSION, SEVERITY_HINT, export->function_node,
        arena_printf(sink->arena, "'%.*s' is not in custom_opsets, so its version is 1.", STR_ARG(domains->items[i])),
        NULL);
  }
}

static void check_exports(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (model->exports.count == 0)
    return;
  Used *used = ARENA_NEW(sink->arena, Used);
  used->domains = domains_of_ops(model);
  read_script_opsets(sink, &used->scripts);
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyArgument *argument =
        py_model_argument(model, &model->calls.items[model->exports.items[i]], 13, "custom_opsets");
    PyRef value = argument ? py_model_resolve(model, argument->value) : 0;
    if (value && py_kind(&model->tree, value) == PYK_DICTIONARY)
      check_custom_opsets(sink, value, used);
    else if (!argument)
      check_no_opsets(sink, &model->calls.items[model->exports.items[i]], &used->domains);
  }
}

// --- g.onnxscript_op(): the opset of the function's body, and that of the model ---

/// The ONNX Script function of this file that `g.onnxscript_op(f, ...)` puts into the graph; PY_ABSENT.
static uint32_t script_of(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyRef attribute = py_tree_member(tree, call->function_node);
  const PyArgument *argument = py_model_argument(model, call, 0, NULL);
  if (!attribute || !argument || !str_equal(py_text(tree, attribute), STR("onnxscript_op")) ||
      py_kind(tree, argument->value) != PYK_IDENTIFIER)
    return PY_ABSENT;
  const PyBinding *binding = py_model_binding_of(model, call->scope, argument->value);
  if (!binding || binding->kind != PY_BIND_FUNCTION)
    return PY_ABSENT;
  uint32_t function = binding->index;
  return model->functions.items[function].roles & PY_ROLE_ONNXSCRIPT ? function : PY_ABSENT;
}

/// An operator of the body that is another one in a model of `opset`, or is missing there. The ONNX checker refuses
/// such a model; where both opsets mean the same version of each operator, it doesn't. Source: onnx/checker.cc,
/// check_opset_compatibility.
static const PyOp *find_conflict(const PyFile *file, uint32_t function, int opset)
{
  const PyModel *model = file->model;
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    if (op->kind != PY_OP_ONNXSCRIPT || op->scope != function || op->opset == 0 || op->domain.len > 0)
      continue;
    const OnnxOperator *onnx = symbolics_onnx_operator(file->db, op->domain, op->name);
    if (onnx && onnx_operator_at(onnx, op->opset) != onnx_operator_at(onnx, opset))
      return op;
  }
  return NULL;
}

/// A conflict in every model that a registration makes: of the opset that is exported to, or, if nobody tells it, of
/// any that chooses this one. `ret_opset` is the first of them.
static const PyOp *find_sure_conflict(const PyFile *file, const PyRegistration *registration, uint32_t script, int own,
                                      int *ret_opset)
{
  OpsetSet all = py_file_all_opsets(file, registration->name);
  int first = file->export_opset > 0 ? file->export_opset : file->range.min;
  int last = file->export_opset > 0 ? file->export_opset : file->range.max;
  const PyOp *conflict = NULL;
  bool is_chosen = false;
  for (int opset = first; opset <= last; opset++) {
    if (opset_set_dispatch(all, opset) != own)
      continue;
    is_chosen = true;
    const PyOp *op = find_conflict(file, script, opset);
    if (!op)
      return NULL;
    *ret_opset = conflict ? *ret_opset : opset;
    conflict = conflict ? conflict : op;
  }
  return is_chosen ? conflict : find_conflict(file, script, own);
}

static void say_conflict(DiagSink *sink, const PyRegistration *registration, uint32_t script, const PyOp *op, int opset)
{
  const PyFile *file = sink_python(sink);
  if (!sink_wants(sink, RULE_OPSET_VERSION_CONFLICT, SEVERITY_ERROR))
    return;
  const OnnxOperator *onnx = symbolics_onnx_operator(file->db, op->domain, op->name);
  bool is_there = onnx_operator_at(onnx, opset) != NULL;
  Str name = file->model->functions.items[script].name;
  Str message = arena_printf(
      sink->arena,
      "'%.*s' is written in opset %d, but put into a model of opset %d, %s: the model is invalid. "
      "Write it in opset %d, or register it and export to opset %d.",
      STR_ARG(name), op->opset, opset,
      arena_printf(sink->arena, is_there ? "where '%.*s' is another version" : "which has no '%.*s'", STR_ARG(op->name))
          .data,
      opset, op->opset);
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, op->name_node), STR("The operator is used here.") };
  PyRef node = registration->opset_node ? registration->opset_node : registration->node;
  py_report(sink, RULE_OPSET_VERSION_CONFLICT, SEVERITY_ERROR, node,
            (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

static void check_script(DiagSink *sink, uint32_t script, uint32_t caller, int *checked)
{
  const PyFile *file = sink_python(sink);
  for (size_t i = 0; i < file->model->registrations.count && *checked < PY_CONFLICT_LIMIT; i++) {
    const PyRegistration *registration = &file->model->registrations.items[i];
    if (registration->function != caller || registration->kind == PY_REG_UNREGISTER || !registration->opset_known ||
        registration->opset_count != 1)
      continue;
    int own = file->model->opsets.items[registration->first_opset];
    int opset = own;
    (*checked)++;
    const PyOp *op = find_sure_conflict(file, registration, script, own, &opset);
    if (op)
      say_conflict(sink, registration, script, op, opset);
  }
}

static void check_scripts(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  int checked = 0;
  for (size_t i = 0; i < model->calls.count && checked < PY_CONFLICT_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t script = call->scope == PY_ABSENT ? PY_ABSENT : script_of(model, call);
    if (script != PY_ABSENT)
      check_script(sink, script, call->scope, &checked);
  }
}

/// Two opsets of ONNX in one function: onnxscript takes the first, and refuses the other.
static void check_script_opsets(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  int *opsets = ARENA_ARRAY(sink->arena, int, model->functions.count);
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    bool is_script = op->kind == PY_OP_ONNXSCRIPT && op->scope != PY_ABSENT && op->opset > 0 && op->domain.len == 0 &&
                     (model->functions.items[op->scope].roles & PY_ROLE_ONNXSCRIPT);
    if (!is_script)
      continue;
    if (opsets[op->scope] == 0)
      opsets[op->scope] = op->opset;
    if (opsets[op->scope] == op->opset || !sink_wants(sink, RULE_OPSET_VERSION_CONFLICT, SEVERITY_ERROR))
      continue;
    py_say(sink, RULE_OPSET_VERSION_CONFLICT, SEVERITY_ERROR, op->name_node,
           arena_printf(sink->arena,
                        "'%.*s' is of opset %d, and this function began with opset %d: it can have only one.",
                        STR_ARG(op->name), op->opset, opsets[op->scope]),
           NULL);
  }
}

void check_python_domains(DiagSink *sink)
{
  check_exports(sink);
  check_scripts(sink);
  check_script_opsets(sink);
}
