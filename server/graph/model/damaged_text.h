/// What is left of lines that no parser can read: their text alone has to say what they were.
///
/// Ownership: nothing is kept.
/// Units:     offsets in the text given.
/// Threads:   pure.
#pragma once

#include "base/str.h"

/// `aten:relu`, `aten::`, `aten@relu`: printable graphs have operators without a namespace, but none like these.
bool text_is_malformed_op(Str op);
/// `%name` and nothing else; what the first character is was looked at before.
bool text_is_identifier(Str name);
/// The `=` of a statement, outside of brackets; the end of the line if there is none.
size_t text_find_assignment(Str line);
/// Whether a line of words is a statement that was damaged: a name first, and later on a call of an operator.
bool text_is_damaged_statement(Str line, char name_sign);
/// Whether a line tells that others were left out. A comment of ours says why it is there in any words.
bool text_says_gap(Str line);
