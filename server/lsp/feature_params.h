/// Params of the language features, as plain data.
///
/// Ownership: strings point into the message; lists live in the arena.
/// Units:     positions are in the session's encoding.
/// Errors:    params of the wrong shape give false, which becomes "invalid params".
/// Threads:   the loop thread reads them; any one thread resolves them.
/// Sources:   LSP 3.17 "Language Features".
#pragma once

#include "core/features.h"
#include "lsp/position.h"

typedef struct TargetChoices TargetChoices;  // session/target_choices.h

typedef struct FeatureParams {
  Str uri;  ///< Of the document.
  Position position;
  PositionRange range;
  const Position *positions;
  size_t position_count;
  // The same in the document, after feature_params_resolve():
  size_t offset;
  Range bytes;  ///< Never ends before it starts.
  const size_t *offsets;
  // What else there is:
  bool include_declaration;
  Str previous_result_id;
  const Value *previous_results;  ///< Of all documents that the client knows of, in the message.
  const Value *partial_token;     ///< NULL if the answer is to come in one piece.
  const Value *progress_token;    ///< NULL if the client shows no progress of this request.
  unsigned action_kinds;          ///< As feature_actions() takes them.
  Str command;
  const Value *arguments;  ///< Of the command, in the message.
  Str query;
  Str new_name;
  PictureQuery picture;
  Str trigger;  ///< The character that was typed before completion was asked for; empty if there is none.
  // What the server puts in:
  Str result_id;                 ///< Of the answer, for methods whose answers have one.
  const ActionWorld *world;      ///< NULL if the method wants none.
  const TargetChoices *choices;  ///< The same.
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
/// `previousResultIds`, and the tokens of what comes before the answer.
bool params_read_workspace_pull(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_completion(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_actions(const Value *params, Arena *arena, FeatureParams *ret_params);
/// A command of ours; its first argument is the document's URI.
bool params_read_command(const Value *params, Arena *arena, FeatureParams *ret_params);
/// `uri` alone: of something that is no document yet.
bool params_read_uri(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_rename(const Value *params, Arena *arena, FeatureParams *ret_params);
/// `scope`, or the line `around` which nodes are asked for; without both the first picture.
bool params_read_picture(const Value *params, Arena *arena, FeatureParams *ret_params);
/// `query` in a document.
bool params_read_search(const Value *params, Arena *arena, FeatureParams *ret_params);
bool params_read_query(const Value *params, Arena *arena, FeatureParams *ret_params);

/// Finds the places that were read in the document: the one way from positions to offsets.
void feature_params_resolve(FeatureParams *params, const Snapshot *snapshot, PosEncoding encoding, Arena *arena);
