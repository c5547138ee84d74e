#include "syntax/python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tree_sitter/api.h>

#include "base/vec.h"

const TSLanguage *tree_sitter_python(void);

enum {
  SYMBOL_LIMIT = 512,
  FIELD_LIMIT = 64,
  PARSE_MICROS = 3 * 1000 * 1000,  ///< Garbage makes the parser slow; a source file of 200 KB takes it 20 ms.
  FRESH_LIMIT = 64 * 1024,         ///< A broken file up to this size is parsed as if it had no version before.
};

typedef Vec(PyNode) PyNodes;

struct PySyntax {
  atomic_uint references;
  TSTree *tree;  ///< NULL if the text could not be parsed in time.
  Str text;
  char *bytes;  ///< Owns `text`.
  PyNode *nodes;
  uint32_t count;
};

static const char *const kind_names[PYK_KIND_COUNT] = {
  [PYK_OTHER] = "other",
  [PYK_ERROR] = "ERROR",
  [PYK_MISSING] = "MISSING",
  [PYK_OPERATOR] = "operator",
#define NODE(id, name) [PYK_##id] = name,
#include "syntax/python_nodes.def"
#undef NODE
};

static const char *const field_names[PY_FIELD_COUNT] = {
#define FIELD(id, name) [PY_F_##id] = name,
#include "syntax/python_fields.def"
#undef FIELD
};

static struct {
  pthread_once_t once;
  uint8_t kinds[SYMBOL_LIMIT];  ///< PyNodeKind by tree-sitter symbol.
  bool is_dropped[SYMBOL_LIMIT];
  uint8_t fields[FIELD_LIMIT];  ///< PyField by tree-sitter field.
} tables = { .once = PTHREAD_ONCE_INIT };

const char *py_node_kind_name(PyNodeKind kind)
{
  return kind_names[kind];
}

static void fill_tables(void)
{
  const TSLanguage *language = tree_sitter_python();
  uint32_t symbols = ts_language_symbol_count(language);
  for (uint32_t symbol = 0; symbol < symbols && symbol < SYMBOL_LIMIT; symbol++) {
    Str name = str_from(ts_language_symbol_name(language, (TSSymbol)symbol));
    bool is_named = ts_language_symbol_type(language, (TSSymbol)symbol) == TSSymbolTypeRegular;
    tables.is_dropped[symbol] = str_equal(name, STR("comment")) || str_equal(name, STR("line_continuation"));
    for (int kind = PYK_OPERATOR + 1; is_named && kind < PYK_KIND_COUNT; kind++) {
      if (str_equal(name, str_from(kind_names[kind])))
        tables.kinds[symbol] = (uint8_t)kind;
    }
  }
  for (int field = PY_F_NONE + 1; field < PY_FIELD_COUNT; field++) {
    Str name = str_from(field_names[field]);
    TSFieldId id = ts_language_field_id_for_name(language, name.data, (uint32_t)name.len);
    if (id < FIELD_LIMIT)
      tables.fields[id] = (uint8_t)field;
  }
  tables.fields[0] = PY_F_NONE;
}

// --- Flattening ---

typedef struct Flattener {
  PyNodes nodes;
  Vec(PyRef) open;  ///< The kept nodes above the cursor.
} Flattener;

static PyNodeKind kind_of(TSNode node)
{
  if (ts_node_is_missing(node))
    return PYK_MISSING;
  TSSymbol symbol = ts_node_symbol(node);
  if (symbol == (TSSymbol)-1)
    return PYK_ERROR;
  return symbol < SYMBOL_LIMIT ? (PyNodeKind)tables.kinds[symbol] : PYK_OTHER;
}

/// Appends the node if it is of interest; says whether.
static bool append_node(Flattener *flat, TSNode node, TSFieldId field_id)
{
  TSSymbol symbol = ts_node_symbol(node);
  PyField field = field_id < FIELD_LIMIT ? (PyField)tables.fields[field_id] : PY_F_NONE;
  PyNodeKind kind = kind_of(node);
  if (!ts_node_is_named(node) && kind != PYK_MISSING) {
    if (field != PY_F_OPERATOR && field != PY_F_OPERATORS)
      return false;
    kind = PYK_OPERATOR;
  }
  if (symbol < SYMBOL_LIMIT && tables.is_dropped[symbol])
    return false;
  vec_push(&flat->nodes, (PyNode){
                             .kind = (uint8_t)kind,
                             .field = (uint8_t)field,
                             .has_error = ts_node_has_error(node),
                             .parent = *vec_last(&flat->open),
                             .start = ts_node_start_byte(node),
                             .end = ts_node_end_byte(node),
                         });
  return true;
}

/// Appends the subtree of `root`, a top-level statement.
static void append_subtree(Flattener *flat, TSNode root)
{
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  size_t base = flat->open.count;
  bool enters = append_node(flat, root, 0);
  bool is_root = true;
  for (;;) {
    if (!is_root)
      enters = append_node(flat, ts_tree_cursor_current_node(&cursor), ts_tree_cursor_current_field_id(&cursor));
    PyRef self = (PyRef)flat->nodes.count - 1;
    bool is_leaf = !enters || flat->nodes.items[self].kind == PYK_STRING;
    if (!is_leaf && ts_tree_cursor_goto_first_child(&cursor)) {
      vec_push(&flat->open, self);
      is_root = false;
      continue;
    }
    if (enters)
      flat->nodes.items[self].next = self + 1;
    if (is_root)
      break;
    while (flat->open.count > base && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      ts_tree_cursor_goto_parent(&cursor);
      PyRef parent = flat->open.items[--flat->open.count];
      flat->nodes.items[parent].next = (PyRef)flat->nodes.count;
    }
    if (flat->open.count == base)
      break;
  }
  ts_tree_cursor_delete(&cursor);
}

// --- Reuse of what an edit left alone ---

typedef struct Edit {
  uint32_t start;
  uint32_t old_end;
  uint32_t new_end;
} Edit;

static Edit difference(Str old, Str new)
{
  size_t limit = old.len < new.len ? old.len : new.len;
  size_t start = 0;
  while (start < limit && old.data[start] == new.data[start])
    start++;
  size_t end = 0;
  while (end < limit - start && old.data[old.len - 1 - end] == new.data[new.len - 1 - end])
    end++;
  return (Edit){ (uint32_t)start, (uint32_t)(old.len - end), (uint32_t)(new.len - end) };
}

static TSPoint point_at(Str text, uint32_t offset)
{
  TSPoint point = { 0, 0 };
  const char *from = text.data;
  const char *end = text.data + offset;
  for (const char *line; from < end && (line = memchr(from, '\n', (size_t)(end - from))); from = line + 1)
    point.row++;
  point.column = (uint32_t)(end - from);
  return point;
}

static TSTree *parse(Str text, const PySyntax *previous, Edit edit)
{
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_python()))
    abort();  // The grammar was generated for an ABI that this library does not read: a broken build.
  ts_parser_set_timeout_micros(parser, PARSE_MICROS);
  TSTree *old = NULL;
  if (previous && previous->tree) {
    old = ts_tree_copy(previous->tree);
    ts_tree_edit(old, &(TSInputEdit){
                          .start_byte = edit.start,
                          .old_end_byte = edit.old_end,
                          .new_end_byte = edit.new_end,
                          .start_point = point_at(text, edit.start),
                          .old_end_point = point_at(previous->text, edit.old_end),
                          .new_end_point = point_at(text, edit.new_end),
                      });
  }
  TSTree *tree = ts_parser_parse_string(parser, old, text.data, (uint32_t)text.len);
  if (old)
    ts_tree_delete(old);
  ts_parser_delete(parser);
  return tree;
}

/// Copies the nodes of the old top-level statement that starts at `old_start` and is the very same, if there is one.
static bool append_old(Flattener *flat, const PySyntax *previous, PyRef *hint, TSNode statement, Edit edit)
{
  uint32_t start = ts_node_start_byte(statement);
  uint32_t end = ts_node_end_byte(statement);
  // A statement next to the edit may have become longer or shorter by it.
  bool is_before = end < edit.start;
  if (!is_before && start <= edit.new_end)
    return false;
  uint32_t shift = is_before ? 0 : edit.new_end - edit.old_end;
  const PyNode *old = previous->nodes;
  PyRef at = *hint;
  while (at < previous->count && old[at].start + shift < start)
    at = old[at].next;
  *hint = at;
  if (at >= previous->count || old[at].start + shift != start || old[at].end + shift != end || old[at].has_error ||
      ts_node_has_error(statement) || old[at].kind != kind_of(statement))
    return false;
  uint32_t count = old[at].next - at;
  PyRef base = (PyRef)flat->nodes.count;
  vec_append(&flat->nodes, old + at, count);
  for (PyNode *node = flat->nodes.items + base; node < flat->nodes.items + base + count; node++) {
    node->start += shift;
    node->end += shift;
    node->parent = node == flat->nodes.items + base ? 0 : node->parent - at + base;
    node->next = node->next - at + base;
  }
  return true;
}

static void flatten(PySyntax *syntax, const PySyntax *previous, Edit edit)
{
  Flattener flat = { 0 };
  vec_push(&flat.open, 0);
  vec_push(&flat.nodes, (PyNode){ .kind = PYK_MODULE, .end = (uint32_t)syntax->text.len });
  if (syntax->tree) {
    TSNode root = ts_tree_root_node(syntax->tree);
    flat.nodes.items[0].has_error = ts_node_has_error(root);
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    PyRef hint = 1;
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
      TSNode statement = ts_tree_cursor_current_node(&cursor);
      if (!previous || !append_old(&flat, previous, &hint, statement, edit))
        append_subtree(&flat, statement);
    }
    ts_tree_cursor_delete(&cursor);
  }
  flat.nodes.items[0].next = (PyRef)flat.nodes.count;
  syntax->count = (uint32_t)flat.nodes.count;
  syntax->nodes = flat.nodes.items;
  vec_free(&flat.open);
}

// --- A file's syntax ---

static bool has_error(const TSTree *tree)
{
  return tree && ts_node_has_error(ts_tree_root_node(tree));
}

PySyntax *py_syntax_new(Str text, const PySyntax *previous)
{
  pthread_once(&tables.once, fill_tables);
  PySyntax *syntax = xcalloc(1, sizeof(*syntax));
  syntax->references = 1;
  syntax->bytes = xstrdup_str(text);
  syntax->text = str_make(syntax->bytes, text.len);
  if (previous && !previous->tree)
    previous = NULL;
  Edit edit = previous ? difference(previous->text, text) : (Edit){ 0 };
  if (text.len <= PY_TEXT_LIMIT)
    syntax->tree = parse(syntax->text, previous, edit);
  // What recovery makes of broken text depends on the tree it begins with. Where that can be had cheaply, the same text
  // gives the same nodes, whatever was typed before.
  if (previous && text.len <= FRESH_LIMIT && has_error(syntax->tree)) {
    ts_tree_delete(syntax->tree);
    syntax->tree = parse(syntax->text, NULL, edit);
  }
  flatten(syntax, previous, edit);
  return syntax;
}

PySyntax *py_syntax_retain(const PySyntax *syntax)
{
  PySyntax *counted = (PySyntax *)syntax;
  atomic_fetch_add(&counted->references, 1);
  return counted;
}

void py_syntax_release(PySyntax *syntax)
{
  if (!syntax || atomic_fetch_sub(&syntax->references, 1) != 1)
    return;
  if (syntax->tree)
    ts_tree_delete(syntax->tree);
  free(syntax->nodes);
  free(syntax->bytes);
  free(syntax);
}

Str py_syntax_source(const PySyntax *syntax)
{
  return syntax->text;
}

const PyNode *py_syntax_nodes(const PySyntax *syntax, uint32_t *ret_count)
{
  *ret_count = syntax->count;
  return syntax->nodes;
}

PyRef py_node_at(const PyTree *tree, size_t offset)
{
  PyRef node = 0;
  for (PyRef child = py_first_child(tree, 0); child;) {
    const PyNode *candidate = &tree->nodes[child];
    PyRef next = py_next_sibling(tree, child);
    bool next_is_better = next && tree->nodes[next].start <= offset;
    if (candidate->start <= offset && offset <= candidate->end && !next_is_better) {
      node = child;
      child = py_first_child(tree, child);
    } else {
      child = next;
    }
  }
  return node;
}
