// A short session with the server, as an editor has it: `demo_session SERVER DUMP`. It opens the dump, and prints what
// the server says of two operators and of a value. One program of plain C, so that trying onnxls takes no interpreter.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Session {
  pid_t server;
  FILE *to;
  FILE *from;
  int last_id;
  const char *uri;
  const char *text;
} Session;

static void fail(const char *why)
{
  fprintf(stderr, "demo_session: %s\n", why);
  exit(1);
}

/// Starts the program with both of its streams on pipes.
static Session start(const char *program)
{
  int in[2];
  int out[2];
  if (pipe(in) != 0 || pipe(out) != 0)
    fail("no pipes");
  Session session = { .server = fork() };
  if (session.server == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execlp(program, program, "--stdio", (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  session.to = fdopen(in[1], "w");
  session.from = fdopen(out[0], "r");
  if (session.server < 0 || !session.to || !session.from)
    fail("the server can't be started");
  return session;
}

/// A message is its length, an empty line, and JSON. Consumes the message.
static void send_message(Session *session, json_t *message)
{
  char *body = json_dumps(message, JSON_COMPACT);
  if (!body)
    fail("the dump is not UTF-8");
  fprintf(session->to, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
  fflush(session->to);
  free(body);
  json_decref(message);
}

static json_t *receive(Session *session)
{
  char line[256];
  size_t length = 0;
  while (fgets(line, sizeof(line), session->from) && strcmp(line, "\r\n") != 0) {
    if (strncasecmp(line, "Content-Length:", 15) == 0)
      length = strtoul(line + 15, NULL, 10);
  }
  char *body = malloc(length + 1);
  if (!body || length == 0 || fread(body, 1, length, session->from) != length)
    fail("the server ended");
  json_t *message = json_loadb(body, length, 0, NULL);
  free(body);
  return message ? message : json_null();
}

/// What comes with the next notification of that name. What the server asks meanwhile is answered with null.
static json_t *wait_for(Session *session, const char *method, int id)
{
  for (;;) {
    json_t *message = receive(session);
    json_t *name = json_object_get(message, "method");
    json_t *its_id = json_object_get(message, "id");
    if (name && its_id)
      send_message(session, json_pack("{s:s, s:O, s:n}", "jsonrpc", "2.0", "id", its_id, "result"));
    else if (name ? method && strcmp(json_string_value(name), method) == 0 : json_integer_value(its_id) == id)
      return json_object_get(message, name ? "params" : "result");
  }
}

/// Sends a request and waits for its answer; consumes `params`.
static json_t *ask(Session *session, const char *method, json_t *params)
{
  int id = ++session->last_id;
  send_message(session, json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method, "params", params));
  return wait_for(session, NULL, id);
}

static void tell(Session *session, const char *method, json_t *params)
{
  send_message(session, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

static void open_dump(Session *session)
{
  json_t *options = json_pack("{s:s, s:s, s:i}", "torch", "2.6", "exporter", "torchscript", "opset", 13);
  json_t *capabilities = json_pack("{s:{s:{s:[s]}}}", "textDocument", "hover", "contentFormat", "markdown");
  json_t *there = ask(session, "initialize",
                      json_pack("{s:i, s:n, s:o, s:o}", "processId", (int)getpid(), "rootUri", "initializationOptions",
                                options, "capabilities", capabilities));
  json_t *info = json_object_get(there, "serverInfo");
  printf("%s %s is there\n", json_string_value(json_object_get(info, "name")),
         json_string_value(json_object_get(info, "version")));
  tell(session, "initialized", json_object());
  tell(session, "textDocument/didOpen",
       json_pack("{s:{s:s, s:s, s:i, s:s}}", "textDocument", "uri", session->uri, "languageId", "torch-ir", "version", 1,
                 "text", session->text));
  json_t *list = json_object_get(wait_for(session, "textDocument/publishDiagnostics", 0), "diagnostics");
  printf("it publishes %zu diagnostics, the first: %s\n", json_array_size(list),
         json_string_value(json_object_get(json_array_get(list, 0), "message")));
}

/// What the server says at the first place of these words. A column is a byte here: the dump is ASCII.
static void hover(Session *session, const char *words)
{
  const char *place = strstr(session->text, words);
  int line = 0;
  const char *start = session->text;
  for (const char *at = session->text; place && at < place; at++) {
    if (*at == '\n') {
      line++;
      start = at + 1;
    }
  }
  if (!place)
    fail("the dump lacks what the demo points at");
  json_t *answer = ask(session, "textDocument/hover",
                       json_pack("{s:{s:s}, s:{s:i, s:i}}", "textDocument", "uri", session->uri, "position", "line", line,
                                 "character", (int)(place - start)));
  printf("\n--- hover at %s (line %d) ---\n%s\n", words, line + 1,
         json_string_value(json_object_get(json_object_get(answer, "contents"), "value")));
}

static char *read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0)
    fail("the dump can't be read");
  fclose(file);
  return text;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    fail("usage: demo_session SERVER DUMP");
  char *path = realpath(argv[2], NULL);
  if (!path)
    fail("there is no such dump");
  char *uri = malloc(strlen(path) + sizeof("file://"));
  if (!uri)
    fail("no memory");
  sprintf(uri, "file://%s", path);
  Session session = start(argv[1]);
  session.uri = uri;
  session.text = read_file(path);
  open_dump(&session);
  hover(&session, "aten::rms_norm");
  hover(&session, "aten::scaled_dot_product_attention");
  hover(&session, "%x.1 :");
  ask(&session, "shutdown", json_null());
  tell(&session, "exit", json_null());
  int code = 1;
  waitpid(session.server, &code, 0);
  return WIFEXITED(code) ? WEXITSTATUS(code) : 1;
}
