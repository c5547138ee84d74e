// `onnxls init`: writes .onnxls.json from what a folder says of its exports.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/settings_here.h"
#include "host/file_scan.h"
#include "host/requirements.h"
#include "host/say.h"
#include "text/path.h"

enum { FLAG_HELP, FLAG_COUNT };

static const Option options[FLAG_COUNT] = {
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
};

/// What the exports of a folder have in common.
typedef struct CommonExport {
  uint32_t count;
  uint32_t opset_count;  ///< Of those that name one.
  int opset;             ///< The lowest that is named.
  int highest_opset;
  uint32_t by_exporter[EXPORTER_COUNT];
} CommonExport;

static void add_export(CommonExport *common, const WorkspaceExport *export)
{
  common->count++;
  if (export->exporter_is_known)
    common->by_exporter[export->exporter]++;
  if (export->opset == 0)
    return;
  common->opset = common->opset_count == 0 || export->opset < common->opset ? export->opset : common->opset;
  common->highest_opset = export->opset > common->highest_opset ? export->opset : common->highest_opset;
  common->opset_count++;
}

static CommonExport find_exports(const char *folder, Str torch)
{
  FileScan scan = { .languages = IN_CODE, .torch = torch };
  CommonExport common = { 0 };
  file_scan_add(&scan, folder);
  for (size_t i = 0; i < scan.files.count; i++) {
    const WorkspaceFile *file = scan.files.items[i].summary;
    for (uint32_t k = 0; file && k < file->export_count; k++)
      add_export(&common, &file->exports[k]);
  }
  if (scan.is_cut_short)
    say("onnxls init: there are more files than are looked at, so some exports may be missing");
  file_scan_done(&scan);
  return common;
}

/// The version that the folder pins; empty if it pins none.
static Str find_torch(Str folder, Arena *arena)
{
  Str version = { 0 }, origin;
  if (requirements_find(folder, STR("torch"), arena, &version, &origin))
    say("torch: %.*s, as %.*s pins it; it is found there, so it is not written", STR_ARG(version), STR_ARG(origin));
  else
    say("torch: no file pins a version, so it is not written; \"torch\": \"2.6\" would set one");
  return version;
}

static void add_exporter(const CommonExport *common, Buffer *json)
{
  const uint32_t *by = common->by_exporter;
  if (by[EXPORTER_TORCHSCRIPT] > 0 && by[EXPORTER_DYNAMO] > 0) {
    say("exporter: %u of the exports take the TorchScript exporter, %u the dynamo exporter, so it is not written",
        by[EXPORTER_TORCHSCRIPT], by[EXPORTER_DYNAMO]);
  } else if (by[EXPORTER_TORCHSCRIPT] + by[EXPORTER_DYNAMO] > 0) {
    Exporter exporter = by[EXPORTER_DYNAMO] > 0 ? EXPORTER_DYNAMO : EXPORTER_TORCHSCRIPT;
    say("exporter: %s, as in %u of %u exports", exporter_name(exporter), by[exporter], common->count);
    buffer_printf(json, "  \"exporter\": \"%s\",\n", exporter_name(exporter));
  } else {
    say("exporter: nothing says which, so it is not written");
  }
}

static void add_opset(const CommonExport *common, Buffer *json)
{
  if (common->opset_count == 0) {
    say("opset: no export names one, so it is not written");
  } else if (common->opset != common->highest_opset) {
    say("opset: exports name different ones, %d to %d, so it is not written", common->opset, common->highest_opset);
  } else {
    say("opset: %d, as in %u of %u exports", common->opset, common->opset_count, common->count);
    buffer_printf(json, "  \"opset\": %d,\n", common->opset);
  }
}

/// A file that somebody made meanwhile is left alone.
static int write_file(const char *path, Str text)
{
  FILE *file = fopen(path, "wxe");
  bool is_written = file && fwrite(text.data, 1, text.len, file) == text.len;
  int error = errno;
  if (file && fclose(file) != 0) {
    error = errno;
    is_written = false;
  }
  if (is_written) {
    say("wrote %s", path);
    return EXIT_CLEAN;
  }
  if (file)
    unlink(path);
  say("onnxls init: %s: %s%s", path, strerror(error), error == EEXIST ? "; it is left as it is" : "");
  return EXIT_USAGE;
}

static int init_folder(const char *folder)
{
  Arena arena = { 0 };
  char *absolute = memory_taken(realpath(folder, NULL));
  if (!absolute) {
    say("onnxls init: %s: %s", folder, strerror(errno));
    return EXIT_USAGE;
  }
  Str path = path_join(str_from(absolute), STR(SETTINGS_FILE_NAME), &arena);
  int code = EXIT_USAGE;
  if (access(path.data, F_OK) == 0) {
    say("onnxls init: %s is there already; it is left as it is", path.data);
  } else {
    CommonExport common = find_exports(absolute, find_torch(str_from(absolute), &arena));
    Buffer json = { 0 };
    buffer_printf(&json, "{\n");
    add_exporter(&common, &json);
    add_opset(&common, &json);
    buffer_printf(&json, "  \"rules\": {}\n}\n");
    code = write_file(path.data, buffer_str(&json));
    buffer_done(&json);
  }
  free(absolute);
  arena_done(&arena);
  return code;
}

int cli_init(int argc, char **argv)
{
  const char *folder = NULL;
  OptionReader reader = option_reader("onnxls init", options, FLAG_COUNT, argc, argv);
  for (;;) {
    switch (option_next(&reader)) {
    case OPTION_BAD:
      return EXIT_USAGE;
    case OPTION_FLAG:
      printf("usage: onnxls init [FOLDER]\n\n"
             "Writes .onnxls.json into the folder, or this one: the exporter and the opset that its exports agree on.\n"
             "What is there already is left as it is.\n\n");
      option_print_help(options, FLAG_COUNT);
      return EXIT_CLEAN;
    case OPTION_OPERAND:
      if (folder) {
        say("onnxls init: one folder is enough");
        return EXIT_USAGE;
      }
      folder = reader.value;
      break;
    case OPTION_END:
      return init_folder(folder ? folder : ".");
    }
  }
}
