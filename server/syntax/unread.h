/// A part of a text that was not read, because a limit was reached (base/limits.h) or it is of another language.
///
/// Ownership: plain data.
/// Units:     bytes from the start of the text that was read.
/// Threads:   plain data.
#pragma once

#include <stdint.h>

typedef enum UnreadReason {
  UNREAD_TOO_LARGE,           ///< The whole text: it is larger than PY_TEXT_LIMIT.
  UNREAD_TOO_MUCH_WORK,       ///< Parsing it takes more than PARSE_WORK and PARSE_WORK_PER_BYTE allow.
  UNREAD_TOO_DEEP,            ///< What nests deeper than DUMP_DEPTH_LIMIT in this line.
  UNREAD_DEEPER_THAN_PYTHON,  ///< What nests deeper than PY_DEPTH_LIMIT here.
  UNREAD_TOO_MANY_CALLS,      ///< Bodies of a model's functions, past ONNX_CALL_BUDGET nodes or ONNX_CALL_DEPTH levels.
  UNREAD_OTHER_LANGUAGE,      ///< A graph of another language, in a text that began with one of this.
} UnreadReason;

typedef struct Unread {
  uint32_t start;
  uint32_t end;
  UnreadReason reason;
} Unread;
