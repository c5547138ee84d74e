#include "graph/torchscript/torchscript.h"

#include "graph/graph_language.h"
#include "graph/torchscript/diagnose_line.h"
#include "graph/torchscript/torchscript_parser.h"

/// `%4 : int = prim::Constant[…` or `%x.1, %y = aten::split(…`: a value, then an operator with a namespace.
static bool looks_like_statement(Str line)
{
  if (line.len < 2 || line.data[0] != '%')
    return false;
  size_t equals = str_find(line, STR(" = "), 0);
  if (equals == STR_NOT_FOUND)
    return false;
  Str right = str_slice(line, equals + 3, line.len);
  size_t bracket = 0;
  while (bracket < right.len && right.data[bracket] != '(' && right.data[bracket] != '[')
    bracket++;
  Str op = str_slice(right, 0, bracket);
  return bracket < right.len && (str_contains(op, STR("::")) || str_starts_with(op, STR("^")));
}

/// `graph():` may be an FX graph as well, so it counts for nothing.
static bool is_torchscript_line(Str line)
{
  size_t graph = str_find(line, STR("graph("), 0);
  if (graph != STR_NOT_FOUND && graph + 6 < line.len && line.data[graph + 6] == '%')
    return true;
  // `graph {` is a field of a textproto: between the blanks of a printable graph is its name, even if that is empty.
  bool is_printable = str_starts_with(line, STR("graph ")) && !str_equal(line, STR("graph {")) &&
                      (str_ends_with(line, STR("(")) || str_ends_with(line, STR("{")));
  return is_printable || looks_like_statement(line);
}

static const GraphDialect torchscript_dialect = {
  .name_sign = '%',
  .parser_new = torchscript_parser_new,
  .parser_free = torchscript_parser_free,
  .parse = torchscript_parse,
  .diagnose = torchscript_diagnose_line,
};

const Language torchscript_language = {
  .name = "torch-ir",
  .title = "a TorchScript graph",
  .sets = IN_GRAPHS | IN_TORCHSCRIPT,
  .is_printed = true,
  .endings = (const LanguageEnding[]){ { STR_INIT(".torchir"), false },
                                       { STR_INIT(".tsir"), false },
                                       { STR_INIT(".graph.txt"), false },
                                       { STR_INIT(".log"), true },
                                       { STR_INIT(".txt"), true },
                                       { { 0 }, false } },
  .sniff_line = is_torchscript_line,
  .dialect = &torchscript_dialect,
  GRAPH_LANGUAGE,
};
