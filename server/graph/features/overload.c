// Which overload of a torch operator a line calls: where it does not say, the number and the types of the arguments
// tell.

#include "base/limits.h"
#include "describe/type_text.h"
#include "graph/features/hover_private.h"

typedef struct Call {
  size_t argument_count;
  Str types[LINE_ARGUMENT_LIMIT];  ///< As printed where the values are defined; empty if unknown.
  bool has_types;
} Call;

bool hover_overload_takes(const TorchOverload *overload, size_t argument_count)
{
  return overload->has_varargs ? argument_count >= overload->argument_count
                               : argument_count == overload->argument_count;
}

static void read_types(const OperatorContext *job, const LineView *view, Call *call)
{
  size_t nodes[LINE_ARGUMENT_LIMIT];
  size_t count = line_view_arguments(view, LINE_ARGUMENT_LIMIT, nodes);
  call->has_types = true;
  for (size_t i = 0; i < count && i < LINE_ARGUMENT_LIMIT; i++) {
    NameAt name;
    Place definition;
    if (name_at(job->snapshot, view->start + view->nodes[nodes[i]].start, &name) &&
        name_at_definition(snapshot_dump(job->snapshot), &name, &definition))
      call->types[i] = hover_definition_type(job, definition);
  }
}

/// How badly a value fits: better overloads have a lower sum.
enum { FIT_EXACT = 0, FIT_GENERAL = 1, FIT_CONVERTED = 2, FIT_NOT = 100 };

/// The class of value that a schema's type asks for; TYPE_UNKNOWN for types that say nothing.
static TypeClass wanted_class(Str want)
{
  static const struct {
    Str type;
    TypeClass class;
  } table[] = {
    { STR_INIT("Tensor"), TYPE_TENSOR },   { STR_INIT("int"), TYPE_INT },       { STR_INIT("SymInt"), TYPE_INT },
    { STR_INIT("ScalarType"), TYPE_INT },  { STR_INIT("Layout"), TYPE_INT },    { STR_INIT("MemoryFormat"), TYPE_INT },
    { STR_INIT("float"), TYPE_FLOAT },     { STR_INIT("bool"), TYPE_BOOL },     { STR_INIT("str"), TYPE_STRING },
    { STR_INIT("complex"), TYPE_COMPLEX }, { STR_INIT("Device"), TYPE_DEVICE },
  };
  for (size_t i = 0; i < COUNT(table); i++) {
    if (str_equal(want, table[i].type))
      return table[i].class;
  }
  return TYPE_UNKNOWN;
}

static int fit_single(Str want, TypeClass class)
{
  bool is_number = class == TYPE_INT || class == TYPE_FLOAT || class == TYPE_BOOL || class == TYPE_COMPLEX;
  if (str_equal(want, STR("Scalar")))
    return is_number ? FIT_GENERAL : FIT_NOT;
  TypeClass wanted = wanted_class(want);
  if (wanted == TYPE_UNKNOWN)
    return FIT_GENERAL;
  if (wanted == class)
    return FIT_EXACT;
  return wanted == TYPE_FLOAT && class == TYPE_INT ? FIT_CONVERTED : FIT_NOT;
}

/// Takes `?` off the end of a schema's type.
static bool take_optional(Str *want)
{
  if (!str_ends_with(*want, STR("?")))
    return false;
  want->len--;
  return true;
}

/// Takes `[]` or `[2]` off the end of a schema's type.
static bool take_list(Str *want)
{
  size_t bracket = str_rfind_char(*want, '[');
  if (bracket == STR_NOT_FOUND || !str_ends_with(*want, STR("]")))
    return false;
  want->len = bracket;
  return true;
}

/// How a value of the printed type fits the schema's type.
static int fit_type(Str want, Str type)
{
  bool is_optional = take_optional(&want);
  TypeClass class = type_class(type);
  if (class == TYPE_UNKNOWN || class == TYPE_OTHER)
    return FIT_GENERAL;
  if (class == TYPE_NONE)
    return is_optional ? FIT_EXACT : FIT_NOT;
  if (!take_list(&want))
    return class != TYPE_LIST ? fit_single(want, class) : wanted_class(want) == TYPE_UNKNOWN ? FIT_GENERAL : FIT_NOT;
  if (class != TYPE_LIST)
    return FIT_NOT;
  // One level is enough to tell overloads apart.
  take_optional(&want);
  TypeClass element = type_class(type_element(type));
  return element == TYPE_LIST || element == TYPE_OTHER || element == TYPE_NONE ? FIT_GENERAL
                                                                               : fit_single(want, element);
}

static int fit_call(const TorchOverload *overload, const Call *call)
{
  int sum = 0;
  for (size_t i = 0; i < overload->argument_count && i < call->argument_count && i < LINE_ARGUMENT_LIMIT; i++)
    sum += fit_type(overload->arguments[i].type, call->types[i]);
  return sum;
}

/// The overload of that name in the target's version, else in any.
static const TorchOverload *named_overload(const OperatorContext *job, const TorchOperator *op, Str name)
{
  const TorchOverload *found = NULL;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (str_equal(overload->overload, name) && (!found || (overload->torch_versions & (1u << job->torch))))
      found = overload;
  }
  return found;
}

const TorchOverload *hover_overload_that_fits(const OperatorContext *job, const LineView *view, Place place)
{
  OperatorName name = dialect_operator_name(snapshot_dialect(job->snapshot), line_view_operator(view), job->arena);
  const TorchOperator *op = operator_context_torch(job, name.name);
  if (!op)
    return NULL;
  if (name.has_overload)
    return named_overload(job, op, name.overload);
  Call call = { .argument_count = line_view_arguments(view, 0, NULL) };
  const TorchOverload *best = NULL;
  int best_fit = 0;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!(overload->torch_versions & (1u << job->torch)) || !hover_overload_takes(overload, call.argument_count))
      continue;
    // Types cost a look at the arguments' definitions, which a single candidate does not need.
    if (best && !call.has_types) {
      read_types(job, view, &call);
      best_fit = fit_call(best, &call);
    }
    int fit = call.has_types ? fit_call(overload, &call) : 0;
    if (best && fit >= best_fit)
      continue;
    best = overload;
    best_fit = fit;
  }
  return best;
}
