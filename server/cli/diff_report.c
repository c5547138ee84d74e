#include "cli/diff_report.h"

#include "describe/markup.h"
#include "rpc/writer.h"

enum { SHOWN = 160, RENAMED_SHOWN = 5 };

static const char *const kind_words[] = {
  [DIFFERENCE_ADDED] = "added", [DIFFERENCE_REMOVED] = "removed", [DIFFERENCE_CHANGED] = "changed"
};

static const char *const change_words[] = {
  [CHANGE_OPERATOR] = "operator", [CHANGE_KIND] = "kind",   [CHANGE_ATTRIBUTE] = "attribute",
  [CHANGE_VALUES] = "values",     [CHANGE_TYPE] = "type",   [CHANGE_INPUT] = "input",
  [CHANGE_OUTPUTS] = "outputs",   [CHANGE_ORDER] = "place", [CHANGE_VALUE] = "value",
};

static const char *const part_words[] = { [STRUCTURE_INPUT] = "input",
                                          [STRUCTURE_CONSTANT] = "initializer",
                                          [STRUCTURE_NODE] = "node",
                                          [STRUCTURE_OUTPUT] = "output" };

/// The part that speaks for a difference: where it is new, else where it was. NULL for a fact.
static const Part *part_told(const GraphDiff *diff, const Difference *difference)
{
  if (difference->a != NO_PART)
    return &diff->a->parts.items[difference->a];
  return difference->b != NO_PART ? &diff->b->parts.items[difference->b] : NULL;
}

static const char *thing_word(const Part *part)
{
  return part ? part_words[part->kind] : "model";
}

/// What people know the part by: a node by its label or its first value, others by their value.
static Str part_name(const GraphDiff *diff, const Difference *difference)
{
  const GraphStructure *side = difference->a != NO_PART ? diff->a : diff->b;
  const Part *part = part_told(diff, difference);
  if (!part)
    return difference->fact;
  if (part->label.len > 0 || part->value_count == 0)
    return part->label;
  return side->values.items[part->first_value].name;
}

static Str part_scope(const Part *part)
{
  return part && part->kind == STRUCTURE_NODE ? part->scope : (Str){ 0 };
}

static Str line_text(const DiffReport *report, int side, uint32_t line)
{
  return str_trim(document_line(snapshot_document(report->sides[side].snapshot), line));
}

static bool is_on(const Difference *difference, int side)
{
  return difference->kind == DIFFERENCE_CHANGED || (difference->kind == DIFFERENCE_REMOVED) == (side == 0);
}

static size_t count_of(const GraphDiff *diff, DifferenceKind kind)
{
  size_t count = 0;
  for (size_t i = 0; i < diff->items.count; i++)
    count += diff->items.items[i].kind == kind;
  return count;
}

// --- Text ---

static void add_heading(Buffer *out, const Part *part)
{
  Str scope = part_scope(part);
  if (!part)
    buffer_append(out, STR("\nmodel\n"));
  else if (part->kind != STRUCTURE_NODE)
    buffer_append(out, STR("\ninputs, outputs and initializers\n"));
  else if (scope.len == 0)
    buffer_append(out, STR("\nnodes\n"));
  else
    buffer_printf(out, "\n%.*s\n", STR_ARG(scope));
}

static bool is_same_heading(const Part *a, const Part *b)
{
  if (!a || !b)
    return a == b;
  return (a->kind == STRUCTURE_NODE) == (b->kind == STRUCTURE_NODE) && str_equal(part_scope(a), part_scope(b));
}

static void add_side(Buffer *out, Str text, Arena *arena)
{
  buffer_append(out, text.len > 0 ? markup_shorten(str_trim(text), SHOWN, arena) : STR("(none)"));
}

static void add_change(Buffer *out, const Change *change, Arena *arena)
{
  Str word = str_from(change_words[change->kind]);
  Str name = str_equal(change->name, word) ? (Str){ 0 } : change->name;
  buffer_printf(out, "      %.*s%s%.*s: ", STR_ARG(word), name.len > 0 ? " " : "", STR_ARG(name));
  add_side(out, change->a, arena);
  buffer_append(out, STR(" -> "));
  add_side(out, change->b, arena);
  buffer_append_char(out, '\n');
}

static void add_lines(Buffer *out, const DiffReport *report, const Difference *difference, Arena *arena)
{
  uint32_t lines[] = { difference->line_a, difference->line_b };
  for (int side = 0; side < 2; side++) {
    if (is_on(difference, side))
      buffer_printf(out, "    %c %u: %.*s\n", side == 0 ? '-' : '+', lines[side] + 1,
                    STR_ARG(markup_shorten(line_text(report, side, lines[side]), SHOWN, arena)));
  }
}

static void add_difference(Buffer *out, const DiffReport *report, const Difference *difference, Arena *arena)
{
  const GraphDiff *diff = report->diff;
  const Part *part = part_told(diff, difference);
  Str name = part_name(diff, difference);
  bool is_node = part && part->kind == STRUCTURE_NODE;
  Str thing = is_node ? part->op : part ? str_from(thing_word(part)) : (Str){ 0 };
  buffer_printf(out, "  %s %.*s%s%.*s\n", kind_words[difference->kind], STR_ARG(thing), thing.len > 0 ? " " : "",
                STR_ARG(name));
  for (size_t i = 0; i < difference->change_count; i++)
    add_change(out, &diff->changes.items[difference->first_change + i], arena);
  add_lines(out, report, difference, arena);
}

static void add_renamed(Buffer *out, const GraphDiff *diff)
{
  if (diff->renamed_values == 0 && diff->renamed.count == 0)
    return;
  buffer_printf(out, "%zu %s called otherwise, which is no difference", diff->renamed_values,
                diff->renamed_values == 1 ? "value is" : "values are");
  for (size_t i = 0; i < diff->renamed.count && i < RENAMED_SHOWN; i++)
    buffer_printf(out, "%s %.*s -> %.*s", i == 0 ? ":" : ",", STR_ARG(diff->renamed.items[i].a),
                  STR_ARG(diff->renamed.items[i].b));
  buffer_append(out, diff->renamed.count > RENAMED_SHOWN ? STR(", ...\n") : STR("\n"));
}

static void add_notes(Buffer *out, const GraphDiff *diff)
{
  add_renamed(out, diff);
  if (diff->is_mixed)
    buffer_printf(out,
                  "only operators and how they are joined are compared, because the two texts are of different kinds; "
                  "%zu constants and lists are on one side only\n",
                  diff->minor);
  if (diff->functions > 0)
    buffer_printf(out, "%zu %s left out: the other text has no functions\n", diff->functions,
                  diff->functions == 1 ? "function is" : "functions are");
  if (diff->unknown > 0)
    buffer_printf(out, "values of %zu constants are not compared: a text leaves them out without a hash\n",
                  diff->unknown);
}

void diff_report_text(Buffer *out, const DiffReport *report)
{
  const GraphDiff *diff = report->diff;
  Arena arena = { 0 };
  const Part *before = NULL;
  if (diff->items.count > 0)
    buffer_printf(out, "--- %s\n+++ %s\n", report->sides[0].shown, report->sides[1].shown);
  for (size_t i = 0; i < diff->items.count; i++) {
    const Part *part = part_told(diff, &diff->items.items[i]);
    if (i == 0 || !is_same_heading(before, part))
      add_heading(out, part);
    add_difference(out, report, &diff->items.items[i], &arena);
    before = part;
  }
  if (diff->items.count == 0)
    buffer_append(out, STR("no difference\n"));
  else
    buffer_printf(out, "\n%zu %s: %zu added, %zu removed, %zu changed\n", diff->items.count,
                  diff->items.count == 1 ? "difference" : "differences", count_of(diff, DIFFERENCE_ADDED),
                  count_of(diff, DIFFERENCE_REMOVED), count_of(diff, DIFFERENCE_CHANGED));
  add_notes(out, diff);
  arena_done(&arena);
}

// --- JSON ---

static void write_side(Writer *writer, const char *key, const DiffSide *side)
{
  const Language *language = snapshot_language(side->snapshot);
  writer_key(writer, key);
  writer_open(writer, '{');
  writer_member_str(writer, "file", str_from(side->shown));
  writer_member_str(writer, "kind", str_from(language->name));
  writer_close(writer, '}');
}

static void write_place(Writer *writer, const DiffReport *report, const Difference *difference, int side)
{
  uint32_t line = side == 0 ? difference->line_a : difference->line_b;
  writer_key(writer, side == 0 ? "a" : "b");
  if (!is_on(difference, side)) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '{');
  writer_member_int(writer, "line", (int64_t)line + 1);
  writer_member_str(writer, "text", line_text(report, side, line));
  writer_close(writer, '}');
}

static void write_change(Writer *writer, const Change *change)
{
  writer_open(writer, '{');
  writer_member_str(writer, "what", str_from(change_words[change->kind]));
  writer_member_known_str(writer, "name", change->name);
  writer_member_known_str(writer, "a", change->a);
  writer_member_known_str(writer, "b", change->b);
  writer_close(writer, '}');
}

static void write_difference(Writer *writer, const DiffReport *report, const Difference *difference)
{
  const Part *part = part_told(report->diff, difference);
  writer_open(writer, '{');
  writer_member_str(writer, "kind", str_from(kind_words[difference->kind]));
  writer_member_str(writer, "what", str_from(thing_word(part)));
  writer_member_known_str(writer, "scope", part_scope(part));
  writer_member_known_str(writer, "op", part ? part->op : (Str){ 0 });
  writer_member_known_str(writer, "name", part_name(report->diff, difference));
  write_place(writer, report, difference, 0);
  write_place(writer, report, difference, 1);
  writer_key(writer, "changes");
  writer_open(writer, '[');
  for (size_t i = 0; i < difference->change_count; i++)
    write_change(writer, &report->diff->changes.items[difference->first_change + i]);
  writer_close(writer, ']');
  writer_close(writer, '}');
}

static void write_renamed(Writer *writer, const GraphDiff *diff)
{
  writer_key(writer, "renamed");
  writer_open(writer, '[');
  for (size_t i = 0; i < diff->renamed.count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "a", diff->renamed.items[i].a);
    writer_member_str(writer, "b", diff->renamed.items[i].b);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  writer_member_int(writer, "renamedValues", (int64_t)diff->renamed_values);
}

void diff_report_json(Buffer *out, const DiffReport *report)
{
  const GraphDiff *diff = report->diff;
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_member_bool(&writer, "same", diff->items.count == 0);
  write_side(&writer, "a", &report->sides[0]);
  write_side(&writer, "b", &report->sides[1]);
  writer_key(&writer, "differences");
  writer_open(&writer, '[');
  for (size_t i = 0; i < diff->items.count; i++)
    write_difference(&writer, report, &diff->items.items[i]);
  writer_close(&writer, ']');
  write_renamed(&writer, diff);
  writer_member_bool(&writer, "operatorsOnly", diff->is_mixed);
  writer_member_int(&writer, "valuesNotCompared", (int64_t)diff->unknown);
  writer_member_int(&writer, "functionsNotCompared", (int64_t)diff->functions);
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}
