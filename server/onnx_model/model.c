#include "onnx_model/model.h"

#include <stdlib.h>

#include "onnx_model/sniff.h"

/// Whether the opened source is a whole model.
MUST_USE static Status look(Model *model, Buffer *message)
{
  Status status = model_sniff(&model->source, message);
  if (status == ERR_FORMAT && !(model->path && model_is_named(str_from(model->path))))
    return ERR_NOT_FOUND;
  if (status == OK)
    status = model_walk(&model->source, MSG_MODEL, &model->stats, message);
  return model->source.problem ? ERR_IO : status;
}

static Status finish(Model *model, Status status, Buffer *message, Model **ret_model)
{
  if (status == OK)
    status = look(model, message);
  if (status == OK) {
    *ret_model = model;
    return OK;
  }
  model_free(model);
  return status;
}

/// Weights beside a model have no form of their own to be known by, but names. Source: torch.onnx (".onnx.data"),
/// onnx's convert_model_to_external_data and ONNX Runtime's tools (".onnx_data", ".data").
static bool is_named_as_external_data(Str path)
{
  return str_ends_with(path, STR(".data")) || str_ends_with(path, STR("_data"));
}

bool model_is_named(Str path)
{
  return str_ends_with(path, STR(".onnx"));
}

/// `status` is what opening its source gave.
static Status finish_file(Model *model, const char *path, Status status, Buffer *message, Model **ret_model)
{
  model->path = xstrdup_str(str_from(path));
  if (status != OK)
    buffer_append(message, str_from(model->source.problem));
  status = finish(model, status, message, ret_model);
  bool is_none = status == ERR_NOT_FOUND || status == ERR_FORMAT;
  if (!is_none || !is_named_as_external_data(str_from(path)))
    return status;
  buffer_append(message, STR("; by its name it holds the external data of a model: name the .onnx beside it"));
  return ERR_NOT_FOUND;
}

Status model_open_file(const char *path, Buffer *message, Model **ret_model)
{
  Model *model = xcalloc(1, sizeof(*model));
  Status status = source_open_file(&model->source, path);
  return finish_file(model, path, status, message, ret_model);
}

Status model_open_read_file(const char *path, Str bytes, Buffer *message, Model **ret_model)
{
  Model *model = xcalloc(1, sizeof(*model));
  source_open_bytes(&model->source, bytes);
  return finish_file(model, path, OK, message, ret_model);
}

Status model_open_bytes(Str bytes, Buffer *message, Model **ret_model)
{
  Model *model = xcalloc(1, sizeof(*model));
  source_open_bytes(&model->source, bytes);
  return finish(model, OK, message, ret_model);
}

void model_free(Model *model)
{
  if (!model)
    return;
  source_close(&model->source);
  free(model->path);
  free(model);
}
