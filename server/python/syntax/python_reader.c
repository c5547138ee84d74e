#include "python/syntax/python_reader.h"

#include <pthread.h>

#include "python/syntax/python_depth.h"
#include "syntax/bounded_parse.h"

const TSLanguage *tree_sitter_python(void);

enum {
  SYMBOL_SLOTS = 512,
  FIELD_SLOTS = 64,
};

static const char *const kind_names[PYK_KIND_COUNT] = {
  [PYK_OTHER] = "other",
  [PYK_ERROR] = "ERROR",
  [PYK_MISSING] = "MISSING",
  [PYK_OPERATOR] = "operator",
#define NODE(id, name) [PYK_##id] = name,
#include "python/syntax/python_nodes.def"
#undef NODE
};

static const char *const field_names[PY_FIELD_COUNT] = {
#define FIELD(id, name) [PY_F_##id] = name,
#include "python/syntax/python_fields.def"
#undef FIELD
};

static struct {
  pthread_once_t once;
  uint8_t kinds[SYMBOL_SLOTS];  ///< PyNodeKind by tree-sitter symbol.
  bool is_dropped[SYMBOL_SLOTS];
  uint8_t fields[FIELD_SLOTS];  ///< PyField by tree-sitter field.
} tables = { .once = PTHREAD_ONCE_INIT };

const char *py_node_kind_name(PyNodeKind kind)
{
  return kind_names[kind];
}

static void fill_tables(void)
{
  const TSLanguage *language = tree_sitter_python();
  uint32_t symbols = ts_language_symbol_count(language);
  for (uint32_t symbol = 0; symbol < symbols && symbol < SYMBOL_SLOTS; symbol++) {
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
    if (id < FIELD_SLOTS)
      tables.fields[id] = (uint8_t)field;
  }
  tables.fields[0] = PY_F_NONE;
}

// --- Flattening ---

static PyNodeKind kind_of(TSNode node)
{
  if (ts_node_is_missing(node))
    return PYK_MISSING;
  TSSymbol symbol = ts_node_symbol(node);
  if (symbol == (TSSymbol)-1)
    return PYK_ERROR;
  return symbol < SYMBOL_SLOTS ? (PyNodeKind)tables.kinds[symbol] : PYK_OTHER;
}

/// What the node is to its parent. To be asked for no more nodes than must be: the cursor climbs for it.
static PyField field_at(const TSTreeCursor *cursor)
{
  TSFieldId id = ts_tree_cursor_current_field_id(cursor);
  return id < FIELD_SLOTS ? (PyField)tables.fields[id] : PY_F_NONE;
}

static bool has_operator(PyNodeKind kind)
{
  return kind == PYK_BINARY_OPERATOR || kind == PYK_BOOLEAN_OPERATOR || kind == PYK_COMPARISON_OPERATOR ||
         kind == PYK_UNARY_OPERATOR || kind == PYK_AUGMENTED_ASSIGNMENT;
}

/// Appends the node, at which the cursor is, if it is of interest; says whether.
static bool append_node(PyReader *reader, TSNode node, const TSTreeCursor *cursor)
{
  TSSymbol symbol = ts_node_symbol(node);
  PyNodeKind kind = kind_of(node);
  bool is_sign = !ts_node_is_named(node) && kind != PYK_MISSING;
  if (is_sign && !has_operator((PyNodeKind)reader->nodes.items[*vec_last(&reader->open)].kind))
    return false;
  if (symbol < SYMBOL_SLOTS && tables.is_dropped[symbol])
    return false;
  PyField field = field_at(cursor);
  if (is_sign && field != PY_F_OPERATOR && field != PY_F_OPERATORS)
    return false;
  if (is_sign)
    kind = PYK_OPERATOR;
  vec_push(&reader->nodes, (PyNode){
                               .kind = (uint8_t)kind,
                               .field = (uint8_t)field,
                               .has_error = ts_node_has_error(node),
                               .parent = *vec_last(&reader->open),
                               .start = ts_node_start_byte(node),
                               .end = ts_node_end_byte(node),
                           });
  return true;
}

/// Appends the subtree of `root`, a top-level statement.
static void append_subtree(PyReader *reader, TSNode root)
{
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  size_t base = reader->open.count;
  bool is_root = true;
  for (;;) {
    bool enters = append_node(reader, ts_tree_cursor_current_node(&cursor), &cursor);
    PyRef self = (PyRef)reader->nodes.count - 1;
    bool is_leaf = !enters || reader->nodes.items[self].kind == PYK_STRING;
    if (!is_leaf && ts_tree_cursor_goto_first_child(&cursor)) {
      vec_push(&reader->open, self);
      is_root = false;
      continue;
    }
    if (enters)
      reader->nodes.items[self].next = self + 1;
    if (is_root)
      break;
    while (reader->open.count > base && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      ts_tree_cursor_goto_parent(&cursor);
      PyRef parent = reader->open.items[--reader->open.count];
      reader->nodes.items[parent].next = (PyRef)reader->nodes.count;
    }
    if (reader->open.count == base)
      break;
  }
  ts_tree_cursor_delete(&cursor);
  reader->open.count = base;
}

// --- Reading ---

static void append_statements(PyReader *reader, const TSTree *tree)
{
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor))
    append_subtree(reader, ts_tree_cursor_current_node(&cursor));
  ts_tree_cursor_delete(&cursor);
}

/// A statement that says nothing but that something could not be read.
static void append_error(PyReader *reader, uint32_t start, uint32_t end)
{
  PyRef next = (PyRef)reader->nodes.count + 1;
  vec_push(&reader->nodes, (PyNode){ .kind = PYK_ERROR, .has_error = true, .next = next, .start = start, .end = end });
}

void py_reader_begin(PyReader *reader)
{
  pthread_once(&tables.once, fill_tables);
  *reader = (PyReader){ 0 };
  vec_push(&reader->open, 0);
  vec_push(&reader->nodes, (PyNode){ .kind = PYK_MODULE });
}

/// The length of a line continuation: a backslash and a line end; 0 for none.
static size_t continuation(Str text, size_t at)
{
  Str rest = str_slice(text, at, text.len);
  return str_starts_with(rest, STR("\\\n")) ? 2 : str_starts_with(rest, STR("\\\r\n")) ? 3 : 0;
}

/// The length of a line that is nothing but a continuation, perhaps after blanks; 0 if it is more.
static size_t empty_continuation(Str text, size_t at)
{
  size_t start = at;
  while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t' || text.data[at] == '\f'))
    at++;
  size_t len = continuation(text, at);
  return len > 0 ? at + len - start : 0;
}

/// The parser takes each line continuation for a token, and some texts hold nothing else. In a run of lines with just a
/// backslash all after the first two are as good as blanks: what they join is joined by those. (In a string they are a
/// part of it, and nobody reads that off the tree.) The copy is the caller's; the text itself if there is no such run.
static Str without_empty_continuations(Str text)
{
  char *copy = NULL;
  size_t len;
  for (size_t at = 0; (at = str_find_char(text, '\\', at)) != STR_NOT_FOUND;) {
    len = continuation(text, at);
    at += len > 0 ? len : 1;
    for (size_t count = 0; len > 0 && (len = empty_continuation(text, at)) > 0; at += len, count++) {
      if (count < 2)
        continue;
      if (!copy)
        copy = memcpy(xmalloc(text.len), text.data, text.len);
      memset(copy + at, ' ', len);
    }
  }
  return copy ? str_make(copy, text.len) : text;
}

PyReading py_reader_read(PyReader *reader, Str text)
{
  if (!plain_python_read(&reader->plain, text, &reader->nodes))
    return py_reader_read_by_grammar(reader, text);
  reader->left_out = (Unread){ 0 };
  return PY_READ;
}

PyReading py_reader_read_by_grammar(PyReader *reader, Str text)
{
  reader->left_out = (Unread){ 0 };
  char *shallow = py_without_depth(text, &reader->left_out);
  Str whole = shallow ? str_make(shallow, text.len) : text;
  Str parsed = without_empty_continuations(whole);
  TSTree *tree = bounded_parse(tree_sitter_python(), parsed);
  if (parsed.data != whole.data)
    free((char *)parsed.data);
  free(shallow);
  if (!tree) {
    append_error(reader, 0, (uint32_t)text.len);
    reader->left_out = (Unread){ .end = (uint32_t)text.len, .reason = UNREAD_TOO_MUCH_WORK };
    return PY_READ_BROKEN;
  }
  TSNode root = ts_tree_root_node(tree);
  bool has_error = ts_node_has_error(root);
  // Of a text that is broken as a whole, the parser gives the pieces; none of them says that they are such.
  if (kind_of(root) == PYK_ERROR)
    append_error(reader, ts_node_start_byte(root), ts_node_start_byte(root));
  append_statements(reader, tree);
  ts_tree_delete(tree);
  return has_error ? PY_READ_BROKEN : PY_READ;
}

PyNode *py_reader_end(PyReader *reader)
{
  vec_free(&reader->open);
  plain_python_done(&reader->plain);
  return reader->nodes.items;
}
