// ONNX texts and binary models of which onnx 1.20 was asked: an error exactly where its parser or its checker (full_check)
// refuses. What sessions of onnxruntime say of some is there, too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';

const { texts, models, loaded } = JSON.parse(readFileSync(join(root, 'tests/corpus/onnx/verdicts.json'), 'utf8'));

/** What shows in files beside the text. */
const unseen = new Set(['external']);

/** The names of files with an error. */
function refused(files, ...flags) {
  return withFolder(files, (cwd) => {
    const names = Object.keys(files);
    const { out } = onnxls(['check', ...names, '--format', 'json', ...flags], { cwd });
    const { diagnostics, files: entries } = JSON.parse(out);
    assert.equal(entries.length, names.length);
    return new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ file }) => file.replace(/^\.\//, '')));
  });
}

test('errors are where onnx refuses a text', async () => {
  const found = await refused(Object.fromEntries(texts.map(({ name, text }) => [`${name}.onnxtxt`, text])));
  const wrong = texts.filter(({ name, says }) => found.has(`${name}.onnxtxt`) !== (says !== '') && !unseen.has(name));
  assert.deepEqual(wrong.map(({ name, says }) => `${name}: ${says}`), []);
  const late = texts.filter(({ name }) => unseen.has(name) && found.has(`${name}.onnxtxt`));
  assert.deepEqual(late.map(({ name }) => name), [], 'no longer unseen');
});

test('errors are where onnx refuses a binary model', async () => {
  const found = await refused(Object.fromEntries(models.map(({ name, base64 }) => [`${name}.onnx`, Buffer.from(base64, 'base64')])));
  const wrong = models.filter(({ name, says }) => found.has(`${name}.onnx`) !== (says !== ''));
  assert.deepEqual(wrong.map(({ name, says }) => `${name}: ${says}`), []);
});

test('errors for a runtime are where its session refuses a model', async () => {
  const fileOf = ({ name, text }) => text === undefined ? `${name}.onnx` : `${name}.onnxtxt`;
  const files = Object.fromEntries(loaded.map((each) => [fileOf(each), each.text ?? Buffer.from(each.base64, 'base64')]));
  for (const runtime of new Set(loaded.flatMap(({ sessions }) => Object.keys(sessions)))) {
    const found = await refused(files, '--runtime', runtime);
    const wrong = loaded.filter((each) => found.has(fileOf(each)) !== (each.sessions[runtime] !== ''));
    assert.deepEqual(wrong.map(({ name, sessions }) => `${name}: ${sessions[runtime]}`), [], runtime);
  }
});
