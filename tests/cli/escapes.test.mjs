// Nothing that is in a file, a name or an argument does anything to a terminal: no control characters, and no marks
// that turn the order of text around.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const evil = 'A\x1b[31mB\x07C\u202eD\u2066E\x9b1mF\u2028G\x7f';
const graph = `graph(%x : Tensor):
  %y : Tensor = aten::mul(%x, %z${evil}) # ${evil}.py:1:0
  %z : Tensor = my::${evil}(%x), scope: ${evil}
  return (%y)
`;
const facts = { version: 1, torch: [{ version: '2.14', torchscript: { [`my::${evil}`]: [9] } }], sources: [evil] };

const isHarmless = (text) => !/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/.test(text);

/** Runs it, and wants something to have been said. */
function assertHarmless(args, options = {}) {
  const { out, err } = onnxls(args, options);
  const what = JSON.stringify(args);
  assert.ok(isHarmless(out), `${what} on standard output: ${JSON.stringify(out)}`);
  assert.ok(isHarmless(err), `${what} on standard error: ${JSON.stringify(err)}`);
  assert.ok(out.length + err.length > 0, what);
}

const gone = `gone${evil}`;
const name = `g${evil}.torchir`;

for (const [what, lines] of Object.entries({
  'words of the command line': [
    [evil], ['help', evil], [`--${evil}`], ['check'], ['check', `--${evil}`, '-'], ['check', '--format', evil, '-'],
    ['check', '--opset', evil, '-'], ['check', '--torch', evil, '-'], ['check', '--exporter', evil, '-'],
    ['explain', evil], ['explain', `aten::${evil}`], ['explain', `${evil}::add`], ['explain', 'Add', evil],
    ['explain', 'Add', '--torch', evil], ['db', evil], ['db', 'list', evil], ['db', 'diff', evil, 'torch-2.6'],
    ['db', 'import', '--python', evil], ['show', '--graph', evil, gone], ['why', `--${evil}`], ['ops', `--${evil}`],
    ['serve', `--pipe=/nowhere/${evil}`], ['serve', `--socket=${evil}`], ['serve', evil],
    ['serve', `--log-file=/nowhere/${evil}`, '--pipe=/nowhere/p'],
  ],
  'names of files': [
    ...['check', 'ops', 'show', 'why'].flatMap((command) => [[command, gone], [command, name]]),
    ['check', '--fix', name], ['check', '--diff', name], ['check', '-', '--stdin-filename', evil],
    ['check', '--color', 'never', '--show-source', name], ['check', '--format', 'github', name], ['check', `d${evil}`],
  ],
}))
  test(what, () => withFolder({ [name]: graph, [`d${evil}/b`]: '' }, (cwd) => {
    for (const args of lines)
      assertHarmless(args, { cwd, input: graph });
  }));

test('what texts hold', () => withFolder({ 'a.torchir': graph, 'p.py': `import onnx\nx = "${evil}" +\n` }, (cwd) => {
  for (const command of [['check', '--show-source'], ['check', '--severity', 'hint'], ['check', '--diff'], ['ops'], ['why'], ['show']])
    assertHarmless([...command, 'a.torchir'], { cwd });
  assertHarmless(['check', 'p.py'], { cwd });
  for (const text of [`RuntimeError: ${evil} ${evil}`, `${evil}Unsupported: ONNX export of operator ${evil}, opset version: 17.`,
                      `Traceback (most recent call last):\n  File "${evil}", line 1, in ${evil}\nValueError: ${evil}`])
    assertHarmless(['why', '-'], { cwd, input: text });
}));

test('settings and facts', () => withFolder({ 'a.torchir': graph, 'own.json': JSON.stringify(facts), [`${evil}.json`]: '{"version":9}' }, (cwd) => {
  for (const settings of [{ [evil]: 1 }, { rules: { [evil]: 'off' } }, { rules: { syntax: evil } }, { torch: evil }, { opset: evil },
                          { exporter: evil }, { db: [evil] }, { db: `${evil}.json` }, { db: 'own.json' },
                          { pathMappings: { [evil]: 1 } }, { sourceRoots: evil }]) {
    writeFileSync(join(cwd, '.onnxls.json'), JSON.stringify(settings));
    for (const args of [['check', 'a.torchir'], ['ops', 'a.torchir'], ['db', 'list'], ['explain', `my::${evil}`],
                        ['db', 'diff', 'torch-2.14', 'own.json']])
      assertHarmless(args, { cwd });
  }
  writeFileSync(join(cwd, '.onnxls.json'), `{"${evil}": \x1b`);
  assertHarmless(['check', 'a.torchir'], { cwd });
}));

test('a line end in a name makes no line of its own', () => withFolder({}, (cwd) => {
  const { err } = onnxls(['check', 'gone\nonnxls: nothing found'], { cwd });
  assert.equal(err.trimEnd().split('\n').length, 2, err);
}));
