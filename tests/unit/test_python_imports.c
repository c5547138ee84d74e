// Which modules a text imports, by its lines; and which file of a workspace one of them is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "core/workspace.h"
#include "python/model/python_model.h"

static void add_name(Str name, void *context)
{
  buffer_printf(context, "%.*s ", STR_ARG(name));
}

static void check_imports(const char *text, const char *expected)
{
  Buffer found = { 0 };
  python_each_import(str_from(text), add_name, &found);
  Str names = buffer_str(&found);
  assert_int_equal(names.len, strlen(expected));
  assert_true(str_equal(names, str_from(expected)));
  buffer_done(&found);
}

static void modules_are_found_by_lines(void **state)
{
  (void)state;
  check_imports("", "");
  check_imports("import a, b.c as d\n", "a b.c ");
  check_imports("from a.b import c, d as e\n", "a.b a.b.c a.b.d ");
  check_imports("  from . import c\nfrom ..x import *\n", ". .c ..x ..x.* ");
  check_imports("from a import (  # one\n  b,\n  c as d, )\nimport e", "a a.b a.c e ");
  check_imports("from a import b; x = 1\nfrom_here = 1\nimporting = 2\n", "a a.b ");
  check_imports("import torch.onnx\nfrom torch import nn\nimport torchlib\n", "torchlib ");
  check_imports("from\nimport\nfrom a\nfrom a import\nfrom a import (", "a a ");
}

static WorkspaceFile *module_file(const char *uri)
{
  WorkspaceFile *file = xcalloc(1, sizeof(*file));
  file->references = 1;
  file->uri = str_from(uri);
  file->constants.node_count = 1;
  return file;
}

static void check_found(const Workspace *workspace, const char *from, const char *module, const char *expected)
{
  const WorkspaceFile *file = workspace_find_constants(workspace, str_from(from), str_from(module));
  assert_string_equal(file ? file->uri.data : "", expected);
}

static void a_module_is_the_nearest_that_can_be_imported(void **state)
{
  (void)state;
  WorkspaceFile *files[] = { module_file("file:///w/config.py"),       module_file("file:///w/a/config.py"),
                             module_file("file:///w/b/c/config.py"),   module_file("file:///w/b/only.py"),
                             module_file("file:///w/pkg/__init__.py"), module_file("file:///w/pkg/config.py") };
  Workspace *workspace = workspace_new(files, COUNT(files));
  check_found(workspace, "file:///w/a/export.py", "config", "file:///w/a/config.py");
  check_found(workspace, "file:///w/b/export.py", "config", "file:///w/config.py");
  check_found(workspace, "file:///w/b/export.py", "c.config", "file:///w/b/c/config.py");
  check_found(workspace, "file:///w/a/export.py", "only", "file:///w/b/only.py");
  check_found(workspace, "file:///w/pkg/export.py", ".config", "file:///w/pkg/config.py");
  check_found(workspace, "file:///w/pkg/export.py", ".", "file:///w/pkg/__init__.py");
  check_found(workspace, "file:///w/a/export.py", "pkg", "file:///w/pkg/__init__.py");
  check_found(workspace, "file:///v/export.py", "config", "");
  check_found(workspace, "file:///w/a/export.py", "none", "");
  check_found(NULL, "file:///w/a/export.py", "config", "");
  workspace_release(workspace);
  for (size_t i = 0; i < COUNT(files); i++)
    workspace_file_release(files[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(modules_are_found_by_lines),
    cmocka_unit_test(a_module_is_the_nearest_that_can_be_imported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
