// Does a real torch take what the fixes make? Each script of mistakes.txt that torch complained of is mended by every fix
// that is offered for it, one at a time; mistake_fixes.jsonl has the results, and what became of them in that torch
// (`python3 mistakes.py --fixes mistake_fixes.jsonl`). What the server makes has to be what was run, and to export.
// `--update` writes what came, to be run then.
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { applied, fixesOf } from '../cases/apply_fix.mjs';
import { LspClient } from '../cases/lsp.mjs';
import { asked, readScripts } from './mistake_scripts.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const path = join(here, 'mistake_fixes.jsonl');
const WARNING = 2;
const MOST_STEPS = 8;
let opened = 0;  // For names that no other document has.

/** Each fix of the errors and warnings in a text, as [{ title, text }], and how many of these there are. */
async function mended(client, text) {
  const uri = pathToFileURL(join(here, `mistake-${++opened}.py`)).href;
  client.open(uri, text, 'python');
  const found = (await client.diagnostics(uri)).filter(({ severity }) => severity <= WARNING);
  const made = [];
  for (const diagnostic of found) {
    for (const { title, edits } of await fixesOf(client, uri, diagnostic))
      made.push({ title, text: applied(text, edits) });
  }
  client.close(uri);
  return { made, count: found.length };
}

/** What each fix makes of the script of a mistake, and then others of what is still said, until nothing is:
 * [{ name, torch, title, text }]. Where something is said that no fix mends, the script can't be run. */
async function mend(client, torch, { name, wrong }) {
  const rows = [];
  for (const { title, text } of (await mended(client, asked(wrong['script.py'], torch))).made) {
    const row = { name, torch, title, text };
    let left = await mended(client, text);
    for (let step = 0; step < MOST_STEPS && left.made.length > 0; step++) {
      row.text = left.made[0].text;
      row.title += `; ${left.made[0].title}`;
      left = await mended(client, row.text);
    }
    if (left.count === 0 && !rows.some((other) => other.text === row.text))
      rows.push(row);
  }
  return rows;
}

const outcomes = JSON.parse(readFileSync(join(here, 'mistakes_outcomes.json'), 'utf8'));
const known = new Map();
if (existsSync(path)) {
  for (const row of readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)))
    known.set(JSON.stringify([row.name, row.torch, row.title, row.text]), row.outcome);
}
const rows = [];
for (const torch of process.env.TORCH?.split(' ') ?? ['1.13', '2.6', '2.14']) {
  const client = new LspClient([binary, 'serve']);
  await client.start({ torch, exporter: 'torchscript' }, pathToFileURL(join(here, '..', 'nothing')).href);
  for (const script of readScripts()) {
    const isMistake = script.isSilent || !(outcomes[script.name]?.[torch]?.[0] ?? 'exported').startsWith('exported');
    if (isMistake && Object.keys(script.wrong).length === 1)
      rows.push(...await mend(client, torch, script));
  }
  await client.stop?.();
}
for (const row of rows)
  row.outcome = known.get(JSON.stringify([row.name, row.torch, row.title, row.text])) ?? 'not run';
const failed = rows.filter(({ outcome }) => !outcome.startsWith('exported'));
for (const { name, torch, title, outcome } of failed)
  console.log(`${torch} ${name}: ${title}: ${outcome}`);
if (process.argv.includes('--update'))
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length ? 1 : 0);
