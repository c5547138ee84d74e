// How the arguments of a call are bound to the parameters of a signature.

#include "python/rules/signature_fit.h"

#include "base/limits.h"

/// The argument at a position, NULL if there is none, and how many are given by position; a star is none of them.
static const PyArgument *positional_at(const PyModel *model, const PyCall *call, uint32_t position, uint32_t *ret_count)
{
  const PyArgument *found = NULL;
  *ret_count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0 || argument->is_dictionary_splat || argument->is_splat)
      continue;
    if ((*ret_count)++ == position)
      found = argument;
  }
  return found;
}

/// The argument of that keyword; NULL.
static const PyArgument *by_keyword(const PyModel *model, const PyCall *call, Str name)
{
  return py_model_argument_of(model, call, PY_ABSENT, name);
}

static bool takes_keyword(const PySignature *signature, Str keyword)
{
  for (uint32_t i = 0; i < signature->parameter_count; i++) {
    const PyParameter *parameter = &signature->parameters[i];
    if (parameter->stars == 2 ||
        (parameter->stars == 0 && !parameter->is_positional_only && str_equal(parameter->name, keyword)))
      return true;
  }
  return false;
}

/// The first keyword that the signature has no parameter for; NULL. What takes anything by position is @parse_args, of
/// which another rule speaks.
static const PyArgument *strange_keyword(const PyModel *model, const PyCall *call, const PySignature *signature)
{
  if (signature->parameter_count == 1 && signature->parameters[0].stars > 0)
    return NULL;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0 && !takes_keyword(signature, argument->keyword))
      return argument;
  }
  return NULL;
}

SignatureFit signature_fit(const PyModel *model, const PyCall *call, const PySignature *signature)
{
  const PyArgument *strange = strange_keyword(model, call, signature);
  bool has_any = call->has_splat || call->has_dictionary_splat;
  SignatureFit fit = { .misfit = strange ? HAS_STRANGE : FITS, .argument = strange };
  bool has_rest = false;
  Str missing = { 0 };
  for (uint32_t i = 0; i < signature->parameter_count && !strange; i++) {
    const PyParameter *parameter = &signature->parameters[i];
    has_rest |= parameter->stars > 0;
    if (parameter->stars > 0)
      continue;
    uint32_t position = parameter->is_keyword_only ? PY_ABSENT : fit.most++;
    uint32_t given;
    const PyArgument *named = parameter->is_positional_only ? NULL : by_keyword(model, call, parameter->name);
    bool is_given = position != PY_ABSENT && positional_at(model, call, position, &given);
    if (is_given && named && !call->has_splat)
      return (SignatureFit){ .misfit = HAS_TWICE, .argument = named, .name = parameter->name };
    if (!is_given && !named && !parameter->has_default && missing.len == 0)
      missing = parameter->name;
  }
  if (strange)
    return fit;
  const PyArgument *extra = positional_at(model, call, fit.most, &fit.given);
  if (extra && !has_rest)
    fit = (SignatureFit){ HAS_TOO_MANY, .argument = extra, .given = fit.given, .most = fit.most };
  else if (missing.len > 0 && !has_any)
    fit = (SignatureFit){ LACKS, .name = missing };
  return fit;
}
