// Features of reports and logs: those of the two graphs in it, the program and the model, at the same places; what
// failed, as a hover; and the frames of tracebacks as links.

#include "base/limits.h"
#include "base/vec.h"
#include "report/onnx_report_private.h"
#include "why/cut.h"

static bool contains(Range range, size_t offset)
{
  return offset >= range.start && offset < range.end;
}

static FeatureContext part_context(const FeatureContext *context, const Snapshot *part)
{
  FeatureContext asked = *context;
  asked.snapshot = part;
  return asked;
}

/// Of the program, for what is about the exported code alone.
static FeatureContext graph_context(const FeatureContext *context)
{
  return part_context(context, report_of(context->snapshot)->graph);
}

/// Of the model if the place is in there.
static FeatureContext context_at(const FeatureContext *context, size_t offset)
{
  const ReportModel *model = report_of(context->snapshot);
  return part_context(context, model->onnx && contains(model->onnx_range, offset) ? model->onnx : model->graph);
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
  FeatureContext graph = context_at(context, offset);
  const ReportModel *model = report_of(context->snapshot);
  Range range;
  const WhyFinding *finding = finding_at(model, offset, &range);
  if (!finding)
    return feature_hover(&graph, offset, ret_hover);
  Str words = why_failure_words(&model->answer, finding, context->arena);
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

// --- The graphs' own ---

#define ASK_AT(type, name)                                                                                             \
  static type name(const FeatureContext *context, size_t offset)                                                       \
  {                                                                                                                    \
    FeatureContext graph = context_at(context, offset);                                                                \
    return feature_##name(&graph, offset);                                                                             \
  }
ASK_AT(CallItemList, call_items)
ASK_AT(CallEdgeList, incoming_calls)
ASK_AT(CallEdgeList, outgoing_calls)
ASK_AT(LocationList, definition)
ASK_AT(HighlightList, highlight)
ASK_AT(LocationList, implementation)
ASK_AT(SelectionList, selection)
ASK_AT(LocationList, type_definition)
#undef ASK_AT

static LocationList references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  FeatureContext graph = context_at(context, offset);
  return feature_references(&graph, offset, include_declaration);
}

static Rename rename_value(const FeatureContext *context, size_t offset, Str new_name)
{
  FeatureContext graph = context_at(context, offset);
  return feature_rename(&graph, offset, new_name);
}

static bool rename_place(const FeatureContext *context, size_t offset, RenamePlace *ret_place)
{
  FeatureContext graph = context_at(context, offset);
  return feature_rename_place(&graph, offset, ret_place);
}

/// One array after the other.
static const void *join(Arena *arena, const void *first, size_t first_size, const void *second, size_t second_size)
{
  char *all = arena_alloc(arena, first_size + second_size);
  if (first_size > 0)
    memcpy(all, first, first_size);
  if (second_size > 0)
    memcpy(all + first_size, second, second_size);
  return all;
}
#define JOIN(type, first, second)                                                                                      \
  ((type){ join(context->arena, (first).items, (first).count * sizeof(*(first).items), (second).items,                 \
                (second).count * sizeof(*(first).items)),                                                              \
           (first).count + (second).count })

/// What the program has, and what the model has.
#define ASK_BOTH(type, name, ask)                                                                                      \
  static type name(const FeatureContext *context)                                                                      \
  {                                                                                                                    \
    const ReportModel *model = report_of(context->snapshot);                                                           \
    FeatureContext part = graph_context(context);                                                                      \
    type program = ask(&part);                                                                                         \
    part = part_context(context, model->onnx);                                                                         \
    type onnx = model->onnx ? ask(&part) : (type){ 0 };                                                                \
    return JOIN(type, program, onnx);                                                                                  \
  }
ASK_BOTH(FoldList, both_foldings, feature_folding)
ASK_BOTH(LensList, lenses, feature_lenses)
ASK_BOTH(SymbolList, symbols, feature_symbols)
#undef ASK_BOTH

/// The text around the program does not fold the model away.
static FoldList folding(const FeatureContext *context)
{
  const Document *document = snapshot_document(context->snapshot);
  const Range onnx = report_of(context->snapshot)->onnx_range;
  uint32_t first = document_line_of(document, onnx.start);
  uint32_t last = document_line_of(document, onnx.end);
  FoldList all = both_foldings(context);
  Fold *items = ARENA_ARRAY(context->arena, Fold, all.count);
  size_t count = 0;
  for (size_t i = 0; i < all.count; i++) {
    bool is_around = onnx.end > 0 && all.items[i].start_line < first && all.items[i].end_line >= last;
    if (!is_around)
      items[count++] = all.items[i];
  }
  return (FoldList){ items, count };
}

/// What is in a part of a range, of the graph that is there, so that all is in the order of the text.
#define ASK_RANGE(type, name)                                                                                          \
  static type name##_between(const FeatureContext *context, Range range, size_t start, size_t end)                     \
  {                                                                                                                    \
    FeatureContext part = context_at(context, start);                                                                  \
    range.start = range.start > start ? range.start : start;                                                           \
    range.end = range.end < end ? range.end : end;                                                                     \
    return range.start < range.end ? feature_##name(&part, range) : (type){ 0 };                                       \
  }                                                                                                                    \
                                                                                                                       \
  static type name(const FeatureContext *context, Range range)                                                         \
  {                                                                                                                    \
    const Range onnx = report_of(context->snapshot)->onnx_range;                                                       \
    FeatureContext part = graph_context(context);                                                                      \
    if (onnx.end == 0)                                                                                                 \
      return feature_##name(&part, range);                                                                             \
    type before = name##_between(context, range, 0, onnx.start);                                                       \
    type inside = name##_between(context, range, onnx.start, onnx.end);                                                \
    type after = name##_between(context, range, onnx.end, SIZE_MAX);                                                   \
    inside = JOIN(type, before, inside);                                                                               \
    return JOIN(type, inside, after);                                                                                  \
  }
ASK_RANGE(InlayHintList, inlay_hints)
ASK_RANGE(SemanticTokenList, tokens)
#undef ASK_RANGE

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
  .implementation = implementation,
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
  .rename = rename_value,
  .rename_place = rename_place,
  .selection = selection,
  .symbols = symbols,
  .tokens = tokens,
  .type_definition = type_definition,
};
