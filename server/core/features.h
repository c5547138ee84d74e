/// The answers of editor features: pure functions of a snapshot and a byte offset.
///
/// Every function writes its result only when it returns true (or a count above 0) and works on broken files.
///
/// Ownership: results live in the arena given, or in the snapshot.
/// Units:     byte offsets from the start of the document.
/// Errors:    false or 0 means that there is nothing at that place.
/// Threads:   pure; any thread may ask any snapshot. A set `cancelled` flag (may be NULL) makes long ones return early.
/// Sources:   LSP 3.17, Language Features; each function names its request.
#pragma once

#include <stdatomic.h>

#include "core/coverage.h"
#include "core/diagnostics.h"
#include "core/picture.h"
#include "core/snapshot.h"

typedef struct FeatureContext {
  const Snapshot *snapshot;
  Arena *arena;
  const atomic_bool *cancelled;  ///< May be NULL.
  /// Answers whether a file exists; NULL means that none does. Features do no I/O of their own.
  bool (*file_exists)(Str path, void *context);
  void *file_exists_context;
  /// The text of a file on disk; false if there is none, or if it is too large. NULL means that none can be read.
  bool (*read_file)(Str path, Arena *arena, Str *ret_text);
  const Workspace *workspace;  ///< What other files tell; NULL for nothing (core/workspace.h).
} FeatureContext;

static inline bool feature_is_cancelled(const FeatureContext *context)
{
  return context->cancelled && atomic_load_explicit(context->cancelled, memory_order_relaxed);
}

typedef struct Hover {
  Range range;
  Str markdown;
  Str plain;  ///< The same for clients without Markdown.
} Hover;
/// textDocument/hover
bool feature_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);

typedef struct Location {
  Range origin;                        ///< What was asked about (LocationLink.originSelectionRange).
  bool is_file;                        ///< A file of its own (`path`, `line`, `column`), not this document.
  Range target;                        ///< In this document: the whole definition line.
  Range selection;                     ///< In this document: the name.
  Str path;                            ///< Absolute path; only if `is_file`.
  uint32_t line;                       ///< 0-based; only if `is_file`.
  uint32_t column;                     ///< 0-based, bytes; only if `is_file`.
  const struct WorkspacePlace *place;  ///< The same, exactly; NULL if nobody has read that file.
} Location;
typedef struct LocationList {
  const Location *items;
  size_t count;
} LocationList;

typedef struct Highlight {
  Range range;
  bool is_write;
} Highlight;
typedef struct HighlightList {
  const Highlight *items;
  size_t count;
} HighlightList;

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

typedef struct WorkspaceSymbol {
  Str name;       ///< "elu (aten::elu, opset 9)"
  Str container;  ///< The name of the file.
  int kind;       ///< LSP SymbolKind.
  Str uri;
  const struct WorkspacePlace *place;
} WorkspaceSymbol;
typedef struct WorkspaceSymbolList {
  const WorkspaceSymbol *items;  ///< The best first.
  size_t count;
} WorkspaceSymbolList;
/// workspace/symbol: what is registered under a name, or by a function of a name, that holds `query`; then graphs and
/// modules of dumps, of which a name or the file's holds it.
WorkspaceSymbolList feature_workspace_symbols(const Workspace *workspace, Str query, Arena *arena);

typedef struct Fold {
  uint32_t start_line;
  uint32_t end_line;
  const char *kind;  ///< "region", "comment" or NULL.
} Fold;
typedef struct FoldList {
  const Fold *items;
  size_t count;
} FoldList;

typedef struct SelectionList {
  const Range *items;  ///< From the innermost outwards, each holding the one before; at least one.
  size_t count;
} SelectionList;
typedef struct SelectionLists {
  const SelectionList *items;  ///< One for each position that was asked about.
  size_t count;
} SelectionLists;
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

/// What actions may know of the world around the document. Zeroed memory knows nothing.
typedef struct ActionWorld {
  /// The text of a file as the editor has it, else as it is on disk; false if there is none. May be NULL.
  bool (*read_file)(Str path, Arena *arena, void *context, Str *ret_text);
  void *read_file_context;
  Str settings_path;     ///< Of `.onnxls.json`, which need not exist; empty if there is no place for one.
  bool opset_is_set;     ///< By something that wins over that file.
  bool exporter_is_set;  ///< The same.
} ActionWorld;

/// A change of another file than the document.
typedef struct FileChange {
  Str path;     ///< Absolute; empty if there is no such change.
  bool is_new;  ///< The file does not exist; the one edit is its text.
  Str text;     ///< What it holds now: the edits' offsets are in there.
  const TextEdit *edits;
  size_t edit_count;
} FileChange;

typedef enum ActionKind {
  ACTION_QUICKFIX,
  ACTION_FIX_ALL,
} ActionKind;

typedef struct Action {
  Str title;
  ActionKind kind;
  const Diagnostic *diagnostic;  ///< What it is about; NULL if nothing in particular.
  bool is_preferred;
  const TextEdit *edits;  ///< Of the document.
  size_t edit_count;
  FileChange file;
  bool is_report;  ///< Changes nothing: shows feature_report().
} Action;
typedef struct ActionList {
  const Action *items;  ///< The best first.
  size_t count;
} ActionList;
/// textDocument/codeAction; `kinds` has bit 1 << ActionKind for each kind that is wanted.
ActionList feature_actions(const FeatureContext *context, const ActionWorld *world, Range range, unsigned kinds);

typedef struct EditList {
  const TextEdit *items;  ///< In order of position; they don't overlap.
  size_t count;
  size_t fix_count;  ///< How many fixes they come from.
} EditList;
/// The edits of all safe fixes that don't get in each other's way: of two that do, the first in the text.
EditList feature_safe_fixes(const DiagnosticList *diagnostics, Arena *arena);

typedef enum CompletionKind {  // The numbers of LSP's CompletionItemKind.
  COMPLETION_FUNCTION = 3,
  COMPLETION_CLASS = 7,
  COMPLETION_PROPERTY = 10,
  COMPLETION_VALUE = 12,
  COMPLETION_KEYWORD = 14,
  COMPLETION_ENUM_MEMBER = 20,
  COMPLETION_CONSTANT = 21,
  COMPLETION_OPERATOR = 24,
} CompletionKind;

typedef struct CompletionItem {
  Str label;
  CompletionKind kind;
  Str detail;               ///< May be empty, as the next four.
  Str documentation;        ///< Markdown.
  Str documentation_plain;  ///< The same for clients without Markdown.
  Str filter_text;          ///< What is typed to find it, if that is not the label.
  Str sort_text;            ///< What it is sorted by, if that is not the label.
  Str text;                 ///< What is inserted.
  Range replaced;           ///< In one line; holds the offset that was asked about.
  bool is_snippet;  ///< `text` has places to fill in: `$0`, `${1:name}`, with `\\`, `\$` and `\}` for themselves.
  bool is_deprecated;
  bool is_preselected;
} CompletionItem;
typedef struct CompletionList {
  const CompletionItem *items;
  size_t count;
  bool is_incomplete;  ///< More typing may bring others.
} CompletionList;
/// textDocument/completion; `trigger` is the character that was typed, empty if somebody asked for it.
CompletionList feature_completion(const FeatureContext *context, size_t offset, Str trigger);

typedef struct SignatureParameter {
  size_t start;  ///< In the label.
  size_t end;
  Str documentation;  ///< Markdown; may be empty.
  Str documentation_plain;
} SignatureParameter;
typedef struct Signature {
  Str label;
  Str documentation;  ///< Markdown; may be empty.
  Str documentation_plain;
  const SignatureParameter *parameters;
  size_t parameter_count;
  size_t active;  ///< The parameter that is being written; `parameter_count` if it is none of them.
} Signature;
typedef struct SignatureList {
  const Signature *items;
  size_t count;
  size_t active;
} SignatureList;

typedef enum InlayKind {
  INLAY_PARAMETER,  ///< Before an argument: what it is called.
  INLAY_VALUE,      ///< After a name: what it stands for.
} InlayKind;

typedef struct InlayHint {
  size_t offset;
  InlayKind kind;
  Str label;
  Str tooltip;  ///< May be empty.
} InlayHint;
typedef struct InlayHintList {
  const InlayHint *items;  ///< In order of position.
  size_t count;
} InlayHintList;

/// What is above a line.
typedef struct Lens {
  Range range;  ///< In one line.
  Str title;
  bool has_uses;  ///< Asking for references there shows them.
} Lens;
typedef struct LensList {
  const Lens *items;  ///< In order of position.
  size_t count;
} LensList;

typedef struct CallItem {
  Str name;
  Str detail;
  int kind;  ///< LSP SymbolKind.
  Range range;
  Range selection;                     ///< Inside `range`. Asking at its start finds the item again.
  Str uri;                             ///< Of another file, which has it at `place`; empty for this document.
  const struct WorkspacePlace *place;  ///< The name; instead of `range` and `selection`.
} CallItem;
typedef struct CallItemList {
  const CallItem *items;
  size_t count;
} CallItemList;

typedef struct CallEdge {
  CallItem item;        ///< The caller, or what is called.
  const Range *places;  ///< Of the calls, in this document.
  size_t place_count;
  const struct WorkspacePlace *const *file_places;  ///< Of those in the item's file, if the caller is another file.
  size_t file_place_count;
} CallEdge;
typedef struct CallEdgeList {
  const CallEdge *items;
  size_t count;
} CallEdgeList;

/// A name that can be changed.
typedef struct RenamePlace {
  Range range;
  Str name;
} RenamePlace;
typedef struct Rename {
  const TextEdit *edits;  ///< In order of position.
  size_t count;
  Str refusal;  ///< Why the name can't be this one, as the end of a sentence; else empty.
} Rename;

/// textDocument/formatting
typedef struct TextLayout {
  bool is_known;  ///< Else `text` says why not; empty where the language has no layout.
  Str text;       ///< All of it.
} TextLayout;

/// The answer to one request, whichever it was.
typedef union FeatureResult {
  ActionList actions;
  CallEdgeList calls;
  CallItemList call_items;
  CompletionList completion;
  Coverage coverage;
  DiagnosticList diagnostics;
  FoldList folds;
  HighlightList highlights;
  FoundCardList found_cards;
  const Hover *hover;  ///< NULL if there is none.
  TextLayout layout;
  InlayHintList inlay_hints;
  LensList lenses;
  LinkList links;
  LocationList locations;
  Rename rename;
  const RenamePlace *rename_place;  ///< NULL if there is none.
  const Picture *picture;           ///< NULL if there is none.
  SelectionLists selections;
  SignatureList signatures;
  SymbolList symbols;
  Str text;
  SemanticTokenList tokens;
  WorkspaceSymbolList workspace_symbols;
} FeatureResult;

// --- What a language has of all this ---

typedef struct ActionJob ActionJob;            // core/action_job.h
typedef struct CompletionJob CompletionJob;    // core/completion_job.h
typedef struct GraphStructure GraphStructure;  // core/structure.h
typedef struct OperatorCount OperatorCount;    // core/operator_count.h

/// What a language may have, a line each: whether graph languages have it, Python or both, what it gives, its name, and
/// what it takes; the functions above say more. The table of a language, its declarations and its rows are made of
/// these.
// clang-format off
#define LANGUAGE_FEATURES(BOTH, GRAPHS, PYTHON)                                                                        \
  /* Actions about a diagnostic, beside its fixes. */                                                                  \
  GRAPHS(void, actions, ActionJob *job, const Diagnostic *diagnostic)                                                  \
  BOTH(CallItemList, call_items, const FeatureContext *context, size_t offset)                                         \
  /* Adds what fits. */                                                                                                \
  BOTH(void, complete, CompletionJob *job)                                                                             \
  GRAPHS(void, count_operators, const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *count) \
  BOTH(LocationList, definition, const FeatureContext *context, size_t offset)                                         \
  GRAPHS(FoldList, folding, const FeatureContext *context)                                                             \
  GRAPHS(TextLayout, format, const FeatureContext *context)                                                            \
  GRAPHS(HighlightList, highlight, const FeatureContext *context, size_t offset)                                       \
  BOTH(bool, hover, const FeatureContext *context, size_t offset, Hover *ret_hover)                                    \
  BOTH(LocationList, implementation, const FeatureContext *context, size_t offset)                                     \
  BOTH(CallEdgeList, incoming_calls, const FeatureContext *context, size_t offset)                                     \
  BOTH(InlayHintList, inlay_hints, const FeatureContext *context, Range range)                                         \
  BOTH(LensList, lenses, const FeatureContext *context)                                                                \
  GRAPHS(LinkList, links, const FeatureContext *context)                                                               \
  BOTH(CallEdgeList, outgoing_calls, const FeatureContext *context, size_t offset)                                     \
  BOTH(LocationList, references, const FeatureContext *context, size_t offset, bool include_declaration)               \
  GRAPHS(Rename, rename, const FeatureContext *context, size_t offset, Str new_name)                                   \
  GRAPHS(bool, rename_place, const FeatureContext *context, size_t offset, RenamePlace *ret_place)                     \
  GRAPHS(Str, report, const FeatureContext *context, Str name)                                                         \
  GRAPHS(bool, picture, const FeatureContext *context, const PictureQuery *query, Picture *ret_picture)                \
  GRAPHS(FoundCardList, picture_search, const FeatureContext *context, Str text)                                       \
  GRAPHS(uint32_t, picture_scopes, const FeatureContext *context)                                                      \
  GRAPHS(Str, picture_words, const FeatureContext *context, uint32_t line)                                             \
  GRAPHS(SelectionList, selection, const FeatureContext *context, size_t offset)                                       \
  PYTHON(SignatureList, signature, const FeatureContext *context, size_t offset)                                       \
  /* Fills in what is compared; the structure is empty before. */                                                      \
  GRAPHS(void, structure, const Snapshot *snapshot, GraphStructure *structure)                                         \
  BOTH(SymbolList, symbols, const FeatureContext *context)                                                             \
  GRAPHS(SemanticTokenList, tokens, const FeatureContext *context, Range range)                                        \
  GRAPHS(LocationList, type_definition, const FeatureContext *context, size_t offset)
// clang-format on

#define LANGUAGE_FEATURE(result, name, ...) result (*name)(__VA_ARGS__);
/// The features of a language; NULL for one that it doesn't have.
struct LanguageFeatures {
  LANGUAGE_FEATURES(LANGUAGE_FEATURE, LANGUAGE_FEATURE, LANGUAGE_FEATURE)
};
#define LANGUAGE_FEATURE_LEFT_OUT(...)

/// Those of the document's language; none at all if the text has nothing for us.
const LanguageFeatures *features_of(const FeatureContext *context);

/// Asks the language's feature; zeroed memory is the empty answer.
#define ASK_LANGUAGE(type, feature, ...)                                                                               \
  (features_of(context)->feature ? features_of(context)->feature(__VA_ARGS__) : (type){ 0 })

/// textDocument/prepareCallHierarchy
static inline CallItemList feature_call_items(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(CallItemList, call_items, context, offset);
}

/// textDocument/definition
static inline LocationList feature_definition(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(LocationList, definition, context, offset);
}

/// textDocument/foldingRange
static inline FoldList feature_folding(const FeatureContext *context)
{
  return ASK_LANGUAGE(FoldList, folding, context);
}

static inline TextLayout feature_format(const FeatureContext *context)
{
  return ASK_LANGUAGE(TextLayout, format, context);
}

/// textDocument/documentHighlight
static inline HighlightList feature_highlight(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(HighlightList, highlight, context, offset);
}

/// textDocument/implementation: the symbolic functions that convert an operator.
static inline LocationList feature_implementation(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(LocationList, implementation, context, offset);
}

/// callHierarchy/incomingCalls; `offset` is the start of an item's selection.
static inline CallEdgeList feature_incoming_calls(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(CallEdgeList, incoming_calls, context, offset);
}

/// textDocument/inlayHint
static inline InlayHintList feature_inlay_hints(const FeatureContext *context, Range range)
{
  return ASK_LANGUAGE(InlayHintList, inlay_hints, context, range);
}

/// textDocument/codeLens
static inline LensList feature_lenses(const FeatureContext *context)
{
  return ASK_LANGUAGE(LensList, lenses, context);
}

/// textDocument/documentLink
static inline LinkList feature_links(const FeatureContext *context)
{
  return ASK_LANGUAGE(LinkList, links, context);
}

/// callHierarchy/outgoingCalls
static inline CallEdgeList feature_outgoing_calls(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(CallEdgeList, outgoing_calls, context, offset);
}

/// textDocument/references; in order of position, and after them what other files have.
static inline LocationList feature_references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  return ASK_LANGUAGE(LocationList, references, context, offset, include_declaration);
}

/// textDocument/rename
static inline Rename feature_rename(const FeatureContext *context, size_t offset, Str new_name)
{
  return ASK_LANGUAGE(Rename, rename, context, offset, new_name);
}

/// textDocument/prepareRename
static inline bool feature_rename_place(const FeatureContext *context, size_t offset, RenamePlace *ret_place)
{
  return ASK_LANGUAGE(bool, rename_place, context, offset, ret_place);
}

/// The operators of the document that the exporter refuses, as a text for people; `name` is what the title calls it.
static inline Str feature_report(const FeatureContext *context, Str name)
{
  return ASK_LANGUAGE(Str, report, context, name);
}

/// A picture of a part of the graph; false if there is none, or no such scope.
static inline bool feature_picture(const FeatureContext *context, const PictureQuery *query, Picture *ret_picture)
{
  return ASK_LANGUAGE(bool, picture, context, query, ret_picture);
}

/// Cards of the document whose title, name or operator holds the text, whatever its case.
static inline FoundCardList feature_picture_search(const FeatureContext *context, Str text)
{
  return ASK_LANGUAGE(FoundCardList, picture_search, context, text);
}

/// How many scopes there are to draw: their numbers are below.
static inline uint32_t feature_picture_scopes(const FeatureContext *context)
{
  return ASK_LANGUAGE(uint32_t, picture_scopes, context);
}

/// What is known of the operator in a line, as a text for people.
static inline Str feature_picture_words(const FeatureContext *context, uint32_t line)
{
  return ASK_LANGUAGE(Str, picture_words, context, line);
}

/// textDocument/signatureHelp
static inline SignatureList feature_signature(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(SignatureList, signature, context, offset);
}

/// textDocument/documentSymbol
static inline SymbolList feature_symbols(const FeatureContext *context)
{
  return ASK_LANGUAGE(SymbolList, symbols, context);
}

/// textDocument/semanticTokens; `range` may be the whole document.
static inline SemanticTokenList feature_tokens(const FeatureContext *context, Range range)
{
  return ASK_LANGUAGE(SemanticTokenList, tokens, context, range);
}

/// textDocument/typeDefinition: the class that a graph names.
static inline LocationList feature_type_definition(const FeatureContext *context, size_t offset)
{
  return ASK_LANGUAGE(LocationList, type_definition, context, offset);
}
