// What `onnxls why` prints, and the encodings that it takes.
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/why.h"
#include "rpc/writer.h"
#include "text/lines.h"
#include "text/utf.h"

enum { PLAIN_WIDTH = 100, LEAST_WIDTH = 40, MOST_WIDTH = 120, LABEL_WIDTH = 11, QUOTED = 200 };

size_t why_width(void)
{
  struct winsize size;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return PLAIN_WIDTH;
  return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col > MOST_WIDTH ? MOST_WIDTH : size.ws_col;
}

static size_t line_of(Str text, size_t offset)
{
  size_t line = 1;
  for (size_t at = lines_next(text, 0); at <= offset && at < text.len; at = lines_next(text, at))
    line++;
  return line;
}

// --- Text ---

/// The words of `text`, broken before `width`, below a label.
static void add_labelled(Buffer *out, const char *label, Str text, size_t width)
{
  if (text.len == 0)
    return;
  buffer_printf(out, "  %-9s", label);
  size_t column = LABEL_WIDTH;
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, ' ', start);
    Str word = str_slice(text, start, end);
    size_t columns = utf_units(word, POS_UTF32);
    if (column > LABEL_WIDTH && column + columns + 1 > width) {
      buffer_append_char(out, '\n');
      buffer_append_spaces(out, LABEL_WIDTH);
      column = LABEL_WIDTH;
    } else if (column > LABEL_WIDTH) {
      buffer_append_char(out, ' ');
      column++;
    }
    buffer_append(out, word);
    column += columns;
    start = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  buffer_append_char(out, '\n');
}

/// Empty where the text does not tell.
static Str exporter_word(int exporter)
{
  return exporter >= 0 ? str_from(exporter_name((Exporter)exporter)) : (Str){ 0 };
}

/// The first line of the message, as it is in the text.
static Str quote(const WhyInput *input, const WhyFinding *finding)
{
  size_t end = lines_find_break(input->text, finding->start);
  return str_trim(str_slice(str_slice(input->text, finding->start, end), 0, QUOTED));
}

static void add_finding(Buffer *out, const WhyInput *input, const WhyFinding *finding, size_t width)
{
  Str exporter = exporter_word(finding->exporter);
  if (finding->end > finding->start) {
    Str quoted = quote(input, finding);
    buffer_printf(out, "%s:%zu: %s%.*s\n", input->shown, line_of(input->text, finding->start),
                  finding->is_warning ? "warning: " : "", STR_ARG(quoted));
  } else {
    buffer_printf(out, "%s:\n", input->shown);
  }
  add_labelled(out, "cause", finding->cause, width);
  if (finding->cause.len == 0)
    add_labelled(out, "known", finding->what, width);
  add_labelled(out, finding->cause.len > 0 ? "fix" : "next", finding->fix, width);
  if (finding->file.len > 0) {
    buffer_printf(out, "  %-9s%.*s", "place", STR_ARG(finding->file));
    if (finding->line > 0)
      buffer_printf(out, ":%u", finding->line);
    if (finding->function.len > 0)
      buffer_printf(out, " in %.*s", STR_ARG(finding->function));
    buffer_append_char(out, '\n');
  }
  add_labelled(out, "operator", finding->operator_, width);
  if (finding->stage.len > 0)
    buffer_printf(out, "  %-9s%.*s%s%.*s%s\n", "stage", STR_ARG(finding->stage), exporter.len > 0 ? " (" : "",
                  STR_ARG(exporter), exporter.len > 0 ? " exporter)" : "");
  add_labelled(out, "more", finding->url, width);
}

void why_report_text(Buffer *out, const WhyInput *input, size_t width)
{
  const WhyAnswer *answer = &input->answer;
  for (size_t i = 0; i < answer->count; i++) {
    if (i > 0)
      buffer_append_char(out, '\n');
    add_finding(out, input, &answer->findings[i], width);
  }
  if (answer->count == 0 && answer->outcome == WHY_SUCCEEDED)
    buffer_printf(out, "%s: the export succeeded; nothing in there failed\n", input->shown);
  else if (answer->count == 0)
    buffer_printf(out, "%s: no message of an export, a checker or ONNX Runtime that is known\n", input->shown);
  else if (!answer->has_cause)
    buffer_printf(out, "%s: the cause is not known\n", input->shown);
  for (size_t i = 0; i < answer->note_count; i++)
    buffer_printf(out, "%s: note: %.*s\n", input->shown, STR_ARG(answer->notes[i]));
}

// --- JSON ---

static void write_finding(Writer *writer, const WhyInput *input, const WhyFinding *finding)
{
  bool has_place = finding->end > finding->start;
  writer_open(writer, '{');
  writer_member_known_str(writer, "stage", finding->stage);
  writer_member_known_str(writer, "exporter", exporter_word(finding->exporter));
  writer_member_known_str(writer, "operator", finding->operator_);
  writer_member_known_str(writer, "argument", finding->argument);
  writer_member_known_str(writer, "cause", finding->cause);
  writer_member_known_str(writer, "fix", finding->fix);
  writer_member_known_str(writer, "url", finding->url);
  writer_member_known_str(writer, "file", finding->file);
  writer_member_known_int(writer, "line", (int64_t)finding->line);
  writer_member_known_str(writer, "function", finding->function);
  writer_member_known_str(writer, "known", finding->cause.len == 0 ? finding->what : (Str){ 0 });
  writer_member_bool(writer, "warning", finding->is_warning);
  writer_member_known_str(writer, "message", finding->id);
  writer_member_known_str(writer, "said_by", finding->said_by);
  writer_member_str(writer, "input", str_from(input->shown));
  writer_member_known_int(writer, "input_line", has_place ? line_of(input->text, finding->start) : 0);
  writer_close(writer, '}');
}

static void write_input(Writer *writer, const WhyInput *input)
{
  static const char *const outcomes[] = {
    [WHY_UNKNOWN] = NULL, [WHY_SUCCEEDED] = "succeeded", [WHY_FAILED] = "failed"
  };
  const WhyAnswer *answer = &input->answer;
  writer_open(writer, '{');
  writer_member_str(writer, "input", str_from(input->shown));
  writer_member_bool(writer, "has_cause", answer->has_cause);
  writer_member_known_str(writer, "export", str_from(outcomes[answer->outcome]));
  writer_member_known_str(writer, "stage", answer->stage);
  writer_key(writer, "notes");
  writer_open(writer, '[');
  for (size_t i = 0; i < answer->note_count; i++)
    writer_str(writer, answer->notes[i]);
  writer_close(writer, ']');
  writer_close(writer, '}');
}

void why_report_json(Buffer *out, const WhyInput *inputs, size_t count)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_key(&writer, "findings");
  writer_open(&writer, '[');
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < inputs[i].answer.count; k++)
      write_finding(&writer, &inputs[i], &inputs[i].answer.findings[k]);
  }
  writer_close(&writer, ']');
  writer_key(&writer, "inputs");
  writer_open(&writer, '[');
  for (size_t i = 0; i < count; i++)
    write_input(&writer, &inputs[i]);
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}

// --- Encodings ---

static void append_utf8(Buffer *out, uint32_t c)
{
  if (c < 0x80) {
    buffer_append_char(out, (char)c);
  } else if (c < 0x800) {
    buffer_append_char(out, (char)(0xC0 | c >> 6));
    buffer_append_char(out, (char)(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    buffer_append_char(out, (char)(0xE0 | c >> 12));
    buffer_append_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    buffer_append_char(out, (char)(0x80 | (c & 0x3F)));
  } else {
    buffer_append_char(out, (char)(0xF0 | c >> 18));
    buffer_append_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
    buffer_append_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    buffer_append_char(out, (char)(0x80 | (c & 0x3F)));
  }
}

static uint32_t unit_at(Str text, size_t i, bool is_big)
{
  uint32_t first = (unsigned char)text.data[i], second = (unsigned char)text.data[i + 1];
  return is_big ? first << 8 | second : second << 8 | first;
}

bool why_decode(Str text, Buffer *out)
{
  bool is_little = str_starts_with(text, STR("\xFF\xFE"));
  bool is_big = str_starts_with(text, STR("\xFE\xFF"));
  if (!is_little && !is_big)
    return false;
  for (size_t i = 2; i + 1 < text.len; i += 2) {
    uint32_t unit = unit_at(text, i, is_big);
    bool is_lead = unit >= 0xD800 && unit < 0xDC00 && i + 3 < text.len;
    uint32_t trail = is_lead ? unit_at(text, i + 2, is_big) : 0;
    bool is_pair = trail >= 0xDC00 && trail < 0xE000;
    bool is_alone = unit >= 0xD800 && unit < 0xE000 && !is_pair;
    append_utf8(out, is_pair ? 0x10000 + ((unit - 0xD800) << 10) + (trail - 0xDC00) : is_alone ? 0xFFFD : unit);
    i += is_pair ? 2 : 0;
  }
  return true;
}
