// Numbers as text: the shortest that reads back as the same bits, for every kind of float; SHA-256.

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "base/sha256_blocks.h"
#include "onnx_model/numbers.h"
#include "onnx_model/schema.h"

static void expect_float(float value, bool wants_point, const char *expected)
{
  char memory[NUMBER_TEXT];
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  Str text = number_float(bits, wants_point, memory);
  assert_string_equal(memory, expected);
  assert_int_equal(text.len, strlen(expected));
}

static void floats(void **state)
{
  (void)state;
  expect_float(0, false, "0");
  expect_float(0, true, "0.0");
  expect_float(-0.0F, false, "-0.0");
  expect_float(1, false, "1");
  expect_float(1, true, "1.0");
  expect_float(-2.5F, true, "-2.5");
  expect_float(0.1F, false, "0.1");
  expect_float(1e-5F, false, "1e-05");
  expect_float(1e10F, true, "1e+10");
  expect_float(16777216, false, "16777216");
  expect_float(123456.79F, false, "123456.79");
  expect_float(INFINITY, true, "inf");
  expect_float(-INFINITY, false, "-inf");
  expect_float(NAN, false, "nan");
  expect_float(-NAN, false, "-nan");
}

/// Every text reads back as the same bits, none is longer than the shortest of printf(), and reading sets no errno.
static void round_trip(void **state)
{
  (void)state;
  char memory[NUMBER_TEXT];
  uint32_t bits = 1;
  for (int i = 0; i < 300000; i++) {
    bits = bits * 1664525 + 1013904223;
    // Half of them near 1, as weights are.
    uint32_t tried = i % 2 ? bits : (bits & 0x83FFFFFF) | 0x3C000000;
    float value;
    memcpy(&value, &tried, sizeof(value));
    if (isnan(value))
      continue;
    Str text = number_float(tried, false, memory);
    errno = 0;
    float read = strtof(memory, NULL);
    assert_memory_equal(&read, &value, sizeof(value));
    assert_int_equal(errno, 0);
    char shortest[64];
    int digits = 1;
    do
      snprintf(shortest, sizeof(shortest), "%.*e", digits - 1, (double)value);
    while (strtof(shortest, NULL) != value && ++digits < 10);
    size_t got = 0;
    for (size_t at = 0; at < text.len && text.data[at] != 'e'; at++)
      got += text.data[at] >= '0' && text.data[at] <= '9' && (got > 0 || text.data[at] != '0');
    // Zeros at the end of a whole number are not counted by printf's form.
    if (isnormal(value) && fabsf(value) < 1e5F && !(floorf(value) == value))
      assert_true(got <= (size_t)digits);
  }
}

static void doubles(void **state)
{
  (void)state;
  static const double values[] = {
    0.1, 1e300, -1e-300, 3, 123456789012345680.0, 5e-324, -2.2250738585072009e-308, 1.7976931348623157e308
  };
  char memory[NUMBER_TEXT];
  for (size_t i = 0; i < COUNT(values); i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof(bits));
    number_double(bits, true, memory);
    errno = 0;
    double read = strtod(memory, NULL);
    assert_memory_equal(&read, &values[i], sizeof(read));
    assert_int_equal(errno, 0);
    assert_non_null(strpbrk(memory, ".e"));
  }
}

static void integers(void **state)
{
  (void)state;
  char memory[NUMBER_TEXT];
  assert_true(str_equal(number_signed(0xFF, 1, memory), STR("-1")));
  assert_true(str_equal(number_signed(0x7F, 1, memory), STR("127")));
  assert_true(str_equal(number_signed(0x8000, 2, memory), STR("-32768")));
  assert_true(str_equal(number_signed(UINT64_MAX, 8, memory), STR("-1")));
  assert_true(str_equal(number_unsigned(0x1FF, 1, memory), STR("255")));
  assert_true(str_equal(number_unsigned(UINT64_MAX, 8, memory), STR("18446744073709551615")));
}

static void small_floats(void **state)
{
  (void)state;
  assert_true(number_small_float(ELEMENT_FLOAT16, 0x3C00) == 1);
  assert_true(number_small_float(ELEMENT_FLOAT16, 0x0001) == ldexp(1, -24));
  assert_true(number_small_float(ELEMENT_FLOAT16, 0xFC00) == -INFINITY);
  assert_true(isnan(number_small_float(ELEMENT_FLOAT16, 0x7C01)));
  assert_true(number_small_float(ELEMENT_BFLOAT16, 0xBF80) == -1);
  assert_true(number_small_float(ELEMENT_FLOAT8E4M3FN, 0x7E) == 448);
  assert_true(isnan(number_small_float(ELEMENT_FLOAT8E4M3FN, 0xFF)));
  assert_true(number_small_float(ELEMENT_FLOAT8E4M3FNUZ, 0x7F) == 240);
  assert_true(isnan(number_small_float(ELEMENT_FLOAT8E4M3FNUZ, 0x80)));
  assert_true(number_small_float(ELEMENT_FLOAT8E5M2, 0x7B) == 57344);
  assert_true(number_small_float(ELEMENT_FLOAT8E5M2, 0x7C) == INFINITY);
  assert_true(number_small_float(ELEMENT_FLOAT8E5M2FNUZ, 0x7F) == 57344);
  assert_true(number_small_float(ELEMENT_FLOAT4E2M1, 0x7) == 6);
  assert_true(number_small_float(ELEMENT_FLOAT4E2M1, 0x9) == -0.5);
  assert_true(number_small_float(ELEMENT_FLOAT8E8M0, 0x80) == 2);
  assert_true(isnan(number_small_float(ELEMENT_FLOAT8E8M0, 0xFF)));
}

/// The examples of FIPS 180-4, and lengths around a block.
static void sha256(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t repeated;
    const char *hex;
  } rows[] = {
    { "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    Sha256 sha;
    char hex[2 * SHA256_BYTES + 1];
    sha256_init(&sha);
    for (size_t k = 0; k < rows[i].repeated; k++)
      sha256_add(&sha, str_from(rows[i].text));
    sha256_hex(&sha, hex);
    assert_string_equal(hex, rows[i].hex);
  }
}

/// The same whatever pieces it comes in.
static void sha256_pieces(void **state)
{
  (void)state;
  char text[300];
  for (size_t i = 0; i < sizeof(text); i++)
    text[i] = (char)(i * 7 + i / 50);
  for (size_t len = 0; len <= sizeof(text); len++) {
    uint8_t whole[SHA256_BYTES], pieced[SHA256_BYTES];
    sha256_of(str_make(text, len), whole);
    for (size_t piece = 1; piece < 130; piece += 21) {
      Sha256 sha;
      sha256_init(&sha);
      for (size_t at = 0; at < len; at += piece)
        sha256_add(&sha, str_make(text + at, len - at < piece ? len - at : piece));
      sha256_bytes(&sha, pieced);
      assert_memory_equal(pieced, whole, SHA256_BYTES);
    }
  }
}

/// The processor's instructions and C say the same.
static void sha256_both_ways(void **state)
{
  (void)state;
  uint8_t blocks[5 * SHA256_BLOCK];
  uint32_t plain[8] = { 0x6a09e667, 1, 0xffffffff, 0x80000000, 0, 7, 0x1f83d9ab, 0x5be0cd19 }, fast[8];
  for (size_t i = 0; i < sizeof(blocks); i++)
    blocks[i] = (uint8_t)(i * i + 31 * i);
  for (size_t count = 0; count <= 5; count++) {
    memcpy(fast, plain, sizeof(fast));
    if (!sha256_blocks_fast(fast, blocks, count))
      skip();
    sha256_blocks_plain(plain, blocks, count);
    assert_memory_equal(fast, plain, sizeof(fast));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(floats),        cmocka_unit_test(round_trip),       cmocka_unit_test(doubles),
    cmocka_unit_test(integers),      cmocka_unit_test(small_floats),     cmocka_unit_test(sha256),
    cmocka_unit_test(sha256_pieces), cmocka_unit_test(sha256_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
