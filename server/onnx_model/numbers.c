#include "onnx_model/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "onnx_model/schema.h"

static float float_of_bits(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static double double_of_bits(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static Str literal(const char *word, bool is_negative, char *memory)
{
  int len = snprintf(memory, NUMBER_TEXT, "%s%s", is_negative ? "-" : "", word);
  return str_make(memory, (size_t)len);
}

/// Adds what makes it a float for every reader.
static Str finish(char *memory, bool wants_point)
{
  if (wants_point && !strpbrk(memory, ".e"))
    strcat(memory, ".0");
  return str_from(memory);
}

/// All digits of a subnormal number.
static Str exact(double value, bool wants_point, char *memory)
{
  snprintf(memory, NUMBER_TEXT, "%.770g", value);
  return finish(memory, wants_point);
}

/// The shortest of the printed forms with `least` to `most` digits that `is_same` accepts.
static Str shortest(double value, int least, int most, bool (*is_same)(const char *text, double value), char *memory)
{
  for (int digits = least; digits <= most; digits++) {
    snprintf(memory, NUMBER_TEXT, "%.*g", digits, value);
    if (digits == most || is_same(memory, value))
      break;
  }
  return str_from(memory);
}

static bool is_same_float(const char *text, double value)
{
  return strtof(text, NULL) == (float)value;
}

static bool is_same_double(const char *text, double value)
{
  return strtod(text, NULL) == value;
}

/// Of a number from 0 to 2^52, as nearbyint() does it: so large a double has no bits for fractions. The program has no
/// need of libm, which would be a tenth of its memory when it starts.
static double to_whole(double value)
{
  return value + 0x1p52 - 0x1p52;
}

/// The common case without printf(): weights of about 1. The candidate is scaled / 10^k; it is taken only where
/// rounding twice, to double and to float, surely gives what rounding once gives.
static bool write_quickly(float value, bool wants_point, char *memory)
{
  static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12 };
  double magnitude = fabs((double)value);
  if (!(magnitude >= 1e-3 && magnitude < 1e6))
    return false;
  for (int k = 0; k <= 12; k++) {
    double scaled = to_whole(magnitude * powers[k]);
    if (scaled >= 1e9)
      return false;
    double candidate = scaled / powers[k];
    uint64_t bits;
    memcpy(&bits, &candidate, sizeof(bits));
    uint64_t tail = bits & 0x1FFFFFFF;
    bool is_near_tie = tail >= 0x0FFFFFFE && tail <= 0x10000002;
    if (is_near_tie || (float)candidate != (float)magnitude)
      continue;
    uint64_t whole = (uint64_t)scaled / (uint64_t)powers[k];
    uint64_t rest = (uint64_t)scaled % (uint64_t)powers[k];
    const char *sign = signbit(value) ? "-" : "";
    if (k > 0)
      snprintf(memory, NUMBER_TEXT, "%s%llu.%0*llu", sign, (unsigned long long)whole, k, (unsigned long long)rest);
    else
      snprintf(memory, NUMBER_TEXT, "%s%llu%s", sign, (unsigned long long)whole, wants_point ? ".0" : "");
    return true;
  }
  return false;
}

Str number_float(uint32_t bits, bool wants_point, char *memory)
{
  float value = float_of_bits(bits);
  if (isnan(value))
    return literal("nan", bits >> 31, memory);
  if (isinf(value))
    return literal("inf", bits >> 31, memory);
  if (value == 0)
    return literal(wants_point || bits >> 31 ? "0.0" : "0", bits >> 31, memory);
  if (fabsf(value) < 1.17549435e-38F)
    return exact((double)value, wants_point, memory);
  if (write_quickly(value, wants_point, memory))
    return str_from(memory);
  shortest((double)value, 6, 9, is_same_float, memory);
  return finish(memory, wants_point);
}

Str number_double(uint64_t bits, bool wants_point, char *memory)
{
  double value = double_of_bits(bits);
  if (isnan(value))
    return literal("nan", bits >> 63, memory);
  if (isinf(value))
    return literal("inf", bits >> 63, memory);
  if (value == 0)
    return literal(wants_point || bits >> 63 ? "0.0" : "0", bits >> 63, memory);
  if (fabs(value) < 2.2250738585072014e-308)
    return exact(value, wants_point, memory);
  shortest(value, 6, 17, is_same_double, memory);
  return finish(memory, wants_point);
}

Str number_unsigned(uint64_t bits, unsigned width, char *memory)
{
  if (width < 8)
    bits &= (UINT64_C(1) << (8 * width)) - 1;
  int len = snprintf(memory, NUMBER_TEXT, "%llu", (unsigned long long)bits);
  return str_make(memory, (size_t)len);
}

Str number_signed(uint64_t bits, unsigned width, char *memory)
{
  if (width < 8) {
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    bits &= (sign << 1) - 1;
    bits = (bits ^ sign) - sign;
  }
  return str_from_int((int64_t)bits, memory);
}

/// How the bits of a float type are cut. Source: docs/docsgen/source/technical/float8.md and float4.md of onnx, IEEE
/// 754.
typedef struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;  ///< The largest exponent is that of infinity and NaN, as in IEEE 754.
  uint32_t nan;  ///< Else the one pattern of NaN, without the sign unless it is the sign alone; 0 if there is none.
} SmallFloat;

static const SmallFloat small_floats[ELEMENT_COUNT] = {
  [ELEMENT_FLOAT16] = { 5, 10, 15, true, 0 },        [ELEMENT_BFLOAT16] = { 8, 7, 127, true, 0 },
  [ELEMENT_FLOAT8E4M3FN] = { 4, 3, 7, false, 0x7F }, [ELEMENT_FLOAT8E4M3FNUZ] = { 4, 3, 8, false, 0x80 },
  [ELEMENT_FLOAT8E5M2] = { 5, 2, 15, true, 0 },      [ELEMENT_FLOAT8E5M2FNUZ] = { 5, 2, 16, false, 0x80 },
  [ELEMENT_FLOAT4E2M1] = { 2, 1, 1, false, 0 },
};

/// Of an exponent that a double has without being denormal.
static double power_of_two(int exponent)
{
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

double number_small_float(uint64_t element_type, uint32_t bits)
{
  if (element_type == ELEMENT_FLOAT8E8M0)
    return bits == 0xFF ? NAN : power_of_two((int)bits - 127);
  const SmallFloat *form = &small_floats[element_type < ELEMENT_COUNT ? element_type : 0];
  uint32_t largest = (1U << form->exponent_bits) - 1;
  uint32_t mantissa = bits & ((1U << form->mantissa_bits) - 1);
  uint32_t exponent = (bits >> form->mantissa_bits) & largest;
  uint32_t sign = (bits >> (form->mantissa_bits + form->exponent_bits)) & 1;
  uint32_t magnitude = bits & ((1U << (form->mantissa_bits + form->exponent_bits)) - 1);
  if (form->nan == 0x80 ? bits == form->nan : form->nan && magnitude == form->nan)
    return NAN;
  if (form->has_infinity && exponent == largest)
    return mantissa ? NAN : sign ? -INFINITY : INFINITY;
  int scale = (exponent == 0 ? 1 : (int)exponent) - form->bias - form->mantissa_bits;
  uint32_t implied = exponent == 0 ? 0 : 1U << form->mantissa_bits;
  double value = (mantissa + implied) * power_of_two(scale);
  return sign ? -value : value;
}
