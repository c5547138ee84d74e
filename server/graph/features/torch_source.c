#include "graph/features/torch_source.h"

#include "core/workspace.h"
#include "graph/features/source_path.h"
#include "graph/model/snapshot_dump.h"

enum { FIRST_OPSET = 7 };

typedef struct Search {
  const FeatureContext *context;
  Range origin;
  Str quoted;  ///< `"aten::relu"`
  Str dotted;  ///< `aten.relu.`
  Location found;
} Search;

/// Where a decorator names the operator; a name in the table of another one does not count.
static size_t find_decorator(const Search *search, Str text)
{
  static const Str openers[] = { STR_INIT("_onnx_symbolic("), STR_INIT("@torch_op("), STR_INIT("@onnx_impl(") };
  Str overload = str_slice(search->quoted, 0, search->quoted.len - 1);
  for (size_t at = 0; at < text.len;) {
    size_t end = str_find_char(text, '\n', at);
    Str line = str_slice(text, at, end);
    for (size_t i = 0; i < COUNT(openers); i++) {
      size_t call = str_find(line, openers[i], 0);
      Str rest = call == STR_NOT_FOUND ? (Str){ 0 } : str_slice(line, call + openers[i].len, line.len);
      size_t name = str_find(rest, overload, 0);
      char after = name != STR_NOT_FOUND && name + overload.len < rest.len ? rest.data[name + overload.len] : '\0';
      if (after == '"' || after == '.' || str_contains(rest, search->dotted))
        return at;
    }
    at = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  return STR_NOT_FOUND;
}

/// The name of the function below a decorator.
static bool find_function(Search *search, Str path, Str text, size_t decorator)
{
  size_t at = str_find(text, STR("\ndef "), decorator);
  if (at == STR_NOT_FOUND)
    return false;
  uint32_t line = 1;
  for (size_t i = str_find_char(text, '\n', 0); i < at; i = str_find_char(text, '\n', i + 1))
    line++;
  search->found =
      (Location){ .origin = search->origin, .is_file = true, .path = path, .line = line, .column = STR("def ").len };
  return true;
}

static bool search_file(Search *search, Str file)
{
  const FeatureContext *context = search->context;
  Str path;
  Str text;
  if (!source_path_find(context, file, &path) || !context->read_file ||
      !context->read_file(path, context->arena, &text))
    return false;
  size_t decorator = find_decorator(search, text);
  return decorator != STR_NOT_FOUND && find_function(search, path, text, decorator);
}

/// The newest function up to the opset.
static bool search_symbolics(Search *search, int opset)
{
  for (; opset >= FIRST_OPSET; opset--) {
    Arena *arena = search->context->arena;
    if (search_file(search,
                    arena_printf(arena, "torch/onnx/_internal/torchscript_exporter/symbolic_opset%d.py", opset)) ||
        search_file(search, arena_printf(arena, "torch/onnx/symbolic_opset%d.py", opset)))
      return true;
  }
  return false;
}

/// Of torch itself first: its own win over those of onnxscript.
static bool search_translations(Search *search)
{
  static const char *const files[] = {
    "torch/onnx/_internal/exporter/_torchlib/ops/core.py",
    "torch/onnx/_internal/exporter/_torchlib/ops/nn.py",
    "torch/onnx/_internal/exporter/_torchlib/ops/hop.py",
    "torch/onnx/_internal/exporter/_torchlib/ops/symops.py",
    "onnxscript/function_libs/torch_lib/ops/core.py",
    "onnxscript/function_libs/torch_lib/ops/nn.py",
    "onnxscript/function_libs/torch_lib/ops/fft.py",
    "onnxscript/function_libs/torch_lib/ops/linalg.py",
    "onnxscript/function_libs/torch_lib/ops/special.py",
    "onnxscript/function_libs/torch_lib/ops/prims.py",
    "onnxscript/function_libs/torch_lib/ops/vision.py",
    "onnxscript/function_libs/torch_lib/ops/quantized_decomposed.py",
  };
  for (size_t i = 0; i < COUNT(files); i++) {
    if (search_file(search, str_from(files[i])))
      return true;
  }
  return false;
}

LocationList torch_source_find(const FeatureContext *context, Str op, Range origin)
{
  const Target *target = snapshot_target(context->snapshot);
  const Language *language = snapshot_language(context->snapshot);
  Str name = workspace_graph_name(op);
  size_t colons = str_find(name, STR("::"), 0);
  if (target->source_root_count == 0 || colons == STR_NOT_FOUND)
    return (LocationList){ 0 };
  Search search = { .context = context, .origin = origin };
  search.quoted = arena_printf(context->arena, "\"%.*s\"", STR_ARG(name));
  search.dotted = arena_printf(context->arena, "%.*s.%.*s.", (int)colons, name.data, (int)(name.len - colons - 2),
                               name.data + colons + 2);
  bool is_dynamo = language_exporter(language, target) == EXPORTER_DYNAMO;
  if (!(is_dynamo ? search_translations(&search) : search_symbolics(&search, target->opset)))
    return (LocationList){ 0 };
  Location *items = ARENA_NEW(context->arena, Location);
  *items = search.found;
  return (LocationList){ items, 1 };
}
