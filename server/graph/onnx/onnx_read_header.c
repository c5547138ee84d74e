// What stands in angle brackets before a graph: `<ir_version: 8, opset_import: ["" : 17]>`.

#include "graph/onnx/onnx_read.h"

static bool read_int(OnnxScan *scan, int64_t *ret_number)
{
  double unused;
  onnx_skip_space(scan);
  uint32_t start = scan->at;
  if (onnx_take_number(scan, ret_number, &unused) == ONNX_NUMBER_INT)
    return true;
  scan->at = start;
  return onnx_expected(scan, "a whole number");
}

/// A second list adds to the first.
static bool read_imports(OnnxScan *scan, OnnxImports *imports)
{
  Vec(OnnxImport) items = { 0 };
  for (uint32_t i = 0; i < imports->count; i++)
    vec_push(&items, imports->items[i]);
  bool is_good = onnx_need(scan, '[', "`[`");
  imports->at.start = scan->at - is_good;
  if (is_good && !onnx_take(scan, ']')) {
    do {
      OnnxImport import = { .at = { (onnx_skip_space(scan), scan->at), 0 } };
      is_good = (onnx_take_string(scan, &import.domain) || onnx_expected(scan, "a domain in quotes")) &&
                onnx_need(scan, ':', "`:`") && read_int(scan, &import.version);
      import.at.end = scan->at;
      if (is_good)
        vec_push(&items, import);
    } while (is_good && onnx_take(scan, ','));
    is_good = is_good && onnx_need(scan, ']', "`,` or `]`");
  }
  imports->at.end = scan->at;
  imports->is_cut |= !is_good;
  imports->items = vec_copy(&items, scan->arena);
  imports->count = (uint32_t)items.count;
  vec_free(&items);
  return is_good;
}

static bool read_string(OnnxScan *scan, Str *ret_text)
{
  return onnx_take_string(scan, ret_text) || onnx_expected(scan, "a string");
}

static bool read_model_key(OnnxScan *scan, Str key)
{
  OnnxModel *model = scan->model;
  Str unused;
  int64_t number;
  if (str_equal(key, STR("ir_version"))) {
    onnx_skip_space(scan);
    model->ir_at.start = scan->at;
    model->has_ir_version = read_int(scan, &model->ir_version);
    model->ir_at.end = scan->at;
    return model->has_ir_version;
  }
  if (str_equal(key, STR("opset_import")))
    return read_imports(scan, &model->imports);
  if (str_equal(key, STR("metadata_props")))
    return onnx_read_pairs(scan, &model->metadata, &model->metadata_count);
  if (str_equal(key, STR("model_version")))
    return read_int(scan, &number);
  return read_string(scan, &unused);
}

static bool read_function_key(OnnxScan *scan, OnnxFunction *function, Str key)
{
  Str unused;
  if (str_equal(key, STR("opset_import")))
    return read_imports(scan, &function->imports);
  if (str_equal(key, STR("overload")))
    return read_string(scan, &function->overload);
  if (str_equal(key, STR("doc_string")))
    return read_string(scan, &unused);
  function->has_domain = true;
  return read_string(scan, &function->domain);
}

static void keep_setting(OnnxScan *scan, const OnnxFunction *function, Str key, OnnxSpan at)
{
  bool has_list = str_equal(key, STR("opset_import")) || str_equal(key, STR("metadata_props"));
  if (function || has_list)
    return;
  OnnxPair setting = { .key = key, .value = str_trim(str_slice(scan->text, at.start, at.end)), .at = at };
  vec_push(&scan->model->settings, setting);
}

/// `<key: value, …>` after its `<`.
static bool read_header(OnnxScan *scan, OnnxFunction *function)
{
  static const char *const model_keys[] = { "ir_version", "opset_import", "producer_name", "producer_version",
                                            "domain",     "doc_string",   "model_version", "metadata_props" };
  static const char *const function_keys[] = { "opset_import", "domain", "overload", "doc_string" };
  bool is_function = function != NULL;
  do {
    Str key = onnx_peek_word(scan);
    bool is_known = is_function ? str_is_one_of(key, function_keys, COUNT(function_keys))
                                : str_is_one_of(key, model_keys, COUNT(model_keys));
    if (!is_known)
      return onnx_expected(scan, is_function ? "a key of a function's header, such as `opset_import`"
                                             : "a key of a model's header, such as `ir_version`");
    scan->at += (uint32_t)key.len;
    bool is_good = onnx_need(scan, ':', "`:`");
    uint32_t start = scan->at;
    is_good = is_good && (is_function ? read_function_key(scan, function, key) : read_model_key(scan, key));
    if (!is_good)
      return false;
    keep_setting(scan, function, key, (OnnxSpan){ start, scan->at });
  } while (onnx_take(scan, ','));
  return onnx_need(scan, '>', "`,` or `>`");
}

/// After a header that can't be read: to the line after its `>`, so that the graph is read.
static void skip_header(OnnxScan *scan)
{
  while (scan->at < scan->text.len && scan->text.data[scan->at] != '>')
    scan->at++;
  scan->at += scan->at < scan->text.len;
}

void onnx_read_header(OnnxScan *scan, OnnxFunction *function)
{
  if (!read_header(scan, function))
    skip_header(scan);
}
