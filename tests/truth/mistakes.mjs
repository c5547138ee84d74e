// Scripts with one mistake each, and the same scripts mended (mistakes.txt): `check` has to find the mistakes that a real
// torch complained of (mistakes_outcomes.json, written by mistakes.py), and nothing in what is mended.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const head = /HEAD = """(.*?)"""/s.exec(readFileSync(join(here, 'mistakes.py'), 'utf8'))[1];
const LEAST_FOUND = 0.95;

/** [{ name, isSilent, wrong, mended }]; a silent mistake is one although the export succeeds. */
function readScripts() {
  return readFileSync(join(here, 'mistakes.txt'), 'utf8').split('=== ').slice(1).map((section) => {
    const [name, ...lines] = section.trimEnd().split('\n');
    const script = (mark) => head + lines.filter((line) => [mark, ' '].includes(line[0])).map((line) => `${line.slice(2)}\n`).join('');
    return { name, isSilent: section.includes('# silently: '), wrong: script('-'), mended: script('+') };
  });
}

/** Errors and warnings by the name of the file. */
function check(folder, torch) {
  const { stdout, stderr } = spawnSync(binary, ['check', '--format', 'json', '--torch', torch, '--exporter', 'torchscript',
    '--exit-zero', '--severity', 'warning', '--max-diagnostics', '0', folder], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (!stdout)
    throw new Error(stderr || `${binary} said nothing`);
  const byFile = {};
  for (const diagnostic of JSON.parse(stdout).diagnostics)
    (byFile[basename(diagnostic.file)] ??= []).push(diagnostic);
  return byFile;
}

const scripts = readScripts();
const outcomes = JSON.parse(readFileSync(join(here, 'mistakes_outcomes.json'), 'utf8'));
const total = { found: 0, missed: 0, FALSE: 0 };
for (const torch of new Set(Object.values(outcomes).flatMap(Object.keys))) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-mistakes-'));
  try {
    scripts.forEach(({ wrong, mended }, i) => {
      // Each in a folder of its own would be slower; a registration counts for its own file all the same.
      const asked = (script) => (Number(torch.split('.')[1]) < 9 || torch.startsWith('1')) ? script :
        script.replaceAll('opset_version=', 'dynamo=False, opset_version=');
      writeFileSync(join(folder, `w${i}.py`), asked(wrong));
      writeFileSync(join(folder, `m${i}.py`), asked(mended));
    });
    const said = check(folder, torch);
    scripts.forEach(({ name, isSilent }, i) => {
      const [wrong, mended] = outcomes[name]?.[torch] ?? ['not recorded', ''];
      const inWrong = said[`w${i}.py`] ?? [];
      const inMended = said[`m${i}.py`] ?? [];
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
