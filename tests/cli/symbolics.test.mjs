// Symbolic functions with known mistakes: `check` finds each of them where a comment expects it, and nothing else.
// Files of tests/corpus/symbolics_good/ expect nothing.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { expectations } from '../truth/symbolic_codes.mjs';
import { onnxls, root } from './onnxls.mjs';

const folders = ['symbolics', 'symbolics_good'].map((name) => join(root, 'tests', 'corpus', name));
const versions = ['1.13', '2.6', '2.14'];

/** About what is not in the file: which exporter its exports take, and who registers its functions. */
const aboutOthers = ['ignored-registration', 'unregistered-symbolic'];

/** The versions that a file is checked for: those of a comment `# torch: 1.13 2.6`, or all. */
function versionsOf(text) {
  return /^# torch: (.*)$/m.exec(text)?.[1].split(' ') ?? versions;
}

/** The diagnostics of `file` that `expected` does not mention, and the expectations that nothing met. */
function compare(diagnostics, expected) {
  const meets = (diagnostic, { rule, severity, lines }) =>
    diagnostic.rule === rule && diagnostic.severity === severity && lines.includes(diagnostic.line);
  return {
    missed: expected.filter((one) => !diagnostics.some((diagnostic) => meets(diagnostic, one)))
      .map(({ rule, severity, lines }) => `${lines[0]}: ${severity} ${rule}`),
    unexpected: diagnostics.filter((diagnostic) => !expected.some((one) => meets(diagnostic, one)))
      .map(({ line, severity, rule, message }) => `${line}: ${severity} ${rule}: ${message}`),
  };
}

for (const folder of folders) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.py')).sort()) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const version of versionsOf(text)) {
      test(`${file}, torch ${version}`, () => {
        const { code, out, err } = onnxls(['check', '--format', 'json', '--torch', version, '--opset', '13', '--exporter',
          'torchscript', '--severity', 'hint', '--max-diagnostics', '0', file], { cwd: folder });
        assert.ok(code === 0 || code === 1, err);
        const diagnostics = JSON.parse(out).diagnostics.filter(({ rule, severity }) => !aboutOthers.includes(rule) &&
          !(rule === 'custom-domain-version' && severity === 'hint') &&
          !(rule === 'export-opset-too-old' && severity === 'info'));
        assert.deepEqual(compare(diagnostics, expectations(text, version)), { missed: [], unexpected: [] });
      });
    }
  }
}

test('there is something to compare', () => {
  for (const folder of folders)
    assert.ok(readdirSync(folder).some((name) => name.endsWith('.py')), folder);
});
