/// Text for hovers, written once and kept twice: as Markdown and as plain text.
///
/// Ownership: a Markup owns its buffers until markup_finish(), whose results live in the arena.
/// Threads:   one thread at a time.
/// Sources:   CommonMark 0.30 for what has to be escaped.
#pragma once

#include "base/buffer.h"
#include "core/features.h"

typedef struct Markup {
  Buffer markdown;
  Buffer plain;
  bool is_in_list;
  bool for_terminal;  ///< The plain text: parts are apart, lists are indented and may have columns.
} Markup;

/// Words of ours, or text that may hold anything: it is escaped.
void markup_text(Markup *markup, const char *format, ...) PRINTF_LIKE(2, 3);
/// Words of the facts, in which backticks mark code.
void markup_prose(Markup *markup, Str words);
/// A piece of a dump or a name within a sentence.
void markup_code(Markup *markup, Str code);
/// A file and a line that can be opened; `path` may be empty.
void markup_link(Markup *markup, Str label, Str path, uint32_t line, Arena *arena);
/// A page on the web.
void markup_page(Markup *markup, const char *label, Str url);
/// A block of code on lines of its own; `language` may be "".
void markup_block(Markup *markup, const char *language, Str code);
/// Begins a paragraph.
void markup_paragraph(Markup *markup);
/// A heading above a list.
void markup_heading(Markup *markup, const char *heading);
/// Begins an item of a list.
void markup_item(Markup *markup);
/// Ends a column of an item: a terminal sees them lined up, else `separator` is there.
void markup_column(Markup *markup, const char *separator);

/// Hands the texts over and frees the rest. False if nothing was written.
bool markup_finish(Markup *markup, Arena *arena, Range range, Hover *ret_hover);

/// Plain text for a terminal with its columns lined up and lines broken at `width` code points where they can be.
Str markup_layout(Str text, size_t width, Arena *arena);

/// `s` or its beginning with "…", at most about `limit` bytes.
Str markup_shorten(Str s, size_t limit, Arena *arena);
/// 150528 as "150,528".
Str markup_group_digits(uint64_t number, Arena *arena);
