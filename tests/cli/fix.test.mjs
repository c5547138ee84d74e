// `check --fix`: what it changes, what it leaves alone, and what it says.
import assert from 'node:assert/strict';
import {
  chmodSync, chownSync, cpSync, linkSync, lstatSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { binary, onWindows, onnxls, root, withFolder } from './onnxls.mjs';

const before = `graph(%x : Float(2, 3)):
  # onnxls: ignore[unsupported-op]
  %y : Float(2, 3) = aten::relu(%x)
  %z : Float(2, 3) = aten::relu(%y)  # onnxls: ignore[syntax, unused-value]
  return (%z)
`;
const after = `graph(%x : Float(2, 3)):
  %y : Float(2, 3) = aten::relu(%x)
  %z : Float(2, 3) = aten::relu(%y)
  return (%z)
`;
const broken = before.replace('relu(%x)', 'relu(%w)');
const clean = after;

const text = (folder, name) => readFileSync(join(folder, name), 'utf8');

test('safe fixes are applied, and the rest is reported', () => withFolder({ 'a.torchir': before, 'b.torchir': broken, 'c.torchir': clean }, (cwd) => {
  const { code, out, err } = onnxls(['check', '--fix', '.'], { cwd });
  assert.equal(text(cwd, 'a.torchir'), after);
  assert.equal(text(cwd, 'b.torchir'), after.replace('relu(%x)', 'relu(%w)'));
  assert.match(out, /^\.\/b\.torchir:2:33: error: .*\[undefined-value\]\n$/);
  assert.match(err, /^onnxls: fixed 4 problems in 2 files\n/);
  assert.equal(code, 1);
  assert.deepEqual(readdirSync(cwd).sort(), ['a.torchir', 'b.torchir', 'c.torchir']);
  assert.equal(onnxls(['check', '--fix', 'a.torchir'], { cwd }).code, 0);
}));

test('files without anything to fix are not touched', () => withFolder({ 'a.torchir': clean, 'b.torchir': before }, (cwd) => {
  const { ino, mtimeMs } = statSync(join(cwd, 'a.torchir'));
  const { err } = onnxls(['check', '--fix', 'a.torchir'], { cwd });
  assert.match(err, /fixed 0 problems in 0 files/);
  assert.equal(statSync(join(cwd, 'a.torchir')).ino, ino);
  assert.equal(statSync(join(cwd, 'a.torchir')).mtimeMs, mtimeMs);
  assert.equal(text(cwd, 'b.torchir'), before);
}));

test('the diff is one that patch takes', () => withFolder({ 'a.torchir': before, 'b.torchir': before.repeat(40) }, (cwd) => {
  for (const flags of [['--diff'], ['--fix', '--dry-run']]) {
    const { code, out, err } = onnxls(['check', ...flags, 'a.torchir', 'b.torchir'], { cwd });
    assert.equal(code, 1);
    assert.match(err, /^onnxls: can fix 82 problems in 2 files\n$/);
    assert.equal(text(cwd, 'a.torchir'), before);
    assert.match(out, /^--- a\.torchir\n\+\+\+ a\.torchir\n@@ -1,5 \+1,4 @@\n graph/);
    const patched = spawnSync('patch', ['-p0', '--dry-run'], { cwd, input: out, encoding: 'utf8' });
    if (!patched.error)
      assert.equal(patched.status, 0, patched.stdout + patched.stderr);
  }
  assert.deepEqual(onnxls(['check', '--diff', '--exit-zero', 'a.torchir'], { cwd }).code, 0);
}));

test('the diff of a text without a line end at its end', () => withFolder({ 'a.torchir': before.trimEnd() }, (cwd) => {
  writeFileSync(join(cwd, 'a.torchir'), `${clean}# onnxls: ignore[syntax]`);
  const { out } = onnxls(['check', '--diff', 'a.torchir'], { cwd });
  assert.match(out, /\n-# onnxls: ignore\[syntax\]\n\\ No newline at end of file\n$/);
}));

test('nothing to fix is an empty diff', () => withFolder({ 'a.torchir': clean }, (cwd) => {
  assert.deepEqual(onnxls(['check', '--diff', '-'], { cwd, input: clean }),
                   { code: 0, out: '', err: 'onnxls: can fix 0 problems in 0 files\n' });
}));

test('line ends and mode stay, and a link stays a link', { skip: onWindows('no modes') }, () => withFolder({ 'real.torchir': before.replaceAll('\n', '\r\n') }, (cwd) => {
  chmodSync(join(cwd, 'real.torchir'), 0o640);
  symlinkSync('real.torchir', join(cwd, 'link.torchir'));
  assert.equal(onnxls(['check', '--fix', 'link.torchir'], { cwd }).code, 0);
  assert.equal(text(cwd, 'real.torchir'), after.replaceAll('\n', '\r\n'));
  assert.equal(statSync(join(cwd, 'real.torchir')).mode & 0o777, 0o640);
  assert.ok(lstatSync(join(cwd, 'link.torchir')).isSymbolicLink());
}));

test('owner and other names stay', { skip: onWindows('no owners') }, () => withFolder({ 'real.torchir': before }, (cwd) => {
  const file = join(cwd, 'real.torchir');
  linkSync(file, join(cwd, 'other.torchir'));
  if (process.getuid() === 0)
    chownSync(file, 1234, 5678);
  const { ino, uid, gid } = statSync(file);
  assert.equal(onnxls(['check', '--fix', 'real.torchir'], { cwd }).code, 0);
  assert.equal(text(cwd, 'other.torchir'), after);
  assert.deepEqual([statSync(file).ino, statSync(file).uid, statSync(file).gid], [ino, uid, gid]);
  assert.deepEqual(readdirSync(cwd).sort(), ['other.torchir', 'real.torchir']);
}));

test('what is saved meanwhile is never lost', () => withFolder({ 'a.torchir': '' }, async (cwd) => {
  const file = join(cwd, 'a.torchir');
  const body = before.repeat(400);
  for (let round = 0; round < 5; round++) {
    let saves = 0;
    const save = () => {
      writeFileSync(`${file}~`, `# save ${++saves}\n${body}`);
      renameSync(`${file}~`, file);
    };
    save();
    const child = spawn(binary, ['check', '--fix', '--exit-zero', 'a.torchir'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (data) => { err += data; });
    const timer = setInterval(save, round);
    const code = await new Promise((resolve) => { child.on('close', resolve); });
    clearInterval(timer);
    assert.ok(text(cwd, 'a.torchir').startsWith(`# save ${saves}\n`), err);
    assert.ok(code === 0 || (code === 2 && /a\.torchir was changed while it was checked, so it was left as it is/.test(err)), err);
    assert.deepEqual(readdirSync(cwd), ['a.torchir']);
  }
}));

test('what is hidden by --max-diagnostics is fixed, too', () => withFolder({ 'a.torchir': before }, (cwd) => {
  onnxls(['check', '--fix', '--max-diagnostics', '1', 'a.torchir'], { cwd });
  assert.equal(text(cwd, 'a.torchir'), after);
}));

test('a rule that is off fixes nothing', () => withFolder({ 'a.torchir': before, '.onnxls.json': '{"rules":{"unused-suppression":"off"}}' }, (cwd) => {
  assert.equal(onnxls(['check', '--fix', 'a.torchir'], { cwd }).code, 0);
  assert.equal(text(cwd, 'a.torchir'), before);
}));

test('standard input can only be shown', () => {
  assert.equal(onnxls(['check', '--fix', '-'], { input: before }).code, 2);
  assert.match(onnxls(['check', '--diff', '--stdin-filename', 'x.torchir', '-'], { input: before }).out, /^--- x\.torchir\n/);
  assert.equal(onnxls(['check', '--dry-run', '-'], { input: before }).code, 2);
});

test('a folder that can\'t be written to', { skip: process.getuid() === 0 && 'root may write everywhere' }, () => withFolder({ 'd/a.torchir': before }, (cwd) => {
  chmodSync(join(cwd, 'd'), 0o500);
  const { code, err } = onnxls(['check', '--fix', 'd/a.torchir'], { cwd });
  chmodSync(join(cwd, 'd'), 0o700);
  assert.equal(code, 2);
  assert.match(err, /a\.torchir can't be written: /);
  assert.equal(text(cwd, 'd/a.torchir'), before);
}));

test('fixed Python is still Python, and nothing is left to fix', () => withFolder({}, (cwd) => {
  for (const name of ['symbolics', 'symbolic_errors'])
    cpSync(join(root, 'tests', 'corpus', name), join(cwd, name), { recursive: true });
  const first = onnxls(['check', '--fix', '--torch', '1.13', '.'], { cwd });
  const fixed = Number(/fixed (\d+) problems/.exec(first.err)[1]);
  assert.ok(fixed > 20, first.err);
  assert.match(onnxls(['check', '--fix', '--torch', '1.13', '.'], { cwd }).err, /fixed 0 problems in 0 files/);
  const python = spawnSync('python3', ['-m', 'compileall', '-q', '.'], { cwd, encoding: 'utf8' });
  if (!python.error)
    assert.equal(python.status, 0, python.stdout + python.stderr);
}));
