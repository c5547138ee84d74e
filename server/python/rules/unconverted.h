/// Functions of torch that an exporter was seen to convert in no way, whatever they are called with. Private to rules/.
///
/// Ownership: names borrow the call, or lie in the arena.
/// Threads:   pure.
/// Sources:   exports of PyTorch's own database of operators: under the TorchScript exporter of torch 1.13, 2.6
/// and 2.14
///            at opset 9, 13, 17 and 20, under the dynamo exporter of torch 2.14.
#pragma once

#include "facts/exporter.h"
#include "python/model/python_model.h"

/// "fft_rfft", as operators are called, of torch.fft.rfft(); empty for what is no function of torch.
Str unconverted_name(const PyCall *call, Arena *arena);
/// Whether no sample of it could be exported, each refused under this very name: others may become operators of another
/// name, or none, before an exporter looks for functions.
bool unconverted_is_measured(Str name, Exporter exporter);
