/// An ONNX text as a tree: the model, its graphs, nodes, attributes, types and values, each with its place.
///
/// What the official parser refuses is a mistake with its place, and reading goes on after it, so the rest of the text
/// is judged all the same.
///
/// Ownership: everything lives in the arena given; names and texts are slices of the text (or unescaped in the arena).
/// Units:     offsets are bytes from the start of the text, which is shorter than 4 GiB.
/// Errors:    mistakes are listed.
/// Threads:   a tree is immutable once it is read.
/// Sources:   onnx/defs/parser.cc of onnx 1.20, tried with thousands of texts.
#pragma once

#include "base/limits.h"
#include "base/memory.h"
#include "base/vec.h"
#include "facts/symbolics.h"

typedef struct OnnxSpan {
  uint32_t start;
  uint32_t end;
} OnnxSpan;

typedef struct OnnxName {
  Str text;  ///< Without quotes; empty for an operand that is left out.
  OnnxSpan at;
  uint32_t symbol;  ///< The same for the same text, everywhere in the model; ONNX_NO_SYMBOL for none.
} OnnxName;

#define ONNX_NO_SYMBOL UINT32_MAX

typedef struct OnnxNames {
  OnnxName *items;
  uint32_t count;
} OnnxNames;

typedef enum OnnxDimKind {
  ONNX_DIM_UNKNOWN,
  ONNX_DIM_VALUE,
  ONNX_DIM_PARAM,
} OnnxDimKind;

typedef struct OnnxDim {
  OnnxDimKind kind;
  int64_t value;
  Str param;
} OnnxDim;

typedef enum OnnxTypeKind {
  ONNX_TYPE_NONE,
  ONNX_TYPE_TENSOR,
  ONNX_TYPE_SPARSE,
  ONNX_TYPE_SEQUENCE,
  ONNX_TYPE_MAP,
  ONNX_TYPE_OPTIONAL,
  ONNX_TYPE_OPAQUE,
} OnnxTypeKind;

typedef struct OnnxType OnnxType;
struct OnnxType {
  OnnxTypeKind kind;
  uint32_t element;  ///< Of a tensor; of a map its key. The numbers of TensorProto.DataType, 0 for none.
  bool has_shape;
  uint32_t rank;
  const OnnxDim *dims;
  const OnnxType *inner;  ///< Of a sequence, an optional, a map's values; NULL for none.
};

typedef struct OnnxPair {
  Str key;
  Str value;
  OnnxSpan at;
} OnnxPair;

/// The values of a tensor, where they stand.
typedef struct OnnxData {
  OnnxSpan at;  ///< With the brackets.
  uint64_t count;
  bool is_left_out;  ///< A note says that the printer left them out.
  bool is_external;
  const OnnxPair *pairs;
  uint32_t pair_count;
} OnnxData;

typedef struct OnnxValue OnnxValue;
/// `float[2] x`, with values an initializer.
struct OnnxValue {
  OnnxName name;
  OnnxType *type;  ///< NULL if none is written.
  OnnxSpan type_at;
  OnnxData *data;         ///< NULL if none is given.
  const OnnxType *found;  ///< Of a graph's output or a function's input, when nodes were followed (onnx_flow.h).
  bool lacks_type;        ///< Of a sub-graph's output, when nodes were followed: onnx surely finds none.
  OnnxValue *next;
};

typedef struct OnnxGraph OnnxGraph;
typedef struct OnnxNode OnnxNode;

typedef struct OnnxAttr OnnxAttr;
struct OnnxAttr {
  OnnxName name;
  OnnxAttributeType type;  ///< ONNX_UNDEFINED where the parser sets none.
  bool is_reference;       ///< `= @name`
  bool is_contradictory;   ///< A float by its type, a whole number by its value: read, and refused by the checker.
  bool is_reported;        ///< Its type was a mistake already.
  bool lacks_value;        ///< The printer of a binary model says that the model has none.
  OnnxSpan at;
  OnnxSpan value_at;
  Str reference;
  int64_t number;
  double real;
  Str text;
  const int64_t *numbers;  ///< Of a list of ints.
  uint64_t count;          ///< Of any list.
  OnnxType *value_type;    ///< Of a tensor, or the type itself.
  OnnxData *data;
  OnnxGraph *graph;
  OnnxAttr *next;
};

struct OnnxNode {
  OnnxName label;
  OnnxNames outputs;
  OnnxNames inputs;
  Str domain;
  Str op;
  Str overload;
  OnnxSpan op_at;  ///< With the domain.
  OnnxSpan at;
  OnnxAttr *attrs;
  OnnxAttr *last_attr;
  bool lacks_attrs;           ///< The printer of a binary model had no words for one.
  bool is_joined;             ///< A session puts it and those before it into one node.
  OnnxGraph *graph;           ///< In which it stands.
  const OnnxOperator *known;  ///< Once symbols are numbered; NULL for none of ONNX.
  const OnnxType **found;     ///< By output, in the body of a function: what is the same in all of its calls.
  OnnxNode *next;
};

struct OnnxGraph {
  OnnxName name;
  OnnxValue *inputs;
  OnnxValue *outputs;
  OnnxValue *infos;  ///< In `<…>` after the header: types of values, and initializers.
  OnnxNode *nodes;
  OnnxGraph *parent;  ///< NULL for the model's graph and for functions.
  OnnxNode *owner;    ///< The node whose attribute it is.
  OnnxAttr *owner_attr;
  bool is_function;
  OnnxSpan at;
};

typedef struct OnnxImport {
  Str domain;
  int64_t version;
  OnnxSpan at;
} OnnxImport;

typedef struct OnnxImports {
  const OnnxImport *items;
  uint32_t count;
  bool is_cut;  ///< It was not read to its end, so there may be more.
  OnnxSpan at;
} OnnxImports;

typedef struct OnnxFunction OnnxFunction;
struct OnnxFunction {
  OnnxGraph graph;  ///< Its body; inputs and outputs may have types.
  Str domain;
  Str overload;
  bool has_domain;
  uint32_t number;  ///< From 0, in the order of the text.
  OnnxImports imports;
  OnnxAttr *attrs;       ///< Those that it takes; `value_at` is empty for one without a default.
  bool is_followed;      ///< Some call of it was.
  uint32_t first_event;  ///< Those of its body are one after the other; set before types are followed.
  uint32_t end_event;
  OnnxFunction *next;
};

/// What a walk over the text comes by, in its order: a node after the graphs in its attributes.
typedef enum OnnxEventKind {
  ONNX_ENTER_GRAPH,
  ONNX_LEAVE_GRAPH,
  ONNX_AT_NODE,
} OnnxEventKind;

typedef struct OnnxEvent {
  OnnxEventKind kind;
  OnnxGraph *graph;
  OnnxNode *node;
  OnnxFunction *function;  ///< Whose body it is; NULL in the model's graph.
  bool is_wrong;           ///< Its node was reported, so it has no types to speak of.
} OnnxEvent;

typedef struct OnnxMistake {
  OnnxSpan at;
  Str message;
  bool wants_quotes;  ///< Of the first name that lacks them.
} OnnxMistake;

typedef struct OnnxModel {
  Str text;
  bool is_printed;
  bool has_header;
  bool is_bare;  ///< A graph that was printed without its model.
  int64_t ir_version;
  bool has_ir_version;
  OnnxSpan ir_at;
  OnnxImports imports;
  const OnnxPair *metadata;
  uint32_t metadata_count;
  Vec(OnnxPair) settings;  ///< All other keys of the header, with their values as they are written.
  OnnxSpan header_at;
  OnnxGraph *graph;  ///< NULL if there is none.
  OnnxFunction *functions;
  OnnxFunction *last_function;
  Vec(OnnxEvent) events;
  Vec(OnnxMistake) mistakes;
  Vec(OnnxSpan) refusals;    ///< Comments of `onnxls show` on what the text has no words for and nobody takes.
  Vec(OnnxSpan) bare_names;  ///< Names that lack quotes, in order; no more than ONNX_MISTAKE_LIMIT.
  size_t mistakes_beyond;    ///< How many more than are listed.
  bool may_lack_types;       ///< It was printed in memory, where types and shapes need not be known.
  bool is_damaged;           ///< Something was left out, so what is missing elsewhere may have been there.
  uint32_t symbol_count;
} OnnxModel;

static inline void onnx_node_add_attr(OnnxNode *node, OnnxAttr *attr)
{
  *(node->last_attr ? &node->last_attr->next : &node->attrs) = attr;
  node->last_attr = attr;
}

/// What to read of a text.
typedef struct OnnxSource {
  Str text;  ///< Up to where the model must have ended.
  uint32_t start;
  bool is_printed;  ///< It was made out of a binary model, where names may stand in quotes that the syntax doesn't take
                    ///< there: they are no mistakes of the model.
  bool is_in_log;   ///< After the model comes what is none of it; else that is a mistake, as for onnx's own parser.
  bool is_bare;     ///< Graphs were printed without their models.
  char key_sign;    ///< As GraphDialect says.
} OnnxSource;

typedef void OnnxReadFunction(OnnxModel *model, const OnnxSource *source, Arena *arena);

/// Reads a model. `onnx_tree_done()` frees what is not in the arena.
void onnx_tree_read(OnnxModel *model, const OnnxSource *source, Arena *arena);
void onnx_tree_done(OnnxModel *model);

/// What a text is instead, that is no ONNX text but another form of a model; empty if it may be ONNX text.
Str onnx_other_format(Str text);

/// What `onnxls show` notes of values after them, on their line.
#define ONNX_RAW_NOTE        "raw_data has "
#define ONNX_RAW_BYTES_NOTE  " bytes of raw_data"
#define ONNX_MORE_NOTE       "more data than the dimensions want"
#define ONNX_REFUSED_NOTE    "refused: "
#define ONNX_NO_VALUE_NOTE   "no value: \""
#define ONNX_SHORT_FILE_NOTE "the file of its values ends at byte "
#define ONNX_LENGTH_NOTE     "length is "
#define ONNX_COUNT_NOTE      "numbers: "
/// Whether the printer of a binary model says so of these values.
bool onnx_is_noted(const OnnxModel *model, const OnnxData *data, Str note);
/// The number after such words; false if they are not there.
bool onnx_noted_number(const OnnxModel *model, const OnnxData *data, Str note, uint64_t *ret_number);

/// The attribute of that name; NULL if there is none.
const OnnxAttr *onnx_node_attr(const OnnxNode *node, Str name);
/// Copies at most `limit` whole numbers of a tensor's values; false if there are more, or others.
bool onnx_data_numbers(const OnnxModel *model, const OnnxData *data, int64_t *ret_numbers, size_t limit,
                       size_t *ret_count);
/// The same of floats, which may be written as whole numbers.
bool onnx_data_floats(const OnnxModel *model, const OnnxData *data, float *ret_numbers, size_t limit,
                      size_t *ret_count);
