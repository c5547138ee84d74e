#include "cli/cli_facts.h"

#include <stdio.h>

#include "cli/settings_here.h"
#include "host/say.h"

MUST_USE static Status take_torch(FactsFlags *flags, const OptionReader *reader)
{
  TorchChoice choice;
  flags->torch = reader->value;
  if (symbolics_resolve_torch(symbolics_embedded(), str_from(reader->value), &choice))
    return OK;
  say("%s: --torch can't be '%s'; it is a version such as 2.6, or auto", reader->command, reader->value);
  return ERR_USAGE;
}

Status cli_facts_take_flag(FactsFlags *flags, const OptionReader *reader)
{
  const char *name = reader->options[reader->option].name;
  uint64_t number = 0;
  size_t choice = 0;
  Status status = OK;
  if (strcmp(name, "torch") == 0) {
    status = take_torch(flags, reader);
  } else if (strcmp(name, "exporter") == 0) {
    status = option_choice(reader, exporter_names, EXPORTER_COUNT, &choice);
    flags->has_exporter = true;
    flags->exporter = (Exporter)choice;
  } else if (strcmp(name, "opset") == 0) {
    status = option_number(reader, 1, OPSET_LIMIT, &number);
    flags->opset = (int)number;
  }
  return status;
}

static void apply_flags(Settings *settings, const FactsFlags *flags)
{
  if (flags->torch)
    settings->torch = str_from(flags->torch);
  if (flags->has_exporter)
    settings->exporter = flags->exporter;
  if (flags->opset > 0)
    settings->opset = flags->opset;
}

/// Which torch version is meant; one that the facts don't know is taken as the one before it, and that is said.
static void choose_torch(CliFacts *facts, Str wanted)
{
  const Str *versions;
  TorchChoice choice = { 0 };
  size_t count = symbolics_torch_versions(facts->db, &versions);
  if (!symbolics_resolve_torch(facts->db, wanted, &choice))
    symbolics_resolve_torch(facts->db, STR("auto"), &choice);
  else if (!choice.is_exact)
    say("onnxls: nothing is known of torch %.*s yet; answering for torch %.*s", STR_ARG(wanted),
        STR_ARG(versions[choice.torch]));
  facts->torch = choice.torch;
  facts->torch_name = choice.torch < count ? versions[choice.torch] : (Str){ 0 };
}

Status cli_facts_open(CliFacts *facts, const FactsFlags *flags)
{
  Buffer problems = { 0 };
  *facts = (CliFacts){ 0 };
  settings_here(&facts->settings, NULL, &problems);
  apply_flags(&facts->settings, flags);
  facts->facts = settings_facts(&facts->settings, &problems);
  facts->db = facts_db(facts->facts);
  choose_torch(facts, facts->settings.torch);
  facts->exporter = facts->settings.exporter;
  facts->exporter_is_default = !flags->has_exporter && facts->settings.exporter_origin.len == 0;
  facts->opset = facts->settings.opset;
  Status status = settings_here_report(&problems);
  buffer_done(&problems);
  if (status != OK)
    cli_facts_close(facts);
  return status;
}

void cli_facts_close(CliFacts *facts)
{
  facts_release(facts->facts);
  settings_done(&facts->settings);
  *facts = (CliFacts){ 0 };
}
