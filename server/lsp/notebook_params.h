/// Notifications that keep notebooks in step with the client.
///
/// Ownership: strings point into the message; lists live in the arena.
/// Units:     positions are in the session's encoding; indices of cells are from 0.
/// Errors:    params of the wrong shape give false; `uri` is set whenever it could be read.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Notebook Document Synchronization".
#pragma once

#include "lsp/document_params.h"

typedef struct NotebookCellParams {
  Str uri;       ///< Of its document.
  bool is_code;  ///< NotebookCellKind.Code
} NotebookCellParams;

/// The list of cells from `start` on is replaced.
typedef struct NotebookSplice {
  size_t start;
  size_t delete_count;
  const NotebookCellParams *cells;
  size_t cell_count;
} NotebookSplice;

typedef struct NotebookParams {
  Str uri;
  bool has_splice;
  NotebookSplice splice;  ///< When it is opened: all cells.
  const DidOpen *opened;
  size_t opened_count;
  const Str *closed;
  size_t closed_count;
  const DidChange *changed;
  size_t changed_count;
} NotebookParams;

/// The URI of params with a notebookDocument; empty if there is none.
Str notebook_params_read_uri(const Value *params);
bool notebook_params_read_open(const Message *message, Arena *arena, NotebookParams *ret_params);
bool notebook_params_read_change(const Message *message, Arena *arena, NotebookParams *ret_params);
