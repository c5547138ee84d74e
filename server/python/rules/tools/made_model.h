/// Models that are put together by onnx.helper.make_model(), written down as ONNX text, which the rules of ONNX text
/// then judge. Private to rules/.
///
/// What is not known of a node makes it one of a domain that nobody knows; where it is not known which nodes there are,
/// or what goes into them, there is no text.
///
/// Ownership: texts lie in the buffers of a MadeModel; made_model_done() frees them.
/// Units:     places are bytes of the text; nodes are those of the model.
/// Errors:    false for what can't be written down.
/// Threads:   pure.
/// Sources:   onnx/helper.py and onnx/numpy_helper.py of onnx 1.12 to 1.20.
#pragma once

#include "base/buffer.h"
#include "core/diagnostic_sink.h"
#include "python/model/python_model.h"

/// The domain of nodes of which not all is known.
#define MADE_UNKNOWN "made.unknown"

/// An expression, and the model as the call sees it in which it stands.
typedef struct MadeItem {
  const PyModel *model;
  PyRef node;
  PyRef written;  ///< Where the list has it that it was taken from; else 0.
} MadeItem;

typedef Vec(MadeItem) MadeItems;

/// What a piece of the text was made of.
typedef struct MadePlace {
  uint32_t start, end;
  PyRef node;
  bool is_unknown;  ///< Not all of it is known, so nothing is said of it.
  bool is_result;   ///< What an output of the model, or of a node in its graph, is declared as: a session corrects it.
} MadePlace;

typedef struct MadeModel {
  Buffer text;
  Vec(MadePlace) places;  ///< Those around others come after them.
  int64_t opset;          ///< 0 if the file doesn't say.
} MadeModel;

/// What all texts of one file share.
typedef struct MadeWork {
  Arena *arena;
  uint32_t nodes;  ///< How many were looked at.
} MadeWork;

typedef struct Maker {
  MadeWork *work;
  MadeModel *made;
  int depth;
  bool has_imports;  ///< The domains of the model are known.
} Maker;

/// Writes the model of a call of make_model() or check_graph(); `opset` is for one that does not say.
bool made_model_write(MadeWork *work, const PyModel *model, const PyCall *call, int64_t opset, MadeModel *ret_made);
void made_model_done(MadeModel *made);
/// Whether the file changes models, or parts of them, after they were made.
bool made_models_are_changed(const PyModel *model);
/// Reports what is wrong with the models of the file, and notes by node which calls were judged with one.
void made_models_check(DiagSink *sink, bool *judged);

// --- For the files of it ---

/// What an expression stands for where it is used: as py_model_resolve(), and of names that are bound several times.
MadeItem made_resolve(MadeItem item);
/// The same, also by way of functions of the file.
MadeItem made_followed(MadeWork *work, MadeItem item);
/// The call of that function of onnx which the expression is; NULL.
const PyCall *made_call(MadeItem item, const char *function);
/// `item` of the model, by position or keyword; `node` is 0 if it is not given.
MadeItem made_argument(MadeItem call, uint32_t position, const char *keyword);
/// Adds what a list holds where it is used, also by append() and its like before that. False if that is not known.
bool made_list(MadeWork *work, MadeItem list, MadeItems *items);
bool made_graph(Maker *maker, const MadeItem *call);
/// ` <axis: int = 1>`, of all keyword arguments; false if not all are known, and nothing is written.
bool made_attributes(Maker *maker, MadeItem call);
/// `float[2,3] name = {}`, of make_tensor() and from_array(); false if its type is not known. Ends a line if that has
/// to say something of the values. `*ret_note` is what has to be said at the end of the line.
bool made_tensor(Maker *maker, MadeItem tensor, Str name, Str *ret_note);
/// The element type of what from_array() is given.
bool made_array_element(const Maker *maker, MadeItem tensor, Str *ret_word);
bool made_element(const Maker *maker, MadeItem item, Str *ret_word);
/// `: ints = [1, 2]`, of an attribute with the suffix of g.op(), "i"; false if it is not known.
bool made_suffixed(Maker *maker, MadeItem value, Str suffix);
/// `float[2,3]`, and `name =` if there is one.
void made_type(const Maker *maker, Str word, const int64_t *sizes, int rank, Str name);
/// ` {1, 2}`, or in `*ret_note` that they are left out.
void made_data(const Maker *maker, MadeItem values, Str word, int64_t count, Str *ret_note);
/// Where a diagnostic of the text belongs; NULL for where nothing is to be said.
const MadePlace *made_place_at(const MadeModel *made, Range range);
/// What the rules say of a text; `name` says whether a program printed it.
DiagnosticList made_diagnose(const DiagSink *sink, Str text, Str name);
/// `"name"`
void made_quote(Buffer *text, Str name);
