#include "cli/serve.h"

#include <stdio.h>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "host/say.h"
#include "session/server.h"

typedef enum ServeFlag {
  FLAG_CLIENT_PROCESS_ID,
  FLAG_HELP,
  FLAG_LOG_FILE,
  FLAG_MESSAGE_LIMIT,
  FLAG_NO_SANDBOX,
  FLAG_PIPE,
  FLAG_PORT,
  FLAG_SOCKET,
  FLAG_STDIO,
  FLAG_COUNT,
} ServeFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_CLIENT_PROCESS_ID] = { "clientProcessId", 0, "PID", "end when this process does" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_LOG_FILE] = { "log-file", 0, "FILE", "append a line for each thing that is done" },
  [FLAG_MESSAGE_LIMIT] = { "message-limit", 0, "BYTES", "skip messages larger than this; 512 MiB if not given" },
  [FLAG_NO_SANDBOX] = { "no-sandbox", 0, NULL, "keep all rights of the user, which it never needs (SECURITY.md)" },
  [FLAG_PIPE] = { "pipe", 0, "NAME", "connect to this local socket" },
  [FLAG_PORT] = { "port", 0, "PORT", "the same as --socket" },
  [FLAG_SOCKET] = { "socket", 0, "PORT", "connect to this port of 127.0.0.1" },
  [FLAG_STDIO] = { "stdio", 0, NULL, "standard input and output; so it is if not said otherwise" },
};

static void print_help(void)
{
  printf("usage: onnxls [serve] [--stdio | --socket=PORT | --pipe=NAME] [flags]\n\n"
         "Answers an editor that speaks the Language Server Protocol. Editors start it themselves.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 after shutdown and exit, or SIGTERM; 1 when the client went away without a word;\n"
         "2 when a flag makes no sense or the stream can't be opened.\n");
}

static bool take_flag(const OptionReader *reader, ServerOptions *server)
{
  uint64_t number = 0;
  switch ((ServeFlag)reader->option) {
  case FLAG_CLIENT_PROCESS_ID:
    if (option_number(reader, 1, INT32_MAX, &number) != OK)
      return false;
    server->client_process = (int64_t)number;
    return true;
  case FLAG_LOG_FILE:
    server->log_file = reader->value;
    return true;
  case FLAG_MESSAGE_LIMIT:
    if (option_number(reader, 1, DOCUMENT_LIMIT, &number) != OK)
      return false;
    server->message_limit = (size_t)number;
    return true;
  case FLAG_NO_SANDBOX:
    server->is_unconfined = true;
    return true;
  case FLAG_PIPE:
    server->transport = SERVER_PIPE;
    server->address = reader->value;
    return true;
  case FLAG_PORT:
  case FLAG_SOCKET:
    server->transport = SERVER_SOCKET;
    server->address = reader->value;
    return option_number(reader, 1, UINT16_MAX, &number) == OK;
  case FLAG_STDIO:
    server->transport = SERVER_STDIO;
    return true;
  case FLAG_HELP:
  case FLAG_COUNT:
    break;
  }
  return true;
}

int cli_serve(int argc, char **argv)
{
  ServerOptions server = { 0 };
  OptionReader reader = option_reader("onnxls serve", options, FLAG_COUNT, argc, argv);
  for (;;) {
    switch (option_next(&reader)) {
    case OPTION_FLAG:
      if (reader.option == FLAG_HELP) {
        print_help();
        return EXIT_CLEAN;
      }
      if (!take_flag(&reader, &server))
        return EXIT_USAGE;
      break;
    case OPTION_OPERAND:
      say("onnxls serve: '%s' is not a flag; documents come from the editor", reader.value);
      return EXIT_USAGE;
    case OPTION_BAD:
      return EXIT_USAGE;
    case OPTION_END:
      return server_run(&server);
    }
  }
}
