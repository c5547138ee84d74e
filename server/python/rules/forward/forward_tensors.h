/// What is surely a tensor in forward(), and what an export surely runs of it. Only what is annotated so, what PyTorch
/// makes of that or of other parameters, and what an export gives a tensor for counts. Private to rules/.
///
/// Ownership: a Forward belongs to who checks one method.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure is not a tensor.
/// Threads:   as DiagSink.
/// Sources:   torch.Tensor's methods and torch's functions.
#pragma once

#include "python/rules/export/export_call.h"
#include "python/rules/module/module_items.h"

/// What a parameter gets: a size that is a tensor in a trace, and one that dynamic_axes leaves open.
enum { FORWARD_SIZE_TRACED = 1, FORWARD_SIZE_OPEN = 2 };

/// What forward_result.c found of a function.
typedef struct ForwardResults ForwardResults;

/// What the TorchScript exporter has functions for, as far as the whole file decides it: traced_support.h.
typedef struct TracedSupport TracedSupport;
/// What is known of a file's attributes: traced_weights.h.
typedef struct TracedWeights TracedWeights;

/// The forward() that is looked at.
typedef struct Forward {
  DiagSink *sink;
  const PyModel *model;
  uint32_t function;
  uint32_t names[PY_EXPRESSION_DEPTH];  ///< First bindings of the names that are being looked at: `x = x + 1` asks for
                                        ///< itself.
  int name_count;
  const bool *tensor_params;   ///< By PyModel.params: an example input is a tensor; NULL for none.
  const bool *tensor_results;  ///< By function: what it gives is a tensor; NULL for none. See exported_code.h.
  const ModuleParts *parts;    ///< Of the file.
  const bool *mask_params;     ///< By PyModel.params: an example input is a tensor of bools; NULL for none.
  const bool *flag_params;     ///< By PyModel.params: an export gives it True or False; NULL for none.
  const uint32_t *open_axes;   ///< By PyModel.params: the axes that dynamic_axes names; NULL for none.
  const uint8_t *size_params;  ///< The same: FORWARD_SIZE_..., of parameters that get sizes.
  bool has_own_tensors;        ///< Parameters and buffers of the model and what torch.zeros() and the like make count,
                               ///< too: their values are not known to an export.
  bool has_dynamic_axes;       ///< An export leaves sizes open.
  bool is_traced;              ///< The TorchScript exporter runs it: of a torch.autograd.Function it takes symbolic().
  bool is_evaluated;           ///< The exporter sets self.training to False, as every export leaves that to it.
  bool is_captured;            ///< torch.export runs models of the file, too, and says what fails in both.
  bool is_for_onnx;  ///< The file has to do with ONNX: a program that is captured otherwise may be for something else.
  bool sets_validation;          ///< The file may tell distributions of torch not to ask for values.
  bool has_translations;         ///< An export may be given functions of its own for operators.
  const TracedSupport *support;  ///< NULL where nobody asks.
  TracedWeights *weights;        ///< The same.
  ForwardResults *results;       ///< Of one function, in the sink's arena; NULL before somebody asks.
  int steps;                     ///< How many expressions may still be looked at.
} Forward;

/// Whether an export gives this parameter a tensor, by PyModel.params. `*args` gets a tuple, whatever is in it.
bool forward_gets_tensor(const Forward *forward, uint32_t param);
/// `depth` is PY_EXPRESSION_DEPTH for who asks from outside.
bool forward_is_tensor(Forward *forward, PyRef node, int depth);
/// The same where parameters and buffers of the model and what torch.zeros() and the like make count, too: what they
/// are given, or is written into them, is part of a trace.
bool forward_is_own_tensor(const Forward *forward, PyRef node);
/// Whether it is made of a parameter of forward() that an export gives, whatever that is: the name, a part of it, a
/// method's result, a list that begins with it.
bool forward_comes_from_input(Forward *forward, PyRef node);
/// Whether a condition asks if this is an export, or training: `torch.onnx.is_in_onnx_export()` and the like.
bool forward_asks_about_export(Str condition);
/// Whether the node is run only outside of an export, or made for it.
bool forward_is_conditional(Forward *forward, PyRef node);
/// any(t), all(t), sorted(t): functions of Python that ask tensors for their truth.
bool forward_asks_truth(Forward *forward, const PyCall *call);
bool forward_has_tensor_argument(Forward *forward, const PyCall *call);
/// random.random(), numpy.random.rand(): numbers that Python draws.
bool forward_draws_numbers(const PyCall *call);
/// What a call runs, if that stands in the file: `self.norm(x)`, `self.block(x)` with `self.block = Block()`, a method
/// of that, `norm(x)`. The first `*ret_skip` parameters are not given by arguments. PY_ABSENT if it is not known.
uint32_t forward_called(const Forward *forward, const PyCall *call, uint32_t *ret_skip);
/// The x of `self.x` in a method; empty for other expressions.
Str forward_own_name(const Forward *forward, PyRef node);
/// The method that `self.x` runs, a plain @property with one return; PY_ABSENT for other expressions.
uint32_t forward_property(const Forward *forward, PyRef node);
/// What `self.x` is; 0 if that is not known.
PyRef forward_own_part(const Forward *forward, PyRef node);
/// `x.data` of a tensor, but for what it says of itself: x.data.shape.
bool forward_takes_data(Forward *forward, PyRef node);
/// What `for name in ...` and `for i, name in enumerate(...)` go over, and zip() and comprehensions; 0 for other names.
/// `node` is where the name is bound.
PyRef forward_looped_over(const Forward *forward, PyRef node);
/// What the modules are of which a loop makes the name one: `layer` of `for layer in self.layers`. False for others.
bool forward_looped_items(const Forward *forward, PyRef name, ModuleItems *ret_items);
/// How a name is bound, if the function does that and only once; NULL for other names, and for what is none.
const PyBinding *forward_only_binding(const Forward *forward, PyRef node);
/// The same of a name that the function binds several times, as it is at that place.
const PyBinding *forward_binding_in_force(const Forward *forward, PyRef node);
/// What the loop goes over that alone binds the name; 0.
PyRef forward_only_loop(const Forward *forward, PyRef node);
/// Whether a name surely is a tensor when it is asked for the first time, whatever a loop makes of it.
bool forward_is_tensor_at_first(Forward *forward, PyRef node);
/// Whether a loop of the function goes through both.
bool forward_is_repeated(const Forward *forward, PyRef use, PyRef binding);
/// What a name surely stands for at that place, bound in this function, also by `a, b = x, y`; 0.
PyRef forward_value_of_name(Forward *forward, PyRef node);
/// What a name that is bound several times in its function, or in the file, surely stands for at that place; 0.
PyRef forward_value_in_force(const PyModel *model, PyRef name);
/// The parameter whose value a name surely has at that place; NULL.
const PyBinding *forward_param_in_force(const PyModel *model, PyRef name);
/// Notes the parameters of the exported model that are given tensors in `tensor_params`, by PyModel.params.
void forward_note_tensors(const ExportCall *export, const ExportModel *made, bool *tensor_params);
