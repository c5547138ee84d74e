// `onnxls diff`: what differs between two graphs, apart from the names of values and the order of independent nodes.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli_facts.h"
#include "cli/commands.h"
#include "cli/diff_report.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/settings_here.h"
#include "host/parallel.h"
#include "host/say.h"

typedef enum DiffFlag {
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_COUNT,
} DiffFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text or json" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
};

static const char *const format_names[] = { "text", "json" };

typedef struct Diff {
  FileList files;
  size_t operands;
  bool as_json;
  bool wants_help;
} Diff;

/// One of the two files, read.
typedef struct Side {
  FoundFile *file;
  const char *shown;
  Snapshot *snapshot;
  bool is_model;  ///< Its text was made here.
  bool is_good;
  Buffer notes;  ///< Said when both are read, so that they stand in order.
  GraphStructure structure;
} Side;

/// What is done for both sides at a time.
typedef struct Pair {
  Side sides[2];
  const Target *target;
  int digits;
} Pair;

static void print_help(void)
{
  printf(
      "usage: onnxls diff A B [flags]\n\n"
      "Says what differs between two graphs: models, ONNX text, dumps of TorchScript or FX, in any pair. Values may be\n"
      "called otherwise and independent nodes may stand in another order; that is no difference. A or B may be -.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 no difference, 1 differences, 2 something could not be read or is no graph.\n");
}

MUST_USE static Status take_flag(Diff *diff, const OptionReader *reader)
{
  size_t choice = 0;
  if (reader->option == FLAG_HELP) {
    diff->wants_help = true;
    return OK;
  }
  Status status = option_choice(reader, format_names, 2, &choice);
  diff->as_json = choice == 1;
  return status;
}

MUST_USE static Status read_words(Diff *diff, OptionReader *reader)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (take_flag(diff, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_OPERAND:
      files_find(&diff->files, reader->value);
      diff->operands++;
      break;
    case OPTION_END:
      if (diff->operands == 2 || diff->wants_help)
        return OK;
      say("%s: name two files", reader->command);
      return ERR_USAGE;
    }
  }
}

/// Values that nobody could read are compared by where they lie, which has to be said.
static void note_unread_values(Side *side)
{
  static const Str signs[] = { STR_INIT("the file of its values "), STR_INIT("no hash: its values are ") };
  const Document *document = snapshot_document(side->snapshot);
  size_t count = 0;
  for (uint32_t c = 0; c < document->chunk_count; c++) {
    Str text = str_make(document->chunks[c]->text, document->chunks[c]->len);
    for (size_t i = 0; i < COUNT(signs); i++) {
      for (size_t at = 0; (at = str_find(text, signs[i], at)) != STR_NOT_FOUND; at++)
        count++;
    }
  }
  if (count > 0)
    say_append(
        &side->notes,
        "onnxls: %s: the values of %zu tensor%s lie in files that could not be read; what counts of them is where "
        "they lie",
        side->shown, count, count == 1 ? "" : "s");
}

static void open_side(void *context, size_t number)
{
  Pair *pair = context;
  Side *side = &pair->sides[number];
  FoundFile *file = side->file;
  Arena arena = { 0 };
  Coverage coverage;
  size_t threads = file->size >= LARGE_FILE ? parallel_default_threads() : 1;
  side->shown = file->is_stdin ? "<stdin>" : file->path;
  file->wants_hashes = file->needs_no_lines = true;
  side->snapshot = load_snapshot(file, side->shown, pair->target, threads, &side->notes, &arena, &coverage);
  side->is_model = coverage.is_converted;
  side->is_good = side->snapshot && !load_has_failed(file, &coverage) && !coverage.is_damaged;
  if (coverage.is_damaged)
    say_append(&side->notes, "onnxls: %s: a damaged model; onnxls check says where", side->shown);
  if (side->is_good && side->is_model && !file->wants_values)
    note_unread_values(side);
  arena_done(&arena);
}

static void close_side(Side *side)
{
  structure_done(&side->structure);
  snapshot_release(side->snapshot);
  buffer_done(&side->notes);
}

/// Says what there is to say of reading; false if a side can't be compared.
static bool both_are_good(Pair *pair)
{
  for (size_t i = 0; i < 2; i++) {
    say_lines(stderr, buffer_str(&pair->sides[i].notes));
    pair->sides[i].notes.len = 0;
  }
  return pair->sides[0].is_good && pair->sides[1].is_good;
}

static int write_out(Buffer *out, bool as_json, bool is_same)
{
  if (as_json)
    fwrite(out->data, 1, out->len, stdout);
  else
    say_lines(stdout, buffer_str(out));
  if (fflush(stdout) == 0)
    return is_same ? EXIT_CLEAN : EXIT_FINDINGS;
  say("onnxls: standard output: %s", strerror(errno));
  return EXIT_USAGE;
}

static Str text_of(const Side *side, Arena *arena)
{
  const Document *document = snapshot_document(side->snapshot);
  return document_slice(document, (Range){ 0, document_length(document) }, arena);
}

/// Whether the floats of a text may have lost the digits after the sixth, as in what onnx's printer writes.
static bool is_rounded(const Side *side)
{
  Arena arena = { 0 };
  int digits = side->is_model ? FLOAT_DIGITS : structure_most_digits(text_of(side, &arena));
  arena_done(&arena);
  return digits > 0 && digits <= PRINTED_DIGITS;
}

/// Whether a text may have all values of a model: each takes two bytes at least there, and eight at most in the model.
static bool may_have_all_values(const Side *text, const Side *model)
{
  return model->file->size / 4 <= document_length(snapshot_document(text->snapshot));
}

/// The values of a model that its text leaves out can't be rounded, so it is read again with them. False after a
/// message.
static bool open_values(Pair *pair, size_t number)
{
  Side *side = &pair->sides[number];
  if (!side->is_model || side->file->is_stdin || !may_have_all_values(&pair->sides[1 - number], side))
    return true;
  FoundFile *file = side->file;
  file->wants_values = true;
  close_side(side);
  *side = (Side){ .file = file };
  open_side(pair, number);
  return both_are_good(pair);
}

/// The digits to which floats are compared: fewer where one text has no more, and the other one has. Negative after a
/// message.
static int choose_digits(Pair *pair)
{
  const Side *sides = pair->sides;
  bool is_one_language = snapshot_language(sides[0].snapshot) == snapshot_language(sides[1].snapshot);
  bool are_rounded[] = { is_one_language && is_rounded(&sides[0]), is_one_language && is_rounded(&sides[1]) };
  if (are_rounded[0] == are_rounded[1])
    return FLOAT_DIGITS;
  size_t text = are_rounded[0] ? 0 : 1;
  if (!open_values(pair, 1 - text))
    return -1;
  Arena arena = { 0 };
  int exact_digits = structure_most_digits(text_of(&sides[1 - text], &arena));
  arena_done(&arena);
  if (exact_digits <= PRINTED_DIGITS)
    return FLOAT_DIGITS;
  say("onnxls: %s: its floats have %d digits at most, as in what onnx's printer writes, so they are compared to %d digits",
      sides[text].shown, PRINTED_DIGITS, PRINTED_DIGITS);
  return PRINTED_DIGITS;
}

static void find_structure(void *context, size_t number)
{
  Pair *pair = context;
  Side *side = &pair->sides[number];
  side->is_good = structure_of(side->snapshot, pair->digits, &side->structure);
  if (!side->is_good)
    say_append(&side->notes, "onnxls: %s: diff compares graphs, and this is none", side->shown);
}

static int compare(Side *sides, bool as_json)
{
  GraphDiff diff;
  Buffer out = { 0 };
  bool is_mixed = snapshot_language(sides[0].snapshot) != snapshot_language(sides[1].snapshot);
  diff_graphs(&sides[0].structure, &sides[1].structure, is_mixed, &diff);
  DiffReport report = { &diff, { { sides[0].shown, sides[0].snapshot }, { sides[1].shown, sides[1].snapshot } } };
  if (as_json)
    diff_report_json(&out, &report);
  else
    diff_report_text(&out, &report);
  int code = write_out(&out, as_json, diff.items.count == 0);
  diff_done(&diff);
  buffer_done(&out);
  return code;
}

static int compare_files(Diff *diff, const Target *target)
{
  FoundFile *files = diff->files.files.items;
  Pair pair = { .sides = { { .file = &files[0] }, { .file = &files[1] } }, .target = target, .digits = -1 };
  parallel_for(2, files[0].is_stdin && files[1].is_stdin ? 1 : 2, open_side, &pair);
  if (both_are_good(&pair))
    pair.digits = choose_digits(&pair);
  if (pair.digits > 0)
    parallel_for(2, 2, find_structure, &pair);
  int code = pair.digits > 0 && both_are_good(&pair) ? compare(pair.sides, diff->as_json) : EXIT_USAGE;
  close_side(&pair.sides[0]);
  close_side(&pair.sides[1]);
  return code;
}

static int run(Diff *diff)
{
  CliFacts facts;
  FactsFlags flags = { 0 };
  Buffer problems = { 0 };
  if (diff->files.problems > 0 || cli_facts_open(&facts, &flags) != OK)
    return EXIT_USAGE;
  int code = EXIT_USAGE;
  Target *target = settings_target(&facts.settings, &problems);
  if (diff->files.files.count != 2)
    say("onnxls diff: two files are compared, and no folders");
  else if (settings_here_report(&problems) == OK)
    code = compare_files(diff, target);
  target_release(target);
  cli_facts_close(&facts);
  buffer_done(&problems);
  return code;
}

int cli_diff(int argc, char **argv)
{
  Diff diff = { .files = { .languages = IN_GRAPHS } };
  OptionReader reader = option_reader("onnxls diff", options, FLAG_COUNT, argc, argv);
  int code = EXIT_USAGE;
  if (read_words(&diff, &reader) == OK) {
    code = EXIT_CLEAN;
    if (diff.wants_help)
      print_help();
    else
      code = run(&diff);
  }
  files_done(&diff.files);
  return code;
}
