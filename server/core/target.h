/// What a document is checked against: the exporter, its torch version, the opset, and the rules in force.
///
/// Ownership: reference-counted; target_new() copies what it is given.
/// Units:     opsets are numbers of the ai.onnx domain.
/// Errors:    unknown words are refused where settings are read (host/settings.h, cli/check_target.h).
/// Threads:   immutable; any thread may retain and release.
/// Sources:   docs/settings.md.
#pragma once

#include "base/sha256.h"
#include "base/status.h"
#include "core/severity.h"
#include "facts/exporter.h"
#include "facts/facts.h"

enum {
  TARGET_RULE_LIMIT = 128,  ///< More than rules.def has.
  SEVERITY_DEFAULT = 0xff,  ///< In Target.severities: the rule's own.
};

typedef struct PathMapping {
  Str from;  ///< Prefix as it is in the dump.
  Str to;    ///< Prefix on this machine.
} PathMapping;

typedef struct Workspace Workspace;  // core/workspace.h

/// Only plain values, so that a copy of it is no race: the counter is beside it.
typedef struct Target {
  const Facts *facts;          ///< Retained; NULL for those built in.
  const Workspace *workspace;  ///< Retained; whose symbolic functions count as support. NULL for none.
  Str torch;                   ///< "1.13", "2.6", "2.14": a version that the facts know.
  Str torch_meant;             ///< The one that was asked for, if the facts don't know it: "2.9"; else empty.
  Str torch_origin;            ///< Where it was said: "--torch", ".onnxls.json", "default"; as the next two.
  Str exporter_origin;
  Str opset_origin;
  Str runtime;  ///< That is to run the model: "onnxruntime 1.22"; empty if nobody said.
  Str runtime_origin;
  Str onnxscript;  ///< The release that the workspace names: "0.7.1"; empty if it names none.
  Str onnxscript_origin;
  Str onnxscript_needed;  ///< The oldest that goes with the torch that was meant, if `onnxscript` is older; else empty.
  Str measured_runtime;   ///< "1.21": whose outcomes count for it; empty for what holds of all.
  bool torch_is_default;  ///< Nobody said which; `torch` is the newest.
  bool torch_is_between;  ///< The one that was meant is none that the facts know; `torch` is the one before it.
  bool torch_is_before;   ///< It is even older than all of them; `torch` is the oldest.
  Exporter exporter;
  int opset;         ///< Never 0: the version's default if nobody said.
  int dynamo_opset;  ///< For graphs that only the dynamo exporter takes; 0 if this torch version has none.
  bool opset_is_default;
  uint8_t severities[TARGET_RULE_LIMIT];  ///< By rule number: a Severity, or SEVERITY_DEFAULT.
  uint32_t max_diagnostics;               ///< For each document; 0 is no limit.
  bool groups;                            ///< One diagnostic for a problem that many nodes have.
  bool hides_argument_names;              ///< As inlay hints.
  bool hides_constant_values;             ///< The same.
  bool hides_input_names;                 ///< The same, in Python.
  bool hides_opsets;                      ///< The same, in Python.
  const Str *source_roots;                ///< Absolute folders in which relative source paths are looked up.
  size_t source_root_count;
  const PathMapping *path_mappings;  ///< First match wins.
  size_t path_mapping_count;
} Target;

/// A copy of everything in `values`.
Target *target_new(const Target *values);
/// The same target with the workspace's functions; consumes `target`.
Target *target_with_workspace(Target *target, const Workspace *workspace);
Target *target_retain(const Target *target);
void target_release(Target *target);
/// Whether everything has the same answers for both, as far as settings decide it. The workspace is not compared.
bool target_same_settings(const Target *a, const Target *b);
/// The file on this machine that a text means: as it names it, or as a path mapping says.
Str target_map_path(const Target *target, Str path, Arena *arena);
/// Adds what target_same_settings() compares, but for the facts.
void target_digest(const Target *target, Sha256 *sha);

static inline const SymbolicsDb *target_db(const Target *target)
{
  return facts_db(target->facts);
}
