/// Reading of JSON values. The one place, with message.c, that knows jansson.
///
/// Every reader takes NULL for a value that is not there, so look-ups chain without checks between them.
///
/// Ownership: value_parse() and value_retain() give a reference to value_release(); the rest borrows.
/// Errors:    a value of another type is refused with false, and nothing is written.
/// Threads:   reading is pure; retain and release belong to one thread at a time.
/// Sources:   RFC 8259.
#pragma once

#include "base/status.h"
#include "base/str.h"

typedef struct Value Value;

typedef enum ValueKind {
  VALUE_MISSING,
  VALUE_NULL,
  VALUE_BOOL,
  VALUE_NUMBER,
  VALUE_STRING,
  VALUE_ARRAY,
  VALUE_OBJECT,
} ValueKind;

typedef struct ValueError {
  int line;    ///< From 1.
  int column;  ///< From 1.
  char text[160];
} ValueError;

/// From now on JSON takes its memory as everything else does: where there is none, the program ends and says so. Call
/// it before anything is parsed.
void value_use_memory(void);
/// A whole JSON text of any type; NUL characters in strings are allowed.
MUST_USE Status value_parse(Str text, Value **ret_value, ValueError *ret_error);
Value *value_retain(const Value *value);
void value_release(Value *value);

ValueKind value_kind(const Value *value);
/// "a string", "an array"... for messages.
const char *value_kind_name(const Value *value);
/// The member of an object; NULL if this is not an object or has no such member.
const Value *value_get(const Value *object, const char *key);
/// As value_get() along names joined by dots.
const Value *value_path(const Value *object, const char *path);
bool value_to_str(const Value *value, Str *ret_str);
/// Integers, and real numbers that are whole.
bool value_to_int(const Value *value, int64_t *ret_int);
bool value_to_bool(const Value *value, bool *ret_bool);
/// True only for the JSON value `true`.
bool value_is_true(const Value *value);
/// Elements of an array; 0 for anything else.
size_t value_count(const Value *array);
/// NULL after the end.
const Value *value_at(const Value *array, size_t index);
/// Members of an object in the order they were written.
void value_each(const Value *object, void (*visit)(Str key, const Value *value, void *context), void *context);
/// Compact JSON, for free().
char *value_dump(const Value *value);
/// The same with a line for each member and element, for files that people compare.
char *value_dump_lines(const Value *value);
