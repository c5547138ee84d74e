#include "lsp/picture_json.h"

#include "lsp/feature_method.h"

static void member_if(Writer *writer, const char *key, Str text)
{
  if (text.len > 0)
    writer_member_str(writer, key, text);
}

static void write_values(Writer *writer, const char *key, CardValueList values)
{
  if (values.count == 0)
    return;
  writer_key(writer, key);
  writer_open(writer, '[');
  for (size_t i = 0; i < values.count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "name", values.items[i].name);
    member_if(writer, "what", values.items[i].what);
    writer_member_int(writer, "line", values.items[i].line);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_card(Writer *writer, const Card *card)
{
  writer_open(writer, '{');
  writer_member_str(writer, "kind", str_from(card_kind_name(card->kind)));
  if (card->scope != NO_SCOPE) {
    writer_member_int(writer, "scope", card->scope);
    writer_member_int(writer, "lastLine", card->last_line);
    writer_member_int(writer, "nodes", card->node_count);
  }
  writer_member_int(writer, "line", card->line);
  writer_member_str(writer, "title", card->title);
  member_if(writer, "detail", card->detail);
  member_if(writer, "operator", card->operator_name);
  member_if(writer, "source", card->source);
  write_values(writer, "inputs", card->inputs);
  write_values(writer, "outputs", card->outputs);
  writer_member_int(writer, "x", card->place->x);
  writer_member_int(writer, "y", card->place->y);
  writer_member_int(writer, "width", card->place->width);
  writer_member_int(writer, "height", card->place->height);
  writer_close(writer, '}');
}

static void write_line(Writer *writer, const PictureLine *line)
{
  writer_open(writer, '{');
  writer_member_int(writer, "from", line->edge->from);
  writer_member_int(writer, "to", line->edge->to);
  member_if(writer, "label", line->label);
  writer_key(writer, "points");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < line->edge->point_count; i++) {
    writer_int(writer, line->edge->points[i].x);
    writer_int(writer, line->edge->points[i].y);
  }
  writer_close(writer, ']');
  writer_close(writer, '}');
}

static void write_folded(Writer *writer, const Picture *picture)
{
  writer_key(writer, "folded");
  writer_open(writer, '[');
  for (size_t i = 0; i < picture->folded_count; i++) {
    writer_open(writer, '[');
    writer_int(writer, picture->folded[i].line);
    writer_int(writer, picture->folded[i].shown_line);
    writer_close(writer, ']');
  }
  writer_close(writer, ']');
}

static void write_scope(Writer *writer, const char *key, uint32_t scope)
{
  writer_key(writer, key);
  if (scope == NO_SCOPE)
    writer_null(writer);
  else
    writer_int(writer, scope);
}

void picture_json_write(Writer *writer, const Picture *picture)
{
  writer_open(writer, '{');
  write_scope(writer, "scope", picture->scope);
  write_scope(writer, "parent", picture->parent);
  writer_member_str(writer, "title", picture->title);
  writer_member_str(writer, "detail", picture->detail);
  writer_member_int(writer, "firstLine", picture->first_line);
  writer_member_int(writer, "lastLine", picture->last_line);
  writer_member_int(writer, "leftOut", picture->left_out);
  writer_member_int(writer, "width", picture->size.width);
  writer_member_int(writer, "height", picture->size.height);
  writer_key(writer, "cards");
  writer_open(writer, '[');
  for (size_t i = 0; i < picture->card_count; i++)
    write_card(writer, &picture->cards[i]);
  writer_close(writer, ']');
  writer_key(writer, "lines");
  writer_open(writer, '[');
  for (size_t i = 0; i < picture->line_count; i++)
    write_line(writer, &picture->lines[i]);
  writer_close(writer, ']');
  write_folded(writer, picture);
  writer_close(writer, '}');
}

// --- Requests ---

static void compute_picture(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  Picture *picture = ARENA_NEW(context->arena, Picture);
  ret_result->picture = feature_picture(context, &params->picture, picture) ? picture : NULL;
}

static void write_picture(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  (void)context;
  if (result->picture)
    picture_json_write(writer, result->picture);
  else
    writer_null(writer);
}

COMPUTE(search, found_cards, feature_picture_search(context, params->query))

static void write_found(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  (void)context;
  writer_open(writer, '{');
  writer_key(writer, "found");
  writer_open(writer, '[');
  for (size_t i = 0; i < result->found_cards.count; i++) {
    const FoundCard *card = &result->found_cards.items[i];
    writer_open(writer, '{');
    writer_member_int(writer, "scope", card->scope);
    writer_member_int(writer, "line", card->line);
    writer_member_str(writer, "title", card->title);
    writer_member_str(writer, "name", card->name);
    writer_member_bool(writer, "opens", card->opens != NO_SCOPE);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  writer_member_bool(writer, "more", result->found_cards.is_cut);
  writer_close(writer, '}');
}

COMPUTE(words, text, feature_picture_words(context, params->position.line))

static void write_words(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  (void)context;
  writer_str(writer, result->text);
}

const FeatureMethod picture_methods[] = {
  { .name = "onnxls/graph",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_picture,
    .compute = compute_picture,
    .write = write_picture },
  { .name = "onnxls/graphSearch",
    .cost = COST_TEXT,
    .empty = "{\"found\":[],\"more\":false}",
    .read = params_read_search,
    .compute = compute_search,
    .write = write_found },
  { .name = "onnxls/graphWords",
    .cost = COST_PLACE,
    .empty = "\"\"",
    .read = params_read_position,
    .compute = compute_words,
    .write = write_words },
  { 0 },
};
