// Reads TORCH_LIBRARY(ns, m) { m.def("foo(Tensor x) -> Tensor"); m.impl("foo", ...); }.

#include "cpp/cpp_library.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "cpp/cpp_scan.h"

typedef struct Reader {
  CppScan scan;
  CppToken token;  ///< The next one.
  Str space;       ///< "mylib"
  Str variable;    ///< "m"
  size_t depth;    ///< Of braces inside a library; 0 outside of one.
  Vec(DefinedOperator) found;
  Arena *arena;
} Reader;

static void step(Reader *reader)
{
  reader->token = cpp_scan_next(&reader->scan);
}

static bool take_sign(Reader *reader, char c)
{
  if (!cpp_token_is_sign(&reader->token, c))
    return false;
  step(reader);
  return true;
}

static bool take_word(Reader *reader, Str *ret_word)
{
  if (reader->token.kind != CPP_WORD)
    return false;
  *ret_word = reader->token.text;
  step(reader);
  return true;
}

// --- Headers ---

static bool is_library_macro(Str word)
{
  static const char *const names[] = {
    "TORCH_LIBRARY",        "TORCH_LIBRARY_FRAGMENT",        "TORCH_LIBRARY_IMPL",
    "STABLE_TORCH_LIBRARY", "STABLE_TORCH_LIBRARY_FRAGMENT", "STABLE_TORCH_LIBRARY_IMPL",
  };
  return str_is_one_of(word, names, COUNT(names));
}

/// `(ns, m) {` or `(ns, key, m) {` after the macro's name.
static void read_header(Reader *reader, bool is_impl)
{
  Str space;
  Str key;
  Str variable;
  if (!take_sign(reader, '(') || !take_word(reader, &space) || !take_sign(reader, ','))
    return;
  if (is_impl && (!take_word(reader, &key) || !take_sign(reader, ',')))
    return;
  if (!take_word(reader, &variable) || !take_sign(reader, ')') || !take_sign(reader, '{'))
    return;
  reader->space = space;
  reader->variable = variable;
  reader->depth = 1;
}

// --- Definitions ---

/// What may stand around the text: `torch::schema("...")`, `TORCH_SELECTIVE_SCHEMA("...")`.
static bool take_wrapper(Reader *reader)
{
  static const char *const names[] = { "schema", "TORCH_SELECTIVE_SCHEMA", "TORCH_SELECTIVE_NAME" };
  Str word = { 0 };
  while (take_word(reader, &word)) {
    while (take_sign(reader, ':'))
      ;
  }
  return str_is_one_of(word, names, COUNT(names)) && take_sign(reader, '(');
}

/// Strings next to each other are one; false if the text is not written here.
static bool take_text(Reader *reader, Str *ret_text, Range *ret_place)
{
  if (reader->token.kind == CPP_WORD && !take_wrapper(reader))
    return false;
  Buffer text = { 0 };
  *ret_place = reader->token.content;
  while (reader->token.kind == CPP_STRING) {
    buffer_append(&text, cpp_scan_string(&reader->scan, &reader->token, reader->arena));
    step(reader);
  }
  *ret_text = arena_copy(reader->arena, buffer_str(&text));
  buffer_done(&text);
  return ret_text->len > 0 && (cpp_token_is_sign(&reader->token, ',') || cpp_token_is_sign(&reader->token, ')'));
}

/// `.def("foo(Tensor x) -> Tensor", ...)` after the library's name.
static void read_call(Reader *reader)
{
  Str method;
  Str text;
  Range place;
  DefinedOperator defined;
  if (!take_sign(reader, '.') || !take_word(reader, &method))
    return;
  bool is_impl = str_equal(method, STR("impl"));
  if ((!is_impl && !str_equal(method, STR("def"))) || !take_sign(reader, '(') || !take_text(reader, &text, &place) ||
      !defined_operator_read(reader->space, text, reader->arena, &defined))
    return;
  defined.place = place;
  defined.is_kernel = is_impl;
  vec_push(&reader->found, defined);
}

static void read_body(Reader *reader)
{
  if (cpp_token_is_sign(&reader->token, '{'))
    reader->depth++;
  else if (cpp_token_is_sign(&reader->token, '}'))
    reader->depth--;
  bool is_library = reader->token.kind == CPP_WORD && str_equal(reader->token.text, reader->variable);
  step(reader);
  if (is_library)
    read_call(reader);
}

bool cpp_library_is_relevant(Str text)
{
  return str_contains(text, STR("TORCH_LIBRARY"));
}

CppOperators cpp_library_operators(Str text, Arena *arena)
{
  Reader reader = { .scan = { .text = text }, .arena = arena };
  if (cpp_library_is_relevant(text))
    step(&reader);
  while (reader.token.kind != CPP_END && reader.found.count < LIBRARY_OPERATOR_LIMIT) {
    Str word = reader.token.kind == CPP_WORD ? reader.token.text : (Str){ 0 };
    if (reader.depth == 0 || is_library_macro(word)) {
      reader.depth = 0;
      step(&reader);
      if (is_library_macro(word))
        read_header(&reader, str_ends_with(word, STR("_IMPL")));
    } else {
      read_body(&reader);
    }
  }
  CppOperators list = { vec_copy(&reader.found, arena), reader.found.count };
  vec_free(&reader.found);
  return list;
}
