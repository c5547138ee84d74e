#include "lsp/notebook_params.h"

enum { KIND_CODE = 2 };  // NotebookCellKind

Str notebook_params_read_uri(const Value *params)
{
  Str uri = { 0 };
  value_to_str(value_path(params, "notebookDocument.uri"), &uri);
  return uri;
}

static bool read_cells(const Value *list, Arena *arena, NotebookSplice *splice)
{
  size_t count = value_count(list);
  NotebookCellParams *cells = ARENA_ARRAY(arena, NotebookCellParams, count);
  for (size_t i = 0; i < count; i++) {
    int64_t kind = 0;
    if (!value_to_str(value_get(value_at(list, i), "document"), &cells[i].uri) ||
        !value_to_int(value_get(value_at(list, i), "kind"), &kind))
      return false;
    cells[i].is_code = kind == KIND_CODE;
  }
  splice->cells = cells;
  splice->cell_count = count;
  return true;
}

static bool read_opened(const Message *message, const Value *list, Arena *arena, NotebookParams *params)
{
  DidOpen *opened = ARENA_ARRAY(arena, DidOpen, value_count(list));
  for (size_t i = 0; i < value_count(list); i++) {
    if (!document_params_read_item(message, value_at(list, i), &opened[i]))
      return false;
  }
  params->opened = opened;
  params->opened_count = value_count(list);
  return true;
}

bool notebook_params_read_open(const Message *message, Arena *arena, NotebookParams *ret_params)
{
  const Value *params = message_params(message);
  const Value *cells = value_path(params, "notebookDocument.cells");
  *ret_params = (NotebookParams){ .uri = notebook_params_read_uri(params), .has_splice = true };
  return ret_params->uri.len > 0 && value_kind(cells) == VALUE_ARRAY && read_cells(cells, arena, &ret_params->splice) &&
         read_opened(message, value_get(params, "cellTextDocuments"), arena, ret_params);
}

static bool read_closed(const Value *list, Arena *arena, NotebookParams *params)
{
  Str *closed = ARENA_ARRAY(arena, Str, value_count(list));
  for (size_t i = 0; i < value_count(list); i++) {
    if (!value_to_str(value_get(value_at(list, i), "uri"), &closed[i]))
      return false;
  }
  params->closed = closed;
  params->closed_count = value_count(list);
  return true;
}

static bool read_structure(const Message *message, const Value *structure, Arena *arena, NotebookParams *params)
{
  const Value *array = value_get(structure, "array");
  int64_t start;
  int64_t delete_count;
  if (!value_to_int(value_get(array, "start"), &start) ||
      !value_to_int(value_get(array, "deleteCount"), &delete_count) || start < 0 || delete_count < 0)
    return false;
  params->has_splice = true;
  params->splice.start = (size_t)start;
  params->splice.delete_count = (size_t)delete_count;
  return read_cells(value_get(array, "cells"), arena, &params->splice) &&
         read_opened(message, value_get(structure, "didOpen"), arena, params) &&
         read_closed(value_get(structure, "didClose"), arena, params);
}

static bool read_texts(const Message *message, const Value *list, Arena *arena, NotebookParams *params)
{
  DidChange *changed = ARENA_ARRAY(arena, DidChange, value_count(list));
  for (size_t i = 0; i < value_count(list); i++) {
    const Value *text = value_at(list, i);
    changed[i].uri = (Str){ 0 };
    if (!value_to_str(value_path(text, "document.uri"), &changed[i].uri) ||
        !document_params_read_version(value_path(text, "document.version"), &changed[i].version) ||
        !document_params_read_changes(message, value_get(text, "changes"), arena, &changed[i]))
      return false;
  }
  params->changed = changed;
  params->changed_count = value_count(list);
  return true;
}

bool notebook_params_read_change(const Message *message, Arena *arena, NotebookParams *ret_params)
{
  const Value *params = message_params(message);
  const Value *cells = value_path(params, "change.cells");
  const Value *structure = value_get(cells, "structure");
  *ret_params = (NotebookParams){ .uri = notebook_params_read_uri(params) };
  if (ret_params->uri.len == 0 || value_kind(value_get(params, "change")) != VALUE_OBJECT)
    return false;
  bool is_structure = value_kind(structure) == VALUE_OBJECT;
  return (!is_structure || read_structure(message, structure, arena, ret_params)) &&
         read_texts(message, value_get(cells, "textContent"), arena, ret_params);
}
