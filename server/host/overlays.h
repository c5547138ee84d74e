/// Facts that settings name: files in the form of docs/overlay.schema.json, or record files (symbolics-db/README.md).
///
/// Ownership: the facts are the caller's to release.
/// Units:     bytes.
/// Errors:    a file that can't be taken is left out, after one sentence in `problems`; the others stay.
/// Threads:   one thread at a time.
/// Sources:   symbolics-db/README.md, "Overlays".
#pragma once

#include "base/buffer.h"
#include "facts/facts.h"

/// The files over the built-in facts, later ones over earlier ones. NULL if there is nothing but those built in. What
/// was loaded before is kept for as long as the files stay as they were.
Facts *overlays_load(const Str *paths, size_t count, Buffer *problems);

/// True when overlays_load() has nothing to read: these files were loaded before and are as they were.
bool overlays_are_kept(const Str *paths, size_t count);

/// One file, over `base` (may be NULL). `ret_db` borrows from `base`. A sentence in `problems` unless OK.
MUST_USE Status overlays_open(Str path, const SymbolicsDb *base, SymbolicsDb **ret_db, Buffer *problems);
/// The same from text; `path` names it.
MUST_USE Status overlays_open_text(Str path, Str text, const SymbolicsDb *base, SymbolicsDb **ret_db, Buffer *problems);
