/// A request about a document as one complete row: how its params are read, what computes the answer, how that is
/// written as JSON, and what the server says about it in its capabilities.
///
/// A row is beside the functions it names: those of places in navigation_json.c, of calls in calls_json.c, and so
/// on. So a new feature is its result and its function in core/features.h, the function of a language, and a row here.
///
/// Ownership: rows are constants. Results and what they point at live in the context's arena.
/// Units:     a row's `compute` sees byte offsets, its `write` gives positions in the client's encoding.
/// Errors:    params of the wrong shape give false, which becomes "invalid params"; nothing else fails.
/// Threads:   `read` and `after` run on the loop, `compute` and `write` on any thread.
/// Sources:   LSP 3.17 "Language Features".
#pragma once

#include "core/features.h"
#include "lsp/capabilities.h"
#include "lsp/feature_params.h"
#include "lsp/tokens_json.h"

/// What the writing of an answer needs to know.
typedef struct AnswerContext {
  const Snapshot *snapshot;  ///< NULL for a method that is about no document.
  const ClientCapabilities *client;
  const FeatureParams *params;
  Arena *arena;
  const TokenData *tokens_before;  ///< What a delta of tokens is made against; NULL for nothing.
  TokenData **ret_tokens;          ///< Where tokens go that a later delta may refer to.
} AnswerContext;

/// How much a method looks at, which decides where it runs.
typedef enum FeatureCost {
  COST_PLACE,  ///< What is around a place.
  COST_NAME,   ///< What the name there means.
  COST_CHECK,  ///< As much as all rules do.
  COST_TEXT,   ///< The whole text, or many files.
} FeatureCost;

typedef struct Request Request;  // session/request.h

typedef struct FeatureMethod {
  const char *name;  ///< "textDocument/hover"
  FeatureCost cost;
  bool is_closed;         ///< May be about a file of the workspace that no editor has open.
  bool is_workspace;      ///< Is about no document.
  bool reads_files;       ///< Never on the loop.
  bool wants_world;       ///< Its params get a world (ActionWorld).
  bool wants_choices;     ///< Its params get the targets to choose among.
  const char *empty;      ///< The answer for a document that is not open, or not in step.
  const char *provider;   ///< Its name in the server's capabilities...
  const char *provision;  ///< ...and what is there; NULL for `true`.
  ParamsReader *read;
  void (*compute)(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result);
  /// Writes one JSON value.
  void (*write)(Writer *writer, const AnswerContext *context, const FeatureResult *result);
  /// Why the request fails instead, from the answer; empty if it doesn't. NULL for what never does.
  Str (*refusal)(const FeatureResult *result);
  /// Rows of session/ only: the rest of the work, before the answer goes out. NULL if there is none.
  void (*after)(Request *request);
  /// The same: takes over the request, in the place of all the rest but `read`. NULL for most.
  void (*run)(Request *request);
} FeatureMethod;

/// A row's `compute` that makes what a feature says a member of the result.
#define COMPUTE(name, member, call)                                                                                    \
  static void compute_##name(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)    \
  {                                                                                                                    \
    ret_result->member = call;                                                                                         \
  }

// Each ends with a row without a name.
extern const FeatureMethod actions_methods[];
extern const FeatureMethod calls_methods[];
extern const FeatureMethod completion_methods[];
extern const FeatureMethod edits_methods[];
extern const FeatureMethod navigation_methods[];
extern const FeatureMethod picture_methods[];
extern const FeatureMethod signature_methods[];
extern const FeatureMethod status_methods[];
extern const FeatureMethod tokens_methods[];

/// The row among those above; NULL if there is none of that name.
const FeatureMethod *feature_method_find(Str name);
/// The same in one list.
const FeatureMethod *feature_method_in(const FeatureMethod *methods, Str name);
/// What the rows above give to the server's capabilities: members of an open object.
void feature_methods_write_providers(Writer *writer);

static inline PositionCursor answer_cursor(const AnswerContext *context)
{
  return position_cursor_in(context->snapshot, context->client->encoding);
}

/// Of the document with this place: the snapshot's, or that of a cell.
static inline Str answer_uri(const AnswerContext *context, size_t offset)
{
  const Snapshot *snapshot = context->snapshot;
  const Cell *cell = cells_at_line(snapshot_cells(snapshot), document_line_of(snapshot_document(snapshot), offset));
  return cell ? cell->uri : snapshot_uri(snapshot);
}

/// True when the place is in the document that was asked about: a client asks about each cell of a notebook alone.
static inline bool answer_takes(const AnswerContext *context, size_t offset)
{
  const Snapshot *snapshot = context->snapshot;
  const Cell *asked = cells_find(snapshot_cells(snapshot), context->params->uri);
  return !asked ||
         cells_at_line(snapshot_cells(snapshot), document_line_of(snapshot_document(snapshot), offset)) == asked;
}
