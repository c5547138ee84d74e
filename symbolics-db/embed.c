// The compiled facts and the exporters as bytes of the executable. `.incbin` costs the C compiler nothing.

#include "embed.h"

#ifdef __APPLE__
#define ENTER        ".const_data\n"
#define LEAVE        ".text\n"
#define SYMBOL(name) "_" name
#elif defined(_WIN32)
#define ENTER        ".section .rdata,\"dr\"\n"
#define LEAVE        ".text\n"
#define SYMBOL(name) name
#else
#define ENTER        ".pushsection .rodata\n"
#define LEAVE        ".popsection\n"
#define SYMBOL(name) name
#endif

// Defines NAME_start and NAME_end around the bytes of a file, and a NUL after them.
// clang-format off
#define EMBED(name, file)                                        \
  __asm__(ENTER                                                  \
          ".balign 8\n"                                          \
          ".globl " SYMBOL(name "_start") "\n"                   \
          SYMBOL(name "_start") ":\n"                            \
          ".incbin \"" file "\"\n"                               \
          ".globl " SYMBOL(name "_end") "\n"                     \
          SYMBOL(name "_end") ":\n"                              \
          ".byte 0\n"                                            \
          LEAVE)
// clang-format on

EMBED("symbolics_facts", SYMBOLICS_FACTS_FILE);
EMBED("symbolics_export_onnx", SYMBOLICS_TOOLS_DIR "/export_onnx.py");
EMBED("symbolics_export_torch", SYMBOLICS_TOOLS_DIR "/export_torch.py");

extern const char symbolics_facts_start[], symbolics_facts_end[];
extern const char symbolics_export_onnx_start[], symbolics_export_onnx_end[];
extern const char symbolics_export_torch_start[], symbolics_export_torch_end[];

const char *symbolics_facts_bytes(size_t *ret_size)
{
  *ret_size = (size_t)(symbolics_facts_end - symbolics_facts_start);
  return symbolics_facts_start;
}

const char *symbolics_export_onnx(size_t *ret_size)
{
  *ret_size = (size_t)(symbolics_export_onnx_end - symbolics_export_onnx_start);
  return symbolics_export_onnx_start;
}

const char *symbolics_export_torch(size_t *ret_size)
{
  *ret_size = (size_t)(symbolics_export_torch_end - symbolics_export_torch_start);
  return symbolics_export_torch_start;
}
