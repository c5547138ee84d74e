#include "core/suppress.h"

#include "base/limits.h"
#include "base/search.h"
#include "text/marker.h"

// --- Finding the comments ---

static void add_names(Suppressor *suppressor, Suppression *item, Str line)
{
  item->first_name = (uint32_t)suppressor->names.count;
  size_t at = item->directive.list.start;
  Range range;
  while (item->name_count < DIRECTIVE_NAME_LIMIT && directive_next_name(&item->directive, line, &at, &range)) {
    RuleId rule = rule_find(str_slice(line, range.start, range.end));
    vec_push(&suppressor->names, (SuppressedName){ .range = range, .rule = rule });
    item->name_count++;
  }
}

static void add_directive(const CommentPlace *place, void *context)
{
  Suppressor *suppressor = context;
  Str text = document_line(snapshot_document(suppressor->snapshot), place->line);
  Suppression item = { .line = place->line, .target = NO_LINE, .is_alone = place->is_alone, .is_late = place->is_late };
  item.directive = directive_parse(text, place->hash);
  add_names(suppressor, &item, text);
  vec_push(&suppressor->items, item);
}

/// The next line that is more than a comment; NO_LINE if a blank one comes first. Where another comment of ours with a
/// line of its own follows, that one's target is the same.
static uint32_t find_target(const Document *document, uint32_t line, const Suppression *next)
{
  uint32_t count = document_line_count(document);
  for (line++; line < count; line++) {
    if (next && next->is_alone && next->line <= line)
      return next->target;
    Str text = str_trim(document_line(document, line));
    if (text.len == 0)
      return NO_LINE;
    if (text.data[0] != '#')
      return line;
  }
  return NO_LINE;
}

static void find_targets(Suppressor *suppressor, const Document *document)
{
  for (size_t i = suppressor->items.count; i-- > 0;) {
    Suppression *item = &suppressor->items.items[i];
    const Suppression *next = i + 1 < suppressor->items.count ? item + 1 : NULL;
    item->target = item->is_alone ? find_target(document, item->line, next) : item->line;
  }
}

// --- What they switch off ---

bool suppressor_item_is_in_force(const Suppression *item)
{
  const Directive *directive = &item->directive;
  if (directive->kind == DIRECTIVE_UNKNOWN || (directive->has_list && !directive->is_closed))
    return false;
  return directive->kind == DIRECTIVE_IGNORE || (item->is_alone && !item->is_late);
}

/// Where two name the same rule, the first is in use.
static void switch_off(const Suppressor *suppressor, size_t i, SuppressedRules *rules)
{
  const Suppression *item = &suppressor->items.items[i];
  if (!item->directive.has_list && rules->everything == 0)
    rules->everything = (uint32_t)i + 1;
  for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
    RuleId rule = suppressor->names.items[n].rule;
    if (rule != RULE_COUNT && rules->names[rule] == 0)
      rules->names[rule] = n + 1;
  }
}

static void collect_file_rules(Suppressor *suppressor)
{
  for (size_t i = 0; i < suppressor->items.count; i++) {
    Suppression *item = &suppressor->items.items[i];
    if (item->directive.kind != DIRECTIVE_IGNORE_FILE)
      continue;
    if (suppressor_item_is_in_force(item))
      switch_off(suppressor, i, &suppressor->file);
  }
}

void suppressor_init(Suppressor *suppressor, const Snapshot *snapshot)
{
  *suppressor = (Suppressor){ .snapshot = snapshot, .current_line = NO_LINE };
  const Document *document = snapshot_document(snapshot);
  const Language *language = snapshot_language(snapshot);
  if (language && language->each_comment)
    language->each_comment(snapshot, add_directive, suppressor);
  if (suppressor->items.count == 0)
    return;
  find_targets(suppressor, document);
  collect_file_rules(suppressor);
  suppressor_enter(suppressor, 0, NO_LINE);
}

void suppressor_done(Suppressor *suppressor)
{
  vec_free(&suppressor->items);
  vec_free(&suppressor->names);
}

/// The last line that the item is about.
static uint32_t reach_of(const Suppression *item)
{
  return item->target == NO_LINE ? item->line : item->target;
}

/// The first item whose target is not below the line. Targets grow with positions: between a comment and its target
/// there are only comments with the same one.
static size_t first_item_of(const Suppressor *suppressor, uint32_t line)
{
  size_t at;
  SEARCH_FIRST(at, 0, suppressor->items.count, reach_of(&suppressor->items.items[at]) < line);
  return at;
}

void suppressor_enter(Suppressor *suppressor, uint32_t first, uint32_t end)
{
  if (suppressor->items.count == 0)
    return;
  memset(suppressor->part, 0, sizeof(suppressor->part));
  suppressor->has_part = false;
  for (size_t i = first_item_of(suppressor, first); i < suppressor->items.count; i++) {
    const Suppression *item = &suppressor->items.items[i];
    if (item->line >= end)
      break;
    if (item->directive.kind != DIRECTIVE_IGNORE || item->target == NO_LINE || !suppressor_item_is_in_force(item))
      continue;
    suppressor->has_part = true;
    if (!item->directive.has_list)
      memset(suppressor->part, true, sizeof(suppressor->part));
    for (uint32_t n = item->first_name; n < item->first_name + item->name_count; n++) {
      if (suppressor->names.items[n].rule != RULE_COUNT)
        suppressor->part[suppressor->names.items[n].rule] = true;
    }
  }
}

bool suppressor_may_take(const Suppressor *suppressor, RuleId rule)
{
  return suppressor->file.names[rule] > 0 || suppressor->file.everything > 0 || suppressor->part[rule];
}

/// A comment that names no rule leaves what is said of comments alone.
static bool takes(Suppressor *suppressor, const SuppressedRules *rules, RuleId rule)
{
  if (rules->names[rule] > 0) {
    suppressor->names.items[rules->names[rule] - 1].is_used = true;
    return true;
  }
  if (rules->everything == 0 || rule == RULE_UNUSED_SUPPRESSION)
    return false;
  suppressor->items.items[rules->everything - 1].is_used = true;
  return true;
}

bool suppressor_takes_all(Suppressor *suppressor, RuleId rule)
{
  return takes(suppressor, &suppressor->file, rule);
}

static void go_to_line(Suppressor *suppressor, uint32_t line)
{
  if (suppressor->current_line == line)
    return;
  suppressor->current_line = line;
  suppressor->line = (SuppressedRules){ 0 };
  for (size_t i = first_item_of(suppressor, line); i < suppressor->items.count; i++) {
    const Suppression *item = &suppressor->items.items[i];
    if (item->line > line)
      break;
    if (item->directive.kind == DIRECTIVE_IGNORE && item->target == line && suppressor_item_is_in_force(item))
      switch_off(suppressor, i, &suppressor->line);
  }
}

bool suppressor_takes_line(Suppressor *suppressor, RuleId rule, uint32_t line)
{
  if (suppressor_takes_all(suppressor, rule))
    return true;
  if (!suppressor->has_part || !suppressor->part[rule])
    return false;
  go_to_line(suppressor, line);
  return takes(suppressor, &suppressor->line, rule);
}

/// A range of several lines is spoken of where it begins and where it ends.
bool suppressor_takes(Suppressor *suppressor, RuleId rule, Range range)
{
  if (!suppressor_may_take(suppressor, rule))
    return false;
  const Document *document = snapshot_document(suppressor->snapshot);
  uint32_t first = document_line_of(document, range.start);
  uint32_t last = range.end > range.start ? document_line_of(document, range.end - 1) : first;
  return suppressor_takes_line(suppressor, rule, first) ||
         (last != first && suppressor_takes_line(suppressor, rule, last));
}

// --- Under the cursor ---

static void describe(const Suppressor *suppressor, const Suppression *item, DirectiveAt *ret_directive)
{
  const Document *document = snapshot_document(suppressor->snapshot);
  *ret_directive = (DirectiveAt){
    .directive = item->directive,
    .line = item->line,
    .target = item->target,
    .line_start = document_line_start(document, item->line),
    .text = document_line(document, item->line),
  };
}

bool suppressor_directive_at(const Snapshot *snapshot, size_t offset, DirectiveAt *ret_directive)
{
  const Document *document = snapshot_document(snapshot);
  uint32_t line = document_line_of(document, offset);
  size_t column = offset - document_line_start(document, line);
  if (marker_find(document_line(document, line), 0) == STR_NOT_FOUND)
    return false;
  Suppressor suppressor;
  suppressor_init(&suppressor, snapshot);
  bool found = false;
  for (size_t i = 0; i < suppressor.items.count && !found; i++) {
    const Suppression *item = &suppressor.items.items[i];
    found = item->line == line && item->directive.hash <= column && column <= item->directive.end;
    if (found)
      describe(&suppressor, item, ret_directive);
  }
  suppressor_done(&suppressor);
  return found;
}
