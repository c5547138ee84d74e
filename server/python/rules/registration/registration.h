/// Parts of the rules about registrations. Private to rules/.
///
/// Ownership: as DiagSink.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.register_custom_op_symbolic, torch.onnx.utils._run_symbolic_function of torch 1.13, 2.6
/// and 2.14.
#pragma once

#include "python/rules/python_edit.h"

/// "aten::elu" for "::elu" too.
Str registration_full_name(DiagSink *sink, const PyRegistration *registration);
/// False if the name is so wrong that nothing more can be said. `guesses` counts what was looked for in this file.
bool registration_check_name(DiagSink *sink, const PyRegistration *registration, int *guesses);
/// register_custom_op_symbolic(function, "aten::elu", 9), and a name where the function should be.
void registration_check_arguments(DiagSink *sink, const PyRegistration *registration);
/// Arguments that the call does not take, that are missing, or that can't be what they are meant to be.
void registration_check_call(DiagSink *sink, const PyRegistration *registration);
/// Decorators that are none, or that are written without what they need.
void registration_check_decorators(DiagSink *sink);
/// Calls of what sounds like a registration, and is nothing.
void registration_check_lost_calls(DiagSink *sink);
/// Registrations that no export of the file can see, whichever exporter it takes.
void registration_check_order(DiagSink *sink);
/// Functions that are put in the place of torch's own in a module, where no export looks for them.
void registration_check_patched(DiagSink *sink);
/// Tables of registrations that a loop can't take apart.
void registration_check_rows(DiagSink *sink);
/// Functions registered by a loop that read the loop's own names when they are called.
void registration_check_late_names(DiagSink *sink);

/// What functools.partial() gives the function. Said once of a partial().
void registration_check_partial(DiagSink *sink, const PyRegistration *registration);
/// An object that is called where torch 1.13 wants a function; says whether it is one.
bool registration_check_object(DiagSink *sink, const PyRegistration *registration);
/// `TABLE.get("Elu")` and `TABLE["Elu"]`, where the table has no such key.
void registration_check_key(DiagSink *sink, PyRef value);
