// Names of symbolic_helper, and of the modules symbolic_opsetN, that these do not have.

#include <stdio.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/rules/symbolic/value_check.h"

typedef struct ModuleNames {
  Arena *arena;
  Vec(const char *) names;
} ModuleNames;

static bool add_name(const PyHelper *helper, void *context)
{
  ModuleNames *list = context;
  size_t dot = str_rfind_char(helper->name, '.');
  size_t start = dot == STR_NOT_FOUND ? 0 : dot + 1;
  vec_push(&list->names, arena_copy(list->arena, str_slice(helper->name, start, helper->name.len)).data);
  return true;
}

Str value_helper_meant(DiagSink *sink, Str module, Str name)
{
  ModuleNames list = { .arena = sink->arena };
  export_api_each_helper(sink_python(sink)->db, module, add_name, &list);
  const char *near = nearest_word(arena_copy(sink->arena, name).data, list.names.items, list.names.count);
  vec_free(&list.names);
  return near ? str_from(near) : (Str){ 0 };
}

/// What symbolic_helper has beside functions, and what it had, which unstable-api tells.
static bool is_other_member(const PyFile *file, Str name)
{
  char full[96];
  int length = snprintf(full, sizeof(full), "torch.onnx.symbolic_helper.%.*s", STR_ARG(name));
  if (length >= (int)sizeof(full) || export_api_member(file->db, str_from(full)))
    return true;
  const PyApi *api = export_api_name(file->db, str_from(full));
  return api && str_equal(api->name, str_from(full));
}

/// `module` is empty for symbolic_helper. What the modules of opsets lack, torch before 1.13 may have had.
void value_check_unknown_helper(DiagSink *sink, PyRef node, Str module, Str name, bool is_called)
{
  const PyModel *model = sink_python(sink)->model;
  static const char *const tables[] = { "cast_pytorch_to_onnx", "pytorch_name_to_type", "scalar_name_to_pytorch",
                                        "scalar_type_to_onnx" };
  Severity severity = module.len > 0 && sink_python(sink)->target->torch_is_default ? SEVERITY_WARNING : OWN;
  if (is_called && module.len == 0 && str_is_one_of(name, tables, COUNT(tables)) &&
      sink_wants(sink, RULE_HELPER_CALL, OWN))
    py_say(sink, RULE_HELPER_CALL, OWN, node,
           arena_printf(sink->arena, "%.*s is a table and can't be called: write %.*s[...].", STR_ARG(name),
                        STR_ARG(name)),
           NULL);
  bool is_other = module.len == 0 && is_other_member(sink_python(sink), name);
  if (is_other || py_is_torch_itself(model) || sink_python(sink)->torch_is_before ||
      py_file_asks_version(sink_python(sink), node) || !sink_wants(sink, RULE_HELPER_CALL, severity))
    return;
  Str near = value_helper_meant(sink, module, name);
  PyRef member = py_tree_last_name(&model->tree, node);
  Str guess = near.len > 0 ? arena_printf(sink->arena, ": did you mean '%.*s'?", STR_ARG(near)) : STR(".");
  bool is_written = str_equal(py_text(&model->tree, member), name);
  Str where = module.len > 0 ? module : STR("symbolic_helper");
  py_say(sink, RULE_HELPER_CALL, severity, member,
         arena_printf(sink->arena, "%.*s has no '%.*s'%.*s", STR_ARG(where), STR_ARG(name), STR_ARG(guess)),
         near.len > 0 && is_written && py_kind(&model->tree, node) == PYK_ATTRIBUTE
             ? py_edit_replace(sink, false, member, near)
             : NULL);
}

/// "symbolic_opset9" of "symbolic_opset9.relu", if the facts have that module; empty.
Str value_opset_module(const PyFile *file, Str rest)
{
  Str start = STR("symbolic_opset");
  size_t dot = str_find_char(rest, '.', 0);
  uint64_t opset;
  if (dot == STR_NOT_FOUND)
    dot = rest.len;
  if (!str_starts_with(rest, start) || !str_to_uint(str_slice(rest, start.len, dot), OPSET_LIMIT, &opset) ||
      !opset_set_has(opset_set_range(file->range.min, file->range.max), (int)opset))
    return (Str){ 0 };
  return str_slice(rest, 0, dot);
}

/// What the modules import, and so have, too; types begin with a capital letter.
static bool is_imported(Str name)
{
  static const char *const names[] = {
    "torch",    "symbolic_helper", "functools", "math",         "sys",  "warnings",
    "builtins", "errors",          "jit_utils", "registration", "cast", "annotations"
  };
  return str_is_one_of(name, names, COUNT(names)) || !(ascii_to_lower(name.data[0]) == name.data[0]) ||
         str_starts_with(name, STR("opset"));
}

/// `handler = symbolic_opset17.layer_normalization`: what is called is told where that is.
void value_check_helper_name(DiagSink *sink, PyRef attribute)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef object = py_tree_object(tree, attribute), parent = tree->nodes[attribute].parent;
  Str package = STR("torch.onnx.");
  if (!object || py_tree_callee(tree, parent) == attribute || tree->nodes[attribute].field == PY_F_LEFT ||
      py_kind(tree, parent) == PYK_ATTRIBUTE || !py_model_mentions(file->model, "symbolic_opset"))
    return;
  Str whole = py_model_qualified(file->model, object, sink->arena), name = py_tree_member_name(tree, attribute);
  Str rest = str_starts_with(whole, package) ? str_slice(whole, package.len, whole.len) : (Str){ 0 };
  Str module = rest.len > 0 ? value_opset_module(file, rest) : (Str){ 0 };
  if (module.len == 0 || module.len != rest.len || name.len == 0 || str_starts_with(name, STR("_")) ||
      is_imported(name) || py_model_member_is_set_elsewhere(file->model, 0, name))
    return;
  Str parts[] = { module, STR("."), name };
  if (!export_api_helper(file->db, arena_join(sink->arena, parts, COUNT(parts))))
    value_check_unknown_helper(sink, attribute, module, name, false);
}
