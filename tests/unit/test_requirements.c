// Which torch a text pins.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "facts/messages.h"
#include "host/requirements.h"
#include "requirements/requirement.h"

typedef struct Case {
  const char *text;
  const char *version;  ///< NULL: it pins none.
} Case;

static const Case cases[] = {
  { "torch==2.6.0\n", "2.6" },
  { "numpy\ntorch == 2.14.1 ; python_version > '3.9'\n", "2.14" },
  { "torch==2.6.0+cu124 # the one of the driver\n", "2.6" },
  { "torch[opt]==1.13.1", "1.13" },
  { "torch===2.6.0", "2.6" },
  { "torch~=2.6.0", "2.6" },
  { "torch==2.1.*", "2.1" },
  { "torch>=2.0\n", NULL },
  { "torch>=1.8,<1.13\n", NULL },
  { "torch\n", NULL },
  { "# torch==2.6.0\n", NULL },
  { "torchvision==0.21.0\npytorch-lightning==2.1.0\nmy-torch==3.1\nmy.torch==3.2\n", NULL },
  { "torch==2.6.0; sys_platform == 'linux'\ntorch==2.2.2; sys_platform == 'darwin'\n", NULL },
  { "torch==2.6.0\ntorch==2.6.1\n", "2.6" },
  { "torch==2", NULL },
  { "torch==2.", NULL },
  { "torch==", NULL },
  { "torch=", NULL },
  { "torch[", NULL },
  { "torch==99999999999.99999999999", NULL },
  { "", NULL },
  { "dependencies = [\"torch==2.6\", \"onnx\"]\n", "2.6" },
  { "[tool.poetry.dependencies]\ntorch = \"2.6.0\"\n", "2.6" },
  { "torch = \"^2.6\"\n", NULL },
  { "torch = \"==2.6.0\"\n", "2.6" },
  { "dependencies:\n  - pytorch=2.1\n  - python=3.11\n", "2.1" },
  { "dependencies:\n  - pytorch::pytorch==2.1.0=py3.10\n", "2.1" },
  { "RUN pip install --no-cache-dir torch==2.6.0 onnx==1.17\n", "2.6" },
  { "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime\n", "2.1" },
  { "FROM registry.example/nvidia/pytorch:24.12-py3 AS base\n", "2.6" },
  { "ARG IMAGE=registry.example/nvidia/pytorch:23.01-py3-igpu\n", "2.0" },
  { "FROM registry.example/nvidia/pytorch:22.10-py3\n", "1.12" },
  { "FROM registry.example/nvidia/pytorch:21.03-py3\n", "1.9" },
  { "FROM registry.example/nvidia/pytorch:19.02-py3\n", NULL },
  { "ARG PYTORCH=\"1.6.0\"\nFROM pytorch/pytorch:${PYTORCH}-cuda10.1-devel\n", "1.6" },
  { "ARG TORCH_VERSION=2.1.0\nRUN pip install torch==${TORCH_VERSION}\n", "2.1" },
  { "ENV PYTORCH_VERSION=2.0\nRUN pip install torch==2.1.0\n", NULL },
  { "if TORCH_VERSION=2.1.0:\n", NULL },
  { "FROM registry.example/nvidia/pytorch:99.01-py3\n", NULL },
  { "FROM registry.example/nvidia/pytorch:${TAG}\nFROM registry.example/nvidia/pytorch\n", NULL },
  { "FROM registry.example/nvidia/pytorch:23.10-py3\nRUN pip install torch==2.6.0\n", NULL },
  { "FROM registry.example/nvidia/pytorch2:23.10-py3\nFROM registry.example/nvidia/tensorrt:23.10-py3\n", NULL },
  { "[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\nsource = { registry = \"x\" }\n", "2.6" },
  { "[[package]]\nname = \"numpy\"\nversion = \"1.26.0\"\n\n[[package]]\nname = \"torch\"\n\n[[package]]\nname = \"y\"\n"
    "version = \"3.1\"\n",
    NULL },
  { "import torch\nprint(torch.__version__)\n", NULL },
  { "Torch==2.2.0\n", "2.2" },
  { "PyTorch 2.6\nPyTorch=2.6\n", NULL },
  { "torch>=2.6,<2.7\n", "2.6" },
  { "torch>=2.6.1,<=2.6.3\n", "2.6" },
  { "torch>=2.6,<=2.7\n", NULL },
  { "torch~=2.6\n", NULL },
  { "torch = \"~2.6\"\n", "2.6" },
  { "torch @ https://a.b/whl/torch-2.6.0%2Bcu124-cp311-cp311-linux_x86_64.whl\n", "2.6" },
  { "- conda: https://a.b/linux-64/pytorch-2.5.1-cuda126_py312.conda\n", "2.5" },
  { "https://a.b/torch-2.6-notes\nhttps://a.b/torch-2.6.html\n", NULL },
  { "https://a.b/torchvision-0.21.0-cp311-linux_x86_64.whl\n", NULL },
  { "\"torch\": {\n  \"hashes\": [\n    \"sha256:0\"\n  ],\n  \"version\": \"==2.1.2\"\n},\n", "2.1" },
  { "\"torch\": {\"index\": \"a\"},\n\"numpy\": {\"version\": \"==3.1\"}\n", NULL },
  { "install_requires=[\"torch==2.0.1\", \"onnx\"]\n", "2.0" },
};

static void check_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    Arena arena = { 0 };
    Str version = { 0 };
    bool is_found = requirements_pinned(str_from(cases[i].text), STR("torch"), &arena, &version);
    if (is_found != (cases[i].version != NULL) || (is_found && !str_equal(version, str_from(cases[i].version))))
      fail_msg("\"%s\" gives %.*s", cases[i].text, STR_ARG(version));
    arena_done(&arena);
  }
}

/// No beginning of a text is read past its end; ASan says so if one is.
static void check_cut_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    for (size_t len = 0; len <= str_from(cases[i].text).len; len++) {
      Arena arena = { 0 };
      Str version;
      char *cut = xstrdup_str(str_make(cases[i].text, len));
      requirements_pinned(str_make(cut, len), STR("torch"), &arena, &version);
      free(cut);
      arena_done(&arena);
    }
  }
}

static void check_metadata(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Str version;
  assert_true(requirements_metadata(STR("torch-2.6.0+cpu.dist-info"), STR("torch"), &arena, &version));
  assert_true(str_equal(version, STR("2.6")));
  assert_false(requirements_metadata(STR("torchvision-0.21.0.dist-info"), STR("torch"), &arena, &version));
  assert_false(requirements_metadata(STR("torch-x.dist-info"), STR("torch"), &arena, &version));
  assert_false(requirements_metadata(STR("torch-2.6.0"), STR("torch"), &arena, &version));
  assert_true(requirements_metadata(STR("onnxruntime_gpu-1.21.0.dist-info"), STR("onnxruntime"), &arena, &version));
  assert_true(str_equal(version, STR("1.21")));
  assert_false(
      requirements_metadata(STR("onnxruntime_extensions-0.9.0.dist-info"), STR("onnxruntime"), &arena, &version));
  assert_true(
      requirements_pinned(STR("onnx==1.17.0\nonnxruntime-gpu==1.20.1\n"), STR("onnxruntime"), &arena, &version));
  assert_true(str_equal(version, STR("1.20")));
  assert_false(requirements_pinned(STR("onnxruntime-extensions==0.9\n"), STR("onnxruntime"), &arena, &version));
  assert_false(
      requirements_pinned(STR("onnxruntime==1.20\nonnxruntime-gpu==1.21\n"), STR("onnxruntime"), &arena, &version));
  arena_done(&arena);
}

/// One line as long as a file may be: the time that each name takes must not grow with it, or this never ends.
static void check_long_lines(void **state)
{
  static const char *const units[] = { "torch ", "torch[", "# torch", "torch = ", "/torch-1", "\"torch\": {" };
  for (size_t i = 0; i < COUNT(units); i++) {
    Arena arena = { 0 };
    Buffer text = { 0 };
    Str version;
    while (text.len < REQUIREMENTS_BYTE_LIMIT / 8)
      buffer_append(&text, str_from(units[i]));
    assert_false(requirements_pinned(buffer_str(&text), STR("torch"), &arena, &version));
    buffer_append(&text, STR("\ntorch==2.6.0"));
    assert_true(requirements_pinned(buffer_str(&text), STR("torch"), &arena, &version));
    assert_true(str_equal(version, STR("2.6")));
    buffer_done(&text);
    arena_done(&arena);
  }
}

typedef struct LimitCase {
  const char *text;
  const char *below;      ///< Every release that is allowed is older than this one...
  const char *not_below;  ///< ...but not older than that one.
} LimitCase;

static const LimitCase limits[] = {
  { "torch==2.6.0", "2.6.1", "2.6" },
  { "torch==2.6.*", "2.7", "2.6.9" },
  { "torch<2.6", "2.6", "2.5.9" },
  { "torch<=2.6", "2.6.1", "2.6" },
  { "torch>=2.0, <3, !=2.5", "3", "2.9" },
  { "torch>2", NULL, "99" },
  { "torch~=2.6", "3.0", "2.99" },
  { "torch~=2.6.1", "2.7", "2.6.99" },
  { "torch = \"^2.6.1\"", "3", "2.99" },
  { "torch = \"^0.6.1\"", "0.7", "0.6.9" },
  { "torch = \"~2.6\"", "2.7", "2.6.9" },
  { "torch = { version = \">=2.0,<2.2\", extras = [] }", "2.2", "2.1" },
  { "torch (>=2.0,<2.2)", "2.2", "2.1" },
  { "- pytorch=2.6", "2.7", "2.6.9" },
  { "name = \"torch\"\nversion = \"2.6.1\"", "2.6.2", "2.6.1" },
  { "torch", NULL, "99" },
};

static void check_limits(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
    size_t end;
    Requirement requirement;
    RequirementCursor cursor = { .text = str_from(limits[i].text), .package = STR("torch") };
    assert_true(requirement_next(&cursor, &requirement));
    bool is_below =
        limits[i].below && requirement_is_before(&requirement, release_read(str_from(limits[i].below), &end));
    bool is_not = !requirement_is_before(&requirement, release_read(str_from(limits[i].not_below), &end));
    if (is_below != (limits[i].below != NULL) || !is_not)
      fail_msg("the limits of \"%s\" are wrong", limits[i].text);
    assert_false(requirement_next(&cursor, &requirement));
  }
}

static void check_pairs(void **state)
{
  (void)state;
  static const char *const pairs[][2] = { { "2.4", "" },       { "2.5.1", "0.1.0" }, { "2.6", "0.1.0" },
                                          { "2.7", "0.2.2" },  { "2.8", "0.3.1" },   { "2.9.1", "0.4.0" },
                                          { "2.10", "0.4.0" }, { "2.11", "0.6.0" },  { "2.14.1", "0.6.0" } };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    size_t end;
    Str needed = symbolics_onnxscript_for(symbolics_embedded(), release_read(str_from(pairs[i][0]), &end));
    assert_true(str_equal(needed, str_from(pairs[i][1])));
  }
  assert_int_equal(symbolics_onnxscript_for(symbolics_embedded(), (Release){ 0 }).len, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_texts),  cmocka_unit_test(check_cut_texts), cmocka_unit_test(check_metadata),
    cmocka_unit_test(check_limits), cmocka_unit_test(check_pairs),     cmocka_unit_test(check_long_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
