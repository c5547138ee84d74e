// ONNX texts of which onnx 1.20 was asked: an error exactly where its parser or its checker (full_check) refuses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';

const { texts } = JSON.parse(readFileSync(join(root, 'tests/corpus/onnx/verdicts.json'), 'utf8'));

/** What shows in files beside the model, and in the bodies of functions when they are called. */
const unseen = new Set(['external', 'fn_type_err_in_body', 'fn_shape_err_in_body', 'fn_shape_merge', 'fn_few_in']);

test('errors are where onnx refuses', () => {
  const files = Object.fromEntries(texts.map(({ name, text }) => [`${name}.onnxtxt`, text]));
  return withFolder(files, (cwd) => {
    const { out } = onnxls(['check', '.', '--format', 'json'], { cwd });
    const { diagnostics, files: entries } = JSON.parse(out);
    assert.equal(entries.length, texts.length);
    const refused = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ file }) => file.replace(/^\.\//, '')));
    const wrong = texts.filter(({ name, says }) => refused.has(`${name}.onnxtxt`) !== (says !== '') && !unseen.has(name));
    assert.deepEqual(wrong.map(({ name, says }) => `${name}: ${says}`), []);
    const late = texts.filter(({ name }) => unseen.has(name) && refused.has(`${name}.onnxtxt`));
    assert.deepEqual(late.map(({ name }) => name), [], 'no longer unseen');
  });
});
