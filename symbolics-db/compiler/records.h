/// Records (text that people read and diff) to facts (the binary form of symbolics.proto).
///
/// A record file is lines: `#` starts a comment line, `kind WORD` says what the file holds, `source TEXT` where it was
/// read, and the rest is one fact a line, in the form that its kind defines (symbolics-db/README.md).
///
/// Ownership: Records owns what it read; `file` and `text` are copied.
/// Units:     lines from 1.
/// Errors:    each mistake is one message "file:line: what" or "file: place: what"; after any, records_pack() refuses.
/// Threads:   one thread at a time.
/// Sources:   symbolics-db/README.md.
#pragma once

#include "base/buffer.h"
#include "base/memory.h"

enum {
  FACTS_FORMAT = 2,
  FACTS_TORCH_VERSION_LIMIT = 32,  ///< Bits of a mask.
  FACTS_OPSET_LIMIT = 63,          ///< Highest opset that a mask can hold.
  FACTS_NO_LIMIT = -1,             ///< max_input of a variadic operator, as uint32_t.
  // TorchTable.flags
  FLAG_DYNAMO_OPSET = 0xff,        ///< Mask of the lowest opset with a function of real inputs; 0 if there is none.
  FLAG_DYNAMO_DECOMPOSED = 0x100,  ///< Some overload is decomposed first.
  FLAG_DYNAMO_COMPLEX = 0x200,     ///< Some overload has a function of complex inputs.
  FLAG_RANDOM = 0x400,             ///< Some overload has the tag nondeterministic_seeded.
  FLAG_VIEW = 0x800,               ///< The other tags of records/torch/tags.
  FLAG_METADATA = 0x1000,
  FLAG_LIST_MUTATION = 0x2000,
  FLAG_OUTCOMES = 0x4000,  ///< There are outcomes of this operator in this torch version.
};

typedef struct Records Records;

Records *records_new(void);
/// NULL is fine.
void records_free(Records *records);
/// Reads one record file. `file` names it in messages and sources.
void records_read(Records *records, Str file, Str text);
/// Reads one line of a fact that is in no record file; `place` names it in messages: "onnx[3].inputs[0]".
void records_read_fact(Records *records, Str file, Str place, Str kind, Str line);
/// Adds "file: place: what", for readers of other formats.
void records_complain(Records *records, Str file, Str place, const char *format, ...) PRINTF_LIKE(4, 5);
/// Every mistake so far, one a line; empty if there is none. At most 50 are kept.
Str records_messages(const Records *records);
/// Checks what needs all files and appends the packed Facts to `ret_facts`. The same records give the same bytes,
/// whatever the order of the files.
MUST_USE Status records_pack(Records *records, Buffer *ret_facts);
