/// Types and shapes of values, as they follow from inputs, initializers and operators: what onnx.shape_inference finds.
///
/// Sound: what is not certain stays unknown. An error is what strict inference (without data propagation) refuses.
///
/// Ownership: types live in the tree's arena, as a check does.
/// Units:     element types are the numbers of TensorProto.DataType.
/// Errors:    an operator that refuses its inputs is reported, and its outputs stay unknown.
/// Threads:   one flow belongs to one thread.
/// Sources:   onnx/shape_inference/implementation.cc and onnx/defs/*/defs.cc of onnx 1.20, tried by running.
#pragma once

#include "facts/onnx_elements.h"
#include "graph/model/dialect.h"
#include "graph/onnx/onnx_rules.h"

/// Whole numbers of a constant tensor that says shapes, axes and the like.
typedef struct OnnxNumbers {
  const int64_t *items;
  uint32_t count;
  uint32_t rank;  ///< Of the tensor: 0 or 1, or more.
  bool misfits;   ///< There are not as many as its shape says, and onnx refuses to read them.
} OnnxNumbers;

/// Whole numbers that the model computes, of which some are known by a name only, or not at all.
typedef struct OnnxSizes {
  const OnnxDim *items;
  uint32_t count;
  uint32_t rank;  ///< Of the tensor: 0 or 1.
} OnnxSizes;

/// What is known of a value.
typedef struct OnnxKnown {
  const OnnxType *type;        ///< NULL if nothing.
  const OnnxNumbers *numbers;  ///< NULL if it is no constant, or a large one.
  const OnnxData *floats;      ///< The values of a constant of floats; NULL of all others.
  bool misfits;                ///< Of those floats there are not as many as the shape says.
  const OnnxData *texts;       ///< The same of strings.
  const OnnxSizes *sizes;      ///< Of what has no numbers: sizes that are not all numbers; NULL if nothing.
  bool is_constant;            ///< An initializer, or what a Constant gives.
  bool is_external;            ///< Such a one whose values lie in another file: who reads them refuses the model.
  bool is_input;               ///< Of a graph, which says its type; a constant of that name is only a default.
  bool is_folded;              ///< A session computes it when it loads the model, or has it already.
  bool is_unsure;              ///< Found where onnx keeps silent.
  bool is_absent;              ///< An input of a function that the call leaves out.
  bool is_missing;             ///< onnx surely finds no type; `missing_at` is the place that is to blame.
  uint32_t depth;              ///< How many graphs were open where it was made.
  OnnxSpan missing_at;
} OnnxKnown;

typedef struct OnnxUndo {
  uint32_t symbol;
  OnnxKnown before;
} OnnxUndo;

/// A graph that is being followed.
typedef struct OnnxOpen {
  size_t mark;     ///< Length of `undo` where it began.
  bool is_unsure;  ///< An operator without a schema came by: onnx keeps silent about the rest of the graph.
} OnnxOpen;

/// A call of one of the model's functions whose body is being followed.
typedef struct OnnxCall {
  const OnnxFunction *function;
  const OnnxFunction *outer;  ///< In whose body the call stands; NULL in the model's graph.
  OnnxNode *node;
  const OnnxNode *bound;  ///< The same, with the values that its attributes refer to.
  uint32_t next_event;
  size_t mark;  ///< Length of `undo` before it.
  uint32_t failures;
} OnnxCall;

enum { ONNX_TYPES_KEPT = 64 };

/// What is followed beside types.
typedef enum OnnxFollowed {
  ONNX_FOLLOWS_NO_SIZES,        ///< As strict inference, and so the checker.
  ONNX_FOLLOWS_CONSTANT_SIZES,  ///< Sizes of which all are known, through the nodes that compute with them: as a
                                ///< session.
  ONNX_FOLLOWS_SIZES,           ///< Those that are known in part, too.
} OnnxFollowed;

typedef struct OnnxFlow {
  OnnxCheck *check;
  Arena *arena;
  Arena scratch;                          ///< For one node.
  const OnnxType *kept[ONNX_TYPES_KEPT];  ///< Made a little while ago: models repeat shapes.
  OnnxKnown *known;                       ///< By symbol.
  Vec(OnnxUndo) undo;
  Vec(OnnxOpen) open;
  Vec(OnnxCall) calls;  ///< Each in the body of the one before.
  uint32_t nodes_left;  ///< Of bodies, in this model.
  uint32_t failures;    ///< Errors of onnx in the body, or the graph, that is being followed.
  uint32_t unsure;      ///< How many of the open graphs are.
  bool is_entering;     ///< What is made is of the body that is opened next.
  OnnxFollowed follows;
  DiagSink *later;  ///< Of a walk after that of the checker, which tells only what that one did not; else NULL.
  uint32_t told;    ///< By such a walk.
} OnnxFlow;

/// One node that is being followed.
typedef struct OnnxInfer {
  OnnxFlow *flow;
  Arena *arena;
  const OnnxNode *node;
  const OnnxSchema *schema;
  const OnnxType **out;  ///< By output; NULL where nothing is known.
  bool has_failed;
  bool is_refused;      ///< By a session, after a report.
  OnnxSpan missing_at;  ///< If it failed as an input has no type.
} OnnxInfer;

typedef void OnnxInferFunction(OnnxInfer *infer);

/// The type of the value whose name stands at an offset, as ONNX text writes it; empty if it is unknown.
Str onnx_flow_type_at(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, size_t offset,
                      Arena *arena);

/// In a sentence, from which computation the type of that value follows, and where a size that callers choose became a
/// number; empty if it is written, or unknown.
Str onnx_flow_origin_at(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, size_t offset,
                        Arena *arena);

/// The types of what nodes in a range define, where none is written.
FoundTypes onnx_flow_types_in(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, Range range,
                              Arena *arena);
/// What the model needs of a runtime, in the arena.
ModelNeeds onnx_flow_needs(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, Arena *arena);

/// The function for an operator at a version; NULL if there is none.
OnnxInferFunction *onnx_infer_find(Str domain, Str op, uint32_t since);

void onnx_flow_begin(OnnxFlow *flow, OnnxCheck *check, Arena *arena);
void onnx_flow_done(OnnxFlow *flow);
void onnx_flow_enter(OnnxFlow *flow, const OnnxGraph *graph);
void onnx_flow_leave(OnnxFlow *flow, const OnnxGraph *graph);
void onnx_flow_node(OnnxFlow *flow, OnnxNode *node);
/// The next event of a text, in order.
void onnx_flow_event(OnnxFlow *flow, const OnnxEvent *event);
/// Keeps for the node what the calls of the body around it have in common.
void onnx_flow_keep(OnnxFlow *flow, OnnxNode *node);
/// What is known of a value in two ways that have to fit each other; NULL after a report at the name.
const OnnxType *onnx_flow_meet(OnnxInfer *infer, const OnnxName *name, const OnnxType *found, const OnnxType *other);
/// Gives outputs of a node their types, which have to fit what is written.
void onnx_flow_take_output(OnnxFlow *flow, const OnnxName *name, OnnxKnown found);

// onnx_flow_calls.c: bodies of functions, each time that they are called.

/// Follows a call through the body. `bound` is the node with the values that its attributes refer to.
void onnx_flow_call(OnnxFlow *flow, OnnxNode *node, const OnnxNode *bound, const OnnxFunction *function);
/// The node with the values that its attributes refer to; the node itself if they refer to none.
const OnnxNode *onnx_flow_bind(OnnxFlow *flow, const OnnxNode *node);
/// What is known of a value, until the graph that is open is left.
void onnx_flow_set(OnnxFlow *flow, uint32_t symbol, OnnxKnown known);
/// Takes back what was set since `undo` was that long.
void onnx_flow_undo(OnnxFlow *flow, size_t mark);

// onnx_check_computed.c: what shows when computed sizes are followed, too.
/// Reports what does not fit: an error of the checker, or what a later walk finds. `is_failure`: of a node, not of what
/// is written of its output.
void onnx_flow_tell(OnnxFlow *flow, OnnxSpan at, RuleId rule, bool is_failure, Str message);

// onnx_check_habits.c: what the checker passes and people suffer from.
void onnx_check_frozen(OnnxFlow *flow, const OnnxNode *node);
/// Whether a node makes a number of a size that callers choose, and which.
bool onnx_freezes(const OnnxFlow *flow, const OnnxNode *node, Str *ret_param, uint64_t *ret_size);

// onnx_check_kernels.c: what the runtime refuses that the target names, by the types of a node.
void onnx_check_kernels(OnnxInfer *infer);
/// Whether all parts of the condition of a kernel are true of the node; its types as "T = bfloat16" go to `ret_types`.
bool onnx_meets_condition(const OnnxInfer *infer, Str condition, Str *ret_types);

// onnx_check_contrib.c and onnx_flow_contrib.c

/// The types of a node of com.microsoft, as facts/contributed.def words them; NULL if no session comes by, or none has
/// it.
const char *onnx_contributed_types(const OnnxCheck *check, const OnnxNode *node);
/// Gives the outputs of such a node what a session finds, and reports what it refuses.
void onnx_follow_contributed(OnnxFlow *flow, const OnnxNode *node, const char *types);

// onnx_check_inlined.c

/// What a session wants of an operator for which it puts other nodes; empty if it has it, or it is not known.
const char *onnx_wrong_when_inlined(const OnnxInfer *infer);

// onnx_fold.c: what a session computes when it loads a model.

/// Whether a session computes what the node gives, as it takes nothing else than what the session knows by then.
bool onnx_is_folded(const OnnxInfer *infer);
/// Reports a folded node whose kernel refuses what it takes, though onnx passes it.
void onnx_check_folded(OnnxInfer *infer);
/// The report of such a node: an error where a runtime is named.
void onnx_refuse_folded(OnnxInfer *infer, OnnxSpan at, const char *format, ...) PRINTF_LIKE(3, 4);
/// The tensor that an input is, if all of its sizes are known; NULL if not.
const OnnxType *onnx_sized(const OnnxInfer *infer, uint32_t i);
/// The numbers of an input; NULL if they are unknown, or there are many.
const OnnxNumbers *onnx_given(const OnnxInfer *infer, uint32_t i);
/// The texts of an input that is a constant; NULL of any other.
const OnnxData *onnx_texts(const OnnxInfer *infer, uint32_t i);
/// False after a report: an axis that the tensor doesn't have.
bool onnx_fold_axis(OnnxInfer *infer, const char *name, int64_t axis, uint32_t rank, uint32_t *ret_axis);

typedef void OnnxFoldFunction(OnnxInfer *infer);
OnnxFoldFunction onnx_fold_constant_of_shape, onnx_fold_slice, onnx_fold_pad, onnx_fold_gather,
    onnx_fold_gather_elements, onnx_fold_gather_nd, onnx_fold_scatter, onnx_fold_scatter_nd,
    onnx_fold_one_hot;                           // onnx_fold_index.c
OnnxFoldFunction onnx_fold_dft, onnx_fold_stft;  // onnx_fold_signal.c
OnnxFoldFunction onnx_fold_cast;                 // onnx_fold_text.c
OnnxFoldFunction onnx_fold_clip, onnx_fold_trilu, onnx_fold_cumsum, onnx_fold_global_pool, onnx_fold_instance_norm,
    onnx_fold_batch_norm, onnx_fold_layer_norm, onnx_fold_prelu, onnx_fold_alike, onnx_fold_topk, onnx_fold_transpose,
    onnx_fold_squeeze, onnx_fold_unsqueeze, onnx_fold_boxes, onnx_fold_lrn, onnx_fold_sequence_lengths,
    onnx_fold_optional, onnx_fold_mod, onnx_fold_gemm, onnx_fold_conv_transpose, onnx_fold_depth, onnx_fold_gelu,
    onnx_fold_mean_variance, onnx_fold_rotary, onnx_fold_range, onnx_fold_einsum;  // onnx_fold_layers.c
OnnxFoldFunction onnx_fold_reshape, onnx_fold_expand, onnx_fold_tile, onnx_fold_affine_grid, onnx_fold_conv,
    onnx_fold_quantize, onnx_fold_matmul_integer, onnx_fold_conv_integer,
    onnx_fold_qlinear_matmul;  // onnx_fold_sizes.c

// onnx_flow_sizes.c: sizes that the model computes.

/// Adds what output 0 holds: numbers, or sizes that are not all numbers; nothing if that is unknown.
void onnx_flow_sizes(OnnxInfer *infer, OnnxKnown *ret_known);
/// What is known of the numbers of an input, a constant or not; false if nothing is.
bool onnx_sizes(OnnxInfer *infer, uint32_t i, OnnxSizes *ret_sizes);

// onnx_flow_schema.c: what the schema says of types.

/// The parameter of input or output `i`; the last one may be variadic. NULL if there are none.
const OnnxParam *onnx_param_at(const OnnxParam *params, uint32_t count, uint32_t i);
/// Gives outputs the types that follow from the types of inputs alone.
void onnx_flow_schema_types(OnnxInfer *infer);
/// Reports inputs and outputs whose types the schema doesn't allow.
void onnx_flow_check_types(OnnxInfer *infer);
/// Reports an input without a type that the type of output 0 would be.
void onnx_flow_check_missing(OnnxInfer *infer);
/// What is the same of two types; NULL if nothing is.
const OnnxType *onnx_type_common(Arena *arena, const OnnxType *a, const OnnxType *b);
/// "float[N,3]"; empty for NULL.
Str onnx_type_text(const OnnxType *type, Arena *arena);
/// "tensor(float)", "seq(tensor(int64))"
Str onnx_type_word(const OnnxType *type, Arena *arena);

// onnx_infer.c: what the functions share.

/// Reports at an input, or at the operator if there is none, and answers false. Outputs stay unknown.
bool onnx_infer_fail(OnnxInfer *infer, OnnxSpan at, const char *format, ...) PRINTF_LIKE(3, 4);
/// The element type that an attribute names; false if it is not known, or after a report.
bool onnx_attr_element(OnnxInfer *infer, const char *name, int64_t otherwise, int64_t *ret_element);
OnnxSpan onnx_infer_at(const OnnxInfer *infer, uint32_t input);
OnnxSpan onnx_infer_at_attr(const OnnxInfer *infer, const char *name);

bool onnx_has_input(const OnnxInfer *infer, uint32_t i);
bool onnx_has_output(const OnnxInfer *infer, uint32_t i);
const OnnxType *onnx_input(const OnnxInfer *infer, uint32_t i);
/// The input if it is a tensor; NULL if not, or unknown.
const OnnxType *onnx_tensor(const OnnxInfer *infer, uint32_t i);
/// Its element type; 0 if it is unknown.
uint32_t onnx_element(const OnnxInfer *infer, uint32_t i);
/// The same tensor if its rank is known, too.
const OnnxType *onnx_shaped(const OnnxInfer *infer, uint32_t i);
/// Whether an input is one, known or not: nobody asks for the rank of its shape then.
bool onnx_is_constant(const OnnxInfer *infer, uint32_t i);
/// Whether its values lie in another file.
bool onnx_is_external(const OnnxInfer *infer, uint32_t i);
/// Whether there are numbers of it at all, before somebody reads them.
bool onnx_is_counted(const OnnxInfer *infer, uint32_t i);
/// The numbers of an input that is a constant; NULL if it is none, or after a report.
const OnnxNumbers *onnx_constant(OnnxInfer *infer, uint32_t i);
/// Copies the floats of an input that is a list of them, and a constant; false if they are unknown, or more.
bool onnx_constant_floats(OnnxInfer *infer, uint32_t i, float *ret_floats, size_t limit, size_t *ret_count);
/// False after a report: a constant has not as many floats as its shape says, and the node reads them.
bool onnx_floats_fit(OnnxInfer *infer, uint32_t i);
/// How many floats the raw data of a constant holds, where its shape says otherwise; false of any other.
bool onnx_raw_floats(const OnnxInfer *infer, uint32_t i, uint64_t *ret_count);
/// The sizes of an input that has no numbers; NULL if nothing is known.
const OnnxSizes *onnx_computed(const OnnxInfer *infer, uint32_t i);

/// False if the attribute's value is unknown, as it is that of a function.
bool onnx_attr_int(const OnnxInfer *infer, const char *name, int64_t otherwise, int64_t *ret_value);
/// The list; a count of 0 and NULL if it is not given.
bool onnx_attr_ints(const OnnxInfer *infer, const char *name, const int64_t **ret_items, uint32_t *ret_count);
bool onnx_attr_text(const OnnxInfer *infer, const char *name, const char *otherwise, Str *ret_text);
const OnnxAttr *onnx_attr(const OnnxInfer *infer, const char *name);

/// A tensor type; `dims` is copied. `rank` of ONNX_NO_RANK means no shape.
#define ONNX_NO_RANK UINT32_MAX
const OnnxType *onnx_make(Arena *arena, uint32_t element, const OnnxDim *dims, uint32_t rank);
void onnx_out(OnnxInfer *infer, uint32_t i, uint32_t element, const OnnxDim *dims, uint32_t rank);
/// With the shape of input 0, as far as that is known.
void onnx_out_like_first(OnnxInfer *infer, uint32_t i, uint32_t element);
/// Room for as many dimensions, while the node is followed.
OnnxDim *onnx_dims(const OnnxInfer *infer, uint32_t rank);
/// Those of a type, with room for one more.
OnnxDim *onnx_dims_of(const OnnxInfer *infer, const OnnxType *type);
static inline OnnxDim onnx_size(int64_t value)
{
  return (OnnxDim){ .kind = ONNX_DIM_VALUE, .value = value };
}
static inline bool onnx_is_size(OnnxDim dim)
{
  return dim.kind == ONNX_DIM_VALUE;
}
/// Surely the same size; two that are unknown are not.
bool onnx_same_dim(OnnxDim a, OnnxDim b);
/// As much is known of both.
bool onnx_equal_dim(OnnxDim a, OnnxDim b);
/// The product of dimensions [first, end); unknown if one of them is.
OnnxDim onnx_product(const OnnxType *type, uint32_t first, uint32_t end);
/// How many elements there are; -1 if that is unknown, or more than can be counted.
static inline int64_t onnx_count_of(const OnnxType *type)
{
  OnnxDim count = onnx_product(type, 0, type->rank);
  return onnx_is_size(count) ? count.value : -1;
}

/// A size of a shape that is known as a whole, see onnx_sized().
static inline int64_t onnx_size_at(const OnnxType *type, uint32_t i)
{
  return type->dims[i].value;
}
/// An axis of that rank, counted from the front; false after a report.
bool onnx_axis(OnnxInfer *infer, int64_t axis, uint32_t rank, const char *name, uint32_t *ret_axis);
/// numpy's broadcasting of several shapes; false after a report.
bool onnx_broadcast(OnnxInfer *infer, const OnnxType *const *types, uint32_t count, OnnxDim **ret_dims,
                    uint32_t *ret_rank);

/// The product of two matrices, or stacks of them; `b` is input `second`. A vector counts as a matrix of one row or
/// column, which is then left out. Nothing comes out where one of them is NULL.
void onnx_infer_product(OnnxInfer *infer, const OnnxType *a, const OnnxType *b, uint32_t second, uint32_t element);

// Families of operators.
OnnxInferFunction onnx_infer_same, onnx_infer_bool_same, onnx_infer_broadcast, onnx_infer_compare, onnx_infer_where,
    onnx_infer_softmax, onnx_infer_cast, onnx_infer_cast_like, onnx_infer_reduce, onnx_infer_arg, onnx_infer_matmul,
    onnx_infer_gemm, onnx_infer_variadic, onnx_infer_dropout, onnx_infer_trilu;
OnnxInferFunction onnx_infer_constant, onnx_infer_shape, onnx_infer_size, onnx_infer_reshape, onnx_infer_flatten,
    onnx_infer_transpose, onnx_infer_concat, onnx_infer_slice, onnx_infer_squeeze, onnx_infer_unsqueeze,
    onnx_infer_gather, onnx_infer_gather_elements, onnx_infer_gather_nd, onnx_infer_expand, onnx_infer_tile,
    onnx_infer_pad, onnx_infer_split, onnx_infer_constant_of_shape, onnx_infer_nonzero, onnx_infer_range,
    onnx_infer_topk, onnx_infer_one_hot, onnx_infer_identity;
OnnxInferFunction onnx_infer_conv, onnx_infer_conv_transpose, onnx_infer_pool, onnx_infer_global_pool,
    onnx_infer_batch_norm, onnx_infer_layer_norm, onnx_infer_recurrent, onnx_infer_resize, onnx_infer_depth_to_space,
    onnx_infer_space_to_depth, onnx_infer_quantize, onnx_infer_dequantize;
OnnxInferFunction onnx_infer_loss, onnx_infer_window, onnx_infer_random_like, onnx_infer_eye_like, onnx_infer_boxes,
    onnx_infer_dynamic_quantize, onnx_infer_grid_sample;
OnnxInferFunction onnx_infer_if, onnx_infer_loop, onnx_infer_sequence_construct, onnx_infer_sequence_at,
    onnx_infer_scalar_int64, onnx_infer_scalar_bool;
OnnxInferFunction onnx_infer_compress, onnx_infer_det, onnx_infer_einsum, onnx_infer_string_normalizer,
    onnx_infer_tf_idf, onnx_infer_unique;
OnnxInferFunction onnx_infer_scan, onnx_infer_sequence_empty, onnx_infer_sequence_same, onnx_infer_split_to_sequence,
    onnx_infer_concat_from_sequence, onnx_infer_optional, onnx_infer_optional_get, onnx_infer_sequence_map;
OnnxInferFunction onnx_infer_attention, onnx_infer_rms_norm, onnx_infer_rotary, onnx_infer_tensor_scatter,
    onnx_infer_center_crop_pad, onnx_infer_roi_align, onnx_infer_roi_pool, onnx_infer_random, onnx_infer_multinomial,
    onnx_infer_string_split, onnx_infer_dft, onnx_infer_max_unpool;
OnnxInferFunction onnx_infer_label_encoder, onnx_infer_category_mapper, onnx_infer_one_hot_encoder, onnx_infer_label,
    onnx_infer_linear_classifier, onnx_infer_tree_classifier, onnx_infer_tree_regressor, onnx_infer_tree_ensemble,
    onnx_infer_zip_map, onnx_infer_cast_map, onnx_infer_dict_vectorizer, onnx_infer_feature_extractor,
    onnx_infer_momentum, onnx_infer_adam;
OnnxInferFunction onnx_infer_mel, onnx_infer_stft, onnx_infer_affine_grid, onnx_infer_image_decoder, onnx_infer_col2im,
    onnx_infer_upsample, onnx_infer_reverse_sequence, onnx_infer_mean_variance;
/// False after a report: a constant of more numbers than are followed, where a few are wanted.
bool onnx_infer_long(OnnxInfer *infer);
/// False after a report: an input of the body that its node feeds is an initializer, too.
bool onnx_infer_body(OnnxInfer *infer, const OnnxGraph *body);
/// Gives the inputs of a SequenceMap's body the types that they come in with, which have to fit what is written.
void onnx_flow_map_inputs(OnnxFlow *flow, const OnnxGraph *graph);
/// Gives the inputs of a Scan's body the types that they come in with, which have to fit what is written.
void onnx_flow_scan_inputs(OnnxFlow *flow, const OnnxGraph *graph);
/// Gives the inputs of a loop's body the types that they come in with, where none are written.
void onnx_flow_loop_inputs(OnnxFlow *flow, const OnnxGraph *graph);
