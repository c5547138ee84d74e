/// What is known of an operator, as plain data: hovers, pages, JSON, reports and diagnostics all say it from here.
///
/// Ownership: lists live in the arena; what they point to in the facts or the workspace.
/// Units:     opsets of ai.onnx; a torch version is an index as in facts/symbolics.h.
/// Threads:   pure.
/// Sources:   facts/symbolics.h for what the exporters do; core/workspace.h for what a workspace registers.
#pragma once

#include "core/workspace.h"
#include "facts/symbolics.h"
#include "outcome/dynamo_fate.h"

/// Whose answer is asked for.
typedef struct OperatorTarget {
  const SymbolicsDb *db;
  uint32_t torch;
  Exporter exporter;
  int opset;                   ///< 0: the exporter's default.
  const Workspace *workspace;  ///< Whose symbolic functions count, too; NULL for none.
  Str onnxscript;              ///< The release in use; empty if nobody named one.
} OperatorTarget;

typedef enum OperatorKind {
  OPERATOR_ATEN,
  OPERATOR_PRIM,
  OPERATOR_PYTHON,  ///< `^MyRelu`: a Python function that is one node.
  OPERATOR_ONNX,
  OPERATOR_CUSTOM,  ///< Of any other namespace; torch may have schemas of it.
} OperatorKind;

/// What one exporter of one torch version makes of it, without a workspace.
typedef struct ExporterFacts {
  bool exists;    ///< The torch version has such an exporter.
  bool is_known;  ///< The facts say what it makes of the operator.
  OpsetRange range;
  OpsetSet converted;   ///< Opsets of the range at which a function converts it.
  OpsetSet blocked;     ///< Those at which there is a function that only raises an error.
  OpsetSet registered;  ///< Where functions are registered. TorchScript only.
  bool is_taken_apart;  ///< torch.export takes it apart where no function converts it. Dynamo only.
  DynamoFate fate;      ///< With is_taken_apart: what becomes of the overload that gets furthest.
} ExporterFacts;

/// Does it export the operator in parts where no function converts it?
static inline bool exporter_facts_has_parts(const ExporterFacts *facts)
{
  return facts->is_taken_apart && facts->fate.verdict == DYNAMO_DECOMPOSED;
}

/// The opsets of its range at which it converts the operator, be it in parts.
OpsetSet exporter_facts_opsets(const ExporterFacts *facts);

typedef struct OperatorVersion {
  Str torch;  ///< "2.6"
  ExporterFacts exporters[EXPORTER_COUNT];
  const PassNote *pass;  ///< Of the TorchScript exporter, before functions are looked up; NULL for none.
} OperatorVersion;

typedef enum Verdict {
  VERDICT_CONVERTED,
  VERDICT_NOT_YET,      ///< A later opset converts it.
  VERDICT_BLOCKED,      ///< Its function only raises an error; a later opset may convert it.
  VERDICT_NEVER,        ///< Neither this opset nor a later one converts it.
  VERDICT_CUSTOM,       ///< The same, and nobody expects it: a custom operator.
  VERDICT_TAKEN_APART,  ///< torch.export takes it apart; ExporterFacts.fate says whether the parts are converted.
  VERDICT_REMOVED,      ///< A pass always removes or rewrites it before functions are looked up.
  VERDICT_ONNX,         ///< An operator of ONNX.
  VERDICT_UNKNOWN,      ///< Nothing is known of the exporter in this torch version.
} Verdict;

typedef struct OperatorFacts {
  Str name;      ///< As it was asked for.
  Str overload;  ///< The one that is asked about, if somebody sets it; empty for all of them.
  OperatorKind kind;
  OperatorTarget target;  ///< With the opset that was chosen.
  Str torch;              ///< The target's version; empty if the facts don't know it.

  Verdict verdict;
  int since;             ///< The lowest opset that converts it: of all if this one does, else above it; 0 for none.
  bool since_workspace;  ///< It is a function of the workspace that does.
  const OperatorVersion *versions;  ///< Oldest first.
  size_t version_count;
  const OperatorVersion *version;  ///< The target's; NULL if the facts don't know it.

  const TorchOperator *torch_operator;  ///< Its schemas; NULL if torch has none.
  const OnnxOperator *onnx;             ///< NULL if it is none of ONNX.
  const OnnxSchema *schema;             ///< In force at the opset; NULL if ONNX had none yet.

  const WorkspaceSymbolic *const *registrations;  ///< Of the workspace.
  size_t registration_count;
  OpsetSet registered;  ///< What they name.
  OpsetSet served;      ///< Opsets of the TorchScript exporter at which an export takes one of them.
  int shadowing;  ///< The opset of torch's own function that an export takes instead of them; 0 if it takes one of
                  ///< them.
} OperatorFacts;

/// `name` as a graph prints it: "aten::add_", "onnx::Conv", "^MyRelu". In a printable graph a name without a namespace
/// is one of ONNX.
OperatorFacts operator_facts(const OperatorTarget *target, Str name, bool is_printable, Arena *arena);
/// True when the name is one of ONNX, with its domain ("" for ai.onnx) and its name there.
bool operator_is_onnx_name(const SymbolicsDb *db, Str name, bool is_printable, Str *ret_domain, Str *ret_name);
