#include "graph/features/model_section.h"

ModelSection model_section(ModelSection section, Str line, bool is_first)
{
  line = str_trim(line);
  if (str_ends_with(line, STR("=> (")) || str_starts_with(line, STR("outputs=(")))
    return SECTION_OUTPUTS;
  if (is_first)
    return section;
  if (str_starts_with(line, STR("inputs=(")))
    return SECTION_INPUTS;
  bool is_more = str_starts_with(line, STR(")")) || str_starts_with(line, STR("<"));
  return is_more || str_starts_with(line, STR("initializers=(")) ? SECTION_MORE : section;
}
