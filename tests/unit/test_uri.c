#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/path.h"
#include "text/uri.h"

typedef struct Row {
  Str from;
  Str to;
} Row;

static void assert_rows(const Row *rows, size_t count, Str (*convert)(Str from, Arena *arena))
{
  Arena arena = { 0 };
  for (size_t i = 0; i < count; i++) {
    Str result = convert(rows[i].from, &arena);
    if (!str_equal(result, rows[i].to))
      fail_msg("'%.*s' gave '%.*s', not '%.*s'", STR_ARG(rows[i].from), STR_ARG(result), STR_ARG(rows[i].to));
    if (result.len > 0)
      assert_int_equal(result.data[result.len], '\0');
  }
  arena_done(&arena);
}

#define ROW(from, to)                                                                                                  \
  {                                                                                                                    \
    STR_INIT(from), STR_INIT(to)                                                                                       \
  }
#define ASSERT_ROWS(rows, convert) assert_rows(rows, COUNT(rows), convert)

static void uris_to_paths(void **state)
{
  (void)state;
  static const Row rows[] = {
    ROW("file:///home/me/model.torchir", "/home/me/model.torchir"),
    ROW("file:///", "/"),
    ROW("file:/home/me", "/home/me"),
    ROW("FILE://localhost/home/me", "/home/me"),
    ROW("file://LocalHost/x", "/x"),
    ROW("file:///a%20b/%E6%BC%A2.txt", "/a b/\xE6\xBC\xA2.txt"),
    ROW("file:///a%2fb%2F", "/a/b/"),
    ROW("file:///100%/%zz/%4", "/100%/%zz/%4"),
    ROW("file:///%", "/%"),
    ROW("file:///a+b", "/a+b"),
    ROW("file:///a%23b%3Fc?query#fragment", "/a#b?c"),
    ROW("file:///c%3A/x", "c:/x"),
    ROW("file:///C:/Users/me", "c:/Users/me"),
    ROW("file:///c:", "/c:"),
    ROW("file:///%FF", "/\xFF"),
    ROW("", ""),
    ROW("file:", ""),
    ROW("file", ""),
    ROW("file://", ""),
    ROW("file://localhost", ""),
    ROW("file:relative/path", ""),
    ROW("file://server/share/x", ""),
    ROW("file:///a%00b", ""),
    ROW("untitled:Untitled-1", ""),
    ROW("untitled:/home/me/new.fx", ""),
    ROW("vscode-notebook-cell:/x.ipynb#W0", ""),
    ROW("http://localhost/x", ""),
    ROW("/home/me", ""),
  };
  ASSERT_ROWS(rows, uri_to_path);
}

static void paths_to_uris(void **state)
{
  (void)state;
  static const Row rows[] = {
    ROW("/", "file:///"),
    ROW("/home/me/a-b_c.~1", "file:///home/me/a-b_c.~1"),
    ROW("/a b/\xE6\xBC\xA2", "file:///a%20b/%E6%BC%A2"),
    ROW("/100%/#1?[x]:@", "file:///100%25/%231%3F%5Bx%5D%3A%40"),
    ROW("/back\\slash", "file:///back%5Cslash"),
    ROW("c:/x", "file:///c%3A/x"),
    ROW("C:\\Users\\me and you", "file:///c%3A/Users/me%20and%20you"),
    ROW("", ""),
    ROW("relative", ""),
    ROW("c:relative", ""),
  };
  ASSERT_ROWS(rows, uri_from_path);
}

static void every_byte_round_trips(void **state)
{
  (void)state;
  Arena arena = { 0 };
  for (int byte = 1; byte < 256; byte++) {
    char path[] = { '/', 'a', (char)byte, 'b' };
    Str uri = uri_from_path(str_make(path, sizeof(path)), &arena);
    assert_true(str_equal(uri_to_path(uri, &arena), str_make(path, sizeof(path))));
  }
  arena_done(&arena);
}

static void normalized_paths(void **state)
{
  (void)state;
  static const Row rows[] = {
    ROW("/a//b/./c/", "/a/b/c"),
    ROW("/a/b/../../c", "/c"),
    ROW("/../../x", "/x"),
    ROW("/", "/"),
    ROW("//", "/"),
    ROW("/..", "/"),
    ROW("", "."),
    ROW(".", "."),
    ROW("a/..", "."),
    ROW("a/../..", ".."),
    ROW("../../a/../b", "../../b"),
    ROW("./a.py", "a.py"),
    ROW("...", "..."),
    ROW("/a/.../..b", "/a/.../..b"),
    ROW("a\\b", "a\\b"),
    ROW("C:\\a\\..\\b\\", "c:/b"),
    ROW("c:/..", "c:/"),
  };
  ASSERT_ROWS(rows, path_normalize);
}

static Str join_to_root(Str path, Arena *arena)
{
  return path_join(STR("/src/models/"), path, arena);
}

static void joined_paths(void **state)
{
  (void)state;
  static const Row rows[] = {
    ROW("net.py", "/src/models/net.py"), ROW("../net.py", "/src/net.py"), ROW("", "/src/models"),
    ROW("/abs/net.py", "/abs/net.py"),   ROW("D:\\net.py", "d:/net.py"),
  };
  ASSERT_ROWS(rows, join_to_root);
  Arena arena = { 0 };
  assert_true(str_equal(path_join(STR(""), STR("a/./b"), &arena), STR("a/b")));
  arena_done(&arena);
  assert_true(path_is_absolute(STR("/")));
  assert_true(path_is_absolute(STR("z:\\")));
  assert_false(path_is_absolute(STR("")));
  assert_false(path_is_absolute(STR("1:/")));
  assert_false(path_is_absolute(STR("a/b")));
}

static void parents_end(void **state)
{
  assert_true(str_equal(path_parent(STR("/src/models")), STR("/src")));
  assert_true(str_equal(path_parent(STR("/src")), STR("")));
  assert_true(str_equal(path_parent(STR("c:/src")), STR("c:")));
  assert_true(str_equal(path_parent(STR("c:")), STR("")));
  assert_true(str_equal(path_parent(STR("")), STR("")));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(uris_to_paths),    cmocka_unit_test(paths_to_uris), cmocka_unit_test(every_byte_round_trips),
    cmocka_unit_test(normalized_paths), cmocka_unit_test(joined_paths),  cmocka_unit_test(parents_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
