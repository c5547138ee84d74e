// unused-suppression: comments that switch nothing off, and mistakes in them. Nothing is said of a rule that could not
// have spoken under the settings in force.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "core/suppress.h"

typedef struct Reporter {
  Suppressor *suppressor;
  const Document *document;
  Arena *arena;
  DiagnosticVec *diagnostics;
  size_t limit;
  size_t hidden;
  size_t nearest_count;
  const Suppression *item;  ///< The comment that is being reported, as the rest.
  Str line;
  size_t line_start;
  Fix unused_fix;  ///< Removes every name that does nothing; made when first needed.
} Reporter;

/// Whether the rule can be about this document at all. Of a TorchScript dump the dynamo exporter refuses nothing.
static bool is_silent(const Suppressor *suppressor, RuleId rule)
{
  const Target *target = snapshot_target(suppressor->snapshot);
  const Language *language = snapshot_language(suppressor->snapshot);
  bool is_support = rule == RULE_UNSUPPORTED_OP || rule == RULE_OP_NEEDS_NEWER_OPSET;
  return target->severities[rule] == SEVERITY_OFF ||
         (is_support && target->exporter == EXPORTER_DYNAMO && !(language && language->is_for_dynamo));
}

static bool is_unused(const Suppressor *suppressor, const SuppressedName *name)
{
  return name->rule != RULE_COUNT && !name->is_used && !is_silent(suppressor, name->rule);
}

/// A comment without brackets may be there for a rule that is silent now.
static bool does_nothing(const Suppressor *suppressor, const Suppression *item)
{
  return !item->directive.has_list && !item->is_used && !is_silent(suppressor, RULE_UNSUPPORTED_OP);
}

// --- Who is excused ---

/// Whether there is something to say of the comment, other than that it ignores unused-suppression for nothing.
static bool has_fault(const Suppressor *suppressor, const Suppression *item)
{
  if (!suppressor_item_is_in_force(item) || does_nothing(suppressor, item) || item->name_count == 0)
    return true;
  for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
    const SuppressedName *name = &suppressor->names.items[n];
    if (name->rule == RULE_COUNT || (name->rule != RULE_UNUSED_SUPPRESSION && is_unused(suppressor, name)))
      return true;
  }
  return false;
}

static void find_excused(Suppressor *suppressor)
{
  suppressor_enter(suppressor, 0, NO_LINE);
  for (size_t i = 0; i < suppressor->items.count; i++) {
    Suppression *item = &suppressor->items.items[i];
    uint32_t line = item->target == NO_LINE ? item->line : item->target;
    item->is_excused = has_fault(suppressor, item) && suppressor_takes_line(suppressor, RULE_UNUSED_SUPPRESSION, line);
  }
}

// --- Fixes ---

static Range in_document(const Reporter *reporter, Range range)
{
  return (Range){ reporter->line_start + range.start, reporter->line_start + range.end };
}

/// What goes when the comment goes: it with the blanks before it, or its line if nothing else is there.
static Range comment_to_remove(const Reporter *reporter)
{
  const Directive *directive = &reporter->item->directive;
  if (directive->end < reporter->line.len)
    return in_document(reporter, (Range){ directive->hash, directive->end });
  size_t before = ascii_blanks_start(reporter->line, directive->hash);
  if (before > 0)
    return in_document(reporter, (Range){ before, reporter->line.len });
  uint32_t next = reporter->item->line + 1;
  bool is_last = next == document_line_count(reporter->document);
  return (Range){ reporter->line_start,
                  is_last ? document_length(reporter->document) : document_line_start(reporter->document, next) };
}

static Fix make_fix(const Reporter *reporter, Str title, Range range, Str text, bool is_safe)
{
  TextEdit *edit = ARENA_NEW(reporter->arena, TextEdit);
  *edit = (TextEdit){ range, text };
  return (Fix){ .title = title, .edits = edit, .edit_count = 1, .is_safe = is_safe };
}

/// Removes the comment's names but those that `stays` says, or all of it if none is left.
static Fix remove_names(const Reporter *reporter, bool (*stays)(const Reporter *, uint32_t name, uint32_t except),
                        uint32_t except, bool is_safe)
{
  const Suppression *item = reporter->item;
  const SuppressedName *names = reporter->suppressor->names.items;
  Vec(Str) parts = { 0 };
  for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
    if (!stays(reporter, n, except))
      continue;
    if (parts.count > 0)
      vec_push(&parts, STR(", "));
    vec_push(&parts, str_slice(reporter->line, names[n].range.start, names[n].range.end));
  }
  Str text = arena_join(reporter->arena, parts.items, parts.count);
  vec_free(&parts);
  if (text.len == 0)
    return make_fix(reporter, STR("Remove this comment"), comment_to_remove(reporter), text, is_safe);
  Range range = { names[item->first_name].range.start, names[item->first_name + item->name_count - 1].range.end };
  return make_fix(reporter, STR("Remove what ignores nothing"), in_document(reporter, range), text, is_safe);
}

static bool is_in_use(const Reporter *reporter, uint32_t name, uint32_t except)
{
  return !is_unused(reporter->suppressor, &reporter->suppressor->names.items[name]);
}

static bool is_another(const Reporter *reporter, uint32_t name, uint32_t except)
{
  return name != except;
}

// --- Diagnostics ---

static void add(Reporter *reporter, Diagnostic diagnostic, const Fix *fixes, size_t fix_count)
{
  diagnostic.rule = RULE_UNUSED_SUPPRESSION;
  diagnostic.range = in_document(reporter, diagnostic.range);
  Fix *kept = ARENA_ARRAY(reporter->arena, Fix, fix_count);
  for (size_t i = 0; i < fix_count; i++)
    kept[i] = fixes[i];
  diagnostic.fixes = kept;
  diagnostic.fix_count = fix_count;
  vec_push(reporter->diagnostics, diagnostic);
}

static bool has_room(Reporter *reporter)
{
  if (reporter->limit == 0 || reporter->diagnostics->count < reporter->limit)
    return true;
  reporter->hidden++;
  return false;
}

static Range whole_comment(const Reporter *reporter)
{
  const Directive *directive = &reporter->item->directive;
  return (Range){ directive->hash, ascii_blanks_start(reporter->line, directive->end) };
}

static const char *place(const Suppression *item)
{
  if (item->directive.kind == DIRECTIVE_IGNORE_FILE)
    return "in this file";
  return item->is_alone ? "on the line below" : "on this line";
}

/// A search for the nearest word compares many; a file full of mistakes gets so many of them.
static bool may_guess(Reporter *reporter)
{
  return reporter->nearest_count++ < SUPPRESSION_GUESS_LIMIT;
}

static void report_unknown_name(Reporter *reporter, uint32_t n)
{
  const SuppressedName *name = &reporter->suppressor->names.items[n];
  Str word = str_slice(reporter->line, name->range.start, name->range.end);
  RuleId rule = may_guess(reporter) ? rule_nearest(word) : RULE_COUNT;
  const char *near = rule != RULE_COUNT ? rule_info(rule)->name : NULL;
  Fix fixes[2];
  size_t count = 0;
  Diagnostic diagnostic = { .range = name->range };
  if (near) {
    diagnostic.message =
        arena_printf(reporter->arena, "There is no rule '%.*s'; did you mean '%s'?", STR_ARG(word), near);
    fixes[count++] = make_fix(reporter, arena_printf(reporter->arena, "Write `%s`", near),
                              in_document(reporter, name->range), str_from(near), false);
  } else {
    diagnostic.message = arena_printf(reporter->arena, "There is no rule '%.*s'.", STR_ARG(word));
  }
  // Somebody who mistyped a name wants it right, not gone.
  if (reporter->nearest_count < SUPPRESSION_GUESS_LIMIT)
    fixes[count++] = remove_names(reporter, is_another, n, near == NULL);
  add(reporter, diagnostic, fixes, count);
}

static void report_unused_name(Reporter *reporter, uint32_t n)
{
  const SuppressedName *name = &reporter->suppressor->names.items[n];
  Str message = arena_printf(reporter->arena, "There is no '%s' to ignore %s.", rule_info(name->rule)->name,
                             place(reporter->item));
  if (reporter->unused_fix.edit_count == 0)
    reporter->unused_fix = remove_names(reporter, is_in_use, 0, true);
  add(reporter, (Diagnostic){ .range = name->range, .is_unnecessary = true, .message = message }, &reporter->unused_fix,
      1);
}

static void report_names(Reporter *reporter)
{
  const Suppression *item = reporter->item;
  for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
    const SuppressedName *name = &reporter->suppressor->names.items[n];
    bool is_about_comments = name->rule == RULE_UNUSED_SUPPRESSION;
    if (item->is_excused && !is_about_comments)
      continue;
    if (name->rule == RULE_COUNT && has_room(reporter))
      report_unknown_name(reporter, n);
    else if (is_unused(reporter->suppressor, name) && has_room(reporter))
      report_unused_name(reporter, n);
  }
}

/// Whether all of the names do nothing, and none of them is a mistake.
static bool is_all_unused(const Reporter *reporter)
{
  const Suppression *item = reporter->item;
  for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
    if (!is_unused(reporter->suppressor, &reporter->suppressor->names.items[n]))
      return false;
  }
  return true;
}

static void report_unused_comment(Reporter *reporter)
{
  const Suppression *item = reporter->item;
  Diagnostic diagnostic = { .range = whole_comment(reporter), .is_unnecessary = true };
  if (!item->directive.has_list)
    diagnostic.message = arena_printf(reporter->arena, "There is nothing to ignore %s.", place(item));
  else if (item->name_count == 1)
    diagnostic.message =
        arena_printf(reporter->arena, "There is no '%s' to ignore %s.",
                     rule_info(reporter->suppressor->names.items[item->first_name].rule)->name, place(item));
  else
    diagnostic.message = arena_printf(reporter->arena, "These rules have nothing to ignore %s.", place(item));
  Fix fix = make_fix(reporter, STR("Remove this comment"), comment_to_remove(reporter), STR(""), true);
  add(reporter, diagnostic, &fix, 1);
}

/// `# onnxls: ignroe`; other words may be meant for nobody.
static void report_keyword(Reporter *reporter)
{
  const char *words[] = { "ignore", "ignore-file" };
  Range range = reporter->item->directive.keyword;
  Str word = str_slice(reporter->line, range.start, range.end);
  const char *near = word.len > 0 && may_guess(reporter)
                         ? nearest_word(arena_copy(reporter->arena, word).data, words, COUNT(words))
                         : NULL;
  if (!near)
    return;
  Fix fix = make_fix(reporter, arena_printf(reporter->arena, "Write `%s`", near), in_document(reporter, range),
                     str_from(near), false);
  Str message = arena_printf(reporter->arena, "'%.*s' does nothing; did you mean '%s'?", STR_ARG(word), near);
  add(reporter, (Diagnostic){ .range = range, .message = message }, &fix, 1);
}

/// Why the comment does not do what it asks for.
static void report_mistake(Reporter *reporter)
{
  const Directive *directive = &reporter->item->directive;
  Diagnostic diagnostic = { .range = whole_comment(reporter) };
  if (directive->has_list && !directive->is_closed)
    diagnostic.message = STR("This comment ignores nothing: its bracket is not closed.");
  else if (directive->has_list && reporter->item->name_count == 0)
    diagnostic.message = STR("This comment ignores nothing: there is no rule between its brackets.");
  else if (!reporter->item->is_alone)
    diagnostic.message = STR("This comment ignores nothing: 'ignore-file' has to be on a line of its own.");
  else
    diagnostic.message =
        arena_printf(reporter->arena, "This comment ignores nothing: 'ignore-file' has to come before %s.",
                     snapshot_language(reporter->suppressor->snapshot)->first_code);
  add(reporter, diagnostic, NULL, 0);
}

static void report_item(Reporter *reporter, const Suppression *item)
{
  reporter->item = item;
  reporter->line = document_line(reporter->document, item->line);
  reporter->line_start = document_line_start(reporter->document, item->line);
  reporter->unused_fix = (Fix){ 0 };
  const Suppressor *suppressor = reporter->suppressor;
  bool is_mistaken = !suppressor_item_is_in_force(item) || (item->directive.has_list && item->name_count == 0);
  if (item->directive.kind == DIRECTIVE_UNKNOWN || is_mistaken) {
    if (item->is_excused || !has_room(reporter))
      return;
    if (item->directive.kind == DIRECTIVE_UNKNOWN)
      report_keyword(reporter);
    else
      report_mistake(reporter);
  } else if (item->directive.has_list ? !item->is_excused && is_all_unused(reporter) : does_nothing(suppressor, item)) {
    if (!item->is_excused && has_room(reporter))
      report_unused_comment(reporter);
  } else {
    report_names(reporter);
  }
}

size_t suppressor_report(Suppressor *suppressor, size_t limit, Arena *arena, DiagnosticVec *ret_diagnostics)
{
  if (suppressor->items.count == 0)
    return 0;
  Reporter reporter = {
    .suppressor = suppressor,
    .document = snapshot_document(suppressor->snapshot),
    .arena = arena,
    .diagnostics = ret_diagnostics,
    .limit = limit,
  };
  find_excused(suppressor);
  for (size_t i = 0; i < suppressor->items.count; i++)
    report_item(&reporter, &suppressor->items.items[i]);
  return reporter.hidden;
}
