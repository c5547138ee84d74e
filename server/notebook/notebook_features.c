// Features in the text of an .ipynb file: those of the document that the place is in, at their places in the file.

#include "base/vec.h"
#include "notebook/notebook_private.h"

/// The part at a place, and the context to ask it in.
typedef struct Asked {
  const NotebookPart *part;
  FeatureContext context;
  size_t offset;
} Asked;

static bool ask(const FeatureContext *context, size_t offset, Asked *ret_asked)
{
  *ret_asked = (Asked){ .context = *context };
  ret_asked->part = notebook_part_at(notebook_of(context->snapshot), offset, &ret_asked->offset);
  if (ret_asked->part)
    ret_asked->context.snapshot = ret_asked->part->snapshot;
  return ret_asked->part != NULL;
}

static Range in_file(const Asked *asked, Range range)
{
  return notebook_text_in_file(asked->part->text, range);
}

static bool hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  Asked asked;
  if (!ask(context, offset, &asked) || !feature_hover(&asked.context, asked.offset, ret_hover))
    return false;
  ret_hover->range = in_file(&asked, ret_hover->range);
  return true;
}

static LocationList move_locations(const Asked *asked, LocationList list)
{
  Location *items = ARENA_ARRAY(asked->context.arena, Location, list.count);
  for (size_t i = 0; i < list.count; i++) {
    items[i] = list.items[i];
    items[i].origin = in_file(asked, items[i].origin);
    items[i].target = in_file(asked, items[i].target);
    items[i].selection = in_file(asked, items[i].selection);
  }
  return (LocationList){ items, list.count };
}

static LocationList definition(const FeatureContext *context, size_t offset)
{
  Asked asked;
  if (!ask(context, offset, &asked))
    return (LocationList){ 0 };
  return move_locations(&asked, feature_definition(&asked.context, asked.offset));
}

static LocationList references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  Asked asked;
  if (!ask(context, offset, &asked))
    return (LocationList){ 0 };
  return move_locations(&asked, feature_references(&asked.context, asked.offset, include_declaration));
}

static HighlightList highlight(const FeatureContext *context, size_t offset)
{
  Asked asked;
  if (!ask(context, offset, &asked))
    return (HighlightList){ 0 };
  HighlightList list = feature_highlight(&asked.context, asked.offset);
  Highlight *items = ARENA_ARRAY(context->arena, Highlight, list.count);
  for (size_t i = 0; i < list.count; i++)
    items[i] = (Highlight){ in_file(&asked, list.items[i].range), list.items[i].is_write };
  return (HighlightList){ items, list.count };
}

/// The code cells, each with what its code defines.
static SymbolList symbols(const FeatureContext *context)
{
  enum { KIND_MODULE = 2 };
  const NotebookModel *model = notebook_of(context->snapshot);
  const Notebook *notebook = &model->notebook;
  Symbol *items = ARENA_ARRAY(context->arena, Symbol, notebook->cells.count);
  for (size_t i = 0; i < notebook->cells.count; i++) {
    size_t start = notebook->cells.items[i].start;
    size_t end = i + 1 < notebook->cells.count ? notebook->cells.items[i + 1].start : notebook->code.text.len;
    Str first = str_slice(buffer_str(&notebook->code.text), start, end);
    first = str_slice(first, 0, str_find_char(first, '\n', 0));
    items[i] = (Symbol){ .name = arena_printf(context->arena, "Cell %u", notebook->cells.items[i].number),
                         .detail = arena_copy(context->arena, str_slice(str_trim(first), 0, 60)),
                         .kind = KIND_MODULE,
                         .range = notebook_text_in_file(&notebook->code, (Range){ start, end }),
                         .selection = notebook_text_in_file(&notebook->code, (Range){ start, start + first.len }) };
  }
  return (SymbolList){ items, notebook->cells.count };
}

static void count_operators(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *count)
{
  const NotebookModel *model = notebook_of(snapshot);
  for (size_t i = 0; i < model->parts.count; i++) {
    const Snapshot *part = model->parts.items[i].snapshot;
    const LanguageFeatures *features = snapshot_language(part)->features;
    if (snapshot_model(part) && features && features->count_operators)
      features->count_operators(part, db, torch, count);
  }
}

const LanguageFeatures notebook_features = {
  .count_operators = count_operators,
  .definition = definition,
  .highlight = highlight,
  .hover = hover,
  .references = references,
  .symbols = symbols,
};
