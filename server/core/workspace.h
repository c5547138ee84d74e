/// What the files of a workspace tell each other: the symbolic functions that Python files register, the exports that
/// they make, and the operators that dumps use.
///
/// Every file has a summary of its own; a Workspace is a list of them with an index, made anew when one changes, which
/// is cheap: summaries are shared. Functions that are registered in one file and defined in another are found here.
///
/// Ownership: summaries and workspaces are reference-counted; what they return lives as long as they.
/// Units:     lines and characters as LSP counts them, from 0; opsets as sets with bit n for opset n.
/// Threads:   immutable; retain and release from any thread.
/// Sources:   torch.onnx._internal.registration for which function an export chooses.
#pragma once

#include "core/defined_operators.h"
#include "core/snapshot.h"
#include "core/workspace_constants.h"
#include "core/workspace_models.h"

/// A piece of one line of a text that need not be at hand any more.
typedef struct WorkspacePlace {
  uint32_t line;
  uint32_t start[POS_UTF32 + 1];  ///< Characters, by PosEncoding.
  uint32_t end[POS_UTF32 + 1];
} WorkspacePlace;

/// How a function of a Python file is called, and what it gives back, as far as that file alone tells. Kinds are those
/// of PyValue.
typedef struct WorkspaceSignature {
  bool is_known;
  bool takes_graph;           ///< As its first argument, by the name `g`.
  uint32_t least, most;       ///< Arguments; UINT32_MAX for any number.
  uint32_t positional;        ///< Those that may be given by position; UINT32_MAX for any number.
  uint32_t attributes;        ///< Bit i: argument i becomes an attribute as it is, which no value of a graph can be.
  uint32_t tensors;           ///< Bit i: of argument i it asks what tensors have, and values of a graph lack.
  uint32_t result, elements;  ///< 0 if it is not known.
  int32_t length;
} WorkspaceSignature;

/// A symbolic function that a file registers, or that it defines for others to register.
typedef struct WorkspaceSymbolic {
  Str name;  ///< "aten::elu"; empty for a function that nothing in its file registers.
  OpsetSet opsets;
  Str function;                 ///< "elu"; empty for a lambda.
  Str elsewhere;                ///< Qualified name of a function of another module; empty if it is in this file.
  Str uri;                      ///< The file that registers, see workspace_uri().
  WorkspacePlace place;         ///< The function's name, or the registration if it is elsewhere or a lambda.
  WorkspacePlace registration;  ///< The operator's name in the registration, or all there is of one.
  bool is_builtin;  ///< One of torch's own files: known to the facts, so it counts for nothing but its place.
  bool is_stub;     ///< Its function is in this file, written by us and not filled in yet (describe/stub.h).
  bool is_helper;   ///< Nothing in its file registers it, but it makes nodes.
  WorkspaceSignature signature;  ///< Of its function, if that is in this file.
} WorkspaceSymbolic;

/// A symbolic function that calls functions of other files.
typedef struct WorkspaceCaller {
  Str title;  ///< "elu", "MyRelu.symbolic", "lambda"
  bool is_method;
  WorkspacePlace place;         ///< Its name, or `lambda`.
  WorkspacePlace registration;  ///< As in WorkspaceSymbolic, of the first one; `place` if there is none in its file.
} WorkspaceCaller;

typedef struct WorkspaceCall {
  Str callee;  ///< Qualified name, as in WorkspaceSymbolic.elsewhere.
  Str uri;     ///< The file that calls.
  const WorkspaceCaller *caller;
  WorkspacePlace place;
} WorkspaceCall;

/// How often a dump uses an operator.
typedef struct WorkspaceUse {
  Str op;  ///< As printed: "aten::elu_".
  uint32_t count;
  const WorkspacePlace *places;  ///< The first ones.
  uint32_t place_count;
} WorkspaceUse;

/// A call that exports a model.
typedef struct WorkspaceExport {
  Exporter exporter;
  bool exporter_is_known;  ///< Else it depends on the torch version, or on a value.
  int opset;               ///< That it names; 0 if none, or if it is not known.
  bool keeps_operators;    ///< Its file asks that operators which ONNX lacks be written as they are.
} WorkspaceExport;

/// A graph of a dump, or a module that nodes of it are in.
typedef struct WorkspaceLandmark {
  Str name;  ///< "agraph", "layers.0.norm: LayerNorm"
  bool is_module;
  WorkspacePlace place;
} WorkspaceLandmark;

/// An operator that a file defines or implements: by torch.library, or by TORCH_LIBRARY in C++.
typedef struct WorkspaceOperator {
  DefinedOperator defined;  ///< `place` is the next one's.
  Str uri;
  WorkspacePlace place;
} WorkspaceOperator;

/// A key of a custom_translation_table: the dynamo exporter has a function for that overload.
typedef struct WorkspaceTranslation {
  Str name;      ///< "mylib::foo"
  Str overload;  ///< "default"
} WorkspaceTranslation;

struct WorkspaceFile {
  atomic_uint references;
  Str uri;                             ///< See workspace_uri().
  const WorkspaceSymbolic *symbolics;  ///< In order of position.
  uint32_t symbolic_count;
  const WorkspaceUse *uses;
  uint32_t use_count;
  const WorkspaceLandmark *landmarks;  ///< In order of position.
  uint32_t landmark_count;
  const WorkspaceCall *calls;  ///< Of functions of other modules, in order of position.
  uint32_t call_count;
  const WorkspaceExport *exports;  ///< In order of position.
  uint32_t export_count;
  const WorkspaceOperator *operators;  ///< In order of position.
  uint32_t operator_count;
  const WorkspaceTranslation *translations;
  uint32_t translation_count;
  const WorkspaceModule *modules;  ///< In order of position.
  uint32_t module_count;
  const WorkspaceModelUse *model_uses;  ///< In order of position.
  uint32_t model_use_count;
  const Str *model_names;  ///< What its exports make their models of, as its own texts name it; of other files.
  uint32_t model_name_count;
  WorkspaceConstants constants;  ///< What its names stand for.
  const Str *imports;            ///< Modules whose names what it registers or exports may depend on: "pkg.config".
  uint32_t import_count;
  bool is_open;  ///< What it registers or exports is not known without them.
  Arena arena;
};

/// The one spelling of a file's URI by which files are told apart; other URIs stay as they are.
Str workspace_uri(Str uri, Arena *arena);

/// Where a range of a line is, which has that number.
WorkspacePlace workspace_place_in_line(Str line, uint32_t number, Range range);
/// Where a range of a document is; of several lines the first.
WorkspacePlace workspace_place(const Document *document, Range range);

/// Adds copies of the operators that the document defines, for the summary of its language.
void workspace_file_take_operators(WorkspaceFile *file, const Document *document, const DefinedOperator *defined,
                                   size_t count);
/// NULL if the file has nothing to tell.
WorkspaceFile *workspace_file_new(const Snapshot *snapshot);
WorkspaceFile *workspace_file_retain(const WorkspaceFile *file);
/// NULL is fine.
void workspace_file_release(WorkspaceFile *file);
/// Calls `visit` with each name of another file's function or class by which a finding may depend on that file:
/// "pkg.mod.function", as this file names it. Some come more than once.
void workspace_file_each_foreign(const WorkspaceFile *file, NameVisitor *visit, void *context);
/// Whether one of its exports does so, see WorkspaceExport. NULL is an empty file.
bool workspace_file_keeps_operators(const WorkspaceFile *file);
/// Whether both register the same functions at the same places, and call the same ones. NULL is an empty file.
bool workspace_file_same_symbolics(const WorkspaceFile *a, const WorkspaceFile *b);
/// Whether both register for the same operators at the same opsets, and the same functions of other files, have the
/// same functions and constants as far as others see them, define the same operators, translate the same ones, and keep
/// unknown ones or not, wherever that is.
bool workspace_file_same_support(const WorkspaceFile *a, const WorkspaceFile *b);
/// Whether both use the same operators equally often.
bool workspace_file_same_uses(const WorkspaceFile *a, const WorkspaceFile *b);

/// Retains the files; NULLs among them are left out. Each URI comes once.
Workspace *workspace_new(WorkspaceFile *const *files, size_t count);
/// NULL is fine for both.
Workspace *workspace_retain(const Workspace *workspace);
void workspace_release(Workspace *workspace);

size_t workspace_files(const Workspace *workspace, WorkspaceFile *const **ret_files);

typedef bool WorkspaceVisitor(const WorkspaceSymbolic *symbolic, void *context);

/// Opsets at which the workspace itself registers a function for `op` as a graph prints it. NULL is an empty workspace
/// here and below.
OpsetSet workspace_opsets(const Workspace *workspace, Str op);
/// True if every function that the workspace registers for `op` is a stub.
bool workspace_is_stub(const Workspace *workspace, Str op);
/// Calls `visit` with each registration for `op`, torch's own too, until it returns false.
void workspace_each_symbolic(const Workspace *workspace, Str op, WorkspaceVisitor *visit, void *context);
/// The same with each registration that another file makes of this function of the Python file at `uri`.
void workspace_each_foreign(const Workspace *workspace, Str uri, Str function, WorkspaceVisitor *visit, void *context);
/// The same with all registrations, by name.
void workspace_each(const Workspace *workspace, WorkspaceVisitor *visit, void *context);
/// Where the function of a registration is defined: itself, or the entry of another file.
const WorkspaceSymbolic *workspace_definition(const Workspace *workspace, const WorkspaceSymbolic *symbolic);

/// That function of another module as the file at `uri` names it: "pkg.mod.function"; NULL if no file has it.
const WorkspaceSymbolic *workspace_find_function(const Workspace *workspace, Str uri, Str qualified);

/// Whether an export of any file writes operators that ONNX lacks as they are.
bool workspace_keeps_operators(const Workspace *workspace);

/// What files define, see core/workspace_operators.h.
typedef struct WorkspaceOperators WorkspaceOperators;
const WorkspaceOperators *workspace_operators(const Workspace *workspace);
/// Which modules exports run, see core/workspace_models.h.
const WorkspaceModels *workspace_models(const Workspace *workspace);
/// Files by the names of their modules, see core/workspace_constants.h; NULL for an empty workspace.
const WorkspaceModuleFiles *workspace_module_files(const Workspace *workspace);

typedef bool WorkspaceCallVisitor(const WorkspaceCall *call, void *context);

/// Calls `visit` with each call that a symbolic function of another file makes of this function of the Python file at
/// `uri`, until it returns false.
void workspace_each_call(const Workspace *workspace, Str uri, Str function, WorkspaceCallVisitor *visit, void *context);

typedef bool WorkspaceUseVisitor(const WorkspaceFile *file, const WorkspaceUse *use, void *context);

/// Calls `visit` with each dump's use of the operator that a registration of this name converts, until it returns
/// false.
void workspace_each_use(const Workspace *workspace, Str name, WorkspaceUseVisitor *visit, void *context);
/// How often dumps use it, and how many of them.
uint32_t workspace_use_count(const Workspace *workspace, Str name, uint32_t *ret_dumps);

/// The name under which a registration is looked up: "::add" is "aten::add".
Str workspace_lookup_name(Str name, Arena *arena);
/// The operator `op` in its line, which begins at `start`: the one before `(` or `[` if there are more. Empty if it is
/// not there.
Range workspace_op_in_line(Str line, size_t start, Str op);
/// The name under which an operator of a graph is looked up: "aten::add_" is "aten::add".
Str workspace_graph_name(Str op);

/// symbolics_support() with the workspace's functions: which function the TorchScript exporter chooses, if any.
SupportAnswer workspace_support(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset);
/// Whether a symbolic function of the workspace is called instead of torch's own.
bool workspace_replaces(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset);
