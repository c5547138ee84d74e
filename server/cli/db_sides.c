#include "cli/db_sides.h"

#include <stdio.h>

#include "cli/settings_here.h"
#include "host/overlays.h"
#include "host/say.h"

/// The newest opsets of ai.onnx and ai.onnx.ml that a release has.
static const struct {
  int minor;  ///< Of onnx 1.minor.
  int opset;
  int ml;
} releases[] = {
  { 0, 1, 1 },   { 1, 6, 1 },   { 2, 7, 1 },   { 3, 8, 1 },   { 4, 9, 1 },   { 5, 10, 1 },  { 6, 11, 2 },
  { 7, 12, 2 },  { 8, 13, 2 },  { 9, 14, 2 },  { 10, 15, 2 }, { 11, 16, 3 }, { 12, 17, 3 }, { 13, 18, 3 },
  { 14, 19, 3 }, { 15, 20, 4 }, { 16, 21, 5 }, { 17, 22, 5 }, { 18, 23, 5 }, { 19, 24, 5 }, { 20, 25, 5 },
};

enum { RELEASE_COUNT = COUNT(releases) };

static Status complain(const char *word, const char *what)
{
  say("onnxls db diff: '%s' %s", word, what);
  return ERR_USAGE;
}

MUST_USE static Status read_torch(Side *side, Str version)
{
  TorchChoice choice;
  side->kind = SIDE_TORCH;
  if (!symbolics_resolve_torch(side->diff.db, version, &choice) || !choice.is_exact)
    return complain(side->word, "is not a version of torch that is known; onnxls db list has them");
  side->diff.torch = choice.torch;
  return OK;
}

MUST_USE static Status read_release(Side *side, Str version)
{
  uint64_t minor = RELEASE_COUNT;
  size_t dot = str_find_char(version, '.', 2);
  side->kind = SIDE_ONNX;
  bool is_number = str_starts_with(version, STR("1.")) && str_to_uint(str_slice(version, 2, dot), 999, &minor);
  for (size_t i = 0; is_number && i < RELEASE_COUNT; i++) {
    if ((uint64_t)releases[i].minor != minor)
      continue;
    side->diff.opset = releases[i].opset;
    side->ml = releases[i].ml;
    return OK;
  }
  return complain(side->word, "is not a release whose opsets are known; name the opset instead: opset-26");
}

MUST_USE static Status read_side(const SymbolicsDb *db, const char *word, Side *side)
{
  Str text = str_from(word);
  uint64_t opset;
  *side = (Side){ .word = word, .diff = { .db = db } };
  if (str_starts_with(text, STR("torch-")))
    return read_torch(side, str_slice(text, 6, text.len));
  if (str_starts_with(text, STR("onnx-")) && str_find_char(text, '.', 0) != STR_NOT_FOUND)
    return read_release(side, str_slice(text, 5, text.len));
  if (str_starts_with(text, STR("opset-")) || str_starts_with(text, STR("onnx-"))) {
    side->kind = SIDE_OPSET;
    if (!str_to_uint(str_slice(text, str_find_char(text, '-', 0) + 1, text.len), OPSET_LIMIT, &opset))
      return complain(word, "is not an opset");
    side->diff.opset = (int64_t)opset;
    return OK;
  }
  Buffer problems = { 0 };
  Status status = overlays_open(text, NULL, &side->own, &problems);
  if (status == ERR_NOT_FOUND)
    complain(word, "is not a side to compare; sides are such as torch-2.6, opset-17, onnx-1.14, or a file of facts");
  else if (status != OK && settings_here_report(&problems) != OK)
    status = ERR_USAGE;
  side->diff.db = side->own;
  buffer_done(&problems);
  return status;
}

/// A file has the version of torch that the other side names, or else only one.
MUST_USE static Status follow_torch(Side *file, const Side *other)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(file->diff.db, &versions);
  const Str *other_versions;
  symbolics_torch_versions(other->diff.db, &other_versions);
  file->kind = SIDE_TORCH;
  for (size_t i = 0; i < count; i++) {
    if (count == 1 || str_equal(versions[i], other_versions[other->diff.torch])) {
      file->diff.torch = (uint32_t)i;
      return OK;
    }
  }
  return complain(file->word, "knows nothing of that version of torch");
}

MUST_USE static Status follow(Side *file, const Side *other)
{
  if (other->kind == SIDE_TORCH)
    return follow_torch(file, other);
  file->kind = other->kind;
  file->diff.opset = other->diff.opset;
  file->ml = other->ml;
  return OK;
}

MUST_USE static Status match(Side *sides)
{
  static const char *const words[] = { "a file", "a version of torch", "an opset", "a release of onnx" };
  if (sides[0].kind == SIDE_FILE && sides[1].kind == SIDE_FILE)
    return complain(sides[0].word, "and the other side are files; name a version on one side");
  if (sides[0].kind == SIDE_FILE)
    return follow(&sides[0], &sides[1]);
  if (sides[1].kind == SIDE_FILE)
    return follow(&sides[1], &sides[0]);
  if (sides[0].kind == sides[1].kind)
    return OK;
  say("onnxls db diff: '%s' is %s and '%s' is %s; both have to be of one kind", sides[0].word, words[sides[0].kind],
      sides[1].word, words[sides[1].kind]);
  return ERR_USAGE;
}

Status db_sides_open(const SymbolicsDb *db, const char *const *words, Side *sides)
{
  sides[1] = (Side){ .own = NULL };
  Status status = read_side(db, words[0], &sides[0]);
  if (status == OK)
    status = read_side(db, words[1], &sides[1]);
  if (status == OK)
    status = match(sides);
  if (status != OK)
    db_sides_close(sides);
  return status;
}

void db_sides_close(Side *sides)
{
  for (int i = 0; i < 2; i++) {
    symbolics_free(sides[i].own);
    sides[i].own = NULL;
  }
}
