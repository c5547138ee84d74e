/// The operators of one dump: how often and where each is, and who can convert it.
///
/// Ownership: operator_count_done() frees the lists; names live in the counted arena.
/// Units:     lines from 1; a set of opsets has bit n for opset n.
/// Threads:   one thread at a time.
/// Sources:   docs/ops.md.
#pragma once

#include "base/vec.h"
#include "core/features.h"
#include "facts/symbolics.h"

typedef enum DynamoMark {
  DYNAMO_UNKNOWN,  ///< Nothing is known, or it never gets to see the operator.
  DYNAMO_NO,
  DYNAMO_PARTS,  ///< Taken apart first.
  DYNAMO_YES,
} DynamoMark;

/// A node of a model for which some runtimes have no kernel.
typedef struct MissingKernel {
  Str op;
  uint32_t runtimes;  ///< Bits of RuntimeFacts.
  Str types;          ///< "T = bfloat16"; empty if it is none of any type.
  size_t offset;      ///< Of the operator in the text.
} MissingKernel;

/// How many nodes of an operator of ai.onnx have an attribute, or an input.
typedef struct UsedAttribute {
  Str op;
  Str attribute;  ///< Empty: all nodes of the operator.
  uint32_t nodes;
} UsedAttribute;

/// What a model needs of a runtime.
typedef struct ModelNeeds {
  int64_t ir_version;  ///< 0 if the text doesn't say.
  int64_t opset;       ///< Of ai.onnx; 0 likewise.
  const MissingKernel *missing;
  size_t missing_count;
  const UsedAttribute *used;
  size_t used_count;
} ModelNeeds;

/// A module of a dump with scopes, and how many nodes of an operator are in it.
typedef struct ModuleCount {
  Str name;  ///< "layers.0.norm"
  uint32_t count;
} ModuleCount;

typedef struct CountedOp {
  Str name;  ///< As the dump prints it.
  uint32_t count;
  uint32_t reported;  ///< Nodes that `check` has something to say about.
  Vec(uint32_t) lines;
  Vec(ModuleCount) modules;  ///< In the order of their first nodes.
  const OnnxOperator *onnx;  ///< If it is an ONNX node, in a graph that was lowered already.
  const OnnxSchema *schema;  ///< Of it, at the target's opset; NULL if there is none yet.
  bool is_onnx;
  bool is_dynamo_only;  ///< The TorchScript exporter takes no such graph: `supported` says nothing.
  bool is_removed;      ///< A pass takes it away before functions are looked up.
  OpsetSet supported;   ///< Opsets at which the TorchScript exporter converts it, or ONNX has it.
  OpsetSet workspace;   ///< Those of `supported` at which it takes a function that the workspace registers.
  DynamoMark dynamo;
} CountedOp;

struct OperatorCount {
  Arena arena;
  CountedOp **ops;  ///< Those that are reported first, then by count, then by name.
  size_t op_count;
  uint64_t node_count;
  uint64_t reported_nodes;
  size_t reported_ops;
  bool is_model;     ///< Nodes are ONNX's, at the opset that the model names.
  ModelNeeds needs;  ///< Of a model; all 0 where its language can't tell.
};

/// Counts the operators of a document; false, and nothing counted, where its language has none. `db` and `torch` are
/// the target's.
bool operator_count_new(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *ret_count);
void operator_count_done(OperatorCount *count);
