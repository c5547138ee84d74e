// `onnxls why`: from a pasted exception, log, report or runtime message to the cause, the fix and the place.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "cli/cli_facts.h"
#include "cli/commands.h"
#include "cli/why.h"
#include "core/language.h"
#include "host/files.h"
#include "host/say.h"

enum {
  BINARY_HEAD = 8 * 1024,
};

typedef enum WhyFlag {
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_COUNT,
} WhyFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text or json" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
};

static const char *const format_names[] = { "text", "json" };

typedef struct WhyRun {
  Vec(const char *) paths;
  bool as_json;
  bool wants_help;
  Vec(WhyInput) inputs;
  Arena arena;
  bool has_trouble;
} WhyRun;

static void print_help(void)
{
  printf(
      "usage: onnxls why FILE|- ... [--format FORMAT]\n\n"
      "Tells what a failed export, check or session says: paste an exception, a console log, an onnx_export_*.md\n"
      "report, or the words of onnx.checker or ONNX Runtime, and get the cause, what helps, and the place in your own\n"
      "code. `-` is standard input: paste and end with Ctrl-D.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 a cause was found, 1 none, 2 a text could not be read.\n");
}

MUST_USE static Status read_words(WhyRun *run, OptionReader *reader)
{
  size_t choice = 0;
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (reader->option == FLAG_HELP)
        run->wants_help = true;
      else if (option_choice(reader, format_names, 2, &choice) != OK)
        return ERR_USAGE;
      run->as_json = choice == 1;
      break;
    case OPTION_OPERAND:
      vec_push(&run->paths, reader->value);
      break;
    case OPTION_END:
      if (run->paths.count > 0 || run->wants_help)
        return OK;
      say("%s: name a file, or - for standard input", reader->command);
      return ERR_USAGE;
    }
  }
}

static void complain(WhyRun *run, const char *shown, const char *what)
{
  say("onnxls: %s: %s", shown, what);
  run->has_trouble = true;
}

/// Into the arena, as UTF-8.
static bool read_text(WhyRun *run, const char *path, const char *shown, Str *ret_text)
{
  FoundFile file = { .path = (char *)path, .is_stdin = strcmp(path, "-") == 0, .is_named = true, .size = SIZE_MAX };
  char *bytes = NULL;
  size_t len = 0;
  Status status = files_read(&file, WHY_FILE_LIMIT, &bytes, &len);
  if (status != OK) {
    complain(run, shown, status == ERR_IO ? strerror(errno) : "too large; 1 GB is the limit");
    return false;
  }
  Buffer decoded = { 0 };
  Str text = str_make(bytes, len);
  if (why_decode(text, &decoded))
    text = buffer_str(&decoded);
  bool is_binary = str_find_char(str_slice(text, 0, BINARY_HEAD), '\0', 0) != STR_NOT_FOUND;
  if (is_binary)
    complain(run, shown, "a binary file, not a text that somebody printed");
  *ret_text = arena_copy(&run->arena, text);
  buffer_done(&decoded);
  free(bytes);
  return !is_binary;
}

typedef struct Explaining {
  WhyRun *run;
  const SymbolicsDb *db;
  const char *shown;
} Explaining;

/// Of what cells printed most has nothing to do with an export.
static void explain_transcript(Str text, Str place, void *context)
{
  Explaining *explaining = context;
  Arena *arena = &explaining->run->arena;
  WhyInput input = { .text = arena_copy(arena, text) };
  input.shown = arena_printf(arena, "%s, %.*s", explaining->shown, STR_ARG(place)).data;
  why_explain(input.text, explaining->db, arena, &input.answer);
  if (input.answer.count > 0 || input.answer.outcome != WHY_UNKNOWN)
    vec_push(&explaining->run->inputs, input);
}

/// Where no transcript in it has an answer, the whole text may: a cell may hold what somebody pasted.
static void explain_text(Explaining *explaining, const char *path, Str text)
{
  size_t before = explaining->run->inputs.count;
  const Language *language = language_searching(str_from(path), IN_CODE);
  if (language && language->each_transcript)
    language->each_transcript(text, explain_transcript, explaining);
  if (explaining->run->inputs.count > before)
    return;
  WhyInput input = { .shown = explaining->shown, .text = text };
  why_explain(text, explaining->db, &explaining->run->arena, &input.answer);
  vec_push(&explaining->run->inputs, input);
}

static void explain_all(WhyRun *run, const SymbolicsDb *db)
{
  for (size_t i = 0; i < run->paths.count; i++) {
    const char *path = run->paths.items[i];
    Explaining explaining = { .run = run, .db = db, .shown = strcmp(path, "-") == 0 ? "<stdin>" : path };
    Str text;
    if (read_text(run, path, explaining.shown, &text))
      explain_text(&explaining, path, text);
  }
}

static int print_all(const WhyRun *run)
{
  Buffer out = { 0 };
  bool has_all = true;
  for (size_t i = 0; i < run->inputs.count; i++)
    has_all &= run->inputs.items[i].answer.has_cause;
  if (run->as_json)
    why_report_json(&out, run->inputs.items, run->inputs.count);
  for (size_t i = 0; i < run->inputs.count && !run->as_json; i++) {
    if (i > 0)
      buffer_append_char(&out, '\n');
    why_report_text(&out, &run->inputs.items[i], why_width());
  }
  if (run->as_json)
    fwrite(out.data, 1, out.len, stdout);
  else
    say_lines(stdout, buffer_str(&out));
  buffer_done(&out);
  bool is_written = fflush(stdout) == 0;
  if (!is_written)
    say("onnxls: standard output: %s", strerror(errno));
  return run->has_trouble || !is_written ? EXIT_USAGE : has_all ? EXIT_CLEAN : EXIT_FINDINGS;
}

int cli_why(int argc, char **argv)
{
  WhyRun run = { .as_json = false };
  OptionReader reader = option_reader("onnxls why", options, FLAG_COUNT, argc, argv);
  int code = EXIT_USAGE;
  CliFacts facts;
  if (read_words(&run, &reader) == OK && !run.wants_help && cli_facts_open(&facts, &(FactsFlags){ 0 }) == OK) {
    explain_all(&run, facts.db);
    code = print_all(&run);
    cli_facts_close(&facts);
  } else if (run.wants_help) {
    print_help();
    code = EXIT_CLEAN;
  }
  vec_free(&run.paths);
  vec_free(&run.inputs);
  arena_done(&run.arena);
  return code;
}
