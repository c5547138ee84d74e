// node packaging/release.mjs FOLDER: beside the packages there, their sums (SHA256SUMS) and a list of what is inside
// (onnxls-VERSION.spdx.json). Nothing in either hangs on when or where they were made, but SOURCE_DATE_EPOCH.
// Source: SPDX 2.3, spdx.github.io/spdx-spec/v2.3.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const version = /project\(onnxls VERSION ([\d.]+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'))[1];
const home = 'https://github.com/onnxls/onnxls';

const sumOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** One thing that is in a release; `id` is a word. */
function describe(id, name, versionInfo, licence, more = {}) {
  return {
    SPDXID: `SPDXRef-${id}`, name, versionInfo, downloadLocation: 'NOASSERTION', filesAnalyzed: false,
    licenseConcluded: licence, licenseDeclared: licence, copyrightText: 'NOASSERTION', ...more,
  };
}

/** The libraries that the program needs: those of this machine, which only the Debian package leaves outside of it... */
function linkedLibraries() {
  const licences = { libuv: 'MIT', jansson: 'MIT', 'libprotobuf-c': 'BSD-2-Clause' };
  return Object.entries(licences).map(([name, licence]) => {
    const found = execFileSync('pkg-config', ['--modversion', name], { encoding: 'utf8' }).trim();
    return describe(name, name, found, licence);
  });
}

/** ...and those that are always compiled in, as the lock file has them. */
function compiledLibraries() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return ['tree-sitter', 'tree-sitter-python'].map((name) => {
    const { version: found, license: licence, integrity } = lock.packages[`node_modules/${name}`];
    return describe(name, name, found, licence, {
      checksums: [{ algorithm: 'SHA512', checksumValue: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
      externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: `pkg:npm/${name}@${found}` }],
    });
  });
}

/** SPDX of the files in the folder; `seconds` since 1970 is what it gives as its age. */
export function billOfMaterials(folder, files, seconds) {
  const linked = linkedLibraries();
  const compiled = compiledLibraries();
  const program = describe('onnxls', 'onnxls', version, 'MIT', { homepage: home });
  const packages = files.map((name, i) => describe(`File-${i + 1}`, name, version, 'MIT', {
    packageFileName: name, checksums: [{ algorithm: 'SHA256', checksumValue: sumOf(readFileSync(join(folder, name))) }],
  }));
  const relate = (from, relationshipType, to) => ({ spdxElementId: from, relationshipType, relatedSpdxElement: to });
  return {
    spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `onnxls-${version}`,
    documentNamespace: `${home}/spdx/${version}-${sumOf(JSON.stringify(packages)).slice(0, 16)}`,
    creationInfo: { created: new Date(seconds * 1000).toISOString().replace('.000', ''), creators: ['Organization: onnxls'] },
    packages: [program, ...linked, ...compiled, ...packages],
    relationships: [
      relate('SPDXRef-DOCUMENT', 'DESCRIBES', program.SPDXID),
      ...linked.map(({ SPDXID }) => relate(program.SPDXID, 'DEPENDS_ON', SPDXID)),
      ...compiled.map(({ SPDXID }) => relate(program.SPDXID, 'STATIC_LINK', SPDXID)),
      ...packages.map(({ SPDXID }) => relate(SPDXID, 'CONTAINS', program.SPDXID)),
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  const bill = `onnxls-${version}.spdx.json`;
  const packages = readdirSync(folder).filter((name) => /\.(deb|tar\.gz|vsix|whl|tgz|zip)$/.test(name)).sort();
  writeFileSync(join(folder, bill), `${JSON.stringify(billOfMaterials(folder, packages, Number(process.env.SOURCE_DATE_EPOCH)), null, 1)}\n`);
  const files = [...packages, bill].sort();
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((name) => `${sumOf(readFileSync(join(folder, name)))}  ${name}\n`).join(''));
}
