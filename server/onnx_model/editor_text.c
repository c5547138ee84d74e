#include "onnx_model/editor_text.h"

#include "base/limits.h"
#include "onnx_model/text.h"

/// Takes away the pieces of a text until there is enough of it.
typedef struct Collector {
  Buffer text;
  bool is_cut;
} Collector;

static Status collect(void *context, Buffer *piece)
{
  Collector *collector = context;
  buffer_append(&collector->text, buffer_str(piece));
  piece->len = 0;
  collector->is_cut = collector->text.len >= MODEL_EDITOR_TEXT;
  return collector->is_cut ? ERR_CANCELLED : OK;
}

/// Ends with a whole line.
static void end_line(Buffer *text)
{
  while (text->len > 0 && text->data[text->len - 1] != '\n')
    text->len--;
}

static void explain_cut(Collector *collector, Str path)
{
  end_line(&collector->text);
  buffer_printf(
      &collector->text,
      "# The text goes on after %d MB, which is more than editors take. `onnxls show --graph NAME %.*s` shows one "
      "graph or\n# function of it, and `onnxls show %.*s > model.onnxtxt` writes all of it.\n",
      MODEL_EDITOR_TEXT >> 20, STR_ARG(path), STR_ARG(path));
}

/// What happened instead, in the place of a text or after the part of it that there is.
static void explain_failure(Collector *collector, Status status, const Buffer *message)
{
  end_line(&collector->text);
  buffer_printf(&collector->text, "# %s%.*s\n", status == ERR_FORMAT ? "damaged: " : "", STR_ARG(buffer_str(message)));
}

Str model_editor_text(Str path, Arena *arena)
{
  Collector collector = { 0 };
  Buffer rest = { 0 };
  Buffer message = { 0 };
  Model *model = NULL;
  ModelTextOptions options = {
    .max_values = MODEL_VALUES_SHOWN, .max_sizes = MODEL_SIZES_SHOWN, .context = &collector, .drain = collect
  };
  Status status = model_open_file(arena_copy(arena, path).data, &message, &model);
  if (status == OK)
    status = model_text(model, &options, &rest, &message);
  buffer_append(&collector.text, buffer_str(&rest));
  if (collector.is_cut)
    explain_cut(&collector, path);
  else if (status != OK)
    explain_failure(&collector, status, &message);
  Str text = arena_copy(arena, buffer_str(&collector.text));
  model_free(model);
  buffer_done(&collector.text);
  buffer_done(&message);
  buffer_done(&rest);
  return text;
}
