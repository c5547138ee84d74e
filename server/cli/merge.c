// `onnxls merge`: the results of several runs over parts of the files (check --shard) as one. A part that ended early
// is said, and what two parts have of one file is taken once.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/merge_private.h"
#include "cli/options.h"
#include "host/files.h"
#include "host/say.h"

enum { FLAG_HELP, FLAG_COUNT };

static const Option options[FLAG_COUNT] = {
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
};

static void print_help(void)
{
  printf("usage: onnxls merge FILE ...\n\n"
         "Puts the results of several runs of check --shard together: JSON lines (--format jsonl) or SARIF, which is\n"
         "found by its content. What comes out is what one run over all files prints, in the order of names.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf(
      "\nExit codes: 0 nothing found but infos and hints, 1 errors or warnings found, 2 a result can't be read or is\n"
      "not complete, or a file could not be judged.\n");
}

/// A log of SARIF is one object; of JSON lines the first is one that has none of its members.
static bool is_sarif(Str text)
{
  Str first = str_slice(text, 0, 4096);
  return str_contains(first, STR("\"runs\"")) && str_contains(first, STR("\"$schema\""));
}

/// Whether all are SARIF in `ret_sarif`; a mixture is refused.
MUST_USE static Status read_parts(PartList *parts, const FileList *files, bool *ret_sarif)
{
  size_t sarif = 0;
  for (size_t i = 0; i < files->files.count; i++) {
    MergePart part = { .path = files->files.items[i].path };
    char *text = NULL;
    size_t len = 0;
    Status status = files_read(&files->files.items[i], MERGE_BYTE_LIMIT, &text, &len);
    if (status != OK) {
      say("onnxls: %s: %s", part.path, status == ERR_LIMIT ? "too large to be merged" : strerror(errno));
      return status;
    }
    part.text = str_make(text, len);
    sarif += is_sarif(part.text);
    vec_push(parts, part);
  }
  *ret_sarif = sarif > 0;
  if (sarif == 0 || sarif == parts->count)
    return OK;
  say("onnxls merge: some of these are SARIF and some are JSON lines");
  return ERR_USAGE;
}

static int merge(const FileList *files)
{
  PartList parts = { 0 };
  bool is_sarif = false;
  Buffer out = { 0 };
  int code = EXIT_USAGE;
  if (files->problems == 0 && read_parts(&parts, files, &is_sarif) == OK)
    code = is_sarif ? merge_sarif(&parts, &out) : merge_lines(&parts, &out);
  if (out.len > 0)
    fwrite(out.data, 1, out.len, stdout);
  if (fflush(stdout) != 0)
    code = EXIT_USAGE;
  for (size_t i = 0; i < parts.count; i++)
    free((char *)parts.items[i].text.data);
  vec_free(&parts);
  buffer_done(&out);
  return code;
}

MUST_USE static Status read_words(OptionReader *reader, FileList *files, bool *ret_wants_help)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_OPERAND:
      files_find(files, reader->value);
      break;
    case OPTION_FLAG:
      *ret_wants_help = true;
      break;
    case OPTION_END:
      if (*ret_wants_help || files->files.count > 0 || files->problems > 0)
        return OK;
      say("%s: name the results to put together", reader->command);
      return ERR_USAGE;
    }
  }
}

int cli_merge(int argc, char **argv)
{
  FileList files = { 0 };
  OptionReader reader = option_reader("onnxls merge", options, FLAG_COUNT, argc, argv);
  bool wants_help = false;
  int code = EXIT_USAGE;
  if (read_words(&reader, &files, &wants_help) == OK) {
    code = EXIT_CLEAN;
    if (wants_help)
      print_help();
    else
      code = merge(&files);
  }
  files_done(&files);
  return code;
}
