/// An opened .onnx file: known to be a model, and whole.
///
/// Ownership: model_open_bytes() borrows the bytes until model_free().
/// Errors:    ERR_NOT_FOUND for what is no model, ERR_FORMAT for a damaged one, ERR_IO or ERR_LIMIT; with a message
/// that
///            says what the file is instead, or where the damage is, and what to do.
/// Threads:   one thread at a time.
#pragma once

#include "onnx_model/walk.h"

typedef struct Model {
  Source source;
  ModelStats stats;
  char *path;  ///< NULL for bytes in memory.
} Model;

/// Files of this name are binary models, if they are what they say.
bool model_is_named(Str path);
MUST_USE Status model_open_file(const char *path, Buffer *message, Model **ret_model);
/// The same of a file whose bytes were read; they are borrowed until model_free().
MUST_USE Status model_open_read_file(const char *path, Str bytes, Buffer *message, Model **ret_model);
MUST_USE Status model_open_bytes(Str bytes, Buffer *message, Model **ret_model);
/// NULL is fine.
void model_free(Model *model);
