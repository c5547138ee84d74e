/// Calls in forward() whose arguments the operator's function in an exporter refuses, by the facts that judge nodes of
/// graphs, too. Private to rules/.
///
/// Ownership: messages lie in the arena that is given.
/// Units:     arguments from 0; sizes are elements along an axis.
/// Errors:    what is not sure is not refused.
/// Threads:   as DiagSink.
/// Sources:   symbolics-db/records/torch/outcomes. Run with torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/forward/called_names.h"
#include "python/rules/forward/shapes.h"

typedef struct CallQuestion {
  const PyFile *file;
  const PyCall *call;
  Str function;  ///< "torch.scatter_reduce" and "Tensor.scatter_reduce", as in called_names.h.
  PyRef object;  ///< The tensor of a method; 0.
  Exporter exporter;
  int opset;     ///< 0: what the exporter takes if nobody says.
  int64_t open;  ///< Sizes from this on are not known to the exporter; 0 if it knows all.
  bool (*tensor)(void *context, PyRef node, Shape *ret_shape);     ///< Whether it is surely a tensor, and its shape.
  bool (*number)(void *context, PyRef node, int64_t *ret_number);  ///< A constant that the model was made with; NULL.
  void *context;
} CallQuestion;

/// Why each torch version of the file refuses it, whichever overload it is: "this becomes ..."; empty if one does not.
Str call_refusal(const CallQuestion *question, Arena *arena);
/// The same of a call in forward() as a sentence, as far as it shows without sizes.
Str call_refusal_by_words(Forward *forward, const PyCall *call, Str function, Exporter exporter, int opset);
