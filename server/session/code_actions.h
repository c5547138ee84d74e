/// Code actions and the commands they give to clients: what they know of other files, and what they ask the client to
/// do.
///
/// Ownership: a request owns the texts that were gathered for it.
/// Threads:   the loop thread, but for the rows' `compute`.
/// Sources:   LSP 3.17 "Code Action Request", "Execute a command".
#pragma once

#include "session/request.h"

/// Commands.
extern const FeatureMethod command_methods[];

/// Gives the request's params a world: the settings in force, and the texts that the editor has right now.
void code_actions_gather(Request *request);
/// Says it if a file was too large to be looked at.
void code_actions_say_limits(Request *request);
/// NULL is fine.
void action_texts_free(ActionTexts *texts);
