/// Characters, values and operators of what onnx_ir prints.
///
/// Ownership: borrows the text.
/// Units:     offsets are bytes from the start of the text.
/// Errors:    takers answer false and leave the place where it was.
/// Threads:   one thread at a time.
/// Sources:   __str__ of Value, Node, Graph, Function and Model in onnx_ir/_core.py of onnx_ir 0.1 to 1.1.
#pragma once

#include "graph/onnx/onnx_tree.h"

typedef struct IrScan {
  Str text;
  uint32_t at;
  uint32_t end;  ///< Nothing from here on is looked at.
} IrScan;

/// `%"x"<FLOAT,[2,N]>{…}`
typedef struct IrValue {
  OnnxSpan name;     ///< Without its quotes and the `%`.
  OnnxSpan whole;    ///< With them.
  OnnxSpan element;  ///< `FLOAT`; empty if no type is printed, or `?`.
  OnnxSpan shape;    ///< `[2,N]`; empty likewise.
  OnnxSpan data;     ///< In its braces; empty if there is none.
} IrValue;

typedef struct IrOperator {
  OnnxSpan domain;
  OnnxSpan op;
  OnnxSpan overload;
} IrOperator;

/// Blanks, line ends and comments, which people write.
void ir_skip_space(IrScan *scan);
/// The next character after them; '\0' at the end.
char ir_peek(IrScan *scan);
bool ir_take(IrScan *scan, char c);
bool ir_take_word(IrScan *scan, Str word);
/// The arrow before an operator, with its variation selector or without.
bool ir_take_arrow(IrScan *scan);
bool ir_take_value(IrScan *scan, IrValue *ret_value);
/// `::Conv`, `pkg.onnxscript::aten_foo:overload`, before a bracket.
bool ir_take_operator(IrScan *scan, IrOperator *ret_operator);
/// `[A-Za-z_][A-Za-z0-9_.]*` before a `=` or `:`, of an attribute; both are left.
bool ir_take_key(IrScan *scan, OnnxSpan *ret_key);
/// Moves after the value of an attribute: to the `,` or the bracket after it.
void ir_skip_attribute_value(IrScan *scan);
Str ir_text(const IrScan *scan, OnnxSpan at);
