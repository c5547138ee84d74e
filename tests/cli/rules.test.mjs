// `onnxls rules`, the choice of rules for a run, and what is said to somebody who mistypes a word.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/rules.schema.json'), 'utf8'));
const names = [...readFileSync(join(root, 'server/core/rules.def'), 'utf8').matchAll(/^RULE\(\w+, "([\w-]+)", SEVERITY_(\w+)/gm)];

function rules(...args) {
  const { code, out, err } = onnxls(['rules', '--format', 'json', ...args]);
  assert.equal(code, 0, err);
  const answer = JSON.parse(out);
  assert.equal(mismatch(schema, answer), null);
  return answer.rules;
}

test('rules lists every rule with its severity', () => {
  assert.deepEqual(rules().map(({ name, severity }) => [name, severity.toUpperCase()]), names.map(([, name, severity]) => [name, severity]));
  const { code, out } = onnxls(['rules']);
  assert.equal(code, 0);
  assert.equal(out.trimEnd().split('\n').length, names.length);
  assert.match(out, /^unsupported-op +error +The exporter can't convert/m);
});

test('rules are chosen by a word of the name or the summary, a severity and a language', () => {
  assert.deepEqual(rules('unused-v').map((rule) => rule.name), ['unused-value']);
  assert.ok(rules('comment that switches').some((rule) => rule.name === 'unused-suppression'));
  const hints = rules('--severity', 'hint');
  assert.ok(hints.length > 2 && hints.every((rule) => rule.severity === 'hint'));
  const fx = rules('--language', 'fx-graph').map((rule) => rule.name);
  assert.ok(fx.includes('undefined-value') && fx.includes('refused-call') && !fx.includes('parameter-count'));
});

test('a word that no rule has gets the nearest', () => {
  const { code, out, err } = onnxls(['rules', 'unsuported-op']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /did you mean 'unsupported-op'\?/);
  assert.match(onnxls(['rules', '--language', 'torchir']).err, /did you mean 'torch-ir'\?/);
});

const dump = `graph(%x : Tensor):
  %y : Tensor = aten::lgamma(%x)
  %w : Tensor = aten::relu(%z)
  return (%y)
`;

/** Names of the rules that speak of the dump. */
function found(cwd, ...flags) {
  const { out, err } = onnxls(['check', 'a.torchir', '--format', 'jsonl', ...flags], { cwd });
  assert.notEqual(out, '', err);
  return out.trimEnd().split('\n').map((line) => JSON.parse(line).rule).filter(Boolean).sort();
}

test('--select asks only these rules, --ignore all but these', () => withFolder({ 'a.torchir': dump }, (cwd) => {
  assert.deepEqual(found(cwd), ['undefined-value', 'unsupported-op', 'unused-value']);
  assert.deepEqual(found(cwd, '--select', 'unsupported-op'), ['unsupported-op']);
  assert.deepEqual(found(cwd, '--select', 'unsupported-op, unused-value', '--select', 'syntax'), ['unsupported-op', 'unused-value']);
  assert.deepEqual(found(cwd, '--ignore', 'unsupported-op'), ['undefined-value', 'unused-value']);
  assert.deepEqual(found(cwd, '--select', 'unsupported-op,unused-value', '--ignore', 'unused-value'), ['unsupported-op']);
  assert.equal(onnxls(['check', 'a.torchir', '--select', 'unused-value'], { cwd }).code, 0);
}));

test('--select wins over a setting that switches the rule off, and keeps a severity that it gives', () => withFolder({
  'a.torchir': dump, '.onnxls.json': '{"rules":{"unsupported-op":"off","unused-value":"error"}}',
}, (cwd) => {
  assert.deepEqual(found(cwd), ['undefined-value', 'unused-value']);
  assert.deepEqual(found(cwd, '--select', 'unsupported-op'), ['unsupported-op']);
  assert.equal(onnxls(['check', 'a.torchir', '--select', 'unused-value'], { cwd }).code, 1);
}));

test('rules that are not asked leave comments alone', () => withFolder({
  'a.torchir': 'graph(%x : Tensor):\n  %y : Tensor = aten::lgamma(%x) # onnxls: ignore[unsupported-op]\n  return (%y)\n',
}, (cwd) => {
  assert.deepEqual(found(cwd, '--ignore', 'unsupported-op'), []);
  assert.deepEqual(found(cwd, '--select', 'unused-suppression'), []);
}));

test('a rule that is none is refused with the nearest', () => withFolder({ 'a.torchir': dump }, (cwd) => {
  for (const flag of ['--select', '--ignore']) {
    const { code, out, err } = onnxls(['check', 'a.torchir', flag, 'syntax,unsuported-op'], { cwd });
    assert.deepEqual([code, out], [2, '']);
    assert.equal(err, `onnxls check: ${flag} names 'unsuported-op', which is not a rule; did you mean 'unsupported-op'?\n`);
  }
  assert.match(onnxls(['check', 'a.torchir', '--select', ''], { cwd }).err, /onnxls rules lists them/);
}));

test('a misspelt rule in the settings gets the nearest', () => withFolder({
  'a.torchir': dump, '.onnxls.json': '{"rules":{"unsuported-op":"off"}}',
}, (cwd) => {
  const { code, err } = onnxls(['check', 'a.torchir'], { cwd });
  assert.equal(code, 2);
  assert.match(err, /"unsuported-op", which is not a rule; did you mean "unsupported-op"\?\n/);
}));

test('a file instead of a command gets the command', () => withFolder({ 'a.torchir': dump, 'm.onnx': '' }, (cwd) => {
  assert.deepEqual(onnxls(['a.torchir'], { cwd }),
                   { code: 2, out: '', err: "onnxls: 'a.torchir' is a file and no command; did you mean: onnxls check a.torchir\n" });
  assert.match(onnxls(['m.onnx'], { cwd }).err, /onnxls show m\.onnx$/m);
  assert.match(onnxls(['.'], { cwd }).err, /onnxls check \.$/m);
  assert.match(onnxls(['chekc'], { cwd }).err, /did you mean 'check'\?/);
}));

test('-v is --version', () => {
  assert.deepEqual(onnxls(['-v']), onnxls(['--version']));
});

test('explain knows attributes as g.op() spells them', () => {
  const page = (word) => onnxls(['explain', word]).out;
  assert.equal(page('Elu.alpha_f'), page('Elu.alpha'));
  assert.equal(page('alpha_f'), page('alpha'));
  assert.equal(page('axes_i'), page('axes'));
  const { code, out, err } = onnxls(['explain', 'dims_i']);
  assert.equal(code, 0);
  assert.equal(out, page('_i'));
  assert.match(err, /no operator of ONNX has an attribute 'dims'/);
  assert.equal(onnxls(['explain', 'alpha_q']).code, 2);
});
