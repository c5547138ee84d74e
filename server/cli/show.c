// `onnxls show`: a binary model as ONNX text.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "host/files.h"
#include "host/say.h"
#include "onnx_model/text.h"

typedef enum ShowFlag {
  FLAG_FULL,
  FLAG_GRAPH,
  FLAG_HASH,
  FLAG_HELP,
  FLAG_WEIGHTS,
  FLAG_COUNT,
} ShowFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_FULL] = { "full", 0, NULL, "all values of all tensors" },
  [FLAG_GRAPH] = { "graph", 0, "NAME", "only graphs and functions of that name" },
  [FLAG_HASH] = { "hash", 0, NULL, "the SHA-256 of values that are left out" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_WEIGHTS] = { "weights", 0, "N", "values of tensors that have at most N of them (16; int32 and int64 64)" },
};

enum { WEIGHTS_MAX = 1000 * 1000 * 1000 };

typedef struct Show {
  const char *path;
  ModelTextOptions text;
  bool wants_help;
  bool is_terminal;
} Show;

static void print_help(void)
{
  printf("usage: onnxls show MODEL.onnx|- [flags]\n\n"
         "Prints a binary model as ONNX text. Values of large tensors are left out and never read, so the size of the\n"
         "file does not matter. What the syntax has no words for (stack traces, documentation) is in comments. `-` is\n"
         "standard input, which is read whole.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 shown, 2 it could not be read, or is not a model; the message says what it is.\n");
}

MUST_USE static Status take_weights(Show *show, const OptionReader *reader)
{
  Status status = option_number(reader, 0, WEIGHTS_MAX, &show->text.max_values);
  show->text.max_sizes = show->text.max_values;
  return status;
}

MUST_USE static Status take_flag(Show *show, const OptionReader *reader)
{
  switch ((ShowFlag)reader->option) {
  case FLAG_FULL:
    show->text.is_full = true;
    break;
  case FLAG_GRAPH:
    show->text.graph = str_from(reader->value);
    break;
  case FLAG_HASH:
    show->text.wants_hash = true;
    break;
  case FLAG_HELP:
    show->wants_help = true;
    break;
  case FLAG_WEIGHTS:
    return take_weights(show, reader);
  case FLAG_COUNT:
    break;
  }
  return OK;
}

MUST_USE static Status take_operand(Show *show, const OptionReader *reader)
{
  if (show->path) {
    say("%s: one model at a time", reader->command);
    return ERR_USAGE;
  }
  show->path = reader->value;
  return OK;
}

MUST_USE static Status read_words(Show *show, OptionReader *reader)
{
  for (;;) {
    Status status = OK;
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      status = take_flag(show, reader);
      break;
    case OPTION_OPERAND:
      status = take_operand(show, reader);
      break;
    case OPTION_END:
      if (show->path || show->wants_help)
        return OK;
      say("%s: name a model", reader->command);
      return ERR_USAGE;
    }
    if (status != OK)
      return status;
  }
}

/// What strings of a model could make a terminal do is shown instead; a file or a pipe gets them as they are.
static Status write_out(void *context, Buffer *text)
{
  const Show *show = context;
  bool is_good = true;
  if (show->is_terminal)
    say_lines(stdout, buffer_str(text));
  else
    is_good = fwrite(text->data, 1, text->len, stdout) == text->len;
  text->len = 0;
  return is_good ? OK : ERR_CANCELLED;
}

/// What a pipe holds is read into `ret_bytes`, which is to free() after the model.
static Status open_model(const Show *show, Buffer *message, char **ret_bytes, Model **ret_model)
{
  struct stat info;
  FoundFile file = { .path = (char *)show->path, .is_stdin = strcmp(show->path, "-") == 0, .size = SIZE_MAX };
  bool is_pipe = file.is_stdin || (stat(show->path, &info) == 0 && S_ISFIFO(info.st_mode));
  size_t len;
  if (!is_pipe)
    return model_open_file(show->path, message, ret_model);
  Status status = files_read(&file, DOCUMENT_LIMIT, ret_bytes, &len);
  if (status != OK)
    buffer_append(message, str_from(status == ERR_LIMIT ? "over 2 GB; save it first" : strerror(errno)));
  return status == OK ? model_open_bytes(str_make(*ret_bytes, len), message, ret_model) : status;
}

static int run(Show *show)
{
  Buffer message = { 0 };
  Buffer text = { 0 };
  Model *model = NULL;
  char *bytes = NULL;
  show->is_terminal = isatty(STDOUT_FILENO);
  show->text.context = show;
  show->text.drain = write_out;
  Status status = open_model(show, &message, &bytes, &model);
  if (status == OK)
    status = model_text(model, &show->text, &text, &message);
  // What was there before the damage helps to find it.
  if (status != OK && text.len > 0)
    (void)write_out(show, &text);
  if (fflush(stdout) != 0 || status == ERR_CANCELLED) {
    say("onnxls: standard output: %s", strerror(errno));
    status = ERR_IO;
  } else if (status != OK) {
    say("onnxls: %s: %.*s", show->path, STR_ARG(buffer_str(&message)));
  }
  model_free(model);
  free(bytes);
  buffer_done(&text);
  buffer_done(&message);
  return status == OK ? EXIT_CLEAN : EXIT_USAGE;
}

int cli_show(int argc, char **argv)
{
  Show show = { .text = { .max_values = MODEL_VALUES_SHOWN, .max_sizes = MODEL_SIZES_SHOWN } };
  OptionReader reader = option_reader("onnxls show", options, FLAG_COUNT, argc, argv);
  if (read_words(&show, &reader) != OK)
    return EXIT_USAGE;
  if (show.wants_help) {
    print_help();
    return EXIT_CLEAN;
  }
  return run(&show);
}
