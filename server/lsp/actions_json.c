#include "lsp/actions_json.h"

#include "lsp/diagnostics_json.h"
#include "lsp/document_params.h"
#include "text/uri.h"

static const char *const command_names[] = {
  [COMMAND_APPLY_EDIT] = "onnxls.applyEdit",
  [COMMAND_CREATE_FILE] = "onnxls.createFile",
  [COMMAND_REPORT] = "onnxls.unsupportedReport",
  [COMMAND_SHOW] = "onnxls.showFile",
};

static const char *const kind_names[] = {
  [ACTION_QUICKFIX] = "quickfix",
  [ACTION_FIX_ALL] = "source.fixAll.onnxls",
};

const char *actions_command_name(ServerCommand command)
{
  return command_names[command];
}

ServerCommand actions_command_find(Str name)
{
  ServerCommand command = 0;
  while (command < COMMAND_COUNT && !str_equal(name, str_from(command_names[command])))
    command++;
  return command;
}

// --- Edits ---

static void write_edits(Writer *writer, PositionCursor cursor, const TextEdit *edits, size_t count)
{
  writer_open(writer, '[');
  for (size_t i = 0; i < count; i++) {
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, edits[i].range);
    writer_member_str(writer, "newText", edits[i].text);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

/// The edits of one document, whose text they are about.
typedef struct DocumentEdits {
  Str uri;
  int64_t version;  ///< VERSION_UNKNOWN if nobody counts them.
  PositionCursor cursor;
  const TextEdit *edits;
  size_t count;
} DocumentEdits;

static void write_document_edits(Writer *writer, const DocumentEdits *edits)
{
  writer_open(writer, '{');
  writer_key(writer, "textDocument");
  writer_open(writer, '{');
  writer_member_str(writer, "uri", edits->uri);
  writer_key(writer, "version");
  if (edits->version == VERSION_UNKNOWN)
    writer_null(writer);
  else
    writer_int(writer, edits->version);
  writer_close(writer, '}');
  writer_key(writer, "edits");
  write_edits(writer, edits->cursor, edits->edits, edits->count);
  writer_close(writer, '}');
}

static void write_create(Writer *writer, Str uri, bool may_replace)
{
  writer_open(writer, '{');
  writer_member_str(writer, "kind", STR("create"));
  writer_member_str(writer, "uri", uri);
  if (may_replace) {
    writer_key(writer, "options");
    writer_raw(writer, STR("{\"overwrite\":true}"));
  }
  writer_close(writer, '}');
}

/// WorkspaceEdit; `creates` is for clients that take document changes.
static void write_workspace_edit(Writer *writer, const AnswerContext *context, const DocumentEdits *edits, bool creates)
{
  writer_open(writer, '{');
  if (context->client->takes_document_changes) {
    writer_key(writer, "documentChanges");
    writer_open(writer, '[');
    if (creates)
      write_create(writer, edits->uri, false);
    write_document_edits(writer, edits);
    writer_close(writer, ']');
  } else {
    writer_key(writer, "changes");
    writer_open(writer, '{');
    writer_key_str(writer, edits->uri);
    write_edits(writer, edits->cursor, edits->edits, edits->count);
    writer_close(writer, '}');
  }
  writer_close(writer, '}');
}

void actions_write_new_file(Writer *writer, Str uri, Str text)
{
  Document *document = NULL;
  if (document_new(STR(""), &document) != OK)
    return;
  TextEdit edit = { .text = text };
  DocumentEdits edits = { uri, VERSION_UNKNOWN, position_cursor(document, POS_UTF16), &edit, 1 };
  writer_open(writer, '{');
  writer_key(writer, "documentChanges");
  writer_open(writer, '[');
  write_create(writer, uri, true);
  write_document_edits(writer, &edits);
  writer_close(writer, ']');
  writer_close(writer, '}');
  document_release(document);
}

void actions_write_edit(Writer *writer, const AnswerContext *context, const TextEdit *list, size_t count)
{
  const Cell *cell = cells_find(snapshot_cells(context->snapshot), context->params->uri);
  DocumentEdits edits = { answer_uri(context, list[0].range.start),
                          cell ? cell->version : snapshot_version(context->snapshot), answer_cursor(context), list,
                          count };
  write_workspace_edit(writer, context, &edits, false);
}

/// The edit of an action; false if it has none.
static bool write_edit_of(Writer *writer, const AnswerContext *context, const Action *action)
{
  if (action->edit_count > 0) {
    actions_write_edit(writer, context, action->edits, action->edit_count);
    return true;
  }
  Document *document = NULL;
  if (action->file.path.len == 0 || document_new(action->file.text, &document) != OK)
    return false;
  DocumentEdits edits = { uri_from_path(action->file.path, context->arena), VERSION_UNKNOWN,
                          position_cursor(document, context->client->encoding), action->file.edits,
                          action->file.edit_count };
  write_workspace_edit(writer, context, &edits, action->file.is_new);
  document_release(document);
  return true;
}

// --- Commands ---

/// Leaves the list of arguments open.
static void open_command(Writer *writer, const AnswerContext *context, Str title, Str name)
{
  writer_open(writer, '{');
  writer_member_str(writer, "title", title);
  writer_member_str(writer, "command", name);
  writer_key(writer, "arguments");
  writer_open(writer, '[');
  writer_str(writer, snapshot_uri(context->snapshot));
}

static void close_command(Writer *writer)
{
  writer_close(writer, ']');
  writer_close(writer, '}');
}

/// Whether the client is unable to make the file itself.
static bool needs_create_command(const AnswerContext *context, const Action *action)
{
  return action->file.is_new && !context->client->creates_files;
}

static void write_create_command(Writer *writer, const AnswerContext *context, const Action *action)
{
  open_command(writer, context, action->title, str_from(command_names[COMMAND_CREATE_FILE]));
  writer_str(writer, action->file.path);
  writer_str(writer, action->file.edits[0].text);
  close_command(writer);
}

static void write_show_command(Writer *writer, const AnswerContext *context, const Action *action)
{
  open_command(writer, context, STR("Open the file"), str_from(command_names[COMMAND_SHOW]));
  writer_str(writer, uri_from_path(action->file.path, context->arena));
  close_command(writer);
}

static void write_report_command(Writer *writer, const AnswerContext *context, const Action *action)
{
  // An editor may have a better place for it than we can ask for.
  Str name =
      context->client->lists_unsupported ? STR("onnxls.listUnsupported") : str_from(command_names[COMMAND_REPORT]);
  open_command(writer, context, action->title, name);
  close_command(writer);
}

static void write_apply_command(Writer *writer, const AnswerContext *context, const Action *action)
{
  open_command(writer, context, action->title, str_from(command_names[COMMAND_APPLY_EDIT]));
  write_edit_of(writer, context, action);
  close_command(writer);
}

// --- Actions ---

static void write_action(Writer *writer, const AnswerContext *context, const Action *action)
{
  writer_open(writer, '{');
  writer_member_str(writer, "title", action->title);
  writer_member_str(writer, "kind", str_from(kind_names[action->kind]));
  if (action->diagnostic) {
    DiagnosticList one = { .items = action->diagnostic, .count = 1 };
    writer_key(writer, "diagnostics");
    diagnostics_write(writer, context->snapshot, NULL, &one, context->client, context->arena);
  }
  if (action->is_preferred && context->client->takes_preferred_actions)
    writer_member_bool(writer, "isPreferred", true);
  if (action->is_report) {
    writer_key(writer, "command");
    write_report_command(writer, context, action);
  } else if (needs_create_command(context, action)) {
    writer_key(writer, "command");
    write_create_command(writer, context, action);
  } else {
    writer_key(writer, "edit");
    write_edit_of(writer, context, action);
    if (action->file.path.len > 0 && context->client->shows_documents) {
      writer_key(writer, "command");
      write_show_command(writer, context, action);
    }
  }
  writer_close(writer, '}');
}

/// For clients that know commands only.
static void write_as_command(Writer *writer, const AnswerContext *context, const Action *action)
{
  if (action->is_report)
    write_report_command(writer, context, action);
  else if (needs_create_command(context, action))
    write_create_command(writer, context, action);
  else if (context->client->applies_edits)
    write_apply_command(writer, context, action);
}

/// An action that would edit several cells is not offered.
static bool is_in_asked_document(const AnswerContext *context, const Action *action)
{
  for (size_t i = 0; i < action->edit_count; i++) {
    Range range = action->edits[i].range;
    if (!answer_takes(context, range.start) || !answer_takes(context, range.end))
      return false;
  }
  return true;
}

static void write_actions(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  ActionList list = result->actions;
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    if (!is_in_asked_document(context, &list.items[i]))
      continue;
    if (context->client->takes_action_literals)
      write_action(writer, context, &list.items[i]);
    else
      write_as_command(writer, context, &list.items[i]);
  }
  writer_close(writer, ']');
}

COMPUTE(actions, actions, feature_actions(context, params->world, params->bytes, params->action_kinds))

const FeatureMethod actions_methods[] = {
  { .name = "textDocument/codeAction",
    .cost = COST_CHECK,
    .wants_world = true,
    .empty = "[]",
    .read = params_read_actions,
    .compute = compute_actions,
    .write = write_actions },
  { 0 },
};
