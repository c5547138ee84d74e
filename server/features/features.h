/// The answers of editor features: pure functions of a snapshot and a byte offset.
///
/// Every function writes its result only when it returns true (or a count above 0) and works on broken files.
///
/// Ownership: results live in the arena given, or in the snapshot.
/// Units:     byte offsets from the start of the document.
/// Errors:    none; false or 0 means that there is nothing at that place.
/// Threads:   pure; any thread may ask any snapshot. A set `cancelled` flag (may be NULL) makes long ones return early.
/// Sources:   LSP 3.17, Language Features; each function names its request.
#pragma once

#include <stdatomic.h>

#include "analysis/snapshot.h"

typedef struct FeatureContext {
  const Snapshot *snapshot;
  Arena *arena;
  const atomic_bool *cancelled;  ///< May be NULL.
  /// Answers whether a file exists; NULL means that none does. Features do no I/O of their own.
  bool (*file_exists)(Str path, void *context);
  void *file_exists_context;
} FeatureContext;

typedef struct Hover {
  Range range;
  Str markdown;
  Str plain;  ///< The same for clients without Markdown.
} Hover;
/// textDocument/hover
bool feature_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);

typedef struct Location {
  Range origin;     ///< What was asked about (LocationLink.originSelectionRange).
  bool is_file;     ///< A file of its own (`path`, `line`, `column`), not this document.
  Range target;     ///< In this document: the whole definition line.
  Range selection;  ///< In this document: the name.
  Str path;         ///< Absolute path; only if `is_file`.
  uint32_t line;    ///< 0-based; only if `is_file`.
  uint32_t column;  ///< 0-based, bytes; only if `is_file`.
} Location;
typedef struct LocationList {
  const Location *items;
  size_t count;
} LocationList;
/// textDocument/definition
LocationList feature_definition(const FeatureContext *context, size_t offset);
/// textDocument/references; in order of position.
LocationList feature_references(const FeatureContext *context, size_t offset, bool include_declaration);

typedef struct Highlight {
  Range range;
  bool is_write;
} Highlight;
typedef struct HighlightList {
  const Highlight *items;
  size_t count;
} HighlightList;
/// textDocument/documentHighlight
HighlightList feature_highlight(const FeatureContext *context, size_t offset);

typedef struct Symbol {
  Str name;
  Str detail;
  int kind;  ///< LSP SymbolKind.
  Range range;
  Range selection;  ///< Inside `range`.
  uint32_t depth;   ///< 0 for a root; a child follows its parent with depth + 1.
} Symbol;
typedef struct SymbolList {
  const Symbol *items;  ///< In pre-order.
  size_t count;
} SymbolList;
/// textDocument/documentSymbol
SymbolList feature_symbols(const FeatureContext *context);

typedef struct Fold {
  uint32_t start_line;
  uint32_t end_line;
  const char *kind;  ///< "region", "comment" or NULL.
} Fold;
typedef struct FoldList {
  const Fold *items;
  size_t count;
} FoldList;
/// textDocument/foldingRange
FoldList feature_folding(const FeatureContext *context);

typedef struct SelectionList {
  const Range *items;  ///< From the innermost outwards, each holding the one before; at least one.
  size_t count;
} SelectionList;
/// textDocument/selectionRange for one position
SelectionList feature_selection(const FeatureContext *context, size_t offset);

typedef struct SemanticToken {
  size_t start;
  uint32_t len;       ///< Bytes; a token never spans lines.
  uint8_t type;       ///< Index into semantic_token_types.
  uint8_t modifiers;  ///< Bit set over semantic_token_modifiers.
} SemanticToken;
typedef struct SemanticTokenList {
  const SemanticToken *items;
  size_t count;
} SemanticTokenList;
extern const char *const semantic_token_types[];
extern const size_t semantic_token_type_count;
extern const char *const semantic_token_modifiers[];
extern const size_t semantic_token_modifier_count;
/// textDocument/semanticTokens; `range` may be the whole document.
SemanticTokenList feature_tokens(const FeatureContext *context, Range range);

typedef struct Link {
  Range range;
  Str path;         ///< Absolute path of the file.
  uint32_t line;    ///< 0-based.
  uint32_t column;  ///< 0-based, bytes.
} Link;
typedef struct LinkList {
  const Link *items;
  size_t count;
} LinkList;
/// textDocument/documentLink
LinkList feature_links(const FeatureContext *context);
