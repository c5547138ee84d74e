#include "syntax/bounded_parse.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/limits.h"
#include "syntax/parse_memory.h"

enum {
  OPERATIONS_PER_CALL = 100,  ///< tree-sitter reports its progress after so many.
  CHARACTER_BYTES = 4,        ///< The longest character of UTF-8.
  READ_SIZE = 256,            ///< The scanner's way is measured in pieces of this size.
  READ_PER_OPERATION = 16,    ///< Bytes that are looked at in the time of an operation.
  MEMORY_PER_OPERATION = 64,  ///< Bytes that are asked for, filled, and freed.
};

typedef struct Parse {
  Str text;
  uint64_t limit;
  size_t piece_end;  ///< Of the piece that was read last.
} Parse;

/// Of the parse that this thread is at; tree-sitter's allocator gets no context.
static _Thread_local uint64_t work;

static void *count_malloc(size_t size)
{
  work += size / MEMORY_PER_OPERATION;
  return parse_memory_take(size);
}

static void *count_calloc(size_t count, size_t size)
{
  work += count * size / MEMORY_PER_OPERATION;
  return memset(parse_memory_take(count * size), 0, count * size);
}

static void *count_realloc(void *memory, size_t size)
{
  work += size / MEMORY_PER_OPERATION;
  return parse_memory_resize(memory, size);
}

static void count_memory(void)
{
  ts_set_allocator(count_malloc, count_calloc, count_realloc, parse_memory_free);
}

/// After the limit the text seems to end with the piece that was read last, so that a scanner that runs ahead comes
/// back. (What may be half a character at the end of a piece is asked for again, and decoded without a look at its
/// length.)
static const char *read_piece(void *payload, uint32_t offset, TSPoint position, uint32_t *ret_len)
{
  Parse *parse = payload;
  bool is_again = offset < parse->piece_end && parse->piece_end - offset < CHARACTER_BYTES;
  size_t end = work <= parse->limit ? parse->text.len : is_again ? parse->piece_end : 0;
  size_t left = offset < end ? end - offset : 0;
  *ret_len = left < READ_SIZE ? (uint32_t)left : READ_SIZE;
  parse->piece_end = offset + *ret_len;
  work += *ret_len / READ_PER_OPERATION;
  return left > 0 ? parse->text.data + offset : "";
}

/// True when the parser shall stop.
static bool is_over(TSParseState *state)
{
  const Parse *parse = state->payload;
  work += OPERATIONS_PER_CALL;
  return work > parse->limit;
}

TSTree *bounded_parse(const TSLanguage *language, Str text)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, count_memory);
  // A parser of its own: one that was used has memory left, and would ask for less.
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language))
    abort();  // The grammar was generated for an ABI that this library does not read: a broken build.
  Parse parse = { .text = text, .limit = PARSE_WORK + (uint64_t)PARSE_WORK_PER_BYTE * text.len };
  TSInput input = { .payload = &parse, .read = read_piece, .encoding = TSInputEncodingUTF8 };
  work = 0;
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input,
                                              (TSParseOptions){ .payload = &parse, .progress_callback = is_over });
  if (work > parse.limit) {
    ts_tree_delete(tree);
    tree = NULL;
  }
  ts_parser_delete(parser);
  return tree;
}
