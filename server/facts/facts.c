#include "facts/facts.h"

#include <stdatomic.h>
#include <stdlib.h>

struct Facts {
  atomic_uint references;
  size_t count;
  SymbolicsDb *layers[];
};

Facts *facts_new(SymbolicsDb *const *layers, size_t count)
{
  Facts *facts = xmalloc(sizeof(*facts) + count * sizeof(*layers));
  atomic_init(&facts->references, 1);
  facts->count = count;
  memcpy(facts->layers, layers, count * sizeof(*layers));
  return facts;
}

Facts *facts_retain(const Facts *facts)
{
  Facts *counted = (Facts *)facts;
  if (counted)
    atomic_fetch_add(&counted->references, 1);
  return counted;
}

void facts_release(const Facts *facts)
{
  Facts *counted = (Facts *)facts;
  if (!counted || atomic_fetch_sub(&counted->references, 1) != 1)
    return;
  // A layer lies over those before it.
  for (size_t i = counted->count; i-- > 0;)
    symbolics_free(counted->layers[i]);
  free(counted);
}

const SymbolicsDb *facts_db(const Facts *facts)
{
  return facts ? facts->layers[facts->count - 1] : symbolics_embedded();
}
