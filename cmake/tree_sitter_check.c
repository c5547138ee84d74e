// Ends with 0 if the library that this is linked with can parse brackets nested deeper than 65,535; runtimes before
// 0.20.8 overflow a depth of 16 bits there, and corrupt the heap. Those before 0.25 do not even compile this.
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

enum { DEPTH = 70000 };

static const char *read_text(void *payload, uint32_t offset, TSPoint position, uint32_t *ret_len)
{
  const char *text = payload;
  (void)position;
  *ret_len = (uint32_t)strlen(text + offset);
  return text + offset;
}

static bool go_on(TSParseState *state)
{
  (void)state;
  return false;
}

/// Are the brackets all there? A crash says no, too.
static bool is_whole(TSTree *tree)
{
  if (!tree)
    return false;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  unsigned lists = 0;
  do
    lists += strcmp(ts_node_type(ts_tree_cursor_current_node(&cursor)), "list") == 0;
  while (ts_tree_cursor_goto_first_child(&cursor) || ts_tree_cursor_goto_next_sibling(&cursor));
  ts_tree_cursor_delete(&cursor);
  return lists == DEPTH;
}

int main(void)
{
  char *text = calloc(1, 2 * DEPTH + 1);
  if (!text)
    return 2;
  memset(text, '[', DEPTH);
  memset(text + DEPTH, ']', DEPTH);
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_python()))
    return 1;
  TSInput input = { .payload = text, .read = read_text, .encoding = TSInputEncodingUTF8 };
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, (TSParseOptions){ .progress_callback = go_on });
  bool is_good = is_whole(tree);
  ts_tree_delete(tree);
  ts_parser_delete(parser);
  free(text);
  return is_good ? 0 : 1;
}
