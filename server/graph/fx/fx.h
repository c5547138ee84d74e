/// FX graphs: `print(exported_program)`, `print(graph)`, `gm.code`, `print_readable()`, `print_tabular()`, alone or in
/// a log.
///
/// Ownership: a constant.
/// Threads:   as core/language.h says.
/// Sources:   torch 1.13 to 2.14.
#pragma once

#include "core/language.h"

extern const Language fx_graph_language;
