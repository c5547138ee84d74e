#include "why/cut.h"

#include "base/ascii.h"
#include "base/vec.h"
#include "text/traceback.h"

typedef struct Cutter {
  const CleanText *clean;
  Vec(WhyFrame) frames;
  Vec(WhyFailure) failures;
  Vec(uint32_t) code;
  WhyCut *cut;
  uint32_t chain;
  bool in_chain;            ///< The next failure belongs to the chain of the last one.
  bool in_strategy;         ///< A heading said that one way to capture failed...
  uint32_t strategy_chain;  ///< ...in this chain.
  bool is_open;             ///< The last failure's message goes on.
  bool after_traceback;     ///< Frames lead to a failure that comes.
  bool after_frame;         ///< Deeper lines quote code.
  uint32_t frame_indent;
  uint32_t text_indent;  ///< Of the last traceback.
  uint32_t first_frame;  ///< Frames from here on belong to the failure that comes.
} Cutter;

static uint32_t indent_of(Str line)
{
  uint32_t i = 0;
  while (i < line.len && (line.data[i] == ' ' || line.data[i] == '\t'))
    i++;
  return i;
}

static bool ends_like_exception(Str name)
{
  static const Str ends[] = {
    STR_INIT("Error"),     STR_INIT("Exception"),   STR_INIT("Warning"),  STR_INIT("Interrupt"), STR_INIT("Exit"),
    STR_INIT("Iteration"), STR_INIT("Unsupported"), STR_INIT("SymNode"),  STR_INIT("Violation"), STR_INIT("Fail"),
    STR_INIT("Invalid"),   STR_INIT("Fatal"),       STR_INIT("NotFound"),
  };
  for (size_t i = 0; i < COUNT(ends); i++) {
    if (str_ends_with(name, ends[i]))
      return true;
  }
  return false;
}

static bool has_small_letter(Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    if (s.data[i] >= 'a' && s.data[i] <= 'z')
      return true;
  }
  return false;
}

static bool is_exception_name(Str name)
{
  Str last = str_after_last(name, '.');
  bool is_class = last.len > 2 && last.data[0] >= 'A' && last.data[0] <= 'Z' && has_small_letter(last);
  return is_class && (ends_like_exception(last) || (last.len < name.len && name.len > 8));
}

/// "<class 'KeyError'>: ..."; `*ret_message` is where the message begins.
static bool read_class_header(Str line, Str *ret_type, size_t *ret_message)
{
  Str head = STR("<class '");
  size_t close = str_starts_with(line, head) ? str_find(line, STR("'>:"), head.len) : STR_NOT_FOUND;
  if (close == STR_NOT_FOUND || close > 300)
    return false;
  *ret_type = str_slice(line, head.len, close);
  *ret_message = close + 3;
  return true;
}

/// "RuntimeError: ...", "torch._dynamo.exc.Unsupported: ...", "AssertionError".
static bool read_header(Str line, Str *ret_type, size_t *ret_message)
{
  size_t end = 0;
  while (end < line.len && ascii_is_dotted(line.data[end]))
    end++;
  Str name = str_slice(line, 0, end);
  bool is_alone = end == line.len;
  bool has_message = end < line.len && line.data[end] == ':' && (end + 1 == line.len || line.data[end + 1] == ' ');
  if (!is_exception_name(name) || (!is_alone && !has_message) ||
      (is_alone && !ends_like_exception(str_after_last(name, '.'))))
    return false;
  *ret_type = name;
  *ret_message = is_alone ? end : end + 1;
  return true;
}

/// "model.py:12: UserWarning: ..."
static bool read_warning(Str line, WhyFrame *frame, Str *ret_type, size_t *ret_message)
{
  for (size_t at = str_find(line, STR("Warning: "), 0); at != STR_NOT_FOUND; at = STR_NOT_FOUND) {
    size_t start = at;
    while (start > 0 && ascii_is_dotted(line.data[start - 1]))
      start--;
    if (start < 5 || line.data[start - 1] != ' ' || line.data[start - 2] != ':')
      return false;
    size_t colon = start - 2;
    size_t first = ascii_digits_start(line, colon);
    uint64_t number = 0;
    if (first < 2 || line.data[first - 1] != ':' || !str_to_uint(str_slice(line, first, colon), INT32_MAX, &number))
      return false;
    *frame = (WhyFrame){ .path = str_slice(line, 0, first - 1), .line = (uint32_t)number };
    *ret_type = str_slice(line, start, at + 7);
    *ret_message = at + 8;
    return true;
  }
  return false;
}

// --- Steps ---

typedef struct StepWords {
  Str words;
  StepKind kind;
} StepWords;

static const StepWords step_words[] = {
  { STR_INIT("Obtain model graph"), STEP_CAPTURE },       { STR_INIT("Run decomposition"), STEP_DECOMPOSE },
  { STR_INIT("Decompose operators"), STEP_DECOMPOSE },    { STR_INIT("Translate the graph into ONNX"), STEP_TRANSLATE },
  { STR_INIT("Optimize the ONNX graph"), STEP_OPTIMIZE }, { STR_INIT("Check the ONNX model"), STEP_CHECK },
  { STR_INIT("Run `onnx.checker`"), STEP_CHECK },         { STR_INIT("Execute the model with ONNX Runtime"), STEP_RUN },
  { STR_INIT("Verify output accuracy"), STEP_COMPARE },   { STR_INIT("Validate model output accuracy"), STEP_COMPARE },
};

#define TICK   STR("\xE2\x9C\x85")
#define CROSS  STR("\xE2\x9D\x8C")
#define CIRCLE STR("\xE2\x9A\xAA")

/// The result that a line says; begun if it says none.
static StepResult line_result(Str line)
{
  bool is_ok = str_find(line, TICK, 0) != STR_NOT_FOUND;
  bool has_failed = str_find(line, CROSS, 0) != STR_NOT_FOUND;
  bool is_skipped = str_find(line, CIRCLE, 0) != STR_NOT_FOUND;
  return has_failed ? STEP_FAILED : is_ok ? STEP_OK : is_skipped ? STEP_SKIPPED : STEP_BEGUN;
}

/// Capturing is tried in several ways: one that works is enough, and one that failed is more than one not tried.
static void note_step(WhyCut *cut, StepKind kind, StepResult result)
{
  bool is_known = cut->has_step[kind];
  StepResult old = cut->steps[kind];
  bool keeps = is_known && kind == STEP_CAPTURE && (old == STEP_OK || (old == STEP_FAILED && result == STEP_SKIPPED));
  cut->has_step[kind] = true;
  cut->has_steps = true;
  if (!keeps)
    cut->steps[kind] = result;
}

static bool read_step(Cutter *cutter, Str line)
{
  bool is_console = str_starts_with(line, STR("[torch.onnx] "));
  StepResult result = line_result(line);
  if (!is_console && (result == STEP_BEGUN || line.len > 200))
    return false;
  for (size_t i = 0; i < COUNT(step_words); i++) {
    size_t at = str_find(line, step_words[i].words, 0);
    if (at == STR_NOT_FOUND || at > 16)
      continue;
    note_step(cutter->cut, step_words[i].kind, result);
    return true;
  }
  return is_console;
}

// --- Lines ---

static void close_failure(Cutter *cutter, uint32_t end)
{
  if (cutter->is_open)
    vec_last(&cutter->failures)->end = end;
  cutter->is_open = false;
}

/// What opens a chain of its own.
static void start_traceback(Cutter *cutter, uint32_t at)
{
  close_failure(cutter, at);
  if (!cutter->in_chain && cutter->failures.count > 0)
    cutter->chain++;
  cutter->in_chain = true;
  cutter->after_traceback = true;
  cutter->after_frame = false;  // A warning before it quoted code.
  cutter->first_frame = (uint32_t)cutter->frames.count;
}

static void add_failure(Cutter *cutter, WhyFailure failure)
{
  close_failure(cutter, failure.start);
  if (!cutter->in_chain && cutter->failures.count > 0)
    cutter->chain++;
  failure.first_frame = cutter->first_frame;
  failure.frame_count = (uint32_t)cutter->frames.count - cutter->first_frame;
  failure.first_said = (uint32_t)cutter->frames.count;
  failure.chain = cutter->chain;
  failure.is_of_strategy = cutter->in_strategy && cutter->chain == cutter->strategy_chain;
  failure.end = failure.start;
  vec_push(&cutter->failures, failure);
  cutter->is_open = true;
  cutter->in_chain = false;
  cutter->after_traceback = false;
  cutter->after_frame = false;
  cutter->first_frame = (uint32_t)cutter->frames.count;
}

static void add_frame(Cutter *cutter, WhyFrame frame, uint32_t at, uint32_t indent)
{
  frame.at = at;
  vec_push(&cutter->frames, frame);
  if (cutter->is_open)
    vec_last(&cutter->failures)->said_count++;
  cutter->after_frame = true;
  cutter->frame_indent = indent;
}

static bool is_separator(Str line)
{
  return str_starts_with(line, STR("The above exception was the direct cause of")) ||
         str_starts_with(line, STR("During handling of the above exception, another exception occurred")) ||
         str_starts_with(line, STR("\xE2\xAC\x86"));  // An arrow upwards.
}

/// A line after which no exception's message goes on.
static bool ends_message(Str line)
{
  static const Str starts[] = {
    STR_INIT("(Refer to the full stack trace"),
    STR_INIT("```"),
    STR_INIT("Graph we tried to export"),
    STR_INIT("## "),
    STR_INIT("graph("),
    STR_INIT("class GraphModule("),
    STR_INIT("ExportedProgram:"),
    STR_INIT("[torch.onnx] "),
  };
  for (size_t i = 0; i < COUNT(starts); i++) {
    if (str_starts_with(line, starts[i]))
      return true;
  }
  return false;
}

/// Exceptions stand at the left, or as far to the right as all of the text that they are in.
static bool stands_out(const Cutter *cutter, uint32_t indent)
{
  enum { MOST = 2 };
  bool is_left_of_frames = cutter->after_frame && indent < cutter->frame_indent;
  return indent <= MOST || indent <= cutter->text_indent + MOST || is_left_of_frames;
}

static bool read_failure(Cutter *cutter, const CleanLine *where, Str line, uint32_t indent)
{
  WhyFailure failure = { .start = where->start + indent };
  WhyFrame frame = { 0 };
  size_t message = 0;
  Str trimmed = str_slice(line, indent, line.len);
  failure.is_summary = read_class_header(trimmed, &failure.type, &message);
  bool is_header = failure.is_summary || (stands_out(cutter, indent) && read_header(trimmed, &failure.type, &message));
  if (is_header) {
    failure.is_warning = str_ends_with(failure.type, STR("Warning"));
  } else if (read_warning(trimmed, &frame, &failure.type, &message)) {
    failure.is_warning = true;
    cutter->in_chain = false;
    cutter->first_frame = (uint32_t)cutter->frames.count;
    close_failure(cutter, failure.start);
    add_frame(cutter, frame, failure.start, indent);
  } else {
    return false;
  }
  failure.message = failure.start + (uint32_t)message;
  add_failure(cutter, failure);
  cutter->after_frame = failure.is_warning && !is_header;  // The next line quotes the code that was warned about.
  cutter->frame_indent = 0;
  return true;
}

static void read_heading(Cutter *cutter, Str line)
{
  if (str_starts_with(line, STR("PyTorch ONNX Conversion")) && str_find(line, STR("Report"), 0) != STR_NOT_FOUND)
    cutter->cut->is_report = true;
  if (str_starts_with(line, STR("Exception summary")))
    cutter->in_chain = true;  // It says again what was raised above.
  if (str_find(line, STR("Errors from strategy"), 0) != STR_NOT_FOUND) {
    cutter->in_chain = false;
    cutter->in_strategy = true;
    cutter->strategy_chain = cutter->chain + (cutter->failures.count > 0);
  }
}

/// "---> 12 y = self.layer(x)": an older IPython says the line of a frame by an arrow in its code.
static bool read_arrow(Cutter *cutter, Str trimmed)
{
  WhyFrame *frame = cutter->frames.count > 0 ? vec_last(&cutter->frames) : NULL;
  size_t end = 0;
  while (end < trimmed.len && trimmed.data[end] == '-')
    end++;
  size_t digits = ascii_digits_end(trimmed, end + 2);
  uint64_t number = 0;
  if (!cutter->after_frame || end == 0 || !str_starts_with(str_slice(trimmed, end, trimmed.len), STR("> ")) ||
      !str_to_uint(str_slice(trimmed, end + 2, digits), INT32_MAX, &number))
    return false;
  if (frame && frame->line == 0)
    frame->line = (uint32_t)number;
  return true;
}

static void read_line(Cutter *cutter, const CleanLine *where)
{
  Str line = str_slice(cutter->clean->text, where->start, where->end);
  uint32_t indent = indent_of(line);
  Str trimmed = str_slice(line, indent, line.len);
  WhyFrame frame;
  if (trimmed.len == 0)
    return;
  if (where->flags & CLEAN_HEADING)
    read_heading(cutter, trimmed);
  if (str_find(trimmed, TRACEBACK_HEAD, 0) != STR_NOT_FOUND) {
    start_traceback(cutter, where->start);
    cutter->text_indent = indent;
  } else if (is_separator(trimmed)) {
    close_failure(cutter, where->start);
    cutter->in_chain = true;
    cutter->first_frame = (uint32_t)cutter->frames.count;
  } else if (read_arrow(cutter, trimmed) || (cutter->after_frame && indent > cutter->frame_indent + 1)) {
    vec_push(&cutter->code, where->start);
  } else if (why_read_frame(line, &frame)) {
    add_frame(cutter, frame, where->start, indent);
  } else if (read_step(cutter, trimmed)) {
    close_failure(cutter, where->start);
    cutter->in_chain = false;
  } else if (!read_failure(cutter, where, line, indent)) {
    cutter->after_frame = false;
    if (ends_message(trimmed))
      close_failure(cutter, where->start);
  }
}

static void *kept(const void *items, size_t count, size_t size, Arena *arena)
{
  void *copy = arena_alloc(arena, count * size);
  if (count > 0)
    memcpy(copy, items, count * size);
  return copy;
}

void why_cut(const CleanText *clean, Arena *arena, WhyCut *ret_cut)
{
  Cutter cutter = { .clean = clean, .cut = ret_cut };
  *ret_cut = (WhyCut){ 0 };
  for (size_t i = 0; i < clean->line_count; i++)
    read_line(&cutter, &clean->lines[i]);
  close_failure(&cutter, (uint32_t)clean->text.len);
  ret_cut->frame_count = cutter.frames.count;
  ret_cut->frames = kept(cutter.frames.items, cutter.frames.count, sizeof(WhyFrame), arena);
  ret_cut->failure_count = cutter.failures.count;
  ret_cut->failures = kept(cutter.failures.items, cutter.failures.count, sizeof(WhyFailure), arena);
  ret_cut->code_count = cutter.code.count;
  ret_cut->code = kept(cutter.code.items, cutter.code.count, sizeof(uint32_t), arena);
  vec_free(&cutter.frames);
  vec_free(&cutter.failures);
  vec_free(&cutter.code);
}

const WhyFailure *why_failure_at(const WhyCut *cut, size_t offset)
{
  size_t low = 0;
  size_t high = cut->failure_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cut->failures[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  const WhyFailure *failure = low > 0 ? &cut->failures[low - 1] : NULL;
  return failure && offset < failure->end ? failure : NULL;
}

bool why_is_code(const WhyCut *cut, const CleanText *clean, size_t offset)
{
  size_t low = 0;
  size_t high = cut->code_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cut->code[middle] <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return false;
  return str_find_char(str_slice(clean->text, cut->code[low - 1], offset), '\n', 0) == STR_NOT_FOUND;
}
