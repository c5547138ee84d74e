#include "graph/fx/fx.h"

#include "base/ascii.h"
#include "graph/fx/fx_parser.h"
#include "graph/graph_language.h"

// --- What tells its lines from others ---

/// `add = torch.ops.aten.add.Tensor(`, with a type or without one. People don't write the overload.
static bool calls_operator(Str line)
{
  static const Str call = STR_INIT(" = torch.ops.");
  size_t at = str_find(line, call, 0);
  if (at == STR_NOT_FOUND || str_find_char(str_slice(line, 0, at), '(', 0) != STR_NOT_FOUND)
    return false;
  Str path = str_slice(line, at + call.len, line.len);
  path = str_slice(path, 0, str_find_char(path, '(', 0));
  size_t dot = str_find_char(path, '.', 0);
  return dot != STR_NOT_FOUND && str_find_char(path, '.', dot + 1) != STR_NOT_FOUND &&
         str_find_char(path, ' ', 0) == STR_NOT_FOUND;
}

/// `;  add = lin = None`: only generated code gives names up so.
static bool gives_names_up(Str line)
{
  size_t semicolon = str_find(line, STR(";  "), 0);
  bool ends = str_ends_with(line, STR(" = None")) || str_ends_with(line, STR(" = None\x1b[0m"));
  return semicolon != STR_NOT_FOUND && ends;
}

static bool is_table_header(Str line)
{
  return str_starts_with(line, STR("opcode ")) && str_contains(line, STR(" target ")) &&
         str_ends_with(line, STR(" kwargs"));
}

static bool is_fx_line(Str line)
{
  line = str_trim(str_slice(line, fx_log_prefix(line), line.len));
  bool is_class = str_starts_with(line, STR("class GraphModule(torch.nn.Module)")) ||
                  str_starts_with(line, STR("class <lambda>(torch.nn.Module)"));
  return str_contains(line, STR("[num_users=")) || str_contains(line, STR("[#users=")) || is_class ||
         str_equal(line, STR("ExportedProgram:")) || calls_operator(line) || gives_names_up(line) ||
         is_table_header(line);
}

/// What `print_readable()` and `gm.code` begin with. Python that runs has imported torch before.
static bool may_begin_fx(Str line)
{
  bool is_class = str_starts_with(line, STR("class ")) && str_ends_with(line, STR("(torch.nn.Module):"));
  return is_class || str_starts_with(line, STR("def forward(self"));
}

// --- Operators ---

/// `torch.ops.aten.add.Tensor`, in tables `aten.add.Tensor`: what the facts call `aten::add`, and its overload.
static OperatorName fx_operator_name(Str text, Arena *arena)
{
  static const Str prefix = STR_INIT("torch.ops.");
  OperatorName name = { .name = text };
  bool is_full = str_starts_with(text, prefix);
  if (!is_full && !str_starts_with(text, STR("aten.")) && !str_starts_with(text, STR("prims.")))
    return name;
  Str path = str_slice(text, is_full ? prefix.len : 0, text.len);
  size_t first = str_find_char(path, '.', 0);
  if (first == STR_NOT_FOUND)
    return name;
  size_t second = str_find_char(path, '.', first + 1);
  Str parts[] = { str_slice(path, 0, first), STR("::"), str_slice(path, first + 1, second) };
  name.name = arena_join(arena, parts, COUNT(parts));
  name.has_overload = second != STR_NOT_FOUND;
  Str overload = name.has_overload ? str_slice(path, second + 1, path.len) : (Str){ 0 };
  name.overload = str_equal(overload, STR("default")) ? (Str){ 0 } : overload;
  return name;
}

/// Is the node there for its results alone? Of anything but torch's own operators nobody knows, and of those some check
/// something, or bind the symbol of a size.
static bool fx_tells_unused(ItemKind kind, Str op)
{
  static const Str effects[] = { STR_INIT("_assert"), STR_INIT("sym_"), STR_INIT("item."), STR_INIT("_local_scalar"),
                                 STR_INIT("copy.") };
  static const Str prefix = STR_INIT("torch.ops.aten.");
  if (kind != ITEM_STATEMENT || !str_starts_with(op, prefix))
    return false;
  Str name = str_slice(op, prefix.len, op.len);
  for (size_t i = 0; i < COUNT(effects); i++) {
    if (str_starts_with(name, effects[i]))
      return false;
  }
  Str base = str_slice(name, 0, str_find_char(name, '.', 0));
  return !str_ends_with(base, STR("_")) && !str_ends_with(name, STR("out"));
}

/// Whether a type that is not in quotation marks ends there, below so many brackets.
static bool ends_type(Str rest, size_t at, int depth)
{
  Str left = str_slice(rest, at, rest.len);
  char c = rest.data[at];
  return c == '=' || (depth == 0 && (c == ',' || c == ')')) || str_starts_with(left, STR("[num_users=")) ||
         str_starts_with(left, STR("[#users="));
}

/// The type in the text after a name: `: "f32[2]" = …`, ` : torch.Tensor [num_users=1] = …`.
static Str fx_type_after(Str rest)
{
  rest = str_trim(rest);
  if (rest.len == 0 || rest.data[0] != ':')
    return (Str){ 0 };
  rest = str_trim(str_slice(rest, 1, rest.len));
  // All parameters of a forward() stand in one line, which may be longer than the rest of the graph's.
  if (rest.len > 0 && rest.data[0] == '"')
    return str_slice(rest, 1, str_find_char(rest, '"', 1));
  size_t end = 0;
  for (int depth = 0; end < rest.len && !ends_type(rest, end, depth); end++)
    depth += (rest.data[end] == '[') - (rest.data[end] == ']');
  Str type = str_trim(str_slice(rest, 0, end));
  size_t quote = str_find_char(type, '"', 0);  // torch.Tensor "f32[2]"
  return quote == STR_NOT_FOUND ? type : str_slice(type, quote + 1, str_find_char(type, '"', quote + 1));
}

/// `print_readable()` of a module writes the types of inputs into the line below the header: `x: "f32[2]"; y:
/// "i64[]";`.
static Str fx_type_at(const Snapshot *snapshot, size_t offset, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  uint32_t line = document_line_of(document, offset);
  Str head = document_line(document, line);
  (void)arena;
  if (!str_starts_with(str_trim(head), STR("def ")) || line + 1 >= document_line_count(document))
    return (Str){ 0 };
  size_t start = offset - document_line_start(document, line);
  size_t end = start;
  while (end < head.len && ascii_is_word(head.data[end]))
    end++;
  Str name = str_slice(head, start, end);
  Str rest = document_line(document, line + 1);
  for (size_t next; rest.len > 0; rest = next == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, next + 1, rest.len)) {
    next = str_find_char(rest, ';', 0);
    Str part = str_trim(str_slice(rest, 0, next));
    Str type = str_slice(part, name.len, part.len);
    if (name.len > 0 && str_starts_with(part, name) && str_starts_with(type, STR(": \"")))
      return fx_type_after(type);
  }
  return (Str){ 0 };
}

/// `x: "f32[2]"` and `y: "c64[2]"`. A list of nodes shows none.
static TypesShown fx_types_shown(Str text)
{
  // With colours between the marks, too.
  static const Str complex[] = { STR_INIT("\"c32["), STR_INIT("\"c64["), STR_INIT("\"c128["), STR_INIT("mc64\x1b") };
  unsigned shown = str_contains(text, STR(": \"")) ? TYPES_SHOWN : 0;
  for (size_t i = 0; shown && i < COUNT(complex); i++)
    shown |= str_contains(text, complex[i]) ? TYPES_COMPLEX : 0;
  return (TypesShown)shown;
}

static const GraphDialect fx_dialect = {
  .exporter = EXPORTER_DYNAMO,
  .places_come_first = true,
  .may_be_module = true,
  .parser_new = fx_parser_new,
  .parser_free = fx_parser_free,
  .parse = fx_parse,
  .operator_name = fx_operator_name,
  .tells_unused = fx_tells_unused,
  .type_after = fx_type_after,
  .type_at = fx_type_at,
  .types_shown = fx_types_shown,
};

const Language fx_graph_language = {
  .name = "fx-graph",
  .title = "an FX graph",
  .sets = IN_GRAPHS | IN_FX,
  .is_for_dynamo = true,
  .is_printed = true,
  .endings = (const LanguageEnding[]){ { STR_INIT(".fx"), false },
                                       { STR_INIT(".ep.txt"), false },
                                       { STR_INIT(".fx.txt"), false },
                                       { { 0 }, false } },
  .sniff_line = is_fx_line,
  .may_begin = may_begin_fx,
  .dialect = &fx_dialect,
  GRAPH_LANGUAGE,
};
