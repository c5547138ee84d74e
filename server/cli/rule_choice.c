#include "cli/rule_choice.h"

#include "core/target.h"
#include "host/say.h"

MUST_USE static Status complain(const OptionReader *reader, Str name)
{
  RuleId near = rule_nearest(name);
  const char *flag = reader->options[reader->option].name;
  if (near != RULE_COUNT)
    say("%s: --%s names '%.*s', which is not a rule; did you mean '%s'?", reader->command, flag, STR_ARG(name),
        rule_info(near)->name);
  else
    say("%s: --%s names '%.*s', which is not a rule; onnxls rules lists them", reader->command, flag, STR_ARG(name));
  return ERR_USAGE;
}

MUST_USE static Status take_names(const OptionReader *reader, bool *set)
{
  Str rest = str_from(reader->value);
  do {
    size_t comma = str_find_char(rest, ',', 0);
    Str name = str_trim(str_slice(rest, 0, comma));
    RuleId rule = rule_find(name);
    if (rule == RULE_COUNT)
      return complain(reader, name);
    set[rule] = true;
    rest = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, comma + 1, rest.len);
  } while (rest.len > 0);
  return OK;
}

Status rule_choice_select(RuleChoice *choice, const OptionReader *reader)
{
  choice->has_selected = true;
  return take_names(reader, choice->selected);
}

Status rule_choice_ignore(RuleChoice *choice, const OptionReader *reader)
{
  return take_names(reader, choice->ignored);
}

void rule_choice_apply(const RuleChoice *choice, uint8_t *severities)
{
  for (int rule = 0; rule < RULE_COUNT; rule++) {
    bool is_off = choice->ignored[rule] || (choice->has_selected && !choice->selected[rule]);
    if (is_off)
      severities[rule] = SEVERITY_OFF;
    else if (choice->selected[rule] && severities[rule] == SEVERITY_OFF)
      severities[rule] = SEVERITY_DEFAULT;
  }
}
