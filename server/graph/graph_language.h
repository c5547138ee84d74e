/// The parts of a language's row that all graph languages share.
///
/// A graph language fills in its name, its endings and how its lines are told from others, points `dialect` to its
/// GraphDialect, and takes everything else from GRAPH_LANGUAGE.
///
/// Ownership: constants.
/// Threads:   as core/language.h says.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "core/features.h"
#include "graph/model/dialect.h"

extern const LanguageModel graph_model;
extern const LanguageFeatures graph_features;

void graph_check(DiagSink *sink);
void graph_each_comment(const Snapshot *snapshot, CommentVisitor *visit, void *context);
void graph_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context);
bool graph_has_content(const Snapshot *snapshot);
Str graph_blind_spot(const Snapshot *snapshot, Arena *arena);
void graph_summarize(const Snapshot *snapshot, WorkspaceFile *file);
/// Of that the graphs and modules.
void graph_summarize_landmarks(const Snapshot *snapshot, WorkspaceFile *file);

#define GRAPH_LANGUAGE                                                                                                 \
  .numbers_are_names = true, .works_by_line = true, .first_code = "the first graph",                                   \
  .unread_advice = "print the graph again, one node a line", .model = &graph_model, .check = graph_check,              \
  .each_comment = graph_each_comment, .each_unread = graph_each_unread, .has_content = graph_has_content,              \
  .blind_spot = graph_blind_spot, .summarize = graph_summarize, .features = &graph_features

/// Frees what idle threads keep for reading graphs; for the end of the process.
void graph_free_scratch(void);
