/// What the files that make signatures share: a label that is put together with its parameters.
///
/// Ownership: a SignatureJob borrows the help; what it makes lives in the arena.
/// Units:     offsets of parameters are bytes of the label.
/// Threads:   one job belongs to one thread.
#pragma once

#include "python/features/python_words.h"

typedef struct SignatureJob {
  const PyHelp *help;
  Arena *arena;
  Buffer label;
  Vec(SignatureParameter) parameters;
  Vec(Signature) signatures;
  Markup markup;  ///< Of the parameter or the signature that is being written.
  PyWords words;
} SignatureJob;

/// The part of the label that a parameter is; what is written into the markup until signature_end_parameter() is its
/// documentation.
void signature_begin_parameter(SignatureJob *job);
void signature_end_parameter(SignatureJob *job);
/// The whole; what is in the markup is its documentation. `active` is a parameter, or their number for none.
void signature_end(SignatureJob *job, size_t active);

/// g.op(...) and op.X(...): inputs, then attributes.
void signature_of_operator(SignatureJob *job);
/// One for each overload of the operators that the decorated function is registered for.
void signature_of_letters(SignatureJob *job);
