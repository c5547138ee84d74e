// What operators without a schema do: those of the namespace prim, and those of FX that take graphs.

#include "base/ascii.h"
#include "describe/describe.h"

static const struct {
  Str op;
  Str words;
} table[] = {
  { STR_INIT("prim::Constant"), STR_INIT("A constant: its attribute is the value, no attribute means None.") },
  { STR_INIT("prim::ListConstruct"), STR_INIT("Makes a list of its arguments.") },
  { STR_INIT("prim::ListUnpack"),
    STR_INIT("Takes a list apart; the number of results is fixed when the graph is made.") },
  { STR_INIT("prim::TupleConstruct"), STR_INIT("Makes a tuple of its arguments.") },
  { STR_INIT("prim::TupleUnpack"), STR_INIT("Takes a tuple apart.") },
  { STR_INIT("prim::TupleIndex"), STR_INIT("One element of a tuple.") },
  { STR_INIT("prim::TupleSlice"), STR_INIT("Some neighbouring elements of a tuple.") },
  { STR_INIT("prim::DictConstruct"), STR_INIT("Makes a dictionary: keys and values take turns among the arguments.") },
  { STR_INIT("prim::GetAttr"),
    STR_INIT("Reads an attribute of a module or object: a submodule, a parameter, a buffer.") },
  { STR_INIT("prim::SetAttr"), STR_INIT("Writes an attribute of a module or object.") },
  { STR_INIT("prim::CallMethod"), STR_INIT("Calls a method; inlining puts the method's graph in its place.") },
  { STR_INIT("prim::CallFunction"), STR_INIT("Calls a script function; inlining puts its graph in its place.") },
  { STR_INIT("prim::CreateObject"), STR_INIT("Makes an object of a script class.") },
  { STR_INIT("prim::If"),
    STR_INIT("Runs block0 if the condition holds, else block1; what the block returns are the results.") },
  { STR_INIT("prim::Loop"),
    STR_INIT(
        "Runs block0 up to a number of turns and while a condition holds; the values it carries from turn to turn are the results.") },
  { STR_INIT("prim::Param"), STR_INIT("Stands for the inputs of a graph or block.") },
  { STR_INIT("prim::Return"), STR_INIT("Stands for the results of a graph or block.") },
  { STR_INIT("prim::NumToTensor"), STR_INIT("Makes a tensor of rank 0 from a number.") },
  { STR_INIT("prim::ImplicitTensorToNum"), STR_INIT("Takes the number out of a tensor of one element.") },
  { STR_INIT("prim::RaiseException"), STR_INIT("Raises an exception; the graph ends there.") },
  { STR_INIT("prim::Print"), STR_INIT("Prints its arguments.") },
  { STR_INIT("prim::Uninitialized"),
    STR_INIT("Stands for a value that is never read, in a branch that is left early.") },
  { STR_INIT("prim::unchecked_cast"), STR_INIT("The same value with a narrower type, as a check before has shown.") },
  { STR_INIT("prim::isinstance"), STR_INIT("Asks whether the value is of one of the types.") },
  { STR_INIT("prim::dtype"), STR_INIT("The dtype of a tensor, as a number.") },
  { STR_INIT("prim::device"), STR_INIT("The device of a tensor.") },
  { STR_INIT("prim::layout"), STR_INIT("The layout of a tensor, as a number.") },
  { STR_INIT("prim::shape"), STR_INIT("The sizes of a tensor as a list.") },
  { STR_INIT("prim::data"), STR_INIT("The tensor without its history of gradients.") },
  { STR_INIT("prim::min"), STR_INIT("The least of numbers or lists.") },
  { STR_INIT("prim::max"), STR_INIT("The greatest of numbers or lists.") },
  { STR_INIT("prim::requires_grad"), STR_INIT("Asks whether the tensor needs gradients.") },
  { STR_INIT("prim::is_cuda"), STR_INIT("Asks whether the tensor is on a GPU.") },
  { STR_INIT("prim::ConstantChunk"), STR_INIT("Cuts a tensor into a fixed number of pieces along a dimension.") },
  { STR_INIT("prim::ConstantSplit"), STR_INIT("Cuts a tensor into pieces of a fixed size along a dimension.") },
  { STR_INIT("prim::FusedConcat"), STR_INIT("Concatenation within a fused group.") },
  { STR_INIT("prim::fork"), STR_INIT("Starts its graph as a task; the result is waited for with aten::wait.") },
  { STR_INIT("prim::profile"), STR_INIT("Records the types that pass through, for the optimizer.") },
  { STR_INIT("prim::TypeCheck"), STR_INIT("Checks at run time that tensors have the types that were seen before.") },
  { STR_INIT("prim::RequiresGradCheck"), STR_INIT("Checks at run time which tensors need gradients.") },
  { STR_INIT("prim::BailOut"), STR_INIT("Falls back to the graph that was not optimized.") },
  { STR_INIT("prim::DifferentiableGraph"),
    STR_INIT("A group of nodes that is differentiated as a whole; its graph is printed after this one.") },
  { STR_INIT("prim::TensorExprGroup"),
    STR_INIT("A group of nodes compiled into one kernel by the tensor expression fuser.") },
  { STR_INIT("prim::CudaFusionGroup"), STR_INIT("A group of nodes compiled into one CUDA kernel.") },
  { STR_INIT("prim::FusionGroup"), STR_INIT("A group of nodes compiled into one kernel.") },
  { STR_INIT("prim::FallbackGraph"), STR_INIT("The graph that runs when a check of an optimized one fails.") },
  { STR_INIT("prim::PythonOp"),
    STR_INIT("A Python function, usually of a torch.autograd.Function, kept as one node.") },
  { STR_INIT("operator.getitem"), STR_INIT("One element of a tuple, a list or a tensor.") },
  { STR_INIT("higher_order::cond"),
    STR_INIT("Runs the first graph if the condition holds, else the second one, on the operands that come last.") },
  { STR_INIT("higher_order::while_loop"),
    STR_INIT(
        "Runs the second graph for as long as the first one says so; the values it carries from turn to turn are the results.") },
  { STR_INIT("higher_order::scan"),
    STR_INIT("Runs its graph once for each slice of the inputs, and carries values from one to the next.") },
  { STR_INIT("higher_order::map_impl"), STR_INIT("Runs its graph once for each slice of the inputs.") },
  { STR_INIT("higher_order::wrap_with_set_grad_enabled"),
    STR_INIT("Runs its graph with or without gradients, as the first argument says.") },
  { STR_INIT("higher_order::wrap_with_autocast"), STR_INIT("Runs its graph under autocast.") },
  { STR_INIT("prim::tolist"), STR_INIT("The tensor as nested lists of numbers.") },
};

/// `prim::DifferentiableGraph_0` is printed for a node whose graph follows under that name.
static Str without_number(Str op)
{
  size_t end = ascii_digits_start(op, op.len);
  return end > 0 && end < op.len && op.data[end - 1] == '_' ? str_slice(op, 0, end - 1) : op;
}

Str describe_prim(Str op)
{
  Str plain = without_number(op);
  for (size_t i = 0; i < COUNT(table); i++) {
    if (str_equal(plain, table[i].op))
      return table[i].words;
  }
  return (Str){ 0 };
}
