/// Files that are read only if another one names what they define (Language.is_passive), or imports their names: which
/// of them those are.
///
/// Ownership: names are copied; unnamed_files_free() frees everything.
/// Units:     files are numbers that the caller gives.
/// Threads:   one thread at a time.
/// Sources:   docs/architecture.md, "The index of the workspace".
#pragma once

#include "base/buffer.h"
#include "core/workspace.h"

typedef struct UnnamedFiles UnnamedFiles;

/// What a file of a passive text may define.
typedef struct Definitions Definitions;

Definitions *definitions_new(const Language *language, Str text);
/// What the text imports instead.
Definitions *definitions_new_imports(const Language *language, Str text);
/// The names as one text, '\0' after each, and back.
void definitions_pack(const Definitions *definitions, Buffer *packed);
Definitions *definitions_unpack(Str packed);
/// NULL is fine.
void definitions_free(Definitions *definitions);

UnnamedFiles *unnamed_files_new(void);
void unnamed_files_free(UnnamedFiles *files);
/// Adds a file; `uri` and `definitions` are borrowed. Without definitions it only counts who imports it.
void unnamed_files_add(UnnamedFiles *files, size_t number, Str uri, const Definitions *definitions);

typedef void NumberVisitor(size_t number, void *context);

/// Calls `visit` with each file that this one names and none did before.
void unnamed_files_take(UnnamedFiles *files, const WorkspaceFile *by, NumberVisitor *visit, void *context);
/// The same with what the file at `uri` imports.
void unnamed_files_take_imports(UnnamedFiles *files, Str uri, const Definitions *imports, NumberVisitor *visit,
                                void *context);
