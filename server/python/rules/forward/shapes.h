/// Sizes of tensors as they go through operators: broadcasting, windows, joining, reshaping. Private to rules/.
///
/// Units:     elements along an axis; up to PY_DIM_NUMBER_LIMIT, more are not known.
/// Errors:    -1 is a size, or a rank, that is not known; of such nothing is wrong.
/// Threads:   pure.
/// Sources:   torch's documentation of broadcasting and of what layers give; run with torch 2.6 and 2.14.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"

typedef struct Shape {
  int rank;
  int64_t sizes[PY_SHAPE_RANK_LIMIT];
} Shape;

/// How a window goes over an axis: convolution and pooling.
typedef struct ShapeWindow {
  int64_t kernel, stride, padding, dilation;  ///< -1 if unknown.
} ShapeWindow;

Shape shape_unknown(void);
/// "(1, ?, 32)"
Str shape_text(const Shape *shape, Arena *arena);
/// The axis that `axis`, maybe counted from the end, is; -1 if there is none.
int shape_axis(const Shape *shape, int64_t axis);
/// False if the sizes can't be broadcast.
bool shape_broadcast(const Shape *a, const Shape *b, Shape *ret_shape);
/// `a @ b`; false if the inner sizes differ.
bool shape_matmul(const Shape *a, const Shape *b, Shape *ret_shape);
/// Adds `other` to `*joined` along an axis; false if they differ on another one, or in how many they have.
bool shape_join(Shape *joined, const Shape *other, int64_t axis);
/// Reads `wanted`, in which -1 is the rest and `unknown` sizes are marked; false if the elements don't fit.
bool shape_reshape(const Shape *shape, const Shape *wanted, const bool *unknown, Shape *ret_shape);
Shape shape_flatten(const Shape *shape, int64_t start, int64_t end);
Shape shape_transpose(const Shape *shape, int64_t a, int64_t b);
/// Without the axis, or with size 1 there.
Shape shape_reduce(const Shape *shape, int64_t axis, bool keeps);
Shape shape_unsqueeze(const Shape *shape, int64_t axis);
/// What a window gives of a size; -1 if it can't be told.
int64_t shape_window(int64_t size, const ShapeWindow *window);
/// Whether the window is larger than what it moves over, which torch refuses; false if that can't be told.
bool shape_window_is_too_large(int64_t size, const ShapeWindow *window);
/// What it gives in a transposed convolution.
int64_t shape_window_back(int64_t size, const ShapeWindow *window, int64_t output_padding);
/// `given` is tried with some axes `factor` times as long as in the example: the one, counted from 1, that is asked for
/// by the number that it has in the example, where those before it stay as they are: as one size, or as all that are
/// left, `x.view(b, c, 14, 16, 14, 16)`. 0 if there is none.
int shape_kept_axis(const Shape *given, const Shape *wanted, const bool *unknown, int64_t factor);
