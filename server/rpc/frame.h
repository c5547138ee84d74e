/// Decoder of LSP's base protocol: bytes in, message bodies out. No I/O of its own.
///
/// A client that breaks the framing is never shut out: whatever does not fit is reported once and skipped up to the
/// next line that looks like "Content-Length: N". Such a line can't be inside a JSON text (a string holds no raw
/// line end), so one that turns up within a body proves that the length before it was wrong.
///
/// Ownership: the decoder owns what it has gathered; a body that comes out belongs to the caller, for free().
/// Units:     bytes.
/// Errors:    come out as FRAME_PROBLEM events; the decoder goes on after each.
/// Threads:   one thread at a time.
/// Sources:   LSP 3.17 "Base Protocol"; header names without regard to case as in RFC 9110, 5.1.
#pragma once

#include "base/str.h"

enum { FRAME_LINE_SIZE = 1024 };

typedef enum FrameEventKind {
  FRAME_MORE,     ///< The input is used up.
  FRAME_BODY,     ///< `body` is what stood after a header.
  FRAME_PROBLEM,  ///< `problem` was met and is being skipped.
} FrameEventKind;

typedef enum FrameProblem {
  FRAME_GARBAGE,     ///< Bytes that are not a header.
  FRAME_NO_LENGTH,   ///< Headers without a Content-Length.
  FRAME_BAD_LENGTH,  ///< A Content-Length that is not a number.
  FRAME_TOO_LARGE,   ///< A body over the limit; `length` says how large.
} FrameProblem;

typedef struct FrameEvent {
  FrameEventKind kind;
  FrameProblem problem;
  uint64_t length;
  char *body;  ///< The caller's to free(); not NULL for FRAME_BODY, not NUL-terminated.
  size_t body_len;
} FrameEvent;

typedef struct FrameDecoder {
  size_t limit;
  enum { FRAME_IN_HEADER, FRAME_IN_BODY, FRAME_IN_SKIP } state;
  char line[FRAME_LINE_SIZE];  ///< The unfinished header line, or its end if it is longer.
  size_t line_len;
  bool has_header;    ///< A header line was seen since the last blank line.
  bool has_length;    ///< One of them was a good Content-Length.
  bool is_resyncing;  ///< A problem was reported, and no good header has come since.
  uint64_t length;    ///< The value of Content-Length.
  uint64_t missing;   ///< Bytes of the body (or of what is skipped) still to come.
  char *body;
  size_t body_len;
  size_t body_capacity;
} FrameDecoder;

void frame_decoder_init(FrameDecoder *decoder, size_t limit);
void frame_decoder_done(FrameDecoder *decoder);
/// Eats `input` up to the end of the next event; call until it says FRAME_MORE.
FrameEvent frame_decoder_next(FrameDecoder *decoder, Str *input);
