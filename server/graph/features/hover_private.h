/// What the files that write hovers share.
///
/// Ownership: as in describe/operator_context.h.
/// Units:     as in core/features.h.
/// Errors:    functions that find nothing to say write nothing.
/// Threads:   one job belongs to one thread.
/// Sources:   each file names its own.
#pragma once

#include "describe/operator_context.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_view.h"

void hover_value(OperatorContext *job, const NameAt *name);
/// The constant that the value defined at `definition` is; `view` is the line of the definition.
void hover_constant(OperatorContext *job, const LineView *view, Place definition);
/// The same as text: a constant, or a list or tuple that has some.
bool hover_constant_text(const OperatorContext *job, const LineView *view, Place definition, bool *ret_is_single,
                         Str *ret_text);
/// The attribute that a chain of prim::GetAttr reads.
void hover_attribute_path(OperatorContext *job, Place definition);
/// `node` is the operator in `view`; `place` is the item of the line.
void hover_operator(OperatorContext *job, const LineView *view, size_t node, Place place);
void hover_attribute(OperatorContext *job, const LineView *view, size_t node, Place place);
void hover_type(OperatorContext *job, Str type);
void hover_block(OperatorContext *job, Place place);
/// Scope and source location under the offset; false if there is neither. Sets the range.
bool hover_tail(OperatorContext *job, size_t offset, Range *ret_range);

/// The line of a place, parsed.
LineView hover_line_view(const OperatorContext *job, Place place);
/// The operator of an item, as the facts call it; empty if there is none.
Str hover_operator_of(const OperatorContext *job, Place place);
/// Whether the node's operator is one of ONNX; then its domain and name. In a printable graph a bare name is.
bool hover_operator_is_onnx(const OperatorContext *job, Str op, Place place, Str *ret_domain, Str *ret_name);
/// The overload that fits the call best; NULL if none does.
const TorchOverload *hover_overload_that_fits(const OperatorContext *job, const LineView *view, Place place);
/// Whether the number of arguments fits the overload.
bool hover_overload_takes(const TorchOverload *overload, size_t argument_count);
/// The printed type of a value at its definition; empty if none is printed.
Str hover_definition_type(const OperatorContext *job, Place definition);
