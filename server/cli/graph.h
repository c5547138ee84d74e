/// What `graph` writes of one document.
///
/// Ownership: borrows everything; appends to the caller's buffer.
/// Units:     lines from 0.
/// Threads:   the main thread.
/// Sources:   docs/graph.md.
#pragma once

#include "base/buffer.h"
#include "core/features.h"

typedef struct GraphPage {
  const Snapshot *snapshot;
  const char *shown;   ///< What the file is called.
  PictureQuery query;  ///< The picture that is there first.
  bool has_line;
  uint32_t line;  ///< With has_line: its node is chosen when the page opens.
} GraphPage;

/// One HTML file that needs no other: the page, the first picture, and those of all scopes that can be opened.
void graph_write_page(Buffer *out, const GraphPage *page, const Picture *picture);
/// One picture.
void graph_write_svg(Buffer *out, const Picture *picture, const DiagnosticList *diagnostics, const Document *document);
