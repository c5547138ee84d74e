// Completion inside of comments that switch rules off: their words, and the names of rules, those first that are
// reported where the comment would switch them off.

#include "base/ascii.h"
#include "base/limits.h"
#include "core/completion_job.h"
#include "core/suppress.h"
#include "editor/suppression_words.h"

static bool is_name_char(char c)
{
  return ascii_is_word(c) || c == '-';
}

/// The word around the column, as offsets of the line within the limits given.
static Range word_at(Str line, size_t column, Range limits)
{
  Range word = { column, column };
  while (word.start > limits.start && is_name_char(line.data[word.start - 1]))
    word.start--;
  while (word.end < limits.end && is_name_char(line.data[word.end]))
    word.end++;
  return word;
}

static Range in_document(const DirectiveAt *at, Range range)
{
  return (Range){ at->line_start + range.start, at->line_start + range.end };
}

// --- Names of rules ---

/// Clients want one item at most to be chosen from the beginning: the first.
static void preselect(CompletionJob *job)
{
  CompletionItem *first = NULL;
  for (size_t i = 0; i < job->items.count; i++) {
    CompletionItem *item = &job->items.items[i];
    if (!first || str_compare(item->sort_text, first->sort_text) < 0)
      first = item;
  }
  if (first && first->sort_text.data[0] == '0')
    first->is_preselected = true;
}

/// What is known of each rule where the comment is.
typedef struct RuleChoice {
  bool is_named[RULE_COUNT];     ///< In the list already.
  bool is_reported[RULE_COUNT];  ///< Where the comment would switch it off.
} RuleChoice;

static void find_named(RuleChoice *choice, const DirectiveAt *at, Range word)
{
  size_t next = at->directive.list.start;
  Range name;
  for (size_t i = 0; i < DIRECTIVE_NAME_LIMIT && directive_next_name(&at->directive, at->text, &next, &name); i++) {
    RuleId rule = rule_find(str_slice(at->text, name.start, name.end));
    if (rule != RULE_COUNT && name.start != word.start)
      choice->is_named[rule] = true;
  }
}

/// What is said of the comment as it is now is no reason to ignore something.
static bool is_meant(const CompletionJob *job, const DirectiveAt *at, const Diagnostic *diagnostic)
{
  uint32_t line = document_line_of(job->document, diagnostic->range.start);
  if (line == at->line && diagnostic->rule == RULE_UNUSED_SUPPRESSION)
    return false;
  return line == at->target || at->directive.kind == DIRECTIVE_IGNORE_FILE;
}

/// False where all that the rules say takes longer than completion may.
static bool is_quick(const CompletionJob *job)
{
  size_t limit = snapshot_language(job->snapshot)->quick_check_limit;
  return limit == 0 || document_length(job->document) <= limit;
}

static void find_reported(const CompletionJob *job, const DirectiveAt *at, RuleChoice *choice)
{
  DiagnosticList list = diagnostics_of(job->snapshot, job->arena);
  for (size_t i = 0; i < list.count + list.suppressed_count; i++) {
    const Diagnostic *diagnostic = i < list.count ? &list.items[i] : &list.suppressed[i - list.count];
    if (is_meant(job, at, diagnostic))
      choice->is_reported[diagnostic->rule] = true;
  }
}

static void add_rule(CompletionJob *job, RuleId rule, const RuleChoice *choice, Range replaced)
{
  const RuleInfo *info = rule_info(rule);
  bool is_reported = choice->is_reported[rule];
  Hover words;
  suppression_rule_words(rule, snapshot_target(job->snapshot), job->arena, &words);
  vec_push(&job->items, (CompletionItem){
                            .label = str_from(info->name),
                            .kind = COMPLETION_ENUM_MEMBER,
                            .detail = is_reported ? STR("reported here") : str_from(severity_name(info->severity)),
                            .documentation = words.markdown,
                            .documentation_plain = words.plain,
                            .sort_text = arena_printf(job->arena, "%d%s", is_reported ? 0 : 1, info->name),
                            .text = str_from(info->name),
                            .replaced = replaced,
                        });
}

static void add_rules(CompletionJob *job, const DirectiveAt *at)
{
  Range word = word_at(at->text, job->offset - at->line_start, at->directive.list);
  RuleChoice choice = { 0 };
  find_named(&choice, at, word);
  if (is_quick(job))
    find_reported(job, at, &choice);
  for (int rule = 0; rule < RULE_COUNT; rule++) {
    bool fits = rule_is_about((RuleId)rule, snapshot_language(job->snapshot)) || choice.is_reported[rule];
    if (fits && !choice.is_named[rule])
      add_rule(job, (RuleId)rule, &choice, in_document(at, word));
  }
  preselect(job);
}

// --- Words ---

static void add_keyword(CompletionJob *job, const DirectiveAt *at, DirectiveKind kind, Range replaced)
{
  Str word = directive_keyword(kind);
  bool has_list = at->directive.has_list;
  vec_push(&job->items, (CompletionItem){
                            .label = word,
                            .kind = COMPLETION_KEYWORD,
                            .detail = kind == DIRECTIVE_IGNORE ? STR("for one line") : STR("for the whole file"),
                            .text = has_list ? word : arena_printf(job->arena, "%.*s[$0]", STR_ARG(word)),
                            .replaced = replaced,
                            .is_snippet = !has_list,
                        });
}

static void add_keywords(CompletionJob *job, const DirectiveAt *at)
{
  Range replaced = in_document(at, at->directive.keyword);
  add_keyword(job, at, DIRECTIVE_IGNORE, replaced);
  add_keyword(job, at, DIRECTIVE_IGNORE_FILE, replaced);
}

bool suppression_complete(CompletionJob *job)
{
  DirectiveAt at;
  if (!suppressor_directive_at(job->snapshot, job->offset, &at))
    return false;
  size_t column = job->offset - at.line_start;
  const Directive *directive = &at.directive;
  if (directive->kind != DIRECTIVE_UNKNOWN && directive->has_list && column >= directive->list.start &&
      column <= directive->list.end)
    add_rules(job, &at);
  else if (column >= directive->keyword.start && column <= directive->keyword.end)
    add_keywords(job, &at);
  return true;
}
