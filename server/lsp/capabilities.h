/// What the client can do, and what we say that we can.
///
/// Ownership: plain data.
/// Errors:    anything of an unexpected shape counts as not supported.
/// Threads:   immutable once read.
/// Sources:   LSP 3.17 and 3.18, "Initialize Request".
#pragma once

#include "lsp/position.h"

typedef struct ClientCapabilities {
  PosEncoding encoding;    ///< The first of the client's that we know; utf-16 if it names none.
  bool pulls_diagnostics;  ///< And is told when to pull again, or takes nothing else. Then nothing is pushed.
  bool refreshes_diagnostics;
  bool refreshes_tokens;
  bool refreshes_inlay_hints;
  bool refreshes_lenses;
  bool takes_related_information;
  bool takes_unnecessary_tag;
  bool hovers_markdown;
  bool takes_definition_links;
  bool takes_symbol_tree;
  uint32_t fold_limit;  ///< 0 if the client names none.
  bool shows_progress;
  bool has_configuration;
  bool registers_configuration;
  bool registers_formatting;
  bool registers_watched_files;
  bool takes_action_literals;  ///< Else code actions are commands.
  bool takes_preferred_actions;
  bool takes_document_changes;
  bool creates_files;  ///< As a part of document changes.
  bool applies_edits;  ///< That we ask for.
  bool shows_documents;
  bool shows_references;    ///< Has a command `onnxls.showReferences` of its own.
  bool lists_unsupported;   ///< Has a command `onnxls.listUnsupported` of its own.
  bool completes_markdown;  ///< In documentation of completion items, as the rest.
  bool takes_snippets;
  bool takes_insert_replace;
  bool takes_deprecated;
  bool takes_deprecated_tag;
  bool takes_preselected;
  uint32_t completion_kinds;  ///< Bit 1 << kind for each that the client names.
  bool signatures_markdown;
  bool takes_label_offsets;     ///< Parameters are places in the label of their signature, else words.
  bool takes_active_parameter;  ///< In each signature.
} ClientCapabilities;

/// `capabilities` of the params of initialize.
void capabilities_read(const Value *capabilities, ClientCapabilities *ret_client);
/// The result of initialize.
void capabilities_write(Writer *writer, const ClientCapabilities *client);
