/// Every limit of reading a model, each with its reason. A model that reaches one gets a message that says so.
///
/// Units:     bytes, where nothing else is said.
/// Threads:   constants.
/// Sources:   protobuf's encoding guide (varints, field numbers); protobuf's CodedInputStream (recursion limit).
#pragma once

#include <stdint.h>

enum {
  /// The outermost message and 100 inside of each other: what protobuf reads in C++ and Python, so no library that
  /// loads
  /// models goes deeper.
  MODEL_DEPTH = 101,
  /// Of a varint: 64 bits need no more, and protobuf takes no more.
  MODEL_VARINT_BYTES = 10,
  /// Of a file that protobuf reads at all; a larger one is shown all the same, with a comment.
  MODEL_PROTOBUF_BYTES = INT32_MAX,
  /// The largest number of a field that protobuf has.
  MODEL_FIELD_NUMBER = (1 << 29) - 1,
  /// Children of one message, such as the nodes of a graph. Each costs 24 bytes while its message is printed; the
  /// largest
  /// models that people export have some 300,000 nodes.
  MODEL_CHILDREN = 8 * 1000 * 1000,
  /// What is looked at in one go. Also the longest piece of a string that is in memory.
  MODEL_WINDOW = 256 * 1024,
  /// What is read after a jump. Between two weights lie some hundred bytes.
  MODEL_JUMP_READ = 4 * 1024,
  /// A longer string of an attribute is left out unless everything is asked for: it is a compiled engine or a
  /// vocabulary.
  MODEL_STRING_SHOWN = 4 * 1024,
  /// Values of a tensor that are shown unless the caller says otherwise: shapes, axes and scales are whole, weights are
  /// not.
  MODEL_VALUES_SHOWN = 16,
  /// Of numbers beside the text that only help to read it, such as what the bits of float16 mean.
  MODEL_VALUES_EXPLAINED = 16,
  /// Bytes or packed numbers in a comment; more are counted.
  MODEL_COMMENT_VALUE = 64,
  /// Lines of a comment on one thing, such as a documentation or a training graph.
  MODEL_COMMENT_LINES = 2000,
  /// Kinds of fields that are not known and that the text lists by number.
  MODEL_UNKNOWN_LISTED = 16,
  /// The text is handed on in pieces of this size.
  MODEL_TEXT_PIECE = 256 * 1024,
};
