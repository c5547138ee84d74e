#include "base/ascii.h"

// A look at a table is a third of what comparing takes, and texts are asked byte by byte.
__extension__ const uint8_t ascii_classes[UINT8_MAX + 1] = {
  ['0' ... '9'] = ASCII_WORD,
  ['A' ... 'Z'] = ASCII_WORD | ASCII_NAME_START,
  ['a' ... 'z'] = ASCII_WORD | ASCII_NAME_START,
  ['_'] = ASCII_WORD | ASCII_NAME_START,
};
