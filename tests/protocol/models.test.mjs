// Binary models as documents: workspace/textDocumentContent, what features make of that text, and the way to the source.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onnxls } from '../cli/onnxls.mjs';
import { withServerNow } from './client.mjs';

const corpus = join(dirname(fileURLToPath(import.meta.url)), '../corpus/onnx');

/** Calls `work(folder)` with a new folder that goes away again. */
async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-models-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const modelUri = (path) => pathToFileURL(path).href.replace(/^file:/, 'onnxls-model:');

test('the text of a model, and features on it', () => withFolder((folder) => withServerIn(folder, async (server) => {
  const path = join(folder, 'a model.onnx');
  copyFileSync(join(corpus, 'cond.onnx'), path);
  writeFileSync(join(folder, 'gen2.py'), 'import torch\n'.repeat(500));
  const uri = modelUri(path);
  const { text } = await server.request('workspace/textDocumentContent', { uri });
  assert.equal(text, onnxls(['show', path]).out);
  server.didOpen(uri, text, { languageId: 'onnx-text' });
  assert.deepEqual((await server.diagnostics(uri, 1)).diagnostics.filter(({ severity }) => severity === 1), []);
  const lines = text.split('\n');
  const node = lines.findIndex((line) => line.includes('sum_1 = ReduceSum'));
  const textDocument = { uri };
  const hover = await server.request('textDocument/hover', { textDocument, position: { line: node, character: lines[node].indexOf('ReduceSum') + 2 } });
  assert.match(hover.contents.value, /ReduceSum/);
  assert.ok((await server.request('textDocument/documentSymbol', { textDocument })).length > 0);
  assert.ok((await server.request('textDocument/foldingRange', { textDocument })).length > 0);
  // From the node, and from the comment above it, to the line of the stack trace.
  const comment = lines.findIndex((line) => line.includes('stack_trace: File "/home/gen2.py"'));
  const links = (await server.request('textDocument/documentLink', { textDocument })).filter(({ range }) => range.start.line === comment);
  assert.equal(links.length, 1);
  assert.equal(links[0].target, `${pathToFileURL(join(folder, 'gen2.py')).href}#L434,1`);
  for (const [line, character] of [[node, lines[node].indexOf('ReduceSum')], [comment, lines[comment].indexOf('gen2.py')]]) {
    const [place] = [await server.request('textDocument/definition', { textDocument, position: { line, character } })].flat();
    assert.equal(place.targetUri ?? place.uri, pathToFileURL(join(folder, 'gen2.py')).href);
    assert.equal((place.targetRange ?? place.range).start.line, 433);
  }
})));

function withServerIn(folder, work) {
  return withServerNow({ initialize: { rootUri: pathToFileURL(folder).href,
    initializationOptions: { pathMappings: [{ from: '/home', to: folder }] } } }, work);
}

test('what can\'t be shown is told in the text', () => withFolder((folder) => withServerIn(folder, async (server) => {
  const ask = async (name) => (await server.request('workspace/textDocumentContent', { uri: modelUri(join(folder, name)) })).text;
  writeFileSync(join(folder, 'lfs.onnx'), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
  assert.match(await ask('lfs.onnx'), /^# .*LFS/);
  assert.match(await ask('gone.onnx'), /^# .*No such file/);
  assert.match((await server.request('workspace/textDocumentContent', { uri: 'https://example.com/x.onnx' })).text, /^# /);
  await server.refuses(-32602, 'workspace/textDocumentContent', {});
})));

test('formatting: one edit of the lines that change, and none for what onnx can\'t read', () => withServerNow({}, async (server) => {
  const ask = (uri) => server.request('textDocument/formatting', { textDocument: { uri }, options: { tabSize: 4, insertSpaces: true } });
  const text = '<\n   ir_version: 8,\n   opset_import: ["" : 17]\n>\ng (float[2] x) => (float[2] y) {\n t=Neg(x)\n   y = Relu (t)\n}\n';
  server.didOpen('file:///m.onnxtxt', text, { languageId: 'onnx-text' });
  assert.deepEqual(await ask('file:///m.onnxtxt'), [{
    range: { start: { line: 5, character: 0 }, end: { line: 6, character: 0 } }, newText: '   t = Neg (x)\n',
  }]);
  server.didChange('file:///m.onnxtxt', 2, { text: text.replace(' t=Neg(x)', '   t = Neg (x)') });
  assert.deepEqual(await ask('file:///m.onnxtxt'), []);
  server.didChange('file:///m.onnxtxt', 3, { text: text.replace('y) {', 'y {') });
  assert.deepEqual(await ask('file:///m.onnxtxt'), []);
  server.didOpen('file:///g.torchir', 'graph(%x : Float(2)):\n  return (%x)\n', { languageId: 'torch-ir' });
  assert.deepEqual(await ask('file:///g.torchir'), []);
}));

test('completion in ONNX text', () => withServerNow({}, async (server) => {
  const uri = 'file:///m.onnxtxt';
  const head = '<ir_version: 8, opset_import: ["" : 12]>\ng (float[2] x, float[2] "w.1") => (float[2] y) {\n  t = Neg (x)\n';
  let version = 1;
  server.didOpen(uri, head, { languageId: 'onnx-text' });
  const ask = async (line) => {
    server.didChange(uri, ++version, { text: `${head}${line}\n}\n` });
    const answer = await server.request('textDocument/completion', { textDocument: { uri }, position: { line: 3, character: line.length } });
    return new Map((answer?.items ?? answer ?? []).map((item) => [item.label, item]));
  };
  const operators = await ask('  y = So');
  assert.match(operators.get('Softmax').detail, /^\(/);
  assert.match(operators.get('GroupNormalization').detail, /^needs opset 18/);
  const attributes = await ask('  y = Concat <a');
  assert.deepEqual([...attributes.keys()], ['axis']);
  assert.deepEqual([attributes.get('axis').textEdit?.newText ?? attributes.get('axis').insertText, attributes.get('axis').detail],
    ['axis: int = ', 'int, required']);
  assert.deepEqual([...(await ask('  y = Gemm <alpha: float = 1.0, ')).keys()].sort(), ['beta', 'transA', 'transB']);
  assert.deepEqual([...(await ask('  y = Gemm <alpha: ')).keys()], ['float']);
  const values = await ask('  y = Add (');
  assert.deepEqual([...values.keys()].slice(0, 3), ['t', 'x', 'w.1']);
  assert.equal(values.get('w.1').textEdit?.newText ?? values.get('w.1').insertText, '"w.1"');
  assert.ok((await ask('  h (')).has('float16'));
  for (const line of ['  # y = ', '  y = Add (x, "', '  ', '  y'])
    assert.equal((await ask(line)).size, 0, line);
}));
