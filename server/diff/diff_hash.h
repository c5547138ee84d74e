/// Hashes of the parts of a graph: what a part is, what comes before and after it, and what is around it.
///
/// Ownership: part_hashes_done() frees.
/// Errors:    two different things may have one hash, but rarely.
/// Threads:   pure.
/// Sources:   colour refinement (Weisfeiler and Leman), to a few steps.
#pragma once

#include "core/structure.h"

enum { AROUND_STEPS = 5, KIND_STEPS = 3 };

/// Where a value is used.
typedef struct ValueUse {
  uint32_t part;
  uint32_t position;  ///< Among the uses of the part.
} ValueUse;

typedef struct PartHashes {
  size_t count;
  uint64_t *op;                        ///< What the part is, without its attributes.
  uint64_t *label;                     ///< With them.
  uint64_t *before;                    ///< With all that it depends on.
  uint64_t *after;                     ///< With all that depends on it.
  uint64_t *around[AROUND_STEPS + 1];  ///< With what is within so many steps; 0 is `label`.
  uint64_t *kinds[KIND_STEPS + 1];     ///< The same without attributes and values; 0 is `op`, of constants the type.
  uint32_t *first_use;                 ///< By value, one more than there are: its uses in `uses`.
  ValueUse *uses;
} PartHashes;

/// What is left out of the hashes.
typedef struct HashRule {
  bool ignores_values;  ///< One of the two texts does not tell the values of all constants.
  bool is_mixed;        ///< The texts are of two languages: only operators and what joins them can be compared.
  bool lacks_domains;   ///< One of these writes operators without their domains.
} HashRule;

void part_hashes(const GraphStructure *structure, HashRule rule, PartHashes *ret_hashes);
/// Whether a block is the body of a function, which is in no node.
bool diff_is_function(const PartBlock *block);
/// Whether a part only prepares arguments, which another language writes in the call: a constant, a list, a parameter.
bool diff_part_is_minor(const Part *part);
/// The operator without its overload, which not every language prints, and without its domain if one of them has none.
Str diff_part_op(const Part *part, bool lacks_domains);
/// Among the inputs or outputs of its block; between two languages parameters don't count, as not each has them there.
static inline uint32_t diff_part_number(const Part *part, bool is_mixed)
{
  return is_mixed ? part->argument : part->number;
}
void part_hashes_done(PartHashes *hashes);
