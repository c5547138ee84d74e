/// How Python's tracebacks begin.
///
/// Threads: constants.
/// Sources: Lib/traceback.py; a colon follows.
#pragma once

#include "base/str.h"

#define TRACEBACK_HEAD_WORDS "Traceback (most recent call last)"
#define TRACEBACK_HEAD       STR(TRACEBACK_HEAD_WORDS)
