// Operators that C++ defines by TORCH_LIBRARY, and what only looks like that.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "cpp/cpp_library.h"

/// One operator a line: its schema or name, `impl` for kernels, and the text at its place.
static Str listed(Str text, Arena *arena)
{
  Buffer out = { 0 };
  CppOperators found = cpp_library_operators(text, arena);
  for (size_t i = 0; i < found.count; i++) {
    const DefinedOperator *op = &found.items[i];
    Str place = str_slice(text, op->place.start, op->place.end);
    buffer_printf(&out, "%s%.*s @%.*s\n", op->is_kernel ? "impl " : "",
                  STR_ARG(op->schema.len > 0 ? op->schema : op->name), (int)(place.len < 8 ? place.len : 8),
                  place.data);
  }
  Str list = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return list;
}

static void check(const char *text, const char *expected)
{
  Arena arena = { 0 };
  Str list = listed(str_from(text), &arena);
  assert_string_equal(list.data ? arena_copy(&arena, list).data : "", expected);
  arena_done(&arena);
}

static void test_schemas(void **state)
{
  (void)state;
  check("TORCH_LIBRARY(a, m) { m.def(\"f(Tensor x, int[2] k=1) -> Tensor\"); }",
        "a::f(Tensor x, int[2] k=1) -> Tensor @f(Tensor\n");
  check("TORCH_LIBRARY_FRAGMENT(a, lib) {\n  lib.def(\"f.out(Tensor x, *, Tensor(a!) out)->Tensor(a!)\", &f);\n}",
        "a::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!) @f.out(Te\n");
  check("TORCH_LIBRARY(a, m) { m.def(\"f(Tensor x)\" \" -> \\\n Tensor\"); }", "a::f(Tensor x) -> Tensor @f(Tensor\n");
  check("TORCH_LIBRARY(a, m) { m.def(R\"(f(Tensor x,\n   Tensor? y)\n -> ())\"); }",
        "a::f(Tensor x, Tensor? y) -> () @f(Tensor\n");
  check("TORCH_LIBRARY(a, m) { m.def(R\"x(f(Tensor x) -> Tensor)x\"); }", "a::f(Tensor x) -> Tensor @f(Tensor\n");
  check("TORCH_LIBRARY(a, m) { m.def(torch::schema(\"f(str s=\\\"b\\\") -> Tensor\")); }",
        "a::f(str s=\"b\") -> Tensor @f(str s=\n");
  check("STABLE_TORCH_LIBRARY(a, m) { m.def(\"f(Tensor x) -> Tensor\"); }", "a::f(Tensor x) -> Tensor @f(Tensor\n");
}

static void test_names_without_schema(void **state)
{
  (void)state;
  check("TORCH_LIBRARY(a, m) { m.def(\"f\", &f); m.def(TORCH_SELECTIVE_NAME(\"a::g\"), g); }", "a::f @f\na::g @a::g\n");
  check("TORCH_LIBRARY_IMPL(a, CPU, m) { m.impl(\"f\", TORCH_FN(f)); m.impl(\"g.out\", g); }",
        "impl a::f @f\nimpl a::g @g.out\n");
}

static void test_only_what_is_there(void **state)
{
  (void)state;
  check("// TORCH_LIBRARY(a, m) { m.def(\"f(Tensor x) -> Tensor\"); }", "");
  check("/* TORCH_LIBRARY(a, m) { */ m.def(\"f(Tensor x) -> Tensor\");", "");
  check("#define L(a, m) TORCH_LIBRARY(a, m) { \\\n m.def(\"f(Tensor x) -> Tensor\"); }\n", "");
  check("#if 0\nTORCH_LIBRARY(a, m) { m.def(\"f() -> ()\"); }\n#if 1\n#endif\n#else\n"
        "TORCH_LIBRARY(b, m) { m.def(\"f() -> ()\"); }\n#endif\n",
        "b::f() -> () @f() -> (\n");
  check("auto s = \"TORCH_LIBRARY(a, m) { m.def(\\\"f() -> ()\\\"); }\";", "");
  check("TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, m) { m.def(\"f() -> ()\"); }", "");
  check("TORCH_LIBRARY(a, m) { m.def(SCHEMA); m.def(\"f\" SUFFIX); m.def(name(\"f() -> ()\")); }", "");
  check("TORCH_LIBRARY(a, m) { m.class_<S>(\"S\").def(\"push\", &S::push); x.def(\"f() -> ()\"); }", "");
  check("TORCH_LIBRARY(a, m) { if (x) { y(); } m.def(\"f() -> ()\"); }\nm.def(\"g() -> ()\");",
        "a::f() -> () @f() -> (\n");
  check("char q = '\"'; int n = 1'000; TORCH_LIBRARY(a, m) { m.def(\"f() -> ()\"); }", "a::f() -> () @f() -> (\n");
}

static void test_cut_texts(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Str text =
      STR("#if 0\n#endif\nTORCH_LIBRARY(a, m) { m.def(torch::schema(R\"q(f(Tensor x) -> Tensor)q\")); /* x */ '\\'' }");
  for (size_t end = 0; end <= text.len; end++)
    listed(str_slice(text, 0, end), &arena);
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_schemas),
    cmocka_unit_test(test_names_without_schema),
    cmocka_unit_test(test_only_what_is_there),
    cmocka_unit_test(test_cut_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
