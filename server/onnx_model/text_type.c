// Types and values: `seq(map(int64, float[batch,3]))`, `float[1,?] x`.
#include "onnx_model/text_private.h"

/// A dimension that is neither a number nor a word of the syntax is quoted, as onnx 1.22 reads it; older parsers read
/// none.
static void print_dim(Printer *printer, const FieldList *shape, size_t i)
{
  ReaderMark mark = reader_mark(&printer->reader);
  Field lone;
  bool is_lone = reader_lone(&printer->reader, shape, i, &lone);  // As nearly every one is.
  FieldList dim = is_lone ? (FieldList){ 0 } : reader_child(&printer->reader, shape, i);
  const Field *last = is_lone ? &lone : reader_last(&printer->reader, &dim, DIM_VALUE);
  if (!last)
    last = reader_last(&printer->reader, &dim, DIM_PARAM);
  if (last && last->number == DIM_VALUE)
    out_number(&printer->out, (int64_t)last->value);
  else if (last && last->number == DIM_PARAM && last->value > 0)
    out_word(&printer->out, last);
  else
    out_put(&printer->out, STR("?"));
  reader_release(&printer->reader, mark);
}

static void print_shape(Printer *printer, const FieldList *tensor_type)
{
  bool has_shape;
  FieldList shape = reader_only(&printer->reader, tensor_type, TENSOR_TYPE_SHAPE, &has_shape);
  if (!has_shape)
    out_put(&printer->out, STR("[]"));
  if (shape.count == 0)
    return;
  for (size_t i = 0; i < shape.count; i++) {
    out_put(&printer->out, i == 0 ? STR("[") : STR(","));
    print_dim(printer, &shape, i);
    out_wrap(&printer->out);
  }
  out_put(&printer->out, STR("]"));
}

static void print_element(Printer *printer, uint64_t element_type)
{
  out_put(&printer->out, str_from(element_type_name(element_type)));
  // Inference refuses it wherever it meets it, also where the checker doesn't look.
  if (element_type != 0 && !element_info(element_type))
    out_note(&printer->out, OUT_REFUSED "element type %lld %sis none", (long long)element_type,
             printer->is_at_ends    ? "of an input or output "
             : printer->is_in_infos ? "of a value "
                                    : "");
}

/// The checker looks no further than at the outermost type, and whether there is one in it.
static void print_tensor_type(Printer *printer, const FieldList *type, uint32_t number, bool is_outermost)
{
  bool found;
  FieldList tensor = reader_only(&printer->reader, type, number, &found);
  out_put(&printer->out, number == TYPE_SPARSE ? STR("sparse_tensor(") : STR(""));
  print_element(printer, reader_number(&printer->reader, &tensor, TENSOR_TYPE_ELEMENT, 0));
  if (is_outermost && !reader_last(&printer->reader, &tensor, TENSOR_TYPE_ELEMENT))
    out_refused(&printer->out, "no element type");
  print_shape(printer, &tensor);
  out_put(&printer->out, number == TYPE_SPARSE ? STR(")") : STR(""));
}

static void print_opaque(Printer *printer, const FieldList *type)
{
  bool found;
  FieldList opaque = reader_only(&printer->reader, type, TYPE_OPAQUE, &found);
  const Field *domain = reader_last(&printer->reader, &opaque, OPAQUE_TYPE_DOMAIN);
  const Field *name = reader_last(&printer->reader, &opaque, OPAQUE_TYPE_NAME);
  out_put(&printer->out, STR("opaque("));
  if (domain && domain->value > 0) {
    out_name(&printer->out, domain);
    out_put(&printer->out, STR(","));
  }
  if (name && name->value > 0)
    out_name(&printer->out, name);
  out_put(&printer->out, STR(")"));
}

/// Which of its alternatives a type is; 0 for none.
static uint32_t alternative(const Printer *printer, const FieldList *type)
{
  for (size_t i = type->count; i-- > 0;) {
    uint32_t number = reader_field(&printer->reader, type, i)->number;
    if (number != TYPE_DENOTATION)
      return number;
  }
  return 0;
}

/// The type inside of a type, after what is in front of it.
static FieldList open_type(Printer *printer, const FieldList *type, uint32_t number, bool *ret_found)
{
  static const struct {
    const char *word;
    uint32_t element;
  } wrappers[] = {
    [TYPE_SEQUENCE] = { "seq(", SEQUENCE_TYPE_ELEMENT },
    [TYPE_MAP] = { "map(", MAP_TYPE_VALUE },
    [TYPE_OPTIONAL] = { "optional(", OPTIONAL_TYPE_ELEMENT },
  };
  bool found;
  FieldList wrapper = reader_only(&printer->reader, type, number, &found);
  out_put(&printer->out, str_from(wrappers[number].word));
  if (number == TYPE_MAP) {
    print_element(printer, reader_number(&printer->reader, &wrapper, MAP_TYPE_KEY, 0));
    out_put(&printer->out, STR(", "));
  }
  return reader_only(&printer->reader, &wrapper, wrappers[number].element, ret_found);
}

static bool is_wrapper(uint32_t number)
{
  return number == TYPE_SEQUENCE || number == TYPE_MAP || number == TYPE_OPTIONAL;
}

void text_print_type(Printer *printer, const FieldList *type)
{
  ReaderMark mark = reader_mark(&printer->reader);
  FieldList inner = *type;
  size_t open = 0;
  uint32_t number;
  bool has_inner = false;
  while (is_wrapper(number = alternative(printer, &inner)) && printer_is_good(printer)) {
    inner = open_type(printer, &inner, number, &has_inner);
    open++;
  }
  if (number == TYPE_TENSOR || number == TYPE_SPARSE)
    print_tensor_type(printer, &inner, number, open == 0);
  else if (number == TYPE_OPAQUE)
    print_opaque(printer, &inner);
  else if (open == 0 && printer->is_at_ends)
    out_note(&printer->out, "a type of no kind");  // It has none, then, which is refused there.
  else if ((open == 0 && !printer->is_in_infos) || (open == 1 && !has_inner))
    out_refused(&printer->out, "a type of no kind");
  while (open-- > 0)
    out_put(&printer->out, STR(")"));
  reader_release(&printer->reader, mark);
}

void text_print_value(Printer *printer, const FieldList *value)
{
  ReaderMark mark = reader_mark(&printer->reader);
  bool has_type;
  FieldList type = reader_only(&printer->reader, value, VALUE_TYPE, &has_type);
  if (has_type)
    text_print_type(printer, &type);
  if (has_type && alternative(printer, &type) != 0)
    out_put(&printer->out, STR(" "));
  out_name(&printer->out, reader_last(&printer->reader, value, VALUE_NAME));
  reader_release(&printer->reader, mark);
}

/// The shape of a tensor type, through any number of sequences and the like; `ret_denotation` is the outermost one.
static FieldList find_shape(Printer *printer, const FieldList *value, const Field **ret_denotation)
{
  static const uint32_t elements[] = {
    [TYPE_SEQUENCE] = SEQUENCE_TYPE_ELEMENT, [TYPE_MAP] = MAP_TYPE_VALUE, [TYPE_OPTIONAL] = OPTIONAL_TYPE_ELEMENT
  };
  bool found;
  FieldList type = reader_only(&printer->reader, value, VALUE_TYPE, &found);
  const Field *denotation = reader_last(&printer->reader, &type, TYPE_DENOTATION);
  *ret_denotation = NULL;
  size_t at = denotation ? (size_t)(denotation - printer->reader.fields.items) : SIZE_MAX;
  uint32_t number;
  while (is_wrapper(number = alternative(printer, &type)) && printer_is_good(printer)) {
    FieldList wrapper = reader_only(&printer->reader, &type, number, &found);
    type = reader_only(&printer->reader, &wrapper, elements[number], &found);
  }
  FieldList tensor = { 0 };
  if (number == TYPE_TENSOR || number == TYPE_SPARSE)
    tensor = reader_only(&printer->reader, &type, number, &found);
  FieldList shape = reader_only(&printer->reader, &tensor, TENSOR_TYPE_SHAPE, &found);
  if (at != SIZE_MAX)
    *ret_denotation = &printer->reader.fields.items[at];
  return shape;
}

/// Calls for each denotation of a dimension; true if there was one.
static bool each_dim_denotation(Printer *printer, const FieldList *shape, bool is_printing)
{
  bool has_any = false;
  for (size_t i = 0; i < shape->count && printer_is_good(printer); i++) {
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList dim = reader_child(&printer->reader, shape, i);
    const Field *denotation = reader_last(&printer->reader, &dim, DIM_DENOTATION);
    if (denotation && is_printing) {
      Arena arena = { 0 };
      out_comment(&printer->out, arena_printf(&arena, "denotation of dimension %zu: ", i).data, denotation);
      arena_done(&arena);
    }
    has_any |= denotation != NULL;
    reader_release(&printer->reader, mark);
  }
  return has_any;
}

bool text_values_may_have_comments(const Printer *printer)
{
  const ModelStats *stats = printer->stats;
  return model_has(stats, MSG_VALUE, VALUE_DOC) || model_has(stats, MSG_VALUE, VALUE_METADATA) ||
         model_has(stats, MSG_TYPE, TYPE_DENOTATION) || model_has(stats, MSG_DIM, DIM_DENOTATION);
}

bool text_value_has_comments(Printer *printer, const FieldList *value)
{
  ReaderMark mark = reader_mark(&printer->reader);
  const Field *denotation;
  FieldList shape = find_shape(printer, value, &denotation);
  bool has_any = denotation || each_dim_denotation(printer, &shape, false);
  reader_release(&printer->reader, mark);
  return has_any || reader_last(&printer->reader, value, VALUE_DOC) ||
         reader_count(&printer->reader, value, VALUE_METADATA) > 0;
}

/// The denotations of a type as comments.
static void print_denotations(Printer *printer, const FieldList *value)
{
  ReaderMark mark = reader_mark(&printer->reader);
  const Field *denotation;
  FieldList shape = find_shape(printer, value, &denotation);
  if (denotation)
    out_comment(&printer->out, "denotation: ", denotation);
  each_dim_denotation(printer, &shape, true);
  reader_release(&printer->reader, mark);
}

void text_print_value_comments(Printer *printer, const FieldList *value)
{
  if (!text_values_may_have_comments(printer))
    return;
  text_print_doc(printer, value, VALUE_DOC, "doc_string: ");
  text_print_metadata(printer, value, VALUE_METADATA);
  print_denotations(printer, value);
}
