/// Params of the language features, as plain data.
///
/// Ownership: strings point into the message; lists live in the arena.
/// Units:     positions are in the session's encoding.
/// Errors:    params of the wrong shape give false, which becomes "invalid params".
/// Threads:   the loop thread reads them; any thread may look at them.
/// Sources:   LSP 3.17 "Language Features".
#pragma once

#include "lsp/position.h"

typedef struct FeatureParams {
  Str uri;
  Position position;
  PositionRange range;
  bool include_declaration;
  const Position *positions;
  size_t position_count;
  Str previous_result_id;
  unsigned action_kinds;  ///< As feature_actions() takes them.
  Str command;
  const Value *arguments;  ///< Of the command, in the message.
  Str trigger;             ///< The character that was typed before completion was asked for; empty if there is none.
} FeatureParams;

typedef bool ParamsReader(const Value *params, Arena *arena, FeatureParams *ret_params);

bool params_read_document(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_position(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_references(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_positions(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_range(const Value *params, Arena *arena, FeatureParams *ret_params);
/// `previousResultId`, which the delta request must have and a pull may.
bool params_read_delta(const Value *params, Arena *arena, FeatureParams *ret_params);
/// `item` of a call hierarchy: its URI, and the start of its selection.
bool params_read_call_item(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_pull(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_completion(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_actions(const Value *params, Arena *arena, FeatureParams *ret_params);
/// A command of ours; its first argument is the document's URI.
bool params_read_command(const Value *params, Arena *arena, FeatureParams *ret_params);
