import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onnxls, withFolder } from './onnxls.mjs';

const corpus = join(dirname(fileURLToPath(import.meta.url)), '../corpus/onnx_ir');
const texts = Object.fromEntries(readdirSync(corpus).map((file) => [file, readFileSync(join(corpus, file), 'utf8')]));

function findings(cwd, ...flags) {
  return JSON.parse(onnxls(['check', '--format', 'json', '--exit-zero', '--max-diagnostics', '0', ...flags, '.'], { cwd }).out).diagnostics;
}

test('nothing is wrong with real prints of onnx_ir', () => withFolder(texts, (cwd) => {
  assert.deepEqual(findings(cwd), []);
  assert.ok(Object.keys(texts).length >= 7);
}));

// Each node of the text, one at a time, gets another operator: one error at each says that all of them are read.
test('every node of real prints is judged', () => {
  const changed = {};
  for (const [file, text] of Object.entries(texts)) {
    const lines = text.split('\n');
    lines.forEach((line, i) => {
      if (/⬅️ ::\w/.test(line))
        changed[`${file}.${i + 1}.onnxir`] = lines.map((other, k) => (k === i ? line.replace(/⬅️ ::/, '⬅️ ::Nope') : other)).join('\n');
    });
  }
  return withFolder(changed, (cwd) => {
    const wrong = findings(cwd).filter(({ rule }) => rule === 'unknown-onnx-op');
    assert.deepEqual(wrong.map(({ file, line }) => file.endsWith(`.${line}.onnxir`)), wrong.map(() => true));
    assert.equal(wrong.length, Object.keys(changed).length);
    assert.ok(wrong.length > 100);
  });
});

test('runtimes and operators of a print', () => withFolder(texts, (cwd) => {
  const refused = findings(cwd, '--runtime', 'onnxruntime 1.12').filter(({ rule }) => rule === 'runtime-refuses-model');
  assert.ok(refused.some(({ file, message }) => file.includes('cond') && /opset 20; 17 is the newest/.test(message)));
  assert.match(onnxls(['ops', 'cond.dynamo.onnxir'], { cwd }).out, /a model of opset 20[\s\S]*onnx::ReduceSum +1 /);
}));
