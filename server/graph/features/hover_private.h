/// What the files that write hovers share.
///
/// Ownership: a HoverJob borrows the context; its texts live in the markup until hover.c finishes it.
/// Units:     as in features.h.
/// Errors:    functions that find nothing to say write nothing.
/// Threads:   one job belongs to one thread.
/// Sources:   each file names its own.
#pragma once

#include "facts/symbolics.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_view.h"
#include "describe/markup.h"

typedef struct HoverJob {
  const FeatureContext *context;
  Arena *arena;
  const Snapshot *snapshot;
  const Document *document;
  const Dump *dump;
  const Target *target;
  const SymbolicsDb *db;
  uint32_t torch;       ///< The target's version in the facts.
  bool hides_suffixes;  ///< Attributes have no other name here than their own.
  int opset;            ///< At which operators of ONNX are shown: the target's, or that of the place.
  Markup markup;
} HoverJob;

/// How much of a long text a hover shows.
enum { HOVER_TEXT_LIMIT = 600, HOVER_LIST_LIMIT = 16 };

HoverJob hover_begin_job(const FeatureContext *context);
void hover_value(HoverJob *job, const NameAt *name);
/// The constant that the value defined at `definition` is; `view` is the line of the definition.
void hover_constant(HoverJob *job, const LineView *view, Place definition);
/// The same as text: a constant, or a list or tuple that has some.
bool constant_text(const HoverJob *job, const LineView *view, Place definition, bool *ret_is_single, Str *ret_text);
/// The attribute that a chain of prim::GetAttr reads.
void hover_attribute_path(HoverJob *job, Place definition);
/// `node` is the operator in `view`; `place` is the item of the line.
void hover_operator(HoverJob *job, const LineView *view, size_t node, Place place);
void hover_attribute(HoverJob *job, const LineView *view, size_t node, Place place);
void hover_type(HoverJob *job, Str type);
void hover_block(HoverJob *job, Place place);
/// Scope and source location under the offset; false if there is neither. Sets the range.
bool hover_tail(HoverJob *job, size_t offset, Range *ret_range);

/// The line of a place, parsed.
LineView hover_line_view(const HoverJob *job, Place place);
/// The operator of an item, as the dump spells it; empty if there is none.
Str place_operator(const HoverJob *job, Place place);
/// Is the node's operator one of ONNX? Then its domain and name. In a printable graph a bare name is.
bool operator_is_onnx(const HoverJob *job, Str op, Place place, Str *ret_domain, Str *ret_name);
/// Writes about a schema of ONNX in short.
void hover_onnx_operator(HoverJob *job, Str domain, Str name);
/// What each exporter of each torch version makes of an operator of torch.
void hover_torch_versions(HoverJob *job, Str op);
/// The overload that fits the call best; NULL if none does.
const TorchOverload *fitting_overload(const HoverJob *job, const LineView *view, Place place);
/// Does the number of arguments fit the overload?
bool overload_takes(const TorchOverload *overload, size_t argument_count);
/// The printed type of a value at its definition; empty if none is printed.
Str definition_type(const HoverJob *job, Place definition);
/// What a `prim::` operator does, in a line of ours; empty if nobody wrote one.
Str prim_words(Str op);

/// Hover in a Python file; false where there is nothing of ours.
bool hover_python(const FeatureContext *context, size_t offset, Hover *ret_hover);
