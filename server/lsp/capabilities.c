#include "lsp/capabilities.h"

#include "lsp/actions_json.h"

enum {
  TAG_UNNECESSARY = 1,  ///< DiagnosticTag
  TAG_DEPRECATED = 1,   ///< CompletionItemTag
};

static const char *const encoding_names[] = { [POS_UTF8] = "utf-8", [POS_UTF16] = "utf-16", [POS_UTF32] = "utf-32" };

// The list is in the order the client likes them, and all three cost us about the same.
static PosEncoding choose_encoding(const Value *offered)
{
  for (size_t i = 0; i < value_count(offered); i++) {
    Str name;
    if (!value_to_str(value_at(offered, i), &name))
      continue;
    for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
      if (str_equal(name, str_from(encoding_names[encoding])))
        return encoding;
    }
  }
  return POS_UTF16;
}

// The formats are in the order the client likes them.
static bool prefers_markdown(const Value *formats)
{
  for (size_t i = 0; i < value_count(formats); i++) {
    Str format = { 0 };
    value_to_str(value_at(formats, i), &format);
    if (str_equal(format, STR("markdown")))
      return true;
    if (str_equal(format, STR("plaintext")))
      return false;
  }
  return false;
}

static bool list_has_int(const Value *list, int64_t wanted)
{
  for (size_t i = 0; i < value_count(list); i++) {
    int64_t item;
    if (value_to_int(value_at(list, i), &item) && item == wanted)
      return true;
  }
  return false;
}

static bool list_has_str(const Value *list, Str wanted)
{
  for (size_t i = 0; i < value_count(list); i++) {
    Str item;
    if (value_to_str(value_at(list, i), &item) && str_equal(item, wanted))
      return true;
  }
  return false;
}

static bool is_on(const Value *capabilities, const char *path)
{
  return value_is_true(value_path(capabilities, path));
}

static void read_diagnostics(const Value *capabilities, ClientCapabilities *client)
{
  const Value *pull = value_path(capabilities, "textDocument.diagnostic");
  const Value *push = value_path(capabilities, "textDocument.publishDiagnostics");
  // A client that can't be told to pull again would miss what settings and other files change: it gets them pushed.
  client->refreshes_diagnostics = is_on(capabilities, "workspace.diagnostics.refreshSupport");
  client->pulls_diagnostics = value_kind(pull) == VALUE_OBJECT && (client->refreshes_diagnostics || !push);
  client->takes_related_information = is_on(push, "relatedInformation") || is_on(pull, "relatedInformation");
  client->takes_unnecessary_tag = list_has_int(value_path(push, "tagSupport.valueSet"), TAG_UNNECESSARY) ||
                                  list_has_int(value_path(pull, "tagSupport.valueSet"), TAG_UNNECESSARY);
}

static void read_actions(const Value *capabilities, ClientCapabilities *client)
{
  const Value *literals = value_path(capabilities, "textDocument.codeAction.codeActionLiteralSupport");
  client->takes_action_literals = value_kind(literals) == VALUE_OBJECT;
  client->takes_preferred_actions = is_on(capabilities, "textDocument.codeAction.isPreferredSupport");
  const Value *operations = value_path(capabilities, "workspace.workspaceEdit.resourceOperations");
  client->creates_files = list_has_str(operations, STR("create"));
  // Neovim takes them without saying so, but for the operations that only they can hold.
  client->takes_document_changes =
      client->creates_files || is_on(capabilities, "workspace.workspaceEdit.documentChanges");
  client->applies_edits = is_on(capabilities, "workspace.applyEdit");
  client->shows_documents = is_on(capabilities, "window.showDocument.support");
  client->shows_references =
      list_has_str(value_path(capabilities, "experimental.commands"), STR("onnxls.showReferences"));
  client->lists_unsupported =
      list_has_str(value_path(capabilities, "experimental.commands"), STR("onnxls.listUnsupported"));
}

static void read_completion(const Value *capabilities, ClientCapabilities *client)
{
  const Value *item = value_path(capabilities, "textDocument.completion.completionItem");
  const Value *kinds = value_path(capabilities, "textDocument.completion.completionItemKind.valueSet");
  client->completes_markdown = prefers_markdown(value_get(item, "documentationFormat"));
  client->takes_snippets = is_on(item, "snippetSupport");
  client->takes_insert_replace = is_on(item, "insertReplaceSupport");
  client->takes_deprecated = is_on(item, "deprecatedSupport");
  client->takes_deprecated_tag = list_has_int(value_path(item, "tagSupport.valueSet"), TAG_DEPRECATED);
  client->takes_preselected = is_on(item, "preselectSupport");
  for (int kind = 1; kind < 32; kind++) {
    if (list_has_int(kinds, kind))
      client->completion_kinds |= 1u << kind;
  }
}

static void read_signatures(const Value *capabilities, ClientCapabilities *client)
{
  const Value *signature = value_path(capabilities, "textDocument.signatureHelp.signatureInformation");
  client->signatures_markdown = prefers_markdown(value_get(signature, "documentationFormat"));
  client->takes_label_offsets = is_on(signature, "parameterInformation.labelOffsetSupport");
  client->takes_active_parameter = is_on(signature, "activeParameterSupport");
}

void capabilities_read(const Value *capabilities, ClientCapabilities *ret_client)
{
  ClientCapabilities client = { .encoding = choose_encoding(value_path(capabilities, "general.positionEncodings")) };
  read_diagnostics(capabilities, &client);
  read_actions(capabilities, &client);
  read_completion(capabilities, &client);
  read_signatures(capabilities, &client);
  client.refreshes_tokens = is_on(capabilities, "workspace.semanticTokens.refreshSupport");
  client.refreshes_lenses = is_on(capabilities, "workspace.codeLens.refreshSupport");
  client.refreshes_inlay_hints = is_on(capabilities, "workspace.inlayHint.refreshSupport");
  client.hovers_markdown = prefers_markdown(value_path(capabilities, "textDocument.hover.contentFormat"));
  client.takes_definition_links = is_on(capabilities, "textDocument.definition.linkSupport");
  client.takes_symbol_tree = is_on(capabilities, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport");
  int64_t fold_limit = 0;
  if (value_to_int(value_path(capabilities, "textDocument.foldingRange.rangeLimit"), &fold_limit) && fold_limit > 0)
    client.fold_limit = fold_limit > INT32_MAX ? INT32_MAX : (uint32_t)fold_limit;
  client.shows_progress = is_on(capabilities, "window.workDoneProgress");
  client.has_configuration = is_on(capabilities, "workspace.configuration");
  client.registers_configuration = is_on(capabilities, "workspace.didChangeConfiguration.dynamicRegistration");
  client.registers_formatting = is_on(capabilities, "textDocument.formatting.dynamicRegistration");
  client.registers_watched_files = is_on(capabilities, "workspace.didChangeWatchedFiles.dynamicRegistration");
  *ret_client = client;
}

static void write_sync(Writer *writer)
{
  writer_key(writer, "textDocumentSync");
  writer_open(writer, '{');
  writer_member_bool(writer, "openClose", true);
  writer_member_int(writer, "change", 2);  // TextDocumentSyncKind.Incremental
  writer_member_bool(writer, "save", true);
  writer_close(writer, '}');
}

static void write_names(Writer *writer, const char *key, const char *const *names, size_t count)
{
  writer_key(writer, key);
  writer_open(writer, '[');
  for (size_t i = 0; i < count; i++)
    writer_str(writer, str_from(names[i]));
  writer_close(writer, ']');
}

static void write_semantic_tokens(Writer *writer)
{
  writer_key(writer, "semanticTokensProvider");
  writer_open(writer, '{');
  writer_key(writer, "legend");
  writer_open(writer, '{');
  write_names(writer, "tokenTypes", semantic_token_types, semantic_token_type_count);
  write_names(writer, "tokenModifiers", semantic_token_modifiers, semantic_token_modifier_count);
  writer_close(writer, '}');
  writer_key(writer, "full");
  writer_raw(writer, STR("{\"delta\":true}"));
  writer_member_bool(writer, "range", true);
  writer_close(writer, '}');
}

static void write_actions(Writer *writer, const ClientCapabilities *client)
{
  writer_key(writer, "codeActionProvider");
  writer_raw(writer, client->takes_action_literals
                         ? STR("{\"codeActionKinds\":[\"quickfix\",\"source.fixAll.onnxls\"]}")
                         : STR("true"));
  writer_key(writer, "executeCommandProvider");
  writer_open(writer, '{');
  writer_key(writer, "commands");
  writer_open(writer, '[');
  for (ServerCommand command = 0; command < COMMAND_COUNT; command++)
    writer_str(writer, str_from(actions_command_name(command)));
  writer_close(writer, ']');
  writer_close(writer, '}');
}

static void write_server_capabilities(Writer *writer, const ClientCapabilities *client)
{
  writer_open(writer, '{');
  writer_member_str(writer, "positionEncoding", str_from(encoding_names[client->encoding]));
  write_sync(writer);
  writer_key(writer, "notebookDocumentSync");
  writer_raw(writer,
             STR("{\"notebookSelector\":[{\"notebook\":\"*\",\"cells\":[{\"language\":\"python\"}]}],\"save\":true}"));
  feature_methods_write_providers(writer);
  write_semantic_tokens(writer);
  write_actions(writer, client);
  if (!client->registers_formatting)
    writer_member_bool(writer, "documentFormattingProvider", true);
  if (client->pulls_diagnostics) {
    writer_key(writer, "diagnosticProvider");
    writer_raw(writer, STR("{\"identifier\":\"onnxls\",\"interFileDependencies\":true,\"workspaceDiagnostics\":true}"));
  }
  writer_key(writer, "workspace");
  writer_raw(writer, STR("{\"workspaceFolders\":{\"supported\":true,\"changeNotifications\":true},"
                         "\"textDocumentContent\":{\"schemes\":[\"onnxls-model\"]}}"));
  writer_close(writer, '}');
}

void capabilities_write(Writer *writer, const ClientCapabilities *client)
{
  writer_open(writer, '{');
  writer_key(writer, "capabilities");
  write_server_capabilities(writer, client);
  writer_key(writer, "serverInfo");
  writer_open(writer, '{');
  writer_member_str(writer, "name", STR("onnxls"));
  writer_member_str(writer, "version", STR(ONNXLS_VERSION));
  writer_close(writer, '}');
  writer_close(writer, '}');
}
