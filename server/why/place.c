// Which of many frames is the one to look at: somebody's own code, below the call that exports if possible.

#include "base/ascii.h"
#include "why/pick.h"

/// Files of torch through which every export goes; nothing is to be seen there.
static bool is_machinery(Str path)
{
  static const Str words[] = {
    STR_INIT("torch/onnx/"),
    STR_INIT("torch/export"),
    STR_INIT("torch/_export"),
    STR_INIT("torch/_dynamo"),
    STR_INIT("torch/fx"),
    STR_INIT("torch/_subclasses"),
    STR_INIT("torch/_functorch"),
    STR_INIT("nn/modules/module.py"),
    STR_INIT("torch/_ops"),
    STR_INIT("torch/utils"),
    STR_INIT("torch/jit"),
    STR_INIT("torch/_library"),
    STR_INIT("torch/_utils"),
    STR_INIT("torch/_compile"),
    STR_INIT("torch/_meta_registrations"),
    STR_INIT("torch/_prims"),
    STR_INIT("torch/_decomp"),
    STR_INIT("torch/_refs"),
    STR_INIT("torch/_higher_order_ops"),
  };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (why_path_holds(path, words[i]))
      return true;
  }
  return false;
}

/// torch's own layers and functions: where nothing better is known they tell which one failed.
static bool is_layer(Str path)
{
  return why_path_holds(path, STR("torch/")) && !is_machinery(path);
}

/// A package of somebody else's, in which a model may live; not Python's own library.
static bool is_library(Str path)
{
  bool is_package = str_find(path, STR("site-packages"), 0) != STR_NOT_FOUND ||
                    str_find(path, STR("dist-packages"), 0) != STR_NOT_FOUND;
  return is_package && !why_is_exporter(path);
}

typedef bool (*Wanted)(Str path);

static bool is_own(Str path)
{
  return !why_is_installed(path);
}

/// The last frame of [first, end) whose path is wanted.
static const WhyFrame *last_of(const WhyCut *cut, uint32_t first, uint32_t end, Wanted wanted)
{
  for (uint32_t i = end; i-- > first;) {
    if (wanted(cut->frames[i].path))
      return &cut->frames[i];
  }
  return NULL;
}

/// Where the export begins in a traceback: the first frame of torch or ONNX; `end` if there is none.
static uint32_t export_call(const WhyCut *cut, uint32_t first, uint32_t end)
{
  for (uint32_t i = first; i < end; i++) {
    if (why_is_exporter(cut->frames[i].path))
      return i;
  }
  return end;
}

static const WhyFrame *place_in(const WhyCut *cut, uint32_t first, uint32_t count)
{
  uint32_t end = first + count;
  uint32_t call = export_call(cut, first, end);
  const WhyFrame *frame = last_of(cut, call, end, is_own);
  frame = frame ? frame : last_of(cut, call, end, is_library);
  frame = frame ? frame : last_of(cut, first, call, is_own);
  frame = frame ? frame : last_of(cut, first, end, is_library);
  return frame ? frame : last_of(cut, first, end, is_layer);
}

/// The first frame of somebody's own in a list that begins with the deepest one; NULL if it does not.
static const WhyFrame *first_own(const WhyCut *cut, uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < first + count && cut->frames[i].is_inner_first; i++) {
    if (is_own(cut->frames[i].path))
      return &cut->frames[i];
  }
  return NULL;
}

const WhyFrame *why_place_of_failure(const Why *why, const WhyFailure *failure)
{
  const WhyFrame *said = first_own(&why->cut, failure->first_said, failure->said_count);
  said = said ? said : place_in(&why->cut, failure->first_said, failure->said_count);
  if (said)
    return said;
  const WhyFrame *frame = place_in(&why->cut, failure->first_frame, failure->frame_count);
  return failure->is_warning && frame && why_is_exporter(frame->path) ? NULL : frame;
}

/// Of the failures of one chain: the frame of somebody's own before any other.
static const WhyFrame *place_in_chain(const Why *why, uint32_t chain)
{
  const WhyFrame *found = NULL;
  for (size_t i = 0; i < why->cut.failure_count; i++) {
    const WhyFailure *failure = &why->cut.failures[i];
    const WhyFrame *frame = failure->chain == chain ? why_place_of_failure(why, failure) : NULL;
    if (frame && is_own(frame->path))
      return frame;
    found = found ? found : frame;
  }
  return found;
}

/// "Caused by: (mp/net.py:13 in f)" leaves out the head of a long path, which a traceback may have.
static const WhyFrame *with_whole_path(const Why *why, const WhyFrame *frame)
{
  for (size_t i = 0; frame && frame->path.len > 0 && frame->path.data[0] != '/' && i < why->cut.frame_count; i++) {
    const WhyFrame *other = &why->cut.frames[i];
    if (other->line == frame->line && other->path.len > frame->path.len && str_ends_with(other->path, frame->path))
      return other;
  }
  return frame;
}

static const WhyFrame *any_place(const Why *why, const Hit *hit)
{
  const WhyFrame *frame = hit->failure ? why_place_of_failure(why, hit->failure) : NULL;
  if (frame && (is_own(frame->path) || hit->failure->is_warning))
    return frame;
  const WhyFrame *chain = hit->failure ? place_in_chain(why, hit->chain) : NULL;
  if (chain && is_own(chain->path))
    return chain;
  if (frame || chain)
    return frame ? frame : chain;
  bool is_alone = !hit->failure || why->cut.failure_count == 1;
  return is_alone ? place_in(&why->cut, 0, (uint32_t)why->cut.frame_count) : NULL;
}

const WhyFrame *why_place(const Why *why, const Hit *hit)
{
  return with_whole_path(why, any_place(why, hit));
}

/// "add_1: "f32[2]" = ..." and "add_1 = ..." for node add_1.
static bool defines(Str line, Str node)
{
  Str s = str_trim(line);
  if (!str_starts_with(s, node))
    return false;
  Str rest = str_slice(s, node.len, s.len);
  return str_starts_with(rest, STR(": \"")) || str_starts_with(rest, STR(" = "));
}

bool why_place_of_node(const Why *why, Str node, WhyFrame *ret_frame)
{
  WhyFrame last = { 0 };
  bool has_source = false;
  for (size_t i = 0; i < why->clean.line_count && node.len > 0; i++) {
    Str line = clean_line(&why->clean, i);
    if (why_read_source(line, &last)) {
      has_source = true;
    } else if (has_source && defines(line, node)) {
      *ret_frame = last;
      return true;
    }
  }
  return false;
}

/// "torch.ops.aten.cdist.default" of a line that calls it; empty if it calls no operator.
static Str called_operator(Str line)
{
  Str head = STR(" = torch.ops.");
  size_t at = str_find(line, head, 0);
  size_t start = at + 3;
  return at == STR_NOT_FOUND ? (Str){ 0 } : str_slice(line, start, str_find_char(line, '(', start));
}

/// Whether the newest torch takes `call` apart into `part` ("aten::_cdist_forward").
static bool has_part(const Why *why, Str call, Str part, Arena *arena)
{
  const Str *versions = NULL;
  uint32_t newest = (uint32_t)symbolics_torch_versions(why->db, &versions) - 1;
  Str name, overload;
  if (!why_torch_name(call, arena, &name, &overload))
    return false;
  DynamoFacts facts = symbolics_dynamo_facts(why->db, newest, (Str){ 0 }, name, overload, arena);
  for (uint32_t i = 0; i < facts.part_count; i++) {
    for (uint32_t k = 0; k < facts.parts[i].part_count; k++) {
      Str word = facts.parts[i].parts[k];
      word.len -= str_ends_with(word, STR("*")) ? 1 : 0;
      if (str_equal(word, part))
        return true;
    }
  }
  return false;
}

bool why_place_of_part(const Why *why, Str operator_, WhyFrame *ret_frame)
{
  Str name, overload;
  if (!why_torch_name(operator_, why->arena, &name, &overload))
    return false;
  bool is_default = overload.len == 0 || str_equal(overload, STR("default"));
  Str part = is_default ? name : arena_printf(why->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload));
  WhyFrame last = { 0 };
  bool is_found = false;
  for (size_t i = 0; i < why->clean.line_count && !is_found; i++) {
    Str line = clean_line(&why->clean, i);
    Str call = why_read_source(line, &last) ? (Str){ 0 } : called_operator(line);
    Arena scratch = { 0 };
    is_found = call.len > 0 && last.line > 0 && has_part(why, call, part, &scratch);
    arena_done(&scratch);
  }
  if (is_found)
    *ret_frame = last;
  return is_found;
}

/// The number before `end`, and where the sign before it is; false if there is none.
static bool number_before(Str s, size_t end, uint32_t *ret_number, size_t *ret_sign)
{
  size_t at = end;
  uint64_t number = 0, unit = 1;
  for (; at > 0 && end - at < 9 && ascii_is_digit(s.data[at - 1]); at--, unit *= 10)
    number += unit * (uint64_t)(s.data[at - 1] - '0');
  if (at == end || at == 0 || s.data[at - 1] != ':')
    return false;
  *ret_number = (uint32_t)number;
  *ret_sign = at - 1;
  return true;
}

/// "%5 : Float(4) = aten::special_i0e(%3), scope: M:: # /home/me/model.py:15:0"
static bool read_node_source(Str line, Str operator_, WhyFrame *ret_frame)
{
  size_t sign = str_find(line, STR(" = "), 0);
  size_t remark = str_rfind_char(line, '#');
  size_t column = 0, number = 0;
  uint32_t ignored = 0;
  WhyFrame frame = { 0 };
  if (sign == STR_NOT_FOUND || remark == STR_NOT_FOUND || remark < sign)
    return false;
  Str call = str_slice(line, sign + 3, line.len);
  if (!str_starts_with(call, operator_) || call.len == operator_.len ||
      (call.data[operator_.len] != '(' && call.data[operator_.len] != '['))
    return false;
  Str place = str_trim(str_slice(line, remark + 1, line.len));
  if (!number_before(place, place.len, &ignored, &column) || !number_before(place, column, &frame.line, &number))
    return false;
  frame.path = str_slice(place, 0, number);
  *ret_frame = frame;
  return is_own(frame.path);
}

bool why_place_of_operator(const Why *why, Str operator_, WhyFrame *ret_frame)
{
  for (size_t i = 0; i < why->clean.line_count && operator_.len > 0; i++) {
    if (read_node_source(clean_line(&why->clean, i), operator_, ret_frame))
      return true;
  }
  return false;
}
