// Notebooks: what is read of the JSON, where it is in the file, and what of IPython becomes of it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "core/cells.h"
#include "notebook/notebook_reader.h"
#include "text/magics.h"

static void assert_text(Str text, const char *expected)
{
  assert_int_equal(text.len, strlen(expected));
  assert_memory_equal(text.data, expected, text.len);
}

static void assert_neutral(const char *cell, const char *expected)
{
  char *text = xstrdup_str(str_from(cell));
  magics_neutralise(text, strlen(text));
  assert_string_equal(text, expected);
  free(text);
}

static void magics_keep_their_length(void **state)
{
  (void)state;
  assert_neutral("%matplotlib inline\nx = 1\n", "_#atplotlib inline\nx = 1\n");
  assert_neutral("  !ls \\\n  -l\ny = 2", "  _#s \\\n# -l\ny = 2");
  assert_neutral("!\n%\n?", "_\n_\n_");
  assert_neutral("files = !ls *.py\n", "files = _#s *.py\n");
  assert_neutral("a, b = %sql x\n", "a, b = _#ql x\n");
  assert_neutral("torch.onnx.export??\n", "_#rch.onnx.export??\n");
  assert_neutral("??torch.onnx.export\n", "_#torch.onnx.export\n");
  assert_neutral("pip install onnx\nx = 1\n", "_#p install onnx\nx = 1\n");
  assert_neutral("cd ..\n", "_# ..\n");
}

static void magics_keep_the_python_that_they_run(void **state)
{
  (void)state;
  assert_neutral("%time f(x)\n", "_;    f(x)\n");
  assert_neutral("%timeit -n 3 f(x)\n", "_#imeit -n 3 f(x)\n");
  assert_neutral("\n%%time\nf(x)\n", "\n_#time\nf(x)\n");
  assert_neutral("%%bash\nls\n\necho 'x\n", "#%bash\n#s\n\n#cho 'x\n");
}

static void python_is_no_magic(void **state)
{
  (void)state;
  static const char *const cells[] = {
    "s = '''\n%d\n!x\n'''\n",
    "s = \"\"\"a\n%%time\n\"\"\"\n",
    "f(a\n  % b)\n",
    "x = a \\\n  % b\n",
    "# what?\n",
    "pip = 1\n",
    "cat in cats\n",
    "run (x)\nls -l\n",
    "a %= b\n",
    "x = 'a?'\nif x:\n",
    "s = 'it\\'s'\nt = {\n!\n}\n",
  };
  for (size_t i = 0; i < COUNT(cells); i++)
    assert_neutral(cells[i], cells[i]);
  // A quote that is not closed is a mistake of its own line.
  assert_neutral("s = 'x\n%time\n", "s = 'x\n_#ime\n");
}

static Notebook read_notebook(const char *file)
{
  Notebook notebook;
  notebook_read(str_from(file), &notebook);
  return notebook;
}

static void places_lead_to_the_file_and_back(void **state)
{
  (void)state;
  const char *file =
      "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\\n\", \"\\u00e9\\ud83d\\ude00 = \\\"b\\\"\"]}]}";
  Notebook notebook = read_notebook(file);
  assert_null(notebook.error);
  assert_text(buffer_str(&notebook.code.text), "a\n\xc3\xa9\xf0\x9f\x98\x80 = \"b\"\n");
  size_t b = (size_t)(strstr((char *)notebook.code.text.data, "\"b") - (char *)notebook.code.text.data);
  Range range = notebook_text_in_file(&notebook.code, (Range){ b, b + 3 });
  assert_text(str_slice(str_from(file), range.start, range.end), "\\\"b\\\"");
  range = notebook_text_in_file(&notebook.code, (Range){ 2, 8 });
  assert_text(str_slice(str_from(file), range.start, range.end), "\\u00e9\\ud83d\\ude00");
  size_t offset = 0;
  assert_true(notebook_text_from_file(&notebook.code, range.end + 3, &offset));
  assert_int_equal(offset, b);
  assert_false(notebook_text_from_file(&notebook.code, 3, &offset));
  notebook_done(&notebook);
}

/// Over the border of two strings the quotes between them are part of the place.
static void places_go_over_strings(void **state)
{
  (void)state;
  const char *file = "{\"cells\":[{\"source\":[\"ab\\n\",\"cd\"],\"cell_type\":\"code\"}]}";
  Notebook notebook = read_notebook(file);
  Range range = notebook_text_in_file(&notebook.code, (Range){ 1, 4 });
  assert_text(str_slice(str_from(file), range.start, range.end), "b\\n\",\"c");
  range = notebook_text_in_file(&notebook.code, (Range){ 0, 3 });
  assert_text(str_slice(str_from(file), range.start, range.end), "ab\\n");
  notebook_done(&notebook);
}

static void cells_and_outputs_are_numbered(void **state)
{
  (void)state;
  const char *file =
      "{\"metadata\":{\"kernelspec\":{\"language\":\"python\",\"name\":\"x\"}},\"nbformat\":4,\"cells\":["
      "{\"cell_type\":\"markdown\",\"source\":\"# no\"},"
      "{\"cell_type\":\"code\",\"source\":\"x\",\"outputs\":[{\"text\":[\"p\\n\",\"q\"]},"
      "{\"data\":{\"image/png\":\"AAAA\",\"text/plain\":\"r\"}},{\"traceback\":[\"s\",\"t\\n\"]}]}]}";
  Notebook notebook = read_notebook(file);
  assert_null(notebook.error);
  assert_int_equal(notebook.format, 4);
  assert_false(notebook_is_foreign(&notebook));
  assert_int_equal(notebook.cells.count, 1);
  assert_int_equal(notebook.cells.items[0].number, 2);
  assert_text(buffer_str(&notebook.code.text), "x\n");
  assert_int_equal(notebook.outputs.count, 1);
  assert_int_equal(notebook.outputs.items[0].number, 2);
  assert_text(buffer_str(&notebook.outputs.items[0].printed.text), "p\nq\nr\n");
  assert_text(buffer_str(&notebook.outputs.items[0].failed.text), "s\nt\n");
  notebook_done(&notebook);
}

static void nbformat_3_is_read_too(void **state)
{
  (void)state;
  Notebook notebook = read_notebook(
      "{\"nbformat\":3,\"worksheets\":[{\"cells\":[{\"cell_type\":\"code\",\"input\":[\"x\"],\"outputs\":[]}]}]}");
  assert_null(notebook.error);
  assert_text(buffer_str(&notebook.code.text), "x\n");
  notebook_done(&notebook);
}

static void mistakes_of_the_json_have_a_place(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    size_t at;
    const char *code;
  } broken[] = {
    { "", 0, "" },
    { "[]", 0, "" },
    { "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"x\"},]}", 44, "x\n" },
    { "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"x\", \"y", 47, "x\n" },
    { "{\"a\" 1}", 5, "" },
    { "{\"a\":1,}", 7, "" },
    { "{\"a\":nul}", 5, "" },
    { "{\"a\":1} x", 8, "" },
    { "{\"a\":\"b\nc\"}", 7, "" },
    { "{\"a\":1", 6, "" },
  };
  for (size_t i = 0; i < COUNT(broken); i++) {
    Notebook notebook = read_notebook(broken[i].file);
    assert_non_null(notebook.error);
    assert_int_equal(notebook.error_at, broken[i].at);
    assert_text(buffer_str(&notebook.code.text), broken[i].code);
    notebook_done(&notebook);
  }
}

static void deep_nesting_is_an_error(void **state)
{
  (void)state;
  Buffer file = { 0 };
  buffer_append(&file, STR("{\"a\":"));
  for (int i = 0; i < NOTEBOOK_DEPTH_LIMIT; i++)
    buffer_append_char(&file, '[');
  Notebook notebook;
  notebook_read(buffer_str(&file), &notebook);
  assert_string_equal(notebook.error, "it is nested too deeply");
  notebook_done(&notebook);
  buffer_done(&file);
}

static void lines_have_cells(void **state)
{
  (void)state;
  Cell cells[] = { { .uri = STR("a"), .number = 2, .first_line = 0 },
                   { .uri = STR("b"), .number = 5, .first_line = 3 } };
  CellMap *map = cells_new(cells, COUNT(cells));
  Arena arena = { 0 };
  assert_int_equal(cells_at_line(map, 2)->number, 2);
  assert_int_equal(cells_at_line(map, 3)->number, 5);
  assert_int_equal(cells_at_line(map, 99)->number, 5);
  assert_int_equal(cells_find(map, STR("b"))->first_line, 3);
  assert_null(cells_find(map, STR("c")));
  assert_text(cells_line_words(map, 4, &arena), "line 2 of cell 5");
  assert_text(cells_line_words(NULL, 4, &arena), "line 5");
  arena_done(&arena);
  cells_release(map);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(magics_keep_their_length), cmocka_unit_test(magics_keep_the_python_that_they_run),
    cmocka_unit_test(python_is_no_magic),       cmocka_unit_test(places_lead_to_the_file_and_back),
    cmocka_unit_test(places_go_over_strings),   cmocka_unit_test(cells_and_outputs_are_numbered),
    cmocka_unit_test(nbformat_3_is_read_too),   cmocka_unit_test(mistakes_of_the_json_have_a_place),
    cmocka_unit_test(deep_nesting_is_an_error), cmocka_unit_test(lines_have_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
