// The short way for plain Python against the grammar: whatever it takes, it reads as the grammar does.

#include <stdint.h>

#include "python/syntax/python_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(const PyNode *a, const PyNode *b)
{
  return a->kind == b->kind && a->field == b->field && a->has_error == b->has_error && a->parent == b->parent &&
         a->next == b->next && a->start == b->start && a->end == b->end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str text = str_make((const char *)data, size);
  PlainPython room = { 0 };
  PyNodes nodes = { 0 };
  vec_push(&nodes, (PyNode){ .kind = PYK_MODULE });
  if (size < 16 * 1024 && plain_python_read(&room, text, &nodes)) {
    PyReader reader;
    py_reader_begin(&reader);
    if (py_reader_read_by_grammar(&reader, text) != PY_READ || reader.nodes.count != nodes.count)
      abort();
    for (size_t i = 1; i < nodes.count; i++) {
      if (!is_same(&nodes.items[i], &reader.nodes.items[i]))
        abort();
    }
    free(py_reader_end(&reader));
  }
  vec_free(&nodes);
  plain_python_done(&room);
  return 0;
}
