#include "onnx_model/walk.h"

/// One open message.
typedef struct Level {
  uint64_t start;
  uint64_t end;
  MessageKind kind;
  uint32_t number;  ///< Of the field in the parent.
  uint64_t children;
} Level;

typedef struct Walk {
  Wire wire;
  ModelStats *stats;
  Buffer *message;
  size_t depth;
  Level levels[MODEL_DEPTH];
} Walk;

/// How many of the parent's fields of that number come before: counted only where it is said.
static uint64_t index_of(const Level *parent, const Level *level, Source *source)
{
  Wire wire = wire_over(source, parent->start, level->start);
  uint64_t before = 0;
  for (Field field; wire_next_field(&wire, &field) == WIRE_FIELD;)
    before += field.number == level->number && walk_field_fits(field_info(parent->kind, field.number), field.wire);
  return before;
}

/// "graph.node[17].attribute[2]": where the innermost open message is.
static void say_place(const Walk *walk)
{
  for (size_t i = 1; i < walk->depth; i++) {
    const Level *level = &walk->levels[i];
    const FieldInfo *info = field_info(walk->levels[i - 1].kind, level->number);
    // Of a deep place only the ends help.
    if (i == 6 && walk->depth > 12) {
      buffer_printf(walk->message, ".(%zu more)", walk->depth - 12);
      i = walk->depth - 7;
      continue;
    }
    buffer_printf(walk->message, "%s%s", i == 1 ? " in " : ".", info->name);
    if (info->type == FIELD_MANY_MESSAGES)
      buffer_printf(walk->message, "[%llu]",
                    (unsigned long long)index_of(&walk->levels[i - 1], level, walk->wire.source));
  }
}

static Status complain(const Walk *walk, Status status, uint64_t at, const char *what)
{
  buffer_printf(walk->message, "%s at byte %llu", what, (unsigned long long)at);
  say_place(walk);
  return status;
}

static void count_unknown(ModelStats *stats, MessageKind message, uint32_t number)
{
  for (size_t i = 0; i < stats->unknown_count; i++) {
    UnknownField *row = &stats->unknown[i];
    if (row->message == message && row->number == number) {
      row->count++;
      return;
    }
  }
  if (stats->unknown_count < MODEL_UNKNOWN_LISTED)
    stats->unknown[stats->unknown_count++] = (UnknownField){ message, number, 1 };
  else
    stats->unknown_beyond++;
}

static void open_level(Walk *walk, const Field *field, MessageKind kind)
{
  uint64_t end = field->start + field->value;
  walk->levels[walk->depth++] = (Level){ .start = field->start, .end = end, .kind = kind, .number = field->number };
  walk->wire.at = field->start;
  walk->wire.end = end;
}

static void close_level(Walk *walk)
{
  walk->depth--;
  if (walk->depth > 0)
    walk->wire.end = walk->levels[walk->depth - 1].end;
}

MUST_USE static Status take_field(Walk *walk, const Field *field)
{
  Level *level = &walk->levels[walk->depth - 1];
  const FieldInfo *info = field_info(level->kind, field->number);
  if (!walk_field_fits(info, field->wire)) {
    count_unknown(walk->stats, level->kind, field->number);
    return OK;
  }
  walk->stats->seen[level->kind] |= UINT32_C(1) << field->number;
  if (field_is_bulk(info))
    return OK;
  if (++level->children > MODEL_CHILDREN)
    return complain(walk, ERR_LIMIT, field->start, "more than 8,000,000 parts in one message");
  if (info->child == MSG_NONE)
    return OK;
  if (walk->depth == MODEL_DEPTH)
    return complain(walk, ERR_FORMAT, field->start,
                    "messages nested more than 100 deep, which no library that reads models takes,");
  open_level(walk, field, info->child);
  return OK;
}

MUST_USE static Status explain_damage(Walk *walk)
{
  const char *problem = walk->wire.problem;
  if (walk->wire.source->problem) {
    buffer_append(walk->message, str_from(problem));
    return ERR_IO;
  }
  // A length that goes past the end of everything: the rest of the file is missing.
  bool is_outermost = walk->depth == 1;
  if (is_outermost && (strstr(problem, "cut off") || strstr(problem, "past the end"))) {
    buffer_printf(walk->message, "the file ends too early, after %llu bytes; ",
                  (unsigned long long)walk->wire.source->size);
    buffer_append(walk->message, STR("it was not downloaded or copied whole, so get it again ("));
    (void)complain(walk, ERR_FORMAT, walk->wire.problem_at, problem);
    buffer_append_char(walk->message, ')');
    return ERR_FORMAT;
  }
  buffer_append(walk->message, STR("damaged: "));
  return complain(walk, ERR_FORMAT, walk->wire.problem_at, problem);
}

MUST_USE static Status run(Walk *walk)
{
  Status status = OK;
  while (status == OK && walk->depth > 0) {
    Field field;
    switch (wire_next_field(&walk->wire, &field)) {
    case WIRE_FIELD:
      status = take_field(walk, &field);
      break;
    case WIRE_END:
      close_level(walk);
      break;
    case WIRE_BAD:
      status = explain_damage(walk);
      break;
    }
  }
  return status;
}

Status model_walk(Source *source, MessageKind kind, ModelStats *ret_stats, Buffer *message)
{
  Walk walk;  // A level is written when it opens: most models need few of them.
  *ret_stats = (ModelStats){ 0 };
  walk.depth = 0;
  walk.wire = wire_over(source, 0, source->size);
  walk.stats = ret_stats;
  walk.message = message;
  open_level(&walk, &(Field){ .start = 0, .value = source->size }, kind);
  return run(&walk);
}
