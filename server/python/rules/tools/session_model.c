// Which export of the file wrote the model that a session reads.

#include "python/rules/tools/session_model.h"

#include "base/ascii.h"
#include "base/nearest.h"
#include "python/rules/module/module_parts.h"
#include "python/rules/result_uses.h"

const PyCall *session_made(const PyModel *model, PyRef node)
{
  const PyCall *call = node ? py_model_call(model, export_resolve(model, node)) : NULL;
  return call && str_equal(call->qualified, STR("onnxruntime.InferenceSession")) ? call : NULL;
}

/// Whether the export comes again with the values that a loop or calls give its names.
static bool has_rows(const PyModel *model, size_t export)
{
  for (size_t i = 0; i < model->export_rows.count; i++) {
    if (model->export_rows.items[i].export == export)
      return true;
  }
  return false;
}

/// "./m.onnx" is "m.onnx".
static Str plain_path(Str path)
{
  while (str_starts_with(path, STR("./")))
    path = str_slice(path, STR("./").len, path.len);
  return path;
}

bool session_is_same_path(Str a, Str b)
{
  return str_equal(plain_path(a), plain_path(b));
}

typedef struct Saved {
  const PyModel *model;
  PyRef file;
  int count;
} Saved;

/// `program.save("m.onnx")`
static void take_saved(void *context, PyRef node)
{
  Saved *saved = context;
  const PyTree *tree = &saved->model->tree;
  PyRef member = tree->nodes[node].parent;
  if (py_tree_object(tree, member) != node || !str_equal(py_tree_member_name(tree, member), STR("save")))
    return;
  const PyCall *call = py_model_call(saved->model, tree->nodes[member].parent);
  bool is_called = call && call->function_node == member;
  const PyArgument *file = is_called ? py_model_argument(saved->model, call, 0, "destination") : NULL;
  saved->file = file ? file->value : 0;
  saved->count++;
}

/// The file that the export writes, or the one that the program that it gives is saved to; 0.
static PyRef written_file(const ExportCall *export)
{
  PyRef file = export_value(export, "f");
  if (file && py_kind(&export->model->tree, file) != PYK_NONE)
    return file;
  Saved saved = { .model = export->model };
  result_each_use(export->model, export->call, take_saved, &saved);
  return saved.count == 1 ? saved.file : 0;
}

WrittenModels written_models(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  size_t count = export_call_count(model), plain = count - model->export_rows.count;
  WrittenModels written = { .exports = ARENA_ARRAY(sink->arena, ExportCall, count),
                            .paths = ARENA_ARRAY(sink->arena, Str, count),
                            .is_known = !py_model_mentions(model, "dynamo_export") };  // That saves by itself.
  ModuleParts *parts = ARENA_NEW(sink->arena, ModuleParts);
  *parts = module_parts(model, sink->arena);
  for (size_t i = 0; i < count; i++) {
    ExportCall export = export_call(sink, i);
    export.parts = parts;
    PyRef file = written_file(&export);
    bool is_left_out = i >= plain && export.model == model;
    bool is_path = file && py_model_string(export.model, file, sink->arena, &written.paths[written.count]);
    if (is_path && !is_left_out && (i >= plain || !has_rows(model, i)))
      written.exports[written.count++] = export;
    else if (!is_path && !is_left_out && (i >= plain || !has_rows(model, i)))
      written.is_known = false;
  }
  return written;
}

/// `path` of `export(net, path)`, a function of the file that returns this parameter; the node itself of others.
static PyRef passed_through(const PyModel *model, PyRef node)
{
  PyRef made = py_model_resolve(model, node);
  const PyCall *call = py_model_call(model, made);
  const PyFunction *function = call && call->function != PY_ABSENT ? &model->functions.items[call->function] : NULL;
  const PyBinding *binding = function && function->return_count == 1 && function->returned
                                 ? py_model_binding_at(model, py_tree_strip(&model->tree, function->returned))
                                 : NULL;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != call->function)
    return node;
  const PyArgument *argument = py_model_argument_of(model, call, binding->index - function->first_param, binding->name);
  return argument && !argument->is_splat ? argument->value : node;
}

bool written_model(const WrittenModels *written, Str path, uint32_t scope, PyRef node, ExportCall *ret_export)
{
  const ExportCall *found = NULL;
  for (size_t i = 0; i < written->count && written->is_known; i++) {
    const ExportCall *export = &written->exports[i];
    if (!session_is_same_path(path, written->paths[i]))
      continue;
    if (found || (export->call->scope == scope && export->call->node > node))
      return false;
    found = export;
  }
  if (!found || found->call->has_dictionary_splat || found->call->has_splat)
    return false;
  *ret_export = *found;
  return true;
}

/// The path without folders and its ending.
static Str base_of(Str path)
{
  Str base = str_after_last(path, '/');
  return str_ends_with(base, STR(".onnx")) ? str_slice(base, 0, base.len - STR(".onnx").len) : base;
}

/// Whether both have the same digits: "encoder2.onnx" is meant so.
static bool has_same_digits(Str a, Str b)
{
  size_t i = 0, k = 0;
  for (;;) {
    while (i < a.len && !ascii_is_digit(a.data[i]))
      i++;
    while (k < b.len && !ascii_is_digit(b.data[k]))
      k++;
    if (i == a.len || k == b.len)
      return i == a.len && k == b.len;
    if (a.data[i++] != b.data[k++])
      return false;
  }
}

/// How often the text has the path.
static size_t count_mentions(Str text, Str path)
{
  size_t count = 0;
  for (size_t at = str_find(text, path, 0); at != STR_NOT_FOUND && count < 2; at = str_find(text, path, at + 1))
    count++;
  return count;
}

Str session_path_meant(const WrittenModels *written, const PyCall *session)
{
  static const char *const movers[] = { "shutil",    "rename", "replace(", "download",  "urlretrieve", "subprocess",
                                        "os.system", "chdir(", "exists(",  "onnx.save", "is_file(",    "sys.argv" };
  const PyModel *model = written->count == 1 ? written->exports[0].file->model : NULL;
  const PyArgument *path = model ? py_model_argument(model, session, 0, "path_or_bytes") : NULL;
  Arena *arena = model ? written->exports[0].sink->arena : NULL;
  Str read, wrote = written->paths[0];
  if (!path || !written->is_known || py_kind(&model->tree, path->value) != PYK_STRING ||
      written->exports[0].call->scope != session->scope || written->exports[0].call->node > session->node ||
      !py_model_string(model, path->value, arena, &read) || session_is_same_path(read, wrote) ||
      str_contains(read, STR("..")) || str_contains(wrote, STR("..")) || count_mentions(model->tree.text, read) != 1 ||
      py_model_mentions_one_of(model, movers, COUNT(movers)))
    return (Str){ 0 };
  enum { SHORT = 4 };  // Any two such names are near.
  const char *word = arena_copy(arena, base_of(wrote)).data;
  bool is_typo = base_of(read).len > SHORT && has_same_digits(read, wrote) &&
                 nearest_word(arena_copy(arena, base_of(read)).data, &word, 1) != NULL;
  bool is_near = is_typo || str_equal(base_of(read), base_of(wrote));
  return is_near ? wrote : (Str){ 0 };
}

bool session_export(const WrittenModels *written, const PyCall *session, ExportCall *ret_export)
{
  if (!written->is_known || written->count == 0)
    return false;
  const PyModel *model = written->exports[0].file->model;
  const PyArgument *path = py_model_argument(model, session, 0, "path_or_bytes");
  Str read;
  return path && py_model_string(model, passed_through(model, path->value), written->exports[0].sink->arena, &read) &&
         written_model(written, read, session->scope, session->node, ret_export);
}
