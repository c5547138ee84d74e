/// What the files of the printer (text_*.c) share.
///
/// Ownership: a Printer borrows everything but its own stacks.
/// Errors:    looked at once, at the end: `reader.problem` and `out.status`.
/// Threads:   one thread at a time.
#pragma once

#include "onnx_model/out.h"
#include "onnx_model/reader.h"
#include "onnx_model/tensor.h"
#include "onnx_model/text.h"

/// A graph or a function that is being written, and the node in it that holds the graph above.
typedef struct Frame {
  FieldList list;
  ReaderMark mark;     ///< From before the frame.
  size_t next_node;    ///< Index into `list`.
  bool is_in_node;     ///< Its attributes are being written.
  bool has_attribute;  ///< One at least is there.
  FieldList node;
  ReaderMark node_mark;
  size_t next_attribute;  ///< Index into `node`.
  FieldList attribute;    ///< The one with graphs, if `next_graph` is not 0.
  ReaderMark attribute_mark;
  size_t next_graph;  ///< 1 + index into `attribute`.
  bool was_muted;
  unsigned old_indent;
} Frame;

typedef struct Printer {
  Reader reader;
  Out out;
  const ModelTextOptions *options;
  const ModelStats *stats;
  const char *path;  ///< Of the model; NULL for one in memory.
  Vec(Frame) frames;
  Vec(FieldList) attributes;  ///< Of the node that was begun last.
  bool found_graph;
  uint64_t hashed;   ///< Bytes of other files, so far.
  bool is_at_ends;   ///< Types of the model's inputs and outputs, which inference meets only if a node has them.
  bool is_in_infos;  ///< Types of values inside, of which no checker asks for a kind.
} Printer;

static inline bool printer_is_good(const Printer *printer)
{
  return !printer->reader.problem && printer->out.status == OK;
}

// text_type.c
/// A type, or nothing if there is none.
void text_print_type(Printer *printer, const FieldList *type);
/// The value of a value info: type and name.
void text_print_value(Printer *printer, const FieldList *value);
/// Comments about it, a line each.
void text_print_value_comments(Printer *printer, const FieldList *value);
bool text_value_has_comments(Printer *printer, const FieldList *value);
/// Few models say more of a value than its type, and the walk has seen whether this one does.
bool text_values_may_have_comments(const Printer *printer);

// text_tensor.c
/// An initializer: `float[2] w = {1, 2}`.
void text_print_initializer(Printer *printer, const FieldList *tensor);
/// The value of an attribute.
void text_print_tensor(Printer *printer, const FieldList *tensor);
void text_print_tensor_comments(Printer *printer, const FieldList *tensor);

// text_values.c
/// What the checker refuses of a tensor's data; empty if nothing.
Str text_tensor_refusal(const TensorFacts *facts, Arena *arena);
/// Braces with values, or without and with a note.
void text_print_tensor_data(Printer *printer, const FieldList *tensor);

// text_sparse.c
/// `sparse_tensor(float[4,4])`, of one that is a field of the list.
Str text_sparse_type(Printer *printer, const FieldList *list, uint32_t number, Arena *arena);
/// Sparse tensors as comments, after what is wrong with them.
void text_print_sparse_comments(Printer *printer, const FieldList *list, uint32_t number);

// text_attribute.c
AttributeType text_attribute_type(Printer *printer, const FieldList *attribute);
bool text_attribute_has_graphs(Printer *printer, const FieldList *attribute);
/// `alpha: float = 1.0`; for one with graphs only `body: graph = `.
void text_print_attribute(Printer *printer, const FieldList *attribute);
void text_print_attribute_comments(Printer *printer, const FieldList *attribute);
/// False for what has no syntax and is in a comment instead.
bool text_attribute_is_written(Printer *printer, const FieldList *attribute);

// text_node.c
/// Reads the attributes of a node, whose fields are on top of the reader's stack, and says whether one holds graphs.
bool text_begin_node(Printer *printer, const FieldList *node);
/// From the label to the attributes, if these hold no graph; else to the parenthesis in front of them.
void text_print_node(Printer *printer, const FieldList *node, bool has_graphs);
void text_print_node_comments(Printer *printer, const FieldList *node);

// text_graph.c
/// Writes a graph or function whose fields are on top of the reader's stack, and all graphs inside of it.
void text_print_graph_tree(Printer *printer, FieldList list, ReaderMark mark);

// text_function.c
/// What is in front of a function's nodes.
void text_print_function_head(Printer *printer, const FieldList *function);
void text_print_opsets(Printer *printer, const FieldList *list, uint32_t number);
/// The next `key: ` of a header, on a line of its own.
void text_print_key(Printer *printer, const char *key, bool *is_first);
/// Nothing if there is no value.
void text_print_string_key(Printer *printer, const char *key, const Field *value, bool *is_first);

// text_comment.c
/// `# key: value` for each.
void text_print_metadata(Printer *printer, const FieldList *list, uint32_t number);
void text_print_doc(Printer *printer, const FieldList *list, uint32_t number, const char *label);
/// Any message as comments, in the manner of protobuf's text.
void text_print_message_comment(Printer *printer, const FieldList *list, uint32_t number);
