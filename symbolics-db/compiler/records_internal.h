/// What was read so far, shared by the readers (read_*.c) and the packers (pack_*.c).
///
/// Ownership: every Str and array lives in Records.arena.
/// Units:     lines from 1.
/// Errors:    records_error() keeps a message and reading goes on.
/// Threads:   one thread at a time.
/// Sources:   symbolics-db/README.md.
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "records.h"
#include "symbolics.pb-c.h"

/// A place in a record file, for messages.
typedef struct Where {
  Str file;
  uint32_t line;
  Str place;  ///< Instead of a line, if not empty.
} Where;

typedef struct RangeRecord {
  int exporter;
  uint32_t min, max, standard;
} RangeRecord;

typedef struct VersionRecord {
  Where where;
  Str version;
  RangeRecord ranges[2];
  size_t range_count;
  Str suffixes;  ///< Words.
} VersionRecord;

/// What the lines of all torch kinds have in front.
typedef struct TorchRecord {
  Where where;
  Str versions;  ///< "1.13,2.6", or "*" for all; resolved when every file has been read.
  Str name;      ///< "aten::add"
  Str overload;  ///< "" for the default overload.
} TorchRecord;

typedef struct SchemaRecord {
  TorchRecord head;
  Str schema;  ///< From the opening parenthesis on.
} SchemaRecord;

typedef struct SupportRecord {
  TorchRecord head;
  uint64_t registered;
  uint64_t blocked;
} SupportRecord;

typedef struct DynamoRecord {
  TorchRecord head;
  uint32_t opset;  ///< 0: only decomposed.
  bool complex_inputs;
  bool decomposed;
} DynamoRecord;

typedef struct PartsRecord {
  TorchRecord head;
  bool complex_inputs;
  Str condition;  ///< Empty if there is none.
  Str parts;      ///< Words.
} PartsRecord;

typedef struct TagRecord {
  TorchRecord head;
  uint32_t flag;  ///< FLAG_*.
} TagRecord;

typedef struct PassRecord {
  TorchRecord head;
  Str condition;
  Str reason;
} PassRecord;

/// What becomes of a node whose operator has a function.
typedef struct OutcomeRecord {
  TorchRecord head;
  Symbolics__OutcomeKind kind;
  bool is_dynamo;  ///< Of the dynamo exporter.
  uint64_t opsets;
  Str runtime;  ///< "" for any; "onnxruntime", "onnxruntime-1.21".
  Str condition, reason, way_out, place;
} OutcomeRecord;

/// A function of torch.onnx.symbolic_helper in some torch versions; the head's name is the function's.
typedef struct HelperRecord {
  TorchRecord head;
  Str signature;  ///< "(value, desc, arg_name)"
} HelperRecord;

/// An argument of torch.onnx.export() in some torch versions.
typedef struct ExportRecord {
  TorchRecord head;
  int position;  ///< PY_KEYWORD, PY_REST.
  bool has_default;
  Str default_text;
} ExportRecord;

enum {
  PY_KEYWORD = -1,
  PY_REST = -2,
  DEFAULT_CHANGE_LIMIT = 4,
  MESSAGE_PATTERN_LIMIT = 12,
};

/// A line of the kinds whose columns are parted by tabs: name, flags, perhaps a list for people, a sentence.
typedef struct PythonRecord {
  Where where;
  Str name;
  uint32_t kinds;                       ///< Bit i for word i of the list in read_python.c.
  uint32_t added, deprecated, removed;  ///< Releases, major << 16 | minor; 0 is none.
  bool is_private, is_moved, for_torchscript, for_dynamo;
  uint32_t single, list;  ///< Attribute types.
  struct {
    uint32_t since;
    Str text;
  } defaults[DEFAULT_CHANGE_LIMIT];
  size_t default_count;
  Str use, takes, text;
} PythonRecord;

typedef Vec(PythonRecord) PythonRecords;

typedef struct OnnxConstraintRecord {
  Str name;
  Str types;  ///< Full spelling, joined by semicolons.
  Str doc;
} OnnxConstraintRecord;

typedef struct OnnxParamRecord {
  Str name, type;
  Symbolics__ParamOption option;
  bool heterogeneous;
  uint32_t min_arity;
  Str doc;
} OnnxParamRecord;

typedef struct OnnxAttributeRecord {
  Str name;
  uint32_t type;
  bool required, has_default;
  Str default_text;
  Str doc;
} OnnxAttributeRecord;

typedef struct OnnxRecord {
  Where where;
  Str domain, name;
  uint32_t since;
  bool deprecated, experimental, function;
  Str doc;
  bool has_count[2];        ///< `in-count`, `out-count` were given.
  uint32_t min[2], max[2];  ///< Inputs, outputs.
  Vec(OnnxParamRecord) params[2];
  Vec(OnnxAttributeRecord) attributes;
  Vec(OnnxConstraintRecord) constraints;
} OnnxRecord;

/// A sentence about an operator (`attribute` empty) or an attribute (`name` and `domain` empty: of any operator).
typedef struct TextRecord {
  Where where;
  Str domain, name, attribute, text;
} TextRecord;

/// What a version of an operator changed that its schema does not show.
typedef struct NoteRecord {
  Where where;
  Str domain, name;
  uint32_t since;
  Str text;
} NoteRecord;

/// What calls of a function always become; the head's name is the function's.
typedef struct FunctionRecord {
  TorchRecord head;
  Str operators;     ///< Words.
  bool is_captured;  ///< By torch.export, not traced.
} FunctionRecord;

/// What some software says when it fails (read_messages.c).
typedef struct MessageRecord {
  Where where;
  Str id;
  Str patterns[MESSAGE_PATTERN_LIMIT];
  size_t pattern_count;
  Str stage, versions, cause, fix, url, place, within;
  uint32_t exporter, level, about;  ///< As in symbolics.proto, Message.
} MessageRecord;

/// A name and what is said of it: an operator's way out, its first onnxscript.
typedef struct NamedRecord {
  Where where;
  Str name, text;
} NamedRecord;

typedef Vec(NamedRecord) NamedRecords;

typedef struct RuntimeRecord {
  Where where;
  Str version;
  uint32_t opset, ir;
  bool outcomes;
} RuntimeRecord;

/// What some runtimes refuse to load (kernels.c).
typedef struct KernelRecord {
  Where where;
  Str op;
  uint32_t since, first_opset, last_opset;  ///< The opsets are 0 if they don't matter.
  Str runtimes;                             ///< "1.10-1.20,1.30"
  Str condition;                            ///< "T1 float & T2 double"; empty: always.
} KernelRecord;

typedef struct SourceRecord {
  Str file, text;
} SourceRecord;

struct Records {
  Arena arena;
  Buffer messages;
  uint32_t message_count;

  Where where;  ///< The line being read.
  Str kind;     ///< Of the file being read.
  Str domain;   ///< Of the onnx-schemas or summaries file being read.
  bool has_domain;
  OnnxRecord *onnx_op;  ///< The schema that indented lines belong to; NULL before the first.
  Str *onnx_doc;        ///< What a `doc` line fills: the doc of the line above; NULL if that has none.
  size_t byte_count;    ///< Of all texts so far.

  Vec(VersionRecord) versions;
  Vec(SchemaRecord) schemas;
  Vec(SupportRecord) support;
  Vec(DynamoRecord) dynamo;
  Vec(PartsRecord) parts;
  Vec(TagRecord) tags;
  Vec(PassRecord) passes;
  Vec(OutcomeRecord) outcomes;
  Vec(OnnxRecord *) onnx;
  Vec(TextRecord) texts;
  Vec(NoteRecord) notes;
  Vec(HelperRecord) helpers;
  Vec(TorchRecord) members;
  Vec(ExportRecord) export_arguments;
  Vec(FunctionRecord) functions;
  PythonRecords helper_words, descriptors, suffixes, api, export_words;
  Vec(MessageRecord) error_messages;
  MessageRecord message_defaults;  ///< What the lines before the first message of a file gave to all of them.
  bool has_message;                ///< Indented lines belong to the last of `error_messages`.
  NamedRecords ways, torchlib, pairs;
  NamedRecords torch_summaries;  ///< The text is the name of the function in Python, a tab, and a sentence.
  Vec(RuntimeRecord) runtimes;
  Vec(KernelRecord) kernels;
  Vec(SourceRecord) sources;
  Buffer data;  ///< Facts.data.
};

/// Adds "file:line: what".
void records_error(Records *records, Where where, const char *format, ...) PRINTF_LIKE(3, 4);
/// The next word of `*line` (blanks separate, parentheses, brackets and quotes hold together); empty at the end.
Str records_word(Str *line);
/// A decimal number up to `max`, or a message that names `what`.
bool records_number(Records *records, Str word, uint32_t max, const char *what, uint32_t *ret_value);

/// "1.13,2.6 aten::add.Tensor", or only the versions if the name is given: leaves what follows in `*line`.
bool read_torch_head(Records *records, Str *line, Str name, TorchRecord *ret_head);

// One fact line (or continuation) of the kind of the same name.
void read_torch_versions(Records *records, Str line);
void read_torch_schemas(Records *records, Str line);
void read_torchscript_support(Records *records, Str line);
void read_dynamo_functions(Records *records, Str line);
void read_dynamo_decompositions(Records *records, Str line);
void read_dynamo_parts(Records *records, Str line);
void read_torch_tags(Records *records, Str line);
void read_passes(Records *records, Str line);
void read_outcomes(Records *records, Str line);
void read_onnx_notes(Records *records, Str line);
void read_onnx_schemas(Records *records, Str line);
void read_summaries(Records *records, Str line);
void read_attribute_phrases(Records *records, Str line);
void read_helpers(Records *records, Str line);
void read_helper_words(Records *records, Str line);
void read_descriptors(Records *records, Str line);
void read_suffixes(Records *records, Str line);
void read_python_api(Records *records, Str line);
void read_traced_functions(Records *records, Str line);
void read_captured_functions(Records *records, Str line);
void read_python_members(Records *records, Str line);
void read_export_arguments(Records *records, Str line);
void read_export_words(Records *records, Str line);
void read_messages(Records *records, Str line);
void read_operator_ways(Records *records, Str line);
void read_torch_summaries(Records *records, Str line);
void read_kernels(Records *records, Str line);
void read_release_pairs(Records *records, Str line);
void read_torchlib_names(Records *records, Str line);
void read_runtimes(Records *records, Str line);
/// The AttributeProto.AttributeType of "float", "ints"...; 0 if there is none.
uint32_t find_attribute_type(Str word);
/// The params' own counts unless the record gave them.
void onnx_record_finish(OnnxRecord *op);

/// Index by sorted position of each declared torch version; fills `facts->torch_versions`.
void pack_versions(Records *records, Symbolics__Facts *facts);
void pack_torch(Records *records, Symbolics__Facts *facts);
void pack_onnx(Records *records, Symbolics__Facts *facts);
void pack_python(Records *records, Symbolics__Facts *facts);
void pack_messages(Records *records, Symbolics__Facts *facts);
void pack_functions(Records *records, Symbolics__Facts *facts);
/// After the runtimes, which the gaps name.
void pack_kernels(Records *records, Symbolics__MessageTable *table);
/// A NUL-terminated copy for protobuf-c.
char *pack_text(Records *records, Str s);
/// A mask of `versions` ("1.13,2.6"), or a message and 0.
uint32_t pack_version_mask(Records *records, const TorchRecord *record, const Symbolics__Facts *facts);

/// Collects byte strings for a Symbolics__Blobs.
typedef struct BlobsWriter {
  Buffer data;
  Vec(uint32_t) ends;
  Map *ids;  ///< Of blobs_share(): 1 + the index of each string.
} BlobsWriter;

void blobs_add(BlobsWriter *writer, Str s);
/// The index of the string, which is added if it is not there; the list is of distinct ones then.
uint32_t blobs_share(BlobsWriter *writer, Str s);
Str blobs_pack_message(const ProtobufCMessage *message, Arena *arena);
/// A list of one: a table that is unpacked as a whole.
Symbolics__Blobs *pack_whole(Records *records, const ProtobufCMessage *message);
/// Moves what was collected into `records->data`.
Symbolics__Blobs *blobs_finish(BlobsWriter *writer, Records *records);
