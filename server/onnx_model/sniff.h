/// What a file is that calls itself a model: a model, or what else, and what to do about it.
///
/// Ownership: appends to the caller's message.
/// Units:     bytes.
/// Errors:    ERR_NOT_FOUND with a message for everything but a model; ERR_FORMAT if nothing tells what it is instead.
/// Threads:   one thread at a time.
/// Sources:   the formats' own descriptions, named at each row in sniff.c; domain knowledge of ONNX: test data of
/// models are
///            bare TensorProto, SequenceProto or OptionalProto files.
#pragma once

#include "base/buffer.h"
#include "onnx_model/source.h"

/// OK for what begins like a model. It may still be damaged.
MUST_USE Status model_sniff(Source *source, Buffer *message);
