/// Reading one line of an FX text: what the files of this parser share.
///
/// Ownership: borrows the text; nodes are appended to the parser's list.
/// Units:     offsets are bytes from the start of the chunk.
/// Errors:    readers answer false for a line that is none of theirs, and then the nodes they added don't count.
/// Threads:   one scan belongs to one thread.
/// Sources:   torch/fx/graph.py and torch/fx/node.py of torch 1.13 to 2.14.
#pragma once

#include "base/vec.h"
#include "graph/model/syntax.h"

typedef Vec(SyntaxNode) FxNodes;

typedef struct FxScan {
  Str text;      ///< The chunk.
  uint32_t at;   ///< What is read next.
  uint32_t end;  ///< Of the line, without its ending.
  FxNodes *nodes;
  uint32_t first;       ///< Where the line's text begins, after its indentation, but with a log's prefix.
  uint32_t prefix_end;  ///< After the log's prefix; `first` if there is none.
  bool ends_text;       ///< Nothing comes after the line, not even its ending.
  bool is_broken;       ///< The rest of the line can't be read.
} FxScan;

// fx_scan.c: characters, names, nodes.

static inline char fx_peek(const FxScan *scan)
{
  return scan->at < scan->end ? scan->text.data[scan->at] : '\0';
}

void fx_skip_blanks(FxScan *scan);
bool fx_take(FxScan *scan, Str expected);
/// Passes over a name; false if there is none.
bool fx_take_name(FxScan *scan, Str *ret_name);
/// Passes over a string in quotes, which begins here; false if it never ends.
bool fx_take_string(FxScan *scan);
/// The rest of the line.
Str fx_rest(const FxScan *scan);
uint32_t fx_offset(const FxScan *scan, const char *data);

/// Adds the node of the line, and that of the log's prefix in it.
size_t fx_open_line(FxScan *scan, NodeKind kind);
/// Adds a node that begins at `start`; fx_close() ends it where the scan is.
size_t fx_open(FxScan *scan, NodeKind kind, uint16_t depth, uint32_t start);
void fx_close(FxScan *scan, size_t node);
/// Adds a node from `start` to where the scan is.
void fx_add(FxScan *scan, NodeKind kind, uint16_t depth, uint32_t start);
/// Says that the rest of the line can't be read, in the line's node.
void fx_add_error(FxScan *scan, size_t line);

/// The type after a name: `: "f32[2, 3]"`, ` : torch.Tensor`. False if there is none. `ret_is_certain` says whether
/// nobody but FX writes such a type.
bool fx_take_type(FxScan *scan, uint16_t depth, bool *ret_is_certain);

// fx_expression.c: Python's expressions, as far as FX writes them.

/// Reads up to what ends the expression: the line's end, a comment, `;`, or outside of brackets `,` and a closing one.
/// Names of values become VALUE_REF at `depth`.
void fx_scan_expression(FxScan *scan, uint16_t depth);
/// `torch.ops.aten.add.Tensor(x, 1, alpha = 2)` or any other expression, of a line whose node is at depth 1.
void fx_scan_value(FxScan *scan);

// fx_code.c: lines of Python.

bool fx_read_statement(FxScan *scan);
bool fx_read_return(FxScan *scan);
/// A result over several lines: `return (`, a value a line, and the end of the brackets.
bool fx_read_return_opening(FxScan *scan);
bool fx_read_result(FxScan *scan);
bool fx_read_return_end(FxScan *scan);
bool fx_read_function(FxScan *scan);
bool fx_read_class(FxScan *scan);
/// A line of a function's header that goes over several.
bool fx_read_parameter(FxScan *scan);

// fx_listing.c: `%add : [num_users=1] = call_function[…](…)` and the rows of a table.

bool fx_read_listed(FxScan *scan);
bool fx_read_listing_header(FxScan *scan);
bool fx_read_row(FxScan *scan);
