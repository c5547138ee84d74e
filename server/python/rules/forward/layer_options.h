/// Options of layers and functions of torch.nn that are one number for all axes, or as many as there are axes: the
/// stride of a convolution, the window of a pool. Private to rules/.
///
/// Ownership: messages lie in the arena that is given.
/// Units:     axes that a window moves along.
/// Errors:    what can't be told fits.
/// Threads:   pure.
/// Sources:   torch 1.13, 2.6 and 2.14, run with lists of one to four numbers.
#pragma once

#include "python/rules/module/module_maker.h"

/// How many numbers an expression holds; -1 if it is no list, or not known.
typedef int (*OptionCount)(void *context, PyRef node);

/// Why torch refuses the lists that a call of `name`, "Conv2d" or "avg_pool2d", has among its options, for a tensor of
/// that many axes: "runs torch.nn.Conv2d with a stride of 3 numbers, ..."; empty if it takes them.
Str layer_option_refusal(const PyModel *model, const PyCall *call, Str name, int rank, OptionCount count, void *context,
                         Arena *arena);
