// textDocument/typeDefinition: from a module in a scope, a type of a value or a PythonOp to its class in the source.
//
// A class is looked for in the file that its module's name tells, then in the file that the line itself names, then in
// the Python files of the workspace that have symbolic functions.

#include "base/ascii.h"
#include "base/limits.h"
#include "core/workspace.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/source_path.h"
#include "text/uri.h"

typedef struct ClassSearch {
  const FeatureContext *context;
  Range origin;
  Str module;  ///< "torch.nn.modules.conv"; empty if it is unknown.
  Str name;    ///< "Conv2d"
  Location found;
} ClassSearch;

// --- What is meant ---

/// The part of a scope with the offset: what is before its `::`, or of old scopes before `[`.
static bool module_in_scope(Str text, size_t offset, size_t start, Str *ret_type, Range *ret_origin)
{
  Str scope = line_tail(text).scope;
  size_t at = (size_t)(scope.data - text.data);
  if (scope.len == 0 || offset < start + at || offset > start + at + scope.len)
    return false;
  size_t within = offset - start - at;
  size_t first = str_rfind_char(str_slice(scope, 0, within), '/');
  first = first == STR_NOT_FOUND ? 0 : first + 1;
  Str part = str_slice(scope, first, str_find_char(scope, '/', within));
  size_t colons = str_find(part, STR("::"), 0);
  size_t end = colons == STR_NOT_FOUND ? str_find_char(part, '[', 0) : colons;
  *ret_type = str_slice(part, 0, end);
  *ret_origin = (Range){ start + at + first, start + at + first + part.len };
  return true;
}

static Str word_around(Str text, size_t at, size_t *ret_start)
{
  size_t start = at;
  size_t end = at;
  while (start > 0 && ascii_is_dotted(text.data[start - 1]))
    start--;
  while (end < text.len && ascii_is_dotted(text.data[end]))
    end++;
  *ret_start = start;
  return str_slice(text, start, end);
}

/// Without `__torch__.` and what makes mangled names different.
static Str plain_type(Str type, Arena *arena)
{
  static const Str root = STR_INIT("__torch__.");
  static const Str mangle = STR_INIT("___torch_mangle_");
  if (str_starts_with(type, root))
    type = str_slice(type, root.len, type.len);
  size_t at = str_find(type, mangle, 0);
  if (at == STR_NOT_FOUND)
    return type;
  size_t end = str_find_char(type, '.', at);
  Str parts[] = { str_slice(type, 0, at), str_slice(type, end == STR_NOT_FOUND ? type.len : end + 1, type.len) };
  return arena_join(arena, parts, COUNT(parts));
}

/// True when the word looks like a class: of a module, or after `^`.
static bool is_class_word(Str text, size_t start, Str word)
{
  size_t dot = str_rfind_char(word, '.');
  bool is_python_op = start > 0 && text.data[start - 1] == '^';
  return word.len > 0 &&
         (is_python_op || (dot != STR_NOT_FOUND && dot + 1 < word.len && ascii_is_upper(word.data[dot + 1])));
}

static bool find_meant(ClassSearch *search, size_t offset)
{
  const Document *document = snapshot_document(search->context->snapshot);
  uint32_t line = document_line_of(document, offset);
  size_t start = document_line_start(document, line);
  Str text = document_line(document, line);
  Str type;
  if (!module_in_scope(text, offset, start, &type, &search->origin)) {
    size_t first;
    type = word_around(text, offset - start < text.len ? offset - start : text.len, &first);
    if (!is_class_word(text, first, type))
      return false;
    search->origin = (Range){ start + first, start + first + type.len };
  }
  type = plain_type(type, search->context->arena);
  size_t dot = str_rfind_char(type, '.');
  search->name = dot == STR_NOT_FOUND ? type : str_slice(type, dot + 1, type.len);
  search->module = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(type, 0, dot);
  return search->name.len > 0;
}

// --- Where it is ---

/// `class Name(...)`, wherever it is indented to.
static bool is_class_line(Str line, Str name)
{
  static const Str keyword = STR_INIT("class ");
  Str statement = str_trim(line);
  if (!str_starts_with(statement, keyword))
    return false;
  Str rest = str_trim(str_slice(statement, keyword.len, statement.len));
  return str_starts_with(rest, name) && (rest.len == name.len || !ascii_is_word(rest.data[name.len]));
}

static bool search_file(ClassSearch *search, Str path)
{
  Str text;
  if (!search->context->read_file || !search->context->read_file(path, search->context->arena, &text))
    return false;
  uint32_t number = 0;
  for (size_t at = 0; at < text.len; number++) {
    size_t end = str_find_char(text, '\n', at);
    Str line = str_slice(text, at, end);
    if (is_class_line(line, search->name)) {
      size_t column = str_find(line, search->name, str_find(line, STR("class "), 0) + 6);
      search->found = (Location){ .origin = search->origin, .is_file = true, .path = path, .line = number };
      search->found.column = (uint32_t)column;
      return true;
    }
    at = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  return false;
}

/// "torch.nn.modules.conv" is in torch/nn/modules/conv.py, or conv/__init__.py.
static bool search_module(ClassSearch *search)
{
  static const char *const endings[] = { ".py", "/__init__.py" };
  if (search->module.len == 0 || search->module.len > PATH_LIMIT)
    return false;
  Str file = arena_copy(search->context->arena, search->module);
  for (size_t i = 0; i < file.len; i++) {
    if (file.data[i] == '.')
      ((char *)file.data)[i] = '/';
  }
  for (size_t i = 0; i < COUNT(endings); i++) {
    Str path;
    Str candidate = arena_printf(search->context->arena, "%.*s%s", STR_ARG(file), endings[i]);
    if (source_path_find(search->context, candidate, &path) && search_file(search, path))
      return true;
  }
  return false;
}

static bool search_origin(ClassSearch *search)
{
  const Snapshot *snapshot = search->context->snapshot;
  uint32_t line = document_line_of(snapshot_document(snapshot), search->origin.start);
  Str path;
  return source_path_find(search->context, line_origin(snapshot, line).file, &path) && search_file(search, path);
}

static bool search_workspace(ClassSearch *search)
{
  WorkspaceFile *const *files = NULL;
  size_t count = search->context->workspace ? workspace_files(search->context->workspace, &files) : 0;
  size_t searched = 0;
  for (size_t i = 0; i < count && searched < CLASS_FILE_LIMIT && !feature_is_cancelled(search->context); i++) {
    Str path = uri_to_path(files[i]->uri, search->context->arena);
    if (path.len == 0 || !language_searching(path, IN_CODE))
      continue;
    searched++;
    if (search_file(search, path))
      return true;
  }
  return false;
}

LocationList graph_type_definition(const FeatureContext *context, size_t offset)
{
  ClassSearch search = { .context = context };
  if (!find_meant(&search, offset))
    return (LocationList){ 0 };
  if (!search_module(&search) && !search_origin(&search) && !search_workspace(&search))
    return (LocationList){ 0 };
  Location *items = ARENA_NEW(context->arena, Location);
  *items = search.found;
  return (LocationList){ items, 1 };
}
