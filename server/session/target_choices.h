/// onnxls/targets, a request of our own: what else a document can be exported with (torch, exporter, opset, runtime),
/// and how many errors and warnings it would have then.
///
/// Each choice is another target of the same settings, and its document is checked against it as it always is, so the
/// numbers are those that will be there.
///
/// Ownership: a request owns its choices.
/// Errors:    a document that is too large is not counted, which the answer says.
/// Threads:   choices are gathered on the loop thread and counted on any.
/// Sources:   docs/protocol.md, "Targets".
#pragma once

#include "session/request.h"

extern const FeatureMethod target_choices_methods[];

/// Gives the request's params the targets to choose among.
void target_choices_gather(Request *request);
/// NULL is fine.
void target_choices_free(TargetChoices *choices);
