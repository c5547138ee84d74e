// node packaging/package.mjs PROGRAM THIRD_PARTY OUTPUT: a Python wheel and an npm package with the program in them.
// PROGRAM has to need nothing but the C library (build/static); THIRD_PARTY is the folder of what is compiled in.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readElf } from './elf.mjs';
import { zip } from './zip.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const version = /project\(onnxls VERSION ([\d.]+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];
const summary = 'Language server and checker for people who export PyTorch models to ONNX';
const home = 'https://github.com/onnxls/onnxls';
const libc = /^(libc|libm|libpthread|libdl|librt|ld-linux-x86-64)\.so/;

/** The oldest C library that has all that the program asks for: [2, 34]. */
function glibcOf(program) {
  const { needed, names } = readElf(program);
  const others = needed.filter((name) => !libc.test(name));
  if (others.length)
    throw new Error(`${program} needs ${others.join(', ')}, which a package can't bring; it has to be built with the preset static`);
  const versions = names.map((name) => /^GLIBC_(\d+)\.(\d+)/.exec(name)).filter(Boolean).map(([, major, minor]) => [Number(major), Number(minor)]);
  return versions.reduce((most, one) => (one[0] - most[0] || one[1] - most[1]) > 0 ? one : most);
}

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
  const tag = `py3-none-manylinux_${glibcOf(program).join('_')}_x86_64`;
  const info = `onnxls-${version}.dist-info`;
  const papers = licences(thirdParty).map(({ name, bytes }) => ({ name: `${info}/licenses/${name}`, bytes }));
  const metadata = ['Metadata-Version: 2.1', 'Name: onnxls', `Version: ${version}`, `Summary: ${summary}`, `Home-page: ${home}`,
    'License: MIT', 'Requires-Python: >=3.7', 'Description-Content-Type: text/markdown', '',
    readFileSync(join(root, 'README.md'), 'utf8')].join('\n');
  const files = [
    { name: `onnxls-${version}.data/scripts/onnxls`, bytes: readFileSync(program), mode: 0o755 },
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, thirdParty, output] = process.argv.slice(2);
  console.log(makeWheel(program, thirdParty, output));
  console.log(makeNpm(program, thirdParty, output));
}
