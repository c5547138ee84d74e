// What the files of a workspace tell each other: registrations, definitions in other files, uses in dumps.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "core/workspace_names.h"

// --- Helpers ---

static WorkspaceFile *read_file(const char *uri, const char *text)
{
  Target values = { .torch = STR("2.14"), .opset = 17 };
  Target *target = target_new(&values);
  Document *document;
  assert_int_equal(document_new(str_from(text), &document), OK);
  SnapshotInput input = { .uri = str_from(uri), .version = -1, .document = document, .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  WorkspaceFile *file = workspace_file_new(snapshot);
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  return file;
}

typedef struct Source {
  const char *uri;
  const char *text;
} Source;

/// Of files up to the one without a URI.
static Workspace *make_workspace(const Source *sources)
{
  Vec(WorkspaceFile *) files = { 0 };
  for (; sources->uri; sources++)
    vec_push(&files, read_file(sources->uri, sources->text));
  Workspace *workspace = workspace_new(files.items, files.count);
  for (size_t i = 0; i < files.count; i++)
    workspace_file_release(files.items[i]);
  vec_free(&files);
  return workspace;
}

#define WORKSPACE(...) make_workspace((const Source[]){ __VA_ARGS__, { NULL, NULL } })

#define REGISTER "from torch.onnx import register_custom_op_symbolic\n"
#define FUNCTION "def f(g, self):\n    return g.op(\"Relu\", self)\n"

/// A file with one registration: what is between the parentheses.
static Workspace *registering(const char *arguments)
{
  Buffer text = { 0 };
  buffer_printf(&text, REGISTER FUNCTION "register_custom_op_symbolic(%s)\n", arguments);
  buffer_append_char(&text, '\0');
  Workspace *workspace = WORKSPACE({ "file:///w/ops.py", text.data });
  buffer_done(&text);
  return workspace;
}

static uint32_t torch_index(Str version)
{
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(symbolics_embedded(), version, &choice));
  return choice.torch;
}

static void assert_str(Str have, const char *want)
{
  if (!str_equal(have, str_from(want)))
    fail_msg("have '%.*s', want '%s'", STR_ARG(have), want);
}

typedef struct Found {
  const WorkspaceSymbolic *items[8];
  size_t count;
} Found;

static bool collect(const WorkspaceSymbolic *symbolic, void *context)
{
  Found *found = context;
  assert_true(found->count < 8);
  found->items[found->count++] = symbolic;
  return true;
}

static Found find(const Workspace *workspace, const char *op)
{
  Found found = { .count = 0 };
  workspace_each_symbolic(workspace, str_from(op), collect, &found);
  return found;
}

// --- Which function an export chooses ---

static const struct {
  const char *arguments;
  const char *op;
  int opset;
  SupportStatus status;
  int since;  ///< 0 to not look.
} choices[] = {
  // Nothing of torch's own: the largest registered opset up to that of the export; 7 and 8 look up to 9.
  { "\"aten::lgamma\", f, 9", "aten::lgamma", 9, SUPPORT_YES, 7 },
  { "\"aten::lgamma\", f, 9", "aten::lgamma", 20, SUPPORT_YES, 7 },
  { "\"aten::lgamma\", f, 9", "aten::lgamma", 7, SUPPORT_YES, 0 },
  { "\"aten::lgamma\", f, 8", "aten::lgamma", 7, SUPPORT_YES, 0 },
  { "\"aten::lgamma\", f, 7", "aten::lgamma", 8, SUPPORT_NEWER, 9 },
  { "\"aten::lgamma\", f, 1", "aten::lgamma", 17, SUPPORT_YES, 0 },
  { "\"aten::lgamma\", f, 1", "aten::lgamma", 8, SUPPORT_NEWER, 9 },
  { "\"aten::lgamma\", f, 18", "aten::lgamma", 17, SUPPORT_NEWER, 18 },
  { "\"aten::lgamma\", f, 18", "aten::lgamma", 18, SUPPORT_YES, 0 },
  { "\"aten::lgamma\", f, 18", "aten::lgamma", 7, SUPPORT_NEWER, 18 },
  { "\"aten::lgamma\", f, [11, 13]", "aten::lgamma", 9, SUPPORT_NEWER, 11 },
  { "\"aten::lgamma\", f, [11, 13]", "aten::lgamma", 12, SUPPORT_YES, 0 },
  // Out of the exporter's range it is of no use.
  { "\"aten::lgamma\", f, 40", "aten::lgamma", 17, SUPPORT_NEVER, 0 },
  // torch's own is there from 16 on.
  { "\"aten::grid_sampler\", f, 9", "aten::grid_sampler", 13, SUPPORT_YES, 7 },
  { "\"aten::grid_sampler\", f, 9", "aten::grid_sampler", 16, SUPPORT_YES, 0 },
  { "\"aten::grid_sampler\", f, 14", "aten::grid_sampler", 13, SUPPORT_NEWER, 14 },
  { "\"aten::grid_sampler\", f, 18", "aten::grid_sampler", 13, SUPPORT_NEWER, 16 },
  // Names.
  { "\"::lgamma\", f, 9", "aten::lgamma", 17, SUPPORT_YES, 0 },
  { "\"aten::lgamma\", f, 9", "aten::lgamma_", 17, SUPPORT_YES, 0 },
  { "\"aten::lgamma_\", f, 9", "aten::lgamma", 17, SUPPORT_NEVER, 0 },
  { "\"aten::lgamma_\", f, 9", "aten::lgamma_", 17, SUPPORT_NEVER, 0 },
  { "\"my::op\", f, 9", "my::op", 17, SUPPORT_YES, 0 },
  { "\"my::op\", f, 9", "my::other", 17, SUPPORT_UNKNOWN_NAMESPACE, 0 },
  { "\"my::op\", f, 9", "my::o", 17, SUPPORT_UNKNOWN_NAMESPACE, 0 },
};

static void test_choice(void **state)
{
  for (size_t i = 0; i < COUNT(choices); i++) {
    Workspace *workspace = registering(choices[i].arguments);
    SupportAnswer answer = workspace_support(workspace, symbolics_embedded(), torch_index(STR("2.14")),
                                             str_from(choices[i].op), choices[i].opset);
    if (answer.status != choices[i].status || (choices[i].since > 0 && answer.since != choices[i].since))
      fail_msg("%s for %s at opset %d: status %d since %d", choices[i].arguments, choices[i].op, choices[i].opset,
               answer.status, answer.since);
    workspace_release(workspace);
  }
}

static void test_nothing_known(void **state)
{
  // Who could register is not who does; what is unknown or taken back counts for nothing.
  Workspace *workspace =
      WORKSPACE({ "file:///w/a.py", "import torch\n" },
                { "file:///w/b.py", REGISTER FUNCTION "register_custom_op_symbolic(name, f, 9)\n" },
                { "file:///w/c.py", REGISTER FUNCTION "register_custom_op_symbolic(\"aten::lgamma\", f, n)\n" },
                { "file:///w/d.py", "import torch\ntorch.onnx.unregister_custom_op_symbolic(\"aten::lgamma\", 9)\n" },
                { "file:///w/notes.txt", "register_custom_op_symbolic(\"aten::lgamma\", f, 9)\n" });
  assert_int_equal(workspace_opsets(workspace, STR("aten::lgamma")), 0);
  assert_int_equal(find(workspace, "aten::lgamma").count, 0);
  workspace_release(workspace);
  SupportAnswer answer = workspace_support(NULL, symbolics_embedded(), torch_index(STR("2.6")), STR("aten::elu"), 13);
  assert_int_equal(answer.status, SUPPORT_YES);
  assert_null(read_file("file:///w/empty.py", ""));
}

static void test_several_files(void **state)
{
  Workspace *workspace =
      WORKSPACE({ "file:///w/b.py", REGISTER FUNCTION "register_custom_op_symbolic(\"aten::lgamma\", f, 9)\n" },
                { "file:///w/a.py", REGISTER FUNCTION "register_custom_op_symbolic(\"aten::lgamma\", f, 13)\n"
                                                      "register_custom_op_symbolic(\"aten::erfinv\", f, 9)\n" },
                { "file:///w/%61.py", REGISTER FUNCTION "register_custom_op_symbolic(\"aten::lgamma\", f, 15)\n" });
  assert_int_equal(workspace_opsets(workspace, STR("aten::lgamma")), 1 << 9 | 1 << 13);  // One file has one text.
  Found found = find(workspace, "aten::lgamma");
  assert_int_equal(found.count, 2);
  assert_str(found.items[0]->uri, "file:///w/a.py");
  assert_str(found.items[1]->uri, "file:///w/b.py");
  assert_int_equal(found.items[1]->registration.line, 3);
  assert_int_equal(found.items[1]->place.line, 1);
  assert_int_equal(found.items[1]->place.start[POS_UTF16], 4);
  assert_int_equal(found.items[1]->place.end[POS_UTF16], 5);
  workspace_release(workspace);
}

static void test_own_of_torch(void **state)
{
  static const char text[] = "import functools\n"
                             "from torch.onnx._internal import registration\n"
                             "_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)\n"
                             "@_onnx_symbolic(\"aten::lgamma\")\n" FUNCTION;
  Workspace *workspace = WORKSPACE({ "file:///site/torch/onnx/symbolic_opset9.py", text });
  Found found = find(workspace, "aten::lgamma");
  assert_int_equal(found.count, 1);
  assert_true(found.items[0]->is_builtin);
  assert_int_equal(workspace_opsets(workspace, STR("aten::lgamma")), 0);
  workspace_release(workspace);
}

// --- Functions of other files ---

static const struct {
  const char *registering;  ///< File.
  const char *import;
  const char *function;
  const char *defining;  ///< Where it must be found; NULL for nowhere.
} imports[] = {
  { "file:///w/pkg/r.py", "from pkg.fns import f", "f", "file:///w/pkg/fns.py" },
  { "file:///w/r.py", "from pkg.fns import f as h", "h", "file:///w/pkg/fns.py" },
  { "file:///w/r.py", "import pkg.fns", "pkg.fns.f", "file:///w/pkg/fns.py" },
  { "file:///w/r.py", "from fns import f", "f", "file:///w/fns.py" },
  { "file:///w/pkg/r.py", "from fns import f", "f", "file:///w/pkg/fns.py" },
  { "file:///w/r.py", "from pkg.m import f", "f", "file:///w/pkg/m.py" },
  { "file:///w/pkg/r.py", "from .fns import f", "f", "file:///w/pkg/fns.py" },
  { "file:///w/pkg/r.py", "from . import fns", "fns.f", "file:///w/pkg/fns.py" },
  { "file:///w/pkg/sub/r.py", "from ..fns import f", "f", "file:///w/pkg/fns.py" },
  { "file:///w/pkg/sub/r.py", "from .. import fns", "fns.f", "file:///w/pkg/fns.py" },
  { "file:///w/pkg/sub/r.py", "from ... import fns", "fns.f", "file:///w/fns.py" },
  { "file:///w/pkg/sub/r.py", "from . import f", "f", "file:///w/pkg/sub/__init__.py" },
  { "file:///w/r.py", "from pkg.sub import f", "f", "file:///w/pkg/sub/__init__.py" },
  { "file:///w/r.py", "from .sub import f", "f", NULL },
  { "file:///w/r.py", "from g.fns import f", "f", NULL },
  { "file:///w/r.py", "from ............fns import f", "f", NULL },
  { "file:///w/r.py", "from pkg.fns import gone", "gone", NULL },
};

static void test_definitions(void **state)
{
#define HELPER "import torch.onnx\n\n" FUNCTION
  for (size_t i = 0; i < COUNT(imports); i++) {
    Buffer text = { 0 };
    buffer_printf(&text, REGISTER "%s\nregister_custom_op_symbolic(\"my::op\", %s, 9)\n", imports[i].import,
                  imports[i].function);
    buffer_append_char(&text, '\0');
    Workspace *workspace =
        WORKSPACE({ "file:///w/fns.py", HELPER }, { "file:///w/pkg/fns.py", HELPER }, { "file:///w/lfns.py", HELPER },
                  { "file:///w/pkg/m.py", HELPER }, { "file:///w/pkg/sub/__init__.py", HELPER },
                  { imports[i].registering, text.data });
    Found found = find(workspace, "my::op");
    assert_int_equal(found.count, 1);
    const WorkspaceSymbolic *definition = workspace_definition(workspace, found.items[0]);
    Str place = definition == found.items[0] ? STR("nowhere") : definition->uri;
    if (!str_equal(place, str_from(imports[i].defining ? imports[i].defining : "nowhere")))
      fail_msg("%s in %s: %.*s", imports[i].import, imports[i].registering, STR_ARG(place));
    Found foreign = { .count = 0 };
    if (imports[i].defining)
      workspace_each_foreign(workspace, str_from(imports[i].defining), STR("f"), collect, &foreign);
    assert_int_equal(foreign.count, imports[i].defining ? 1 : 0);
    workspace_release(workspace);
    buffer_done(&text);
  }
}

/// Of modules of one name that are equally near the one in the fewest folders is meant, and of those the first.
static void test_equally_near(void **state)
{
  static const char registering_file[] = REGISTER "from fns import f\nregister_custom_op_symbolic(\"my::op\", f, 9)\n";
  Workspace *workspace = WORKSPACE({ "file:///w/a/b/fns.py", HELPER }, { "file:///w/c/fns.py", HELPER },
                                   { "file:///w/d/fns.py", HELPER }, { "file:///w/r.py", registering_file });
  Found found = find(workspace, "my::op");
  assert_int_equal(found.count, 1);
  assert_str(workspace_definition(workspace, found.items[0])->uri, "file:///w/c/fns.py");
  assert_ptr_equal(workspace_definition(NULL, found.items[0]), found.items[0]);
  workspace_release(workspace);
}

/// Every file that registers the function is visited, until the visitor has enough; and none that registers another.
static void test_registered_twice(void **state)
{
  (void)state;
#define OTHER(op, name) REGISTER "from fns import " name "\nregister_custom_op_symbolic(\"" op "\", " name ", 9)\n"
  Workspace *workspace =
      WORKSPACE({ "file:///w/fns.py", HELPER }, { "file:///w/a.py", OTHER("my::a", "f") },
                { "file:///w/b.py", OTHER("my::b", "f") }, { "file:///w/c.py", OTHER("my::c", "h") });
  Found found = { .count = 0 };
  workspace_each_foreign(workspace, STR("file:///w/fns.py"), STR("f"), collect, &found);
  assert_int_equal(found.count, 2);
  workspace_release(workspace);
}

// --- Uses ---

#define LINE(name, op) "  %" name " : Tensor = " op "(%x)\n"
#define GRAPH(body)    "graph(%x : Tensor):\n" body "  return (%x)\n"

static void test_uses(void **state)
{
  Workspace *workspace =
      WORKSPACE({ "file:///w/a.torchir", GRAPH(LINE("1", "aten::elu") LINE("2", "aten::elu_") LINE("3", "aten::elu_two")
                                                   LINE("4", "aten::elu")) },
                { "file:///w/b.log", "\xc3\xa4 \xf0\x9f\x98\x80 " GRAPH("") },
                { "file:///w/c.torchir", GRAPH("  %\xc3\xa4\xf0\x9f\x98\x80 : Tensor = aten::elu[alpha=1](%x)\n") },
                { "file:///w/ops.py", REGISTER FUNCTION "register_custom_op_symbolic(\"aten::elu\", f, 9)\n" });
  uint32_t dumps;
  assert_int_equal(workspace_use_count(workspace, STR("aten::elu"), &dumps), 4);
  assert_int_equal(dumps, 2);
  assert_int_equal(workspace_use_count(workspace, STR("aten::relu"), &dumps), 0);
  assert_int_equal(dumps, 0);
  assert_int_equal(workspace_use_count(NULL, STR("aten::elu"), &dumps), 0);
  workspace_release(workspace);
}

static bool take_use(const WorkspaceFile *file, const WorkspaceUse *use, void *context)
{
  *(const WorkspaceUse **)context = use;
  return false;
}

static const WorkspaceUse *only_use(const Workspace *workspace, const char *op)
{
  const WorkspaceUse *use = NULL;
  workspace_each_use(workspace, str_from(op), take_use, &use);
  assert_non_null(use);
  return use;
}

static void test_places(void **state)
{
  Workspace *workspace =
      WORKSPACE({ "file:///w/c.torchir",
                  GRAPH(LINE("1", "aten::relu") "  %\xc3\xa4\xf0\x9f\x98\x80 : Tensor = aten::elu[alpha=1](%x)\n") });
  const WorkspaceUse *use = only_use(workspace, "aten::elu");
  assert_int_equal(use->place_count, 1);
  assert_int_equal(use->places[0].line, 2);
  static const uint32_t starts[] = { 21, 18, 17 };
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    assert_int_equal(use->places[0].start[encoding], starts[encoding]);
    assert_int_equal(use->places[0].end[encoding], starts[encoding] + 9);
  }
  workspace_release(workspace);
}

static void test_many_uses(void **state)
{
  Buffer text = { 0 };
  buffer_printf(&text, "graph(%%x : Tensor):\n");
  for (int i = 0; i < 30000; i++)  // Several chunks.
    buffer_printf(&text, "  %%%d : Tensor = aten::%s(%%x)\n", i, i % 3 == 0 ? "elu" : "relu");
  buffer_printf(&text, "  return (%%x)\n");
  buffer_append_char(&text, '\0');
  Workspace *workspace = WORKSPACE({ "file:///w/a.torchir", text.data });
  const WorkspaceUse *use = only_use(workspace, "aten::elu");
  assert_int_equal(use->count, 10000);
  assert_int_equal(use->place_count, SUMMARY_PLACE_LIMIT);
  for (uint32_t i = 0; i < use->place_count; i++)
    assert_int_equal(use->places[i].line, 1 + i * 3);
  workspace_release(workspace);
  buffer_done(&text);
}

// --- What changed ---

static void assert_same(const char *a, const char *b, bool same_symbolics, bool same_support, bool same_uses)
{
  WorkspaceFile *x = read_file(a[0] == 'g' ? "file:///w/x.torchir" : "file:///w/x.py", a);
  WorkspaceFile *y = read_file(a[0] == 'g' ? "file:///w/x.torchir" : "file:///w/x.py", b);
  assert_int_equal(workspace_file_same_symbolics(x, y), same_symbolics);
  assert_int_equal(workspace_file_same_support(x, y), same_support);
  assert_int_equal(workspace_file_same_uses(x, y), same_uses);
  assert_int_equal(workspace_file_same_symbolics(y, x), same_symbolics);
  assert_int_equal(workspace_file_same_support(y, x), same_support);
  assert_int_equal(workspace_file_same_uses(y, x), same_uses);
  workspace_file_release(x);
  workspace_file_release(y);
}

#define MODEL(params) "import torch\n\nclass Net(torch.nn.Module):\n  def forward(self, " params "): pass\n"
#define EXPORT(input) "import torch, net\n\ntorch.onnx.export(net.Net(), (" input ",), dynamo=True)\n"

static void test_changes(void **state)
{
  static const char one[] = REGISTER FUNCTION "register_custom_op_symbolic(\"my::op\", f, 9)\n";
  assert_same("", "", true, true, true);
  assert_same(one, one, true, true, true);
  assert_same(one, "", false, false, true);
  assert_same(one, REGISTER FUNCTION "register_custom_op_symbolic(\"my::op\", f, 10)\n", false, false, true);
  assert_same(one, REGISTER FUNCTION "register_custom_op_symbolic(\"my::po\", f, 9)\n", false, false, true);
  assert_same(one, REGISTER "\n" FUNCTION "register_custom_op_symbolic(\"my::op\", f, 9)\n", false, true, true);
  assert_same(one, REGISTER "from a import f\n\nregister_custom_op_symbolic(\"my::op\", f, 9)\n", false, false, true);
  assert_same(GRAPH(LINE("1", "aten::elu")), GRAPH(LINE("2", "aten::elu")), true, true, true);
  assert_same(MODEL("x"), "\n" MODEL("x"), true, true, true);
  assert_same(MODEL("x"), MODEL("y"), true, false, true);
  assert_same(MODEL("x"), MODEL("x=1"), true, false, true);
  assert_same(EXPORT("x"), EXPORT("torch.ones(1)"), true, false, true);
  assert_same(GRAPH(LINE("1", "aten::elu")), GRAPH(LINE("1", "aten::selu")), true, true, false);
  assert_same(GRAPH(LINE("1", "aten::elu")), GRAPH(LINE("1", "aten::elu") LINE("2", "aten::elu")), true, true, false);
}

static void test_uri(void **state)
{
  static const char *const spellings[][2] = {
    { "file:///w/a.py", "file:///w/a.py" },
    { "file:///w/%61%2Epy", "file:///w/a.py" },
    { "file:///w/./b/../a.py", "file:///w/a.py" },
    { "file:///w/a%2Bb.py", "file:///w/a%2Bb.py" },
    { "file:///w/a+b.py", "file:///w/a%2Bb.py" },
    { "untitled:Untitled-1", "untitled:Untitled-1" },
    { "", "" },
  };
  Arena arena = { 0 };
  for (size_t i = 0; i < COUNT(spellings); i++)
    assert_str(workspace_uri(str_from(spellings[i][0]), &arena), spellings[i][1]);
  arena_done(&arena);
}

/// A file hides an installed package from those below its folder alone; other modules are the nearest, wherever.
static void test_module_files(void **state)
{
  (void)state;
  static const struct {
    const char *file, *module, *from;
    bool is_meant;
  } cases[] = {
    { "file:///w/a/onnx.py", "onnx", "file:///w/a/x.py", true },
    { "file:///w/a/onnx/__init__.py", "onnx", "file:///w/a/sub/x.py", true },
    { "file:///w/b/onnx.py", "onnx", "file:///w/a/x.py", false },
    { "file:///w/b/tools/onnx/helper.py", "onnx.helper", "file:///w/b/x.py", false },
    { "file:///w/torch/onnx/utils.py", "torch.onnx.utils", "file:///w/torch/nn/x.py", true },
    { "file:///w/b/utils.py", "utils", "file:///w/a/x.py", true },
    { "file:///w/b/onnx_tools.py", "onnx_tools", "file:///w/a/x.py", true },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    bool is_meant =
        workspace_is_module_file(str_from(cases[i].file), str_from(cases[i].module), str_from(cases[i].from));
    if (is_meant != cases[i].is_meant)
      fail_msg("%s for %s in %s", cases[i].file, cases[i].module, cases[i].from);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_module_files),  cmocka_unit_test(test_choice),           cmocka_unit_test(test_nothing_known),
    cmocka_unit_test(test_several_files), cmocka_unit_test(test_own_of_torch),     cmocka_unit_test(test_definitions),
    cmocka_unit_test(test_equally_near),  cmocka_unit_test(test_registered_twice), cmocka_unit_test(test_uses),
    cmocka_unit_test(test_places),        cmocka_unit_test(test_many_uses),        cmocka_unit_test(test_changes),
    cmocka_unit_test(test_uri),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
