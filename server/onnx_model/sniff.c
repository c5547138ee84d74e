#include "onnx_model/sniff.h"

#include <stdio.h>

#include "base/ascii.h"
#include "onnx_model/onnx_wire.h"
#include "onnx_model/walk.h"

enum {
  HEAD = 4096,         ///< Magic numbers and the first words of a text are there.
  FIELDS_TRIED = 1000  ///< So many fields of a message say which one it is.
};

typedef struct Magic {
  size_t offset;
  Str bytes;
  const char *what;
} Magic;

// Sources: Git LFS specification (docs/spec.md); RFC 1952; PKWARE APPNOTE; RFC 8878; bzip2, xz and 7z format notes;
// POSIX ustar; onnxruntime's ort.fbs and TensorFlow's schema.fbs (flatbuffers identifiers at 4); HDF5 specification;
// GGUF (ggml); NumPy NEP 1; Python's pickletools (PROTO).
static const Magic magics[] = {
  { 0, STR_INIT("\x1f\x8b"), "compressed with gzip: unpack it (gunzip) and name what comes out" },
  { 0, STR_INIT("\x28\xb5\x2f\xfd"), "compressed with zstd: unpack it (unzstd) and name what comes out" },
  { 0, STR_INIT("BZh"), "compressed with bzip2: unpack it (bunzip2) and name what comes out" },
  { 0, STR_INIT("\xfd\x37zXZ"), "compressed with xz: unpack it (unxz) and name what comes out" },
  { 0, STR_INIT("7z\xbc\xaf\x27\x1c"), "a 7z archive: unpack it and name the model in it" },
  { 257, STR_INIT("ustar"), "a tar archive: unpack it (tar xf) and name the model in it" },
  { 4, STR_INIT("ORTM"),
    "a model in ONNX Runtime's own format (.ort), which is made for one runtime: name the .onnx it was made from" },
  { 4, STR_INIT("TFL3"), "a TensorFlow Lite model: tf2onnx converts it (python -m tf2onnx.convert --tflite)" },
  { 0, STR_INIT("\x89HDF\r\n"), "HDF5, such as a Keras model: tf2onnx or keras.Model.export() converts it" },
  { 0, STR_INIT("GGUF"), "GGUF: weights for llama.cpp, without a graph" },
  { 0, STR_INIT("\x93NUMPY"), "a NumPy array, not a model" },
  { 0, STR_INIT("\x80\x02"),
    "a Python pickle, such as torch.save() writes: load it in Python and export it with "
    "torch.onnx.export()" },
};

static Status is(Buffer *message, const char *what)
{
  buffer_append(message, str_from(what));
  return ERR_NOT_FOUND;
}

static bool has_magic(Str head, const Magic *magic)
{
  return str_equal(str_slice(head, magic->offset, magic->offset + magic->bytes.len), magic->bytes);
}

static Status is_lfs_pointer(Str head, Buffer *message)
{
  size_t size = str_find(head, STR("\nsize "), 0);
  buffer_append(message, STR("a Git LFS pointer, not the model itself"));
  if (size != STR_NOT_FOUND) {
    size += sizeof("\nsize ") - 1;
    Str digits = str_slice(head, size, ascii_digits_end(head, size));
    buffer_append(message, STR(" (which has "));
    buffer_append(message, digits);
    buffer_append(message, STR(" bytes)"));
  }
  buffer_append(message, STR(": run git lfs pull"));
  return ERR_NOT_FOUND;
}

/// The header's length, then JSON. Source: the safetensors format description.
static bool is_safetensors(Str head, uint64_t size)
{
  uint64_t len = 0;
  if (head.len < 9 || head.data[8] != '{')
    return false;
  for (size_t i = 0; i < 8; i++)
    len |= (uint64_t)(uint8_t)head.data[i] << (8 * i);
  return len <= size - 8;
}

static bool is_only_zeros(Str head)
{
  for (size_t i = 0; i < head.len; i++) {
    if (head.data[i] != 0)
      return false;
  }
  return head.len >= 8;
}

static bool is_text(Str head)
{
  for (size_t i = 0; i < head.len; i++) {
    uint8_t c = (uint8_t)head.data[i];
    if (c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f')
      return false;
  }
  return true;
}

static Status is_some_text(Str head, Buffer *message)
{
  Str text = str_trim(head);
  Str tail = str_slice(text, 0, 256);
  if (str_starts_with(text, STR("<")) &&
      (str_contains(tail, STR("ir_version")) || str_contains(tail, STR("opset_import"))))
    return is(message, "ONNX text already; onnxls shows binary models");
  if (str_starts_with(text, STR("<!")) || str_contains(tail, STR("<html")) || str_contains(tail, STR("<HTML")))
    return is(message, "a web page, so the download went wrong: get the file itself (the raw or resolve link)");
  if (str_starts_with(text, STR("{")) || str_starts_with(text, STR("[")))
    return is(message,
              "JSON; a model as JSON is made binary by onnx.save(onnx.load(path, format=\"json\"), \"model.onnx\")");
  if (str_contains(head, STR("ir_version:")) || str_contains(head, STR("op_type:")) ||
      str_contains(head, STR("graph {")) || str_contains(head, STR("data_type:")))
    return is(message,
              "protobuf as text; onnx.save(onnx.load(path, format=\"textproto\"), \"model.onnx\") makes it binary");
  return is(message, "text, and no model");
}

/// Archives and formats that begin with something of their own.
static Status sniff_head(Str head, uint64_t size, Buffer *message)
{
  if (str_starts_with(head, STR("version https://git-lfs")))
    return is_lfs_pointer(head, message);
  if (str_starts_with(head, STR("PK\x03\x04")))
    return str_contains(head, STR("data.pkl"))
               ? is(message, "what torch.save() or torch.jit.save() wrote (.pt): load it in Python and export it with "
                             "torch.onnx.export()")
               : is(message, "a zip archive: unpack it and name the model in it");
  for (size_t i = 0; i < COUNT(magics); i++) {
    if (has_magic(head, &magics[i]))
      return is(message, magics[i].what);
  }
  if (is_safetensors(head, size))
    return is(message, "safetensors: weights without a graph; name the .onnx that uses them");
  if (is_only_zeros(head))
    return is(message, "zeros from the first byte on, so it was not written or copied whole: get it again");
  return OK;
}

/// How the outermost fields of a file go together with one kind of message.
typedef struct Fit {
  size_t good;
  size_t bad;  ///< Known fields of another wire type.
  size_t unknown;
  bool is_whole;                ///< To the end of the file, or as far as was tried.
  bool has_main;                ///< The fields that no such message lacks.
  bool has_version, has_graph;  ///< Of a model.
} Fit;

static Fit try_kind(Source *source, MessageKind kind)
{
  Wire wire = wire_over(source, 0, source->size);
  Fit fit = { 0 };
  WireResult result = WIRE_END;
  Field field = { 0 };
  for (size_t i = 0; i < FIELDS_TRIED && (result = wire_next_field(&wire, &field)) == WIRE_FIELD; i++) {
    const FieldInfo *info = field_info(kind, field.number);
    bool fits = walk_field_fits(info, field.wire);
    fit.good += fits;
    fit.bad += !fits && info->type != FIELD_UNKNOWN;
    fit.unknown += info->type == FIELD_UNKNOWN;
    fit.has_version |= kind == MSG_MODEL && fits && field.number == MODEL_IR_VERSION;
    fit.has_graph |= kind == MSG_MODEL && fits && field.number == MODEL_GRAPH;
    if (kind == MSG_MODEL)
      fit.has_main = fit.has_version || fit.has_graph;
    else
      fit.has_main = fit.good > 0;
  }
  fit.is_whole = result != WIRE_BAD;
  // The version, which comes first, is the field that is damaged.
  if (kind == MSG_MODEL && result == WIRE_BAD && fit.good == 0)
    fit.has_main = field.number == MODEL_IR_VERSION && field.wire == WIRE_VARINT;
  return fit;
}

static bool is_message(Source *source, MessageKind kind)
{
  ModelStats stats;
  Buffer ignored = { 0 };
  Fit fit = try_kind(source, kind);
  bool is_one = fit.is_whole && fit.has_main && fit.bad == 0 && fit.unknown == 0 &&
                model_walk(source, kind, &stats, &ignored) == OK && stats.unknown_count == 0;
  buffer_done(&ignored);
  return is_one;
}

/// A model with a field that nobody knows, or of another wire type: damaged, or newer than all that is known.
static bool is_odd_model(Source *source, const Fit *fit)
{
  enum { MOST_UNKNOWN = 2 };
  ModelStats stats;
  Buffer ignored = { 0 };
  bool is_sure = fit->has_version && fit->has_graph;  // What follows the model is no other one.
  bool is_likely = fit->has_main && fit->good > fit->bad + fit->unknown;
  bool is_one = fit->is_whole && (is_sure || is_likely) && model_walk(source, MSG_MODEL, &stats, &ignored) == OK &&
                (is_sure || stats.unknown_count <= MOST_UNKNOWN);
  buffer_done(&ignored);
  return is_one;
}

static Status is_other_message(Source *source, Buffer *message)
{
  static const struct {
    MessageKind kind;
    const char *what;
  } rows[] = {
    { MSG_TENSOR, "a TensorProto, such as input_0.pb of test data: one tensor, not a model" },
    { MSG_GRAPH, "a bare GraphProto, without the model around it: onnx.helper.make_model(graph) makes one" },
    { MSG_SEQUENCE, "a SequenceProto, such as input_0.pb of test data: values, not a model" },
    { MSG_OPTIONAL, "an OptionalProto, such as input_0.pb of test data: a value, not a model" },
    { MSG_FUNCTION, "a bare FunctionProto: add it to the functions of a model" },
    { MSG_NODE, "a bare NodeProto: onnx.helper.make_graph() and make_model() make a model of it" },
    { MSG_SPARSE, "a SparseTensorProto: one tensor, not a model" },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    if (is_message(source, rows[i].kind))
      return is(message, rows[i].what);
  }
  return OK;
}

Status model_sniff(Source *source, Buffer *message)
{
  size_t len;
  if (source->size == 0)
    return is(message, "empty: it was not written, or not downloaded");
  const char *bytes = source_at(source, 0, HEAD, &len);
  if (source->problem)
    return is(message, source->problem);
  Str head = str_make(bytes, len < HEAD ? len : HEAD);
  Status status = sniff_head(head, source->size, message);
  if (status != OK)
    return status;
  bool looks_like_text = is_text(head);
  Fit fit = try_kind(source, MSG_MODEL);
  // The letters of a text may be fields by chance; those of a model that was cut off are not all letters.
  bool may_be_cut = !looks_like_text;
  if (fit.has_main && fit.bad == 0 && fit.unknown <= fit.good && (fit.is_whole || may_be_cut))
    return OK;
  status = is_other_message(source, message);
  if (status != OK || is_odd_model(source, &fit))
    return status;
  // The window moved on, so it is read again.
  head.data = source_at(source, 0, HEAD, &len);
  head.len = len < HEAD ? len : HEAD;
  if (looks_like_text)
    return is_some_text(head, message);
  // A damaged model, if it has the name of one.
  buffer_append(message,
                STR("no ONNX model, and nothing else that is known here; a damaged download may look like that"));
  return ERR_FORMAT;
}
