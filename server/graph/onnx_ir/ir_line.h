/// The parser of the graph language `onnx-ir`: lines of what onnx_ir prints, as syntax nodes.
///
/// Each line is read by itself, so inputs, outputs and initializers look the same; ir_read.h knows them apart.
///
/// Ownership: as GraphDialect says.
/// Errors:    a line that is none of a graph is a NODE_TEXT_LINE.
/// Threads:   one parser belongs to one thread at a time.
/// Sources:   as ir_scan.h.
#pragma once

#include "graph/model/line_parser.h"

SyntaxList ir_line_parse(SyntaxParser *parser, Str text);
