import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';

const corpus = join(root, 'tests/corpus/onnx');
const format = (text) => onnxls(['fmt', '-'], { input: text });
const bare = (text) => text.replace(/\s+/g, '');

const untidy = `<ir_version:8,opset_import:["":17,"my.dom" : 1],
  metadata_props:["key" : "v a l"]>
# about the graph
g(float[N,  3]x,seq( float [2])s)=>(float[N,3]y)<float[3]w={1,
 2,3},  # three of them
int64[1] k={7}>{
  [a]t=my.dom.Op:v2<axis:int=1,list=[1,2 ,3],g = b()=>(float z){z=Constant<value=float{1.5}>()
  }>(x , ,w)   # trailing


  # alone
  y,_u=Split(t)<axis=-1>
}
<domain:"my.dom",opset_import:["":17]>
f<alpha,beta:float=1.0>(x)=>(y){y=Relu(x)}
`;

const tidy = `<
   ir_version: 8,
   opset_import: ["" : 17, "my.dom" : 1],
   metadata_props: ["key": "v a l"]
>
# about the graph
g (float[N,3] x, seq(float[2]) s) => (float[N,3] y)
<
   float[3] w = {1, 2, 3},  # three of them
   int64[1] k = {7}
> {
   [a] t = my.dom.Op:v2 <axis: int = 1, list = [1, 2, 3], g = b () => (float z) {
      z = Constant <value = float {1.5}> ()
   }> (x,, w)  # trailing

   # alone
   y, _u = Split (t) <axis = -1>
}

<
   domain: "my.dom",
   opset_import: ["" : 17]
>
f <alpha, beta: float = 1.0> (x) => (y) {
   y = Relu (x)
}
`;

test('one layout, comments and all', () => {
  const { code, out, err } = format(untidy);
  assert.deepEqual([code, err], [0, '']);
  assert.equal(out, tidy);
});

test('what has the layout stays, and only white space changes', () => {
  const texts = readdirSync(corpus).filter((name) => name.endsWith('.txt')).map((name) => readFileSync(join(corpus, name), 'utf8'));
  for (const text of [tidy, untidy, ...texts]) {
    const { code, out } = format(text);
    if (code === 2)  // Not for onnx's parser either.
      continue;
    assert.equal(bare(out), bare(text));
    assert.equal(format(out).out, out);
  }
  for (const name of ['cond.txt', 'if_script.txt', 'sequence.txt']) {  // As `show` prints them.
    const text = readFileSync(join(corpus, name), 'utf8');
    assert.equal(format(text).out, text, name);
  }
});

test('files: printed, checked, written', () => withFolder({ 'a.onnxtxt': untidy, 'b.onnxtxt': tidy, 'bad.onnxtxt': tidy.replace('=> (float[N,3] y)', '=> (y'),
  'dump.torchir': 'graph(%x : Float(2)):\n  return (%x)\n' }, (cwd) => {
  assert.equal(onnxls(['fmt', 'a.onnxtxt'], { cwd }).out, tidy);
  const checked = onnxls(['fmt', '--check', 'a.onnxtxt', 'b.onnxtxt'], { cwd });
  assert.deepEqual([checked.code, checked.out, checked.err], [1, '', 'onnxls: a.onnxtxt: has another layout\n']);
  assert.equal(onnxls(['fmt', '--write', 'a.onnxtxt', 'b.onnxtxt'], { cwd }).code, 0);
  assert.equal(readFileSync(join(cwd, 'a.onnxtxt'), 'utf8'), tidy);
  assert.equal(onnxls(['fmt', '--check', 'a.onnxtxt'], { cwd }).code, 0);
  for (const name of ['bad.onnxtxt', 'dump.torchir', 'gone.onnxtxt']) {
    const { code, out, err } = onnxls(['fmt', '--write', name], { cwd });
    assert.deepEqual([code, out], [2, ''], name);
    assert.match(err, /\S/);
  }
  writeFileSync(join(cwd, 'm.onnx'), readFileSync(join(corpus, 'cond.onnx')));
  assert.equal(onnxls(['fmt', 'm.onnx'], { cwd }).code, 2);
  assert.equal(onnxls(['fmt'], { cwd }).code, 2);
}));

test('a model under another name is read as one', () => withFolder({}, (cwd) => {
  const bytes = readFileSync(join(corpus, 'cond.onnx'));
  for (const name of ['m.onnx', 'm.pb', 'm.bin', 'm.ort', 'model'])
    writeFileSync(join(cwd, name), bytes);
  const says = (name) => onnxls(['check', name], { cwd }).out.replaceAll(name, '');
  for (const name of ['m.pb', 'm.bin', 'm.ort', 'model']) {
    assert.equal(says(name), says('m.onnx'), name);
    assert.match(onnxls(['diff', 'm.onnx', name], { cwd }).out, /^no difference/, name);
    assert.equal(onnxls(['show', name], { cwd }).code, 0, name);
  }
}));
