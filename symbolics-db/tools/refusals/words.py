"""What a refusal means to the person who exports: reason and way out, by kind and text of what the source raises."""
import re

CONSTANT = "Give a Python number or list, which tracing writes down as a constant, or register a symbolic function."
EVAL = "Call model.eval() before the export, or pass training=False."
BOOL = "Convert to bool first, or export to an opset whose function takes integers (18 for `and`, `or` and `xor`)."
FACTOR = "Only an output size that divides the input's can be exported: choose one, pad the input, or use interpolate()."

# Pattern of "kind: text" -> reason, way out. The first that matches.
TABLE = [
    (r"Unsupported: adaptive_.*factor", "the output size {1} doesn't divide the input's {0.sizes}", FACTOR),
    (r"Unsupported: adaptive pooling", "the output size is computed in the graph", CONSTANT),
    (r"Unsupported: .*pool.*: dilation", "a dilation other than 1 isn't exported by this function",
     "Use dilation=1; max_pool itself takes others from opset 10 on."),
    (r"Unsupported: .*divisor_override", "divisor_override isn't exported",
     "Leave it out and scale the result, or export to opset 10 or newer with torch 2.0 or newer."),
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
    (r"Unsupported: .*input size not accessible", "the size of the input isn't known", "Give the input a static shape."),
    (r"Unsupported: .*with unknown shape", "a shape isn't known", "Give the input a static shape."),
    (r"AssertionError: (enable_gqa|conversion of scaled)", "enable_gqa=True can't be exported",
     "Repeat keys and values before the call, with enable_gqa=False."),
    (r"AssertionError: dim_size % 2", "the size along `dim` is odd, and has to be even", ""),
    (r"AssertionError: channel_size % num_groups", "the channels don't divide into the groups", ""),
    (r"AssertionError: .*rank\\(x\\)", "the weight has more dimensions than the input", "Give the weight as many as the input."),
    (r"Unsupported: (_unique|_standard_gamma|_sample_dirichlet)", "its symbolic function always raises an error",
     "Register a symbolic function of your own, or compute it outside of the model."),
    (r"Opset: linalg_vector_norm: ord=0", "ord=0 needs opset 11", "Export to opset 11 or newer."),
    (r"Opset: (.*)\|(\d+)$", "it needs opset \\2", "Export to opset \\2 or newer."),
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
    (r"IndexError", "the function reads a dimension that the input, {0.sizes}, doesn't have", ""),
    (r"ValueError: has more than one element", "it has a list where the function takes one number: {1}",
     "Apply it once for each number."),
    (r"\w+Error: takes (\d+) arguments, not (\d+)",
     "the call has \\2 arguments, and the exporter's function takes \\1",
     "Use the form of the operator without the extra arguments."),
    (r"TypeError: needs the argument (\w+)", "the exporter's function needs the argument `\\1`, which this form doesn't have",
     "Use the form of the operator that has it."),
    (r"TypeError: takes an element of", "the exporter's function doesn't handle these arguments",
     "Give the arguments that are left out."),
    (r"TypeError", "the exporter's function doesn't handle these arguments", ""),
    (r".*not exported|.*isn't a list that is made", "the list isn't made in the graph, but comes as one value",
     "Build it from single tensors."),
]
GENERIC = "its symbolic function raises an error for these arguments"


def words_of(kind, text, condition):
    """(reason, way out)"""
    if kind == "NotConstant":
        m = re.search(r"not is_const\(\$(\d+)(?:\[\d+\])?\)", condition)
        which = f"argument {int(m[1]) + 1}" if m else "an argument"
        name = f" (`{text}`)" if text.strip() else ""
        return f"{which}{name} is computed in the graph, and has to be a constant", CONSTANT
    both = f"{kind.split('.')[-1]}: {text}"
    for pattern, reason, way_out in TABLE:
        m = re.match(pattern, both)
        if m:
            return m.expand(reason), m.expand(way_out)
    return GENERIC, ""
