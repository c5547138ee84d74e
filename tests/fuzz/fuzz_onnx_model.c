// The reader of models and the printer: any bytes are refused with a message, or become text that an editor takes, the
// same each time, with the nodes on its lines.

#include <stdint.h>
#include <stdlib.h>

#include "onnx_model/text.h"
#include "text/lines.h"
#include "text/utf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Places {
  uint64_t last_line;
} Places;

static void check_place(void *context, const NodePlace *place)
{
  Places *places = context;
  if (place->first_line < places->last_line || place->line < place->first_line)
    abort();
  places->last_line = place->line;
}

static void check_text(Str text, const Places *places)
{
  LineStarts starts = { 0 };
  lines_scan_starts(text, &starts);
  if (!utf_is_valid(text) || places->last_line >= starts.count)
    abort();
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '\0')
      abort();
  }
  vec_free(&starts);
}

static Status print(Model *model, const ModelTextOptions *options, Buffer *text)
{
  Places places = { 0 };
  Buffer message = { 0 };
  ModelTextOptions mine = *options;
  mine.context = &places;
  mine.on_node = check_place;
  Status status = model_text(model, &mine, text, &message);
  check_text(buffer_str(text), &places);
  if ((status == OK) != (message.len == 0))
    abort();
  buffer_done(&message);
  return status;
}

static void print_all(Model *model)
{
  static const ModelTextOptions options[] = {
    { .max_values = MODEL_VALUES_SHOWN, .max_sizes = MODEL_SIZES_SHOWN, .wants_hash = true },
    { .is_full = true },
    { .max_values = 1, .graph = STR_INIT("sub_graph") },
  };
  for (size_t i = 0; i < COUNT(options); i++) {
    Buffer first = { 0 };
    Buffer second = { 0 };
    Status status = print(model, &options[i], &first);
    if (print(model, &options[i], &second) != status || !str_equal(buffer_str(&first), buffer_str(&second)))
      abort();
    buffer_done(&first);
    buffer_done(&second);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Buffer message = { 0 };
  Model *model = NULL;
  Status status = model_open_bytes(str_make((const char *)data, size), &message, &model);
  if ((status == OK) != (model != NULL) || (status == OK) != (message.len == 0))
    abort();
  if (model)
    print_all(model);
  model_free(model);
  buffer_done(&message);
  return 0;
}
