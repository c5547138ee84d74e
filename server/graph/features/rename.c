// textDocument/prepareRename and rename: a value of a graph, wherever the graph and the printable graphs that see it
// name it. A name that the graph has already, or that its language can't spell, is refused with the reason.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/model/dialect.h"

typedef struct Renaming {
  const FeatureContext *context;
  Str before;  ///< As the text spells it, with its sign.
  Str after;
  Vec(TextEdit) edits;
  bool is_cut;  ///< There are more places than the limit.
} Renaming;

// --- Names ---

/// Python's words can't be names in what `torch.fx` prints.
static bool is_python_word(Str name)
{
  static const char *const words[] = { "None", "True",   "False", "and",    "as",   "class",  "def",  "for",
                                       "if",   "in",     "is",    "not",    "or",   "return", "self", "while",
                                       "with", "import", "from",  "lambda", "else", "del" };
  return str_is_one_of(name, words, COUNT(words));
}

static bool is_number(Str name)
{
  return name.len > 0 && ascii_digits_end(name, 0) == name.len;
}

/// Without its sign. TorchScript takes numbers and dots, other languages take neither.
static Str refuse_spelling(const GraphDialect *dialect, Str name)
{
  if (name.len == 0)
    return STR("a value needs a name");
  if (dialect->name_sign && is_number(name))
    return (Str){ 0 };
  bool has_letter_first = ascii_is_letter(name.data[0]) || name.data[0] == '_';
  for (size_t i = 0; i < name.len; i++) {
    if (!ascii_is_word(name.data[i]) && !(dialect->name_sign && name.data[i] == '.'))
      return STR("a name has letters, digits and underscores only");
  }
  if (!has_letter_first)
    return STR("a name begins with a letter or an underscore");
  if (dialect->places_come_first && is_python_word(name))
    return STR("the name is a word of Python");
  return (Str){ 0 };
}

static bool note_place(Place place, bool is_definition, void *context)
{
  *(Place *)context = place;
  return false;
}

/// The new name, where the graph of the value has it already.
static Str refuse_collision(const FeatureContext *context, const NameAt *name, Str after)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  Place place;
  NameAt other = *name;
  other.name = after;
  if (name_at_definition(dump, name, &place))
    other.graph = dump_place_graph(dump, place);
  place = (Place){ .chunk = NO_CHUNK };
  name_at_each_occurrence(dump, &other, note_place, &place);
  if (place.chunk == NO_CHUNK)
    return (Str){ 0 };
  return arena_printf(context->arena, "the graph has a value `%.*s` already, in line %u", STR_ARG(after),
                      dump_place_line(context->snapshot, place) + 1);
}

// --- Edits ---

static bool add_edit(Renaming *renaming, Range range)
{
  if (renaming->edits.count > 0 && vec_last(&renaming->edits)->range.start == range.start)
    return true;
  vec_push(&renaming->edits, (TextEdit){ range, renaming->after });
  renaming->is_cut |= renaming->edits.count >= REFERENCE_LIMIT;
  return !renaming->is_cut && !feature_is_cancelled(renaming->context);
}

/// `;  relu = None` at the end of a line: generated code gives the name up there.
static bool add_given_up(Renaming *renaming, Place place)
{
  const Snapshot *snapshot = renaming->context->snapshot;
  uint32_t number = dump_place_line(snapshot, place);
  Str line = document_line(snapshot_document(snapshot), number);
  size_t tail = str_find(line, STR(";  "), 0);
  Str words = arena_printf(renaming->context->arena, " %.*s = ", STR_ARG(renaming->before));
  size_t at = tail == STR_NOT_FOUND ? tail : str_find(line, words, tail);
  if (at == STR_NOT_FOUND || !str_ends_with(str_trim(line), STR("= None")))
    return true;
  size_t start = document_line_start(snapshot_document(snapshot), number) + at + 1;
  return add_edit(renaming, (Range){ start, start + renaming->before.len });
}

static bool collect(Place place, bool is_definition, void *user)
{
  Renaming *renaming = user;
  bool gives_up = !is_definition && snapshot_dialect(renaming->context->snapshot)->places_come_first;
  return add_edit(renaming, dump_place_range(renaming->context->snapshot, place)) &&
         (!gives_up || add_given_up(renaming, place));
}

static int compare_edits(const void *a, const void *b)
{
  const TextEdit *x = a;
  const TextEdit *y = b;
  return x->range.start < y->range.start ? -1 : x->range.start > y->range.start;
}

/// In order, each place once.
static void settle(Renaming *renaming)
{
  size_t count = 0;
  vec_sort(&renaming->edits, compare_edits);
  for (size_t i = 0; i < renaming->edits.count; i++) {
    if (count == 0 || renaming->edits.items[count - 1].range.start != renaming->edits.items[i].range.start)
      renaming->edits.items[count++] = renaming->edits.items[i];
  }
  renaming->edits.count = count;
}

bool graph_rename_place(const FeatureContext *context, size_t offset, RenamePlace *ret_place)
{
  NameAt name;
  if (!name_at(context->snapshot, offset, &name))
    return false;
  *ret_place = (RenamePlace){ .range = name.range, .name = name.name };
  return true;
}

static Str with_sign(const GraphDialect *dialect, Str name, Arena *arena)
{
  bool has_sign = name.len > 0 && dialect->name_sign && name.data[0] == dialect->name_sign;
  return !dialect->name_sign || has_sign ? name : arena_printf(arena, "%c%.*s", dialect->name_sign, STR_ARG(name));
}

Rename graph_rename(const FeatureContext *context, size_t offset, Str new_name)
{
  const GraphDialect *dialect = snapshot_dialect(context->snapshot);
  NameAt name;
  if (!name_at(context->snapshot, offset, &name))
    return (Rename){ .refusal = STR("there is no value of a graph here") };
  Renaming renaming = { .context = context, .before = name.name };
  renaming.after = with_sign(dialect, str_trim(new_name), context->arena);
  if (str_equal(renaming.before, renaming.after))
    return (Rename){ 0 };
  Str refusal = refuse_spelling(dialect, str_slice(renaming.after, dialect->name_sign ? 1 : 0, renaming.after.len));
  if (refusal.len == 0)
    refusal = refuse_collision(context, &name, renaming.after);
  if (refusal.len > 0)
    return (Rename){ .refusal = refusal };
  name_at_each_occurrence(snapshot_dump(context->snapshot), &name, collect, &renaming);
  settle(&renaming);
  Rename rename = { .count = renaming.edits.count };
  rename.edits = vec_copy(&renaming.edits, context->arena);
  if (renaming.is_cut)
    rename = (Rename){ .refusal = STR("the value is named at too many places") };
  vec_free(&renaming.edits);
  return rename;
}
