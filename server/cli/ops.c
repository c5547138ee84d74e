// `onnxls ops`: every operator of dumps, how often and where, and which exporter converts it at which opset.
#include <errno.h>
#include <stdio.h>

#include "cli/check_workspace.h"
#include "cli/cli_facts.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/ops_model.h"
#include "cli/ops_report.h"
#include "cli/settings_here.h"
#include "core/diagnostics.h"
#include "core/unread.h"
#include "host/parallel.h"
#include "host/say.h"

typedef enum OpsFlag {
  FLAG_EXPORTER,
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_OPSET,
  FLAG_TORCH,
  FLAG_COUNT,
} OpsFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_EXPORTER] = { "exporter", 0, "NAME", "torchscript or dynamo" },
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text or json" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_OPSET] = { "opset", 0, "N", "the ONNX opset to export to; of a model, what breaks there is said" },
  [FLAG_TORCH] = { "torch", 0, "VERSION", "the torch version that exports, such as 2.6; or auto" },
};

static const char *const format_names[] = { "text", "json" };

typedef struct Ops {
  FactsFlags flags;
  bool as_json;
  bool wants_help;
  FileList files;
} Ops;

static void print_help(void)
{
  printf("usage: onnxls ops FILE|DIR|- ... [flags]\n\n"
         "Lists every operator of dumps: how many nodes, on which lines, and which exporter converts it at which\n"
         "opset. What needs work comes first. Functions that Python files among them register count, and those below\n"
         "the folder of .onnxls.json. Of a model: what breaks at newer opsets, or at the one of --opset, and which\n"
         "releases of ONNX Runtime take it.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nFlags win over .onnxls.json, which is looked for in this folder and those above it.\n"
         "Exit codes: 0 listed, 2 something could not be read or makes no sense.\n");
}

MUST_USE static Status take_flag(Ops *ops, const OptionReader *reader)
{
  size_t choice = 0;
  Status status = OK;
  if (reader->option == FLAG_HELP) {
    ops->wants_help = true;
  } else if (reader->option == FLAG_FORMAT) {
    status = option_choice(reader, format_names, 2, &choice);
    ops->as_json = choice == 1;
  } else {
    status = cli_facts_take_flag(&ops->flags, reader);
  }
  return status;
}

MUST_USE static Status read_words(Ops *ops, OptionReader *reader)
{
  size_t operands = 0;
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (take_flag(ops, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_OPERAND:
      files_find(&ops->files, reader->value);
      operands++;
      break;
    case OPTION_END:
      if (operands > 0 || ops->wants_help)
        return OK;
      say("%s: name a file, a folder, or - for standard input", reader->command);
      return ERR_USAGE;
    }
  }
}

/// Only the rules about support count here.
static Target *make_target(CliFacts *facts, Buffer *problems)
{
  memset(facts->settings.severities, SEVERITY_OFF, sizeof(facts->settings.severities));
  facts->settings.severities[RULE_UNSUPPORTED_OP] = SEVERITY_DEFAULT;
  facts->settings.severities[RULE_OP_NEEDS_NEWER_OPSET] = SEVERITY_DEFAULT;
  facts->settings.max_diagnostics = 0;
  settings_here_torch(&facts->settings);
  return settings_target(&facts->settings, problems);
}

typedef enum Listed {
  LISTED,
  LISTED_PARTLY,   ///< A limit left something out.
  LISTED_NOTHING,  ///< It only tells which functions there are, or was found in a folder and is not a graph.
  LISTED_NOT,      ///< It could not be read.
} Listed;

static bool is_for_functions(const Ops *ops, const Snapshot *snapshot)
{
  return snapshot && snapshot_is_in(snapshot, IN_CODE) && ops->files.files.count > 1;
}

static void write_operators(const Ops *ops, const OpsContext *context, const char *shown, const Snapshot *snapshot,
                            const OperatorCount *counted, bool is_first, Buffer *out)
{
  if (ops->as_json) {
    ops_report_json(out, context, shown, counted, is_first);
    return;
  }
  if (!is_first)
    buffer_append_char(out, '\n');
  ops_report_text(out, context, shown, counted);
  if (counted->is_model)
    ops_model_text(out, context, snapshot, counted);
}

/// Lists a document's operators, if its language has some.
static Listed list_snapshot(const Ops *ops, const OpsContext *context, const char *shown, const Snapshot *snapshot,
                            bool is_first, Buffer *out, Buffer *notes)
{
  OperatorCount counted;
  if (operator_count_new(snapshot, context->db, context->torch, &counted)) {
    write_operators(ops, context, shown, snapshot, &counted, is_first, out);
    operator_count_done(&counted);
    return snapshot_has_unread(snapshot) ? LISTED_PARTLY : LISTED;
  }
  if (is_for_functions(ops, snapshot))
    return LISTED_NOTHING;
  say_append(notes, "onnxls: %s: ops lists the operators of graphs, and this is none", shown);
  return LISTED_NOT;
}

static Listed list_file(const Ops *ops, const OpsContext *context, const FoundFile *file, bool is_first)
{
  const char *shown = file->is_stdin ? "<stdin>" : file->path;
  size_t threads = file->size >= LARGE_FILE ? parallel_default_threads() : 1;
  Arena arena = { 0 };
  Buffer notes = { 0 };
  Buffer out = { 0 };
  Coverage coverage;
  Snapshot *snapshot = load_snapshot(file, shown, context->target, threads, &notes, &arena, &coverage);
  Listed listed = load_has_failed(file, &coverage) ? LISTED_NOT : LISTED_NOTHING;
  if (coverage.is_damaged) {
    say_append(&notes, "onnxls: %s: a damaged model; onnxls check says where", shown);
    listed = LISTED_NOT;
  } else if (coverage.status != COVERAGE_SKIPPED) {
    listed = list_snapshot(ops, context, shown, snapshot, is_first, &out, &notes);
  }
  say_lines(stderr, buffer_str(&notes));
  if (!ops->as_json)
    say_lines(stdout, buffer_str(&out));
  else if (out.len > 0)
    fwrite(out.data, 1, out.len, stdout);
  snapshot_release(snapshot);
  arena_done(&arena);
  buffer_done(&notes);
  buffer_done(&out);
  return listed;
}

static int list_files(const Ops *ops, const OpsContext *context)
{
  bool is_good = ops->files.problems == 0;
  bool is_first = true;
  if (ops->as_json)
    fputc('[', stdout);
  for (size_t i = 0; i < ops->files.files.count; i++) {
    Listed listed = list_file(ops, context, &ops->files.files.items[i], is_first);
    is_first &= listed != LISTED && listed != LISTED_PARTLY;
    is_good &= listed == LISTED || listed == LISTED_NOTHING;
  }
  if (ops->as_json) {
    fputs("\n]\n", stdout);
  } else if (!is_first) {
    Buffer legend = { 0 };
    ops_report_legend(&legend);
    say_lines(stdout, buffer_str(&legend));
    buffer_done(&legend);
  }
  if (fflush(stdout) != 0) {
    say("onnxls: standard output: %s", strerror(errno));
    is_good = false;
  }
  return is_good ? EXIT_CLEAN : EXIT_USAGE;
}

static int run(Ops *ops)
{
  CliFacts facts;
  Buffer problems = { 0 };
  if (cli_facts_open(&facts, &ops->flags) != OK)
    return EXIT_USAGE;
  int code = EXIT_USAGE;
  Target *target = check_workspace(make_target(&facts, &problems), &ops->files, parallel_default_threads());
  if (settings_here_report(&problems) == OK) {
    OpsContext context = { .db = facts.db, .torch = facts.torch, .target = target, .asked_opset = ops->flags.opset };
    code = list_files(ops, &context);
  }
  target_release(target);
  cli_facts_close(&facts);
  buffer_done(&problems);
  return code;
}

int cli_ops(int argc, char **argv)
{
  Ops ops = { .files = { .languages = IN_GRAPHS | IN_CODE, .takes_models = true } };
  OptionReader reader = option_reader("onnxls ops", options, FLAG_COUNT, argc, argv);
  int code = EXIT_USAGE;
  if (read_words(&ops, &reader) == OK) {
    code = EXIT_CLEAN;
    if (ops.wants_help)
      print_help();
    else
      code = run(&ops);
  }
  files_done(&ops.files);
  return code;
}
