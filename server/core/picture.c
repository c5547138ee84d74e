#include "core/picture.h"

const char *card_kind_name(CardKind kind)
{
  static const char *const names[] = {
    [CARD_NODE] = "node",         [CARD_SCOPE] = "scope", [CARD_INPUT] = "input", [CARD_OUTPUT] = "output",
    [CARD_CONSTANT] = "constant", [CARD_FROM] = "from",   [CARD_TO] = "to",
  };
  return names[kind];
}
