/// What an expression in forward() gives while shapes are followed: a tensor, or a number made of sizes. Private to
/// rules/.
///
/// Ownership: a ShapeWalk belongs to who checks one export; names lie in its function's frame.
/// Units:     elements along an axis.
/// Errors:    what is not known is FOLLOWED_UNKNOWN.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/layer_shapes.h"
#include "python/rules/module/module_build.h"

typedef enum FollowedKind {
  FOLLOWED_UNKNOWN,
  FOLLOWED_TENSOR,
  FOLLOWED_INT,
  FOLLOWED_FLOAT,  ///< Any.
  FOLLOWED_TUPLE,
  FOLLOWED_MODULE,
  FOLLOWED_NONE,  ///< None, also as the result of a function that returns nothing.
} FollowedKind;

typedef struct Followed {
  FollowedKind kind;
  Shape shape;     ///< Of a tensor.
  Str element;     ///< Its element type, "float32"; empty if unknown.
  bool has_order;  ///< It lies in memory as `order` says: axis i is that axis of a contiguous tensor.
  int8_t order[PY_SHAPE_RANK_LIMIT];
  int64_t number;                ///< Of an int; how many items a tuple has; of a float an open size that it is made of.
  const struct Followed *items;  ///< Of a tuple.
  bool is_list;                  ///< A tuple that may be appended to,
  bool is_named;                 ///< or one of values and indices.
  PyRef part;                    ///< What makes a module...
  const ModuleMaker *maker;      ///< ...with the numbers that names have there.
  bool has_rest;                 ///< A tensor that was read with -1 among its sizes.
  bool is_of_input;              ///< A tensor that is an input of the model, or one of its sizes.
} Followed;

typedef struct NamedValue {
  Str name;
  Followed value;
} NamedValue;

/// One function that is gone through.
typedef struct ShapeFrame {
  const ModuleMaker *maker;  ///< Of the object that `self` is.
  uint32_t function;
  NamedValue names[PY_SHAPE_NAME_LIMIT];
  size_t count;
  bool has_all_inputs;  ///< What is given is among the names, so that other parameters have their defaults.
} ShapeFrame;

/// Axes of inputs that are DIM_FACTOR times as long as in the example, or a little longer or shorter, to see what
/// depends on their size.
typedef struct DimTrial {
  bool is_scaled[PY_SHAPE_INPUT_LIMIT][PY_SHAPE_RANK_LIMIT];  ///< By ExampleInputs.items.
  int64_t added;                                              ///< To the size; 0 where it is multiplied.
} DimTrial;

/// A prime that no size of an example has as a factor, so sizes that were scaled can be told.
enum { DIM_FACTOR = 1009 };

typedef struct ShapeWalk {
  const ExportCall *export;
  const ExportModel *made;
  Str weights_type;  ///< Of the model's layers, once somebody asked; empty if it is not known.
  bool has_weights_type;
  bool may_have_members, knows_members;      ///< Members may come unseen, once somebody asked.
  bool may_be_converted, knows_conversions;  ///< The model's buffers may get another type, once somebody asked.
  const DimTrial *trial;                     ///< NULL: the example as it is.
  int64_t low, high;                         ///< Between which sizes the axis lies that is tried, if it is said to...
  int64_t size;                              ///< ...and its size in the example; 0.
  bool is_range;  ///< A condition was refused that some of these sizes fulfil, and others don't.
  int steps;
  int depth;   ///< Functions in functions.
  int blocks;  ///< Blocks in blocks of one of them.
  PyRef where;
  bool is_reshape;  ///< It is a reshape that is wrong...
  bool is_whole;    ///< ...without a -1 in it...
  int exact;        ///< ...or one that takes this axis, counted from 1, as it is in the example, whatever others are.
  bool is_divided;  ///< A layer with strides went over a scaled axis: which sizes fit then is a range.
  bool is_of_exporter;  ///< forward() runs, and the TorchScript exporter refuses it.
  bool is_of_call;      ///< It does not take these arguments of one call.
  bool is_open;         ///< The axes that are tried are those that dynamic_axes names: only what that exporter refuses
                        ///< counts, which does not know their size.
  bool is_of_trace;     ///< What the TorchScript exporter writes down is gone through with other sizes...
  bool is_frozen;       ///< ...and `where` makes a constant of one of them...
  bool is_said;         ///< ...which check_tracing.c says.
  Shape refused;        ///< What an operation or a layer did not take; of rank 0 for other refusals.
  Str why;              ///< "adds (1, 3) and (2, 4), which can't be broadcast"; empty until something is wrong.
} ShapeWalk;

Followed forward_value(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth);
/// `super().forward(x)` of a class that derives from a layer; false for other calls.
bool forward_of_super(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value);
/// Goes through a function whose parameters are in the frame; what it returns.
Followed forward_shapes_run(ShapeWalk *walk, ShapeFrame *frame);
/// Goes through forward() of the model, a class of the file whose inputs are known; what it returns.
Followed forward_shapes_run_model(ShapeWalk *walk, const ExportModel *made);
/// What the module that the expression `part` makes gives of a tensor; `where` it is called.
Followed forward_through_part(ShapeWalk *walk, const ModuleMaker *maker, PyRef part, PyRef where, Followed given,
                              int depth);
/// What a layer of torch.nn gives of a tensor; `node` is where it is called.
Followed forward_through_layer(ShapeWalk *walk, const ModuleMaker *maker, PyRef node, const PyCall *layer,
                               const Followed *given);
/// Says so where torch computes the function, or runs the layer, of floats only, and gets another type.
void forward_check_kernel(ShapeWalk *walk, PyRef node, const PyCall *call, Str name, const Followed *given);
/// Says so where a call names an axis that the tensor has not: `x.mean(dim=1)`, `x.mean((2, 3))`; its arguments begin
/// at `first`.
void forward_check_axes(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                        uint32_t first, int depth);
/// Says so where an option of a function of torch.nn.functional is a list of the wrong length: `F.avg_pool2d(x, (2,
/// 2, 2))`.
void forward_check_options(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                           int depth);
/// `1 - mask`, which torch refuses.
void forward_check_difference(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b);
/// `x /= 255` and `x -= 0.5` of integers, which torch refuses.
void forward_check_narrowing(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b);
/// `~mask` and `-mask`
void forward_check_inverse(ShapeWalk *walk, PyRef node, Str sign, const Followed *of);
/// Whether the export runs the model while it trains: 1, 0, or -1 where that is not sure. The TorchScript exporter does
/// so only if it is told, the dynamo exporter as the model is, and that trains until it is told otherwise.
int forward_trains(const ShapeWalk *walk);
/// Says so where a layer gets one value of each channel, and normalizes by what several have in common.
void forward_check_training(ShapeWalk *walk, const ModuleMaker *maker, PyRef node, const PyCall *layer,
                            const Followed *given);
/// Notes that a layer that encodes `given` makes a constant of its length, in a trace with other lengths.
void forward_check_encoder(ShapeWalk *walk, PyRef where, const PyCall *layer, const Followed *given);
/// The same of a call of attention, a decoder or a transformer, which is given a second tensor.
void forward_check_attention(ShapeWalk *walk, ShapeFrame *frame, const PyCall *layer, const PyCall *call,
                             const Followed *given, int depth);
/// Says so where a layer does not take the states, masks or offsets that a call gives it beside its input.
void forward_check_layer_call(ShapeWalk *walk, ShapeFrame *frame, const ModuleMaker *maker, const PyCall *layer,
                              const PyCall *call, const Followed *given, int depth);
void forward_refuse(ShapeWalk *walk, PyRef node, Str why);
/// Says that forward() does that with None, "gives torch.relu()", if one of the two values is None.
void forward_refuse_none(ShapeWalk *walk, PyRef node, Str what, const Followed *a, const Followed *b);
/// The same of a tuple or a list, where a tensor has to be.
void forward_refuse_tuple(ShapeWalk *walk, PyRef node, Str what, const Followed *of);
/// The same of an operation on a tensor of that shape.
void forward_refuse_shape(ShapeWalk *walk, PyRef node, Str why, const Shape *shape);
/// The same of what the TorchScript exporter does not take; an empty `why` says nothing.
void forward_refuse_for_exporter(ShapeWalk *walk, PyRef node, Str why);
/// Asks what the operator's function in the exporter says of the sizes that a call has, whose arguments after its
/// tensor begin at `first`.
void forward_check_outcomes(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                            uint32_t first, int depth);
/// Says that the exporter refuses a call; there is no other reason yet.
void forward_refuse_call(ShapeWalk *walk, PyRef node, Str why);
/// Of what is_of_exporter.
RuleId forward_rule_of_exporter(const ShapeWalk *walk);
/// "With the example inputs, forward() pools ..."
Str forward_words_of_exporter(const ShapeWalk *walk, const char *with, Arena *arena);
/// `x & 15` and `~x` of integers, which the TorchScript exporter takes from some opset on, or never.
void forward_check_bits(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b);
/// Notes whether a layer with strides made an axis shorter that is tried.
void forward_note_division(ShapeWalk *walk, const Shape *given, const Shape *made);
/// `scale(x)` of a function of the file.
Followed forward_of_function(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// The same value, of that element type.
Followed forward_of_element(Followed value, Str element);
/// The list that `self.layers` is a torch.nn.ModuleList of, written out or a comprehension; 0.
PyRef forward_module_list(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node);
/// What the torch.nn.ModuleList holds that `self.layers` is, however __init__() fills it; false if that is not known.
bool forward_built_list(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node, BuiltParts *parts);
/// `layer(x)` in a loop over such a list, and `self.layers[0](x)`; false for other calls.
bool forward_of_listed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value);
/// `self.cell.init_hidden(n)`, a method of a module of the file; unknown for other calls.
Followed forward_of_part_method(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, PyRef object, int depth);
/// `Output(logits=a, hidden=a * b)`: whatever it makes of them, its arguments are computed first.
Followed forward_given_to_unknown(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `self.layer(x)` and `self.encode(x)`
Followed forward_of_own(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth);
Followed forward_tensor(Shape shape);
/// The same value, as one that is contiguous.
Followed forward_contiguous(Followed value);
bool forward_is_contiguous(const Followed *value);
/// What `name` makes of its tensor lies in memory as can be told from that; its other arguments begin at `first`.
Followed forward_ordered(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                         uint32_t first, Followed made, int depth);
/// Says so where view() can't read the tensor as `made`, because its axes lie in another order.
void forward_check_view(ShapeWalk *walk, const PyCall *call, Str name, const Followed *given, const Followed *made);
/// What `x.view(2, -1)` and `x.reshape((2, 3))` make of that shape; the sizes are the arguments from `first` on.
Followed forward_reshaped(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Shape *given, uint32_t first,
                          int depth);
/// A tensor that is written out: `torch.rand(1, 3)`.
Followed forward_example(const ShapeWalk *walk, PyRef node);
/// A number as it is written, or made of sizes; false if it is none.
bool forward_int(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth, int64_t *ret_value);
/// Notes that `node` makes a constant of a size, where a trace is gone through with other ones.
void forward_freeze(ShapeWalk *walk, PyRef node, const Followed *size);
/// A condition that is asked while sizes are tried: which may be refused.
void forward_ask(ShapeWalk *walk, ShapeFrame *frame, PyRef asked);
/// Whether a condition holds, by sizes or by what the model was made with: 1 or 0; -1 if that is not sure.
int forward_truth(ShapeWalk *walk, ShapeFrame *frame, PyRef asked);
/// The default of a parameter of the function that nothing is given for; 0.
PyRef forward_default(const ShapeWalk *walk, ShapeFrame *frame, PyRef name);
NamedValue *forward_named(ShapeFrame *frame, Str name);
void forward_set_name(ShapeFrame *frame, Str name, Followed value);
/// `self.weight`, a Parameter or a buffer that nothing changes; unknown for other attributes.
Followed forward_own_tensor(ShapeWalk *walk, const ShapeFrame *frame, PyRef node);
/// What torch.from_numpy() makes of an array of numpy that is written out, also as `self.mean`.
Followed forward_of_array(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node);
/// `torch.zeros(x.shape[0], 4)`
Followed forward_created(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `self.embedding.weight`; unknown for other attributes.
Followed forward_weight_of(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node);
/// `torch.meshgrid(torch.arange(h), torch.arange(w))`
Followed forward_meshgrid(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `torch.eye(3)`
Followed forward_identity(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `torch.arange(x.shape[0])` and `torch.arange(1, n)`.
Followed forward_counted(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `int(n)`, `math.sqrt(n)`, `len(xs)`, `tuple(xs)`; false for calls of other functions.
bool forward_of_python(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value);
/// The sizes of a tensor, as a tuple.
Followed forward_sizes_of(ShapeWalk *walk, const Followed *of);
/// Unknown for a number that no size can be.
Followed forward_number_value(int64_t value);
/// What is in both lists.
Followed forward_lists_joined(ShapeWalk *walk, const Followed *a, const Followed *b);
/// A list that has another name, too, or that somebody else is given, is not followed any more.
void forward_forget_list(const ShapeWalk *walk, ShapeFrame *frame, PyRef node);
/// `a + b`, also of `a += b`.
Followed forward_binary(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b);
