/// The limits of syntax/, in one place. They count bytes and work, never time, so that a text reads the same on a busy
/// machine; what a limit made us leave out is an Unread (syntax/unread.h).
///
/// Units:     bytes; work is counted in operations of the parser, of about a quarter of a microsecond.
/// Threads:   constants.
/// Sources:   measured with tree-sitter 0.25.1, tests/cli/deep.mjs and the Python files of torch 2.14.
#pragma once

enum {
  /// Of a Python file. The largest one of torch 2.14 that mentions ONNX has 1.3 MB.
  PY_TEXT_LIMIT = 16 * 1024 * 1024,

  /// Of one parse: this much, and so much more for each byte. Source takes 0.7 to 2 a byte, 140,000 nested calls with
  /// stars 20, the worst garbage that is still linear 25. What recovery makes of `for x in y: ` repeated, and a scanner
  /// of continued lines, grows with the square of the text: 60 KB of that fit.
  PARSE_WORK = 2 * 1000 * 1000,
  PARSE_WORK_PER_BYTE = 32,

  /// Levels of the tree of a dump's line; deeper nodes are left out. Types nest four or five deep.
  DUMP_DEPTH_LIMIT = 64,

  /// A longer text is one line, as chunks are smaller, so it is not tried as a whole first.
  DUMP_WHOLE_LIMIT = 512 * 1024,
};
