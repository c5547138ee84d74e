// Packages that bring the program along: what they may bring, and that their archives are what others read.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { readElf } from '../../packaging/elf.mjs';
import { makeWheel } from '../../packaging/package.mjs';
import { zip } from '../../packaging/zip.mjs';
import { binary, root, withFolder } from './onnxls.mjs';

/** { name: { bytes, mode } }, read by the list at the end. */
function unzip(archive) {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = {};
  for (let at = archive.readUInt32LE(end + 16), left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const length = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    files[archive.toString('utf8', at + 46, at + 46 + length)] = {
      bytes: inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20))),
      mode: archive.readUInt32LE(at + 38) >>> 16 & 0o777,
    };
    at += 46 + length + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

test('an archive has what was put in, and the same bytes twice', () => {
  const files = [{ name: 'a/b.txt', bytes: 'hello hello hello\n' }, { name: 'run', bytes: Buffer.alloc(100_000, 7), mode: 0o755 }, { name: 'leer', bytes: '' }];
  const archive = zip(files);
  assert.ok(archive.equals(zip(files)));
  const found = unzip(archive);
  assert.deepEqual(Object.keys(found), files.map((file) => file.name));
  for (const { name, bytes, mode } of files)
    assert.ok(found[name].bytes.equals(Buffer.from(bytes)) && found[name].mode === (mode ?? 0o644), name);
});

test('other programs read the archive', { skip: spawnSync('python3', ['--version']).status !== 0 }, () => withFolder({}, (folder) => {
  writeFileSync(join(folder, 'a.zip'), zip([{ name: 'x', bytes: 'text' }, { name: 'ü/y', bytes: Buffer.alloc(5000) }]));
  const { status, stdout, stderr } = spawnSync('python3', ['-m', 'zipfile', '-t', join(folder, 'a.zip')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}));

test('a program that needs libraries of this machine is not packed', { skip: !readElf(binary) }, () => withFolder({}, (folder) => {
  assert.ok(readElf(binary).needed.some((name) => name.startsWith('libc.so')));
  assert.throws(() => makeWheel(binary, join(root, 'node_modules'), folder), /needs .*libuv.*preset static/);
}));

const packages = join(root, 'build/package');
const wheel = existsSync(packages) ? readdirSync(packages).find((name) => name.endsWith('.whl')) : undefined;

test('the wheel that ./dev package made names its C library and lists its files', { skip: !wheel }, () => {
  const files = unzip(readFileSync(join(packages, wheel)));
  const program = Object.keys(files).find((name) => name.endsWith('.data/scripts/onnxls'));
  assert.equal(files[program].mode, 0o755);
  assert.match(wheel, /^onnxls-[\d.]+-py3-none-manylinux_2_\d+_x86_64\.whl$/);
  const record = Object.entries(files).find(([name]) => name.endsWith('/RECORD'))[1].bytes.toString().trimEnd().split('\n');
  assert.equal(record.length, Object.keys(files).length);
  for (const line of record.filter((one) => !one.endsWith('RECORD,,'))) {
    const [name, hash, size] = line.split(',');
    const { bytes } = files[name];
    assert.equal(`sha256=${createHash('sha256').update(bytes).digest('base64url')}`, hash);
    assert.equal(bytes.length, Number(size));
  }
});
