// `onnxls graph`: a picture of a graph as one HTML page, or as SVG.
#include "cli/graph.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/check_workspace.h"
#include "cli/cli_facts.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/settings_here.h"
#include "host/parallel.h"
#include "host/replace_file.h"
#include "host/say.h"

typedef enum GraphFlag {
  FLAG_AROUND,
  FLAG_AT,
  FLAG_EXPORTER,
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_OPSET,
  FLAG_OUT,
  FLAG_SCOPE,
  FLAG_TORCH,
  FLAG_COUNT,
} GraphFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_AROUND] = { "around", 0, "LINE", "only the nodes around the line" },
  [FLAG_AT] = { "at", 0, "LINE", "open the page at the node of the line" },
  [FLAG_EXPORTER] = { "exporter", 0, "NAME", "torchscript or dynamo" },
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "html or svg; else the ending of --out decides" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_OPSET] = { "opset", 0, "N", "the ONNX opset to export to" },
  [FLAG_OUT] = { "out", 'o', "FILE", "where to write; else standard output" },
  [FLAG_SCOPE] = { "scope", 0, "MODULE", "begin with a module: layer1.0" },
  [FLAG_TORCH] = { "torch", 0, "VERSION", "the torch version that exports, such as 2.6; or auto" },
};

static const char *const format_names[] = { "html", "svg" };

typedef enum Format {
  FORMAT_HTML,
  FORMAT_SVG,
  FORMAT_BY_ENDING,
} Format;

typedef struct Graph {
  FactsFlags flags;
  Format format;
  const char *out;
  const char *scope;
  uint64_t around;  ///< From 1; 0 if it was not asked for.
  uint64_t at;      ///< The same.
  bool wants_help;
  FileList files;
} Graph;

static void print_help(void)
{
  printf("usage: onnxls graph FILE|- [flags]\n\n"
         "Draws a graph: a page with everything in one file, in which modules open and close, or one SVG of what is\n"
         "seen first. A page needs no network and no other file.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nFlags win over .onnxls.json, which is looked for in this folder and those above it.\n"
         "Exit codes: 0 drawn, 2 there is no graph, or something could not be read or makes no sense.\n");
}

MUST_USE static Status take_flag(Graph *graph, const OptionReader *reader)
{
  size_t choice = 0;
  Status status = OK;
  switch ((GraphFlag)reader->option) {
  case FLAG_AROUND:
    return option_number(reader, 1, INT32_MAX, &graph->around);
  case FLAG_AT:
    return option_number(reader, 1, INT32_MAX, &graph->at);
  case FLAG_FORMAT:
    status = option_choice(reader, format_names, COUNT(format_names), &choice);
    graph->format = (Format)choice;
    return status;
  case FLAG_HELP:
    graph->wants_help = true;
    return OK;
  case FLAG_OUT:
    graph->out = reader->value;
    return OK;
  case FLAG_SCOPE:
    graph->scope = reader->value;
    return OK;
  case FLAG_EXPORTER:
  case FLAG_OPSET:
  case FLAG_TORCH:
  case FLAG_COUNT:
    break;
  }
  return cli_facts_take_flag(&graph->flags, reader);
}

MUST_USE static Status read_words(Graph *graph, OptionReader *reader)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (take_flag(graph, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_OPERAND:
      files_find(&graph->files, reader->value);
      break;
    case OPTION_END:
      if (graph->wants_help || (graph->files.files.count == 1 && graph->files.problems == 0))
        return OK;
      if (graph->files.problems == 0)
        say("%s: name one file, or - for standard input", reader->command);
      return ERR_USAGE;
    }
  }
}

static Format format_of(const Graph *graph)
{
  bool is_svg = graph->out && str_ends_with(str_from(graph->out), STR(".svg"));
  return graph->format != FORMAT_BY_ENDING ? graph->format : is_svg ? FORMAT_SVG : FORMAT_HTML;
}

// --- Which picture ---

/// The module that is called so; else what is near is named.
MUST_USE static Status find_scope(const FeatureContext *context, const char *shown, const char *name,
                                  uint32_t *ret_scope)
{
  FoundCardList list = feature_picture_search(context, str_from(name));
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].opens != NO_SCOPE && str_equal(list.items[i].title, str_from(name))) {
      *ret_scope = list.items[i].opens;
      return OK;
    }
  }
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].opens == NO_SCOPE)
      continue;
    say("onnxls: %s: no module is called '%s'; did you mean '%.*s'?", shown, name, STR_ARG(list.items[i].title));
    return ERR_USAGE;
  }
  say("onnxls: %s: no module is called '%s'", shown, name);
  return ERR_USAGE;
}

MUST_USE static Status choose_picture(const Graph *graph, const FeatureContext *context, const char *shown,
                                      PictureQuery *ret_query)
{
  uint32_t lines = document_line_count(snapshot_document(context->snapshot));
  uint64_t line = graph->around > graph->at ? graph->around : graph->at;
  *ret_query = (PictureQuery){ 0 };
  if (line > lines) {
    say("onnxls: %s: there is no line %llu; the last one is %u", shown, (unsigned long long)line, lines);
    return ERR_USAGE;
  }
  if (graph->around > 0)
    *ret_query = (PictureQuery){ .is_around = true, .line = (uint32_t)graph->around - 1 };
  return graph->scope ? find_scope(context, shown, graph->scope, &ret_query->scope) : OK;
}

// --- Writing ---

static void draw(const Graph *graph, const FeatureContext *context, const GraphPage *page, const Picture *picture,
                 Buffer *out)
{
  if (format_of(graph) == FORMAT_HTML) {
    graph_write_page(out, page, picture);
    return;
  }
  DiagnosticList diagnostics = diagnostics_of(context->snapshot, context->arena);
  graph_write_svg(out, picture, &diagnostics, snapshot_document(context->snapshot));
}

MUST_USE static Status write_out(const Graph *graph, Str text)
{
  Status status = OK;
  if (graph->out)
    status = replace_file(graph->out, NULL, text);
  else if (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0)
    status = ERR_IO;
  if (status != OK)
    say("onnxls: %s: %s", graph->out ? graph->out : "standard output", strerror(errno));
  return status;
}

MUST_USE static Status draw_snapshot(const Graph *graph, const char *shown, const Snapshot *snapshot, Arena *arena)
{
  FeatureContext context = { .snapshot = snapshot, .arena = arena };
  GraphPage page = { .snapshot = snapshot, .shown = shown, .has_line = graph->at + graph->around > 0 };
  Picture picture;
  Buffer out = { 0 };
  page.line = (uint32_t)(graph->at > 0 ? graph->at : graph->around) - 1;
  Status status = choose_picture(graph, &context, shown, &page.query);
  if (status == OK && !feature_picture(&context, &page.query, &picture)) {
    say("onnxls: %s: there is no graph in it to draw", shown);
    status = ERR_FORMAT;
  }
  if (status == OK) {
    draw(graph, &context, &page, &picture, &out);
    status = write_out(graph, buffer_str(&out));
  }
  buffer_done(&out);
  return status;
}

MUST_USE static Status draw_file(const Graph *graph, const Target *target)
{
  const FoundFile *file = &graph->files.files.items[0];
  const char *shown = file->is_stdin ? "<stdin>" : file->path;
  size_t threads = file->size >= LARGE_FILE ? parallel_default_threads() : 1;
  Arena arena = { 0 };
  Buffer notes = { 0 };
  Coverage coverage;
  Status status = ERR_FORMAT;
  Snapshot *snapshot = load_snapshot(file, shown, target, threads, &notes, &arena, &coverage);
  if (coverage.is_damaged)
    say_append(&notes, "onnxls: %s: a damaged model; onnxls check says where", shown);
  else if (snapshot && coverage.status != COVERAGE_SKIPPED)
    status = draw_snapshot(graph, shown, snapshot, &arena);
  say_lines(stderr, buffer_str(&notes));
  snapshot_release(snapshot);
  arena_done(&arena);
  buffer_done(&notes);
  return status;
}

static int run(Graph *graph)
{
  CliFacts facts;
  Buffer problems = { 0 };
  if (cli_facts_open(&facts, &graph->flags) != OK)
    return EXIT_USAGE;
  int code = EXIT_USAGE;
  settings_here_torch(&facts.settings);
  Target *target =
      check_workspace(settings_target(&facts.settings, &problems), &graph->files, parallel_default_threads());
  if (settings_here_report(&problems) == OK && draw_file(graph, target) == OK)
    code = EXIT_CLEAN;
  target_release(target);
  cli_facts_close(&facts);
  buffer_done(&problems);
  return code;
}

int cli_graph(int argc, char **argv)
{
  Graph graph = { .files = { .languages = IN_GRAPHS }, .format = FORMAT_BY_ENDING };
  OptionReader reader = option_reader("onnxls graph", options, FLAG_COUNT, argc, argv);
  int code = EXIT_USAGE;
  if (read_words(&graph, &reader) == OK) {
    code = EXIT_CLEAN;
    if (graph.wants_help)
      print_help();
    else
      code = run(&graph);
  }
  files_done(&graph.files);
  return code;
}
