// What the facts know of runtimes, of arguments of the export call, and of names of torch.onnx.

#include "base/buffer.h"
#include "describe/kernel_words.h"
#include "facts/export_api.h"
#include "why/pick.h"

/// The oldest known runtime that takes an IR version or opset; NULL if none does.
static const RuntimeFacts *first_runtime(const Why *why, int opset, int ir)
{
  const MessageTable *table = symbolics_messages(why->db, 0);
  for (size_t i = 0; i < table->runtime_count; i++) {
    if (table->runtimes[i].opset >= opset && table->runtimes[i].ir >= ir)
      return &table->runtimes[i];
  }
  return NULL;
}

static int number_of(Str text)
{
  uint64_t value = 0;
  return str_to_uint(text, INT16_MAX, &value) ? (int)value : 0;
}

static void add_limit(const Why *why, Str what, int opset, int ir, Additions *to)
{
  const RuntimeFacts *runtime = opset + ir > 0 ? first_runtime(why, opset, ir) : NULL;
  if (runtime)
    buffer_printf(&to->fix, " ONNX Runtime %.*s takes %.*s %d (measured; a release just before it may, too).",
                  STR_ARG(runtime->version), STR_ARG(what), opset + ir);
}

enum { OLDEST_OPSET_RUN = 7 };

/// Whether a later version of the operator took the place of `since` before the first opset that ONNX Runtime runs.
static bool is_too_old(const Why *why, Str operator_, uint32_t since)
{
  const OnnxOperator *op = symbolics_onnx_operator(why->db, (Str){ 0 }, operator_);
  for (uint32_t i = 0; op && i < op->version_count; i++) {
    if (op->versions[i].since > since && op->versions[i].since <= OLDEST_OPSET_RUN)
      return since > 0;
  }
  return false;
}

static void add_kernels(const Why *why, Str operator_, uint32_t since, Additions *to)
{
  if (is_too_old(why, operator_, since)) {
    buffer_printf(&to->cause, " The model is of an opset below %d, and ONNX Runtime has kernels from opset %d on only.",
                  OLDEST_OPSET_RUN, OLDEST_OPSET_RUN);
    buffer_printf(&to->fix, " Export it again with a newer opset_version, or raise its opset with"
                            " onnx.version_converter.convert_version().");
    return;
  }
  Arena arena = { 0 };
  Str words = kernel_types_words(why->db, operator_, since, 0, &arena);
  if (words.len > 0)
    buffer_printf(&to->cause,
                  " The CPU provider has no kernel of %.*s for %.*s. An input of one of them is the usual reason.",
                  STR_ARG(operator_), STR_ARG(words));
  arena_done(&arena);
}

void why_about_runtime(const Why *why, const Hit *hit, uint32_t about, Additions *to)
{
  if (about & ABOUT_KERNEL)
    add_kernels(why, why_operator(why, hit), (uint32_t)number_of(why_hole(why, hit, STR("opset"))), to);
  if (about & ABOUT_RUNTIME_IR)
    add_limit(why, STR("IR version"), 0, number_of(why_hole(why, hit, STR("ir"))), to);
  if (about & ABOUT_RUNTIME_OPSET)
    add_limit(why, STR("opset"), number_of(why_hole(why, hit, STR("opset"))), 0, to);
}

static void add_argument(const Why *why, Str name, Additions *to)
{
  const PyExportArgument *argument = export_api_argument(why->db, name);
  if (!argument) {
    buffer_printf(&to->cause, " No release of torch.onnx.export() that is known has an argument of that name.");
    return;
  }
  if (torch_release_is_set(argument->added))
    buffer_printf(&to->cause, " It was added in torch %u.%u.", argument->added.major, argument->added.minor);
  if (torch_release_is_set(argument->removed))
    buffer_printf(&to->cause, " It was removed in torch %u.%u.", argument->removed.major, argument->removed.minor);
  if (argument->replacement.len > 0)
    buffer_printf(&to->fix, " Write %.*s instead.", STR_ARG(argument->replacement));
  if (argument->words.len > 0)
    buffer_printf(&to->fix, " %.*s", STR_ARG(argument->words));
}

static void add_name(const Why *why, Str name, Additions *to)
{
  Str full = arena_printf(why->arena, "torch.onnx.%.*s", STR_ARG(name));
  const PyApi *api = export_api_name(why->db, full);
  if (!api)
    return;
  if (torch_release_is_set(api->removed))
    buffer_printf(&to->cause, " %.*s was removed in torch %u.%u.", STR_ARG(api->name), api->removed.major,
                  api->removed.minor);
  if (torch_release_is_set(api->added))
    buffer_printf(&to->cause, " %.*s came with torch %u.%u.", STR_ARG(api->name), api->added.major, api->added.minor);
  if (api->replacement.len > 0)
    buffer_printf(&to->fix, " Use %.*s.", STR_ARG(api->replacement));
  if (api->words.len > 0)
    buffer_printf(&to->fix, " %.*s", STR_ARG(api->words));
}

static void add_opset(const Why *why, Str opset_text, Additions *to)
{
  int opset = number_of(opset_text);
  const Str *versions = NULL;
  size_t count = symbolics_torch_versions(why->db, &versions);
  for (uint32_t i = 0; i < count && opset > 0; i++) {
    OpsetRange range;
    if (!symbolics_opset_range(why->db, i, EXPORTER_TORCHSCRIPT, &range))
      continue;
    buffer_printf(&to->cause, " torch %.*s writes opsets %d to %d.", STR_ARG(versions[i]), range.min, range.max);
  }
}

void why_about_python(const Why *why, const Hit *hit, uint32_t about, Additions *to)
{
  if (about & ABOUT_EXPORT_ARGUMENT)
    add_argument(why, why_hole(why, hit, STR("argument")), to);
  if (about & ABOUT_PYTHON_NAME)
    add_name(why, why_hole(why, hit, STR("name")), to);
  if (about & ABOUT_TORCH_OPSET)
    add_opset(why, why_hole(why, hit, STR("opset")), to);
}
