// Tensors: initializers and the values of attributes.
#include "onnx_model/text_private.h"

static void print_head(Printer *printer, const FieldList *tensor)
{
  Out *out = &printer->out;
  if (out->is_muted)
    return;
  Bulk dims = reader_bulk(&printer->reader, tensor->message, TENSOR_DIMS);
  uint64_t dim;
  bool is_first = true;
  out_put(out, str_from(element_type_name(reader_number(&printer->reader, tensor, TENSOR_DATA_TYPE, 0))));
  while (bulk_number(&dims, &dim) && printer_is_good(printer)) {
    out_put(out, is_first ? STR("[") : STR(","));
    out_number(out, (int64_t)dim);
    out_wrap(out);
    is_first = false;
  }
  out_put(out, is_first ? STR("") : STR("]"));
}

void text_print_initializer(Printer *printer, const FieldList *tensor)
{
  print_head(printer, tensor);
  out_put(&printer->out, STR(" "));
  out_name(&printer->out, reader_last(&printer->reader, tensor, TENSOR_NAME));
  out_put(&printer->out, STR(" = "));
  text_print_tensor_data(printer, tensor);
}

void text_print_tensor(Printer *printer, const FieldList *tensor)
{
  print_head(printer, tensor);
  out_put(&printer->out, STR(" "));
  size_t column = printer->out.column;
  out_label(&printer->out, reader_last(&printer->reader, tensor, TENSOR_NAME), "name of the tensor:", false);
  if (printer->out.column > column)
    out_put(&printer->out, STR(" "));
  if (reader_number(&printer->reader, tensor, TENSOR_LOCATION, 0) == 1)
    out_put(&printer->out, STR("= "));
  text_print_tensor_data(printer, tensor);
}

void text_print_tensor_comments(Printer *printer, const FieldList *tensor)
{
  text_print_doc(printer, tensor, TENSOR_DOC, "doc_string: ");
  text_print_metadata(printer, tensor, TENSOR_METADATA);
  text_print_message_comment(printer, tensor, TENSOR_SEGMENT);
}
