// `onnxls rules`: what check can report, by name, severity or language.
#include <stdio.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/diagnostics.h"
#include "core/language.h"
#include "host/say.h"
#include "rpc/writer.h"

enum { FLAG_FORMAT, FLAG_HELP, FLAG_LANGUAGE, FLAG_SEVERITY, FLAG_COUNT };

static const Option options[FLAG_COUNT] = {
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text or json" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_LANGUAGE] = { "language", 0, "NAME", "only rules about such documents: torch-ir, fx-graph, python, ..." },
  [FLAG_SEVERITY] = { "severity", 0, "LEVEL", "only rules that are error, warning, info or hint if nobody says" },
};

enum { LANGUAGE_SLOTS = 16 };

typedef struct RulesQuery {
  const char *word;  ///< In the name or the summary; NULL for all.
  const Language *language;
  Severity severity;  ///< SEVERITY_OFF for any.
  bool wants_json;
  bool wants_help;
} RulesQuery;

static bool is_wanted(const RulesQuery *query, RuleId rule)
{
  const RuleInfo *info = rule_info(rule);
  if (query->word && !str_contains(str_from(info->name), str_from(query->word)) &&
      !str_contains(str_from(info->summary), str_from(query->word)))
    return false;
  if (query->language && !rule_is_about(rule, query->language))
    return false;
  return query->severity == SEVERITY_OFF || info->severity == query->severity;
}

static void write_rule(Writer *writer, RuleId rule, Arena *arena)
{
  const RuleInfo *info = rule_info(rule);
  writer_open(writer, '{');
  writer_member_str(writer, "name", str_from(info->name));
  writer_member_str(writer, "severity", str_from(severity_name(info->severity)));
  writer_key(writer, "languages");
  writer_open(writer, '[');
  for (size_t i = 0; languages[i]; i++) {
    if (rule_is_about(rule, languages[i]))
      writer_str(writer, str_from(languages[i]->name));
  }
  writer_close(writer, ']');
  writer_member_str(writer, "summary", str_from(info->summary));
  writer_member_str(writer, "url", rule_url(rule, arena));
  writer_close(writer, '}');
}

static void print_json(const RulesQuery *query)
{
  Arena arena = { 0 };
  Buffer out = { 0 };
  Writer writer = { .out = &out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_key(&writer, "rules");
  writer_open(&writer, '[');
  for (int rule = 0; rule < RULE_COUNT; rule++) {
    if (is_wanted(query, (RuleId)rule))
      write_rule(&writer, (RuleId)rule, &arena);
  }
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  fwrite(out.data, 1, out.len, stdout);
  putchar('\n');
  buffer_done(&out);
  arena_done(&arena);
}

static void print_text(const RulesQuery *query)
{
  for (int rule = 0; rule < RULE_COUNT; rule++) {
    const RuleInfo *info = rule_info((RuleId)rule);
    if (is_wanted(query, (RuleId)rule))
      printf("%-30s %-8s %s\n", info->name, severity_name(info->severity), info->summary);
  }
}

static bool finds_any(const RulesQuery *query)
{
  for (int rule = 0; rule < RULE_COUNT; rule++) {
    if (is_wanted(query, (RuleId)rule))
      return true;
  }
  return false;
}

static int complain(const RulesQuery *query)
{
  RuleId near = query->word ? rule_nearest(str_from(query->word)) : RULE_COUNT;
  if (near != RULE_COUNT)
    say("onnxls rules: there is no such rule; did you mean '%s'?", rule_info(near)->name);
  else
    say("onnxls rules: there is no such rule");
  return EXIT_USAGE;
}

MUST_USE static Status take_language(const OptionReader *reader, RulesQuery *query)
{
  const char *names[LANGUAGE_SLOTS];
  size_t count = 0;
  for (; languages[count] && count < LANGUAGE_SLOTS; count++)
    names[count] = languages[count]->name;
  size_t choice = 0;
  Status status = option_choice(reader, names, count, &choice);
  query->language = languages[choice];
  return status;
}

MUST_USE static Status take_flag(const OptionReader *reader, RulesQuery *query)
{
  static const char *const formats[] = { "text", "json" };
  size_t choice = 0;
  Status status = OK;
  switch (reader->option) {
  case FLAG_FORMAT:
    status = option_choice(reader, formats, COUNT(formats), &choice);
    query->wants_json = choice == 1;
    break;
  case FLAG_LANGUAGE:
    status = take_language(reader, query);
    break;
  case FLAG_SEVERITY:
    status = option_choice(reader, severity_names + SEVERITY_ERROR, SEVERITY_COUNT - SEVERITY_ERROR, &choice);
    query->severity = (Severity)(SEVERITY_ERROR + choice);
    break;
  default:
    query->wants_help = true;
  }
  return status;
}

MUST_USE static Status read_words(OptionReader *reader, RulesQuery *query)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_OPERAND:
      if (query->word) {
        say("%s: one word is enough", reader->command);
        return ERR_USAGE;
      }
      query->word = reader->value;
      break;
    case OPTION_FLAG:
      if (take_flag(reader, query) != OK)
        return ERR_USAGE;
      break;
    case OPTION_END:
      return OK;
    }
  }
}

int cli_rules(int argc, char **argv)
{
  RulesQuery query = { .severity = SEVERITY_OFF };
  OptionReader reader = option_reader("onnxls rules", options, FLAG_COUNT, argc, argv);
  if (read_words(&reader, &query) != OK)
    return EXIT_USAGE;
  if (query.wants_help) {
    printf(
        "usage: onnxls rules [WORD] [flags]\n\n"
        "Lists the rules of check, or those with WORD in their name or summary; explain RULE has the page of one.\n\n");
    option_print_help(options, FLAG_COUNT);
    return EXIT_CLEAN;
  }
  if (!finds_any(&query))
    return complain(&query);
  if (query.wants_json)
    print_json(&query);
  else
    print_text(&query);
  return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_USAGE;
}
