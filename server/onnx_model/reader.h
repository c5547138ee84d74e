/// The messages of a walked model, one at a time: their fields as a list, and long lists of numbers where they lie.
///
/// What protobuf merges is merged here: of a single field the last value counts, a single message that comes in several
/// pieces is one, of alternatives the last one counts, numbers may be packed, unpacked or both, in any order.
///
/// Ownership: lists live on a stack of the reader: reader_release() gives back the newest ones.
/// Units:     byte offsets into the file.
/// Errors:    after a walk nothing can fail but reading; `problem` says what, and every answer is empty from then on.
/// Threads:   one thread at a time.
/// Sources:   protobuf's encoding guide ("Last One Wins", "Packed Repeated Fields"); walk.h.
#pragma once

#include "base/vec.h"
#include "onnx_model/onnx_wire.h"
#include "onnx_model/schema.h"

typedef struct Span {
  uint64_t start;
  uint64_t end;
} Span;

typedef struct Reader {
  Source *source;
  Vec(Field) fields;  ///< The stack of lists.
  Vec(Span) spans;    ///< The stack of the messages' pieces.
  const char *problem;
  uint64_t problem_at;
} Reader;

/// A message: the pieces [first, first + count) of `spans`.
typedef struct Message {
  MessageKind kind;
  uint32_t count;
  size_t first;
} Message;

/// The fields of one message in their order on the wire, without bulk and unknown ones: [first, first + count) of
/// `fields`.
typedef struct FieldList {
  Message message;
  uint32_t seen;  ///< A bit for each number that the message has, those of bulk and unknown fields, too.
  size_t first;
  size_t count;
} FieldList;

typedef struct ReaderMark {
  size_t fields;
  size_t spans;
} ReaderMark;

void reader_done(Reader *reader);

static inline ReaderMark reader_mark(const Reader *reader)
{
  return (ReaderMark){ reader->fields.count, reader->spans.count };
}
/// Forgets all lists and messages made since the mark.
static inline void reader_release(Reader *reader, ReaderMark mark)
{
  reader->fields.count = mark.fields;
  reader->spans.count = mark.spans;
}

/// The whole file.
Message reader_root(Reader *reader, MessageKind kind);
FieldList reader_fields(Reader *reader, Message message);
/// The fields of the message of one field.
FieldList reader_child(Reader *reader, const FieldList *list, size_t i);
/// The field of a message that has only one, which is that of one field of a list; false if it has more, or none that
/// is known.
bool reader_lone(Reader *reader, const FieldList *list, size_t i, Field *ret_field);
/// The fields of a single message, merged from all its pieces; `ret_found` says whether there was any.
FieldList reader_only(Reader *reader, const FieldList *list, uint32_t number, bool *ret_found);
/// The last field of that number, which is the one that counts; NULL if there is none.
const Field *reader_last(const Reader *reader, const FieldList *list, uint32_t number);
/// The value of a single number, or `otherwise`.
uint64_t reader_number(const Reader *reader, const FieldList *list, uint32_t number, uint64_t otherwise);
size_t reader_count(const Reader *reader, const FieldList *list, uint32_t number);

/// Whether there is any field of that number, bulk or not.
static inline bool reader_has(const FieldList *list, uint32_t number)
{
  return (list->seen >> number & 1) != 0;
}

static inline const Field *reader_field(const Reader *reader, const FieldList *list, size_t i)
{
  return &reader->fields.items[list->first + i];
}

/// The bulk values of one field of a message: numbers however they are packed, or strings.
typedef struct Bulk {
  Reader *reader;
  Message message;
  uint32_t number;
  FieldType type;
  uint32_t piece;  ///< The next of the message's pieces.
  Wire wire;       ///< Within the piece before it.
  Wire packed;     ///< Within a packed field.
} Bulk;

Bulk reader_bulk(Reader *reader, Message message, uint32_t number);
bool bulk_number(Bulk *bulk, uint64_t *ret_value);
bool bulk_bytes(Bulk *bulk, Field *ret_field);
