import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { binary, onnxls, root, whenEmulated, withFolder } from './onnxls.mjs';

/** The names in the table of commands. */
const commands = [...readFileSync(join(root, 'server/cli/commands.c'), 'utf8').matchAll(/^ {2}\{ "(\w+)",/gm)]
  .map((match) => match[1]);

/** The long flags that `onnxls check --help` lists. */
function checkFlags() {
  return [...onnxls(['check', '--help']).out.matchAll(/^ {2}.*?--([\w-]+)/gm)].map((match) => match[1]);
}

test('--help fits a screen and names every command', () => {
  const { code, out } = onnxls(['--help']);
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.ok(lines.length <= 24, `${lines.length} lines`);
  assert.ok(lines.every((line) => line.length <= 100));
  assert.ok(commands.length >= 4);
  for (const command of commands)
    assert.match(out, new RegExp(`^  ${command} `, 'm'));
  assert.equal(onnxls(['help']).out, out);
  assert.equal(onnxls(['-h']).out, out);
});

test('help of a command is its --help', () => {
  const { code, out } = onnxls(['help', 'check']);
  assert.equal(code, 0);
  assert.equal(out, onnxls(['check', '--help']).out);
  assert.ok(checkFlags().length > 8);
});

test('every flag of check is documented', () => {
  const page = readFileSync(join(root, 'docs/check.md'), 'utf8');
  const man = readFileSync(join(root, 'docs/onnxls.1'), 'utf8').replaceAll('\\-', '-');
  for (const flag of checkFlags().filter((name) => name !== 'help')) {
    assert.ok(page.includes(`--${flag}`), `docs/check.md lacks --${flag}`);
    assert.ok(man.includes(`--${flag}`), `docs/onnxls.1 lacks --${flag}`);
  }
});

test('the man page has every command and every flag', () => {
  const man = readFileSync(join(root, 'docs/onnxls.1'), 'utf8').replaceAll('\\-', '-');
  for (const command of commands) {
    assert.match(man, new RegExp(`\\b${command}\\b`), command);
    for (const [flag] of onnxls(['help', command]).out.matchAll(/--[a-z][\w-]*/gi))
      assert.ok(man.includes(flag), `${command}: docs/onnxls.1 lacks ${flag}`);
  }
});

test('--version says the version of the program and of its facts', () => {
  const { code, out } = onnxls(['--version']);
  const version = /VERSION ([\d.]+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8').split('project')[1])[1];
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^onnxls ${version.replaceAll('.', '\\.')}\nfacts: torch 1\\.13, 2\\.6, 2\\.14; ONNX up to opset \\d+\n$`));
  assert.equal(onnxls(['version']).out, out);
});

test('what is installed runs and has its man page', { skip: whenEmulated('it is another program that CMake installs') }, () => withFolder({}, (folder) => {
  execFileSync('cmake', ['--install', dirname(binary), '--prefix', folder], { stdio: 'pipe' });
  assert.match(execFileSync(join(folder, 'bin/onnxls'), ['--version'], { encoding: 'utf8' }), /^onnxls /);
  assert.ok(existsSync(join(folder, 'share/man/man1/onnxls.1')));
}));
