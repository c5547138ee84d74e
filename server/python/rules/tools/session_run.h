/// One call of a method of a session, as the rule about sessions sees it. Private to rules/.
///
/// Ownership: lives while the call is checked; messages in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not known is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   run with ONNX Runtime 1.21 and 1.23, and models of torch 2.6 and 2.14.
#pragma once

#include "python/rules/export/example_inputs.h"
#include "python/rules/tools/session_model.h"
#include "python/rules/written_items.h"

/// One `session.run(outputs, feed)`.
typedef struct Run {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  const PyCall *call;
  ExportCall export;  ///< What wrote the model...
  bool has_export;    ///< ...if the file shows that.
  ExportModel made;
  ExportNames inputs, outputs;
  int input_count;  ///< -1 if it is not known.
} Run;

void session_say(const Run *run, PyRef node, Str message, const Fix *fix);
bool session_is_string(const Run *run, PyRef node, Str *ret_text);
/// Whether it is `session.get_inputs()[0]` or `session.get_outputs()[0]`, which has a name and is none.
bool session_is_node(const Run *run, PyRef key);
/// Reads the names of a model whose export is known.
void session_find_names(Run *run);
/// Whether all inputs of the model have names that are known.
bool session_has_input_names(const Run *run);
/// What is wrong with giving the model an input of that name; NULL.
const char *session_wrong_name(const Run *run, Str name);
/// What the session makes of an array that is given for an input; `example` is that of the export, or NULL. True where
/// it said something.
bool session_check_value(const Run *run, const ExampleInput *example, Str name, PyRef value);
/// Whether the value is a tensor of torch: `torch.randn(3)` and `x.to(device)`, also by a name or of a loop. Arrays
/// have many of the methods that tensors have.
bool session_is_tensor(const PyModel *model, PyRef value);
/// The example of the input that the model has at that place, after those that are left out; NULL.
const ExampleInput *session_example_at(const Run *run, int place, Str *ret_name);
/// That of the input that a key of a feed names; NULL.
const ExampleInput *session_example_of(const Run *run, PyRef key, Str *ret_name);
/// How many inputs the model has when the TorchScript exporter has left out those that nothing uses.
int session_inputs_left(const Run *run);
/// Inputs that no key gives. The dynamo exporter keeps all; the TorchScript exporter leaves out what nothing uses.
void session_check_missing(const Run *run, PyRef feed, const WrittenItems *keys);
/// `dict((name, x) for ...)`
bool session_is_dict_of_turns(const Run *run, PyRef node);
/// A feed that a comprehension makes.
void session_check_turns(const Run *run, const PyArgument *argument, PyRef node);
/// A feed of which a loop sets the only key: `for i, x in enumerate(session.get_inputs()): feed[x.name] = arrays[i]`.
void session_check_loop(const Run *run, const PyArgument *argument, PyRef loop, PyRef key, PyRef value);
/// What run() of a session is given whose model the file makes with onnx.helper.
void session_check_made(const Run *run, const PyCall *session, const PyArgument *feed);
/// What run() is given.
void session_check_feed(const Run *run, const PyArgument *argument);
/// What stands in the brackets of `session.get_inputs()[0]`, which the call is; 0.
PyRef session_number_picked(const Run *run);
/// The number, or the last one that a comprehension over a range() gives the name; -1.
int64_t session_largest(const Run *run, PyRef number);
/// `session.get_inputs()[2]` of a model with two.
void session_check_numbered(const Run *run);
