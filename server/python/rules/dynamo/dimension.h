/// What stands for a dimension in dynamic_shapes: `Dim("batch", min=1, max=8)`, `2 * batch`, `Dim.AUTO`, "batch", 3,
/// None. Private to rules/.
///
/// Ownership: names lie in the arena that is given.
/// Units:     sizes are elements along an axis.
/// Errors:    what can't be read is DIM_UNKNOWN.
/// Threads:   pure.
/// Sources:   torch.export.Dim of torch 2.6 and 2.14.
#pragma once

#include "python/model/python_file.h"

typedef enum DimKind {
  DIM_UNKNOWN,
  DIM_NAMED,   ///< Dim("batch")
  DIM_HINT,    ///< Dim.AUTO, Dim.DYNAMIC, Dim.STATIC
  DIM_STRING,  ///< "batch"
  DIM_INT,     ///< The size itself.
  DIM_NONE,    ///< Whatever the example has.
} DimKind;

typedef struct Dimension {
  DimKind kind;
  Str name;               ///< Of NAMED, STRING and HINT; empty if it can't be told.
  PyRef name_node;        ///< Of NAMED.
  bool has_bounds;        ///< `min` and `max` can be told; they are 0 and INT64_MAX where nothing is given.
  int64_t min, max;       ///< Of NAMED, and of INT the size.
  int64_t scale, offset;  ///< Of NAMED: the axis has `scale * size + offset` elements, where `size` has the bounds.
} Dimension;

/// The size of the Dim itself where the axis has `size` elements; -1 if no such Dim gives that.
int64_t dimension_root_size(const Dimension *dimension, int64_t size);
/// A member of Dim that torch knows: AUTO, DYNAMIC, STATIC.
bool dimension_is_hint(Str name);
Dimension dimension_read(const PyModel *model, PyRef node, Arena *arena);
/// "2 to 8", "2 or more", "8 or less": of a NAMED one with bounds.
Str dimension_bounds_text(const Dimension *dimension, Arena *arena);
