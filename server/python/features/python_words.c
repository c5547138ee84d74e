#include "python/features/python_words.h"

#include "describe/describe.h"

Str py_words_torch_name(const PyFile *file)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  return file->torch < count ? versions[file->torch] : (Str){ 0 };
}

// --- Operators ---

Str py_words_attribute_name(const OnnxAttribute *attribute, bool is_graph_op, Arena *arena)
{
  Str spelling = is_graph_op ? describe_onnx_spelling(attribute, arena) : (Str){ 0 };
  return spelling.len > 0 ? spelling : attribute->name;
}

Str py_words_attribute_type(const OnnxAttribute *attribute, Arena *arena)
{
  const char *type = onnx_attribute_type_name(attribute->type);
  if (attribute->has_default)
    return arena_printf(arena, "%s = %.*s", type, STR_ARG(markup_shorten(attribute->default_text, 80, arena)));
  return attribute->required ? arena_printf(arena, "%s, required", type) : str_from(type);
}

/// "T", "T?", "T..."
static Str input_type(const OnnxParam *param, Arena *arena)
{
  static const char *const marks[] = { [ONNX_SINGLE] = "", [ONNX_OPTIONAL] = "?", [ONNX_VARIADIC] = "..." };
  return arena_printf(arena, "%.*s%s", STR_ARG(param->type), marks[param->option]);
}

void py_words_write_suffix(const PyWords *words, Str suffix)
{
  const PySuffix *known = export_api_suffix(words->file->db, words->file->torch, suffix);
  if (!known)
    return;
  markup_paragraph(words->markup);
  markup_code(words->markup, arena_printf(words->arena, "_%.*s", STR_ARG(suffix)));
  markup_text(words->markup, " takes %.*s. ", STR_ARG(known->takes));
  markup_prose(words->markup, known->words);
}

void py_words_write_attribute(const PyWords *words, const OnnxAttribute *attribute, bool is_graph_op)
{
  Str name = py_words_attribute_name(attribute, is_graph_op, words->arena);
  Str type = py_words_attribute_type(attribute, words->arena);
  markup_code(words->markup, arena_printf(words->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(type)));
  if (attribute->phrase.len > 0) {
    markup_text(words->markup, ": ");
    markup_prose(words->markup, attribute->phrase);
  }
  if (is_graph_op)
    py_words_write_suffix(words, str_from(onnx_attribute_suffix(attribute->type)));
}

void py_words_write_input(const PyWords *words, const OnnxSchema *schema, const OnnxParam *param)
{
  markup_code(words->markup,
              arena_printf(words->arena, "%.*s: %.*s", STR_ARG(param->name), STR_ARG(input_type(param, words->arena))));
  if (param->option == ONNX_OPTIONAL)
    markup_text(words->markup, ", optional");
  if (param->option == ONNX_VARIADIC)
    markup_text(words->markup, ", any number, at least %u", param->min_arity);
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  if (!constraint)
    return;
  Str types = describe_type_set(constraint->types, constraint->type_count, words->arena);
  markup_text(words->markup, ". %.*s: %.*s", STR_ARG(constraint->name),
              STR_ARG(markup_shorten(types, 200, words->arena)));
}

void py_words_write_opset(const PyWords *words, PyShownOpset shown, const OnnxOperator *op, const OnnxSchema *schema)
{
  if (op->domain.len > 0)
    return;
  if (!schema) {
    markup_paragraph(words->markup);
    markup_text(words->markup, "Needs opset %u; this code runs at opset %.*s.", op->versions[0].since,
                STR_ARG(opset_set_words(shown.set, words->arena)));
  } else if (shown.is_one_of_several) {
    markup_paragraph(words->markup);
    markup_text(words->markup, "Shown for opset %d; this code may run at opsets %.*s.", shown.opset,
                STR_ARG(opset_set_words(shown.set, words->arena)));
  } else {
    markup_paragraph(words->markup);
    markup_text(words->markup, "Shown for opset %d, at which this code runs.", shown.opset);
  }
}

// --- Letters ---

void py_words_write_letter(const PyWords *words, Str letter)
{
  const PyDescriptor *known = export_api_descriptor(words->file->db, letter);
  if (known)
    markup_prose(words->markup, known->words);
}

typedef struct LetterList {
  const PyWords *words;
  Str type;
  Str text;
} LetterList;

/// "none" fits everything, and is for parameters that are not used.
static bool add_letter(const PyDescriptor *descriptor, void *context)
{
  LetterList *list = context;
  if (!export_api_descriptor_fits(descriptor->letter, list->type) || str_equal(descriptor->letter, STR("none")) ||
      str_equal(descriptor->letter, export_api_descriptor_for(list->type)))
    return true;
  list->text = arena_printf(list->words->arena, "%.*s, \"%.*s\"", STR_ARG(list->text), STR_ARG(descriptor->letter));
  return true;
}

Str py_words_letters(const PyWords *words, Str type)
{
  LetterList list = { .words = words, .type = type };
  list.text = arena_printf(words->arena, "\"%.*s\"", STR_ARG(export_api_descriptor_for(type)));
  export_api_each_descriptor(words->file->db, add_letter, &list);
  return list.text;
}

// --- Functions ---

static const PySignature *shown_signature(const PyWords *words, const PyHelper *helper)
{
  const PySignature *signature = export_api_helper_signature(helper, words->file->torch);
  return signature ? signature : &helper->signatures[helper->signature_count - 1];
}

void py_words_write_helper(const PyWords *words, const PyHelper *helper)
{
  const PySignature *signature = shown_signature(words, helper);
  markup_block(words->markup, "python",
               arena_printf(words->arena, "%.*s%.*s", STR_ARG(helper->name), STR_ARG(signature->text)));
  if (helper->summary.len > 0) {
    markup_paragraph(words->markup);
    markup_prose(words->markup, helper->summary);
  }
  if (!export_api_helper_signature(helper, words->file->torch)) {
    markup_paragraph(words->markup);
    markup_text(words->markup, "torch %.*s has no function of this name.", STR_ARG(py_words_torch_name(words->file)));
  }
  if (helper->replacement.len == 0)
    return;
  markup_paragraph(words->markup);
  markup_text(words->markup, "Deprecated since torch %u.%u: use ", helper->deprecated.major, helper->deprecated.minor);
  markup_code(words->markup, helper->replacement);
}

static void write_release(const PyWords *words, const char *what, TorchRelease release)
{
  if (torch_release_is_set(release))
    markup_text(words->markup, " %s torch %u.%u.", what, release.major, release.minor);
}

static const char *exporters_of(const PyExportArgument *argument)
{
  if (argument->for_torchscript && argument->for_dynamo)
    return "Both exporters look at it.";
  return argument->for_dynamo ? "Only for dynamo=True." : "Only for the TorchScript exporter, dynamo=False.";
}

void py_words_write_export_argument(const PyWords *words, const PyExportArgument *argument)
{
  TorchRelease release = export_api_torch_release(words->file->db, words->file->torch);
  Str standard = export_api_default(words->file->db, argument, release);
  markup_code(words->markup, standard.len == 0 ? argument->name
                                               : arena_printf(words->arena, "%.*s = %.*s", STR_ARG(argument->name),
                                                              STR_ARG(standard)));
  markup_text(words->markup, ": ");
  markup_prose(words->markup, argument->words);
  markup_paragraph(words->markup);
  markup_text(words->markup, "%s", exporters_of(argument));
  write_release(words, "Since", argument->added);
  write_release(words, "Deprecated since", argument->deprecated);
  write_release(words, "Gone since", argument->removed);
  if (argument->replacement.len == 0)
    return;
  markup_text(words->markup, " Use ");
  markup_code(words->markup, argument->replacement);
  markup_text(words->markup, " instead.");
}

static Str add_release(const PyWords *words, Str text, const char *what, TorchRelease release)
{
  if (!torch_release_is_set(release))
    return text;
  return arena_printf(words->arena, "%.*s%s%s torch %u.%u.", STR_ARG(text), text.len > 0 ? " " : "", what,
                      release.major, release.minor);
}

void py_words_write_api(const PyWords *words, const PyApi *api)
{
  Str life = api->is_private ? STR("Private: torch promises nothing about it.") : (Str){ 0 };
  life = add_release(words, life, "Since", api->added);
  life = add_release(words, life, "Deprecated since", api->deprecated);
  life = add_release(words, life, api->is_moved ? "Moved in" : "Gone since", api->removed);
  markup_block(words->markup, "python", api->name);
  markup_paragraph(words->markup);
  markup_prose(words->markup, api->words);
  markup_paragraph(words->markup);
  markup_text(words->markup, "%.*s", STR_ARG(life));
  if (api->replacement.len == 0)
    return;
  markup_text(words->markup, "%sInstead: ", life.len > 0 ? " " : "");
  markup_code(words->markup, api->replacement);
}
