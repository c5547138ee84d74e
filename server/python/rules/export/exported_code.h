/// Which functions of a file run when its models are exported: forward(), and the methods, functions and modules of
/// the file that it calls, each with what is known of its parameters. Private to rules/.
///
/// Ownership: the caller frees the list; flags lie where the caller put them.
/// Units:     functions and parameters are indexes into the model's lists.
/// Errors:    a call that can't be followed is left out.
/// Threads:   as DiagSink.
/// Sources:   what torch.nn.Module.__call__ runs.
#pragma once

#include "base/vec.h"
#include "core/workspace_models.h"
#include "python/rules/forward/forward_tensors.h"

typedef Vec(uint32_t) ExportedFunctions;

/// Adds to `functions`, which holds the forward() of each model, what they call, and notes in `tensor_params`
/// which parameters get tensors, in `open_axes`, unless it is NULL, their axes that are open, and in
/// `forward->tensor_results` which functions give a tensor. `forward` says what each body is looked at with.
void exported_code_follow(Forward *forward, bool *tensor_params, uint32_t *open_axes, ExportedFunctions *functions);
/// Whether a trace runs it, but the exporter takes symbolic() of its torch.autograd.Function for what it does.
bool exported_code_has_symbolic(const Forward *forward, uint32_t function);
/// Adds it unless it is there.
void exported_code_add(ExportedFunctions *functions, uint32_t function);
/// Whether another forward() may be run than the one that is written: `model.forward = ...`, or tools that rewrite
/// control flow.
bool exported_code_may_be_replaced(const PyModel *model);

/// Adds the forward() of each module of this file in a torch.nn.Sequential that is exported, as far as it surely gets a
/// tensor.
void exported_code_add_sequence(const ExportCall *export, bool *tensor_params, ExportedFunctions *functions);

typedef struct ExportedReach {
  size_t whole;     ///< So many of the functions are run by an export itself: it sees their results.
  unsigned runs;    ///< All ModelRuns of the others.
  OpsetSet opsets;  ///< For which they trace it; 0 among them if that is not known.
} ExportedReach;

/// Adds the forward() of each module of this file that exports of other files surely run in that way, those first that
/// are models themselves, and notes which of their parameters get tensors.
void exported_code_reach(const DiagSink *sink, ModelRun run, bool *tensor_params, ExportedFunctions *functions,
                         ExportedReach *reach);
