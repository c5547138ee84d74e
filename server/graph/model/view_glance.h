/// Conditions that are ruled out at a glance: by what a chunk tells of the names in it without following them anywhere.
///
/// Nearly every node is settled here, so what is asked of it is prepared twice: the parts of conditions become small
/// tests once for each operator, and the lines of a chunk become a table of names once for each chunk.
///
/// Ownership: tests live in the caller's arena; the table in that of the view.
/// Units:     places as in dump.h; element types are bits as in ConditionPart.
/// Errors:    what a glance doesn't tell rules nothing out.
/// Threads:   one view belongs to one thread.
#pragma once

#include "base/vec.h"
#include "graph/model/dump_view.h"

/// One part of a condition, as far as a glance may rule it out.
typedef struct GlanceTest {
  uint8_t kind;  ///< ConditionPartKind, or that it rules nothing out.
  uint8_t argument;
  bool is_last;     ///< Of its condition.
  uint16_t makers;  ///< Of the argument, as bits: these rule it out.
  uint32_t wanted;  ///< The count of the part, or types as bits.
  uint32_t next;    ///< The first test after those that need not be asked if this one rules its condition out.
  double number;    ///< PART_OTHER: the argument is to be equal to it.
} GlanceTest;

typedef Vec(GlanceTest) GlanceTestVec;

/// Arguments as bits; those from the eighth on share one.
typedef uint8_t ArgumentBits;

/// Conditions one after the other. Each has at least one test, and is ruled out if one of them says so.
typedef struct GlanceTests {
  const GlanceTest *items;
  uint32_t count;
  ArgumentBits arguments;  ///< That any of them looks at.
} GlanceTests;

static inline ArgumentBits argument_bit(uint32_t argument)
{
  return (ArgumentBits)(1 << (argument < 7 ? argument : 7));
}

void glance_add_condition(GlanceTestVec *tests, const ConditionPart *parts, uint32_t count);
/// Adds a test of the first argument's element type, which rules out all conditions that come after it.
void glance_add_types(GlanceTestVec *tests, uint32_t dtypes);
/// Copies what was added.
GlanceTests glance_tests(const GlanceTestVec *tests, Arena *arena);

/// Whether any of the conditions may be true of the node. The view need not be turned to the node.
bool glance_may_hold(DumpView *view, Place node, GlanceTests tests);
/// Whether the condition with the tests from `first` on is certainly not true of the node.
bool glance_rules_out(DumpView *view, Place node, GlanceTests tests, uint32_t first);
