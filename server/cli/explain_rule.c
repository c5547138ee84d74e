// The pages of the rules, docs/rules/NAME.md, as they are or as text for a terminal.
#include "cli/embedded.h"
#include "cli/explain_private.h"

Str explain_rule_markdown(RuleId rule)
{
  Str name = str_from(rule_info(rule)->name);
  for (size_t i = 0; i < rule_pages_count; i++) {
    if (str_equal(rule_pages[i].name, name))
      return rule_pages[i].text;
  }
  return str_from(rule_info(rule)->summary);
}

/// Going through a page line by line.
typedef struct RulePage {
  Buffer out;
  Buffer paragraph;  ///< Its lines are joined, so that it can be broken anew.
  bool in_code;
} RulePage;

/// Links lose their address, unless that is all they are.
static void append_prose(Buffer *out, Str line)
{
  size_t at = 0;
  while (at < line.len) {
    size_t open = str_find_char(line, '[', at);
    size_t middle = str_find(line, STR("]("), open == STR_NOT_FOUND ? line.len : open);
    size_t close = str_find_char(line, ')', middle == STR_NOT_FOUND ? line.len : middle);
    if (open == STR_NOT_FOUND || middle == STR_NOT_FOUND || close == STR_NOT_FOUND)
      break;
    buffer_append(out, str_slice(line, at, open));
    buffer_append(out, str_slice(line, open + 1, middle));
    at = close + 1;
  }
  buffer_append(out, str_slice(line, at, line.len));
}

static void end_paragraph(RulePage *page)
{
  if (page->paragraph.len == 0)
    return;
  append_prose(&page->out, buffer_str(&page->paragraph));
  buffer_append_char(&page->out, '\n');
  page->paragraph.len = 0;
}

static void append_text(RulePage *page, Str line)
{
  bool is_item = str_starts_with(line, STR("- "));
  bool is_heading = str_starts_with(line, STR("#"));
  if (is_item || is_heading || line.len == 0)
    end_paragraph(page);
  while (is_heading && line.len > 0 && (line.data[0] == '#' || line.data[0] == ' '))
    line = str_slice(line, 1, line.len);
  if (line.len == 0) {
    buffer_append_char(&page->out, '\n');
    return;
  }
  if (page->paragraph.len > 0)
    buffer_append_char(&page->paragraph, ' ');
  buffer_append(&page->paragraph, is_item ? STR("  -\t") : STR(""));
  buffer_append(&page->paragraph, is_item ? str_slice(line, 2, line.len) : str_trim(line));
  if (is_heading)
    end_paragraph(page);
}

Str explain_rule_text(RuleId rule, size_t width, Arena *arena)
{
  RulePage page = { 0 };
  Str rest = explain_rule_markdown(rule);
  while (rest.len > 0) {
    Str line = str_take(&rest, '\n');
    if (str_starts_with(line, STR("```")))
      end_paragraph(&page);
    if (str_starts_with(line, STR("```")))
      page.in_code = !page.in_code;
    else if (page.in_code)
      buffer_printf(&page.out, "    %.*s\n", STR_ARG(line));
    else if (!str_starts_with(line, STR("<!--")))  // A comment tells the tests how to check an example.
      append_text(&page, line);
  }
  end_paragraph(&page);
  Str text = markup_layout(buffer_str(&page.out), width, arena);
  buffer_done(&page.out);
  buffer_done(&page.paragraph);
  return text;
}
