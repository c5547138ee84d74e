#include "lsp/feature_params.h"

#include "lsp/actions_json.h"

bool params_read_document(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return value_to_str(value_path(params, "textDocument.uri"), &ret_params->uri);
}

bool params_read_uri(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return value_to_str(value_get(params, "uri"), &ret_params->uri);
}

bool params_read_position(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_document(params, arena, ret_params) &&
         position_read(value_get(params, "position"), &ret_params->position);
}

bool params_read_references(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_position(params, arena, ret_params) &&
         value_to_bool(value_path(params, "context.includeDeclaration"), &ret_params->include_declaration);
}

bool params_read_positions(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  const Value *list = value_get(params, "positions");
  if (!params_read_document(params, arena, ret_params) || value_kind(list) != VALUE_ARRAY)
    return false;
  size_t count = value_count(list);
  Position *positions = ARENA_ARRAY(arena, Position, count);
  for (size_t i = 0; i < count; i++) {
    if (!position_read(value_at(list, i), &positions[i]))
      return false;
  }
  ret_params->positions = positions;
  ret_params->position_count = count;
  return true;
}

bool params_read_range(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_document(params, arena, ret_params) &&
         position_read_range(value_get(params, "range"), &ret_params->range);
}

bool params_read_delta(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_document(params, arena, ret_params) &&
         value_to_str(value_get(params, "previousResultId"), &ret_params->previous_result_id);
}

bool params_read_call_item(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  PositionRange range;
  if (!value_to_str(value_path(params, "item.uri"), &ret_params->uri) ||
      !position_read_range(value_path(params, "item.selectionRange"), &range))
    return false;
  ret_params->position = range.start;
  return true;
}

bool params_read_pull(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  const Value *previous = value_get(params, "previousResultId");
  if (!params_read_document(params, arena, ret_params))
    return false;
  return !previous || value_kind(previous) == VALUE_NULL || value_to_str(previous, &ret_params->previous_result_id);
}

/// NULL unless it is a string or an integer.
static const Value *read_token(const Value *params, const char *key)
{
  const Value *token = value_get(params, key);
  Str text;
  int64_t number;
  return value_to_str(token, &text) || value_to_int(token, &number) ? token : NULL;
}

bool params_read_workspace_pull(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  ret_params->previous_results = value_get(params, "previousResultIds");
  ret_params->partial_token = read_token(params, "partialResultToken");
  ret_params->progress_token = read_token(params, "workDoneToken");
  return value_kind(ret_params->previous_results) == VALUE_ARRAY;
}

bool params_read_completion(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  const Value *trigger = value_path(params, "context.triggerCharacter");
  return params_read_position(params, arena, ret_params) &&
         (value_kind(trigger) != VALUE_STRING || value_to_str(trigger, &ret_params->trigger));
}

/// Kinds are paths: one that is asked for stands for all below it.
static bool is_kind_below(Str kind, Str asked)
{
  return str_starts_with(kind, asked) && (asked.len == 0 || kind.len == asked.len || kind.data[asked.len] == '.');
}

/// What applies to the whole file is only given to those who ask for it by name.
static unsigned read_action_kinds(const Value *only)
{
  unsigned kinds = 0;
  if (value_kind(only) != VALUE_ARRAY)
    return 1u << ACTION_QUICKFIX;
  for (size_t i = 0; i < value_count(only); i++) {
    Str asked;
    if (!value_to_str(value_at(only, i), &asked))
      continue;
    if (is_kind_below(STR("quickfix"), asked))
      kinds |= 1u << ACTION_QUICKFIX;
    if (is_kind_below(STR("source.fixAll.onnxls"), asked))
      kinds |= 1u << ACTION_FIX_ALL;
  }
  return kinds;
}

bool params_read_actions(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  ret_params->action_kinds = read_action_kinds(value_path(params, "context.only"));
  return params_read_range(params, arena, ret_params) && value_kind(value_get(params, "context")) == VALUE_OBJECT;
}

bool params_read_command(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  ret_params->arguments = value_get(params, "arguments");
  return value_to_str(value_get(params, "command"), &ret_params->command) &&
         actions_command_find(ret_params->command) != COMMAND_COUNT &&
         value_to_str(value_at(ret_params->arguments, 0), &ret_params->uri);
}

bool params_read_rename(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_position(params, arena, ret_params) &&
         value_to_str(value_get(params, "newName"), &ret_params->new_name);
}

bool params_read_query(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return value_to_str(value_get(params, "query"), &ret_params->query);
}

bool params_read_search(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return params_read_document(params, arena, ret_params) && params_read_query(params, arena, ret_params);
}

/// A whole number from 0, or nothing at all.
static bool read_number(const Value *params, const char *key, bool *ret_is_there, uint32_t *ret_number)
{
  const Value *value = value_get(params, key);
  int64_t number = 0;
  *ret_is_there = value != NULL && value_kind(value) != VALUE_NULL;
  if (*ret_is_there && (!value_to_int(value, &number) || number < 0 || number > INT32_MAX))
    return false;
  *ret_number = (uint32_t)number;
  return true;
}

bool params_read_picture(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  PictureQuery *query = &ret_params->picture;
  bool has_scope;
  return params_read_document(params, arena, ret_params) && read_number(params, "scope", &has_scope, &query->scope) &&
         read_number(params, "around", &query->is_around, &query->line);
}

/// Of the document that a cell is a part of; a place after the cell's end is in its last line.
static Position in_whole(const Snapshot *snapshot, const Cell *cell, Position position)
{
  const CellMap *cells = snapshot_cells(snapshot);
  if (!cell)
    return position;
  const Cell *last = cells_item(cells, cells_count(cells) - 1);
  uint32_t end = cell == last ? document_line_count(snapshot_document(snapshot)) : cell[1].first_line;
  uint32_t count = end - cell->first_line;
  position.line = cell->first_line + (position.line < count ? position.line : count - 1);
  return position;
}

void feature_params_resolve(FeatureParams *params, const Snapshot *snapshot, PosEncoding encoding, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  const Cell *cell = cells_find(snapshot_cells(snapshot), params->uri);
  params->offset = document_offset(document, in_whole(snapshot, cell, params->position), encoding);
  params->bytes.start = document_offset(document, in_whole(snapshot, cell, params->range.start), encoding);
  params->bytes.end = document_offset(document, in_whole(snapshot, cell, params->range.end), encoding);
  if (params->bytes.end < params->bytes.start)
    params->bytes.end = params->bytes.start;
  size_t *offsets = ARENA_ARRAY(arena, size_t, params->position_count);
  for (size_t i = 0; i < params->position_count; i++)
    offsets[i] = document_offset(document, in_whole(snapshot, cell, params->positions[i]), encoding);
  params->offsets = offsets;
}
