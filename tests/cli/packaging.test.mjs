// Packages that bring the program along: what they may bring, and that their archives are what others read.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { readElf } from '../../packaging/elf.mjs';
import { makeWheel, makeZip } from '../../packaging/package.mjs';
import { billOfMaterials } from '../../packaging/release.mjs';
import { unzip, zip } from '../../packaging/zip.mjs';
import { binary, root, withFolder } from './onnxls.mjs';

/** { name: { bytes, mode } } */
function filesOf(archive) {
  return Object.fromEntries(unzip(archive).map(({ name, ...file }) => [name, file]));
}

test('an archive has what was put in, and the same bytes twice', () => {
  const files = [{ name: 'a/b.txt', bytes: 'hello hello hello\n' }, { name: 'run', bytes: Buffer.alloc(100_000, 7), mode: 0o755 }, { name: 'leer', bytes: '' }];
  const archive = zip(files);
  assert.ok(archive.equals(zip(files)));
  const found = filesOf(archive);
  assert.deepEqual(Object.keys(found), files.map((file) => file.name));
  for (const { name, bytes, mode } of files)
    assert.ok(found[name].bytes.equals(Buffer.from(bytes)) && found[name].mode === (mode ?? 0o644), name);
});

test('other programs read the archive', { skip: spawnSync('python3', ['--version']).status !== 0 && 'no Python here' }, () => withFolder({}, (folder) => {
  writeFileSync(join(folder, 'a.zip'), zip([{ name: 'x', bytes: 'text' }, { name: 'ü/y', bytes: Buffer.alloc(5000) }]));
  const { status, stdout, stderr } = spawnSync('python3', ['-m', 'zipfile', '-t', join(folder, 'a.zip')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}));

test('a program that needs libraries of this machine is not packed', { skip: !readElf(binary) && 'it is no ELF file' }, () => withFolder({}, (folder) => {
  assert.ok(readElf(binary).needed.some((name) => name.startsWith('libc.so')));
  assert.throws(() => makeWheel(binary, join(root, 'node_modules'), folder), /needs .*libuv.*preset static/);
}));

/** What is looked at of a program for Windows: that it is no ELF file. */
const windowsProgram = 'MZ and what follows';

test('a program for Windows keeps its name, in a wheel and in an archive', () => withFolder({ 'onnxls.exe': windowsProgram }, (folder) => {
  const modules = join(root, 'node_modules');
  const made = makeWheel(join(folder, 'onnxls.exe'), modules, folder);
  assert.match(made, /-py3-none-win_amd64\.whl$/);
  for (const archive of [made, makeZip(join(folder, 'onnxls.exe'), modules, folder)]) {
    const found = Object.entries(filesOf(readFileSync(archive))).filter(([name]) => name.endsWith('/onnxls.exe'));
    assert.deepEqual(found.map(([, { bytes }]) => bytes.toString()), [windowsProgram], archive);
  }
}));

const packages = join(root, 'build/package');
const wheel = existsSync(packages) ? readdirSync(packages).find((name) => name.endsWith('_x86_64.whl')) : undefined;

test('the wheel that ./dev package made names its C library and lists its files', { skip: !wheel && 'nothing in build/package' }, () => {
  const files = filesOf(readFileSync(join(packages, wheel)));
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

test('the list of what is inside names each library with version and licence, and each package with its sum', () => withFolder({ 'a.tar.gz': 'abc' }, (folder) => {
  const bill = billOfMaterials(folder, ['a.tar.gz'], 86_400);
  assert.equal(bill.spdxVersion, 'SPDX-2.3');
  assert.equal(bill.creationInfo.created, '1970-01-02T00:00:00Z');
  const inside = Object.fromEntries(bill.packages.map((one) => [one.name, one]));
  for (const name of ['onnxls', 'tree-sitter', 'tree-sitter-python', 'libuv', 'jansson', 'libprotobuf-c']) {
    assert.match(inside[name].versionInfo, /^\d+\.\d+/, name);
    assert.match(inside[name].licenseConcluded, /^(MIT|BSD-2-Clause)/, name);
    assert.ok(name === 'onnxls' || bill.relationships.some((one) => one.relatedSpdxElement === inside[name].SPDXID && one.spdxElementId === 'SPDXRef-onnxls'), name);
  }
  assert.equal(inside['a.tar.gz'].checksums[0].checksumValue, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(new Set(bill.packages.map((one) => one.SPDXID)).size, bill.packages.length);
}));
