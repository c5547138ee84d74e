// Which export of the file wrote the model that a session reads.

#include "python/rules/session_model.h"

#include "python/rules/module_parts.h"

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

WrittenModels written_models(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  size_t count = export_call_count(model), plain = count - model->export_rows.count;
  WrittenModels written = { .exports = ARENA_ARRAY(sink->arena, ExportCall, count),
                            .paths = ARENA_ARRAY(sink->arena, Str, count),
                            .is_known = true };
  ModuleParts *parts = ARENA_NEW(sink->arena, ModuleParts);
  *parts = module_parts(model, sink->arena);
  for (size_t i = 0; i < count; i++) {
    ExportCall export = export_call(sink, i);
    export.parts = parts;
    PyRef file = export_value(&export, "f");
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
    if (!str_equal(path, written->paths[i]))
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
