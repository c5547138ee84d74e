// Options of layers that are a list of the wrong length.

#include "python/rules/forward/layer_options.h"

typedef struct OptionRow {
  const char *name;  ///< Without the "2d" of what has an axis count in its name.
  int axes;          ///< That of the others; 0 where all axes but two count.
  uint32_t position;
  const char *keyword;
  bool takes_one;  ///< A list of one number is that for all axes.
} OptionRow;

enum { BY_NAME = -1 };

static const OptionRow rows[] = {
  { "Conv", BY_NAME, 2, "kernel_size", false },
  { "Conv", BY_NAME, 3, "stride", true },
  { "Conv", BY_NAME, 4, "padding", true },
  { "Conv", BY_NAME, 5, "dilation", true },
  { "ConvTranspose", BY_NAME, 2, "kernel_size", false },
  { "ConvTranspose", BY_NAME, 3, "stride", true },
  { "ConvTranspose", BY_NAME, 4, "padding", true },
  { "ConvTranspose", BY_NAME, 5, "output_padding", true },
  { "ConvTranspose", BY_NAME, 8, "dilation", true },
  { "MaxPool", BY_NAME, 0, "kernel_size", true },
  { "MaxPool", BY_NAME, 1, "stride", true },
  { "MaxPool", BY_NAME, 2, "padding", true },
  { "MaxPool", BY_NAME, 3, "dilation", true },
  { "AvgPool", BY_NAME, 0, "kernel_size", true },
  { "AvgPool", BY_NAME, 1, "stride", true },
  { "AvgPool", BY_NAME, 2, "padding", true },
  { "AdaptiveAvgPool", BY_NAME, 0, "output_size", false },
  { "AdaptiveMaxPool", BY_NAME, 0, "output_size", false },
  { "Unfold", 2, 0, "kernel_size", false },
  { "Unfold", 2, 1, "dilation", false },
  { "Unfold", 2, 2, "padding", false },
  { "Unfold", 2, 3, "stride", false },
  { "Fold", 2, 0, "output_size", false },
  { "Fold", 2, 1, "kernel_size", false },
  { "Upsample", 0, 0, "size", false },
  { "Upsample", 0, 1, "scale_factor", false },
  { "conv", BY_NAME, 3, "stride", true },
  { "conv", BY_NAME, 4, "padding", true },
  { "conv", BY_NAME, 5, "dilation", true },
  { "max_pool", BY_NAME, 1, "kernel_size", true },
  { "max_pool", BY_NAME, 2, "stride", true },
  { "max_pool", BY_NAME, 3, "padding", true },
  { "max_pool", BY_NAME, 4, "dilation", true },
  { "avg_pool", BY_NAME, 1, "kernel_size", true },
  { "avg_pool", BY_NAME, 2, "stride", true },
  { "avg_pool", BY_NAME, 3, "padding", true },
  { "adaptive_avg_pool", BY_NAME, 1, "output_size", false },
  { "adaptive_max_pool", BY_NAME, 1, "output_size", false },
  { "unfold", 2, 1, "kernel_size", false },
  { "unfold", 2, 2, "dilation", false },
  { "unfold", 2, 3, "padding", false },
  { "unfold", 2, 4, "stride", false },
  { "interpolate", 0, 1, "size", false },
  { "interpolate", 0, 2, "scale_factor", false },
};

/// 2 of "Conv2d", whose `ret_base` is "Conv"; BY_NAME of other names.
static int axes_of(Str name, Str *ret_base)
{
  char count = name.len > 2 && name.data[name.len - 1] == 'd' ? name.data[name.len - 2] : '0';
  bool has_count = count >= '1' && count <= '3';
  *ret_base = has_count ? str_slice(name, 0, name.len - 2) : name;
  return has_count ? count - '0' : BY_NAME;
}

Str layer_option_refusal(const PyModel *model, const PyCall *call, Str name, int rank, OptionCount count, void *context,
                         Arena *arena)
{
  Str base;
  int named = axes_of(name, &base);
  if (call->has_splat || call->has_dictionary_splat)
    return (Str){ 0 };
  for (size_t i = 0; i < COUNT(rows); i++) {
    const OptionRow *row = &rows[i];
    if (!str_equal(base, str_from(row->name)) || (row->axes == BY_NAME) != (named != BY_NAME))
      continue;
    int axes = row->axes == BY_NAME ? named : row->axes > 0 ? row->axes : rank - 2;
    const PyArgument *argument = py_model_argument(model, call, row->position, row->keyword);
    int given = argument && axes > 0 ? count(context, argument->value) : -1;
    if (given == 0 && str_equal(str_from(row->keyword), STR("stride")) && str_contains(base, STR("pool")))
      continue;  // As large as the window.
    if (given >= 0 && given != axes && !(given == 1 && row->takes_one))
      return arena_printf(arena, "gives %.*s a %s of %d number%s, which takes %s%d", STR_ARG(call->qualified),
                          row->keyword, given, given == 1 ? "" : "s", row->takes_one && axes > 1 ? "one or " : "",
                          axes);
  }
  return (Str){ 0 };
}
