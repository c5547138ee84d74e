// Dynamic axes that forward() takes in one size only: it is gone through again with the axis a thousand times as long,
// and what does not fit then is an equality that torch.export would have to assume. What an export that assumes it
// says: run with torch 2.14, and of torch.export.export() with 2.6, too.

#include "base/limits.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/forward/forward_shapes.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/forward/forward_values.h"

/// An axis of an input that dynamic_shapes, or dynamic_axes, makes dynamic.
typedef struct DynamicAxis {
  size_t input;
  int axis;
  int64_t size;  ///< In the example.
  PyRef node;    ///< Its entry.
  Dimension dimension;
} DynamicAxis;

typedef struct DimsCheck {
  const ExportCall *export;
  const ExportModel *made;
  DynamicAxis axes[PY_SHAPE_INPUT_LIMIT * 2];
  size_t count;
} DimsCheck;

/// Dim.AUTO is whatever comes out, and of Dim("b", min=4, max=4) there is one size.
static bool is_dynamic(const Dimension *dimension)
{
  if (dimension->kind == DIM_NAMED)
    return dimension->name.len > 0 && dimension->scale == 1 && dimension->offset == 0 && dimension->has_bounds &&
           dimension->min < dimension->max;
  return dimension->kind == DIM_STRING || (dimension->kind == DIM_HINT && str_equal(dimension->name, STR("DYNAMIC")));
}

/// False if there are axes of which it is not known what they are.
static bool collect(DimsCheck *check)
{
  const ExampleInputs *inputs = check->export->inputs;
  const PyModel *model = check->export->model;
  for (size_t i = 0; i < inputs->count; i++) {
    const ExampleInput *input = &inputs->items[i];
    ExampleShape shape = input->value && !input->is_rest ? example_shape(model, input->node) : (ExampleShape){ 0 };
    for (int axis = 0; axis < shape.rank; axis++) {
      PyRef node = example_dimension(check->export, input, axis, shape.rank);
      Dimension dimension =
          node ? dimension_read(model, node, check->export->sink->arena) : (Dimension){ .kind = DIM_NONE };
      bool is_other = dimension.kind == DIM_NONE || dimension.kind == DIM_INT ||
                      (dimension.kind == DIM_HINT && str_equal(dimension.name, STR("STATIC")));
      if (is_other)
        continue;
      if (!is_dynamic(&dimension) || i >= PY_SHAPE_INPUT_LIMIT || axis >= PY_SHAPE_RANK_LIMIT ||
          check->count == COUNT(check->axes))
        return false;
      check->axes[check->count++] = (DynamicAxis){ i, axis, shape.sizes[axis], node, dimension };
    }
  }
  return check->count > 0;
}

static void add_open_axis(void *context, const ExampleInput *input, int axis, PyRef node)
{
  DimsCheck *check = context;
  const PyModel *model = check->export->model;
  size_t i = (size_t)(input - check->export->inputs->items);
  ExampleShape shape = input->value ? example_shape(model, input->node) : (ExampleShape){ 0 };
  if (i >= PY_SHAPE_INPUT_LIMIT || axis >= PY_SHAPE_RANK_LIMIT || axis >= shape.rank ||
      check->count == COUNT(check->axes))
    return;
  Str name = arena_printf(check->export->sink->arena, "%.*s, axis %d", STR_ARG(input->name), axis);
  check->axes[check->count++] =
      (DynamicAxis){ i, axis, shape.sizes[axis], node, (Dimension){ .kind = DIM_STRING, .name = name } };
}

typedef enum Together {
  SAME_NAME,
  SAME_SIZE,  ///< In the example, so that they may have to be the same.
  ALL_AXES,
} Together;

static bool is_together(const DynamicAxis *axis, const DynamicAxis *other, Together together)
{
  bool is_named = axis->dimension.kind == DIM_NAMED || axis->dimension.kind == DIM_STRING;
  bool is_same = axis == other || (is_named && axis->dimension.kind == other->dimension.kind &&
                                   str_equal(axis->dimension.name, other->dimension.name));
  return is_same || together == ALL_AXES || (together == SAME_SIZE && axis->size == other->size);
}

/// Goes through forward() with the axes longer that go together with `axis`.
static ShapeWalk try_axes(const DimsCheck *check, const DynamicAxis *axis, Together together)
{
  DimTrial *trial = ARENA_NEW(check->export->sink->arena, DimTrial);
  ShapeWalk walk = { .export = check->export, .trial = trial, .steps = PY_TRACING_WORK };
  walk.is_of_trace = check->export->kind == EXPORT_TRACES;
  for (size_t i = 0; i < check->count; i++) {
    const DynamicAxis *other = &check->axes[i];
    trial->is_scaled[other->input][other->axis] |= is_together(axis, other, together);
  }
  // Sizes of 0 and 1 are never assumed.
  if (together == SAME_NAME && axis->dimension.kind == DIM_NAMED && check->export->is_capture && axis->size > 1) {
    walk.low = axis->dimension.min > 2 ? axis->dimension.min : 2;
    walk.high = axis->dimension.max;
    walk.size = axis->size;
  }
  forward_shapes_run_model(&walk, check->made);
  return walk;
}

/// What torch.export assumes: it takes what is not written in a reshape for granted, and where two axes are free, the
/// one for a function of the other.
static bool is_assumed(const DimsCheck *check, const ShapeWalk *walk)
{
  if (walk->why.len == 0)
    return false;
  if (!walk->is_reshape)
    return true;
  return (walk->exact > 0 && check->export->is_capture) || (check->count == 1 && walk->is_whole);
}

static void say(const DimsCheck *check, const DynamicAxis *axis, PyRef where, bool is_equality)
{
  const ExportCall *export = check->export;
  DiagSink *sink = export->sink;
  // torch.onnx.export() drops a Dim() that can't be, and says so.
  bool is_dropped = axis->dimension.kind == DIM_NAMED && !export->is_capture;
  Severity severity = is_dropped ? SEVERITY_WARNING : (Severity)SEVERITY_DEFAULT;
  if (!sink_wants(sink, RULE_DYNAMIC_SHAPES_DIM, severity))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, where), STR("It is here.") };
  Str message =
      is_equality
          ? arena_printf(sink->arena,
                         "forward() takes this axis only as long as another one, so '%.*s' is no dimension of its own: "
                         "give both axes the same Dim.",
                         STR_ARG(axis->dimension.name))
          : arena_printf(sink->arena, "forward() takes size %lld on this axis and no other, so it %s.",
                         (long long)axis->size, is_dropped ? "stays fixed in the model" : "can't be dynamic");
  py_report(sink, RULE_DYNAMIC_SHAPES_DIM, severity, axis->node,
            (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

/// Of an assert and of torch._check() torch 2.6 makes a check of the program, and of `if` it does not.
static bool is_checked_later(const DimsCheck *check, PyRef asked)
{
  const PyTree *tree = &check->export->model->tree;
  PyRef around = tree->nodes[asked].parent;
  while (around &&
         (py_kind(tree, around) == PYK_ARGUMENT_LIST || py_kind(tree, around) == PYK_PARENTHESIZED_EXPRESSION))
    around = tree->nodes[around].parent;
  return !export_torch_is_from(check->export->file, 2, 9) &&
         (py_kind(tree, around) == PYK_ASSERT_STATEMENT || py_kind(tree, around) == PYK_CALL);
}

static void say_range(const DimsCheck *check, const DynamicAxis *axis, const ShapeWalk *walk)
{
  DiagSink *sink = check->export->sink;
  if (!sink_wants(sink, RULE_DYNAMIC_SHAPES_DIM, OWN) || is_checked_later(check, walk->where))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, walk->where), STR("It is here.") };
  py_report(sink, RULE_DYNAMIC_SHAPES_DIM, OWN, axis->node,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "forward() asks whether `%.*s`, and not all sizes of '%.*s' give the "
                                                  "same answer, which torch.export refuses: give the Dim a range in "
                                                  "which they do.",
                                                  STR_ARG(walk->why), STR_ARG(axis->dimension.name)),
                          .related = related,
                          .related_count = 1 });
}

/// Goes through forward() with the axis so much longer; whether it is refused.
static bool is_refused_at(const DimsCheck *check, const DynamicAxis *axis, int64_t added, ShapeWalk *ret_walk)
{
  DimTrial *trial = ARENA_NEW(check->export->sink->arena, DimTrial);
  for (size_t i = 0; i < check->count; i++)
    trial->is_scaled[check->axes[i].input][check->axes[i].axis] |= is_together(axis, &check->axes[i], SAME_NAME);
  trial->added = added;
  *ret_walk = (ShapeWalk){ .export = check->export, .trial = trial, .steps = PY_TRACING_WORK };
  forward_shapes_run_model(ret_walk, check->made);
  return ret_walk->why.len > 0;
}

/// `x.reshape(n // 4, 4)`: a Dim that takes every size is refused, `4 * Dim("n")` is not. Torch 2.6 compares less of
/// what layers give. Run with torch 2.6 and 2.14. True if that is said.
static bool check_steps(const DimsCheck *check, const DynamicAxis *axis)
{
  enum { STEPS = 64 };
  const Dimension *dimension = &axis->dimension;
  DiagSink *sink = check->export->sink;
  ShapeWalk refused, other;
  int64_t one = axis->size < dimension->max ? 1 : -1, step = 2;
  if (dimension->kind != DIM_NAMED || !check->export->is_capture || axis->size < 2 ||
      !is_refused_at(check, axis, one, &refused) ||
      (!refused.is_reshape && !export_torch_is_from(check->export->file, 2, 9)))
    return false;
  while (step <= STEPS && (axis->size % step != 0 || is_refused_at(check, axis, one * step, &other)))
    step++;
  if (step > STEPS || !sink_wants(sink, RULE_DYNAMIC_SHAPES_DIM, OWN))
    return false;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, refused.where), STR("It is here.") };
  py_report(sink, RULE_DYNAMIC_SHAPES_DIM, OWN, axis->node,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "forward() takes only multiples of %lld on this axis, and '%.*s' may "
                                                  "be any size, which torch.export refuses: write %lld * Dim(...).",
                                                  (long long)step, STR_ARG(dimension->name), (long long)step),
                          .related = related,
                          .related_count = 1 });
  return true;
}

/// Whether what is refused is a size that this axis and another one make together.
static bool is_product(const ShapeWalk *alone, const ShapeWalk *all)
{
  bool is_it = false;
  for (int i = 0; alone->where == all->where && alone->refused.rank == all->refused.rank && i < all->refused.rank; i++)
    is_it |= alone->refused.sizes[i] >= DIM_FACTOR && all->refused.sizes[i] / alone->refused.sizes[i] >= DIM_FACTOR / 2;
  return is_it;
}

void forward_dims_check(const ExportCall *export, const ExportModel *made)
{
  if (export->kind != EXPORT_DYNAMO || export->is_draft || made->forward == PY_ABSENT || !export->inputs->is_known ||
      (!export->is_capture && !export_torch_is_from(export->file, 2, 9)) || export_is_in_context(export, STR("patch")))
    return;
  DimsCheck *check = ARENA_NEW(export->sink->arena, DimsCheck);
  check->export = export;
  check->made = made;
  if (!export_argument(export, "dynamic_shapes"))
    forward_each_open_axis(export, made, add_open_axis, check);
  if (check->count == 0 && !collect(check))
    return;
  ShapeWalk all = try_axes(check, &check->axes[0], ALL_AXES);
  for (size_t i = 0; i < check->count; i++) {
    const DynamicAxis *axis = &check->axes[i];
    ShapeWalk alone = try_axes(check, axis, SAME_NAME);
    if (alone.is_range) {
      say_range(check, axis, &alone);
      return;
    }
    if (alone.why.len == 0 && check_steps(check, axis))
      return;
    if (!is_assumed(check, &alone))
      continue;
    ShapeWalk some = alone.where == all.where ? alone : try_axes(check, axis, SAME_SIZE);
    // Of `h * w == 64` torch.export makes a check of the program, and fixes nothing; of `h // 2 == 4`, too, but for a
    // Dim.
    bool is_free_dim = axis->dimension.kind == DIM_NAMED && export->is_capture;
    bool is_open = is_product(&alone, &all) || (alone.is_divided && !is_free_dim);
    bool is_fixed = is_assumed(check, &some) && is_assumed(check, &all) && all.where == some.where &&
                    all.exact == some.exact && !is_open;
    // Only Dim() of torch.export.export() is held to be free of all other dimensions.
    bool is_equality = all.why.len == 0 && !alone.is_reshape && axis->dimension.kind == DIM_NAMED && export->is_capture;
    if (is_fixed || is_equality) {
      say(check, axis, is_equality ? alone.where : some.where, is_equality);
      return;
    }
  }
}

// --- dynamic_axes ---

bool forward_open_axes_check(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  DiagSink *sink = export->sink;
  if (export->kind != EXPORT_TRACES || made->forward == PY_ABSENT || !export->inputs->is_known ||
      !export_argument(export, "dynamic_axes") || export_is_in_context(export, STR("patch")) ||
      py_model_mentions(model, "aten::adaptive_"))
    return false;
  uint32_t *open_axes = ARENA_ARRAY(sink->arena, uint32_t, model->params.count);
  DimTrial *trial = ARENA_NEW(sink->arena, DimTrial);
  ShapeWalk walk = { .export = export, .trial = trial, .steps = PY_TRACING_WORK, .is_open = true };
  forward_note_axes(export, made, open_axes);
  const PyFunction *forward = &model->functions.items[made->forward];
  for (size_t i = 0; i < export->inputs->count && i < PY_SHAPE_INPUT_LIMIT; i++) {
    for (uint32_t k = 1; k < forward->param_count; k++) {
      if (!str_equal(py_model_params(model, forward)[k].name, export->inputs->items[i].name))
        continue;
      for (int axis = 0; axis < PY_SHAPE_RANK_LIMIT; axis++)
        trial->is_scaled[i][axis] = (open_axes[forward->first_param + k] >> axis & 1) != 0;
    }
  }
  forward_shapes_run_model(&walk, made);
  if (!walk.is_of_exporter || !sink_wants(sink, forward_rule_of_exporter(&walk), OWN))
    return false;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, export_argument(export, "dynamic_axes")->value),
                                STR("The axes are open here.") };
  py_report(sink, forward_rule_of_exporter(&walk), OWN, walk.where,
            (Diagnostic){ .message = forward_words_of_exporter(&walk, "the dynamic axes", sink->arena),
                          .related = related,
                          .related_count = 1 });
  return true;
}

/// What is wrong with other sizes of the axes, alone and together. Where a layer with strides made the axis shorter, or
/// what has to be is a product of two, there may be a few that fit.
static bool is_fixed(const DimsCheck *check, const DynamicAxis *axis, const ShapeWalk *all, ShapeWalk *ret_walk,
                     bool *ret_has_others)
{
  ShapeWalk alone = try_axes(check, axis, SAME_NAME);
  ShapeWalk some = alone.why.len > 0 && alone.where != all->where ? try_axes(check, axis, SAME_SIZE) : alone;
  *ret_walk = some;
  *ret_has_others = is_product(&alone, all) || alone.is_divided;
  return alone.why.len > 0 && some.why.len > 0 && some.where == all->where;
}

static void say_fixed(const DimsCheck *check, const DynamicAxis *axis, const ShapeWalk *walk, bool has_others)
{
  DiagSink *sink = check->export->sink;
  if (walk->is_said || !sink_wants(sink, RULE_TRACED_CONSTANT, SEVERITY_WARNING))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, axis->node), STR("The axis is open here.") };
  Str message =
      walk->is_frozen
          ? arena_printf(sink->arena, "This %.*s that dynamic_axes leaves open: the trace keeps that of the example.",
                         STR_ARG(walk->why))
      : has_others
          ? STR("This takes hardly any other sizes of the axes that dynamic_axes leaves open than those of the example.")
          : arena_printf(sink->arena,
                         "This takes only size %lld of an axis that dynamic_axes leaves open: that of the "
                         "example.",
                         (long long)axis->size);
  py_report(sink, RULE_TRACED_CONSTANT, SEVERITY_WARNING, walk->where,
            (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

void forward_fixed_axes_check(const ExportCall *export, const ExportModel *made)
{
  if (export->kind != EXPORT_TRACES || made->forward == PY_ABSENT || !export->inputs->is_known ||
      export_is_in_context(export, STR("patch")))
    return;
  DimsCheck *check = ARENA_NEW(export->sink->arena, DimsCheck);
  check->export = export;
  check->made = made;
  forward_each_open_axis(export, made, add_open_axis, check);
  if (check->count == 0)
    return;
  ShapeWalk all = try_axes(check, &check->axes[0], ALL_AXES), walk;
  bool has_others;
  for (size_t i = 0; i < check->count && all.why.len > 0; i++) {
    if (!is_fixed(check, &check->axes[i], &all, &walk, &has_others))
      continue;
    say_fixed(check, &check->axes[i], &walk, has_others);
    return;
  }
}
