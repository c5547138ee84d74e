// Which overload of a torch operator a line calls: dumps never say, so the number and the types of the arguments tell.

#include "features/hover_private.h"
#include "features/type_text.h"

enum { ARGUMENT_LIMIT = 24 };

typedef struct Call {
  size_t argument_count;
  Str types[ARGUMENT_LIMIT];  ///< As printed where the values are defined; empty if unknown.
  bool has_types;
} Call;

bool overload_takes(const TorchOverload *overload, size_t argument_count)
{
  return overload->has_varargs ? argument_count >= overload->argument_count
                               : argument_count == overload->argument_count;
}

static void read_types(const HoverJob *job, const LineView *view, Call *call)
{
  size_t nodes[ARGUMENT_LIMIT];
  size_t count = line_view_arguments(view, ARGUMENT_LIMIT, nodes);
  call->has_types = true;
  for (size_t i = 0; i < count && i < ARGUMENT_LIMIT; i++) {
    NameAt name;
    Place definition;
    if (name_at(job->snapshot, view->start + view->nodes[nodes[i]].start, &name) &&
        name_definition(job->dump, &name, &definition))
      call->types[i] = definition_type(job, definition);
  }
}

static bool is_number(TypeClass class)
{
  return class == TYPE_INT || class == TYPE_FLOAT || class == TYPE_BOOL || class == TYPE_COMPLEX;
}

/// Can a value of the printed type be passed where the schema asks for a single value of type `want`?
static bool single_fits(Str want, TypeClass class)
{
  if (str_equal(want, STR("Tensor")))
    return class == TYPE_TENSOR;
  if (str_equal(want, STR("Scalar")))
    return is_number(class);
  if (str_equal(want, STR("float")))
    return class == TYPE_FLOAT || class == TYPE_INT;
  if (str_equal(want, STR("bool")))
    return class == TYPE_BOOL;
  if (str_equal(want, STR("str")))
    return class == TYPE_STRING;
  if (str_equal(want, STR("Device")))
    return class == TYPE_DEVICE;
  if (str_equal(want, STR("complex")))
    return class == TYPE_COMPLEX;
  static const Str integers[] = { STR_INIT("int"), STR_INIT("SymInt"), STR_INIT("ScalarType"), STR_INIT("Layout"),
                                  STR_INIT("MemoryFormat") };
  for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
    if (str_equal(want, integers[i]))
      return class == TYPE_INT;
  }
  return true;
}

static bool type_fits(Str want, Str type)
{
  TypeClass class = type_class(type);
  bool is_optional = str_ends_with(want, STR("?"));
  if (class == TYPE_UNKNOWN || class == TYPE_OTHER)
    return true;
  if (class == TYPE_NONE)
    return is_optional;
  if (is_optional)
    want.len--;
  size_t bracket = str_rfind_char(want, '[');
  bool wants_list = bracket != STR_NOT_FOUND && str_ends_with(want, STR("]"));
  if (wants_list != (class == TYPE_LIST))
    return want.len > 0 && want.data[0] == 't';  // A type variable stands for anything.
  if (!wants_list)
    return single_fits(want, class);
  Str element = str_slice(want, 0, bracket);
  return type_fits(element, type_element(type));
}

static size_t count_conflicts(const TorchOverload *overload, const Call *call)
{
  size_t conflicts = 0;
  for (size_t i = 0; i < overload->argument_count && i < call->argument_count && i < ARGUMENT_LIMIT; i++)
    conflicts += !type_fits(overload->arguments[i].type, call->types[i]);
  return conflicts;
}

const TorchOverload *fitting_overload(const HoverJob *job, const LineView *view, Place place)
{
  const TorchOperator *op = symbolics_torch_operator(job->db, place_operator(job, place));
  if (!op)
    return NULL;
  Call call = { .argument_count = line_view_arguments(view, 0, NULL) };
  const TorchOverload *best = NULL;
  size_t best_conflicts = SIZE_MAX;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!(overload->torch_versions & (1u << job->torch)) || !overload_takes(overload, call.argument_count))
      continue;
    if (best && !call.has_types) {
      read_types(job, view, &call);
      best_conflicts = count_conflicts(best, &call);
    }
    size_t conflicts = call.has_types ? count_conflicts(overload, &call) : 0;
    if (best && conflicts >= best_conflicts)
      continue;
    best = overload;
    best_conflicts = conflicts;
  }
  return best;
}
