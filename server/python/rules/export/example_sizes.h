/// Sizes as calls that make tensors and arrays write them. Private to rules/.
///
/// Units:     elements along an axis.
/// Errors:    what is not known is -1.
/// Threads:   pure.
#pragma once

#include "python/rules/export/example_inputs.h"

ExampleShape example_no_shape(void);
/// What a size stands for, or a list of them: also `args.size`, which the command line leaves at its default.
PyRef example_size_resolved(const PyModel *model, PyRef node);
bool example_is_sequence(const PyModel *model, PyRef node);
/// `(2, 3)` and `[2, 3]`
ExampleShape example_sizes_of_list(const PyModel *model, PyRef list);
/// The sizes are one argument or several: `torch.randn(2, 3)`, `torch.zeros((2, 3))`.
ExampleShape example_sizes_of_arguments(const PyModel *model, const PyCall *call);
/// `torch.tensor([[1, 2], [3, 4]])`
ExampleShape example_sizes_of_data(const PyModel *model, PyRef data);
/// With another axis of one element.
ExampleShape example_with_axis(ExampleShape shape, int64_t axis);
/// What `view(1, 3, 4)` and `reshape()` make, with no -1 among the sizes.
ExampleShape example_sizes_written(const PyModel *model, const PyCall *call);
