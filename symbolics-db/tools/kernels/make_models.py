#!/usr/bin/env python3
"""Models of one node each: every operator of a domain, at every version of its schema, with every element type that it allows.

    make_models.py RECORDS-FOLDER OUT.models [DOMAIN]

RECORDS-FOLDER is records/onnx. DOMAIN is ai.onnx, or another one that has records there: ai.onnx.ml, ai.onnx.preview.training.
OUT holds, after each other: length and text of a line of JSON that names the model, length and bytes of the model (lengths are four
bytes, little endian). ask.mjs and ask.py load them in sessions, write.py makes records of what these say.

Inputs have an element type and no shape, so that nothing is refused for its shape. Optional inputs are left out, except where a type
constraint is about nothing else. Needs the Python package onnx, of any version: it only builds the messages.
"""
import itertools
import json
import pathlib
import re
import struct
import sys

try:
    from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto
except ImportError:
    pass

ELEMENTS = ["float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double", "uint32", "uint64",
            "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
            "float4e2m1", "float8e8m0", "uint2", "int2"]
NUMBER = {name: i + 1 for i, name in enumerate(ELEMENTS)}
NEWEST_OPSET = {"ai.onnx": 27, "ai.onnx.ml": 5, "ai.onnx.preview.training": 1}
OPSET_BESIDE = 12  # Of ai.onnx, in models of other domains: the oldest release that is asked knows it.
# The first IR version that knows an element type; 7 is enough for everything else.
IR_OF = {**{n: 9 for n in range(17, 21)}, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13}


class Schema:
    def __init__(self, line, domain):
        self.domain = domain
        _, self.name, since, *flags = line.split()
        self.since = int(since)
        self.is_function = "function" in flags
        self.is_deprecated = "deprecated" in flags
        self.inputs, self.outputs, self.attributes, self.types = [], [], {}, {}

    def read(self, line):
        kind, name, *rest = line.split()
        if kind in ("in", "out"):
            (self.inputs if kind == "in" else self.outputs).append((name, rest[0], rest[1:]))
        elif kind == "attr":
            self.attributes[name] = (rest[0], "required" in rest)
        elif kind == "type":
            self.types[name] = rest

    def until(self, others):
        later = [s.since for s in others if s.since > self.since]
        return (min(later) if later else NEWEST_OPSET[self.domain] + 1) - 1


def read_schemas(folder, domain="ai.onnx"):
    schemas, current = {}, None
    path = pathlib.Path(folder, domain)
    for path in sorted(path.glob("*.txt")) if path.is_dir() else [path.with_name(domain + ".txt")]:
        for line in path.read_text().splitlines():
            if line.startswith("op "):
                current = Schema(line, domain)
                schemas.setdefault(current.name, []).append(current)
            elif line.startswith("  ") and current:
                current.read(line)
    return schemas


# --- Types and attributes ---

def type_proto(word):
    outer = re.fullmatch(r"(seq|optional|tensor|map)\((.*)\)", word)
    result = TypeProto()
    if outer and outer.group(1) == "map":
        key, value_type = outer.group(2).split(",")
        result.map_type.key_type = NUMBER[key]
        result.map_type.value_type.CopyFrom(type_proto(value_type))
        return result
    if not outer or outer.group(1) == "tensor":
        result.tensor_type.elem_type = NUMBER[outer.group(2) if outer else word]
    elif outer.group(1) == "seq":
        result.sequence_type.elem_type.CopyFrom(type_proto(outer.group(2)))
    else:
        result.optional_type.elem_type.CopyFrom(type_proto(outer.group(2)))
    return result


def numbers_in(word):
    return [NUMBER[w] for w in re.findall(r"\w+", word) if w in NUMBER]


def tensor(element, dims, count):
    """A tensor of that type whose values are zeros."""
    result = TensorProto(data_type=NUMBER[element], dims=dims)
    if element == "string":
        result.string_data.extend([b"a"] * count)
    else:
        bits = {"double": 64, "int64": 64, "uint64": 64, "complex64": 64, "complex128": 128, "float": 32, "int32": 32, "uint32": 32,
                "float16": 16, "bfloat16": 16, "int16": 16, "uint16": 16, "uint4": 4, "int4": 4, "float4e2m1": 4, "uint2": 2,
                "int2": 2}.get(element, 8)
        result.raw_data = bytes((bits * count + 7) // 8)
    return result


def attribute(name, kind, value):
    field = {"int": "i", "float": "f", "string": "s", "tensor": "t", "graph": "g", "type_proto": "tp"}.get(kind)
    result = AttributeProto(name=name, type=AttributeProto.AttributeType.Value(kind.upper()))
    if field in ("t", "g", "tp"):
        getattr(result, field).CopyFrom(value)
    elif field:
        setattr(result, field, value)
    else:
        getattr(result, kind).extend(value)
    return result


# What attributes are given: those that a schema requires, and some without which kernels can't be made.
VALUES = {"axes": [0], "axis": 0, "consumed_inputs": [0], "blocksize": 2, "direction": b"LEFT", "ends": [1], "starts": [0], "equation": b"i->i", "height_scale": 1.0,
          "width_scale": 1.0, "k": 1, "kernel_shape": [1, 1], "kv_num_heads": 1, "q_num_heads": 1, "max_gram_length": 1,
          "min_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0], "ngram_indexes": [0], "num_groups": 1,
          "num_scan_inputs": 1, "paddings": [0, 0], "pads": [0, 0], "pooled_shape": [1, 1], "scales": [1.0, 1.0, 1.0, 1.0],
          "shape": [1], "size": 1, "alpha": 1.0, "beta": 1.0, "mode": b"standard", "norm_coefficient": 0.0, "hidden_size": 1, "locale": b"C", "pattern": b"a"}
GIVEN = {"hidden_size", "locale", "pattern"}  # Though the schema doesn't ask for it.
OF_OPERATOR = {("TfIdfVectorizer", "mode"): b"TF", ("Upsample", "mode"): b"nearest", ("Pad", "mode"): b"constant"}
# The attribute that chooses the type of a constraint: (operator, constraint) -> attribute. A number, or a tensor of the type.
CHOOSES = {("Cast", "T2"): "to", ("BitCast", "T2"): "to", ("RandomNormal", "T"): "dtype", ("RandomUniform", "T"): "dtype",
           ("RandomNormalLike", "T2"): "dtype", ("RandomUniformLike", "T2"): "dtype", ("Multinomial", "T2"): "dtype",
           ("EyeLike", "T2"): "dtype", ("Bernoulli", "T2"): "dtype", ("ConstantOfShape", "T2"): "value", ("Constant", "T"): "value",
           ("SequenceEmpty", "S"): "dtype", ("BlackmanWindow", "T2"): "output_datatype", ("HannWindow", "T2"): "output_datatype",
           ("HammingWindow", "T2"): "output_datatype", ("MelWeightMatrix", "T3"): "output_datatype",
           ("QuantizeLinear", "T3"): "output_dtype", ("DequantizeLinear", "T3"): "output_dtype"}


def chosen(schema, variable, word):
    name = CHOOSES[schema.name, variable]
    kind = schema.attributes[name][0]
    number = numbers_in(word)[0]
    if kind == "tensor":
        return attribute(name, kind, tensor(ELEMENTS[number - 1], [1], 1))
    if kind == "string":
        return attribute(name, kind, TensorProto.DataType.Name(number).encode())
    return attribute(name, kind, number)


# --- Attributes of ai.onnx.ml, of which kernels want more than schemas do ---

NODES = {"nodes_falsenodeids": [0], "nodes_featureids": [0], "nodes_modes": [b"LEAF"], "nodes_nodeids": [0], "nodes_treeids": [0],
         "nodes_truenodeids": [0], "nodes_values": [0.0]}
TREE = {"leaf_targetids": [0], "nodes_falseleafs": [1], "nodes_falsenodeids": [0], "nodes_featureids": [0], "nodes_trueleafs": [1],
        "nodes_truenodeids": [0], "tree_roots": [0], "n_targets": 1}
LEARNED = {"LinearClassifier": {"coefficients": [1.0, 1.0], "intercepts": [0.0, 0.0]}, "LinearRegressor": {"coefficients": [1.0]},
           "Scaler": {"offset": [0.0], "scale": [1.0]}, "FeatureVectorizer": {"inputdimensions": [1]},
           "CategoryMapper": {"cats_int64s": [1], "cats_strings": [b"a"]},
           "SVMClassifier": {"coefficients": [1.0, 1.0], "support_vectors": [1.0, 1.0], "vectors_per_class": [1, 1], "rho": [0.0],
                             "kernel_params": [0.0, 0.0, 0.0]},
           "SVMRegressor": {"coefficients": [1.0], "support_vectors": [1.0], "n_supports": 1, "rho": [0.0],
                            "kernel_params": [0.0, 0.0, 0.0]},
           "TreeEnsembleClassifier": {**NODES, "class_ids": [0], "class_nodeids": [0], "class_treeids": [0], "class_weights": [1.0]},
           "TreeEnsembleRegressor": {**NODES, "n_targets": 1, "target_ids": [0], "target_nodeids": [0], "target_treeids": [0],
                                     "target_weights": [1.0]},
           "TreeEnsemble": TREE}
LABELS = {"LinearClassifier": "ints", "SVMClassifier": "ints", "TreeEnsembleClassifier": "int64s", "ZipMap": "int64s"}


def table_of(side, word):
    """The keys or the values of a LabelEncoder: a list where there is one for the type, else a tensor."""
    lists = {"string": [b"a"], "int64": [1], "float": [1.0]}
    return (f"{side}_{word}s", lists[word]) if word in lists else (f"{side}_tensor", tensor(word, [1], 1))


def learned(schema, types):
    """Names and values of what the operator has learned."""
    found = dict(LEARNED.get(schema.name, {}))
    words = " ".join(types.values())
    result = types.get("T2", types.get("T", ""))
    if schema.name in LABELS:
        is_text = "string" in result
        found["classlabels_strings" if is_text else f"classlabels_{LABELS[schema.name]}"] = [b"a", b"b"] if is_text else [0, 1]
    elif schema.name == "LabelEncoder" and schema.since == 1:
        found["classes_strings"] = [b"a"]
    elif schema.name == "LabelEncoder":
        found.update(table_of(side, types[kind]) for side, kind in (("keys", "T1"), ("values", "T2")))
        if "default_tensor" in schema.attributes and types["T2"] not in ("string", "int64", "float"):
            found["default_tensor"] = tensor(types["T2"], [1], 1)
    elif schema.name == "OneHotEncoder":
        found.update({"cats_strings": [b"a"]} if words == "string" else {"cats_int64s": [1]})
    elif schema.name == "Imputer":
        found.update({"imputed_value_int64s": [0]} if "int" in words else {"imputed_value_floats": [0.0]})
    elif schema.name == "CastMap":
        found["cast_to"] = b"TO_" + types["T2"].upper().encode()
    elif schema.name == "DictVectorizer":
        found.update({"string_vocabulary": [b"a"]} if types["T1"].startswith("map(string") else {"int64_vocabulary": [1]})
    elif schema.name == "TreeEnsemble":
        found.update({"leaf_weights": tensor(types["T"], [1], 1), "nodes_splits": tensor(types["T"], [1], 1),
                      "nodes_modes": tensor("uint8", [1], 1)})
    return found


def is_possible(schema, types):
    """Whether what comes out of an operator of ai.onnx.ml may have that type."""
    if schema.name == "CategoryMapper" or (schema.name, schema.since) == ("LabelEncoder", 1):
        return types["T1"] != types["T2"]
    return schema.name != "DictVectorizer" or types["T1"].endswith(f",{types['T2']})")


# --- Graphs in attributes ---

def value(name, proto=None):
    result = ValueInfoProto(name=name)
    if proto is not None:
        result.type.CopyFrom(proto)
    return result


def subgraph(name, nodes, inputs, outputs):
    graph = GraphProto(name=name)
    graph.node.extend(nodes)
    graph.input.extend(inputs)
    graph.output.extend(outputs)
    return graph


def branch(name, word):
    """A graph that gives a value of that type, made without a kernel that may be missing."""
    node = NodeProto(output=[name + "_out"])
    if word.startswith("seq("):
        node.op_type = "SequenceEmpty"
        node.attribute.append(attribute("dtype", "int", numbers_in(word)[0]))
    elif word.startswith("optional("):
        node.op_type = "Optional"
        node.attribute.append(attribute("type", "type_proto", type_proto(re.fullmatch(r"optional\((.*)\)", word).group(1))))
    else:
        node.op_type = "Constant"
        node.attribute.append(attribute("value", "tensor", tensor(ELEMENTS[numbers_in(word)[0] - 1], [1], 1)))
    return subgraph(name, [node], [], [value(name + "_out", type_proto(word))])


def body(schema, types):
    """A graph that gives back what it takes."""
    v = type_proto(types["V"] if "V" in types else re.sub(r"^seq\((.*)\)$", r"\1", types["S"]))
    carried = [value("b_cond", type_proto("bool")), value("b_in", v)] if schema.name == "Loop" else [value("b_in", v)]
    return subgraph("body", [], [value("b_i", type_proto("int64"))] * (schema.name == "Loop") + carried, carried)


# --- Models ---

def attributes_of(schema, types):
    if schema.domain == "ai.onnx.ml":
        yield from (attribute(name, schema.attributes[name][0], value) for name, value in sorted(learned(schema, types).items()))
        return
    for name, (kind, required) in sorted(schema.attributes.items()):
        if any(CHOOSES.get((schema.name, v)) == name for v in types):
            continue
        if kind == "graph":
            yield attribute(name, kind, body(schema, types) if name == "body" else branch(name, types["V"]))
        elif (schema.name, name) in OF_OPERATOR:
            yield attribute(name, kind, OF_OPERATOR[schema.name, name])
        elif name == "to" and kind == "string":
            yield attribute(name, kind, b"FLOAT")
        elif name == "value" and schema.name == "Constant":
            yield attribute(name, kind, tensor("float", [1], 1))
        elif required or name in GIVEN or (schema.name, schema.since, name) == ("Reshape", 1, "shape"):
            yield attribute(name, kind, VALUES[name])
    if schema.name == "TfIdfVectorizer":
        yield attribute("pool_strings", "strings", [b"a"]) if types["T"] == "string" else attribute("pool_int64s", "ints", [1])
    if schema.name == "Optional":
        yield attribute("type", "type_proto", type_proto(types.get("V", "float")))
    for variable, word in types.items():
        if (schema.name, variable) in CHOOSES:
            yield chosen(schema, variable, word)


def wanted_inputs(schema, with_optional):
    """Those that are given: all that must be, and with_optional the first of each further constraint."""
    given, seen = [], set()
    for i, (name, kind, options) in enumerate(schema.inputs):
        if "optional" in options and (schema.name, name) not in NEEDED and not (with_optional and kind in schema.types and kind not in seen and kind in only_optional(schema)):
            continue
        if "variadic" in options and "min=0" in options and schema.name != "Loop":
            continue
        seen.add(kind)
        given.append(i)
    return given


# Inputs and outputs of optimizers for one tensor: with its gradient and what is remembered of it.
OPTIMIZERS = {"Adagrad": (3, 2), "Momentum": (3, 2), "Adam": (4, 3)}
# Optional inputs of which kernels need one.
NEEDED = {("Resize", "scales")}


def only_optional(schema):
    always = {kind for _, kind, options in schema.inputs if "optional" not in options}
    return {kind for _, kind, options in schema.inputs if kind not in always and kind in schema.types}


def variables(schema, given):
    """Constraints whose type a model chooses."""
    kinds = [schema.inputs[i][1] for i in given]
    names = [v for v in schema.types if v in kinds or (schema.name, v) in CHOOSES and CHOOSES[schema.name, v] in schema.attributes]
    if schema.domain == "ai.onnx.ml":
        names += schema.types  # What it has learned says what comes out.
    if schema.name == "If":
        names.append("V")
    return list(dict.fromkeys(names))


def make_model(schema, opset, given, types):
    inputs, graph_inputs = [], []
    last = max(given) if given else -1
    for i in range(last + 1):
        name, kind, options = schema.inputs[i]
        if i not in given:
            inputs.append("")
            continue
        inputs.append(f"i{i}")
        graph_inputs.append(value(f"i{i}", type_proto(types.get(kind, kind))))
    outputs = [(f"o{i}", kind) for i, (_, kind, options) in enumerate(schema.outputs) if "optional" not in options or
               (schema.name, schema.since) == ("GRU", 1)] or [("o0", schema.outputs[0][1])]
    if schema.name in OPTIMIZERS:
        taken, made = OPTIMIZERS[schema.name]
        kind = schema.inputs[2][1]
        more = [f"i{i}" for i in range(len(inputs), len(inputs) + taken - 1)]
        graph_inputs += [value(name, type_proto(types[kind])) for name in more]
        inputs += more
        outputs = [(f"o{i}", kind) for i in range(made)]
    node = NodeProto(op_type=schema.name, name="asked", input=inputs, output=[o for o, _ in outputs])
    if schema.domain != "ai.onnx":
        node.domain = schema.domain
    node.attribute.extend(attributes_of(schema, types))
    graph = subgraph("g", [node], graph_inputs, [value(o, type_proto(types[k]) if k in types else None) for o, k in outputs])
    numbers = [n for word in types.values() for n in numbers_in(word)]
    model = ModelProto(ir_version=max([7] + [IR_OF.get(n, 7) for n in numbers]), graph=graph)
    model.opset_import.add(version=opset if schema.domain == "ai.onnx" else OPSET_BESIDE)
    if schema.domain != "ai.onnx":
        model.opset_import.add(domain=schema.domain, version=opset)
    return model


def opsets_of(schema, others):
    """All for operators with a body made of others, whose versions change; else the old ones, for which casts differ, and the last."""
    last = schema.until(others)
    return range(schema.since, last + 1) if schema.is_function else sorted({*range(schema.since, min(last, 8) + 1), schema.since, last})


def models(schemas):
    for name in sorted(schemas):
        for schema in schemas[name]:
            if schema.is_deprecated or name == "Gradient":  # What it works on is another graph.
                continue
            sets = [wanted_inputs(schema, False)]
            full = wanted_inputs(schema, True)
            if full != sets[0]:
                sets.append(full)
            for opset, given in itertools.product(opsets_of(schema, schemas[name]), sets):
                names = variables(schema, given)
                for words in itertools.product(*(schema.types[v] for v in names)):
                    types = dict(zip(names, words))
                    if schema.domain == "ai.onnx.ml" and not is_possible(schema, types):
                        continue
                    if any(re.search("sparse" if schema.domain == "ai.onnx.ml" else "map|sparse", w) for w in words):
                        continue
                    key = {"op": name, "since": schema.since, "opset": opset, "inputs": len(given), "types": types}
                    try:
                        yield key, make_model(schema, opset, given, types)
                    except (KeyError, ValueError) as error:
                        sys.exit(f"{key}: {error!r}")


def main():
    count = 0
    with open(sys.argv[2], "wb") as out:
        for key, model in models(read_schemas(sys.argv[1], *sys.argv[3:4])):
            text, content = json.dumps(key).encode(), model.SerializeToString()
            out.write(struct.pack("<I", len(text)) + text + struct.pack("<I", len(content)) + content)
            count += 1
    print(count, "models")


if __name__ == "__main__":
    main()
