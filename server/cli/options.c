#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/vec.h"
#include "host/say.h"

static OptionKind unknown_option(const OptionReader *reader, const char *word)
{
  Vec(const char *) names = { 0 };
  for (size_t i = 0; i < reader->option_count; i++)
    vec_push(&names, reader->options[i].name);
  char *name = xstrdup_str(str_slice(str_from(word), 2, strcspn(word, "=")));
  const char *near = nearest_word(name, names.items, names.count);
  if (near)
    say("%s: there is no flag '%s'; did you mean '--%s'?", reader->command, word, near);
  else
    say("%s: there is no flag '%s'; %s --help lists them", reader->command, word, reader->command);
  free(name);
  vec_free(&names);
  return OPTION_BAD;
}

/// Takes the next word as the value of the option that was just found.
static OptionKind take_value(OptionReader *reader)
{
  const Option *option = &reader->options[reader->option];
  if (reader->next >= reader->argc) {
    say("%s: --%s needs a value: --%s %s", reader->command, option->name, option->name, option->value);
    return OPTION_BAD;
  }
  reader->value = reader->argv[reader->next++];
  return OPTION_FLAG;
}

static OptionKind long_option(OptionReader *reader, const char *word)
{
  const char *name = word + 2;
  size_t name_len = strcspn(name, "=");
  for (size_t i = 0; i < reader->option_count; i++) {
    const Option *option = &reader->options[i];
    if (strlen(option->name) != name_len || memcmp(option->name, name, name_len) != 0)
      continue;
    reader->option = i;
    bool has_value = name[name_len] == '=';
    if (!option->value && has_value) {
      say("%s: --%s takes no value", reader->command, option->name);
      return OPTION_BAD;
    }
    if (has_value)
      reader->value = name + name_len + 1;
    return option->value && !has_value ? take_value(reader) : OPTION_FLAG;
  }
  return unknown_option(reader, word);
}

/// One letter a word: "-j4" and "-j 4", but no bundles of switches.
static OptionKind short_option(OptionReader *reader, const char *word)
{
  for (size_t i = 0; i < reader->option_count; i++) {
    const Option *option = &reader->options[i];
    if (option->letter == 0 || option->letter != word[1])
      continue;
    reader->option = i;
    if (!option->value && word[2] != '\0')
      break;
    if (!option->value)
      return OPTION_FLAG;
    if (word[2] == '\0')
      return take_value(reader);
    reader->value = word + 2;
    return OPTION_FLAG;
  }
  say("%s: there is no flag '%s'; %s --help lists them", reader->command, word, reader->command);
  return OPTION_BAD;
}

OptionKind option_next(OptionReader *reader)
{
  reader->value = NULL;
  if (reader->next >= reader->argc)
    return OPTION_END;
  const char *word = reader->argv[reader->next++];
  if (!reader->only_operands && strcmp(word, "--") == 0) {
    reader->only_operands = true;
    return option_next(reader);
  }
  if (reader->only_operands || word[0] != '-' || word[1] == '\0') {
    reader->value = word;
    return OPTION_OPERAND;
  }
  return word[1] == '-' ? long_option(reader, word) : short_option(reader, word);
}

void option_print_help(const Option *options, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const Option *option = &options[i];
    char left[64];
    char letter[8] = "    ";
    if (option->letter)
      snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(left, sizeof(left), "%s--%s %s", letter, option->name, option->value ? option->value : "");
    const char *line = option->summary;
    for (const char *indent = left;; indent = "") {
      size_t len = strcspn(line, "\n");
      printf("  %-30s %.*s\n", indent, (int)len, line);
      if (line[len] == '\0')
        break;
      line += len + 1;
    }
  }
}

/// A message on stderr about a value that the flag can't have, with the nearest of `choices`, which may be none.
static void complain(const OptionReader *reader, const char *const *choices, size_t choice_count)
{
  const char *name = reader->options[reader->option].name;
  Buffer ways = { 0 };
  const char *near = nearest_word(reader->value, choices, choice_count);
  if (near)
    buffer_printf(&ways, "; did you mean '%s'?", near);
  else
    for (size_t i = 0; i < choice_count; i++)
      buffer_printf(&ways, "%s%s", i == 0 ? "; it is one of " : ", ", choices[i]);
  say("%s: --%s can't be '%s'%.*s", reader->command, name, reader->value, STR_ARG(buffer_str(&ways)));
  buffer_done(&ways);
}

Status option_number(const OptionReader *reader, uint64_t least, uint64_t most, uint64_t *ret_number)
{
  uint64_t number;
  if (str_to_uint(str_from(reader->value), most, &number) && number >= least) {
    *ret_number = number;
    return OK;
  }
  say("%s: --%s can't be '%s'; it is a number from %llu to %llu", reader->command, reader->options[reader->option].name,
      reader->value, (unsigned long long)least, (unsigned long long)most);
  return ERR_USAGE;
}

Status option_choice(const OptionReader *reader, const char *const *choices, size_t count, size_t *ret_choice)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(choices[i], reader->value) == 0) {
      *ret_choice = i;
      return OK;
    }
  }
  complain(reader, choices, count);
  return ERR_USAGE;
}
