// Which Python is looked at: what is left out here is never checked, and what is not costs a parse.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "python/model/python_model.h"

static void what_may_be_about_exporting_is_read(void **state)
{
  static const char *const texts[] = {
    "import torch.onnx\n",
    "from my_onnx_tools import export\n",
    "def f(g, x):\n    return g.op('Relu', x)\n",
    "class R(Function):\n    @staticmethod\n    def symbolic(ctx, x): pass\n",
    "class R(Function):\n    async def\tsymbolic (ctx): pass\n",
    "def symbolic(",
    "class R(Function):\n  symbolic = staticmethod(helper)\n",
    "symbolic=1",
    "R.symbolic = helper\n",
    "setattr(R, 'symbolic', helper)\n",
    "setattr(R, \"symbolic\", helper)\n",
    "R = type('R', (Function,), {\n    'symbolic': staticmethod(helper)})\n",
    "from torch import library\n",
    "ep = torch.export.export(m, (x,))\n",
    "from torch.export import (\n    Dim,\n    export,\n)\n",
    "from torch.export import *\n",
    "import torch.export as te\n",
    "from torch.export.dynamic_shapes import Dim\n",
    "# about onnx\nx = 1  # torch.library is not onnx\n",
    "x = 1\n    # onnxls: ignore\n",
    "from ops import symbolic_helper\n",
    "import my_symbolic_opset9\n",
    "# symbolic functions\ndef elu(g, x): return helper(g, x)\n",
    "# symbolic functions\ndef elu(g : GraphContext, x): return helper(g, x)\n",
    "def elu(g: Graph, x): return helper(g, x)  # symbolic",
    "def elu(g: torch._C.Graph, x): return helper(g, x)  # symbolic",
    "def elu(g: torch.Graph, x): return helper(g, x)  # symbolic",
    "class Net(nn.Module):\n    def forward(self, x): return x\n",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    print_message("%s\n", texts[i]);
    assert_true(python_is_relevant(str_from(texts[i])));
  }
}

static void what_only_speaks_of_symbols_is_not(void **state)
{
  static const char *const texts[] = {
    "",
    "symbolic",
    "onn",
    "g.op",
    "def is_symbolic(a): pass\n",
    "def run(model: nn.Module): return model\n",
    "# class Net(nn.Module)\ndef forward(x): return x\n",
    "def symbolic_trace(root): pass\n",
    "from torch.fx.experimental.symbolic_shapes import ShapeEnv\n",
    "# the symbolic shapes of a graph\n",
    "x = f(symbolic=True)\n",
    "if symbolic: pass\n",
    "def f(graph, group): pass  # symbolic\n",
    "def elu(g, x): pass\n",
    "# symbolic shapes\ndef show(g: fx.Graph, x): pass\n",
    "# symbolic shapes\ndef show(g : torch.fx.GraphModule): pass\n",
    "# symbolic shapes\nself.guard(g, f'{x}')\n",
    "make_fx(f, tracing_mode=\"symbolic\", x=1)\n",
    "mode = 'symbolic'\n",
    "f(mode, 'symbolic')\n",
    "from torch.export import ExportedProgram\nexport(x)\n",
    "from torch.export.graph_signature import InputKind\n",
    "x = torch.export.exported_program\n",
    "import torch.export._trace\n",
    "from torch.export.unflatten import unflatten  # after export\n",
    "# we don't use onnx\n\t# nor torch.library, and onnx is no use\n",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    print_message("%s\n", texts[i]);
    assert_false(python_is_relevant(str_from(texts[i])));
  }
}

static void models_alone_are_passive(void **state)
{
  static const char models[] = "class Net(nn.Module):\n    def forward(self, x): return x\n";
  static const char *const more[] = {
    "import onnx\n",
    "torch.onnx.export(Net())\n",
    "from torch import export\n",
    "th.export.export(Net())\n",
    "import torch.library as lib\n",
    "torch.export.export(Net(), ())\n",
  };
  (void)state;
  assert_true(python_is_passive(STR(models)));
  assert_true(python_is_passive(STR("export = 1  # of a library\n")));
  for (size_t i = 0; i < COUNT(more); i++) {
    char text[256];
    snprintf(text, sizeof(text), "%s%s", models, more[i]);
    print_message("%s\n", more[i]);
    assert_false(python_is_passive(str_from(text)));
  }
}

static void join_name(Str name, void *context)
{
  buffer_append(context, name);
  buffer_append_char(context, ' ');
}

static void each_definition_is_named(void **state)
{
  Buffer names = { 0 };
  (void)state;
  python_each_definition(
      STR("class A(B):\n  def f(self): pass\n\tasync  def g(): pass\nclass\ndefault = 1\nx = 1; def h(): pass\nclass B2"),
      join_name, &names);
  assert_true(str_equal(buffer_str(&names), STR("A f g B2 ")));
  buffer_done(&names);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_may_be_about_exporting_is_read),
    cmocka_unit_test(what_only_speaks_of_symbols_is_not),
    cmocka_unit_test(models_alone_are_passive),
    cmocka_unit_test(each_definition_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
