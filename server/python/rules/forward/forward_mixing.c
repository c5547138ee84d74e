// Operators that compute of several tensors while shapes are followed.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_operator.h"

static const Followed unknown_value;

// --- einsum ---

/// What the letters of an equation stand for.
typedef struct Letters {
  int64_t sizes[128];  ///< By letter; 0 for those that are not in it.
  int uses[128];
} Letters;

static bool is_equation(Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    if (!ascii_is_letter(text.data[i]) && !str_contains(STR(",-> "), str_slice(text, i, i + 1)))
      return false;
  }
  return text.len > 0;
}

/// The letters of one operand against its sizes; false where they don't go together.
static bool read_term(Letters *letters, Str term, const Shape *shape)
{
  int axis = 0;
  bool fits = true;
  for (size_t i = 0; i < term.len; i++) {
    int letter = (unsigned char)term.data[i];
    if (!ascii_is_letter(term.data[i]))
      continue;
    int64_t size = axis < shape->rank ? shape->sizes[axis] : -1;
    int64_t before = letters->uses[letter]++ > 0 ? letters->sizes[letter] : -1;
    fits &= axis < shape->rank && (size < 2 || before < 2 || size == before);
    letters->sizes[letter] = before > 1 || size < 0 ? (before > 1 ? before : size) : size;
    axis++;
  }
  return fits && axis == shape->rank;
}

/// What is after `->`, or without it the letters that stand once, in the order of the alphabet.
static Followed result_of(const Letters *letters, Str equation)
{
  Shape made = { 0 };
  size_t arrow = str_find(equation, STR("->"), 0);
  Str output = arrow == STR_NOT_FOUND ? (Str){ 0 } : str_slice(equation, arrow + 2, equation.len);
  for (size_t i = 0; i < output.len; i++) {
    if (made.rank == PY_SHAPE_RANK_LIMIT)
      return unknown_value;
    if (ascii_is_letter(output.data[i]))
      made.sizes[made.rank++] = letters->sizes[(unsigned char)output.data[i]];
  }
  for (int letter = 0; arrow == STR_NOT_FOUND && letter < 128; letter++) {
    if (letters->uses[letter] == 1 && made.rank < PY_SHAPE_RANK_LIMIT)
      made.sizes[made.rank++] = letters->sizes[letter];
  }
  return forward_tensor(made);
}

Followed forward_einsum(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  Arena *arena = walk->export->sink->arena;
  Letters *letters = ARENA_NEW(arena, Letters);
  Str equation;
  if (call->argument_count < 2 || !py_model_string(model, py_model_arguments(model, call)[0].value, arena, &equation) ||
      !is_equation(equation))
    return unknown_value;
  size_t arrow = str_find(equation, STR("->"), 0), from = 0, end = arrow == STR_NOT_FOUND ? equation.len : arrow;
  for (uint32_t i = 1; i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    size_t comma = str_find_char(equation, ',', from);
    Str term = str_trim(str_slice(equation, from, comma < end ? comma : end));
    Followed operand = argument->keyword.len > 0 ? unknown_value : forward_value(walk, frame, argument->value, depth);
    if (operand.kind != FOLLOWED_TENSOR || (comma < end) != (i + 1 < call->argument_count))
      return unknown_value;
    if (!read_term(letters, term, &operand.shape)) {
      forward_refuse_shape(walk, call->node,
                           arena_printf(arena, "runs einsum() of '%.*s', whose `%.*s` gets a tensor of shape %.*s",
                                        STR_ARG(equation), STR_ARG(term), STR_ARG(shape_text(&operand.shape, arena))),
                           &operand.shape);
      return unknown_value;
    }
    from = comma + 1;
  }
  return result_of(letters, equation);
}

// --- Two tensors ---

/// `a + b`, however it is written.
static Followed two(const Operator *op, const char *sign)
{
  Followed other = forward_argument_value(op, 0, NULL);
  Followed given = forward_of_element(forward_tensor(*op->given), op->element);
  return other.kind == FOLLOWED_UNKNOWN ? unknown_value
                                        : forward_binary(op->walk, op->call->node, str_from(sign), &given, &other);
}

static Followed sum(const Operator *op)
{
  return two(op, "+");
}

static Followed difference(const Operator *op)
{
  return two(op, "-");
}

static Followed product(const Operator *op)
{
  return two(op, "*");
}

static Followed quotient(const Operator *op)
{
  return two(op, "/");
}

static Followed power(const Operator *op)
{
  return two(op, "**");
}

static Followed matrices(const Operator *op)
{
  return two(op, "@");
}

/// mm() and bmm() broadcast nothing.
static Followed plain_matrices(const Operator *op, int rank)
{
  Followed other = forward_argument_value(op, 0, NULL);
  Arena *arena = forward_arena(op);
  bool is_wrong = other.kind == FOLLOWED_TENSOR && (op->given->rank != rank || other.shape.rank != rank);
  if (is_wrong)
    return forward_refused(
        op, arena_printf(arena, "multiplies tensors of shapes %.*s and %.*s by a function for %d axes",
                         STR_ARG(shape_text(op->given, arena)), STR_ARG(shape_text(&other.shape, arena)), rank));
  return matrices(op);
}

static Followed mm(const Operator *op)
{
  return plain_matrices(op, 2);
}

static Followed bmm(const Operator *op)
{
  return plain_matrices(op, 3);
}

/// `torch.where(mask, a, b)`
static Followed choice(const Operator *op)
{
  Followed a = forward_argument_value(op, 0, "input"), b = forward_argument_value(op, 1, "other");
  Followed mask = forward_tensor(*op->given);
  if (op->first == 0 || a.kind == FOLLOWED_UNKNOWN || b.kind == FOLLOWED_UNKNOWN)
    return unknown_value;
  Followed both = forward_binary(op->walk, op->call->node, STR("+"), &a, &b);
  return forward_of_element(forward_binary(op->walk, op->call->node, STR("+"), &mask, &both), both.element);
}

// --- Attention ---

static Followed attention(const Operator *op)
{
  Arena *arena = forward_arena(op);
  Followed key = forward_argument_value(op, 0, "key"), value = forward_argument_value(op, 1, "value");
  Followed mask = forward_argument_value(op, 2, "attn_mask");
  Shape made = *op->given;
  if (mask.kind == FOLLOWED_TENSOR && forward_is_int_element(mask.element))
    return forward_refused(op,
                           arena_printf(arena, "masks attention by a tensor of %.*s, and torch takes bools or floats",
                                        STR_ARG(mask.element)));
  if (key.kind != FOLLOWED_TENSOR || value.kind != FOLLOWED_TENSOR || made.rank < 2 || key.shape.rank != made.rank ||
      value.shape.rank != made.rank)
    return unknown_value;
  int last = made.rank - 1;
  const int64_t pairs[][2] = { { made.sizes[last], key.shape.sizes[last] },
                               { key.shape.sizes[last - 1], value.shape.sizes[last - 1] } };
  for (size_t i = 0; i < COUNT(pairs); i++) {
    if (pairs[i][0] >= 0 && pairs[i][1] >= 0 && pairs[i][0] != pairs[i][1])
      return forward_refused(op, arena_printf(arena,
                                              "runs attention of a query, a key and a value of shapes %.*s, %.*s "
                                              "and %.*s",
                                              STR_ARG(shape_text(&made, arena)), STR_ARG(shape_text(&key.shape, arena)),
                                              STR_ARG(shape_text(&value.shape, arena))));
  }
  Shape scores = made, joined;
  scores.sizes[last] = key.shape.sizes[last - 1];
  if (mask.kind == FOLLOWED_TENSOR && !shape_broadcast(&scores, &mask.shape, &joined))
    return forward_refused(op,
                           arena_printf(arena, "masks attention of shape %.*s by a tensor of shape %.*s",
                                        STR_ARG(shape_text(&scores, arena)), STR_ARG(shape_text(&mask.shape, arena))));
  made.sizes[last] = value.shape.sizes[last];
  return forward_tensor(made);
}

// --- Weights that are given ---

/// `F.linear(x, w)`: the weights are (out, in).
static Followed linear(const Operator *op)
{
  Followed weight = forward_argument_value(op, 0, "weight");
  Shape turned = weight.kind == FOLLOWED_TENSOR ? shape_transpose(&weight.shape, 0, 1) : shape_unknown(), made;
  if (weight.shape.rank != 2 || op->given->rank < 2)
    return unknown_value;
  if (!shape_matmul(op->given, &turned, &made))
    return forward_refused(op, arena_printf(forward_arena(op), "runs linear() of shape %.*s with weights of shape %.*s",
                                            STR_ARG(shape_text(op->given, forward_arena(op))),
                                            STR_ARG(shape_text(&weight.shape, forward_arena(op)))));
  return forward_tensor(made);
}

/// The exporter reads the kernel's sizes. Of one that is read with -1, of something open, the trace knows none. Run
/// with torch 1.13 and 2.6.
static void refuse_open_kernel(const Operator *op, const Followed *weight)
{
  bool is_open = false;
  for (int i = weight->has_rest ? 0 : 2; i < weight->shape.rank; i++)
    is_open |= weight->shape.sizes[i] >= DIM_FACTOR;
  if (op->walk->is_open && is_open)
    forward_refuse_for_exporter(op->walk, op->call->node,
                                STR("convolves with weights whose sizes depend on an axis that dynamic_axes leaves "
                                    "open, and the TorchScript exporter has to know them"));
}

/// What a convolution gives whose window is one number for all axes.
static Followed convolved(const Operator *op, const Shape *weight)
{
  Shape made = *op->given;
  int64_t stride, padding, dilation;
  if (!forward_number(op, 2, "stride", 1, &stride) || !forward_number(op, 3, "padding", 0, &padding) ||
      !forward_number(op, 4, "dilation", 1, &dilation))
    return unknown_value;
  made.sizes[1] = weight->sizes[0];
  for (int i = 2; i < made.rank; i++) {
    ShapeWindow window = { weight->sizes[i], stride, padding, dilation };
    made.sizes[i] = shape_window(made.sizes[i], &window);
  }
  return forward_tensor(made);
}

/// 2 of `F.conv2d()`.
static int dimensions_called(const Operator *op)
{
  Str name = op->call->qualified;
  return name.len > 1 ? name.data[name.len - 2] - '0' : 0;
}

/// `F.conv2d(x, w, groups=3)`: the weights are (out, in / groups, ...).
static Followed convolution(const Operator *op)
{
  Followed weight = forward_argument_value(op, 0, "weight");
  Arena *arena = forward_arena(op);
  int wanted_axes = dimensions_called(op) + 2;
  int64_t groups;
  if (weight.kind != FOLLOWED_TENSOR || op->given->rank < 0 || weight.shape.rank < 0)
    return unknown_value;
  if (weight.shape.rank != wanted_axes)
    return forward_refused(op, arena_printf(arena, "convolves with weights of shape %.*s, which have to have %d axes",
                                            STR_ARG(shape_text(&weight.shape, arena)), wanted_axes));
  if (op->given->rank < 3 || !forward_number(op, 5, "groups", 1, &groups))
    return unknown_value;
  if (weight.shape.rank != op->given->rank)
    return unknown_value;
  int64_t channels = op->given->sizes[1], wanted = weight.shape.sizes[1];
  if (channels >= 0 && wanted > 0 && groups > 0 && channels != wanted * groups)
    return forward_refused(op, arena_printf(arena, "convolves a tensor of shape %.*s with weights of shape %.*s",
                                            STR_ARG(shape_text(op->given, arena)),
                                            STR_ARG(shape_text(&weight.shape, arena))));
  if (op->element.len > 0 && weight.element.len > 0 && !str_equal(op->element, weight.element))
    return forward_refused(op, arena_printf(arena, "convolves a tensor of %.*s with weights of %.*s",
                                            STR_ARG(op->element), STR_ARG(weight.element)));
  refuse_open_kernel(op, &weight);
  return convolved(op, &weight.shape);
}

/// `F.embedding(ids, w)`
static Followed embedding(const Operator *op)
{
  Followed weight = forward_argument_value(op, 0, "weight");
  Shape made = *op->given;
  if (weight.kind != FOLLOWED_TENSOR || weight.shape.rank != 2 || made.rank == PY_SHAPE_RANK_LIMIT)
    return unknown_value;
  made.sizes[made.rank++] = weight.shape.sizes[1];
  return forward_tensor(made);
}

// --- Spectra ---

static bool is_false(const Operator *op, const char *keyword)
{
  const PyModel *model = op->walk->export->model;
  const PyArgument *flag = py_model_argument(model, op->call, PY_ABSENT, keyword);
  return flag && py_kind(&model->tree, py_model_resolve(model, flag->value)) == PYK_FALSE;
}

/// `torch.stft(x, 512, 128, return_complex=False)`: of real input, centered.
static Followed stft(const Operator *op)
{
  int64_t size, hop;
  int last = op->given->rank - 1;
  bool is_known = last >= 0 && last <= 1 && forward_number(op, 0, "n_fft", -1, &size) && size > 1 &&
                  forward_number(op, 1, "hop_length", size / 4, &hop) && hop > 0 && op->given->sizes[last] > 0 &&
                  str_equal(op->element, STR("float32")) && !is_false(op, "onesided");
  Shape made = *op->given;
  if (!is_known)
    return unknown_value;
  int64_t room = is_false(op, "center") ? op->given->sizes[last] - size : op->given->sizes[last];
  made.sizes[last] = size / 2 + 1;
  made.sizes[made.rank++] = room < 0 ? -1 : room / hop + 1;
  if (is_false(op, "return_complex"))
    made.sizes[made.rank++] = 2;
  return forward_tensor(made);
}

const ForwardOperator forward_mixing_operators[] = {
  { "add", sum },
  { "sub", difference },
  { "mul", product },
  { "div", quotient },
  { "pow", power },
  { "maximum", sum },
  { "minimum", sum },
  { "matmul", matrices },
  { "mm", mm },
  { "where", choice },
  { "bmm", bmm },
  { "scaled_dot_product_attention", attention },
  { "linear", linear },
  { "conv1d", convolution },
  { "conv2d", convolution },
  { "conv3d", convolution },
  { "embedding", embedding },
  { "stft", stft },
  { NULL, NULL },
};
