/// What `onnxls why` prints of an answer, and how it reads texts.
///
/// Ownership: the buffers are the caller's; texts are to free().
/// Units:     lines and columns from 1.
/// Threads:   the main thread.
/// Sources:   docs/why.md, docs/why.schema.json.
#pragma once

#include "base/buffer.h"
#include "why/why.h"

/// One text and what is known of it.
typedef struct WhyInput {
  const char *shown;  ///< The file's name for people.
  Str text;
  WhyAnswer answer;
} WhyInput;

/// For a terminal of that many columns.
void why_report_text(Buffer *out, const WhyInput *input, size_t width);
void why_report_json(Buffer *out, const WhyInput *inputs, size_t count);
/// UTF-16 with a byte order mark, as PowerShell writes it, as UTF-8; false if the text is something else.
bool why_decode(Str text, Buffer *out);
/// A terminal's width, within what reads well.
size_t why_width(void);
