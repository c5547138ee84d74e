/// Models of a workspace: the torch.nn.Modules that its Python files define, and which of them exports of other files
/// run, directly or as a part of another one.
///
/// Ownership: the index belongs to its Workspace and borrows from the files; what it returns lives as long as they.
/// Units:     tensors as sets: bit i for the i-th argument of forward() after self.
/// Errors:    NULL is an empty workspace; what is not sure is left out.
/// Threads:   immutable once made.
/// Sources:   docs/architecture.md, "The index of the workspace".
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "facts/opset_set.h"

typedef struct Workspace Workspace;
typedef struct WorkspaceFile WorkspaceFile;

typedef struct WorkspaceParam {
  Str name;
  uint8_t kind;  ///< A PyParamKind.
  bool has_default;
} WorkspaceParam;

/// A class of torch.nn.Module with a forward() of its own, or a function that makes an object of one.
typedef struct WorkspaceModule {
  Str name;
  Str uri;
  Str made;                      ///< The class of the same file that a function makes; empty for a class.
  const WorkspaceParam *params;  ///< Of forward(), after self.
  uint32_t param_count;
  bool is_function;  ///< One that may get tensors: only calls of it run it.
} WorkspaceModule;

/// How exports run a forward().
typedef enum ModelRun {
  MODEL_CAPTURED = 1,   ///< By torch.export.
  MODEL_TRACED = 2,     ///< By the TorchScript exporter.
  MODEL_FOR_ONNX = 4,   ///< A file that captures it has to do with ONNX.
  MODEL_HAS_AXES = 8,   ///< An export that traces it leaves sizes open.
  MODEL_IS_WHOLE = 16,  ///< It is the model itself, not a part of one.
  MODEL_IS_OPEN = 32,   ///< Of what traces it, it is not known which nodes it makes, or which functions are registered.
  MODEL_BY_DEFAULT = 64,  ///< By torch's default exporter, and the file does not say which torch it is for.
} ModelRun;

/// A module, or a function, of another file that a file's export runs, or that a module of it runs whenever that is
/// run.
typedef struct WorkspaceModelUse {
  Str callee;        ///< "pkg.mod.Class" as the file names it.
  bool is_function;  ///< A function is called, and no object.
  Str uri;           ///< The file.
  Str inside;        ///< The module of this file; empty if an export of this file runs it.
  uint32_t needs;    ///< What `inside` has to be given for this to be sure.
  uint32_t tensors;  ///< What it is given.
  uint8_t runs;      ///< ModelRuns; of a part only those of what it is inside of count.
  OpsetSet opsets;   ///< For which it is traced, 0 among them if that is not known; of a part as `runs`.
} WorkspaceModelUse;

/// What is known of a module that exports of other files run.
typedef struct WorkspaceReach {
  const WorkspaceModule *module;
  uint32_t tensors;
  uint8_t runs;
  OpsetSet opsets;
} WorkspaceReach;

typedef struct WorkspaceModels WorkspaceModels;

WorkspaceModels *workspace_models_new(WorkspaceFile *const *files, size_t count);
/// NULL is fine.
void workspace_models_free(WorkspaceModels *models);
/// Whether two files define the same modules, and use those of others in the same way. NULL is an empty file.
bool workspace_file_same_models(const WorkspaceFile *a, const WorkspaceFile *b);

/// The module that the file at `uri` names so; NULL.
const WorkspaceModule *workspace_find_module(const Workspace *workspace, Str uri, Str qualified);
/// How exports of other files run that class of the file at `uri`; NULL if none surely does.
const WorkspaceReach *workspace_reach(const Workspace *workspace, Str uri, Str name);
