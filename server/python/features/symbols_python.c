// textDocument/documentSymbol in Python: the functions that make nodes of a graph, and what they convert. Everything
// else is listed by a Python server.

#include "base/buffer.h"
#include "base/limits.h"
#include "python/features/python_features.h"
#include "python/features/python_help.h"

enum { NAMES_SHOWN = 3 };

/// LSP SymbolKind.
enum { KIND_METHOD = 6, KIND_FUNCTION = 12 };

static OpsetSet registered_opsets(const PyModel *model, uint32_t function)
{
  OpsetSet set = 0;
  for (PY_EACH_REGISTRATION(model, registration, function))
    set |= py_file_registration_opsets(model, registration);
  return set;
}

static Str role_words(uint32_t roles)
{
  if (roles & PY_ROLE_AUTOGRAD)
    return STR("symbolic function of an autograd.Function");
  if (roles & PY_ROLE_ONNXSCRIPT)
    return STR("ONNX Script function");
  if (roles & PY_ROLE_TORCHLIB)
    return STR("torchlib function");
  return (Str){ 0 };
}

Str python_function_detail(const PyFile *file, uint32_t function, Arena *arena)
{
  PyNames names = py_file_registered_names(file, function, arena);
  if (names.count == 0)
    return role_words(file->model->functions.items[function].roles);
  Buffer text = { 0 };
  for (size_t i = 0; i < names.count && i < NAMES_SHOWN; i++)
    buffer_printf(&text, "%s%.*s", i > 0 ? ", " : "", STR_ARG(names.items[i]));
  if (names.count > NAMES_SHOWN)
    buffer_printf(&text, " and %zu more", names.count - NAMES_SHOWN);
  OpsetSet opsets = registered_opsets(file->model, function);
  if (opsets != 0)
    buffer_printf(&text, ", %.*s", STR_ARG(opset_set_phrase(opsets, arena)));
  Str detail = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return detail;
}

Range python_function_selection(const PyFile *file, uint32_t function)
{
  const PyFunction *at = &file->model->functions.items[function];
  if (at->name_node)
    return py_node_range(&file->model->tree, at->name_node);
  Range range = py_node_range(&file->model->tree, at->node);
  return (Range){ range.start, range.start + STR("lambda").len };
}

Range python_function_range(const PyFile *file, uint32_t function)
{
  return py_node_range(&file->model->tree, file->model->functions.items[function].outer);
}

/// How many symbolic functions are around it; they come before it.
static uint32_t depth_of(const PyModel *model, uint32_t function)
{
  uint32_t depth = 0;
  for (uint32_t at = model->functions.items[function].parent; at != PY_ABSENT; at = model->functions.items[at].parent)
    depth += py_file_is_symbolic(&model->functions.items[at]);
  return depth;
}

SymbolList python_symbols(const FeatureContext *context)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  if (!file)
    return (SymbolList){ 0 };
  const PyModel *model = file->model;
  Symbol *items = ARENA_ARRAY(context->arena, Symbol, model->functions.count);
  size_t count = 0;
  for (uint32_t i = 0; i < model->functions.count && count < DOCUMENT_SYMBOL_LIMIT; i++) {
    if (!py_file_is_symbolic(&model->functions.items[i]) || feature_is_cancelled(context))
      continue;
    items[count++] = (Symbol){
      .name = py_file_function_title(model, i, context->arena),
      .detail = python_function_detail(file, i, context->arena),
      .kind = model->functions.items[i].class_node ? KIND_METHOD : KIND_FUNCTION,
      .range = python_function_range(file, i),
      .selection = python_function_selection(file, i),
      .depth = depth_of(model, i),
    };
  }
  return (SymbolList){ items, count };
}
