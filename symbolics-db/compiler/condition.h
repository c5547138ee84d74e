/// The condition of an outcome: what has to be true of a node's arguments, as text and in a form to be evaluated.
///
/// `$1` is the value of the second argument, `$1[0]` its first element; `rank($0)`, `dtype($0)`, `is_const($1)` and the
/// like ask about an argument. Operators are those of Python: or, and, not, in, comparisons, + - * / // %.
///
/// Ownership: tokens live in the arena, their texts in the text that was parsed.
/// Units:     arguments from 0; numbers are doubles.
/// Errors:    what is not a condition is refused with a message.
/// Threads:   pure.
/// Sources:   symbolics-db/README.md, "Outcomes".
#pragma once

#include "base/memory.h"

enum {
  CONDITION_TOKEN_LIMIT = 400,
  CONDITION_DEPTH_LIMIT = 48,  ///< Of the evaluator's stack.
  CONDITION_LIST_LIMIT = 32,   ///< Elements of a list that is written in a condition.
};

typedef enum ConditionOp {
  // What stands for itself:
  CONDITION_NUMBER,
  CONDITION_TEXT,
  CONDITION_NONE,
  CONDITION_ARGUMENT,  ///< `$k`, k in `number`.
  CONDITION_COUNT,     ///< How many arguments the node has.
  // One operand:
  CONDITION_NOT,
  CONDITION_NEGATIVE,
  // Two:
  CONDITION_OR,
  CONDITION_AND,
  CONDITION_IN,
  CONDITION_EQUAL,
  CONDITION_UNEQUAL,
  CONDITION_LESS,
  CONDITION_LESS_EQUAL,
  CONDITION_GREATER,
  CONDITION_GREATER_EQUAL,
  CONDITION_ADD,
  CONDITION_SUBTRACT,
  CONDITION_MULTIPLY,
  CONDITION_DIVIDE,
  CONDITION_FLOOR_DIVIDE,
  CONDITION_MODULO,
  CONDITION_INDEX,
  // As many as `operands` says:
  CONDITION_LIST,
  // Functions of one operand, and two of two:
  CONDITION_BOOL,
  CONDITION_DTYPE,
  CONDITION_FLOAT,
  CONDITION_INT,
  CONDITION_IS_CONST,
  CONDITION_IS_FLOAT,  ///< A Python float, also a whole one.
  CONDITION_IS_LIST,
  CONDITION_IS_NONE,
  CONDITION_IS_PACKED,
  CONDITION_IS_RETURNED,  ///< Is the node's result a result of the graph?
  CONDITION_IS_TENSOR,
  CONDITION_IS_TENSOR_LIST,
  CONDITION_KIND_IS,
  CONDITION_LEN,
  CONDITION_LOSES_WRITE,  ///< Does the node change a view of a tensor that does not see it?
  CONDITION_MAX,
  CONDITION_MIN,
  CONDITION_NDIM,
  CONDITION_NUMEL,
  CONDITION_OUTPUTS,  ///< How many values the node's list is unpacked into at once; none if it is not.
  CONDITION_RANK,
  CONDITION_RESULT_TYPE,  ///< The element type of the node's result.
  CONDITION_SCALAR_TYPE,
  CONDITION_SIZES,
  CONDITION_TRUE,
  CONDITION_VALUES_DECIDE,  ///< True, but only some values of the tensors make it so.
  CONDITION_WRITES_PART,    ///< Does the node change a part of a tensor that is used after it?
} ConditionOp;

typedef struct ConditionToken {
  ConditionOp op;
  uint32_t operands;
  double number;
  Str text;
} ConditionToken;

typedef struct Condition {
  const ConditionToken *tokens;  ///< Operands before their operator.
  uint32_t count;
} Condition;

/// False with a message, which lives in the arena, if the text is not a condition.
bool condition_parse(Str text, Arena *arena, Condition *ret_condition, Str *ret_message);
