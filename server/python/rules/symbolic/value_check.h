/// Parts of the rules about values of the graph that are used as Python's. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   dir(torch._C.Value) and what it raises, in torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/python_edit.h"

/// Is the expression surely a value of the graph? 0 is none.
bool value_is_of_graph(DiagSink *sink, PyRef node);
/// How many values of the graph a list surely holds, and nothing else; -1 if that is not known.
int value_graph_values(DiagSink *sink, PyRef node);
/// There are `count` of them, and the code at `node` wants another number.
void value_say_count(DiagSink *sink, PyRef node, PyRef value, int count);
/// "'x' is a graph value; Python can't go through it": `what` ends the sentence.
void value_say(DiagSink *sink, PyRef node, PyRef value, Severity severity, const char *what);
/// `x.node()`
bool value_is_node(DiagSink *sink, PyRef node);
/// `x.node().inputs()`, an iterator in torch 1.13, 2.6 and 2.14: `what` can't be done with it. True if it is one.
bool value_check_node_values(DiagSink *sink, PyRef node, PyRef iterator, const char *what);
/// `object[index]`: tables without such a key, lists, nodes and values of the graph.
void value_check_index(DiagSink *sink, PyRef node);
/// What is gone through or taken a part of: a number, as @parse_args makes one?
void value_check_number(DiagSink *sink, PyRef node);
/// Uses that are told by a node: loops, unpacking, conditions, comparisons.
void value_check_uses(DiagSink *sink, PyRef node);
/// A call of symbolic_helper or symbolic_opsetN: is there such a function, and does it take the arguments?
void value_check_helper(DiagSink *sink, const PyCall *call);
/// The function of symbolic_opsetN (or, if `module` is empty, of symbolic_helper) whose name is nearest; empty.
Str value_helper_meant(DiagSink *sink, Str module, Str name);
/// "symbolic_opset9" of "symbolic_opset9.relu", if the facts have that module; empty.
Str value_opset_module(const PyFile *file, Str rest);
/// Says that `module` (symbolic_helper if it is empty) has no such name; what the modules of opsets lack, torch before
/// 1.13 may have had. `node` names it.
void value_check_unknown_helper(DiagSink *sink, PyRef node, Str module, Str name, bool is_called);
/// A member of symbolic_opsetN that is not called: is there one?
void value_check_helper_name(DiagSink *sink, PyRef attribute);
/// What the arguments of a function of symbolic_helper have to be.
void value_check_helper_arguments(DiagSink *sink, const PyCall *call, Str helper);
/// `symbolic_opset14.hardswish(g, x)`, of which `function` is the name in torch.onnx.
void value_check_builtin_opset(DiagSink *sink, const PyCall *call, Str function);
/// A call of a function of this file that takes the graph first: does it get the graph?
void value_check_own_call(DiagSink *sink, const PyCall *call);
/// `g.opset`: has the graph a member of that name?
void value_check_graph_member(DiagSink *sink, PyRef node);
/// Modules that people write symbolic functions with, by the names that everybody gives them.
bool value_is_usual_module(Str name);
/// `math.pi` in a symbolic function of a file that does not import math.
void value_check_module(DiagSink *sink, PyRef attribute);
/// Whether names may come from somewhere that is not seen.
bool value_has_unseen_names(const PyModel *model);
/// `TensorProto.FLOAT32`
void value_check_type_name(DiagSink *sink, PyRef attribute);
/// "FLOAT" of "FLOAT32": what ONNX calls a type that goes by other names elsewhere; empty if there is none.
Str value_type_meant(Str name);
/// Whether it names a parameter of a registered function that gets a number, by all schemas of its operators.
bool value_is_number_param(const PyFile *file, PyRef name);
/// Whether it is a name that is read and that nothing binds: a NameError, unless value_has_unseen_names().
bool value_is_unbound(const PyModel *model, PyRef name);
/// A function or type that Python has by itself, such as input(), and nothing else that is called so.
bool value_is_builtin(const PyModel *model, PyRef node);
/// A type that Python has by itself, such as float, and nothing else that is called so.
bool value_is_builtin_type(const PyModel *model, PyRef node);
/// A name that nothing binds.
void value_check_unbound(DiagSink *sink, PyRef name);
/// `def gelu(g, x): return gelu(g, x)`
void value_check_recursion(DiagSink *sink, const PyCall *call);
/// `x.type().scalarType() == "float32"`: may that ever be so?
void value_check_texts(DiagSink *sink, PyRef comparison);
/// Whether the code at the node may be run with Python's values in the place of those of the graph.
bool value_may_be_python(DiagSink *sink, PyRef node);
/// `x.type().shape`: has any type of the graph a member of that name?
void value_check_type_member(DiagSink *sink, PyRef node);
/// `x.setType(...)`, `x.type().with_dtype(...)` with this first argument.
void value_check_type_call(DiagSink *sink, const PyCall *call, const PyArgument *first);
/// `g.onnxscript_op(function, x, alpha_f=0.5)`
void value_check_script_op(DiagSink *sink, const PyCall *call);
/// `Class.forward(None, x)`, `x.node().f("value")`
void value_check_node_call(DiagSink *sink, const PyCall *call);
/// A call that makes blocks of a node: the bodies of If and Loop.
void value_check_blocks(DiagSink *sink, const PyCall *call);
/// All calls of the file.
void value_check_calls(DiagSink *sink);
/// True in symbolic() of a torch.autograd.Function, where @parse_args is of no use: apply() gives the arguments.
bool value_is_in_autograd(const PyFile *file, PyRef node);
