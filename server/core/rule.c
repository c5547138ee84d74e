#include "core/rule.h"

#include "base/nearest.h"

static const RuleInfo rules[RULE_COUNT] = {
#define RULE(id, name, severity, languages, summary) [RULE_##id] = { name, severity, languages, summary },
#include "core/rules.def"
#undef RULE
};

/// So that finding a rule by its name measures no strings.
static const uint8_t name_lengths[RULE_COUNT] = {
#define RULE(id, name, severity, languages, summary) [RULE_##id] = sizeof(name) - 1,
#include "core/rules.def"
#undef RULE
};

const RuleInfo *rule_info(RuleId rule)
{
  return &rules[rule];
}

RuleId rule_find(Str name)
{
  for (int i = 0; i < RULE_COUNT; i++) {
    if (name.len == name_lengths[i] && memcmp(name.data, rules[i].name, name.len) == 0)
      return (RuleId)i;
  }
  return RULE_COUNT;
}

RuleId rule_nearest(Str name)
{
  const char *names[RULE_COUNT];
  Arena arena = { 0 };
  for (int i = 0; i < RULE_COUNT; i++)
    names[i] = rules[i].name;
  const char *near = nearest_word(arena_copy(&arena, name).data, names, RULE_COUNT);
  arena_done(&arena);
  return near ? rule_find(str_from(near)) : RULE_COUNT;
}

Str rule_project_url(void)
{
  return STR("https://github.com/onnxls/onnxls");
}

Str rule_url(RuleId rule, Arena *arena)
{
  return arena_printf(arena, "%.*s/blob/main/docs/rules/%s.md", STR_ARG(rule_project_url()), rules[rule].name);
}

bool rule_is_about(RuleId rule, const Language *language)
{
  return language && (rules[rule].languages & language->sets) != 0;
}
