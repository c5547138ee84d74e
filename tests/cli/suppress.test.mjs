// The fixes of unused-suppression, each applied to every document of tests/cases/suppress.case: its finding is gone, and
// what other rules say is as it was.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentText, parseCaseFile } from '../cases/case_file.mjs';
import { onnxls, root, withFolder } from './onnxls.mjs';

const runnerSettings = ['file', 'language', 'eol', 'end'];
const { documents } = parseCaseFile(readFileSync(join(root, 'tests/cases/suppress.case'), 'utf8'));

function check(cwd, name, text) {
  writeFileSync(join(cwd, name), text);
  return JSON.parse(onnxls(['check', '--format', 'json', name], { cwd }).out).diagnostics;
}

/** The text after a fix; columns are code points. */
function apply(text, { edits }) {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const offset = (line, column) => lines.slice(0, line - 1).join('').length +
    [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
  return edits.reduceRight((result, { line, column, endLine, endColumn, text: added }) =>
    result.slice(0, offset(line, column)) + added + result.slice(offset(endLine, endColumn)), text);
}

/** What other rules say, without lines, as a fix may remove one. */
function others(diagnostics) {
  return diagnostics.filter(({ rule }) => rule !== 'unused-suppression').map(({ rule, column, message }) => [rule, column, message]);
}

const unused = (diagnostics) => diagnostics.filter(({ rule }) => rule === 'unused-suppression');

test('each fix removes its finding and changes nothing else', () => withFolder({}, (cwd) => {
  let safe = 0;
  let unsafe = 0;
  for (const document of documents) {
    const settings = Object.entries(document.settings).filter(([key]) => !runnerSettings.includes(key));
    writeFileSync(join(cwd, '.onnxls.json'), JSON.stringify(Object.fromEntries(settings)));
    const text = documentText(document);
    const before = check(cwd, 'a.torchir', text);
    for (const diagnostic of unused(before)) {
      for (const fix of diagnostic.fixes ?? []) {
        const after = check(cwd, 'a.torchir', apply(text, fix));
        if (fix.safe) {
          safe++;
          assert.deepEqual(others(after), others(before), `${document.name}: ${fix.title}`);
        } else {
          unsafe++;
        }
        assert.ok(!unused(after).some(({ message, line, column }) => message === diagnostic.message &&
          line === diagnostic.line && column === diagnostic.column), `${document.name}: ${fix.title}`);
      }
    }
  }
  assert.ok(safe > 10 && unsafe > 2, `${safe} safe fixes, ${unsafe} others`);
}));

test('--fix cleans a file up, and a second run has nothing to do', () => withFolder({}, (cwd) => {
  const text = 'graph(%x : Tensor):\n  # onnxls: ignore[syntax]\n  %y : Tensor = aten::relu(%x) # onnxls: ignore # m.py:1:2\n' +
    '  %z : Tensor = aten::relu(%q) # onnxls: ignore[syntax, undefined-value]\n  return (%y, %z) # onnxls: ignore[sintax]\n';
  writeFileSync(join(cwd, 'a.torchir'), text);
  onnxls(['check', '--fix', 'a.torchir'], { cwd });
  const fixed = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x) # m.py:1:2\n' +
    '  %z : Tensor = aten::relu(%q) # onnxls: ignore[undefined-value]\n  return (%y, %z) # onnxls: ignore[sintax]\n';
  assert.equal(readFileSync(join(cwd, 'a.torchir'), 'utf8'), fixed);
  onnxls(['check', '--fix', 'a.torchir'], { cwd });
  assert.equal(readFileSync(join(cwd, 'a.torchir'), 'utf8'), fixed);
}));
