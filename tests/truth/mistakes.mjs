// Scripts with one mistake each, and the same scripts mended (mistakes.txt): `check` has to find the mistakes that a real
// torch complained of (mistakes_outcomes.json, written by mistakes.py), and nothing in what is mended.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asked, readScripts } from './mistake_scripts.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const LEAST_FOUND = 0.95;

/** Scripts of one file share a folder, as each in one of its own would be slower; others see nothing but their own files. */
function writeScript(folder, name, files, torch) {
  const entries = Object.entries(files);
  for (const [file, text] of entries) {
    const path = entries.length === 1 ? join(folder, 'alone', `${name}.py`) : join(folder, 'several', name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, asked(text, torch));
  }
}

function check(path, torch) {
  const { stdout, stderr } = spawnSync(binary, ['check', '--format', 'json', '--torch', torch, '--exporter', 'torchscript',
    '--exit-zero', '--severity', 'warning', '--max-diagnostics', '0', path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (!stdout)
    throw new Error(stderr || `${binary} said nothing`);
  return JSON.parse(stdout).diagnostics;
}

/** Errors and warnings by the name of the script. */
function checkScripts(folder, torch) {
  const byScript = {};
  for (const diagnostic of check(join(folder, 'alone'), torch))
    (byScript[basename(diagnostic.file, '.py')] ??= []).push(diagnostic);
  for (const name of existsSync(join(folder, 'several')) ? readdirSync(join(folder, 'several')) : [])
    byScript[name] = check(join(folder, 'several', name), torch);
  return byScript;
}

const scripts = readScripts();
const outcomes = JSON.parse(readFileSync(join(here, 'mistakes_outcomes.json'), 'utf8'));
const total = { found: 0, missed: 0, FALSE: 0 };
for (const torch of new Set(Object.values(outcomes).flatMap(Object.keys))) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-mistakes-'));
  try {
    scripts.forEach(({ wrong, mended }, i) => {
      writeScript(folder, `w${i}`, wrong, torch);
      writeScript(folder, `m${i}`, mended, torch);
    });
    const said = checkScripts(folder, torch);
    scripts.forEach(({ name, isSilent }, i) => {
      const [wrong, mended] = outcomes[name]?.[torch] ?? ['not recorded', ''];
      const inWrong = said[`w${i}`] ?? [];
      const inMended = said[`m${i}`] ?? [];
      const rules = (list) => list.map(({ line, severity, rule }) => `${line}: ${severity} ${rule}`).join(', ');
      const isMistake = isSilent || !wrong.startsWith('exported');
      if (isMistake)
        total[inWrong.length ? 'found' : 'missed']++;
      if (isMistake && !inWrong.length)
        console.log(`${torch} missed: ${name} (${wrong})`);
      else if (process.env.ALL)
        console.log(`${torch} found: ${name} (${wrong}): ${rules(inWrong)}`);
      if (inMended.length && mended.startsWith('exported')) {
        total.FALSE++;
        console.log(`${torch} FALSE: ${name}: ${rules(inMended)}`);
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
console.log(`found ${total.found} of ${total.found + total.missed}; ${total.FALSE} findings in mended scripts`);
const falls = total.found < LEAST_FOUND * (total.found + total.missed) ? 1 : 0;
console.log(`${total.found} passed, ${total.FALSE + falls} failed`);
process.exitCode = total.FALSE || falls ? 1 : 0;
