/// What a notebook is made of; shared by the files of notebook/ only.
///
/// Ownership: a model belongs to its snapshot.
/// Units:     offsets of a part are bytes of its own text; notebook_text_in_file() leads to the file.
/// Threads:   immutable once made.
#pragma once

#include "core/diagnostic_sink.h"
#include "notebook/notebook.h"
#include "notebook/notebook_reader.h"

/// A document inside of the notebook.
typedef struct NotebookPart {
  const NotebookText *text;
  uint32_t cell;       ///< The number of the cell that wrote it; 0 for the code of all cells.
  Snapshot *snapshot;  ///< Of its text; its model may be NULL.
} NotebookPart;

typedef struct NotebookModel {
  Notebook notebook;
  Vec(NotebookPart) parts;  ///< The code, if there is any that matters, is the first one.
  Arena arena;              ///< Holds the file's text.
} NotebookModel;

static inline const NotebookModel *notebook_of(const Snapshot *snapshot)
{
  return snapshot_model(snapshot);
}

/// The part whose text has the byte of the file at `offset`, and where it is there; NULL if there is none.
const NotebookPart *notebook_part_at(const NotebookModel *model, size_t offset, size_t *ret_offset);

void notebook_check(DiagSink *sink);
extern const LanguageFeatures notebook_features;
