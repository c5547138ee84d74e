// Names in symbolic functions that nothing binds: a NameError when the function is called, or a function of Python's
// own where a value of the graph was meant: `g.op("Relu", input)`.

#include "base/search.h"
#include "python/rules/symbolic/value_check.h"

/// What Python has by itself. Sorted.
static const char *const python_names[] = {
  // Keep alphabetized: those of Python 3.14 and before, of modules and classes, and of the site module.
  "ArithmeticError",
  "AssertionError",
  "AttributeError",
  "BaseException",
  "BaseExceptionGroup",
  "BlockingIOError",
  "BrokenPipeError",
  "BufferError",
  "BytesWarning",
  "ChildProcessError",
  "ConnectionAbortedError",
  "ConnectionError",
  "ConnectionRefusedError",
  "ConnectionResetError",
  "DeprecationWarning",
  "EOFError",
  "Ellipsis",
  "EncodingWarning",
  "EnvironmentError",
  "Exception",
  "ExceptionGroup",
  "False",
  "FileExistsError",
  "FileNotFoundError",
  "FloatingPointError",
  "FutureWarning",
  "GeneratorExit",
  "IOError",
  "ImportError",
  "ImportWarning",
  "IndentationError",
  "IndexError",
  "InterruptedError",
  "IsADirectoryError",
  "KeyError",
  "KeyboardInterrupt",
  "LookupError",
  "MemoryError",
  "ModuleNotFoundError",
  "NameError",
  "None",
  "NotADirectoryError",
  "NotImplemented",
  "NotImplementedError",
  "OSError",
  "OverflowError",
  "PendingDeprecationWarning",
  "PermissionError",
  "ProcessLookupError",
  "PythonFinalizationError",
  "RecursionError",
  "ReferenceError",
  "ResourceWarning",
  "RuntimeError",
  "RuntimeWarning",
  "StopAsyncIteration",
  "StopIteration",
  "SyntaxError",
  "SyntaxWarning",
  "SystemError",
  "SystemExit",
  "TabError",
  "TimeoutError",
  "True",
  "TypeError",
  "UnboundLocalError",
  "UnicodeDecodeError",
  "UnicodeEncodeError",
  "UnicodeError",
  "UnicodeTranslateError",
  "UnicodeWarning",
  "UserWarning",
  "ValueError",
  "Warning",
  "WindowsError",
  "ZeroDivisionError",
  "_IncompleteInputError",
  "__annotations__",
  "__build_class__",
  "__builtins__",
  "__cached__",
  "__class__",
  "__debug__",
  "__dict__",
  "__doc__",
  "__file__",
  "__import__",
  "__loader__",
  "__module__",
  "__name__",
  "__package__",
  "__path__",
  "__qualname__",
  "__spec__",
  "abs",
  "aiter",
  "all",
  "anext",
  "any",
  "ascii",
  "bin",
  "bool",
  "breakpoint",
  "bytearray",
  "bytes",
  "callable",
  "chr",
  "classmethod",
  "compile",
  "complex",
  "copyright",
  "credits",
  "delattr",
  "dict",
  "dir",
  "divmod",
  "enumerate",
  "eval",
  "exec",
  "exit",
  "filter",
  "float",
  "format",
  "frozenset",
  "getattr",
  "globals",
  "hasattr",
  "hash",
  "help",
  "hex",
  "id",
  "input",
  "int",
  "isinstance",
  "issubclass",
  "iter",
  "len",
  "license",
  "list",
  "locals",
  "map",
  "max",
  "memoryview",
  "min",
  "next",
  "object",
  "oct",
  "open",
  "ord",
  "pow",
  "print",
  "property",
  "quit",
  "range",
  "repr",
  "reversed",
  "round",
  "set",
  "setattr",
  "slice",
  "sorted",
  "staticmethod",
  "str",
  "sum",
  "super",
  "tuple",
  "type",
  "vars",
  "zip"
};

static bool is_of_python(Str name)
{
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(python_names), str_compare_word(python_names[i], name) < 0);
  return i < COUNT(python_names) && str_equal(str_from(python_names[i]), name);
}

bool value_is_builtin(const PyModel *model, PyRef node)
{
  PyRef name = py_tree_strip(&model->tree, node);
  Str text = py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_text(&model->tree, name) : (Str){ 0 };
  return text.len > 0 && text.data[0] >= 'a' && is_of_python(text) && !py_model_binding_at(model, name) &&
         !value_has_unseen_names(model);
}

bool value_is_builtin_type(const PyModel *model, PyRef node)
{
  static const char *const types[] = {
    "bool", "bytes", "complex", "dict", "float", "int", "list", "set", "str", "tuple"
  };
  PyRef name = py_tree_strip(&model->tree, node);
  return py_kind(&model->tree, name) == PYK_IDENTIFIER &&
         str_is_one_of(py_text(&model->tree, name), types, COUNT(types)) && !py_model_binding_at(model, name);
}

/// Whether the function around is called by the exporter, surely.
static bool is_symbolic(const PyModel *model, PyRef node)
{
  uint32_t scope = py_model_scope_of(model, node);
  while (scope != PY_ABSENT && (model->functions.items[scope].roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD)) == 0)
    scope = model->functions.items[scope].parent;
  return scope != PY_ABSENT;
}

/// Whether the identifier is a name that is read: not a member, not the keyword of an argument, not bound there.
static bool is_read(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  PyField field = tree->nodes[node].field;
  PyNodeKind around = py_kind(tree, parent);
  bool is_plain = around == PYK_ARGUMENT_LIST || around == PYK_KEYWORD_ARGUMENT || around == PYK_BINARY_OPERATOR ||
                  around == PYK_LIST || around == PYK_TUPLE || around == PYK_RETURN_STATEMENT ||
                  around == PYK_EXPRESSION_LIST || around == PYK_LIST_SPLAT || around == PYK_CALL;
  bool is_object =
      (around == PYK_ATTRIBUTE && field == PY_F_OBJECT) || (around == PYK_SUBSCRIPT && field == PY_F_VALUE);
  return (is_plain && field != PY_F_NAME && field != PY_F_ATTRIBUTE) || is_object;
}

/// Whether the name is an input of g.op(), for which no function can stand.
static bool is_input(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef list = tree->nodes[node].parent;
  const PyOp *op = py_kind(tree, list) == PYK_ARGUMENT_LIST ? py_model_op_at(model, tree->nodes[list].parent) : NULL;
  return op && op->kind == PY_OP_GRAPH && op->name_node != node;
}

bool value_is_unbound(const PyModel *model, PyRef name)
{
  Str text = py_text(&model->tree, name);
  return is_read(&model->tree, name) && py_model_name_at(model, name) == PY_ABSENT && !is_of_python(text);
}

void value_check_unbound(DiagSink *sink, PyRef name)
{
  const PyModel *model = sink_python(sink)->model;
  Str text = py_text(&model->tree, name);
  uint32_t scope = py_model_scope_of(model, name);
  if (scope == PY_ABSENT || !is_read(&model->tree, name) || py_model_name_at(model, name) != PY_ABSENT ||
      !is_symbolic(model, name))
    return;
  // value_check_module() speaks of these.
  bool is_object = py_kind(&model->tree, model->tree.nodes[name].parent) == PYK_ATTRIBUTE;
  if (is_object && (value_is_usual_module(text) || str_equal(text, STR("g"))))
    return;
  bool is_function = is_of_python(text);
  if ((is_function && !is_input(model, name)) || value_has_unseen_names(model) || py_is_torch_itself(model) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, name,
         is_function
             ? arena_printf(sink->arena,
                            "Nothing is called '%.*s' here, so this is Python's own function, which "
                            "can't be an input of a node.",
                            STR_ARG(text))
             : arena_printf(sink->arena, "Nothing is called '%.*s' here: this raises a NameError.", STR_ARG(text)),
         NULL);
}
