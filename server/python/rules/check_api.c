// Names of torch.onnx, torch.export and torch.library that are private, deprecated, gone, not there yet, or never were,
// and names that onnx and onnxruntime don't have.

#include <stdlib.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/rules/public_objects.h"
#include "python/rules/symbolic/value_check.h"

/// What the facts say of a name, for all torch versions of the file.
typedef struct Verdict {
  const PyApi *api;    ///< NULL if nothing is known against it.
  PyApiStatus status;  ///< FINE where the versions differ in what is not a deprecation.
  Str name;            ///< "torch.onnx.symbolic_registry"
} Verdict;

static Verdict verdict_of(const PyFile *file, Str name)
{
  const PyApi *api = export_api_name(file->db, name);
  if (!api)
    return (Verdict){ .name = name };
  uint32_t count = 0;
  uint32_t by_status[PY_API_MOVED + 1] = { 0 };
  for (PY_EACH_TORCH(file, torch)) {
    by_status[export_api_status(api, export_api_torch_release(file->db, torch))]++;
    count++;
  }
  PyApiStatus status = PY_API_FINE;
  if (by_status[PY_API_REMOVED] + by_status[PY_API_MOVED] == count)
    status = by_status[PY_API_MOVED] > 0 ? PY_API_MOVED : PY_API_REMOVED;
  else if (by_status[PY_API_NOT_YET] == count)
    status = PY_API_NOT_YET;
  else if (by_status[PY_API_DEPRECATED] > 0)
    status = PY_API_DEPRECATED;
  else if (by_status[PY_API_PRIVATE] > 0)
    status = PY_API_PRIVATE;
  return (Verdict){ api, status, name };
}

static Severity severity_of(const PyFile *file, PyApiStatus status)
{
  if (status == PY_API_PRIVATE || status == PY_API_DEPRECATED)
    return OWN;
  // The oldest version that the facts know may not be the one in use.
  return file->target->torch_is_default ? SEVERITY_WARNING : SEVERITY_ERROR;
}

static Str message_of(DiagSink *sink, const Verdict *verdict)
{
  const PyApi *api = verdict->api;
  // What is said is said of the entry: of a whole module, if that is what it is about.
  Str name = verdict->status == PY_API_MOVED ? verdict->name : api->name;
  Str words = py_edit_plain_words(api->words, sink->arena);
  Str what;
  switch (verdict->status) {
  case PY_API_NOT_YET:
    what = arena_printf(sink->arena, "comes with torch %d.%d", api->added.major, api->added.minor);
    break;
  case PY_API_DEPRECATED:
    what = arena_printf(sink->arena, "is deprecated since torch %d.%d", api->deprecated.major, api->deprecated.minor);
    break;
  case PY_API_REMOVED:
    what = arena_printf(sink->arena, "was removed in torch %d.%d", api->removed.major, api->removed.minor);
    break;
  case PY_API_MOVED:
    what = arena_printf(sink->arena, "is '%.*s' since torch %d.%d",
                        STR_ARG(export_api_replacement(api, verdict->name, sink->arena)), api->removed.major,
                        api->removed.minor);
    break;
  default:
    what = STR("is private");
    if (api->is_moved)
      what = arena_printf(sink->arena, "is private, and is '%.*s' since torch %d.%d", STR_ARG(api->replacement),
                          api->removed.major, api->removed.minor);
    break;
  }
  return arena_printf(sink->arena, "'%.*s' %.*s. %.*s", STR_ARG(name), STR_ARG(what), STR_ARG(words));
}

/// Code that asks whether the name is there: below `try`, or in a branch on the version.
static bool is_guarded(const PyFile *file, PyRef node)
{
  return py_tree_try_around(&file->model->tree, node) != 0 || py_file_asks_version(file, node);
}

static void say(DiagSink *sink, PyRef node, const Verdict *verdict, const Fix *fix)
{
  Severity severity = severity_of(sink_python(sink), verdict->status);
  bool is_error = severity != OWN;
  // What a version had that the facts don't know is not known.
  if (is_error && sink_python(sink)->torch_is_before)
    return;
  if (is_error && is_guarded(sink_python(sink), node))
    return;
  py_say(sink, RULE_UNSTABLE_API, severity, node, message_of(sink, verdict), fix);
}

// --- Names that are not there ---

/// The length of "torch.onnx" and the like, of which the facts list what is in them; 0 for other names.
static size_t listed_length(Str name)
{
  static const char *const listed[] = { "torch.onnx",    "torch.export", "torch.library",
                                        "torch._export", "onnx",         "onnxruntime" };
  for (size_t i = 0; i < COUNT(listed); i++) {
    Str module = str_from(listed[i]);
    if (str_starts_with(name, module) && (name.len == module.len || name.data[module.len] == '.'))
      return module.len;
  }
  return 0;
}

static bool is_ours(Str name)
{
  return listed_length(name) > 0 && listed_length(name) < name.len;
}

/// The shortest beginning of `torch.onnx.x.y` that no torch version of the file has; empty if there is none, or nobody
/// lists what is around it.
static Str absent_part(const PyFile *file, Str name)
{
  size_t end = is_ours(name) ? listed_length(name) : name.len;
  while (end < name.len) {
    size_t dot = str_find_char(name, '.', end + 1);
    size_t next = dot == STR_NOT_FOUND ? name.len : dot;
    Str part = str_slice(name, 0, next);
    const PyApiMember *member = export_api_member(file->db, part);
    bool is_listed = member || export_api_each_member(file->db, str_slice(name, 0, end), NULL, NULL);
    if (!is_listed || str_starts_with(str_slice(name, end + 1, next), STR("__")))
      break;
    if (!member || (member->torch_versions & file->torches) == 0)
      return part;
    end = next;
  }
  return (Str){ 0 };
}

/// What became of it is known: that says more.
static bool is_gone(PyApiStatus status)
{
  return status == PY_API_REMOVED || status == PY_API_MOVED || status == PY_API_NOT_YET;
}

/// The newest module of the kind `symbolic_opset11` that is no newer than the one that is not there; NULL.
static const char *older_opset_module(const char *const *names, size_t count, Str name)
{
  Str start = STR("symbolic_opset");
  const char *best = NULL;
  long best_opset = 0;
  long wanted = str_starts_with(name, start) ? strtol(name.data + start.len, NULL, 10) : 0;
  for (size_t i = 0; i < count; i++) {
    Str other = str_from(names[i]);
    long opset = str_starts_with(other, start) ? strtol(other.data + start.len, NULL, 10) : 0;
    if (opset > best_opset && opset < wanted) {
      best = names[i];
      best_opset = opset;
    }
  }
  return best;
}

/// The name that somebody meant who wrote `part`, of those around it; NULL.
static const char *member_meant(const PyFile *file, Str part, Arena *arena)
{
  size_t dot = str_rfind_char(part, '.');
  size_t count;
  const char **names = export_api_member_names(file->db, str_slice(part, 0, dot), arena, &count);
  Str name = arena_copy(arena, str_slice(part, dot + 1, part.len));
  const char *older = older_opset_module(names, count, name);
  return older ? older : nearest_word(name.data, names, count);
}

/// What is in onnxruntime itself goes by how it was built: for training, for a device.
static bool is_of_build(Str part)
{
  return str_starts_with(part, STR("onnxruntime.")) && str_rfind_char(part, '.') == STR("onnxruntime").len;
}

/// The releases whose names are listed: an older or a newer one may have more. Source: records/torch/python/
/// other_members.txt.
static const char *listed_releases(Str part)
{
  return str_starts_with(part, STR("onnxruntime.")) ? " in 1.21 to 1.25" : " in 1.12 to 1.20";
}

/// `part` of absent_part(), the last name of which is `node`, or all of it.
static void say_absent(DiagSink *sink, PyRef node, Str part)
{
  const PyFile *file = sink_python(sink);
  bool is_of_torch = public_is_of_torch(part);
  Severity severity = is_of_torch ? severity_of(file, PY_API_REMOVED) : SEVERITY_WARNING;
  if (file->torch_is_before || is_guarded(file, node) || !sink_wants(sink, RULE_UNSTABLE_API, severity))
    return;
  size_t dot = str_rfind_char(part, '.');
  Str name = str_slice(part, dot + 1, part.len);
  bool is_unsure = false;
  bool is_type = str_starts_with(part, STR("onnx.TensorProto.")) && value_type_meant(name).len > 0;  // Is told there.
  if (is_type || py_model_member_is_set_elsewhere(file->model, 0, name) ||
      py_file_opset_guard(file, node, &is_unsure) == 0)
    return;
  const char *near = member_meant(file, part, sink->arena);
  const PyApiMember *member = near ? export_api_member(file->db, part) : NULL;
  Str meant = near && !member ? str_from(near) : (Str){ 0 };
  if (!is_of_torch && (public_is_onnx_itself(file) || (is_of_build(part) && meant.len == 0)))
    return;
  Str guess = meant.len > 0 ? arena_printf(sink->arena, ": did you mean '%s'?", near) : STR(".");
  bool is_whole = str_equal(py_text(&file->model->tree, node), part);
  Str whole[] = { str_slice(part, 0, dot + 1), meant };
  TorchRelease release = export_api_torch_release(file->db, file->torch);
  bool is_plain = is_of_torch ? file->target->torch_is_default : meant.len > 0;
  Str known = is_plain      ? STR("")
              : is_of_torch ? arena_printf(sink->arena, " in torch %d.%d", release.major, release.minor)
                            : str_from(listed_releases(part));
  py_say(sink, RULE_UNSTABLE_API, severity, node,
         arena_printf(sink->arena, "%.*s has no '%.*s'%.*s%.*s", STR_ARG(str_slice(part, 0, dot)), STR_ARG(name),
                      STR_ARG(known), STR_ARG(guess)),
         meant.len > 0 ? py_edit_replace(sink, false, node, is_whole ? arena_join(sink->arena, whole, 2) : meant)
                       : NULL);
}

// --- Imports ---

/// `from a.b import c` that moved to `d.e.c`: another module is all that it takes.
static const Fix *fix_module(DiagSink *sink, PyRef module, Str name, const Verdict *verdict)
{
  if (verdict->status != PY_API_MOVED)
    return NULL;
  Str now = export_api_replacement(verdict->api, verdict->name, sink->arena);
  size_t dot = str_rfind_char(now, '.');
  if (dot == STR_NOT_FOUND || !str_equal(str_slice(now, dot + 1, now.len), name))
    return NULL;
  return py_edit_replace(sink, false, module, str_slice(now, 0, dot));
}

static PyRef imported_name(const PyTree *tree, PyRef child)
{
  PyRef name = py_kind(tree, child) == PYK_ALIASED_IMPORT ? py_child(tree, child, PY_F_NAME) : child;
  return name && py_kind(tree, name) == PYK_DOTTED_NAME ? name : 0;
}

/// What the modules of opsets have beside functions: what they import themselves. Read out of torch 1.13, 2.6 and 2.14.
static bool is_other_of_opset(Str name)
{
  static const char *const names[] = { "annotations", "errors",       "functools", "jit_utils", "math",  "numbers",
                                       "operator",    "registration", "sys",       "torch",     "utils", "warnings" };
  bool is_word = name.len > 0 && name.data[0] >= 'a' && name.data[0] <= 'z';
  return !is_word || str_starts_with(name, STR("opset")) || str_starts_with(name, STR("symbolic_")) ||
         str_is_one_of(name, names, COUNT(names));
}

/// `from torch.onnx.symbolic_opset11 import elu`, which only symbolic_opset9 has: each has what changed at its opset.
static void check_opset_function(DiagSink *sink, Str module, PyRef node)
{
  const PyFile *file = sink_python(sink);
  Str name = py_text(&file->model->tree, node);
  Str package = STR("torch.onnx.");
  Str own = str_slice(module, package.len, module.len);
  Severity severity = severity_of(file, PY_API_REMOVED);
  if (!str_starts_with(module, STR("torch.onnx.symbolic_opset")) || is_other_of_opset(name) || file->torch_is_before ||
      absent_part(file, module).len > 0 ||
      export_api_helper(file->db, arena_printf(sink->arena, "%.*s.%.*s", STR_ARG(own), STR_ARG(name))) ||
      is_guarded(file, node) || !sink_wants(sink, RULE_UNSTABLE_API, severity))
    return;
  Str there = { 0 };
  for (int opset = file->range.max; opset >= file->range.min && there.len == 0; opset--) {
    Str other = arena_printf(sink->arena, "symbolic_opset%d", opset);
    if (export_api_helper(file->db, arena_printf(sink->arena, "%.*s.%.*s", STR_ARG(other), STR_ARG(name))))
      there = other;
  }
  Str near = there.len > 0 ? there : value_helper_meant(sink, own, name);
  if (near.len > 0)
    py_say(
        sink, RULE_UNSTABLE_API, severity, node,
        arena_printf(sink->arena,
                     there.len > 0 ? "%.*s has no '%.*s': it is in %.*s." : "%.*s has no '%.*s': did you mean '%.*s'?",
                     STR_ARG(own), STR_ARG(name), STR_ARG(near)),
        NULL);
}

static void check_from_import(DiagSink *sink, PyRef statement)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef module = py_child(tree, statement, PY_F_MODULE_NAME);
  if (!module || py_kind(tree, module) != PYK_DOTTED_NAME || listed_length(py_text(tree, module)) == 0)
    return;
  Str module_name = py_text(tree, module);
  Verdict of_module = verdict_of(sink_python(sink), module_name);
  bool is_module_gone = of_module.status == PY_API_REMOVED || of_module.status == PY_API_NOT_YET;
  bool says_module = is_module_gone;
  bool says_absent = false;
  uint32_t count = 0;
  for (PY_EACH_CHILD(tree, child, statement))
    count += child != module;
  for (PY_EACH_CHILD(tree, child, statement)) {
    PyRef name = child == module || is_module_gone ? 0 : imported_name(tree, child);
    if (!name) {
      says_module |= py_kind(tree, child) == PYK_WILDCARD_IMPORT && of_module.status != PY_API_FINE;
      continue;
    }
    check_opset_function(sink, module_name, name);
    Str full = arena_printf(sink->arena, "%.*s.%.*s", STR_ARG(module_name), STR_ARG(py_text(tree, name)));
    Verdict verdict = verdict_of(sink_python(sink), full);
    Str absent = is_gone(verdict.status) ? (Str){ 0 } : absent_part(sink_python(sink), full);
    if (absent.len > 0 && !says_absent)
      say_absent(sink, absent.len == full.len ? name : module, absent);
    says_absent |= absent.len > 0 && absent.len < full.len;  // The module: once for all names.
    if (verdict.status == PY_API_FINE || absent.len > 0)
      continue;
    if (verdict.status == PY_API_PRIVATE && of_module.status == PY_API_PRIVATE)
      says_module = true;  // Once for all names of the statement.
    else
      say(sink, name, &verdict, count == 1 ? fix_module(sink, module, py_text(tree, name), &verdict) : NULL);
  }
  if (says_module)
    say(sink, module, &of_module, NULL);
}

static void check_import(DiagSink *sink, PyRef statement)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  for (PY_EACH_CHILD(tree, child, statement)) {
    PyRef name = imported_name(tree, child);
    if (!name || !is_ours(py_text(tree, name)))
      continue;
    Verdict verdict = verdict_of(sink_python(sink), py_text(tree, name));
    const Fix *fix = NULL;
    if (verdict.status == PY_API_MOVED && child != name)  // With `as`, all uses stay right.
      fix = py_edit_replace(sink, false, name, export_api_replacement(verdict.api, verdict.name, sink->arena));
    if (verdict.status != PY_API_FINE)
      say(sink, name, &verdict, fix);
  }
}

// --- Uses ---

/// `torch` of `torch.onnx.export`; 0.
static PyRef root_of(const PyTree *tree, PyRef chain)
{
  PyRef root = chain;
  for (int depth = 0; root && py_kind(tree, root) == PYK_ATTRIBUTE && depth < PY_NESTING_LIMIT; depth++)
    root = py_tree_strip(tree, py_tree_object(tree, root));
  return root && py_kind(tree, root) == PYK_IDENTIFIER ? root : 0;
}

/// Whether something was reported where the first name of the chain was imported.
static bool is_said_at_import(const PyFile *file, PyRef chain)
{
  PyRef root = root_of(&file->model->tree, chain);
  if (!root)
    return true;
  const PyBinding *binding = py_model_binding_at(file->model, root);
  if (!binding || binding->kind != PY_BIND_IMPORT)
    return binding;  // An alias: its own value is a chain that is looked at.
  Str imported = binding->qualified;
  return verdict_of(file, imported).status != PY_API_FINE || absent_part(file, imported).len > 0;
}

typedef struct Said {
  Vec(const PyApi *) privates;  ///< Private parts are mentioned once in a file.
} Said;

static bool is_new(Said *said, const PyApi *api)
{
  for (size_t i = 0; i < said->privates.count; i++) {
    if (said->privates.items[i] == api)
      return false;
  }
  vec_push(&said->privates, api);
  return true;
}

/// Where `a.b.c.d` writes the end of `a.b`: the node of `b`, or 0 if it is not an attribute.
static PyRef end_of_part(const PyTree *tree, PyRef chain, Str name, Str part)
{
  for (size_t i = part.len; i < name.len && chain; i++) {
    if (name.data[i] == '.')
      chain = py_tree_object(tree, chain);
  }
  return py_tree_member(tree, chain);
}

/// Whether the statement that a node is in is no Python.
static bool is_in_damage(const PyTree *tree, PyRef node)
{
  PyRef block;
  PyRef statement = py_tree_statement(tree, node, &block);
  if (!statement || py_kind(tree, block) == PYK_ERROR)
    return true;
  for (PyRef part = statement; part < tree->nodes[statement].next; part++) {
    if (py_kind(tree, part) == PYK_ERROR || py_kind(tree, part) == PYK_MISSING)
      return true;
  }
  return false;
}

/// What a chain reaches for and nothing has. Of the functions of symbolic_helper that are called, helper-call says it.
static bool check_absent(DiagSink *sink, PyRef node, Str name)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str part = absent_part(sink_python(sink), name);
  PyRef end = part.len > 0 ? end_of_part(tree, node, name, part) : 0;
  bool is_call = py_kind(tree, tree->nodes[node].parent) == PYK_CALL && tree->nodes[node].field == PY_F_FUNCTION;
  bool is_helper = is_call && part.len == name.len && str_starts_with(part, STR("torch.onnx.symbolic_helper."));
  bool is_set = tree->nodes[node].field == PY_F_LEFT;
  // An address in what is no Python: `docs/master/onnx.html`.
  if (end && !public_is_of_torch(name) && is_in_damage(tree, node))
    return false;
  if (!end || is_helper || is_set)
    return false;
  say_absent(sink, end, part);
  return true;
}

/// `torch.onnx.log = print`: what is assigned need not be there, what it is a member of has to be.
static bool is_only_set(const PyFile *file, PyRef node, Str name)
{
  return file->model->tree.nodes[node].field == PY_F_LEFT &&
         !is_gone(verdict_of(file, str_slice(name, 0, str_rfind_char(name, '.'))).status);
}

static void check_chain(DiagSink *sink, PyRef node, Said *said, Arena *scratch)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  Str name = py_model_qualified_raw(file->model, node, scratch);
  if (!is_ours(name))
    return;
  Verdict verdict = verdict_of(file, name);
  if ((!is_gone(verdict.status) && check_absent(sink, node, name)) || verdict.status == PY_API_FINE ||
      is_said_at_import(file, node) || (is_gone(verdict.status) && is_only_set(file, node, name)) ||
      (verdict.status == PY_API_PRIVATE && !is_new(said, verdict.api)))
    return;
  const Fix *fix = NULL;
  if (verdict.status == PY_API_MOVED && str_equal(py_text(tree, node), name))
    fix = py_edit_replace(sink, false, node, export_api_replacement(verdict.api, name, sink->arena));
  say(sink, node, &verdict, fix);
}

/// `g.constant(...)`: the facts have it as "g.constant".
static void check_graph_method(DiagSink *sink, const PyCall *call, Arena *scratch)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  if (call->scope == PY_ABSENT || py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return;
  PyRef object = py_tree_object(tree, call->function_node);
  PyRef method = py_tree_member(tree, call->function_node);
  // All versions have g.op(), which is what nearly every call is.
  if (!object || !method || py_kind(tree, object) != PYK_IDENTIFIER || str_equal(py_text(tree, method), STR("op")) ||
      !py_file_is_only(py_file_value(file, object), PY_GRAPH))
    return;
  Str name = arena_printf(scratch, "g.%.*s", STR_ARG(py_text(tree, method)));
  Verdict verdict = verdict_of(file, name);
  if (verdict.status != PY_API_FINE)
    say(sink, method, &verdict, NULL);
}

void check_python_api(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  if (py_is_torch_itself(model))
    return;
  Said said = { 0 };
  Arena scratch = { 0 };
  for (PyRef node = 1; node < tree->count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_IMPORT_FROM_STATEMENT)
      check_from_import(sink, node);
    else if (kind == PYK_IMPORT_STATEMENT)
      check_import(sink, node);
    else if (kind == PYK_ATTRIBUTE && py_kind(tree, tree->nodes[node].parent) != PYK_ATTRIBUTE)
      check_chain(sink, node, &said, &scratch);
  }
  for (size_t i = 0; i < model->calls.count; i++)
    check_graph_method(sink, &model->calls.items[i], &scratch);
  vec_free(&said.privates);
  arena_done(&scratch);
}
