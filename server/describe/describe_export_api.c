// Pages about the Python side of torch.onnx: functions, letters, suffixes, names, arguments of export().
#include "describe/describe.h"
#include "describe/operator_words.h"

bool describe_find_python(const Page *page, Str word, FoundPython *ret_found)
{
  const SymbolicsDb *db = page->db;
  FoundPython found = { .name = word };
  Str module = STR("torch.onnx."), helpers = STR("symbolic_helper."), letters = STR("parse_args."),
      exports = STR("export.");
  Str local = str_starts_with(word, module) ? str_slice(word, module.len, word.len) : word;
  if (str_starts_with(local, letters))
    found.descriptor = export_api_descriptor(db, str_slice(local, letters.len, local.len));
  else if (str_starts_with(local, exports))
    found.argument = export_api_argument(db, str_slice(local, exports.len, local.len));
  else if (str_starts_with(local, helpers))
    found.helper = export_api_helper(db, str_slice(local, helpers.len, local.len));
  else
    found.helper = export_api_helper(db, local);
  bool is_suffix = str_starts_with(word, STR("_")) && !found.helper;
  if (is_suffix)
    found.suffix = export_api_suffix(db, page->torch, str_slice(word, 1, word.len));
  if (!found.helper && !found.descriptor && !found.suffix && !found.argument)
    found.api = export_api_name(db, word);
  if (!found.helper && !found.descriptor && !found.suffix && !found.argument && !found.api)
    found.api = str_starts_with(local, helpers)
                    ? export_api_name(db, arena_printf(page->arena, "torch.onnx.%.*s", STR_ARG(local)))
                    : NULL;
  *ret_found = found;
  return found.helper || found.descriptor || found.suffix || found.argument || found.api;
}

/// "int, float or None": what a set of PyKind means to people.
static Str kinds_text(uint32_t kinds, Arena *arena)
{
  static const char *const words[] = {
    // By the bits of PyKind; None comes last.
    "a graph value",
    "graph values",
    NULL,
    "bool",
    "int",
    "float",
    "str",
    "torch.Tensor",
    "a list of int",
    "a list of float",
    "another object",
    "a function",
    "what the letter asks for",
  };
  const char *shown[16];
  size_t count = 0;
  for (size_t i = 0; i < COUNT(words); i++) {
    if (words[i] && (kinds >> i & 1))
      shown[count++] = words[i];
  }
  if (kinds & PY_NONE)
    shown[count++] = "None";
  Buffer out = { 0 };
  for (size_t i = 0; i < count; i++)
    buffer_printf(&out, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", shown[i]);
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

static void write_words(Page *page, Str words)
{
  if (words.len == 0)
    return;
  markup_paragraph(&page->markup);
  markup_prose(&page->markup, words);
}

static void write_release(Page *page, const char *what, TorchRelease release)
{
  if (torch_release_is_set(release))
    markup_text(&page->markup, "%s torch %u.%u. ", what, release.major, release.minor);
}

/// "Deprecated since torch 2.6. Removed in torch 2.9. Instead: `torch.onnx.export`."
static void write_life(Page *page, TorchRelease added, TorchRelease deprecated, TorchRelease removed, Str replacement)
{
  if (!torch_release_is_set(added) && !torch_release_is_set(deprecated) && !torch_release_is_set(removed))
    return;
  markup_paragraph(&page->markup);
  write_release(page, "Since", added);
  write_release(page, "Deprecated since", deprecated);
  write_release(page, "Removed in", removed);
  if (replacement.len == 0)
    return;
  markup_text(&page->markup, "Instead: ");
  markup_code(&page->markup, replacement);
  markup_text(&page->markup, ".");
}

static void describe_letters(Page *page);

static void describe_helper(Page *page, const PyHelper *helper)
{
  const PySignature *now = export_api_helper_signature(helper, page->torch);
  const PySignature *shown = now ? now : &helper->signatures[helper->signature_count - 1];
  markup_block(&page->markup, "python",
               arena_printf(page->arena, "symbolic_helper.%.*s%.*s", STR_ARG(helper->name), STR_ARG(shown->text)));
  write_words(page, helper->summary);
  if (helper->result == PY_RAISES) {
    write_words(page, STR("Gives nothing back: it always raises."));
  } else if (helper->result != 0) {
    Str kinds = kinds_text(helper->result, page->arena);
    write_words(page, arena_printf(page->arena, "Gives %.*s%s.", STR_ARG(kinds),
                                   helper->result & PY_RAISES ? ", if it doesn't raise" : ""));
  }
  markup_paragraph(&page->markup);
  Str versions = operator_torch_list(page->db, helper->torch_versions, page->arena);
  markup_text(&page->markup, now ? "In torch %.*s." : "Not in this version of torch, but in torch %.*s.",
              STR_ARG(versions));
  for (uint32_t i = 0; i < helper->signature_count; i++) {
    if (&helper->signatures[i] == shown)
      continue;
    markup_text(&page->markup, " In torch %.*s its parameters are ",
                STR_ARG(operator_torch_list(page->db, helper->signatures[i].torch_versions, page->arena)));
    markup_code(&page->markup, helper->signatures[i].text);
    markup_text(&page->markup, ".");
  }
  write_life(page, (TorchRelease){ 0 }, helper->deprecated, (TorchRelease){ 0 }, helper->replacement);
  if (str_equal(helper->name, STR("parse_args")))
    describe_letters(page);
}

static void write_letter(Page *page, const PyDescriptor *descriptor)
{
  markup_code(&page->markup, descriptor->letter);
  markup_column(&page->markup, ": ");
  markup_prose(&page->markup, descriptor->types);
  markup_column(&page->markup, ". ");
  markup_prose(&page->markup, descriptor->words);
}

static bool visit_letter(const PyDescriptor *descriptor, void *context)
{
  Page *page = context;
  markup_item(&page->markup);
  write_letter(page, descriptor);
  return true;
}

static void describe_letters(Page *page)
{
  markup_heading(&page->markup, "Letters");
  export_api_each_descriptor(page->db, visit_letter, page);
}

static void describe_descriptor(Page *page, const PyDescriptor *descriptor)
{
  markup_block(&page->markup, "python",
               arena_printf(page->arena, "@parse_args(\"%.*s\")", STR_ARG(descriptor->letter)));
  write_words(page, descriptor->words);
  write_words(page, arena_printf(page->arena, "For arguments of type %.*s. The function gets %.*s.",
                                 STR_ARG(descriptor->types), STR_ARG(kinds_text(descriptor->gives, page->arena))));
}

static void describe_suffix(Page *page, const PySuffix *suffix)
{
  markup_block(&page->markup, "python",
               arena_printf(page->arena, "g.op(\"Op\", ..., name_%.*s=value)", STR_ARG(suffix->suffix)));
  write_words(page, suffix->words);
  write_words(page,
              arena_printf(page->arena, "Takes %.*s. One value makes an attribute of type %s, a list one of type %s.",
                           STR_ARG(suffix->takes), onnx_attribute_type_name(suffix->single),
                           onnx_attribute_type_name(suffix->list)));
}

static void describe_api(Page *page, const PyApi *api, Str name)
{
  markup_block(&page->markup, "python", name);
  write_words(page, api->words);
  if (api->is_private)
    write_words(page, STR("Private: torch promises nothing about it."));
  write_life(page, api->added, api->deprecated, api->removed, export_api_replacement(api, name, page->arena));
}

static void describe_argument(Page *page, const PyExportArgument *argument)
{
  const PyExportForm *form = export_api_form(argument, page->torch);
  const char *equals = form && form->has_default ? "=" : "";
  markup_block(&page->markup, "python",
               arena_printf(page->arena, "torch.onnx.export(..., %s%.*s%s%.*s)",
                            form && form->position == PY_REST ? "**" : "", STR_ARG(argument->name), equals,
                            form ? (int)form->default_text.len : 0, form ? form->default_text.data : ""));
  write_words(page, argument->words);
  markup_paragraph(&page->markup);
  if (!form)
    markup_text(&page->markup, "Not in this version of torch. ");
  else if (form->position >= 0)
    markup_text(&page->markup, "Position %d. ", form->position + 1);
  else
    markup_text(&page->markup, "By keyword only. ");
  bool is_for_both = argument->for_torchscript && argument->for_dynamo;
  markup_text(&page->markup, "%s.",
              is_for_both            ? "For both exporters"
              : argument->for_dynamo ? "For the dynamo exporter"
                                     : "For the TorchScript exporter");
  for (uint32_t i = 0; i < argument->default_count; i++)
    markup_text(&page->markup, " Since torch %u.%u the default is %.*s.", argument->defaults[i].since.major,
                argument->defaults[i].since.minor, STR_ARG(argument->defaults[i].text));
  write_life(page, argument->added, argument->deprecated, argument->removed, argument->replacement);
}

void describe_python(Page *page, const FoundPython *found)
{
  if (found->helper)
    describe_helper(page, found->helper);
  else if (found->descriptor)
    describe_descriptor(page, found->descriptor);
  else if (found->suffix)
    describe_suffix(page, found->suffix);
  else if (found->argument)
    describe_argument(page, found->argument);
  else
    describe_api(page, found->api, found->name);
}
