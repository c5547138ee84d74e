/// What is wrong with a model, all at once and where it is: what onnx.checker refuses, what shape inference refuses,
/// and what both pass and runtimes don't.
///
/// The severity says which: an error is what `onnx.checker.check_model(model, full_check=True)` of onnx 1.20 refuses.
///
/// Ownership: a DiagSink borrows; everything else lives as long as the check.
/// Threads:   as core/language.h says.
/// Sources:   onnx/checker.cc, onnx/defs/schema.cc and onnx/shape_inference/implementation.cc of onnx 1.20.
#pragma once

#include "core/diagnostic_sink.h"

void onnx_check(DiagSink *sink);
/// What was not read of a model, or not followed; a UnreadVisitor as core/language.h says.
void onnx_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context);
