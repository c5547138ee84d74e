// Features of reports and logs: those of the graph in it, at the same places; what failed, as a hover; and the frames
// of tracebacks as links.

#include "base/limits.h"
#include "base/vec.h"
#include "report/onnx_report_private.h"
#include "why/cut.h"

static FeatureContext graph_context(const FeatureContext *context)
{
  FeatureContext graph = *context;
  graph.snapshot = report_of(context->snapshot)->graph;
  return graph;
}

static bool contains(Range range, size_t offset)
{
  return offset >= range.start && offset < range.end;
}

/// On the step that failed the likeliest finding, on a message its own.
static const WhyFinding *finding_at(const ReportModel *model, size_t offset, Range *ret_range)
{
  *ret_range = model->stage;
  if (contains(model->stage, offset) && model->answer.count > 0)
    return &model->answer.findings[0];
  for (size_t i = 0; model->has_failed && i < model->answer.count; i++) {
    const WhyFinding *finding = &model->answer.findings[i];
    *ret_range = (Range){ finding->start, finding->end };
    if (contains(*ret_range, offset))
      return finding;
  }
  return NULL;
}

static bool hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  FeatureContext graph = graph_context(context);
  const ReportModel *model = report_of(context->snapshot);
  Range range;
  const WhyFinding *finding = finding_at(model, offset, &range);
  if (!finding)
    return feature_hover(&graph, offset, ret_hover);
  Str words = report_words(model, finding, context->arena);
  *ret_hover = (Hover){ .range = range, .markdown = words, .plain = words };
  return true;
}

// --- Links ---

/// The file on this machine: as the traceback names it, or as a path mapping says.
static bool find_file(const FeatureContext *context, Str path, Str *ret_path)
{
  path = target_map_path(snapshot_target(context->snapshot), path, context->arena);
  *ret_path = path;
  return path.len > 0 && path.data[0] == '/' && context->file_exists(path, context->file_exists_context);
}

static LinkList links(const FeatureContext *context)
{
  FeatureContext graph = graph_context(context);
  LinkList of_graph = feature_links(&graph);
  const Document *document = snapshot_document(context->snapshot);
  Vec(Link) found = { 0 };
  uint32_t asked = 0;
  for (uint32_t line = 0; context->file_exists && line < document_line_count(document); line++) {
    Str text = document_line(document, line);
    WhyFrame frame;
    Str path;
    if (!str_contains(text, STR("File \"")) || !why_read_frame(text, &frame) || asked++ >= LINK_FILE_LIMIT ||
        !find_file(context, frame.path, &path))
      continue;
    size_t start = document_line_start(document, line) + (size_t)(frame.path.data - text.data);
    vec_push(&found, (Link){ .range = { start, start + frame.path.len },
                             .path = path,
                             .line = frame.line > 0 ? frame.line - 1 : 0 });
  }
  for (size_t i = 0; i < of_graph.count; i++)
    vec_push(&found, of_graph.items[i]);
  size_t count = found.count;
  const Link *items = vec_copy(&found, context->arena);
  vec_free(&found);
  return (LinkList){ items, count };
}

// --- The graph's own ---

static LocationList definition(const FeatureContext *context, size_t offset)
{
  FeatureContext graph = graph_context(context);
  return feature_definition(&graph, offset);
}

static LensList lenses(const FeatureContext *context)
{
  FeatureContext graph = graph_context(context);
  return feature_lenses(&graph);
}

static CallItemList call_items(const FeatureContext *context, size_t offset)
{
  FeatureContext graph = graph_context(context);
  return feature_call_items(&graph, offset);
}

static CallEdgeList incoming_calls(const FeatureContext *context, size_t offset)
{
  FeatureContext graph = graph_context(context);
  return feature_incoming_calls(&graph, offset);
}

static CallEdgeList outgoing_calls(const FeatureContext *context, size_t offset)
{
  FeatureContext graph = graph_context(context);
  return feature_outgoing_calls(&graph, offset);
}

static LocationList references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  FeatureContext graph = graph_context(context);
  return feature_references(&graph, offset, include_declaration);
}

static HighlightList highlight(const FeatureContext *context, size_t offset)
{
  FeatureContext graph = graph_context(context);
  return feature_highlight(&graph, offset);
}

static FoldList folding(const FeatureContext *context)
{
  FeatureContext graph = graph_context(context);
  return feature_folding(&graph);
}

static SymbolList symbols(const FeatureContext *context)
{
  FeatureContext graph = graph_context(context);
  return feature_symbols(&graph);
}

static SemanticTokenList tokens(const FeatureContext *context, Range range)
{
  FeatureContext graph = graph_context(context);
  return feature_tokens(&graph, range);
}

static InlayHintList inlay_hints(const FeatureContext *context, Range range)
{
  FeatureContext graph = graph_context(context);
  return feature_inlay_hints(&graph, range);
}

static bool picture(const FeatureContext *context, const PictureQuery *query, Picture *ret_picture)
{
  FeatureContext graph = graph_context(context);
  return feature_picture(&graph, query, ret_picture);
}

static uint32_t picture_scopes(const FeatureContext *context)
{
  FeatureContext graph = graph_context(context);
  return feature_picture_scopes(&graph);
}

static FoundCardList picture_search(const FeatureContext *context, Str text)
{
  FeatureContext graph = graph_context(context);
  return feature_picture_search(&graph, text);
}

static Str picture_words(const FeatureContext *context, uint32_t line)
{
  FeatureContext graph = graph_context(context);
  return feature_picture_words(&graph, line);
}

static void count_operators(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *count)
{
  const Snapshot *graph = report_of(snapshot)->graph;
  snapshot_language(graph)->features->count_operators(graph, db, torch, count);
}

const LanguageFeatures report_features = {
  .call_items = call_items,
  .count_operators = count_operators,
  .definition = definition,
  .folding = folding,
  .highlight = highlight,
  .hover = hover,
  .incoming_calls = incoming_calls,
  .inlay_hints = inlay_hints,
  .lenses = lenses,
  .links = links,
  .outgoing_calls = outgoing_calls,
  .picture = picture,
  .picture_scopes = picture_scopes,
  .picture_search = picture_search,
  .picture_words = picture_words,
  .references = references,
  .symbols = symbols,
  .tokens = tokens,
};
