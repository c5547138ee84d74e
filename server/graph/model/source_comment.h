/// The comment with which FX graphs say where the lines below it came from: `# File: m.py:12 in forward, code: x + 1`,
/// and the one above a node of a model: `# pkg.torch.onnx.stack_trace: File "m.py", line 12, in forward`.
///
/// Ownership: borrows the line.
/// Units:     byte offsets from the start of the line; the file's line counts from 1, as printed.
/// Errors:    false for any other line.
/// Threads:   pure.
/// Sources:   torch/fx/graph.py, CodeGen._gen_python_code (append_stacktrace_summary), of torch 2.0 to 2.14.
#pragma once

#include "base/memory.h"

typedef struct SourceComment {
  Str location;  ///< `m.py:12`
  Str file;      ///< `m.py`
  uint32_t line;
  Str function;  ///< `forward`; may be empty.
  Str code;      ///< What comes after `code: `; may be empty.
} SourceComment;

bool source_comment_read(Str line, SourceComment *ret_comment);
/// A comment that says where the next lines came from, be it only that nothing is known of it.
bool source_comment_speaks(Str line);
