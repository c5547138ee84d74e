/// The parameters of forward() and symbolic() of a torch.autograd.Function. Private to rules/.
///
/// Ownership: as PyModel.
/// Units:     `first` is an index into PyModel.params.
/// Threads:   as DiagSink.
/// Sources:   torch.autograd.Function.apply(), which passes all by position.
#pragma once

#include "python/rules/python_report.h"

typedef struct AutogradParams {
  uint32_t first;
  uint32_t count;  ///< Parameters that take a positional argument.
  uint32_t required;
  bool has_args;  ///< `*args`
} AutogradParams;

/// Those of forward() after ctx, and of symbolic() after the graph; false if they can't be compared.
bool autograd_params_read(const PyModel *model, const PyAutograd *autograd, AutogradParams *ret_forward,
                          AutogradParams *ret_symbolic);
/// Whether no call fits both.
bool autograd_params_differ(AutogradParams forward, AutogradParams symbolic);
/// Reports autograd-parameters with the place where the function is defined, `where` a sentence about it.
void autograd_say_params(DiagSink *sink, PyRef node, const PyFunction *defined, Str where, Str message);
/// "(x, slope)"
Str autograd_param_list(const DiagSink *sink, AutogradParams params);
/// Other names than those of forward(), or the same in another order.
void autograd_check_names(DiagSink *sink, const PyFunction *symbolic, AutogradParams forward, AutogradParams own);
