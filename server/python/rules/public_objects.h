/// Which class of PyTorch an expression is an object of, as far as the file shows the call that makes it.
///
/// Ownership: names are constant.
/// Units:     nodes of the sink's Python file.
/// Errors:    empty where it is not known.
/// Threads:   as DiagSink.
/// Sources:   torch.export, torch.library and torch.onnx of torch 2.6 and 2.14.
#pragma once

#include "python/rules/export/export_call.h"

/// "torch.onnx.ONNXProgram", "torch.export.ExportedProgram", "torch.library.CustomOpDef", "torch.nn.Module" and others;
/// "torch.export.module" is what module() of an ExportedProgram gives.
Str public_class_of(DiagSink *sink, PyRef node);
/// "onnx.NodeProto[]" of `model.graph.node`, "str[]" of `node.input`.
Str public_list_of(DiagSink *sink, PyRef node);
/// "str" of what is in `node.input`, and "int" of a field that is one.
Str public_plain_of(DiagSink *sink, PyRef node);
/// "an ONNXProgram" of "torch.onnx.ONNXProgram"
Str public_class_text(Str class_name, Arena *arena);
/// False of what another package has, of which the facts know what is in one of its releases.
bool public_is_of_torch(Str qualified);
/// Whether it is a name of torch, onnx, or a package whose name begins like onnx's. Most names are none.
bool public_is_known_package(Str qualified);
/// A file of the sources of onnx, which some projects hold a copy of, or of a project that has a package `onnx`: what
/// the releases have says nothing of that one.
bool public_is_onnx_itself(const PyFile *file);
/// Whether every torch.nn.Module has it.
bool public_is_of_module(const SymbolicsDb *db, Str member, Arena *arena);
/// Whether a call of the file makes such an object.
bool public_objects_are_made(const PyFile *file);

/// Whether the arguments of a call can be what `function` takes; it is qualified, and that of a class for a method.
void public_check_arguments(DiagSink *sink, const PyCall *call, Str function);
/// Whether the first argument of a function must not be None.
bool public_refuses_none(Str function);
/// Whether `value` can be what a member, such as "onnxruntime.SessionOptions.execution_mode", is set to.
void public_check_assigned(DiagSink *sink, Str member, PyRef value);
