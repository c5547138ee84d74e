/// What software says when an export, a check or a session fails, and what is known about it.
///
/// Ownership: everything belongs to the database.
/// Units:     sets of words are bit masks of the enums here; opsets and IR versions are numbers.
/// Errors:    look-ups can't fail, they answer NULL or an empty Str.
/// Threads:   any number of threads may read one database at once.
/// Sources:   symbolics-db/records/messages, and each record's own.
#pragma once

#include "facts/symbolics.h"

/// How much a message tells; the order is that of the compiler's list (read_messages.c).
typedef enum MessageLevel {
  MESSAGE_CAUSE,    ///< It names the cause.
  MESSAGE_OUTER,    ///< It says what failed; an exception below it knows why.
  MESSAGE_CONTEXT,  ///< It only fills holes of others in the same exception or chain.
  MESSAGE_WARNING,  ///< The export went on; it is the cause if nothing else is.
  MESSAGE_NOTE,     ///< Something to know, and nothing failed because of it.
} MessageLevel;

/// Which further facts belong to a message; the order is that of the compiler's list.
typedef enum MessageAbout {
  ABOUT_TORCH_OPERATOR = 1 << 0,
  ABOUT_DYNAMO_OPERATOR = 1 << 1,
  ABOUT_ONNX_OPERATOR = 1 << 2,
  ABOUT_ONNX_ATTRIBUTE = 1 << 3,
  ABOUT_ONNX_TYPE = 1 << 4,
  ABOUT_KERNEL = 1 << 5,
  ABOUT_RUNTIME_IR = 1 << 6,
  ABOUT_RUNTIME_OPSET = 1 << 7,
  ABOUT_EXPORT_ARGUMENT = 1 << 8,
  ABOUT_PYTHON_NAME = 1 << 9,
  ABOUT_TORCH_OPSET = 1 << 10,
  ABOUT_ONNX_VERSIONS = 1 << 11,
  ABOUT_TORCHLIB_FUNCTION = 1 << 12,
  ABOUT_ONNX_MISSING = 1 << 13,  ///< With ABOUT_ONNX_OPERATOR: it says that there is none.
} MessageAbout;

typedef struct Message {
  Str id;               ///< "unsupported-operator"
  const Str *patterns;  ///< Literal text with holes: {name} in a line, {name.} a word, {name*} over lines.
  uint32_t pattern_count;
  Str stage;     ///< "conversion"; "any": where it was met.
  int exporter;  ///< EXPORTER_TORCHSCRIPT, EXPORTER_DYNAMO, or -1 for either or none.
  MessageLevel level;
  uint32_t about;  ///< MessageAbout.
  Str versions;    ///< Of the software that says it; empty if unknown.
  Str cause, fix;  ///< Ours, with holes: {name} or {name|words if the name is not known}.
  Str url;
  Str place;   ///< Where the software says it: file and function.
  Str within;  ///< It counts only in a text that holds this; empty: in any.
} Message;

typedef struct RuntimeFacts {
  Str version;  ///< Of ONNX Runtime.
  int opset;    ///< The highest that it promises.
  int ir;
  bool has_outcomes;  ///< TorchOutcome.runtime may name it.
  uint32_t bit;       ///< In KernelGap.runtimes.
} RuntimeFacts;

/// What sessions of some runtimes refuse to load, of an operator of ai.onnx at one version of its schema.
typedef struct KernelGap {
  uint32_t since;
  uint32_t first_opset, last_opset;  ///< Of the model; 0 if they don't matter.
  uint32_t runtimes;                 ///< Bits of RuntimeFacts; of the layer's own.
  Str condition;                     ///< "T1 float & T2 double -", `-` for an input that is left out; empty: always.
} KernelGap;

typedef struct KernelGaps {
  Str op;
  const KernelGap *items;
  size_t count;
} KernelGaps;

typedef struct MessageTable {
  const Message *messages;
  size_t message_count;
  const RuntimeFacts *runtimes;  ///< Oldest first.
  size_t runtime_count;
} MessageTable;

/// The messages of layer `i`, below symbolics_layer_count().
const MessageTable *symbolics_messages(const SymbolicsDb *db, uint32_t i);

/// What runtimes lack of an operator of ai.onnx; NULL if nothing is known.
const KernelGaps *symbolics_kernel_gaps(const SymbolicsDb *db, Str name);
/// Whether it is about a node of that schema version in a model of that opset.
bool kernel_gap_is_at(const KernelGap *gap, uint32_t since, int64_t opset);
/// Takes the next part off a condition: the constraint, and its types with blanks between them; false at the end.
bool kernel_gap_next_part(Str *condition, Str *ret_constraint, Str *ret_types);
