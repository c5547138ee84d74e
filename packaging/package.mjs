// node packaging/package.mjs PROGRAM THIRD_PARTY OUTPUT KIND ...: packages with the program in them, of these kinds: wheel
// (Python), npm (Linux on x86-64 only), zip (an archive for Windows).
// PROGRAM has to need nothing but the C library (build/static); THIRD_PARTY is the folder of what is compiled in.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AARCH64, X86_64, readElf } from './elf.mjs';
import { zip } from './zip.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const version = /project\(onnxls VERSION ([\d.]+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];
const summary = 'Language server and checker for people who export PyTorch models to ONNX';
const home = 'https://github.com/onnxls/onnxls';
const libc = /^(libc|libm|libpthread|libdl|librt|ld-linux-(x86-64|aarch64))\.so/;
const machines = { [X86_64]: 'x86_64', [AARCH64]: 'aarch64' };

/** The oldest C library that has all that the program asks for: [2, 34]. */
function glibcOf(program) {
  const { needed, names } = readElf(program);
  const others = needed.filter((name) => !libc.test(name));
  if (others.length)
    throw new Error(`${program} needs ${others.join(', ')}, which a package can't bring; it has to be built with the preset static`);
  const versions = names.map((name) => /^GLIBC_(\d+)\.(\d+)/.exec(name)).filter(Boolean).map(([, major, minor]) => [Number(major), Number(minor)]);
  return versions.reduce((most, one) => (one[0] - most[0] || one[1] - most[1]) > 0 ? one : most);
}

/** Where the program runs, as wheels say it. What is no ELF file is a program for Windows. */
function platformOf(program) {
  const elf = readElf(program);
  return elf ? `manylinux_${glibcOf(program).join('_')}_${machines[elf.machine]}` : 'win_amd64';
}

const nameOf = (program) => (readElf(program) ? 'onnxls' : 'onnxls.exe');

/** Licences of the program and of what is compiled in: [{ name, bytes }]. */
function licences(thirdParty) {
  const papers = {
    'onnxls.txt': join(root, 'LICENSE'),
    'tree-sitter.txt': join(thirdParty, 'tree-sitter/LICENSE'),
    'tree-sitter-unicode.txt': join(thirdParty, 'tree-sitter/vendor/tree-sitter/lib/src/unicode/LICENSE'),
    'tree-sitter-python.txt': join(thirdParty, 'tree-sitter-python/LICENSE'),
  };
  for (const library of ['libuv1', 'libjansson', 'libprotobuf-c'])
    papers[`${library}.txt`] = `/usr/share/doc/${library}-dev/copyright`;
  return Object.entries(papers).filter(([, path]) => existsSync(path)).map(([name, path]) => ({ name, bytes: readFileSync(path) }));
}

// --- Wheel (packaging.python.org, "Binary distribution format") ---

function recordOf(file) {
  const hash = createHash('sha256').update(file.bytes).digest('base64url');
  return `${file.name},sha256=${hash},${Buffer.byteLength(file.bytes)}\n`;
}

export function makeWheel(program, thirdParty, output) {
  const tag = `py3-none-${platformOf(program)}`;
  const info = `onnxls-${version}.dist-info`;
  const papers = licences(thirdParty).map(({ name, bytes }) => ({ name: `${info}/licenses/${name}`, bytes }));
  const metadata = ['Metadata-Version: 2.1', 'Name: onnxls', `Version: ${version}`, `Summary: ${summary}`, `Home-page: ${home}`,
    'License: MIT', 'Requires-Python: >=3.7', 'Description-Content-Type: text/markdown', '',
    readFileSync(join(root, 'README.md'), 'utf8')].join('\n');
  const files = [
    { name: `onnxls-${version}.data/scripts/${nameOf(program)}`, bytes: readFileSync(program), mode: 0o755 },
    ...papers,
    { name: `${info}/METADATA`, bytes: metadata },
    { name: `${info}/WHEEL`, bytes: `Wheel-Version: 1.0\nGenerator: onnxls\nRoot-Is-Purelib: false\nTag: ${tag}\n` },
  ];
  files.push({ name: `${info}/RECORD`, bytes: `${files.map(recordOf).join('')}${info}/RECORD,,\n` });
  const wheel = join(output, `onnxls-${version}-${tag}.whl`);
  writeFileSync(wheel, zip(files));
  return wheel;
}

// --- npm ---

export function makeNpm(program, thirdParty, output) {
  glibcOf(program);
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-npm-'));
  try {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'licenses'));
    copyFileSync(program, join(folder, 'bin/onnxls'));
    chmodSync(join(folder, 'bin/onnxls'), 0o755);
    for (const { name, bytes } of licences(thirdParty))
      writeFileSync(join(folder, 'licenses', name), bytes);
    copyFileSync(join(root, 'README.md'), join(folder, 'README.md'));
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const manifest = { name: 'onnxls', version, description: summary, license: 'MIT', homepage: home, bin: { onnxls: 'bin/onnxls' },
      files: ['bin', 'licenses'], os: ['linux'], cpu: ['x64'], libc: ['glibc'] };
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    execFileSync('npm', ['pack', '--silent', '--pack-destination', output], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return join(output, `onnxls-${version}.tgz`);
}

// --- Archive for Windows ---

export function makeZip(program, thirdParty, output) {
  const top = `onnxls-${version}-windows-x86_64`;
  const paper = (name) => ({ name: `${top}/${name}`, bytes: readFileSync(join(root, name)) });
  const archive = join(output, `${top}.zip`);
  writeFileSync(archive, zip([
    { name: `${top}/${nameOf(program)}`, bytes: readFileSync(program), mode: 0o755 },
    ...['README.md', 'CHANGELOG.md', 'LICENSE'].map(paper),
    ...licences(thirdParty).map(({ name, bytes }) => ({ name: `${top}/licenses/${name}`, bytes })),
  ]));
  return archive;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const makers = { wheel: makeWheel, npm: makeNpm, zip: makeZip };
  const [program, thirdParty, output, ...kinds] = process.argv.slice(2);
  for (const kind of kinds)
    console.log(makers[kind](program, thirdParty, output));
}
