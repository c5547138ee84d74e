"""What a refusal means to the person who exports: reason and way out, by kind and text of what the source raises."""
import re

CONSTANT = "Give a Python number or list, which tracing writes down as a constant, or register a symbolic function."
EVAL = "Call model.eval() before the export, or pass training=False."
AND = "Convert to bool first, or export to opset 18 with torch 2.0 or newer, whose `and` takes integers."
BOOL = "Work on bool tensors, or register a symbolic function with ONNX's bitwise operators (opset 18)."
STATIC = "Give the input a static shape: keep its dimensions out of dynamic_axes."
FACTOR = "Only an output size that divides the input's can be exported: choose one, crop the input, or reduce each window, from i * n // m to -(-(i + 1) * n // m) in plain integers, and stack them."

# Pattern of "kind: text" -> reason, way out. The first that matches.
TABLE = [
    (r"Unsupported: adaptive_.*factor", "the output size {1} doesn't divide the input's {0.sizes}", FACTOR),
    (r"Unsupported: adaptive pooling", "the output size is computed in the graph", CONSTANT),
    (r"Unsupported: .*pool.*: dilation\|adaptive", "an input without a batch dimension leaves no dimension to pool over",
     "Add the batch dimension with unsqueeze(0)."),
    (r"Unsupported: .*pool.*: dilation", "a dilation other than 1 isn't exported by this function",
     "Use dilation=1; max_pool itself takes others from opset 10 on."),
    (r"Unsupported: .*divisor_override", "divisor_override isn't exported", "Leave it out and scale the result."),
    (r"Unsupported: .*training mode", "it is in training mode", EVAL),
    (r"Unsupported: .*align_corners == True", "align_corners=True isn't exported here",
     "Export to opset 11 or newer, or use align_corners=False."),
    (r"Unsupported: index_add: alpha", "alpha is {4}, and only 1 can be exported", "Multiply the source by alpha before."),
    (r"Unsupported: threshold: non-zero", "only the threshold 0 with the value 0 can be exported",
     "Write it with torch.where()."),
    (r"Unsupported: Multinomial", "several samples without replacement can't be exported",
     "Draw with replacement=True, or draw one sample."),
    (r"Unsupported: linalg.matrix_norm: ord==nuc", "the nuclear norm can't be exported",
     "Use the Frobenius norm, or compute it outside of the model."),
    (r"Unsupported: linalg.matrix_norm: ord==2", "the spectral norm can't be exported",
     "Use the Frobenius norm, or compute it outside of the model."),
    (r"Unsupported: .*Sort: Out parameter", "the call's overload (with `stable`) isn't exported",
     "Call sort() without `stable`."),
    (r"Unsupported: (Sort|TopK): Ascending", "ascending order needs opset 11", "Export to opset 11 or newer."),
    (r"Unsupported: gather: sparse_grad", "sparse_grad=True can't be exported", "Leave sparse_grad out."),
    (r"Unsupported: pixel_shuffle", "only inputs of 4 dimensions can be exported", "Add a batch dimension first."),
    (r"Unsupported: aten::_conj", "the conjugate of a complex tensor can't be exported",
     "Keep real and imaginary part in two tensors."),
    (r"Unsupported: .*with per_sample_weights", "per_sample_weights can't be exported at this opset",
     "Leave it out, or write it with embedding() and a sum."),
    (r"Unsupported: .*: dtype", "`dtype` is computed in the graph", CONSTANT),
    (r"Unsupported: .*generator is not supported", "a generator can't be exported", "Leave the generator out."),
    (r"Unsupported: LSTM: LSTMs with projections", "an LSTM with projections can't be exported", "Use proj_size=0."),
    (r"Unsupported: RNN/GRU/LSTM: dropout in training", "dropout between layers is in training mode", EVAL),
    (r"Unsupported: randint", "the bounds are computed in the graph", CONSTANT),
    (r"Unsupported: interpolate: dynamic", "a size or scale that is computed needs a newer opset",
     "Export to opset 11 or newer."),
    (r"Unsupported: .*with (\d+) arguments", "the exporter's function takes no call with \\1 arguments",
     "Use another form of the operator."),
    (r"Unsupported: .*input size not accessible", "the size of the input isn't known", STATIC),
    (r"Unsupported: .*with unknown shape", "a shape isn't known", STATIC),
    (r"AssertionError: (enable_gqa|conversion of scaled)", "enable_gqa=True can't be exported",
     "Repeat keys and values before the call, with enable_gqa=False."),
    (r"AssertionError: dim_size (% 2|must be even)", "the size along `dim` is odd, and has to be even", ""),
    (r"AssertionError: channel_size % num_groups", "the channels don't divide into the groups", ""),
    (r"AssertionError: rank\(x\)", "the weight has more dimensions than the input", "Give the weight as many as the input."),
    (r"Unsupported: (_unique|_standard_gamma|_sample_dirichlet)", "its symbolic function always raises an error",
     "Register a symbolic function of your own, or compute it outside of the model."),
    (r"Opset: linalg_vector_norm: ord=0", "ord=0 needs opset 11", "Export to opset 11 or newer."),
    (r"Opset: (.*)\|(\d+)$", "it needs opset \\2", "Export to opset \\2 or newer."),
    (r".*bitwise AND", "bitwise operators are only exported for bool tensors at this opset, and this is {0.dtype}", AND),
    (r".*bitwise Not", "bitwise operators are only exported for bool tensors, and this is {0.dtype}",
     "Write -x - 1, or 255 - x for Byte."),
    (r".*bitwise", "bitwise operators are only exported for bool tensors at this opset, and this is {0.dtype}", BOOL),
    (r".*label_smoothing", "label smoothing can't be exported", "Use label_smoothing=0."),
    (r".*p-norms", "only the norms with p=1 and p=2 can be exported", "Use p=1 or p=2, or write it with pow() and sum()."),
    (r".*Unsupported indexing", "indexing is neither 'ij' nor 'xy'", "Use indexing='ij'."),
    (r".*step!=1", "a step other than 1 needs opset 10", "Export to opset 10 or newer."),
    (r".*padding mode", "the padding mode {2} isn't exported", "Use constant, reflect, replicate or circular."),
    (r".*rounding mode", "the rounding mode is none of None, 'floor' and 'trunc'", "Use one of these."),
    (r".*memory_format", "a memory format can't be exported", "Leave memory_format out."),
    (r".*quant_min, quant_max", "this quantization range can't be exported", "Use (0, 255) or (-128, 127)."),
    (r".*duplicated values in 'index'", "the source is longer than the target along dim, so `index` repeats",
     "Use an index without repeats, or scatter_add()."),
    (r".*enable_gqa", "enable_gqa=True can't be exported", "Repeat keys and values before the call, with enable_gqa=False."),
    (r".*is_causal", "is_causal=True goes with no attn_mask", "Pass the causal mask as attn_mask."),
    (r".*embedding_bag", "this form of embedding_bag can't be exported at this opset",
     "Export to opset 11 or newer without padding_idx and max_norm, or write it with embedding() and a reduction."),
    (r"CheckerError: attribute '(\w+)' of (\w+) is an empty list",
     "it becomes \\2 with an empty list for '\\1', which the checker refuses", "Name the dimensions, or leave `dim` out."),
    (r".*mean reduction", "ONNX has no mean among its reductions", "Scatter with \"sum\", and divide by the counts."),
    (r".*include_self=False", "include_self=False can't be exported",
     "Put the neutral element (0 for \"sum\") in the places of `index` first, and use include_self=True."),
    (r"SymbolicValueError: $|SymbolicValueError: \|rank", "the signal has more than two dimensions", "Reshape it to [batch, signal]."),
    (r"SymbolicValueError: \|complex", "its result is complex, and the TorchScript exporter has no complex types",
     "Use return_complex=False, which puts real and imaginary part into a last dimension."),
    (r"AssertionError: n_win", "the window, {4.sizes}, is not as long as `n_fft`", "Give its length as win_length."),
    (r".*kernel of unknown shape", "the size of the kernel isn't known",
     "Give the weight a static shape: keep its dimensions out of dynamic_axes."),
    (r".*unknown batch size|AssertionError: batch_size (is not None|and channel_size must be)", "the size of the batch isn't known", STATIC),
    (r".*unknown dimension size", "the size of the dimension isn't known", STATIC),
    (r".*unknown hidden size", "the size of the hidden state isn't known", STATIC),
    (r".*len\(all_weights\)|.*Expected ... weights", "the list of weights doesn't fit the layers, biases and directions", ""),
    (r"AssertionError: len\(stride\)", "`stride` and `output_padding` have different lengths", "Give both the same length."),
    (r"AssertionError: transposed", "`output_padding` is given, and the convolution isn't transposed", "Leave output_padding out."),
    (r".*Rank must be 0 or 1", "a bound of the slice has several dimensions", "Give start and end as numbers."),
    (r"\w+Error: .*\|aten::randint",
     "it has no lower bound, and the exporter's function takes the upper one for it and the size for the upper one",
     "Write randint(0, high, size)."),
    (r"TypeError: is a number, and a list", "it has a number where the function takes a list", "Give a list."),
    (r".*__contains__ for non-constant list", "`in` is only exported for lists of constants", "Compare with each element in a call of its own."),
    (r".*nonempty_tensors(\) > 0| must not be empty)", "no tensor of the list has elements", "Leave empty tensors out."),
    (r"AssertionError: (all\(\(symbolic_helper._get_tensor_rank\(nonempty|All tensors must have the same rank)", "the tensors of the list have different ranks",
     "Give them one rank with reshape() first."),
    (r".*repeats must be 0-dim", "`repeats` has several dimensions", "Give a number or a tensor of one dimension."),
    (r".*Slice with dynamic inputs", "start, end or step is computed in the graph, which needs opset 10",
     "Export to opset 10 or newer."),
    (r"AssertionError: (isinstance\(dtype, int\)|Expected dtype to be int)", "`dtype` is computed in the graph", CONSTANT),
    (r".*unknown channel size|AssertionError: .*channel_size (is not|must not be) None", "the number of channels isn't known", STATIC),
    (r".*Einsum inputs are empty", "the list of operands is empty", ""),
    (r"AssertionError: (len\(padding\) % 2|padding length must be even)", "the padding has an odd number of elements", ""),
    (r"Unsupported: upsample_.*torch._C.Value", "a size that is computed needs a newer opset", "Export to opset 9 or newer."),
    (r"Unsupported: (input_scale|scale): ", "a `\\1` other than 1 isn't exported", "Scale the tensors in a call of its own."),
    (r".*Both size and scales are None", "neither size nor scale is known", "Give one of them as a number."),
    (r".*GridSample with 5D", "an input of 5 dimensions needs opset 20", "Export to opset 20."),
    (r"ValueError: needs (\d+) values, has (\d+)", "a list of the call has \\2 elements, and the function takes \\1", ""),
    (r"IndexError: .*\|xy", "indexing='xy' swaps the first two tensors, and there are not two",
     "Use indexing='ij', which is the same for a single tensor."),
    (r"IndexError: .*\|sizes", "the function reads a dimension that the input, {0.sizes}, doesn't have",
     "Give the input that dimension with reshape() first."),
    (r"IndexError", "the function reads an element or a dimension that is not there", ""),
    (r"ValueError: has more than one element[^|]*$", "it has a list where the function takes one number: {1}",
     "Apply it once for each number."),
    (r"\w+Error: takes (\d+) arguments, not (\d+)",
     "the call has \\2 arguments, and the exporter's function takes \\1",
     "Use the form of the operator without the extra arguments."),
    (r"TypeError: needs the argument (\w+)", "the exporter's function needs the argument `\\1`, which this form doesn't have",
     "Use the form of the operator that has it."),
    (r"TypeError: (compares a graph value|takes a part of what is no list|asks for the length|a range of what)",
     "an argument is computed in the graph that the function takes for a constant", CONSTANT),
    (r"TypeError: takes an element of .*\|aten::linalg_norm", "the exporter's function needs a `dim`, and none is given", "Use torch.linalg.vector_norm() and opset 11 or newer."),
    (r"TypeError: takes an element of", "the exporter's function doesn't handle these arguments",
     "Give the arguments that are left out."),
    (r"TypeError", "the exporter's function doesn't handle these arguments", ""),
    (r".*not exported|.*isn't a list that is made", "the list of tensors comes as one value, and the exporter needs the tensors one by one",
     "Build it from single tensors."),
]
GENERIC = "its symbolic function raises an error for these arguments"


def more_of(op, kind, text, condition):
    """What the condition adds where one text is raised for several reasons."""
    if "pool" in text and text.endswith("dilation") and not re.search(r"\$[2-9]", condition):
        return "|adaptive"
    if kind.endswith("SymbolicValueError") and not text:
        return "|rank" if "rank($0) > 2" in condition else "|complex"
    if kind == "IndexError" and '"xy"' in condition:
        return "|xy"
    if kind == "IndexError" and ("rank($0)" in condition or "sizes($0)" in condition):
        return "|sizes"
    return f"|{op}" if kind in ("TypeError", "ValueError") and op in ("aten::linalg_norm", "aten::randint") else ""


def of_argument(reason, condition):
    """The element type in the reason is that of the argument that the condition asks about."""
    asked = re.search(r"dtype\(\$(\d+)\)", condition)
    return reason.replace("{0.dtype}", f"{{{asked[1]}.dtype}}") if asked and "dtype($0)" not in condition else reason


def words_of(op, kind, text, condition):
    """(reason, way out)"""
    if kind == "NotConstant":
        m = re.search(r"not is_const\(\$(\d+)(?:\[\d+\])?\)", condition)
        which = f"argument {int(m[1]) + 1}" if m else "an argument"
        name = f" (`{text}`)" if text.strip() else ""
        return f"{which}{name} is computed in the graph, and has to be a constant", CONSTANT
    both = f"{kind.split('.')[-1]}: {text}" + more_of(op, kind, text, condition)
    for pattern, reason, way_out in TABLE:
        m = re.match(pattern, both)
        if m:
            return of_argument(m.expand(reason), condition), m.expand(way_out)
    return GENERIC, ""
