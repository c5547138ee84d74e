// What an argparse.ArgumentParser gives: text, unless add_argument() says how to read it. Such an argument is noted as
// a member of the call that makes the parser, with what it is by default; if it is text only where it is given, with
// the call that adds it.

#include "base/limits.h"
#include "python/model/python_model_private.h"

/// The object of a method that is called, as far as names tell; a group of arguments is its parser.
static PyRef object_called(const PyModel *model, PyRef function)
{
  PyRef object = py_model_resolve(model, py_tree_object(&model->tree, function));
  const PyCall *call = py_model_call(model, object);
  PyRef maker = call ? call->function_node : 0;
  bool is_group = maker && str_equal(py_tree_member_name(&model->tree, maker), STR("add_argument_group"));
  return is_group ? py_model_resolve(model, py_tree_object(&model->tree, maker)) : object;
}

static bool is_parser(PyModel *model, PyRef object)
{
  const PyCall *call = py_model_call(model, object);
  return call &&
         str_equal(py_model_qualified(model, call->function_node, &model->arena), STR("argparse.ArgumentParser"));
}

/// The member that an argument becomes: the first that is long, without its dashes. Empty if that is not known.
static Str argument_name(PyModel *model, const PyCall *call)
{
  const PyArgument *given = py_model_argument(model, call, PY_ABSENT, "dest");
  Str name = { 0 };
  if (given)
    return py_model_string(model, given->value, &model->arena, &name) ? name : (Str){ 0 };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0 || !py_model_string(model, argument->value, &model->arena, &name) ||
        !str_starts_with(name, STR("--")))
      continue;
    char *text = (char *)arena_copy(&model->arena, str_slice(name, 2, name.len)).data;
    for (char *at = text; *at; at++)
      *at = *at == '-' ? '_' : *at;
    return str_from(text);
  }
  return (Str){ 0 };
}

/// Whether the argument is the text that the command line gives.
static bool is_text(const PyModel *model, const PyCall *call)
{
  const PyArgument *type = py_model_argument(model, call, PY_ABSENT, "type");
  return (!type || str_equal(py_text(&model->tree, type->value), STR("str"))) && !call->has_dictionary_splat &&
         !py_model_argument(model, call, PY_ABSENT, "action") && !py_model_argument(model, call, PY_ABSENT, "nargs");
}

/// The default of an argument that nothing reads, if that is a string; 0 for others.
static PyRef unread_default(const PyModel *model, const PyCall *call)
{
  const PyArgument *standard = py_model_argument(model, call, PY_ABSENT, "default");
  return standard && is_text(model, call) && py_kind(&model->tree, standard->value) == PYK_STRING ? standard->value : 0;
}

static bool are_numbers(const PyTree *tree, PyRef list)
{
  PyRef item =
      py_kind(tree, list) == PYK_LIST || py_kind(tree, list) == PYK_TUPLE ? py_tree_first_element(tree, list) : 0;
  bool is_one = item != 0;
  for (; item && is_one; item = py_tree_next_element(tree, item))
    is_one = py_kind(tree, item) == PYK_INTEGER;
  return is_one;
}

/// `type=int, default=13` and `type=int, nargs=2, default=[224, 224]`; 0 for others.
static PyRef number_default(const PyModel *model, const PyCall *call)
{
  const PyArgument *standard = py_model_argument(model, call, PY_ABSENT, "default");
  const PyArgument *type = py_model_argument(model, call, PY_ABSENT, "type");
  bool is_list = py_model_argument(model, call, PY_ABSENT, "nargs") != NULL;
  bool is_number =
      standard && type && str_equal(py_text(&model->tree, type->value), STR("int")) &&
      (is_list ? are_numbers(&model->tree, standard->value) : py_kind(&model->tree, standard->value) == PYK_INTEGER) &&
      !call->has_dictionary_splat && !py_model_argument(model, call, PY_ABSENT, "required");
  return is_number ? standard->value : 0;
}

void python_note_parsed_arguments(PyModel *model)
{
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_argument = str_equal(py_tree_member_name(&model->tree, call->function_node), STR("add_argument"));
    PyRef text = is_argument ? unread_default(model, call) : 0;
    PyRef number = is_argument ? number_default(model, call) : 0;
    PyRef value = text ? text : number ? number : is_argument && is_text(model, call) ? call->node : 0;
    PyRef object = value ? object_called(model, call->function_node) : 0;
    Str name = object && is_parser(model, object) ? argument_name(model, call) : (Str){ 0 };
    if (name.len == 0)
      continue;
    python_note_assigned_member(model, object, name, value);
    vec_last(&model->members)->is_default = text == 0;
  }
}

/// What a function of the file gives back, if the node is a call of it: `args = parse()`; else the node.
static PyRef given_back(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  PyRef returned = call && call->function != PY_ABSENT ? model->functions.items[call->function].returned : 0;
  return returned ? py_model_resolve(model, returned) : node;
}

PyRef python_parser_of(const PyModel *model, PyRef object)
{
  const PyCall *call = py_model_call(model, given_back(model, object));
  PyRef function = call ? call->function_node : 0;
  return function && str_equal(py_tree_member_name(&model->tree, function), STR("parse_args"))
             ? object_called(model, function)
             : 0;
}
