// Applies every fix of every diagnostic in the case files and in docs/rules, one at a time, and looks again: the
// diagnostic has to be gone, no other may have come, and Python must still parse: `node tests/cases/fixes.mjs [WORD ...]`.
// Actions that edit another file or only silence the diagnostic are not tried here. Of the documents ONNXLS_SAMPLE percent
// are tried (all), which ones depends on ONNXLS_SEED.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { applied, fixesOf } from './apply_fix.mjs';
import { documentText } from './case_file.mjs';
import { Servers, documentUri, readFiles, root, serverSettings } from './documents.mjs';

const words = process.argv.slice(2);

let opened = 0;  // For names that no other document has.

const percent = Number(process.env.ONNXLS_SAMPLE ?? 100);
let met = Number(process.env.ONNXLS_SEED ?? 1);

function isSampled() {
  return Math.imul(++met, 0x9e3779b1) >>> 0 < percent / 100 * 2 ** 32;
}

async function diagnosticsOf(client, document, text) {
  const uri = documentUri({ settings: { ...document.settings, file: undefined } }, `fixed-${++opened}`);
  client.open(uri, text, document.settings.language);
  const found = await client.diagnostics(uri);
  client.close(uri);
  return found;
}

const keyOf = ({ code, message }) => `${code}: ${message}`;

/** What is in `after` and not in `before`, each as often as it is too many. */
function added(before, after) {
  const left = before.map(keyOf);
  return after.filter((diagnostic) => {
    const at = left.indexOf(keyOf(diagnostic));
    if (at >= 0)
      left.splice(at, 1);
    return at < 0;
  });
}

/** What a function computes is told, as information, once nothing else is wrong with it. */
const isOfMeaning = ({ code, severity }) => code === 'wrong-export' && severity === 3;

/** Of the same rule something less severe may be left: what moved from one private module to another is still private. */
function comes(before, after, fixed) {
  return added(before, after)
    .filter((one) => !isOfMeaning(one) && !fixed.some(({ code, severity }) => code === one.code && severity < one.severity))
    .map((diagnostic) => `brings ${keyOf(diagnostic)}`);
}

/** How many findings are on lines that were there before without one: what is said once a file is said of the next. */
function moved(oldText, newText, before, after) {
  const oldLines = oldText.split('\n'), newLines = newText.split('\n');
  const had = new Set(before.map(({ range }) => oldLines[range.start.line]));
  return after.map(({ range }) => newLines[range.start.line]).filter((line) => oldLines.includes(line) && !had.has(line)).length;
}

async function tryFix(client, document, { before, diagnostic, fix }) {
  const text = applied(documentText(document), fix.edits);
  const after = await diagnosticsOf(client, document, text);
  const key = keyOf(diagnostic);
  const same = (list) => list.filter((other) => keyOf(other) === key);
  const problems = comes(before, after, [diagnostic]);
  if (same(after).length - moved(documentText(document), text, same(before), same(after)) >= same(before).length)
    problems.unshift('does not make it go away');
  return { text, problems };
}

/** For each of these Python texts what python3 says when it can't parse it; null where there is no python3. */
function parseErrors(texts) {
  const script = 'import ast, json, sys\n' +
    'for i, text in enumerate(json.load(sys.stdin)):\n' +
    '    try: ast.parse(text)\n' +
    '    except SyntaxError as error: print(i, error)\n';
  const result = spawnSync('python3', ['-c', script], { input: JSON.stringify(texts), encoding: 'utf8' });
  if (result.error || result.status !== 0)
    return null;
  return new Map(result.stdout.split('\n').filter(Boolean).map((line) => [Number(line.split(' ')[0]), line]));
}

/** All safe fixes at once; what is left over may stay, but nothing may come. */
async function tryAllSafe(client, uri, document, before) {
  const range = { start: { line: 0, character: 0 }, end: { line: document.lines.length, character: 0 } };
  const context = { diagnostics: [], only: ['source.fixAll.onnxls'] };
  const [action] = await client.request('textDocument/codeAction', { textDocument: { uri }, range, context });
  if (!action)
    return null;
  const text = applied(documentText(document), action.edit.documentChanges.flatMap((change) => change.edits));
  const after = await diagnosticsOf(client, document, text);
  const problems = comes(before, after, before);
  const rest = after.filter((one) => !isOfMeaning(one));
  if (rest.length >= before.length)
    problems.unshift('leaves as many diagnostics');
  return { title: action.title, text, problems };
}

/** Documents of a case file that are files of the workspace tell others something, so they are open as long as these are. */
async function openNamed(servers, file) {
  const named = new Map();
  for (const document of file.documents.filter(({ settings }) => settings.file)) {
    const client = await servers.get(serverSettings(document));
    const uri = documentUri(document, `fixes-${++opened}`);
    client.open(uri, documentText(document), document.settings.language);
    await client.diagnostics(uri);  // Then the server knows what it tells others.
    named.set(document, { client, uri });
  }
  return named;
}

/** What they told is gone once the server has looked for them on disk: the next case may use their names. */
async function closeNamed(named) {
  const clients = new Set();
  for (const { client, uri } of named.values()) {
    client.close(uri);
    clients.add(client);
  }
  for (const client of clients)
    await client.request('workspace/diagnostic', { previousResultIds: [] });
}

async function tryDocument(servers, file, document, named, tried) {
  const client = await servers.get(serverSettings(document));
  const uri = named.get(document)?.uri ?? documentUri(document, `fixes-${++opened}`);
  if (!named.has(document))
    client.open(uri, documentText(document), document.settings.language);
  const before = named.has(document) ? (await client.request('textDocument/diagnostic', { textDocument: { uri } })).items
                                     : await client.diagnostics(uri);
  const keep = (rule, title, result) => tried.push({ ...result, rule, was: documentText(document),
    where: `${relative(root, file.path)}: ${document.name}: ${title}`, language: document.settings.language });
  for (const diagnostic of before) {
    for (const fix of await fixesOf(client, uri, diagnostic))
      keep(diagnostic.code, `${diagnostic.code}: ${fix.title}`, await tryFix(client, document, { before, diagnostic, fix }));
  }
  const all = await tryAllSafe(client, uri, document, before);
  if (all)
    keep(null, all.title, all);
  if (!named.has(document))
    client.close(uri);
}

async function main() {
  const servers = new Servers();
  const tried = [];
  for (const file of readFiles()) {
    const chosen = file.documents.filter((document) => (
      isSampled() && (words.length === 0 || words.some((word) => file.path.includes(word) || document.name.includes(word)))));
    const named = chosen.length > 0 ? await openNamed(servers, file) : new Map();
    for (const document of chosen)
      await tryDocument(servers, file, document, named, tried);
    await closeNamed(named);
  }
  await servers.stop();
  const python = tried.filter(({ language }) => language === 'python');
  const wrongBefore = parseErrors(python.map(({ was }) => was));
  const wrongAfter = parseErrors(python.map(({ text }) => text));
  wrongAfter?.forEach((error, i) => wrongBefore.has(i) || python[i].problems.push(`leaves what Python can't parse: ${error}`));
  for (const { where, problems, text } of tried.filter((one) => one.problems.length))
    console.log(`${where}\n${problems.map((problem) => `  ${problem}\n`).join('')}${text.replace(/^/gm, '  | ')}`);
  const failed = tried.filter(({ problems }) => problems.length).length;
  const rules = new Set(tried.map(({ rule }) => rule).filter(Boolean));
  console.log(`fixes of ${rules.size} rules: ${[...rules].sort().join(', ')}`);
  if (!wrongAfter)
    console.log('there is no python3, so nothing says whether Python still parses');
  console.log(`${tried.length - failed} passed, ${failed} failed, ${wrongAfter ? 0 : 1} skipped`);
  process.exit(failed || !tried.length ? 1 : 0);
}

await main();
