/// One call of torch.onnx.export(), as the rules about exports see it. Private to rules/.
///
/// Ownership: lives while the call is checked; lists in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    0 and PY_ABSENT where something is not given or not known.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.export of torch 1.13, 2.6 and 2.14; facts/export_api.h.
#pragma once

#include "base/limits.h"
#include "core/workspace_models.h"
#include "python/rules/python_edit.h"

typedef struct ExportCall {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  const PyCall *call;
  ExportKind kind;
  bool says_dynamo;                    ///< `dynamo=True` or `dynamo=False` is written there.
  bool is_capture;                     ///< Of torch.export.export() and its like; see export_capture().
  bool is_draft;                       ///< Of torch.export.draft_export(), which captures what it has to guess.
  bool is_exported_program;            ///< The model is one.
  const struct ExampleInputs *inputs;  ///< What the model is called with; set by the caller.
  const struct ModuleParts *parts;     ///< Of the file; set by the caller.
  int *guesses;      ///< How often names that were meant were looked for in this file; set by the caller.
  bool *translated;  ///< By function: what stands in it was looked at as a translation function; set by the caller.
} ExportCall;

/// How many exports rules look at: after those of PyModel.exports each comes again with the values that a row of a
/// table, or a call of the function around it, gives its names.
size_t export_call_count(const PyModel *model);
/// The i-th of them.
ExportCall export_call(DiagSink *sink, size_t i);
/// A call of torch.export.export() and its like, of which only the model and its inputs are looked at. False if the
/// call is none.
bool export_capture(DiagSink *sink, const PyCall *call, ExportCall *ret_export);
/// The argument of that name, by keyword or by the position that it has in one of the file's torch versions; NULL.
const PyArgument *export_argument(const ExportCall *export, const char *name);
/// Whether it is given, or may be in what the call spreads.
bool export_may_have(const ExportCall *export, const char *name);
/// py_model_resolve(), also of what a function or method of the file returns at its only `return`.
PyRef export_resolve(const PyModel *model, PyRef node);
/// `Net()` of what stands for `Net().eval().to(device)`; what can't be taken apart as it is.
PyRef export_module_made(const PyModel *model, PyRef node);
/// The same of a name that is bound again by `model = model.half()` and the like, be it in a branch.
PyRef export_model_made(const PyModel *model, PyRef node);
/// What the argument stands for (export_resolve()); 0 if it is not given, or is None.
PyRef export_value(const ExportCall *export, const char *name);
/// The opset that the call names, or that its command line has by default: `args.opset`. 0 if it is not known.
int export_opset(const PyFile *file, const PyCall *call);
/// The number that `args.opset` is by default; 0 for other expressions.
PyRef export_default_number(const PyModel *model, PyRef node);
/// Whether all of the file's torch versions come from `major.minor` on.
bool export_torch_is_from(const PyFile *file, uint16_t major, uint16_t minor);

/// The model that is exported, as far as the file shows how it is made.
typedef struct ExportModel {
  PyRef node;                    ///< The call that makes it; 0 if unknown.
  const PyCall *made;            ///< The same.
  Str torch_class;               ///< "Linear" of torch.nn.Linear; empty.
  uint32_t forward;              ///< The method of a class of this file; PY_ABSENT.
  PyRef class_node;              ///< Of that class.
  const WorkspaceParam *params;  ///< Of forward() after self, also if another file has the class.
  size_t param_count;
  bool has_params;  ///< They are known.
} ExportModel;

ExportModel export_model(const ExportCall *export);
/// What runs with the example inputs where that is scripted, or traced: the module that torch.jit.script() is given.
/// Else the model itself.
ExportModel export_model_run(const ExportCall *export, const ExportModel *made);
/// The parameters of a method after self, in the arena.
const WorkspaceParam *export_params(const PyModel *model, uint32_t method, Arena *arena, size_t *ret_count);
/// A module of PyTorch with one input, `input`, and one output.
typedef struct ExportModuleFact {
  const char *name;
  int weights;        ///< Parameters without the bias.
  int bias_position;  ///< Of the argument `bias` of the constructor; 0 if there is none.
} ExportModuleFact;

/// How many parameters and buffers a sequence of layers, or a model of the file, has at most; -1 if that is not known.
int export_most_parameters(const ExportCall *export, const ExportModel *made);
/// NULL if the model is no such module.
const ExportModuleFact *export_module_fact(const ExportModel *made);
/// The class of torch.nn.Module of this file that a name stands for in a function; 0 for none.
PyRef export_class_named(const PyModel *model, uint32_t scope, PyRef name);
/// The same of what a call makes an object of; 0 also for NULL.
PyRef export_class_made(const PyModel *model, const PyCall *call);
/// The forward() of the class of which the expression makes an object: `Block()`; PY_ABSENT.
uint32_t export_forward_made(const PyModel *model, PyRef made);
/// The method that a class defines itself, once and without a decorator but @staticmethod; PY_ABSENT.
uint32_t export_method_named(const PyModel *model, PyRef class_node, Str name);
/// The same, also of the class that it alone derives from, if that is in the file.
uint32_t export_method_of(const PyModel *model, PyRef class_node, Str name);
/// `@torch.jit.script` of a function.
bool export_is_scripted(const PyModel *model, uint32_t function, Arena *arena);
/// The class of this file that a class derives from, and from nothing else; 0.
PyRef export_base_of(const PyModel *model, PyRef class_node);
/// Is the expression a class of torch.nn.Module itself, not one of its objects?
bool export_is_module_class(const ExportCall *export, PyRef node);
/// Whether a class of the file has no base that an exporter may know, and nothing in the file registers one.
bool export_is_unknown_class(const PyModel *model, PyRef class_node);
/// The same of one that derives from a list or dict of Python, which torch.export does not look into then.
bool export_is_unknown_container(const PyModel *model, PyRef class_node);
/// Whether the expression makes an object of that, or another one that torch.export takes for no input: a set, a
/// device. Run with torch 2.6 and 2.14.
bool export_is_uncaptured_object(const PyModel *model, PyRef node);
/// Whether the expression makes an object of such a class, which nothing decorates.
bool export_is_unknown_object(const PyModel *model, PyRef node, Arena *arena);
/// How many inputs forward() wants at least; 0 if that is not known.
uint32_t export_required_inputs(const ExportModel *made);

/// The call of torch.randn() and the like that makes the expression; NULL if there is none.
const PyCall *export_tensor_call(const PyModel *model, PyRef node);
/// "FloatTensor" of torch.FloatTensor(1, 3), which takes sizes or data.
bool export_is_tensor_class(Str name);
/// Whether the expression is surely a tensor: made by such a call, or computed of one.
bool export_is_tensor(const PyModel *model, PyRef node);
/// Whether what is given as example inputs is `(1, 3, 224, 224)`: the shape of one, which has a message of its own.
bool export_is_shape(const ExportCall *export, PyRef value);
/// How many tensors the model is called with; -1 if that is not known.
int export_input_count(const ExportCall *export);

/// How many outputs it has; -1 if that is not sure. Asks for `export->parts`.
int export_output_count(const ExportCall *export, const ExportModel *made);

/// By class of the file: may one of the exports reach it that are not of the kind `without`? It lies in the sink's
/// arena.
const bool *export_reached_classes(DiagSink *sink, ExportKind without);

/// input_names or output_names.
typedef struct ExportNames {
  PyRef node;  ///< 0 if not given.
  bool is_known;
  Str items[PY_EXPORT_NAME_LIMIT];
  PyRef nodes[PY_EXPORT_NAME_LIMIT];
  size_t count;
} ExportNames;

/// What is given as that argument, "input_names" or "output_names".
void export_read_names(const ExportCall *export, const char *argument, ExportNames *ret_names);
/// Whether it is one of the first `count`.
bool export_has_name(const ExportNames *list, size_t count, Str name);
/// Reports names of outputs that a model with so many of them has not; -1 for an unknown number.
void export_check_output_count(const ExportCall *export, const ExportModel *made, const ExportNames *outputs,
                               int count);

/// What the torch versions of the file do with an argument.
typedef struct ExportAcceptance {
  bool is_taken, is_swallowed, is_refused;  ///< By one of them.
} ExportAcceptance;

/// `argument` NULL is one that no version has.
ExportAcceptance export_acceptance(const PyFile *file, const PyExportArgument *argument);
/// Whether a statement of somebody's own surrounds the export, `with RewriterContext():`, that has `word` in its text.
bool export_is_in_context(const ExportCall *export, Str word);
/// A literal such as "0" or 0.0 as an int; empty if it is none.
Str export_int_meant(const ExportCall *export, PyRef node);

// --- The rules about parts of a call ---
void export_check_axes(const ExportCall *export, const ExportModel *made, const ExportNames *inputs,
                       const ExportNames *outputs);
void export_check_arguments(const ExportCall *export);
/// A model that torch.ao.quantization has made.
void export_check_quantized(const ExportCall *export);
/// args=[x]
void export_check_args_list(const ExportCall *export, const ExportModel *made);
/// How many arguments forward() takes by position; `*args` counts as many.
void export_arity(const ExportModel *made, uint32_t *ret_required, uint32_t *ret_most);
/// Arguments that the exporter that is taken does not look at, and models that it does not take.
void export_check_exporter(const ExportCall *export, const ExportModel *made);
/// custom_translation_table.
void export_check_table(const ExportCall *export);
/// What a function of that table does, once; `schema` NULL if it is not known for what it stands.
void export_check_translation(const ExportCall *export, uint32_t index, const TorchOverload *schema);
/// That the first argument is a module.
void export_check_model(const ExportCall *export);
/// The types of arguments, those that are missing, and those that are in each other's place.
void export_check_types(const ExportCall *export, const ExportModel *made);
void export_check_defaults(const ExportCall *export);
/// `with torch.no_grad:` around an export.
void export_check_contexts(DiagSink *sink, PyRef node);
/// What is asked of the None that the TorchScript exporter gives.
void export_check_program(const ExportCall *export);
/// What goes by the parameters of forward(): the example inputs, dynamic_shapes, sizes on the axes of dynamic_axes.
void export_check_inputs(const ExportCall *export, const ExportModel *made, const ExportNames *names);
/// How many axes the example of that input has; -1 if that is not known.
int export_rank_of_input(const ExportCall *export, const ExportNames *inputs, Str name);
