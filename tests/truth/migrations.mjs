// Does the server write what was run? migrations.jsonl has programs with symbolic functions, what the fix of
// ignored-registration makes of them, and whether torch exported that to a model with the same numbers
// (make_migrations.py). Each program is asked for again; `--update` writes what came, to be run then.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LspClient } from '../cases/lsp.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const path = join(here, 'migrations.jsonl');
const rows = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line));

/** The text after the edits of one document. */
function applied(text, edits) {
  const starts = [0];
  for (const line of text.split('\n'))
    starts.push(starts.at(-1) + line.length + 1);
  const at = ({ line, character }) => starts[line] + character;
  return [...edits].sort((a, b) => at(b.range.start) - at(a.range.start) || at(b.range.end) - at(a.range.end))
    .reduce((result, { range, newText }) => result.slice(0, at(range.start)) + newText + result.slice(at(range.end)), text);
}

async function migrated(client, name, text) {
  const uri = pathToFileURL(join(here, `${name}.py`)).href;
  client.open(uri, text, 'python');
  const [diagnostic] = (await client.diagnostics(uri)).filter(({ code }) => code === 'ignored-registration');
  if (!diagnostic)
    return null;
  const context = { diagnostics: [diagnostic] };
  const actions = await client.request('textDocument/codeAction', { textDocument: { uri }, range: diagnostic.range, context });
  const edit = actions.find(({ title }) => /^(Translate with onnxscript|Make the node)/.test(title))?.edit;
  return edit ? applied(text, edit.documentChanges?.[0].edits ?? edit.changes[uri]) : null;
}

const client = new LspClient([binary, 'serve']);
await client.start({ torch: '2.14' }, pathToFileURL(join(here, '..')).href);
let wrong = 0;
for (const row of rows) {
  const text = await migrated(client, row.name, row.text);
  const is_good = text === row.migrated && (text === null || row.outcome === 'same');
  wrong += !is_good;
  if (!is_good)
    console.log(`${row.name}: ${text === row.migrated ? `was run, and: ${row.outcome}` : 'another text than the one that was run'}`);
  if (process.argv.includes('--update') && text !== row.migrated)
    Object.assign(row, { migrated: text, outcome: 'not run' });
}
await client.stop?.();
if (process.argv.includes('--update'))
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
const made = rows.filter((row) => row.migrated !== null).length;
console.log(`${made} are migrated, the others can't be`);
console.log(`${rows.length - wrong} passed, ${wrong} failed`);
process.exit(wrong ? 1 : 0);
