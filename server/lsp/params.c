#include "lsp/params.h"

bool params_read_document(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  return value_to_str(value_path(params, "textDocument.uri"), &ret_params->uri);
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

bool params_read_pull(const Value *params, Arena *arena, FeatureParams *ret_params)
{
  const Value *previous = value_get(params, "previousResultId");
  if (!params_read_document(params, arena, ret_params))
    return false;
  return !previous || value_kind(previous) == VALUE_NULL || value_to_str(previous, &ret_params->previous_result_id);
}
