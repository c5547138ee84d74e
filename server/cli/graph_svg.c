// One picture as SVG: the same cards and lines as on the page, in the colours of a light or a dark document.

#include "cli/graph.h"
#include "text/utf.h"

enum { PAD = 24, LETTER_TENTHS = 75, SMALL_TENTHS = 62, INSET = 12, RADIUS = 7, ARROW = 5, TICK = 10 };

static const char style[] =
    "<style>"
    "svg{font-family:Inter,'Segoe UI',system-ui,-apple-system,'Helvetica Neue',sans-serif;background:#fbfaf8}"
    ".card{fill:#fff;stroke:#d8d4cc}.scope .card{fill:#f1eee8}.input .card,.output .card{fill:#eef3ee}"
    ".constant .card{fill:#f7f3ea}.port .card{fill:none;stroke-dasharray:3 3}"
    ".title{font-size:13px;font-weight:600;fill:#26231f}.detail{font-size:11px;fill:#7a746a}"
    ".line{fill:none;stroke:#a39b8e;stroke-width:1.3}.head{fill:#a39b8e}"
    ".s1 .card{stroke:#c0392b;stroke-width:1.8}.s2 .card{stroke:#b7791f;stroke-width:1.8}"
    "@media (prefers-color-scheme:dark){svg{background:#1c1b1a}.card{fill:#262523;stroke:#45423d}"
    ".scope .card{fill:#302e2b}.input .card,.output .card{fill:#26302a}.constant .card{fill:#302c24}"
    ".title{fill:#ece8e1}.detail{fill:#a39c90}.line{stroke:#7d776d}.head{fill:#7d776d}"
    ".s1 .card{stroke:#ff7b6b}.s2 .card{stroke:#e0a84f}}"
    "</style>\n";

static bool is_xml_char(uint32_t c)
{
  return c >= ' ' && c != 0x7f && (c & 0xfffe) != 0xfffe && (c < 0xd800 || c > 0xdfff);
}

/// At most so many characters; what XML can't hold is left out.
static void append_text(Buffer *out, Str text, size_t room)
{
  size_t shown = 0;
  size_t len;
  for (size_t i = 0; i < text.len; i += len) {
    uint32_t c = utf_decode(text, i, &len);
    char bytes[4];
    if (shown++ == room) {
      buffer_append(out, STR("\xe2\x80\xa6"));
      return;
    }
    if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
      buffer_printf(out, "&#%u;", c);
    else if (is_xml_char(c))
      buffer_append(out, str_make(bytes, utf_encode(c, bytes)));
  }
}

/// The gravest diagnostic of the card's lines: 1 for an error; 0 if there is none.
static int severity_of(const Card *card, const DiagnosticList *diagnostics, const Document *document)
{
  int gravest = 0;
  for (size_t i = 0; i < diagnostics->count; i++) {
    uint32_t line = document_line_of(document, diagnostics->items[i].range.start);
    int severity = (int)diagnostics->items[i].severity;
    bool is_here = line >= card->line && line <= card->last_line && card->kind != CARD_FROM && card->kind != CARD_TO;
    if (is_here && (gravest == 0 || severity < gravest))
      gravest = severity;
  }
  return gravest;
}

static void append_card(Buffer *out, const Card *card, int severity)
{
  const LayoutNode *place = card->place;
  int32_t left = place->x - place->width / 2;
  int32_t top = place->y - place->height / 2;
  bool is_port = card->kind == CARD_FROM || card->kind == CARD_TO;
  size_t room = (size_t)(place->width - 2 * INSET) * 10;
  buffer_printf(out, "<g class=\"%s s%d\"><title>", is_port ? "port" : card_kind_name(card->kind), severity);
  append_text(out, card->source.len > 0 ? card->source : card->title, SIZE_MAX);
  buffer_printf(out, "</title><rect class=\"card\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>", left, top,
                place->width, place->height, is_port ? place->height / 2 : RADIUS);
  bool has_detail = !is_port && card->detail.len > 0;
  buffer_printf(out, "<text class=\"title\" x=\"%d\" y=\"%d\">", left + INSET, top + (has_detail ? 19 : 18));
  append_text(out, card->title, room / LETTER_TENTHS);
  buffer_append(out, STR("</text>"));
  if (has_detail) {
    buffer_printf(out, "<text class=\"detail\" x=\"%d\" y=\"%d\">", left + INSET, top + 35);
    append_text(out, card->detail, room / SMALL_TENTHS);
    buffer_append(out, STR("</text>"));
  }
  buffer_append(out, STR("</g>\n"));
}

static void append_head(Buffer *out, LayoutPoint tip)
{
  buffer_printf(out, "<path class=\"head\" d=\"M%d %dl-%d -%dh%dz\"/>\n", tip.x, tip.y, ARROW - 1, ARROW + 2,
                2 * (ARROW - 1));
}

/// Curves between ranks, upright where the line passes one.
static void append_line(Buffer *out, const PictureLine *line, const Card *cards)
{
  const LayoutPoint *points = line->edge->points;
  const LayoutNode *to = cards[line->edge->to].place;
  if (line->edge->point_count == 0) {
    LayoutPoint tip = { to->x + to->width / 4, to->y - to->height / 2 };
    buffer_printf(out, "<path class=\"line\" d=\"M%d %dv%d\"/>", tip.x, tip.y - TICK, TICK);
    buffer_printf(out, "<text class=\"detail\" x=\"%d\" y=\"%d\">", tip.x + 4, tip.y - 4);
    append_text(out, line->label, 24);
    buffer_append(out, STR("</text>\n"));
    return;
  }
  buffer_printf(out, "<path class=\"line\" d=\"M%d %d", points[0].x, points[0].y);
  for (uint32_t i = 1; i < line->edge->point_count; i++) {
    int32_t middle = (points[i - 1].y + points[i].y) / 2;
    if (points[i].x == points[i - 1].x)
      buffer_printf(out, "V%d", points[i].y);
    else
      buffer_printf(out, "C%d %d %d %d %d %d", points[i - 1].x, middle, points[i].x, middle, points[i].x, points[i].y);
  }
  buffer_append(out, STR("\"><title>"));
  append_text(out, line->label, SIZE_MAX);
  buffer_append(out, STR("</title></path>\n"));
  append_head(out, points[line->edge->point_count - 1]);
}

void graph_write_svg(Buffer *out, const Picture *picture, const DiagnosticList *diagnostics, const Document *document)
{
  int32_t width = picture->size.width + 2 * PAD;
  int32_t height = picture->size.height + 2 * PAD;
  buffer_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n",
                width, height, -PAD, -PAD, width, height);
  buffer_append(out, STR("<title>"));
  append_text(out, picture->title, SIZE_MAX);
  buffer_append(out, STR("</title>\n"));
  buffer_append(out, str_from(style));
  for (size_t i = 0; i < picture->line_count; i++)
    append_line(out, &picture->lines[i], picture->cards);
  for (size_t i = 0; i < picture->card_count; i++)
    append_card(out, &picture->cards[i], severity_of(&picture->cards[i], diagnostics, document));
  buffer_append(out, STR("</svg>\n"));
}
