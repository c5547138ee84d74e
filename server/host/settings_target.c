// What settings ask for, as far as it exists: the torch version, exporter, opsets and runtime of the target.

#include "facts/export_api.h"
#include "facts/messages.h"
#include "facts/runtime.h"
#include "host/overlays.h"
#include "host/settings.h"

/// An exporter that this torch does not have gives way to the one that every torch has.
static OpsetRange choose_exporter(const Settings *settings, uint32_t torch, Target *values, Buffer *problems)
{
  OpsetRange range = { 0 };
  values->exporter = settings->exporter;
  if (symbolics_opset_range(target_db(values), torch, settings->exporter, &range))
    return range;
  values->exporter = EXPORTER_TORCHSCRIPT;
  symbolics_opset_range(target_db(values), torch, EXPORTER_TORCHSCRIPT, &range);
  buffer_printf(problems, "\"exporter\" is %s, which torch %.*s does not have, so %s is used\n",
                exporter_name(settings->exporter), STR_ARG(values->torch), exporter_name(values->exporter));
  return range;
}

/// For graphs that only the dynamo exporter takes: it makes models below its lowest opset at that one.
static int choose_dynamo_opset(int wanted, uint32_t torch, const Target *values)
{
  OpsetRange range = { 0 };
  if (!symbolics_opset_range(target_db(values), torch, EXPORTER_DYNAMO, &range))
    return 0;
  return wanted == 0 ? range.standard : wanted > range.max ? range.max : wanted;
}

static int choose_opset(int wanted, OpsetRange range, const Target *values, Buffer *problems)
{
  if (wanted == 0)
    return range.standard;
  if (wanted >= range.min && wanted <= range.max)
    return wanted;
  // Nobody chose an exporter, and another one has this opset.
  if (str_equal(values->exporter_origin, STR("default")) && wanted > range.max && wanted <= values->dynamo_opset)
    return range.max;
  buffer_printf(problems,
                "\"opset\" is %d; the %s exporter of torch %.*s has opsets %d to %d, of which it takes %d by itself\n",
                wanted, exporter_title(values->exporter), STR_ARG(values->torch), range.min, range.max, range.standard);
  return range.standard;
}

Facts *settings_facts(const Settings *settings, Buffer *problems)
{
  return overlays_load(settings->db_paths, settings->db_path_count, problems);
}

/// Whether the version that is asked for is older than the oldest that is known.
static bool is_before_all(const SymbolicsDb *db, Str torch)
{
  TorchRelease wanted;
  return export_api_parse_release(str_trim(torch), &wanted) &&
         !torch_release_reached(wanted, export_api_torch_release(db, 0));
}

static Str origin_or_default(Str origin)
{
  return origin.len > 0 ? origin : STR("default");
}

static void choose_runtime(const Settings *settings, Target *values)
{
  RuntimeChoice choice;
  if (settings->runtime.len == 0 || !symbolics_resolve_runtime(target_db(values), settings->runtime, &choice))
    return;
  values->runtime = settings->runtime;
  values->runtime_origin = settings->runtime_origin;
  values->measured_runtime = choice.measured;
}

/// The one that is named, and whether it goes with the torch that is named, which need not be one that the facts know.
static void choose_onnxscript(const Settings *settings, Target *values)
{
  size_t end;
  Str needed = symbolics_onnxscript_for(target_db(values), release_read(str_trim(settings->torch), &end));
  Release used = release_read(settings->onnxscript, &end);
  values->onnxscript = settings->onnxscript;
  values->onnxscript_origin = settings->onnxscript_origin;
  if (used.count > 0 && needed.len > 0 && release_compare(used, release_read(needed, &end)) < 0)
    values->onnxscript_needed = needed;
}

/// Where the version was said, and which, if the facts are those of another one.
static Str torch_origin(const Settings *settings, const Target *values, Arena *arena)
{
  if (values->torch_is_default)
    return STR("default");
  if (!values->torch_is_between)
    return settings->torch_origin;
  return arena_printf(arena, "%.*s says %.*s", STR_ARG(settings->torch_origin), STR_ARG(str_trim(settings->torch)));
}

Target *settings_target_over(const Settings *settings, const Facts *facts, Buffer *problems)
{
  Arena arena = { 0 };
  const SymbolicsDb *db = facts_db(facts);
  const Str *versions;
  TorchChoice choice = { 0 };
  size_t count = symbolics_torch_versions(db, &versions);
  if (!symbolics_resolve_torch(db, settings->torch, &choice))
    symbolics_resolve_torch(db, STR("auto"), &choice);
  Target values = {
    .facts = facts,
    .torch = choice.torch < count ? versions[choice.torch] : STR(""),
    .torch_is_default = settings->torch.len == 0 || str_equal(settings->torch, STR("auto")),
    .torch_is_between = !choice.is_exact,
    .torch_meant = choice.is_exact ? (Str){ 0 } : str_trim(settings->torch),
    .torch_is_before = !choice.is_exact && is_before_all(db, settings->torch),
    .exporter_origin = origin_or_default(settings->exporter_origin),
    .max_diagnostics = settings->max_diagnostics,
    .groups = settings->groups,
    .hides_argument_names = settings->hides_argument_names,
    .hides_constant_values = settings->hides_constant_values,
    .hides_input_names = settings->hides_input_names,
    .hides_opsets = settings->hides_opsets,
    .source_roots = settings->source_roots,
    .source_root_count = settings->source_root_count,
    .path_mappings = settings->path_mappings,
    .path_mapping_count = settings->path_mapping_count,
  };
  OpsetRange range = choose_exporter(settings, choice.torch, &values, problems);
  values.dynamo_opset = choose_dynamo_opset(settings->opset, choice.torch, &values);
  values.opset = choose_opset(settings->opset, range, &values, problems);
  values.opset_is_default = settings->opset != values.opset;
  values.torch_origin = torch_origin(settings, &values, &arena);
  values.opset_origin = values.opset_is_default ? STR("default") : settings->opset_origin;
  choose_runtime(settings, &values);
  choose_onnxscript(settings, &values);
  memcpy(values.severities, settings->severities, sizeof(values.severities));
  Target *target = target_new(&values);
  arena_done(&arena);
  return target;
}

Target *settings_target(const Settings *settings, Buffer *problems)
{
  Facts *facts = settings_facts(settings, problems);
  Target *target = settings_target_over(settings, facts, problems);
  facts_release(facts);
  return target;
}
