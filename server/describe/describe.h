/// Pages about operators and attributes, at length: what `explain` prints.
///
/// Ownership: writes into the page's markup; texts live in its arena or in the database.
/// Units:     opsets are versions of the operator's own domain.
/// Threads:   one page belongs to one thread.
/// Sources:   facts/symbolics.h.
#pragma once

#include "core/workspace.h"
#include "describe/markup.h"
#include "describe/operator_words.h"
#include "facts/export_api.h"

typedef struct Page {
  const SymbolicsDb *db;
  Arena *arena;
  uint32_t torch;
  Exporter exporter;
  bool exporter_is_default;    ///< Nobody said which: what the other one does is told, too.
  int64_t opset;               ///< 0 if nobody said: the newest of ONNX, the exporter's default for torch.
  const Workspace *workspace;  ///< Whose symbolic functions count, too; NULL for none.
  Str folder;                  ///< Files below it are named as seen from there.
  Str defined;                 ///< The operator whose definitions are written.
  Markup markup;               ///< With for_terminal.
} Page;

/// A file's name for people.
Str describe_path(const Page *page, Str uri);
/// The schema that a page is about: the one in force, or NULL if the operator is younger than the opset.
const OnnxSchema *describe_schema(const Page *page, const OnnxOperator *op);
/// The same where operators of all domains are asked for: an opset is one of ai.onnx, of other domains the newest
/// counts.
const OnnxSchema *describe_schema_in(const Page *page, const OnnxOperator *op);
/// "Conv", "ai.onnx.ml::Scaler"
Str describe_onnx_full_name(const OnnxOperator *op, Arena *arena);
/// "Conv(X: T, W: T, B: T?) -> (Y: T)"; at most `limit` inputs and outputs are written.
Str describe_onnx_signature(const OnnxOperator *op, const OnnxSchema *schema, uint32_t limit, Arena *arena);
/// "dims_i": what g.op() calls the attribute; empty if it has no way to.
Str describe_onnx_spelling(const OnnxAttribute *attribute, Arena *arena);
/// The version after `schema`; NULL if it is the newest.
const OnnxSchema *describe_onnx_next_version(const OnnxOperator *op, const OnnxSchema *schema);
/// "float16, float, double, int8 to int64": short, and nothing left out.
Str describe_type_set(const Str *types, uint32_t count, Arena *arena);

void describe_onnx_operator(Page *page, const OnnxOperator *op);
/// False if no version of the operator has such an attribute.
bool describe_onnx_attribute(Page *page, const OnnxOperator *op, Str name);
/// Every operator of ONNX that has the attribute; false if there is none.
bool describe_attribute_name(Page *page, Str name);

/// Whose answers the page's facts of an operator are.
OperatorTarget page_target(const Page *page);
/// Of an operator that is none of ONNX. `overload` may be empty for all of them.
void describe_torch_operator(Page *page, const OperatorFacts *facts, Str overload);
/// What a `prim::` operator does, in a line of ours; empty if nobody wrote one.
Str describe_prim(Str op);
/// A paragraph on what an operator of torch computes, with its page in PyTorch's documentation; nothing if the facts
/// don't say.
void describe_torch_summary(Markup *markup, const TorchOperator *op, Arena *arena);
/// Whether there is a line of ours about a kind of nodes that has no schema.
bool describe_is_of_kind(Str name);
/// False if no overload has such an argument.
bool describe_torch_argument(Page *page, const TorchOperator *op, Str name);

/// Something of torch.onnx; exactly one of the pointers is set.
typedef struct FoundPython {
  const PyHelper *helper;
  const PyDescriptor *descriptor;
  const PySuffix *suffix;
  const PyApi *api;
  const PyExportArgument *argument;
  Str name;  ///< As it was asked for, without a module that goes without saying.
} FoundPython;

/// `symbolic_helper._scalar` (also with `torch.onnx.` in front, or alone), `parse_args.is`, `_f`, `export.dynamo`,
/// `torch.onnx.dynamo_export`, `g.constant`. False if it is nothing of that.
bool describe_find_python(const Page *page, Str word, FoundPython *ret_found);
/// Once `ret_found` came from describe_find_python().
void describe_python(Page *page, const FoundPython *found);
