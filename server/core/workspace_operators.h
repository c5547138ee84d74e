/// Operators that files of a workspace define for PyTorch, and those for which its exports have functions.
///
/// Ownership: the index belongs to its Workspace and borrows from the files; what it returns lives as long as they.
/// Units:     as core/workspace.h.
/// Errors:    NULL is an empty workspace.
/// Threads:   immutable once made.
/// Sources:   docs/architecture.md, "The index of the workspace".
#pragma once

#include "core/workspace.h"

WorkspaceOperators *workspace_operators_new(WorkspaceFile *const *files, size_t count);
/// NULL is fine.
void workspace_operators_free(WorkspaceOperators *operators);

/// What torch has, else the op with the schemas that files define; NULL for neither, or if they contradict each
/// other.
const TorchOperator *workspace_torch_operator(const Workspace *workspace, const SymbolicsDb *db, Str name);
/// True if an export of the workspace has a function for that overload: its custom_translation_table names it.
bool workspace_translates(const Workspace *workspace, Str name, Str overload);

typedef bool WorkspaceOperatorVisitor(const WorkspaceOperator *op, void *context);

/// Calls `visit` with each definition and kernel of operators whose names begin so, by name, until it returns false.
void workspace_each_operator(const Workspace *workspace, Str prefix, WorkspaceOperatorVisitor *visit, void *context);
/// How many definitions files have of exactly this operator, with a schema or without.
size_t workspace_count_definitions(const Workspace *workspace, Str name);
