// The compiled facts, as bytes of the executable. `.incbin` costs the compiler nothing, whatever the size.

#include "embed.h"

#ifdef __APPLE__
#define ENTER        ".const_data\n"
#define LEAVE        ".text\n"
#define SYMBOL(name) "_" name
#else
#define ENTER        ".pushsection .rodata\n"
#define LEAVE        ".popsection\n"
#define SYMBOL(name) name
#endif

__asm__(ENTER ".balign 8\n"
              ".globl " SYMBOL("symbolics_facts_start") "\n" SYMBOL(
                  "symbolics_facts_start") ":\n"
                                           ".incbin \"" SYMBOLICS_FACTS_FILE "\"\n"
                                           ".globl " SYMBOL("symbolics_facts_end") "\n" SYMBOL(
                                               "symbolics_facts_end") ":\n"
                                                                      ".byte 0\n" LEAVE);

extern const char symbolics_facts_start[];
extern const char symbolics_facts_end[];

const char *symbolics_facts_bytes(size_t *ret_size)
{
  *ret_size = (size_t)(symbolics_facts_end - symbolics_facts_start);
  return symbolics_facts_start;
}
