// Hovers of comments that switch rules off: of the names of rules, and of the words before them.

#include "base/limits.h"
#include "core/suppress.h"
#include "describe/markup.h"
#include "editor/suppression_words.h"

static void write_severity(Markup *markup, RuleId rule, const Target *target)
{
  Severity usual = rule_info(rule)->severity;
  uint8_t set = target->severities[rule];
  if (set == SEVERITY_DEFAULT || set == usual)
    markup_text(markup, "Severity: %s.", severity_name(usual));
  else
    markup_text(markup, "Severity: %s by a setting, else %s.", severity_name((Severity)set), severity_name(usual));
}

static void write_rule(Markup *markup, RuleId rule, const Target *target, Arena *arena)
{
  markup_prose(markup, str_from(rule_info(rule)->summary));
  markup_paragraph(markup);
  write_severity(markup, rule, target);
  markup_paragraph(markup);
  markup_page(markup, "Documentation", rule_url(rule, arena));
}

void suppression_rule_words(RuleId rule, const Target *target, Arena *arena, Hover *ret_words)
{
  Markup markup = { 0 };
  write_rule(&markup, rule, target, arena);
  markup_finish(&markup, arena, (Range){ 0 }, ret_words);
}

static void write_keyword(Markup *markup, const DirectiveAt *at)
{
  const char *rules = at->directive.has_list ? "the rules between the brackets" : "all rules";
  if (at->directive.kind == DIRECTIVE_IGNORE_FILE)
    markup_text(markup, "Switches %s off for the whole file.", rules);
  else if (at->target == NO_LINE)
    markup_text(markup, "Switches %s off for the line below; there is none.", rules);
  else
    markup_text(markup, "Switches %s off for line %u.", rules, at->target + 1);
}

/// The name under the column.
static bool name_at(const DirectiveAt *at, size_t column, Range *ret_name)
{
  size_t next = at->directive.list.start;
  for (size_t i = 0; i < DIRECTIVE_NAME_LIMIT && directive_next_name(&at->directive, at->text, &next, ret_name); i++) {
    if (ret_name->start <= column && column <= ret_name->end)
      return true;
  }
  return false;
}

bool suppression_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  DirectiveAt at;
  if (!suppressor_directive_at(context->snapshot, offset, &at) || at.directive.kind == DIRECTIVE_UNKNOWN)
    return false;
  size_t column = offset - at.line_start;
  Markup markup = { 0 };
  Range range = at.directive.keyword;
  if (range.start <= column && column <= range.end) {
    write_keyword(&markup, &at);
  } else if (name_at(&at, column, &range)) {
    RuleId rule = rule_find(str_slice(at.text, range.start, range.end));
    if (rule != RULE_COUNT)
      write_rule(&markup, rule, snapshot_target(context->snapshot), context->arena);
  }
  range = (Range){ at.line_start + range.start, at.line_start + range.end };
  return markup_finish(&markup, context->arena, range, ret_hover);
}
