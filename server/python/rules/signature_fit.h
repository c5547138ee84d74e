/// Whether a call gives a function of the facts what its signature takes, as Python binds arguments.
///
/// Ownership: names belong to the facts or the model.
/// Units:     nodes of the model.
/// Threads:   pure.
/// Sources:   the Python language reference, "Calls".
#pragma once

#include "facts/export_api.h"
#include "python/model/python_model.h"

typedef enum SignatureMisfit {
  FITS,
  LACKS,         ///< `name` is missing.
  HAS_STRANGE,   ///< `argument` has a keyword that no parameter has, or one that goes by position only.
  HAS_TWICE,     ///< `argument` is given by position, too.
  HAS_TOO_MANY,  ///< So many are given by position, `argument` the first that is too much, and `most` taken.
} SignatureMisfit;

typedef struct SignatureFit {
  SignatureMisfit misfit;
  Str name;
  const PyArgument *argument;
  uint32_t given, most;
} SignatureFit;

SignatureFit signature_fit(const PyModel *model, const PyCall *call, const PySignature *signature);
