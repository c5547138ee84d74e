// Two texts of any bytes as graphs, compared: each is no difference to itself, pairs go both ways, and what differs has
// a place in its text. The first byte chooses the languages, and a NUL parts the texts.

#include "../unit/dump_flat.h"
#include "core/features.h"
#include "diff/graph_diff.h"

enum { TEXT_LIMIT = 256 * 1024 };

static Snapshot *make_snapshot(const char *language, Str text)
{
  Document *document;
  Target values = { .torch = STR("2.14"), .opset = 18 };
  Target *target = target_new(&values);
  FLAT_CHECK(document_new(text, &document) == OK);
  SnapshotInput input = {
    .uri = STR("file:///fuzz"), .version = 1, .language_id = str_from(language), .document = document, .target = target
  };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  document_release(document);
  target_release(target);
  return snapshot;
}

static void check_pairs(const GraphDiff *diff)
{
  for (uint32_t i = 0; i < diff->a->parts.count; i++)
    FLAT_CHECK(diff->to_b[i] == NO_PART || diff->to_a[diff->to_b[i]] == i);
  for (uint32_t i = 0; i < diff->b->parts.count; i++)
    FLAT_CHECK(diff->to_a[i] == NO_PART || diff->to_b[diff->to_a[i]] == i);
}

static void compare(const Snapshot *a, const Snapshot *b, bool is_mixed)
{
  GraphStructure left;
  GraphStructure right;
  bool has_left = structure_of(a, FLOAT_DIGITS, &left);
  bool has_right = structure_of(b, FLOAT_DIGITS, &right);
  if (has_left && has_right) {
    GraphDiff diff;
    diff_graphs(&left, &right, is_mixed, &diff);
    check_pairs(&diff);
    FLAT_CHECK(a != b || diff.items.count == 0);
    for (size_t i = 0; i < diff.items.count; i++) {
      FLAT_CHECK(diff.items.items[i].line_a < document_line_count(snapshot_document(a)));
      FLAT_CHECK(diff.items.items[i].line_b < document_line_count(snapshot_document(b)));
    }
    diff_done(&diff);
  }
  structure_done(&left);
  structure_done(&right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = { "onnx-text", "torch-ir", "fx-graph" };
  if (size < 1)
    return 0;
  Str text = str_make((const char *)data + 1, size - 1 < TEXT_LIMIT ? size - 1 : TEXT_LIMIT);
  size_t split = str_find_char(text, '\0', 0);
  const char *first = names[data[0] % 3];
  const char *second = names[data[0] / 3 % 3];
  Snapshot *a = make_snapshot(first, str_slice(text, 0, split));
  Snapshot *b = make_snapshot(second, split == STR_NOT_FOUND ? text : str_slice(text, split + 1, text.len));
  compare(a, a, false);
  compare(b, b, false);
  compare(a, b, first != second);
  snapshot_release(a);
  snapshot_release(b);
  return 0;
}
