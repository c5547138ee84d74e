#include "graph/features/picture_words.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "describe/type_text.h"
#include "graph/features/graph_features.h"
#include "text/utf.h"

enum {
  TITLE_SHOWN = 60,
  TYPE_SHOWN = 90,
  SOURCE_SHOWN = 400,
  VALUES_SHOWN = 24,  ///< Of one card.
  // In pixels; the page has the same letters.
  TITLE_LETTER = 88,  ///< In tenths, for wide letters.
  DETAIL_LETTER = 67,
  CARD_PADDING = 30,
  CARD_WIDTH_LEAST = 64,
  CARD_WIDTH_MOST = 240,
  CARD_HEIGHT = 44,
  CARD_HEIGHT_FLAT = 28,
};

CardWriter picture_words_writer(const FeatureContext *context, const PictureTree *tree)
{
  return (CardWriter){ .job = operator_context(context),
                       .tree = tree,
                       .walk = { .dump = snapshot_dump(context->snapshot) } };
}

static const LineView *view_of(CardWriter *writer, uint32_t line)
{
  if (!writer->has_view || writer->view.line != line)
    writer->view = line_view(writer->job.snapshot, line, writer->job.arena);
  writer->has_view = true;
  return &writer->view;
}

static Str shorten(const CardWriter *writer, Str text, size_t most)
{
  return markup_shorten(text, most, writer->job.arena);
}

// --- Values ---

static Str type_of(CardWriter *writer, Place definition, uint32_t line)
{
  const LineView *view = view_of(writer, line);
  Range name = dump_place_range(writer->job.snapshot, definition);
  Str type = line_view_type_of(view, name.start);
  type = type.len > 0 ? type : picture_tree_type(writer->tree, name.end);
  return shorten(writer, type_brief(type, writer->job.arena), TYPE_SHOWN);
}

/// `2`, `[1, 1]`, `weight`: what a constant is, as far as its line tells.
static Str constant_text(CardWriter *writer, Place definition, uint32_t line)
{
  const LineView *view = view_of(writer, line);
  bool is_single;
  Str text = { 0 };
  if (hover_constant_text(&writer->job, view, definition, &is_single, &text) && text.len > 0)
    return shorten(writer, text, TITLE_SHOWN);
  if (line_view_attribute(view, STR("name"), &text) || line_view_attribute(view, STR("target"), &text))
    return shorten(writer, text, TITLE_SHOWN);
  return type_of(writer, definition, line);
}

static Str name_of(const CardWriter *writer, Place definition)
{
  return shorten(writer, walk_name(&writer->walk, definition), TITLE_SHOWN);
}

static CardValue value_of(CardWriter *writer, Place definition)
{
  uint32_t line = dump_place_line(writer->job.snapshot, definition);
  CardValue value = { .name = name_of(writer, definition), .line = line };
  value.what = constant_text(writer, definition, line);
  return value;
}

static CardValueList inputs_of(CardWriter *writer, uint32_t leaf)
{
  uint32_t first = writer->tree->leaves[leaf].first_use;
  uint32_t count = writer->tree->leaves[leaf + 1].first_use - first;
  count = count < VALUES_SHOWN ? count : VALUES_SHOWN;
  CardValue *items = ARENA_ARRAY(writer->job.arena, CardValue, count);
  for (uint32_t i = 0; i < count; i++)
    items[i] = value_of(writer, writer->tree->uses[first + i].definition);
  return (CardValueList){ items, count };
}

static CardValueList outputs_of(CardWriter *writer, const Leaf *leaf)
{
  const Item *item = walk_item(&writer->walk, leaf->place);
  uint32_t count = item->def_count < VALUES_SHOWN ? item->def_count : VALUES_SHOWN;
  CardValue *items = ARENA_ARRAY(writer->job.arena, CardValue, count);
  for (uint32_t i = 0; i < count; i++) {
    Place definition = walk_definition(&writer->walk, leaf->place, i);
    items[i] = (CardValue){ name_of(writer, definition), type_of(writer, definition, leaf->line), leaf->line };
  }
  return (CardValueList){ items, count };
}

// --- Operators ---

/// "conv2d" of "aten::conv2d": the name space is in the words beside the picture.
static Str short_operator(Str word)
{
  size_t at = 0;
  for (size_t found; (found = str_find(word, STR("::"), at)) != STR_NOT_FOUND;)
    at = found + 2;
  Str name = str_slice(word, at, word.len);
  size_t dot = str_find_char(name, '.', 0);
  // No overload begins with a digit: `Block.1` is a function of a model.
  bool has_overload =
      at > 0 && dot != STR_NOT_FOUND && dot > 0 && dot + 1 < name.len && !ascii_is_digit(name.data[dot + 1]);
  return has_overload ? str_slice(name, 0, dot) : name;
}

static Str operator_word(const CardWriter *writer, Place place)
{
  Str op = walk_op(&writer->walk, place);
  return dialect_operator_word(snapshot_dialect(writer->job.snapshot), op, writer->job.arena);
}

static Str operator_title(const CardWriter *writer, Place place)
{
  return shorten(writer, short_operator(operator_word(writer, place)), TITLE_SHOWN);
}

static void write_operator(CardWriter *writer, const Leaf *leaf, Card *card)
{
  Str word = operator_word(writer, leaf->place);
  if (word.len == 0) {
    card->title = card->outputs.count > 0 ? card->outputs.items[0].name : STR("?");
    return;
  }
  card->title = operator_title(writer, leaf->place);
  card->operator_name = word;
}

// --- Cards ---

static Str first_what(CardValueList values)
{
  return values.count > 0 ? values.items[0].what : (Str){ 0 };
}

static Str join_names(CardWriter *writer, CardValueList values)
{
  Str text = values.count > 0 ? values.items[0].name : (Str){ 0 };
  for (size_t i = 1; i < values.count && text.len < TITLE_SHOWN; i++)
    text = arena_printf(writer->job.arena, "%.*s, %.*s", STR_ARG(text), STR_ARG(values.items[i].name));
  return shorten(writer, text, TITLE_SHOWN);
}

static void write_input(CardWriter *writer, const Leaf *leaf, Card *card)
{
  CardValue *value = ARENA_NEW(writer->job.arena, CardValue);
  *value = (CardValue){ name_of(writer, leaf->place), type_of(writer, leaf->place, leaf->line), leaf->line };
  card->outputs = (CardValueList){ value, 1 };
  card->title = value->name;
  card->detail = value->what;
}

Card picture_leaf_card(CardWriter *writer, uint32_t number)
{
  const Leaf *leaf = &writer->tree->leaves[number];
  Card card = { .kind = leaf->kind, .scope = NO_SCOPE, .line = leaf->line, .last_line = leaf->line };
  card.source = shorten(writer, str_trim(document_line(writer->job.document, leaf->line)), SOURCE_SHOWN);
  if (leaf->kind == CARD_INPUT) {
    write_input(writer, leaf, &card);
    return card;
  }
  card.inputs = inputs_of(writer, number);
  if (leaf->kind == CARD_OUTPUT) {
    card.title = STR("return");
    card.detail = join_names(writer, card.inputs);
    return card;
  }
  card.outputs = outputs_of(writer, leaf);
  write_operator(writer, leaf, &card);
  card.detail = leaf->kind == CARD_CONSTANT
                    ? constant_text(writer, walk_definition(&writer->walk, leaf->place, 0), leaf->line)
                    : first_what(card.outputs);
  return card;
}

static uint32_t count_nodes(const PictureTree *tree, const TreeScope *scope)
{
  uint32_t count = 0;
  for (uint32_t leaf = scope->first_leaf; leaf < scope->end_leaf; leaf++)
    count += tree->leaves[leaf].kind == CARD_NODE || tree->leaves[leaf].kind == CARD_CONSTANT;
  return count;
}

static void run_words(CardWriter *writer, const TreeScope *scope, Str *ret_title, Str *ret_detail)
{
  Arena *arena = writer->job.arena;
  const Leaf *leaves = writer->tree->leaves;
  *ret_title = arena_printf(arena, "lines %u\xe2\x80\x93%u", leaves[scope->first_leaf].line + 1,
                            leaves[scope->end_leaf - 1].line + 1);
  *ret_detail = (Str){ 0 };
}

void picture_scope_words(CardWriter *writer, uint32_t number, Str *ret_title, Str *ret_detail)
{
  const TreeScope *scope = &writer->tree->scopes[number];
  if (!scope->has_part) {
    run_words(writer, scope, ret_title, ret_detail);
    return;
  }
  const TreeScope *parent = scope->parent == NO_SCOPE ? NULL : &writer->tree->scopes[scope->parent];
  bool is_in_node = parent && parent->has_part && parent->part.kind == PART_NODE;
  Str owner = is_in_node ? walk_op(&writer->walk, parent->part.place) : (Str){ 0 };
  Symbol symbol = outline_symbol(writer->job.context, &scope->part, owner);
  bool is_node = scope->part.kind == PART_NODE;
  *ret_title = is_node ? operator_title(writer, scope->part.place) : shorten(writer, symbol.name, TITLE_SHOWN);
  *ret_detail = shorten(writer, symbol.detail, TYPE_SHOWN);
}

/// "layers.0" in the picture of "encoder", where the whole name says nothing more.
static Str title_within(CardWriter *writer, uint32_t parent, Str title)
{
  const TreeScope *scopes = writer->tree->scopes;
  while (parent != NO_SCOPE && !scopes[parent].has_part)
    parent = scopes[parent].parent;
  if (parent == NO_SCOPE || scopes[parent].part.kind != PART_MODULE)
    return title;
  Str around;
  Str detail;
  picture_scope_words(writer, parent, &around, &detail);
  bool is_below =
      around.len > 0 && str_starts_with(title, around) && title.len > around.len + 1 && title.data[around.len] == '.';
  return is_below ? str_slice(title, around.len + 1, title.len) : title;
}

Card picture_scope_card(CardWriter *writer, uint32_t number)
{
  const TreeScope *scope = &writer->tree->scopes[number];
  Card card = { .kind = CARD_SCOPE, .scope = number, .line = writer->tree->leaves[scope->first_leaf].line };
  card.last_line = writer->tree->leaves[scope->end_leaf - 1].line;
  card.node_count = count_nodes(writer->tree, scope);
  picture_scope_words(writer, number, &card.title, &card.detail);
  card.title = title_within(writer, scope->parent, card.title);
  if (card.detail.len == 0)
    card.detail =
        arena_printf(writer->job.arena, "%.*s node%s", STR_ARG(markup_group_digits(card.node_count, writer->job.arena)),
                     card.node_count == 1 ? "" : "s");
  return card;
}

Card picture_port_card(CardWriter *writer, CardKind kind, Place definition, uint32_t line)
{
  Card card = { .kind = kind, .scope = NO_SCOPE, .line = line, .last_line = line };
  card.title = name_of(writer, definition);
  card.detail = type_of(writer, definition, dump_place_line(writer->job.snapshot, definition));
  return card;
}

/// The letters that are wider than others by half: without them `Gemm` loses its middle.
static int32_t count_wide(Str text)
{
  int32_t count = 0;
  for (size_t i = 0; i < text.len; i++)
    count += memchr("mwMW%@", text.data[i], 6) != NULL;
  return count;
}

static int32_t text_width(Str text, int32_t tenths)
{
  int32_t halves = 2 * (int32_t)utf_units(text, POS_UTF32) + count_wide(text);
  return halves * tenths / 20 + CARD_PADDING;
}

Str graph_picture_words(const FeatureContext *context, uint32_t line)
{
  LineView view = line_view(context->snapshot, line, context->arena);
  Str op = line_view_operator(&view);
  Hover hover;
  bool is_known = op.len > 0 && feature_hover(context, view.start + (size_t)(op.data - view.text.data), &hover);
  return is_known ? hover.plain : (Str){ 0 };
}

LayoutNode picture_card_size(const Card *card)
{
  bool is_port = card->kind == CARD_FROM || card->kind == CARD_TO;
  int32_t width = text_width(card->title, TITLE_LETTER);
  int32_t detail = is_port ? 0 : text_width(card->detail, DETAIL_LETTER);
  width = detail > width ? detail : width;
  width = width < CARD_WIDTH_LEAST ? CARD_WIDTH_LEAST : width > CARD_WIDTH_MOST ? CARD_WIDTH_MOST : width;
  bool is_flat = is_port || card->detail.len == 0;
  return (LayoutNode){ .width = width, .height = is_flat ? CARD_HEIGHT_FLAT : CARD_HEIGHT };
}
