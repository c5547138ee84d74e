/// The parts of a condition that must all be true, and which of them a glance at a node may rule out.
///
/// Ownership: parts live in the arena and share the tokens of the condition.
/// Units:     arguments from 0; dtypes are bits by number of c10::ScalarType.
/// Errors:    a part that has no simple form is PART_OTHER.
/// Threads:   pure.
/// Sources:   symbolics-db/README.md, "Outcomes".
#pragma once

#include "outcome/outcome.h"

/// Cheap ones first, as they are asked in this order.
typedef enum ConditionPartKind {
  PART_COUNT,     ///< The node has `count` arguments.
  PART_VARIABLE,  ///< The argument is not constant.
  PART_NOT_NONE,
  PART_NONE,
  PART_NO_LIST,  ///< The argument is a single number.
  PART_WRITE,    ///< The first argument is part of another value, or a view of it, and changed.
  PART_DTYPE,    ///< Its element type is one of `dtypes`.
  PART_RANK,     ///< It has `count` dimensions.
  PART_OTHER,
} ConditionPartKind;

typedef struct ConditionPart {
  ConditionPartKind kind;
  uint32_t argument;
  uint32_t count;
  uint32_t dtypes;
  bool wants_number;  ///< PART_OTHER: the argument is equal to `number`.
  double number;
  Condition condition;
} ConditionPart;

/// All parts, in order of kinds. The condition is true if and only if each of them is.
const ConditionPart *condition_parts(const Condition *condition, Arena *arena, uint32_t *ret_count);
