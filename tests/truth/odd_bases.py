# Good models in which something rare is used, for odd_models.py: texts as onnx's parser takes them.

HEAD = '<ir_version: {ir}, opset_import: [{imports}]>\n'

# Name, opset, IR version, other imports, text.
BASES = [
    ('relu', 17, 8, '', '''g (float[2, 3] x) => (float[2, 3] y) <float[2, 3] m> {
  m = Relu(x)
  y = Neg(m)
}'''),
    ('weights', 18, 9, '', '''g (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {1, 2}, int64[2] s = {-1, 2}, float[N, 2] h, float[N, 2] a> {
  h = MatMul(x, w)
  a = Add(h, b)
  y = Reshape(a, s)
}'''),
    ('conv', 13, 7, '', '''g (float[1, 1, 5, 5] x) => (float[1, 2, 3, 3] y) <float[2, 1, 3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}> {
  c = Conv <kernel_shape = [3, 3]> (x, w)
  y = Relu(c)
}'''),
    ('sequence', 17, 8, '', '''g (float[2, 3] x, float[2, 3] z, int64 i) => (seq(float[2, 3]) s, float[2, 3] y, int64 n) {
  s = SequenceConstruct(x, z)
  y = SequenceAt(s, i)
  n = SequenceLength(s)
}'''),
    ('split', 18, 8, '', '''g (float[4, 3] x) => (seq(float[]) s, float[] y) {
  s = SplitToSequence <axis = 0> (x)
  e = SequenceEmpty <dtype = 1> ()
  t = SequenceInsert(e, x)
  y = ConcatFromSequence <axis = 0> (t)
}'''),
    ('optional', 18, 8, '', '''g (optional(float[2]) o, float[2] x) => (bool h, float[2] y, optional(float[2]) p) {
  h = OptionalHasElement(o)
  y = OptionalGetElement(o)
  p = Optional(x)
}'''),
    ('map', 17, 8, ', "ai.onnx.ml": 3', '''g (float[1, 3] x) => (seq(map(int64, float)) y) {
  y = ai.onnx.ml.ZipMap <classlabels_int64s = [0, 1, 2]> (x)
}'''),
    ('vector', 17, 8, ', "ai.onnx.ml": 3', '''g (map(string, float) x) => (float[1, 2] y) {
  y = ai.onnx.ml.DictVectorizer <string_vocabulary = ["a", "b"]> (x)
}'''),
    ('trees', 17, 8, ', "ai.onnx.ml": 3', '''g (float[N, 2] x) => (float[N, 1] y) {
  y = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0],
    nodes_values = [0.5, 0.0, 0.0], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0],
    target_treeids = [0, 0], target_nodeids = [1, 2], target_ids = [0, 0], target_weights = [1.0, 2.0]> (x)
}'''),
    ('classes', 17, 8, ', "ai.onnx.ml": 3', '''g (float[N, 2] x) => (int64[N] l, float[N, 2] p) {
  l, p = ai.onnx.ml.LinearClassifier <coefficients = [1.0, 2.0, 3.0, 4.0], intercepts = [0.0, 1.0], classlabels_ints = [0, 1], post_transform = "SOFTMAX"> (x)
}'''),
    ('labels', 17, 8, ', "ai.onnx.ml": 2', '''g (string[N] x) => (int64[N] y) {
  y = ai.onnx.ml.LabelEncoder <keys_strings = ["a", "b"], values_int64s = [1, 2], default_int64 = -1> (x)
}'''),
    ('scaler', 17, 8, ', "ai.onnx.ml": 1', '''g (float[N, 2] x) => (float[N, 2] y) {
  y = ai.onnx.ml.Scaler <offset = [0.0, 1.0], scale = [1.0, 2.0]> (x)
}'''),
    ('gelu', 17, 8, ', "com.microsoft": 1', '''g (float[2, 4] x, float[4] b) => (float[2, 4] y) {
  y = com.microsoft.BiasGelu(x, b)
}'''),
    ('fused', 17, 8, ', "com.microsoft": 1', '''g (float[2, 4] x) => (float[2, 3] y) <float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}> {
  y = com.microsoft.FusedMatMul <alpha = 0.5, transA = 0> (x, w)
}'''),
    ('skip', 17, 8, ', "com.microsoft": 1', '''g (float[1, 2, 4] x, float[1, 2, 4] s, float[4] g, float[4] b) => (float[1, 2, 4] y) {
  y = com.microsoft.SkipLayerNormalization <epsilon = 0.00001> (x, s, g, b)
}'''),
    ('if', 17, 8, '', '''g (bool c, float[2] x) => (float[2] y) {
  y = If (c) <then_branch = t () => (float[2] a) { a = Relu(x) }, else_branch = e () => (float[2] b) { b = Neg(x) }>
}'''),
    ('loop', 17, 8, '', '''g (int64 n, bool c, float[2] x) => (float[2] y, float[K, 2] z) {
  y, z = Loop (n, c, x) <body = b (int64 i, bool k, float[2] v) => (bool k2, float[2] w, float[2] o) { k2 = Identity(k) w = Relu(v) o = Add(v, x) }>
}'''),
    ('scan', 17, 8, '', '''g (float[2] s, float[5, 2] x) => (float[2] t, float[5, 2] y) {
  t, y = Scan <num_scan_inputs = 1, body = b (float[2] v, float[2] e) => (float[2] w, float[2] o) { w = Add(v, e) o = Identity(w) }> (s, x)
}'''),
    ('nested', 18, 9, '', '''g (bool c, int64 n, float[2] x) => (float[2] y) {
  y = If (c) <then_branch = t () => (float[2] a) { a = Loop (n, c, x) <body = b (int64 i, bool k, float[2] v) => (bool k2, float[2] w) { k2 = Identity(k) w = Relu(v) }> },
    else_branch = e () => (float[2] b) { b = Neg(x) }>
}'''),
    ('function', 17, 8, ', "local": 1', '''g (float[2] x) => (float[2] y) {
  y = local.leaky <alpha = 0.5> (x)
}
<domain: "local", opset_import: ["": 17]>
leaky <alpha> (a) => (b) {
  b = LeakyRelu <alpha: float = @alpha> (a)
}'''),
    ('default', 17, 9, ', "local": 1', '''g (float[2] x) => (float[2] y) {
  h = local.leaky(x)
  y = local.leaky <alpha = 0.25> (h)
}
<domain: "local", opset_import: ["": 17]>
leaky <alpha: float = 0.5> (a) => (b) {
  b = LeakyRelu <alpha: float = @alpha> (a)
}'''),
    ('deep', 17, 8, ', "local": 1', '''g (float[2] x, bool c) => (float[2] y) {
  y = local.outer <k = 0.5> (x, c)
}
<domain: "local", opset_import: ["": 17, "local": 1]>
outer <k> (a, c) => (b) {
  b = If (c) <then_branch = t () => (d) { d = LeakyRelu <alpha: float = @k> (a) }, else_branch = e () => (f) { f = local.inner(a) }>
}
<domain: "local", opset_import: ["": 17]>
inner (a) => (b) {
  z = Constant <value_float = 1.0> ()
  b = Add(a, z)
}'''),
    ('quantized', 19, 9, '', '''g (float[2, 4] x) => (float[2, 4] y) <float s = {0.5}, uint8 z = {3}> {
  q = QuantizeLinear(x, s, z)
  y = DequantizeLinear(q, s, z)
}'''),
    ('int4', 21, 10, '', '''g (float[2, 4] x) => (float[2, 4] y) <float s = {0.5}> {
  q = QuantizeLinear <output_dtype = 22> (x, s)
  y = DequantizeLinear(q, s)
}'''),
    ('float8', 19, 9, '', '''g (float[4] x) => (float[4] y) <float s = {0.5}> {
  q = Cast <to = 17> (x)
  y = DequantizeLinear(q, s)
}'''),
    ('strings', 20, 9, '', '''g (string[N] x) => (string[N] y, string[N, M] p, int64[N] k) {
  y = StringConcat(x, x)
  p, k = StringSplit <delimiter = ","> (x)
}'''),
    ('training', 17, 8, ', "ai.onnx.preview.training": 1', '''g (float r, int64 t, float[2] x, float[2] d, float[2] v) => (float[2] y, float[2] w) {
  y, w = ai.onnx.preview.training.Momentum <alpha = 0.9, beta = 1.0, mode = "standard", norm_coefficient = 0.0> (r, t, x, d, v)
}'''),
    ('constants', 17, 8, '', '''g (float[2, 3] x) => (float[3, 2] y) {
  s = Constant <value_ints = [3, 2]> ()
  y = Reshape(x, s)
}'''),
    ('map_sequence', 17, 8, '', '''g (seq(float[2]) s) => (seq(float[2]) y) {
  y = SequenceMap (s) <body = b (float[2] e) => (float[2] o) { o = Relu(e) }>
}'''),
]


def texts():
    for name, opset, ir, others, text in BASES:
        yield name, HEAD.format(ir=ir, imports=f'"": {opset}{others}') + text
