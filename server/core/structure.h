/// A graph apart from what its values are called: what comparing two graphs needs.
///
/// Everything is a *part*: what a graph takes, its constants, its nodes, and what it gives. Parts are joined by values.
/// A graph inside of a node (the branch of an If, a block) is a *block* that the node owns.
///
/// Ownership: structure_done() frees the lists; texts live in the structure's arena or in the snapshot.
/// Units:     lines of the document from 0; parts, values and blocks are numbers in their lists.
/// Errors:    a name that nothing defines is something that the graph takes (`is_free`).
/// Threads:   immutable once it is made.
/// Sources:   docs/diff.md.
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "core/snapshot.h"

#define NO_PART  UINT32_MAX
#define NO_VALUE UINT32_MAX  ///< An operand that is left out.

typedef enum StructureKind {
  STRUCTURE_INPUT,     ///< What a graph or a block takes; one value.
  STRUCTURE_CONSTANT,  ///< An initializer; one value.
  STRUCTURE_NODE,
  STRUCTURE_OUTPUT,  ///< What a graph or a block gives; one use.
} StructureKind;

typedef struct PartAttribute {
  Str name;
  Str value;  ///< In one spelling, whoever printed it; names of values are masked.
} PartAttribute;

typedef struct PartValue {
  Str name;
  Str type;  ///< In one spelling; empty if none is written.
  uint32_t part;
  uint32_t index;  ///< Among the values of its part.
} PartValue;

typedef struct Part {
  StructureKind kind;
  uint32_t block;     ///< In which it is.
  uint32_t number;    ///< Among the inputs or outputs of its block.
  uint32_t argument;  ///< The same without those that are parameters.
  uint32_t line;
  Str op;                  ///< "onnx::Conv"; empty but for nodes.
  Str label;               ///< What the text calls it, besides its values; may be empty.
  Str scope;               ///< Of the module that it belongs to, or where in the code it came from; may be empty.
  Str constant;            ///< Type and values of a constant, be it an initializer or a node; else empty.
  uint32_t constant_type;  ///< How much of `constant` is the type.
  bool is_free;
  bool is_parameter;  ///< An input that is a weight or the module itself, which other languages keep elsewhere.
  bool is_unknown;    ///< A constant whose values the text leaves out.
  uint32_t first_use;
  uint32_t use_count;
  uint32_t first_value;
  uint32_t value_count;
  uint32_t first_attribute;
  uint32_t attribute_count;
} Part;

typedef struct PartBlock {
  uint32_t owner;  ///< The node; NO_PART for the graph itself and for functions.
  Str name;        ///< Of the attribute that holds it, of the function, or "".
} PartBlock;

/// Something that the text says beside its graphs: opsets, metadata.
typedef struct StructureFact {
  Str name;
  Str value;
  uint32_t line;
} StructureFact;

enum {
  FLOAT_DIGITS = 9,    ///< Tell each float of 32 bits from all others.
  PRINTED_DIGITS = 6,  ///< What onnx's printer writes, whose streams round.
};

typedef struct GraphStructure {
  Arena arena;
  int digits;       ///< To which floats are rounded.
  Vec(Part) parts;  ///< In the order of the text.
  Vec(PartValue) values;
  Vec(uint32_t) uses;  ///< Values, or NO_VALUE.
  Vec(PartAttribute) attributes;
  Vec(PartBlock) blocks;
  Vec(StructureFact) facts;
} GraphStructure;

/// False where the document's language has no graphs, or nothing could be read. Floats are rounded to so many `digits`.
bool structure_of(const Snapshot *snapshot, int digits, GraphStructure *ret_structure);
void structure_done(GraphStructure *structure);

// --- For the languages ---

uint32_t structure_add_block(GraphStructure *structure, uint32_t owner, Str name);
/// A part without uses, values and attributes, which are to be added to it before the next part.
uint32_t structure_add_part(GraphStructure *structure, Part part);
void structure_add_use(GraphStructure *structure, uint32_t value);
uint32_t structure_add_value(GraphStructure *structure, Str name, Str type);
void structure_add_attribute(GraphStructure *structure, Str name, Str value);
void structure_add_fact(GraphStructure *structure, Str name, Str value, uint32_t line);
/// A text in one spelling: without comments, with white space only between words, and each number that has a point or
/// an exponent with the structure's digits. Of `are_floats` whole numbers are such, too.
Str structure_spelling(GraphStructure *structure, Str text, bool are_floats);
/// A number in that spelling.
Str structure_number(double number, int digits, char *memory);
enum { STRUCTURE_NUMBER_ROOM = 64 };
/// The most digits that a number with a point or an exponent has in the text; 0 if there is none.
int structure_most_digits(Str text);
