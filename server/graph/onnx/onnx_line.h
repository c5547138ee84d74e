/// The parser of the graph language `onnx-text`: lines of ONNX text as syntax nodes.
///
/// Features work on lines, so this reads each line by itself and judges nothing; what is wrong with a text says
/// onnx_tree.h, which reads it whole.
///
/// Ownership: as GraphDialect says.
/// Errors:    a line that is none of a graph is a NODE_TEXT_LINE.
/// Threads:   one parser belongs to one thread at a time.
/// Sources:   onnx/defs/printer.cc of onnx 1.12 to 1.22, docs/show.md.
#pragma once

#include "graph/model/line_parser.h"

SyntaxList onnx_line_parse(SyntaxParser *parser, Str text);
