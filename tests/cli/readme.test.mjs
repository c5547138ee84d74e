// The README's commands run as they stand there, and print the lines that stand below them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { binary, root } from './onnxls.mjs';

/** [{ command, lines }] of the indented blocks: `$ COMMAND`, and what it prints, where `…` ends a part of a line. */
function examples(text) {
  const blocks = [...text.matchAll(/^ {4}\$ (.*)\n((?: {4}(?!\$ ).*\n)*)/gm)];
  return blocks.map(([, command, lines]) => ({ command, lines: lines.split('\n').filter(Boolean).map((line) => line.slice(4)) }));
}

const found = examples(readFileSync(join(root, 'README.md'), 'utf8'));

test('the README has commands', () => assert.ok(found.length >= 5));

for (const { command, lines } of found) {
  test(`README: ${command}`, () => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: root, encoding: 'utf8', env: { ...process.env, PATH: `${dirname(binary)}:${process.env.PATH}` },
    });
    assert.ok(status === 0 || status === 1, `${status}: ${stderr}`);
    const printed = stdout.split('\n');
    for (const line of lines) {
      const [whole, beginning] = [line, line.replace(/\s*…$/, '')];
      assert.ok(printed.some((one) => (beginning === whole ? one === whole : one.startsWith(beginning))), `${line}\n\n${stdout}`);
    }
  });
}

test('files that the README names in commands are there', () => {
  for (const { command } of found) {
    for (const [path] of command.matchAll(/\bdemo\/\S+/g))
      assert.doesNotThrow(() => readFileSync(join(root, path)), path);
  }
});
