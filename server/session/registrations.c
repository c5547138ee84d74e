#include "session/registrations.h"

#include <stdio.h>

#include "core/language.h"
#include "host/log.h"
#include "host/requirements.h"
#include "host/settings.h"
#include "rpc/writer.h"
#include "session/state.h"

static void on_registered(Session *session, const Message *answer, void *context)
{
  if (answer && !message_result(answer))
    log_line(LOG_INFO, "the client did not take a registration");
}

static void write_watcher(Writer *writer, const char *names)
{
  char glob[64];
  snprintf(glob, sizeof(glob), "**/%s", names);
  writer_open(writer, '{');
  writer_member_str(writer, "globPattern", str_from(glob));
  writer_close(writer, '}');
}

/// Asks for news of settings, of what pins versions, and of the files of every language.
static void write_watchers(Writer *writer)
{
  Arena arena = { 0 };
  Str list;
  writer_open(writer, '{');
  writer_member_str(writer, "id", STR("onnxls-files"));
  writer_member_str(writer, "method", STR("workspace/didChangeWatchedFiles"));
  writer_key(writer, "registerOptions");
  writer_open(writer, '{');
  writer_key(writer, "watchers");
  writer_open(writer, '[');
  write_watcher(writer, SETTINGS_FILE_NAME);
  for (size_t i = 0; languages[i]; i++) {
    for (const LanguageEnding *ending = languages[i]->endings; ending && ending->suffix.len > 0; ending++) {
      char suffix[32];
      snprintf(suffix, sizeof(suffix), "*%.*s", STR_ARG(ending->suffix));
      write_watcher(writer, suffix);
    }
  }
  for (size_t i = 0; (list = requirements_glob(i, &arena)).len > 0; i++)
    write_watcher(writer, list.data);
  writer_close(writer, ']');
  writer_close(writer, '}');
  writer_close(writer, '}');
  arena_done(&arena);
}

void registrations_send(Session *session)
{
  static const char settings[] = "{\"id\":\"onnxls-settings\",\"method\":\"workspace/didChangeConfiguration\","
                                 "\"registerOptions\":{\"section\":\"onnxls\"}}";
  // For no other language: who formats Python would be asked whom to take.
  static const char formatting[] = "{\"id\":\"onnxls-formatting\",\"method\":\"textDocument/formatting\","
                                   "\"registerOptions\":{\"documentSelector\":[{\"language\":\"onnx-text\"}]}}";
  const ClientCapabilities *client = &session->client;
  if (!client->registers_watched_files && !client->registers_configuration && !client->registers_formatting)
    return;
  Buffer params = { 0 };
  Writer writer = { .out = &params };
  writer_open(&writer, '{');
  writer_key(&writer, "registrations");
  writer_open(&writer, '[');
  if (client->registers_watched_files)
    write_watchers(&writer);
  if (client->registers_configuration)
    writer_raw(&writer, str_from(settings));
  if (client->registers_formatting)
    writer_raw(&writer, str_from(formatting));
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  client_ask(session, "client/registerCapability", buffer_str(&params), on_registered, NULL);
  buffer_done(&params);
}
