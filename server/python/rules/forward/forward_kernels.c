// What torch has no kernels for: element types that a function does not take. Run with torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_values.h"

void forward_check_kernel(ShapeWalk *walk, PyRef node, const PyCall *call, Str name, const Followed *given)
{
  static const char *const of_floats[] = {
    "softmax",
    "log_softmax",
    "interpolate",
    "norm",
    "normalize",
    "layer_norm",
    "batch_norm",
    "cdist",
    "grid_sample",
    "elu",
    "gelu",
    "silu",
    "softplus",
    "leaky_relu",
    "std_mean",
    "Softmax",
    "LogSoftmax",
    "Upsample",
    "LayerNorm",
    "BatchNorm1d",
    "BatchNorm2d",
    "ELU",
    "GELU",
    "SiLU",
    "Softplus",
    "LeakyReLU",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
  };
  const PyModel *model = walk->export->model;
  bool is_bool =
      str_equal(given->element, STR("bool")) && (str_equal(name, STR("mean")) || str_ends_with(name, STR("oftmax")));
  if (walk->trial || (!is_bool && !str_equal(given->element, STR("int64"))) ||
      !str_is_one_of(name, of_floats, COUNT(of_floats)) || py_model_argument(model, call, PY_ABSENT, "dtype"))
    return;
  forward_refuse(walk, node,
                 arena_printf(walk->export->sink->arena,
                              "gives %.*s() a tensor of %.*s, and torch has it for floats only", STR_ARG(name),
                              STR_ARG(given->element)));
}

void forward_check_difference(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b)
{
  bool is_bool = (a->kind == FOLLOWED_TENSOR && str_equal(a->element, STR("bool"))) ||
                 (b->kind == FOLLOWED_TENSOR && str_equal(b->element, STR("bool")));
  bool is_known = a->kind != FOLLOWED_UNKNOWN && b->kind != FOLLOWED_UNKNOWN;
  if (!walk->trial && is_bool && is_known && (str_equal(sign, STR("-")) || str_equal(sign, STR("-="))))
    forward_refuse(walk, node, STR("subtracts with a tensor of bools, which torch refuses: use ~ or logical_xor()"));
}

void forward_check_narrowing(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b)
{
  static const char *const signs[] = { "+=", "-=", "*=", "/=" };
  bool is_float = b->kind == FOLLOWED_FLOAT || str_starts_with(b->element, STR("float"));
  if (a->kind == FOLLOWED_TENSOR && forward_is_int_element(a->element) && !walk->trial &&
      (str_equal(sign, STR("/=")) || (is_float && str_is_one_of(sign, signs, COUNT(signs)))))
    forward_refuse(walk, node,
                   arena_printf(walk->export->sink->arena, "writes floats into a tensor of %.*s, which torch refuses",
                                STR_ARG(a->element)));
}

void forward_check_inverse(ShapeWalk *walk, PyRef node, Str sign, const Followed *of)
{
  bool is_tensor = of->kind == FOLLOWED_TENSOR && !walk->trial;
  forward_check_bits(walk, node, sign, of, of);
  if (is_tensor && str_equal(sign, STR("~")) && str_starts_with(of->element, STR("float")))
    forward_refuse(walk, node, STR("takes `~` of floats, which torch has for integers and bools only"));
  if (is_tensor && str_equal(sign, STR("-")) && str_equal(of->element, STR("bool")))
    forward_refuse(walk, node, STR("negates a tensor of bools, which torch refuses: use ~"));
}

/// One axis that a call names, where the tensor has no such.
static void check_axis(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, PyRef node, const Shape *given,
                       int depth)
{
  int64_t axis;
  if (forward_int(walk, frame, node, depth, &axis) && axis < DIM_FACTOR && (axis >= given->rank || axis < -given->rank))
    forward_refuse_shape(walk, call->node,
                         arena_printf(walk->export->sink->arena, "takes axis %lld of a tensor of shape %.*s",
                                      (long long)axis, STR_ARG(shape_text(given, walk->export->sink->arena))),
                         given);
}

void forward_check_axes(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                        uint32_t first, int depth)
{
  static const struct {
    const char *name;
    uint32_t at;
  } functions[] = {
    { "mean", 0 },         { "sum", 0 },     { "amax", 0 },      { "amin", 0 },      { "softmax", 0 },
    { "log_softmax", 0 },  { "argmax", 0 },  { "argmin", 0 },    { "max", 0 },       { "min", 0 },
    { "cumsum", 0 },       { "unbind", 0 },  { "size", 0 },      { "squeeze", 0 },   { "chunk", 1 },
    { "split", 1 },        { "prod", 0 },    { "std", 0 },       { "var", 0 },       { "norm", 1 },
    { "sort", 0 },         { "argsort", 0 }, { "topk", 1 },      { "logsumexp", 0 }, { "gather", 0 },
    { "index_select", 0 }, { "narrow", 0 },  { "select", 0 },    { "normalize", 1 }, { "cosine_similarity", 1 },
    { "flip", 0 },         { "cumprod", 0 }, { "transpose", 0 }, { "transpose", 1 }, { "swapaxes", 0 },
    { "swapaxes", 1 },     { "glu", 0 },     { "any", 0 },       { "all", 0 },       { "unfold", 0 },
  };
  const PyModel *model = walk->export->model;
  for (size_t i = 0; i < COUNT(functions) && given->rank > 0 && !walk->trial; i++) {
    // torch.nn.functional.unfold() is another one.
    bool is_it = str_equal(name, str_from(functions[i].name)) && (first == 0 || !str_equal(name, STR("unfold")));
    const PyArgument *axis = is_it ? py_model_argument(model, call, first + functions[i].at, "dim") : NULL;
    PyRef written = axis && !axis->is_splat ? py_tree_strip(&model->tree, axis->value) : 0;
    PyNodeKind kind = written ? py_kind(&model->tree, written) : PYK_OTHER;
    if (kind == PYK_TUPLE || kind == PYK_LIST) {
      for (PY_EACH_ELEMENT(&model->tree, item, written))
        check_axis(walk, frame, call, item, given, depth);
    } else if (written && kind != PYK_TRUE && kind != PYK_FALSE) {
      check_axis(walk, frame, call, written, given, depth);
    }
  }
}
