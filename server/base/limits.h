/// Every limit that a text, a folder, a model or an editor may reach, each with its reason and with what happens there.
/// They count bytes, things and work, never time, so that a text reads the same on a busy machine.
///
/// How many things or columns are shown is no limit: such a number stays with what it is about.
///
/// Units:     bytes (BYTE), nodes or evaluations (WORK), else things.
/// Threads:   constants.
/// Sources:   measured with tree-sitter 0.25.1, tests/cli/deep.mjs, the dumps and Python files of torch 1.13 to 2.14;
///            models: protobuf's encoding guide (varints, field numbers) and CodedInputStream (recursion limit);
///            sessions: docs/protocol.md, "Limits", and docs/performance.md.
#pragma once

#include <stddef.h>
#include <stdint.h>

// --- Texts ---

/// Of a document; a larger one is an error. Lines and nodes are counted in 32 bits.
#define DOCUMENT_LIMIT ((size_t)2000 * 1024 * 1024)

enum {
  /// What is looked at to tell a language: a log may begin long before its first graph. Then the name decides.
  SNIFF_BYTE_LIMIT = 256 * 1024,
  SNIFF_LINE_LIMIT = 4000,
  /// Of one of these lines: what tells a language is at its start.
  SNIFF_LINE_BYTE_LIMIT = 4096,

  /// Of a Python file. The largest one of torch 2.14 that mentions ONNX has 1.3 MB. A larger one is said to be unread.
  PY_TEXT_LIMIT = 16 * 1024 * 1024,

  /// Of brackets inside of each other, and of signs before one value: CPython takes no more brackets, and nobody writes
  /// so many signs. What is deeper is left out and said to be unread.
  PY_DEPTH_LIMIT = 200,

  /// Of one parse: this much, and so much more for each byte. Source takes 0.7 to 2 a byte; of 4,900 files of torch,
  /// sympy and others the tables of numbers take most, 4.2 in 30 KB and 2.7 in 500 KB. Garbage takes 20 and more, and
  /// what recovery makes of `for x in y: ` repeated, and a scanner of continued lines, grows with the square of the
  /// text: 35 KB of that fit. An operation takes about a quarter of a microsecond. What is over is said to be unread
  /// (syntax/unread.h).
  PARSE_WORK = 2 * 1000 * 1000,
  PARSE_WORK_PER_BYTE = 8,

  /// Objects and arrays inside of each other in a notebook, whose own nest ten deep. A file that is deeper is read up
  /// to there, which is said.
  NOTEBOOK_DEPTH_LIMIT = 1000,

  /// Levels of the tree of a dump's line; deeper nodes are left out and said to be unread. Types nest five deep.
  DUMP_DEPTH_LIMIT = 64,
  /// A longer text is one line, as chunks are smaller, so it is not tried as a whole first.
  DUMP_WHOLE_LIMIT = 512 * 1024,
  /// Columns of indentation, which is kept in 16 bits. Deeper lines count as if they stood there.
  INDENT_LIMIT = 8000,

  /// Further right a column is not counted in characters: in one long line that would take the square of its length.
  COLUMN_COUNT_LIMIT = 4096,
  /// A longer word is nobody's typing mistake, and the table of nearest_words() grows with the square of this.
  NEAREST_WORD_LIMIT = 63,
};

// --- Facts and settings ---

enum {
  /// Of a baseline, and of a list of files: 200,000 findings or 500,000 paths.
  BASELINE_BYTE_LIMIT = 64 * 1024 * 1024,
  FILE_LIST_BYTE_LIMIT = 64 * 1024 * 1024,
  /// Of one result that is merged with others.
  MERGE_BYTE_LIMIT = 1024 * 1024 * 1024,
  /// Of a file of one's own facts, and of all its texts together. The records built in, of three releases, have 1.2 MB.
  FACTS_BYTE_LIMIT = 32 * 1024 * 1024,
  /// Of one packed operator; unpacking may take 50 times as much.
  FACTS_ENTRY_LIMIT = 1 << 18,
  /// Of a word that a code in a message stands for, so that no message gets out of hand.
  FACTS_WORD_LIMIT = 64,
  /// Versions of runtimes: a set of them is that many bits.
  FACTS_RUNTIME_LIMIT = 32,
  /// Layers of a database, which every look-up goes through.
  FACTS_LAYER_LIMIT = 16,
  /// Files that "db" may name; fewer than layers. The others are left out, which is said.
  FACTS_OVERLAY_LIMIT = 12,
  /// Files of facts whose change is noticed, each with a watch of the system. Of more, a change is not seen.
  FACTS_WATCH_LIMIT = 64,
  /// Of the list of files that crashed the server, which begins anew then, and of one of its lines.
  CRASH_LIST_BYTE_LIMIT = 64 * 1024,
  CRASH_LIST_LINE_LIMIT = 4 * 1024,
  /// Of `.onnxls.json`; larger is an error.
  SETTINGS_BYTE_LIMIT = 1024 * 1024,
  /// Kept of what a program that we run says on each stream: its end, where the reason is.
  RUN_OUTPUT_LIMIT = 16 * 1024,
};

// --- Files of the workspace ---

enum {
  /// Of a file that may pin the torch version; the lock file of a large project has 2 MB.
  REQUIREMENTS_BYTE_LIMIT = 4 * 1024 * 1024,
  /// Bytes of `[a,b]` and `{version = "1"}` after a name.
  REQUIREMENTS_EXTRAS_LIMIT = 1024,
  /// Of what Pipfile.lock says about one package: mostly sums of its files, some 80 bytes each.
  REQUIREMENTS_OBJECT_LIMIT = 8 * 1024,
  /// Of the name of a wheel or another archive.
  REQUIREMENTS_ARCHIVE_LIMIT = 256,
  /// Names in a folder that are looked at for such files, and packages of an environment.
  REQUIREMENTS_ENTRY_LIMIT = 4096,
  /// Files like requirements-*.txt that are read of a folder; the first ones by name.
  REQUIREMENTS_FILE_LIMIT = 16,

  /// Files and folders that are looked at below one folder: a home folder opened by mistake has millions.
  SCAN_ENTRY_LIMIT = 50 * 1000,
  /// Files that are read. torch 2.14 has 2,349 Python files.
  SCAN_FILE_LIMIT = 5000,
  /// Larger dumps count when they are open.
  SCAN_SIZE_LIMIT = 32 * 1024 * 1024,
  /// Bytes that are read in all: some seconds.
  SCAN_TOTAL_LIMIT = 256 * 1024 * 1024,
  /// Text whose syntax `check` keeps from looking at it for others until it is checked itself, instead of parsing it
  /// again: ten times that in memory. All that torch has about ONNX is 2.3 MB.
  SCAN_KEPT_LIMIT = 4 * 1024 * 1024,

  /// Python whose bytes are summed twice, so that what was found in it can be kept: a thirtieth of what parsing it
  /// costs.
  CACHE_FILE_LIMIT = 32 * 1024 * 1024,
  /// The same for dumps and models. To check a byte of these costs no more than to sum it, so only opening one is
  /// saved, and parsing all Python of the workspace: up to the size of that, larger ones are summed, too.
  CACHE_PLAIN_LIMIT = 64 * 1024,
  /// To come back to a model up to this size is half of checking it: its stamp stands for its bytes where they were
  /// checked before, and where not they are read when it is found, so many in all.
  SMALL_MODEL_LIMIT = 4 * 1024,
  EARLY_TOTAL_LIMIT = 4 * 1024 * 1024,
  /// What is kept of one file. More than some hundred findings are not read by anybody twice.
  CACHE_RECORD_LIMIT = 256 * 1024,
  /// What is kept in all: some runs over ten thousand files.
  CACHE_RECORDS = 100 * 1000,
  CACHE_BYTES = 256 * 1024 * 1024,
  /// What shares a list with others (host/short_records.h), and how many do: what was found in a file where nothing is
  /// wrong has 150 bytes, and three times that in the formats that list files.
  CACHE_SHORT_RECORD = 600,
  CACHE_SHORT_RECORDS = 50 * 1000,
  /// Lists of these and of what is known of the files of a tree (host/known_files.h). That of torch's sources has 1 MB.
  CACHE_LISTS = 100,
  CACHE_LIST_BYTES = 64 * 1024 * 1024,

  /// Different operators in the summary of one dump; ATen itself has fewer than this.
  SUMMARY_OPERATOR_LIMIT = 4096,
  /// Places of each that other files are told; the count is of all.
  SUMMARY_PLACE_LIMIT = 50,
  /// Lines of a dump that are searched for modules, which opening it waits for, and graphs and modules of its summary,
  /// which is made again at each edit. A search for symbols does not find others.
  SUMMARY_LINE_LIMIT = 20 * 1000,
  SUMMARY_LANDMARK_LIMIT = 2000,
  /// Calls of other files' functions in the summary of one Python file.
  SUMMARY_CALL_LIMIT = 10000,
  /// Bytes of one constant that others are told, of all of a file, and of a file that is read for them alone.
  CONSTANT_SIZE_LIMIT = 8 * 1024,
  CONSTANT_TOTAL_LIMIT = 32 * 1024,
  CONSTANT_FILE_LIMIT = 256 * 1024,
  /// Operators that one source file defines; torch's own native_functions.yaml has 2,600.
  LIBRARY_OPERATOR_LIMIT = 10000,

  /// Places of functions and uses that one request collects.
  PLACE_LIMIT = 5000,
  /// Definitions of one operator that are offered, and places before it that are compared with a new one.
  DEFINITION_LIMIT = 32,

  /// Tails of a path (`a/b/c.py`, `b/c.py`, `c.py`) that are looked for below a root: each touches the disk.
  PATH_TAIL_LIMIT = 24,
  /// Of a path in a dump: no system takes a longer one.
  PATH_LIMIT = 4096,
};

// --- Diagnostics ---

enum {
  /// Other places of a problem that many nodes have; their number is said.
  GROUP_PLACE_LIMIT = 100,
  /// Diagnostics that comments switch off and that are kept to be shown as such; more are only counted.
  SUPPRESSED_LIMIT = 1000,
  /// Names in one comment; there are fewer rules.
  DIRECTIVE_NAME_LIMIT = 200,
  /// Wrong words in comments for which a right one is looked for; the others are reported without.
  SUPPRESSION_GUESS_LIMIT = 1000,
  /// Comments of ours on one line that turn out to be none: with more, nobody meant us.
  REFUSED_COMMENT_LIMIT = 16,
  /// Of a line that may hold a comment of ours to add to.
  COMMENT_LINE_LIMIT = 4096,
  /// Diagnostics that get actions when much text is selected: a menu of more is read by nobody.
  ACTION_DIAGNOSTIC_LIMIT = 32,
  SUGGESTED_DIM_LIMIT = 64,            ///< Suggested fixes of one message, and calls that are looked at for them.
  SUGGESTED_DIM_VALUE_LIMIT = 160,     ///< Bytes of one, and of what is between the brackets of a call.
  SUGGESTED_DIM_TEXT_LIMIT = 1 << 20,  ///< Bytes of a document that is searched for them on each request.
  /// Edits of one round of fixes, each compared with those before it. What is left over is the next round's.
  FIX_EDIT_LIMIT = 4096,
  /// Rounds until `check --fix` has to come to an end: one fix may make room for another, but none may go in circles.
  FIX_ROUND_LIMIT = 20,
  /// Lines further that both texts of a diff are searched for agreement; the work is its square. Beyond, one hunk.
  DIFF_SEARCH_LIMIT = 400,
};

// --- Graphs ---

/// How far the passes of the exporter are followed. Where it ends, nothing is reported.
enum {
  PASS_CONSTANT_DEPTH = 24,  ///< Of an expression that decides an If or is folded.
  PASS_LIVE_BUDGET = 250,    ///< Values followed from a node towards the graph's outputs that no walk before it met.
  PASS_BODY_BUDGET = 1000,   ///< Lines of a node's body.
  PASS_DATA_BUDGET = 1000,   ///< Values followed from a condition back to the graph's inputs.
  PASS_FOLD_BUDGET = 1000,   ///< Values of one expression.
  PASS_USE_BUDGET = 1000,    ///< Uses of one value.
};

enum {
  /// Arguments of a line that are looked at: a schema has a few dozen at most, a prim::ListConstruct may have
  /// thousands.
  LINE_ARGUMENT_LIMIT = 64,
  /// Of a line that a feature reads again; longer ones are weights that somebody printed. They have a plain hover.
  LINE_VIEW_LIMIT = 256 * 1024,
  /// prim::GetAttr from a value to the module.
  ATTRIBUTE_STEP_LIMIT = 16,
  /// Modules in each other, in the scope of a line. The innermost are left out.
  SCOPE_PART_LIMIT = 32,
  /// Sizes of a tensor that are read; more are shown as an ellipsis.
  DIM_LIMIT = 16,
  /// Of a type that is put into words; a longer one is shown as it is.
  TYPE_TEXT_LIMIT = 4096,
  /// `[]` and `?` after a type.
  TYPE_SUFFIX_LIMIT = 8,
  /// Statements in a row without a module that one after them may take in; more are the attributes of a whole model.
  OUTLINE_WAITING_LIMIT = 40,
  /// Of a line that is read again to say what is wrong with it; a longer one is only said to be wrong.
  DIAGNOSED_LINE_LIMIT = 64 * 1024,
};

/// What is looked at to judge one node. What is beyond is unknown, and nothing is reported of it.
enum {
  VIEW_ARGUMENT_LIMIT = 24,  ///< Arguments.
  VIEW_ELEMENT_LIMIT = 16,   ///< Elements of each.
  VIEW_COPY_DEPTH = 8,       ///< Of casts that a constant went through.
  VIEW_SOURCE_BUDGET = 32,   ///< Values that one is followed back over.
  VIEW_AXES_BUDGET = 64,     ///< Values over which its dynamic axes are followed back.
  VIEW_LIST_USE_LIMIT = 8,   ///< Uses of a list.
  CALL_LIST_LIMIT = 32,      ///< Elements of a list or shape in the text of a call.
  CALL_NUMBER_LIMIT = 48,    ///< Bytes of a number there.
  INPUT_USE_LIMIT = 16,      ///< Uses of an input, of which one has to be converted.
  FOLD_SEARCH_BUDGET = 64,   ///< Values that a node comes of: with more it counts as not folded.
};

/// Of what an edit has done: with more, everything is linked or checked anew, which is cheaper.
enum {
  EDITED_CHUNK_LIMIT = 8,
  CHANGED_NAME_LIMIT = 300,
  CHANGED_LINE_LIMIT = 16,  ///< Of an edit: beyond that, what was read of its lines is read again, not what uses them.
  TRACE_SPAN_LIMIT = 64,    ///< Ranges of lines that a check looked at.
  TRACE_NAME_LIMIT = 4096,  ///< Names that it looked for.
};

/// Of FX graphs.
enum {
  FX_INPUT_LIMIT = 256,        ///< Names of a statement that are looked for in the call after them.
  FX_INPUT_TEXT_LIMIT = 4096,  ///< Bytes of that call.
  FX_BRACKET_LIMIT = 256,      ///< Deeper brackets are counted, and no more compared.
};

/// Of ONNX text.
enum {
  /// Graphs inside of each other: each takes three messages of the 100 that protobuf reads inside of each other, so no
  /// library loads a model that is deeper. What is deeper is left out, which is said.
  ONNX_GRAPH_DEPTH = 33,
  /// Types inside of each other, for the same reason.
  ONNX_TYPE_DEPTH = 50,
  /// Mistakes of one text that are listed.
  ONNX_MISTAKE_LIMIT = 1000,
  /// Statements of one line; the rest of it is plain text.
  ONNX_LINE_PART_LIMIT = 200,
  /// Bytes of a number; a longer one passes.
  ONNX_NUMBER_LIMIT = 400,
  /// Of the header, which is at the beginning; metadata may make it long.
  ONNX_OPSET_SCAN_LIMIT = 64 * 1024,
  /// Of the line before the cursor, for completion; a longer one is none that anybody writes.
  ONNX_COMPLETION_LINE = 64 * 1024,
  /// Imports of a model of which each is looked for in all nodes. Exporters write a handful.
  ONNX_IMPORTS_LOOKED_AT = 64,
  /// A hover in a longer text costs too much, as all of it is followed.
  ONNX_FOLLOW_LIMIT = 4 * 1024 * 1024,
  /// Nodes of one model among which the maker of a value is looked for after its use.
  ONNX_LATER_BUDGET = 2 * 1000 * 1000,
  /// Unknown names of one model that are looked for among its sparse initializers, each in the whole text.
  ONNX_SPARSE_LOOKS = 100,
  /// Nodes of the bodies of functions that are followed, in all calls of one model: functions that call each other
  /// twice
  /// double their work with each level. What comes of calls beyond has no type.
  ONNX_CALL_BUDGET = 1000 * 1000,
  /// Calls inside of each other; onnx refuses deeper ones.
  ONNX_CALL_DEPTH = 100,
  /// Nodes from a value back to the one at which a size became a number; a model has few more on one way.
  ONNX_ORIGIN_STEPS = 10 * 1000,
  /// Of a constant that is followed: more is no shape, no axes and no pads of one.
  ONNX_VALUES_LIMIT = 64,
  /// Dimensions beside batch and channels of a convolution or a pooling.
  ONNX_SPATIAL_LIMIT = 8,
  /// Names of types in one schema.
  ONNX_BOUND_LIMIT = 16,
};

// --- Pasted texts ---

enum {
  WHY_FILE_LIMIT = 1 << 30,           ///< Of a file; a larger one is an error.
  WHY_TEXT_LIMIT = 64 * 1024 * 1024,  ///< Of a longer text the end is read.
  EXPORT_FAILURE_LIMIT = 1 << 20,     ///< After a traceback beside a graph: each check of the graph reads it again.
  WHY_PREFIX_LIMIT = 8,               ///< Prefixes of one line: "> > [rank0]: ".
  WHY_LEARNED_LIMIT = 8,              ///< Prefixes that a text shows by itself, one for each rank or container.
  WHY_CONTAINER_LIMIT = 48,           ///< Of a container's name before "|".
  WHY_HOLE_LIMIT = 12,                ///< Of one message.
  WHY_HOLE_LINE_LIMIT = 1500,         ///< Bytes of {name} and {name.}.
  WHY_HOLE_LONG_LIMIT = 6000,         ///< Bytes of {name*}.
  WHY_MATCH_LIMIT = 24,               ///< Matches of one message; of a log that says it over and over, the first.
  WHY_WORK_PER_BYTE = 64,             ///< Compared bytes for each of the text's, on the average...
  WHY_WORK = 1 << 22,                 ///< ...and that many in any case. Reaching it is said.
};

// --- Answers to an editor ---

enum {
  /// Kept by the server, so that the next answer is a difference: 10 MB. Larger ones are sent whole each time.
  TOKEN_KEEP_LIMIT = 500 * 1000,
  /// Of all statements of a dump, symbols are listed up to here, and up to the second without constants and lists.
  SYMBOL_FULL_LIMIT = 5000,
  SYMBOL_MAIN_LIMIT = 8000,
  /// Symbols of a document: editors draw them as a tree. The deepest levels of a dump go first, and it says so.
  DOCUMENT_SYMBOL_LIMIT = 10000,
  /// Levels of that tree; what is deeper is on the deepest one. Editors and JSON readers recurse.
  OUTLINE_DEPTH_LIMIT = 60,
  /// Ranges around a selection, which nest in the answer.
  SELECTION_RANGE_LIMIT = 60,
  /// Of more folds, the small ones go.
  FOLD_LIMIT = 10000,
  /// Asked at every move of the cursor, so what is far away may be left out.
  HIGHLIGHT_LIMIT = 10 * 1000,
  /// Places of one name. A list of more is of no use to anybody; `onnxls ops` counts.
  REFERENCE_LIMIT = 100 * 1000,
  /// Some editors ask for the hints of whole documents.
  HINT_LIMIT = 20000,
  /// Links of a document, and different files that are looked for on the disk for them.
  LINK_LIMIT = 5000,
  LINK_FILE_LIMIT = 1000,
  /// Lenses of a Python file; each counts uses in the workspace.
  LENS_LIMIT = 5000,
  /// Lines of a dump whose modules have lenses, which are counted anew after every edit; and nodes that are worth one.
  LENS_MODULE_LINES = 20000,
  LENS_MODULE_NODES = 5,
  /// Of a line that is parsed for the type of each value in it.
  LENS_LINE_BYTES = 2000,
  /// Python files that are searched for one class.
  CLASS_FILE_LIMIT = 200,
  /// Callers, or callees, of one function.
  CALL_EDGE_LIMIT = 2000,
  /// Symbols of a workspace, the best first: a client asks again after each character, and nobody reads more.
  WORKSPACE_SYMBOL_LIMIT = 300,
  /// Of what was typed to find them; nothing has so long a name.
  WORKSPACE_QUERY_LIMIT = 200,
  /// Operators that are offered; the answer says that it is incomplete.
  COMPLETION_LIMIT = 100,
  /// Custom operators of the file itself that are offered.
  COMPLETION_CUSTOM_LIMIT = 256,
  /// Signatures of one operator, those that fit first.
  SIGNATURE_LIMIT = 8,
  /// Of a long text, and entries of a long list, that a hover shows.
  HOVER_TEXT_LIMIT = 600,
  HOVER_LIST_LIMIT = 16,
  /// Lines that a report of unsupported operators names for each; it counts all.
  REPORT_LINE_LIMIT = 500,
};

/// Of the Python that is written for an operator.
enum {
  STUB_ARGUMENT_LIMIT = 64,  ///< A call with more of them is not used for it.
  STUB_RETURN_LIMIT = 32,    ///< The same.
  STUB_SHAPE_LIMIT = 8,      ///< Numbers of results that calls differ in.
  STUB_CALL_LIMIT = 64,      ///< Calls that are read; many thousands say nothing new.
  STUB_ELEMENT_LIMIT = 64,   ///< Elements of a list that are looked at to see whether all are constant.
  STUB_NAME_LIMIT = 200,     ///< Bytes of the operator's name.
  STUB_FILE_LIMIT = 100,     ///< Numbers that are tried for a new file's name.
  STUB_PYTHON_LIMIT = 8,     ///< Files with registrations that are offered.
};

// --- Python ---

/// What is looked at to answer one question. Where it ends the answer is "unknown", and nothing is reported.
enum {
  PY_ALIAS_LIMIT = 8,         ///< Names that stand for names.
  PY_STRING_PART_LIMIT = 48,  ///< Parts of a string that is put together: a schema has one a parameter.
  PY_CHAIN_LIMIT = 16,        ///< Parts of `a.b.c`, calls of `a().b().c()`.
  PY_PLAIN_DEPTH = 100,       ///< Levels of what is read without the parser; deeper, the parser reads it.
  PY_NESTING_LIMIT = 200,     ///< Levels around a node. Python itself allows 100 of statements, and 200 of brackets.
  PY_CLIMB_LIMIT = 4096,      ///< The same in a text that is being typed, where brackets of other lines may be open.
  PY_STATE_LIMIT = 65535,     ///< Ways in which places of one file are reached, and values there: what differs from the
                              ///< last few counts.
  PY_LOOP_DEPTH = 8,          ///< Loops in loops in which it is known what names stand for.
  PY_EXPRESSION_DEPTH = 12,   ///< Expressions in expressions, functions that call functions; the same.
  PY_ELEMENT_LIMIT = 256,     ///< Elements of a literal, and statements of a block that is evaluated.
  PY_CALLER_LIMIT = 20,       ///< Calls of a function.
  PY_REBOUND_LIMIT = 300,     ///< Bindings of a name in a function: of one with more nobody asks which is in force.
  PY_CALL_KIND_LIMIT = 8,     ///< Different calls of a helper by the literals that they pass; the others count as one.
  PY_LITERAL_LIMIT = 256,     ///< Bytes of a literal among them.
  PY_RULED_OUT_LIMIT = 8,     ///< Conditions before a place that are known to be false there: the last ones,
  PY_STEADY_NODES = 32,       ///< of so many nodes each.
  PY_CONDITION_LIMIT = 2000,  ///< Bytes of a condition that is searched for words.
  PY_TRACING_WORK = 100000,   ///< Expressions of one method.
  PY_METHOD_NODE_LIMIT = 20000,  ///< Nodes of one method.
  PY_FOREIGN_LIMIT = 16,         ///< Files whose names are known to one that imports them, by way of others, too.
  PY_IMPORT_LIMIT = 400,         ///< Modules that all of these import.
};

/// What of a file is checked or read. The file of torch that registers most, symbolic_opset9.py, does so 328 times.
enum {
  PY_ROW_DEPTH = 2,            ///< Functions that pass on what they are given to one that registers it.
  PY_CALL_ROW_LIMIT = 4096,    ///< Registrations that come of calls of functions which register.
  PY_ROW_LIMIT = 512,          ///< Rows of a table of registrations.
  PY_TABLE_ROW_LIMIT = 16384,  ///< Registrations of a file that tables make; the names of more are not known.
  PY_MAKER_PARAMS = 8,         ///< Parameters of a function that makes symbolic functions: each is looked for in it.
  PY_EXPORT_LIMIT = 300,       ///< Exports that are checked,
  PY_EXPORT_ROW_LIMIT = 64,    ///< and again with rows of tables that loops give them.
  FORWARD_PASS_LIMIT =
      8,  ///< Passes over what a function assigns, while it is found what is returned: one, and one a loop.
  CALLED_NAME_LIMIT = 64,         ///< Layers of a Sequential that a call runs.
  PY_EXPORT_NAME_LIMIT = 256,     ///< Names of inputs, inputs in dynamic_axes, axes of one input.
  PY_KEYWORD_LIMIT = 100,         ///< Arguments of one call that is looked at by names.
  PY_SPREAD_NAME_LIMIT = 16,      ///< Names of dicts that exports are given, as each is looked for in all of the file.
  PY_DIM_STEP_LIMIT = 8,          ///< Operators in `2 * half + 1`.
  PY_DIM_NUMBER_LIMIT = 1 << 30,  ///< Numbers in it: products of two fit into 64 bits.
  PY_EXAMPLE_LIMIT = 64,          ///< Example inputs of one export, axes of one of them, dimensions with a name.
  PY_OPEN_AXIS_LIMIT = 24,        // Axes that a set of bits tells of, with room for a rank above them.
  PY_MIGRATION_FUNCTION_LIMIT = 8,  ///< That one fix translates: a symbolic one and helpers.
  PY_MIGRATION_PART_LIMIT = 16,     ///< Of a Split that becomes slices.
  PY_SHAPE_INPUT_LIMIT = 16,        ///< Inputs whose axes are tried with other sizes.
  PY_SHAPE_RANK_LIMIT = 8,          ///< Axes of a tensor that is followed through forward().
  PY_SHAPE_NAME_LIMIT = 200,        ///< Names in one function there; later ones are not followed.
  PY_SHAPE_CALL_DEPTH = 6,          ///< Modules in modules there.
  PY_SHAPE_TURN_LIMIT = 64,         ///< Turns of a loop over modules.
  PY_MODULE_ITEM_LIMIT = 24,        ///< Places where a list of modules gets one,
  PY_MODULE_LIST_LIMIT = 32,        ///< and lists that are looked into for them: one may hold another many times.
  PY_MADE_LIST_LIMIT = 40,          ///< Elements of a list of numbers there.
  PY_BUILT_PART_LIMIT = 160,        ///< Modules of a list that a loop fills,
  PY_BUILD_WORK = 2000,             ///< statements that are run for that, and
  PY_MADE_NAME_LIMIT = 24,          ///< names that are followed on the way.
  PY_OWN_NAME_LIMIT = 80,           ///< Bytes of `self.layers`.
  PY_MADE_MODEL_LIMIT = 64,         ///< Models of a file that onnx.helper puts together,
  PY_MADE_NODE_LIMIT = 4096,        ///< elements of one of their lists,
  PY_MADE_GRAPH_DEPTH = 4,          ///< graphs in their attributes, and
  PY_MADE_WORK = 400000,            ///< expressions that are looked at for all of that.
  PY_REGISTRATION_LIMIT = 2000,     ///< With more of them, nobody compares each with all others.
  PY_FUNCTION_NAME_LIMIT = 16,      ///< Operators that one function is checked against.
  PY_METHOD_LIMIT = 500,            ///< autograd.Functions that are checked.
  PY_DOMAIN_LIMIT = 64,             ///< Different domains; with more, none is reported as missing.
  PY_CUSTOM_OP_LIMIT = 500,         ///< Operators of custom domains that are compared with each other.
  PY_CONFLICT_LIMIT = 200,          ///< How often the operators of an ONNX Script function are looked at.
  PY_GUESS_LIMIT = 100,      ///< Wrong names for which a right one is looked for; the others are reported without.
  PY_IDLE_LIMIT = 16,        ///< Functions that register something and are looked for in all of their file.
  PY_HEAD_FIX_LIMIT = 100,   ///< Offers to add @parse_args in a file, of functions up to
  PY_HEAD_FIX_NODES = 2000,  ///< so many nodes and
  PY_HEAD_FIX_PARAMS = 32,   ///< parameters, as each looks through the whole function.
  PY_CANDIDATE_LIMIT = 64,   ///< Attributes of one operator that a wrong one is compared with.
  PY_SPELLING_LIMIT = 256,   ///< Bytes of an operator's name that has a second spelling.
};

/// Of a text that is being typed in, which is read again at each character.
enum {
  PY_CURSOR_LIMIT = 512 * 1024,  ///< Bytes of the statement with the cursor; in a longer one there is no help.
  PY_AROUND_LIMIT = 48 * 1024,   ///< Bytes of the statements beside it that are parsed with it, for their names.
  PY_PIECE_LIMIT = 4 * 1024,     ///< Bytes of a function among them.
  PY_ARGUMENT_LIMIT = 4096,      ///< Of one call; who writes more gets no help.
  PY_INSERTION_LIMIT = 256,      ///< Brackets and quotes that are put in to make it whole.
};

// --- Binary models ---

/// Of reading a model. One that reaches a limit gets a message that says so.
enum {
  /// The outermost message and 100 inside of each other: what protobuf reads in C++ and Python, so no library that
  /// loads models goes deeper.
  MODEL_DEPTH = 101,
  /// Of a varint: 64 bits need no more, and protobuf takes no more.
  MODEL_VARINT_BYTES = 10,
  /// Of a file that protobuf reads at all; a larger one is shown all the same, with a comment.
  MODEL_PROTOBUF_BYTES = INT32_MAX,
  /// Of a varint that says which field follows: protobuf reads 32 bits.
  MODEL_KEY_BYTES = 5,
  /// Children of one message, such as the nodes of a graph. Each costs 24 bytes while its message is printed; the
  /// largest
  /// models that people export have some 300,000 nodes.
  MODEL_CHILDREN = 8 * 1000 * 1000,
  /// What is looked at in one go. Also the longest piece of a string that is in memory.
  MODEL_WINDOW = 256 * 1024,
  /// What is read after a jump. Between two weights lie some hundred bytes.
  MODEL_JUMP_READ = 4 * 1024,
  /// A longer string of an attribute is left out unless everything is asked for: it is a compiled engine or a
  /// vocabulary.
  MODEL_STRING_SHOWN = 4 * 1024,
  /// Values of a tensor that are shown unless the caller says otherwise: shapes, axes and scales are whole, weights are
  /// not.
  MODEL_VALUES_SHOWN = 16,
  /// The same of whole numbers of 32 and 64 bits: as many as are followed (ONNX_VALUES_LIMIT).
  MODEL_SIZES_SHOWN = 64,
  /// Of numbers beside the text that only help to read it, such as what the bits of float16 mean.
  MODEL_VALUES_EXPLAINED = 16,
  /// Bytes or packed numbers in a comment; more are counted.
  MODEL_COMMENT_VALUE = 64,
  /// Lines of a comment on one thing, such as a documentation or a training graph.
  MODEL_COMMENT_LINES = 2000,
  /// Of the name of a file with weights; a longer one is not looked for.
  MODEL_LOCATION_LIMIT = 1024,
  /// Gigabytes of values in other files that are read for their hashes; a comment says so of the rest.
  MODEL_HASHED_GB = 64,
  /// Kinds of fields that are not known and that the text lists by number.
  MODEL_UNKNOWN_LISTED = 16,
  /// The text is handed on in pieces of this size.
  MODEL_TEXT_PIECE = 256 * 1024,
  /// Of the text that an editor opens. VS Code opens no more, and others become slow.
  MODEL_EDITOR_TEXT = 50 * 1024 * 1024,
};

// --- Comparing graphs ---

enum {
  /// Users of a value that are compared one by one. Those of a value with more are known by other neighbours.
  DIFF_USER_LIMIT = 64,
  /// How often parts that are known by their neighbours lead to others. A run of so many changed nodes is followed.
  DIFF_PLACE_ROUNDS = 4,
  /// Parts that were removed, or added, on the way from a use to a value that is still there.
  DIFF_BYPASS_LIMIT = 64,
  /// Graphs that nodes name and that a printable graph may bring next. One that is none of these has no known node.
  INNER_GRAPH_SEARCH_LIMIT = 256,
  /// Graphs around one that are searched for what a name means. Beyond it is a value that nothing defines.
  INNER_GRAPH_DEPTH_LIMIT = 64,
};

// --- Pictures ---

enum {
  /// Ranks that an edge is drawn over; a longer one is a stub at both ends. In an exported model of 2,000 nodes shapes
  /// and tables that all layers use would otherwise take a hundred times more points than there are nodes.
  LAYOUT_SPAN_LIMIT = 40,
  /// Places and links that all sweeps of a step look at; two sweeps are made in any case. Graphs of up to 10,000 nodes
  /// get every sweep.
  LAYOUT_WORK = 1000 * 1000,
  /// Nodes and edges that all exchanges look at which make ranks shorter: a picture of 600 nodes needs a third of it.
  LAYOUT_RANK_WORK = 4 * 1000 * 1000,
  /// Nodes and edges of all drawings that are kept to be looked up: about 20 MB.
  LAYOUT_MEMO_LIMIT = 200 * 1000,
  /// Cards of one picture, but for its ports: more is no picture any more, and slow to move. What a scope has beyond
  /// this is put into runs of PICTURE_RUN nodes that open like modules.
  PICTURE_CARD_LIMIT = 600,
  PICTURE_RUN = 400,
  /// Values that come into a scope, and values that leave it, with a card of their own.
  PICTURE_PORT_LIMIT = 60,
  /// Nodes around a line.
  PICTURE_AROUND_LIMIT = 60,
  /// What a search lists.
  PICTURE_FOUND_LIMIT = 200,
};

// --- Messages and sessions ---

/// The largest body that is taken unless the user says otherwise.
#define FRAME_LIMIT ((size_t)512 * 1024 * 1024)

enum {
  LIFT_DEPTH_LIMIT = 1000,         ///< Nested objects and arrays of one message.
  LIFT_VALUE_LIMIT = 1000 * 1000,  ///< Elements and members of one message.
};

/// Of a session. One that is reached is said once (client_say_limit()).
enum {
  // What waits.
  REQUEST_LIMIT = 1000,            ///< Open requests from which on reading pauses: more than any editor asks at once.
  OUTPUT_HIGH = 64 * 1024 * 1024,  ///< To send, from which on nothing new is begun: a few answers about a large dump...
  OUTPUT_LOW = 16 * 1024 * 1024,   ///< ...until it is down to this.
  WANTED_FILE_LIMIT = 20000,       ///< Places that modules of one session are looked for at: most have no file.
  CHANGED_FILE_LIMIT = 1000,       ///< Files and folders that changed, in one scan: the next one begins sooner.

  // What runs at once.
  JOB_LIMIT = 2,         ///< Requests on the pool: analysis and checks need it, too.
  ANALYSIS_THREADS = 4,  ///< Of one document.

  // What runs on the loop; everything else is for the pool.
  LOOP_BYTES = 256 * 1024,  ///< The most that anything there looks at: some 10 ms where reading is slowest.
  TANGLED_WEIGHT = 8,  ///< What a byte counts for where brackets may nest: 40 KB of `[` take 0.1 s, and dumps a tenth.
  INLINE_BYTES = 96 * 1024,  ///< New text that is read there: a little more than one chunk.
  CHECK_BYTES = 64 * 1024,   ///< What rules may look at there, and features that look at everything.
  FOUND_BYTES = 256,         ///< What a diagnostic counts for, where checking costs what is found: about its JSON.

  // Files that are read for a request.
  CLOSED_FILE_LIMIT = 4 * 1024 * 1024,  ///< That no editor has open: larger than any symbolic_opset*.py by far.
  EDITED_FILE_LIMIT = 4 * 1024 * 1024,  ///< That an action edits.

  /// Text that is checked to say what other targets would change: one of 2 MB against the 40 that there are, in a
  /// second.
  TARGET_CHOICES_LIMIT = 80 * 1024 * 1024,

  FACTS_ROUNDS = 3,  ///< How often facts are read again that change while they are read.
};
