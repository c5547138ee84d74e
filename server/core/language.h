/// What the program knows of a language, and the table of all languages.
///
/// Everything that is particular to one language is in its own folder and is asked through its row here: how its
/// texts are told from others, how a text becomes a model, how the model is checked, what it tells other files, and
/// which features it has. A new language is one folder and one row in server/languages.c.
///
/// Ownership: rows are constants. A model belongs to its snapshot.
/// Units:     sizes are bytes.
/// Errors:    NULL where no language fits; such a document gets empty answers.
/// Threads:   rows are immutable and their functions pure, but for what LanguageModel says.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "facts/exporter.h"
#include "syntax/unread.h"
#include "text/document.h"

typedef struct DiagSink DiagSink;                  // core/diagnostic_sink.h
typedef struct LanguageFeatures LanguageFeatures;  // core/features.h
typedef struct Snapshot Snapshot;                  // core/snapshot.h
typedef struct Target Target;                      // core/target.h
typedef struct WorkspaceFile WorkspaceFile;        // core/workspace.h

/// A set of languages. Every graph language is in IN_GRAPHS, and one that a rule singles out has a bit of its own, too.
typedef enum LanguageSet {
  IN_GRAPHS = 1 << 0,
  IN_CODE = 1 << 1,  ///< What people write to export: Python.
  IN_TORCHSCRIPT = 1 << 2,
  IN_FX = 1 << 3,
  IN_ONNX = 1 << 4,          ///< Models.
  IN_REPORTS = 1 << 5,       ///< What holds documents of other languages: reports and logs of exports.
  IN_SOURCES = 1 << 6,       ///< What nothing is found in, but what tells others: C++ that defines operators.
  IN_REQUIREMENTS = 1 << 7,  ///< Which packages a project wants.
} LanguageSet;

typedef struct LanguageEnding {
  Str suffix;     ///< ".torchir"
  bool is_vague;  ///< Folders are searched for it, but it says nothing about what the file holds.
} LanguageEnding;

/// How a text becomes a model, in three steps so that the middle one can run on several threads.
typedef struct LanguageModel {
  /// Finds out what is new against `previous`, the model of an earlier text in the same language (or NULL), which must
  /// outlive the plan. NULL if the text has nothing for us.
  void *(*plan)(const Snapshot *snapshot, const void *previous);
  /// How much has to be read: pieces, which may be 0, and the bytes of all of them.
  uint32_t (*plan_count)(const void *plan);
  size_t (*plan_bytes)(const void *plan);
  /// Reads one piece. Different pieces may run on different threads at once.
  void (*plan_run)(void *plan, uint32_t piece);
  /// Consumes the plan, of which every piece was read or not: the rest is read now. The model is immutable.
  void *(*plan_finish)(void *plan);
  /// Gives up.
  void (*plan_free)(void *plan);
  void (*free)(void *model);
} LanguageModel;

/// A comment that may be meant for us, and where it is.
typedef struct CommentPlace {
  uint32_t line;
  size_t hash;    ///< Offset of its `#` in the line.
  bool is_alone;  ///< On a line of its own.
  bool is_late;   ///< Something comes before it that `ignore-file` has to precede.
} CommentPlace;
typedef void CommentVisitor(const CommentPlace *place, void *context);

typedef void NameVisitor(Str name, void *context);

/// What a program printed, and where it stands: "output of cell 3". Both are good until the visitor returns.
typedef void TranscriptVisitor(Str text, Str place, void *context);

typedef void UnreadVisitor(size_t start, size_t end, UnreadReason reason, void *context);

typedef struct Language {
  const char *name;               ///< "torch-ir": also the language id that clients use.
  const char *title;              ///< "a TorchScript graph"
  LanguageSet sets;               ///< Those that it is in.
  const LanguageEnding *endings;  ///< Up to one without a suffix.
  bool goes_by_name;              ///< Its texts may quote any other language, so id and ending decide before content.
  bool is_for_dynamo;             ///< Only the dynamo exporter takes its graphs, whatever the target says.
  bool is_printed;                ///< Programs print its texts, so the traceback of an export may stand beside them.
  bool is_last;            ///< Its texts may hold any other language, which then comes first: by content, id or name.
  bool is_whole;           ///< Anything around its texts is a mistake, so what Markdown quotes of one is none.
  bool numbers_are_names;  ///< One more line gives other numbers to all lines after it.
  bool works_by_line;      ///< An edit costs what is new, checking what is found, a place its line: not all text.
  bool knows_names;        ///< What a name means is looked up in the model, so nesting costs nothing again.
  const char *first_code;  ///< "the first graph": what `ignore-file` has to precede.
  const char *unread_advice;  ///< What to do about a part that takes too much work: "split it".
  size_t quick_check_limit;   ///< Checking a longer text takes too long while somebody types; 0 for none.
  /// True when the line, with white space trimmed off, can only be of this language. NULL: content tells nothing.
  bool (*sniff_line)(Str line);
  /// True when a text whose first line of code this is can be of this language whatever its name says, if its content
  /// says so, too: PyTorch itself saves graphs as .py. NULL: names count.
  bool (*may_begin)(Str line);
  /// True when a file found by its name is worth reading; NULL: every one is.
  bool (*is_relevant)(Str text);
  /// True when nothing is found in a text that is_relevant(), and it tells nobody anything, unless another file names
  /// what it defines; NULL: there are none.
  bool (*is_passive)(Str text);
  /// Calls `visit` with the name of each function and class that a passive text may define.
  void (*each_definition)(Str text, NameVisitor *visit, void *context);
  /// Calls `visit` with each module that a text may import names of ("pkg.config", ".config"), and again with ".*"
  /// after it for all its names; NULL: texts import nothing.
  void (*each_import)(Str text, NameVisitor *visit, void *context);
  /// What follows the name of a module in its file's path, up to an empty one: ".py"; NULL if it has none.
  const Str *module_endings;

  // The rest is NULL for a language that is recognised and not read yet.
  const LanguageModel *model;
  void (*check)(DiagSink *sink);
  /// Calls `visit` with each comment that may switch rules off, in order.
  void (*each_comment)(const Snapshot *snapshot, CommentVisitor *visit, void *context);
  /// Calls `visit` with each part of the text that a limit left out, in order; offsets are those of the document.
  void (*each_unread)(const Snapshot *snapshot, UnreadVisitor *visit, void *context);
  /// True when there is something of the language in the text, whatever the file is called; NULL: always.
  bool (*has_content)(const Snapshot *snapshot);
  /// Why not all of what the document says can be judged from it, and what to do about that; empty if all of it can.
  Str (*blind_spot)(const Snapshot *snapshot, Arena *arena);
  /// Calls `visit` with what programs printed that a text holds among other things; NULL: it is all such a text.
  void (*each_transcript)(Str text, TranscriptVisitor *visit, void *context);
  /// Fills in what the document tells other files.
  void (*summarize)(const Snapshot *snapshot, WorkspaceFile *file);
  const LanguageFeatures *features;
  const void *dialect;  ///< For the folder of the language alone.
} Language;

/// All languages, in the order in which they are asked about a line; ends with NULL. Defined in server/languages.c.
extern const Language *const languages[];

/// The language of a document: by its content first, then the language id, then the file name, but see goes_by_name. It
/// looks at the first 256 KiB of the text at most. `language_id` and `path` may be empty.
const Language *language_of(const Document *document, Str language_id, Str path);
/// The one that editors and the protocol call so; NULL.
const Language *language_of_id(Str language_id);
/// What so many bytes of its text count for, where work is counted: those of a text that may nest count more. NULL is a
/// text in no language.
size_t language_work(const Language *language, size_t bytes);
/// How many chunks of the document, from its beginning, language_of() may depend on.
uint32_t language_chunks(const Document *document);
/// The path without the ending of a language in `sets`; empty if it has none of them.
Str language_without_ending(Str path, unsigned sets);
/// The language, of those in `sets`, that searches folders for files of this name; NULL for none.
const Language *language_searching(Str path, unsigned sets);
/// True when a file that the language found by its name is worth reading: by is_relevant(), or because its beginning is
/// of another language.
bool language_wants(const Language *language, Str text);
/// True when files of this name belong to the language whatever is in them.
bool language_is_named(const Language *language, Str path);
/// The language that a line tells of by its looks; NULL for most lines of any text.
const Language *language_of_line(Str line);
/// The exporter that documents of a language (NULL: of any) are judged for, and the opset: the target's, but for graphs
/// that only one exporter takes.
Exporter language_exporter(const Language *language, const Target *target);
int language_opset(const Language *language, const Target *target);
