/// What the edges (files, wire, facts) return. Analysis has no errors and returns no Status.
///
/// Ownership: a StatusText holds its own message.
/// Errors:    the values below.
/// Threads:   plain values.
#pragma once

typedef enum Status {
  OK = 0,
  ERR_IO,      ///< The system refused: open, read, write.
  ERR_FORMAT,  ///< The bytes are not what they should be.
  ERR_LIMIT,   ///< A size chosen by the other side is over its limit.
  ERR_NOT_FOUND,
  ERR_USAGE,  ///< The caller's words (flags, settings) make no sense.
  ERR_CANCELLED,
  ERR_CHANGED,  ///< A file is no longer what it was when it was read.
} Status;

#define MUST_USE __attribute__((warn_unused_result))
#ifndef PRINTF_LIKE  // Another system may know it by another name.
#define PRINTF_LIKE(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#endif
