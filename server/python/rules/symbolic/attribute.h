/// One attribute of g.op() or op.X(), as the rules about attributes see it. Private to rules/.
///
/// Ownership: lives while the attribute is checked.
/// Units:     kinds as in python/model/python_file.h.
/// Threads:   as DiagSink.
/// Sources:   onnx.checker; how torch stores an attribute by its suffix: docs/rules/attribute-value.md.
#pragma once

#include "python/rules/symbolic/op.h"

typedef struct AttributeCheck {
  OpCheck *op;
  const PyAttribute *attribute;
  PyValue value;
  const OnnxAttribute *newest;  ///< Of that name in some version of the operator, the newest; NULL.
} AttributeCheck;

/// The attribute of that name in the newest version that has it; NULL for none.
const OnnxAttribute *attribute_newest(const OnnxOperator *onnx, Str name);
/// Writes another name for it; NULL if that can't be.
const Fix *attribute_fix_name(const AttributeCheck *check, bool is_sure, Str name);

/// Says whether the schema knows the attribute wherever it matters.
bool attribute_check_name(AttributeCheck *check);
/// `alpha_f=symbolic_helper._scalar(alpha)` where alpha is not a tensor: None, so alpha is left out silently. Says
/// whether that is so.
bool attribute_check_dropped(AttributeCheck *check);
/// Says whether the value can be stored with the suffix at all.
bool attribute_check_value(AttributeCheck *check);
/// An empty list. False if torch takes it, as it does in operators that the checker has no schema for.
bool attribute_check_empty(AttributeCheck *check);
/// Against the type in the schema.
void attribute_check_type(AttributeCheck *check);
/// The same in a function with @script(), where onnxscript makes the value one of that type. True if it can't.
bool attribute_check_scripted(AttributeCheck *check);
/// Against the strings that the specification lists.
void attribute_check_listed(AttributeCheck *check);
