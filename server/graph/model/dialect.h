/// What one graph language has of its own: how its lines become syntax nodes, and what its texts spell otherwise.
///
/// All graph languages share the kinds of nodes (graph/model/syntax.h), and with them lowering, linking, rules and
/// features. A dialect's parser gives these nodes, line by line: the nodes of a line depend on that line alone.
///
/// Ownership: dialects are constants; a parser belongs to one taker at a time.
/// Errors:    what can't be read is NODE_ERROR.
/// Threads:   the functions may run on any thread, each parser on one at a time.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "base/memory.h"
#include "core/completion_job.h"
#include "core/language.h"
#include "core/operator_count.h"
#include "core/structure.h"
#include "core/target.h"
#include "graph/model/dump_index.h"

typedef struct OperatorName {
  Str name;           ///< As the facts call it: "aten::add". What they have no name for stays as it is printed.
  Str overload;       ///< "Tensor"; "" is the default one.
  bool has_overload;  ///< The text says which.
} OperatorName;

/// What is wrong with a line; offsets are bytes from its start.
typedef struct LineDiagnosis {
  uint32_t start;
  uint32_t end;  ///< Of what is in the wrong place; `start` at the end of the line.
  Str message;
  Str fix_title;  ///< Empty if no change of one token makes the line readable.
  uint32_t fix_start;
  uint32_t fix_end;
  Str fix_text;
} LineDiagnosis;

struct OnnxModel;
struct OnnxSource;

/// A type that is not written and follows from what is.
typedef struct FoundType {
  size_t offset;  ///< After the name of the value.
  Str type;
} FoundType;

typedef struct FoundTypes {
  const FoundType *items;  ///< In the order of the text.
  size_t count;
} FoundTypes;

typedef struct GraphDialect {
  char name_sign;          ///< What every name of a value begins with: `%`; 0 for nothing.
  Exporter exporter;       ///< Which one takes such a graph: what another one supports says nothing about it.
  bool places_come_first;  ///< Where a node came from stands in a comment before it (graph/model/source_comment.h).
  bool may_be_module;     ///< Its texts may be the code of a module, which gives names again, unless a header is whole.
  bool has_places_above;  ///< Of each node alone, in the comments right above it.
  bool is_model;          ///< Operators are ONNX's or a model's own, and graphs have names.
  SyntaxParser *(*parser_new)(void);
  void (*parser_free)(SyntaxParser *parser);
  /// Parses whole lines. `text` may hold any bytes; the list is valid until the next parse.
  SyntaxList (*parse)(SyntaxParser *parser, Str text);

  // NULL where the language does it as TorchScript does.

  /// What a printed operator is called elsewhere.
  OperatorName (*operator_name)(Str text, Arena *arena);
  /// Is it a mistake when nobody uses what a line with this operator ("" for none) defines?
  bool (*tells_unused)(ItemKind kind, Str op);
  /// The type in the text after a value's name; empty if none is printed.
  Str (*type_after)(Str rest);
  /// The type of the value whose name stands at an offset, where none is written; empty if it is unknown.
  Str (*type_at)(const Snapshot *snapshot, size_t offset, Arena *arena);
  /// In a sentence, from what that type follows; empty if it is not known. NULL where `type_at` is.
  Str (*origin_at)(const Snapshot *snapshot, size_t offset, Arena *arena);
  /// The same of all values that nodes define in a range. NULL where `type_at` is.
  FoundTypes (*types_in)(const Snapshot *snapshot, Range range, Arena *arena);
  /// The opset that the text itself names; 0 for none.
  int (*opset)(const Document *document);

  /// Reads a text into the tree that the rules of ONNX models walk (graph/onnx/onnx_tree.h).
  char key_sign;  ///< Of models: what stands between a key of the header and its value.
  void (*read_model)(struct OnnxModel *model, const struct OnnxSource *source, Arena *arena);
  /// Adds what fits at a place.
  void (*complete)(CompletionJob *job);
  /// The text in one layout; false, and why not, if it can't be told where its parts begin.
  bool (*format)(Str text, Arena *arena, Str *ret_text);
  /// What the model needs of a runtime; in the arena.
  ModelNeeds (*needs)(const Snapshot *snapshot, Arena *arena);

  /// What comparing two graphs needs, where lines alone don't say it.
  void (*structure)(const Snapshot *snapshot, GraphStructure *structure);

  /// What a chunk's text shows of the types of its values; NULL: what stands after definitions.
  TypesShown (*types_shown)(Str text);

  /// Says why a line can't be read; false if it can't tell. NULL for a dialect that never can.
  bool (*diagnose)(Str line, Arena *arena, LineDiagnosis *ret_diagnosis);
} GraphDialect;

/// An idle parser of the dialect, or a new one.
SyntaxParser *dialect_take_parser(const GraphDialect *dialect);
void dialect_give_parser(const GraphDialect *dialect, SyntaxParser *parser);
/// Frees idle parsers; for the end of the process.
void dialect_free_parsers(const GraphDialect *dialect);

/// The opset at which operators of ONNX are to be shown: the text's own, else the target's.
int dialect_opset(const GraphDialect *dialect, const Document *document, const Target *target);
OperatorName dialect_operator_name(const GraphDialect *dialect, Str text, Arena *arena);
/// "aten::add.Tensor": the operator in a word, as lists show it.
Str dialect_operator_word(const GraphDialect *dialect, Str text, Arena *arena);
/// A printed type without the colours of the terminal that the text was taken from.
Str dialect_plain_type(Str type, Arena *arena);
