/// Notifications that keep documents in step with the client: didOpen, didChange, didClose, didSave.
///
/// Ownership: strings point into the message; lists live in the arena.
/// Units:     positions are in the session's encoding.
/// Errors:    params of the wrong shape give false; `uri` is set whenever it could be read.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Text Document Synchronization".
#pragma once

#include "lsp/position.h"
#include "rpc/message.h"

enum { VERSION_UNKNOWN = -1 };

typedef struct DidOpen {
  Str uri;
  Str language_id;
  int64_t version;
  Str text;
} DidOpen;

typedef struct DidChange {
  Str uri;
  int64_t version;  ///< VERSION_UNKNOWN if the client sends none.
  const TextChange *changes;
  size_t count;
} DidChange;

/// A version may be missing.
bool document_params_read_version(const Value *value, int64_t *ret_version);
/// A TextDocumentItem.
bool document_params_read_item(const Message *message, const Value *item, DidOpen *ret_open);
/// A list of content changes; writes only these.
bool document_params_read_changes(const Message *message, const Value *list, Arena *arena, DidChange *change);
bool document_params_read_open(const Message *message, DidOpen *ret_open);
/// Of an edit that can't be read the URI and, if it could be, the version are written all the same: its document is
/// known by them.
bool document_params_read_change(const Message *message, Arena *arena, DidChange *ret_change);
/// The URI of params with a textDocument; empty if there is none.
Str document_params_read_uri(const Value *params);
