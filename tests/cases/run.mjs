// Runs the case files of this folder and the examples of docs/rules against the server:
// `node tests/cases/run.mjs [--update] [WORD ...]`, where WORD is part of a file's or a document's name, or a rule that
// the document has a diagnostic of.
// ONNXLS is the binary, build/release/onnxls if it is not set. README.md has the format.
import { writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { documentText, formatDocument } from './case_file.mjs';
import { Servers, documentUri, pageExamples, readFiles, root, serverSettings, workspace } from './documents.mjs';
import { queryOf } from './queries.mjs';

const update = process.argv.includes('--update');
const words = process.argv.slice(2).filter((word) => word !== '--update');

async function ask(client, uri, document, query) {
  const position = query.line < 0 ? null : { line: query.line, character: query.place.start };
  return queryOf(query.kind)({ client, uri, position, document, root: `${workspace}/` });
}

/** Opens a document, and waits until it was read: then the server knows what it tells others. */
async function openDocument(servers, document, number) {
  const client = await servers.get(serverSettings(document));
  const uri = documentUri(document, number);
  client.open(uri, documentText(document), document.settings.language);
  await client.diagnostics(uri);
  return { document, client, uri };
}

/** The lines that the document should have, by what the server says. */
async function linesOf({ document, client, uri }) {
  const { items } = await client.request('textDocument/diagnostic', { textDocument: { uri } });
  const outputs = [];
  for (const query of document.queries)
    outputs.push(await ask(client, uri, document, query));
  return formatDocument(document, items, outputs);
}

/** What was expected (-) and what came instead (+): all lines but those of a longest common subsequence. */
function showDifference(expected, actual) {
  const common = Array.from({ length: expected.length + 1 }, () => new Uint32Array(actual.length + 1));
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = actual.length - 1; j >= 0; j--)
      common[i][j] = expected[i] === actual[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  for (let i = 0, j = 0; i < expected.length || j < actual.length;) {
    if (i < expected.length && j < actual.length && expected[i] === actual[j]) {
      i++;
      j++;
    } else if (j === actual.length || (i < expected.length && common[i + 1][j] >= common[i][j + 1])) {
      console.log(`  - ${expected[i++]}`);
    } else {
      console.log(`  + ${actual[j++]}`);
    }
  }
}

/** The lines of each document as the file has them. */
function writtenBodies(file) {
  const bodies = [];
  const fence = file.path.endsWith('.md');
  if (fence)
    return pageExamples(file.text).map(({ text }) => text.trimEnd().split('\n'));
  for (const part of file.text.split(/^=== .*\n/m).slice(1))
    bodies.push(part.trimEnd().split('\n'));
  return bodies;
}

function isChosen(file, document, body) {
  return words.length === 0 || words.some((word) => basename(file.path).includes(word) || document.name.includes(word) ||
    body.some((line) => line.startsWith('#') && line.includes(`[${word}]`)));
}

/** What closed files told others is gone once the server has looked for them on disk: the next case may use their names. */
async function closeDocuments(opened) {
  for (const { client, uri } of opened)
    client.close(uri);
  const named = opened.filter(({ document }) => document.settings.file);
  await Promise.all([...new Set(named.map(({ client }) => client))].map((client) => client.request('workspace/diagnostic', { previousResultIds: [] })));
}

async function runFile(servers, file, totals) {
  const written = writtenBodies(file);
  const chosen = file.documents.map((document, i) => isChosen(file, document, written[i]));
  // Others may take something from a document that is a file of the workspace.
  const isOpened = (document, i) => chosen[i] || (document.settings.file && chosen.includes(true));
  const opened = await Promise.all(file.documents.map((document, i) => (
    isOpened(document, i) ? openDocument(servers, document, `${totals.number++}`) : undefined)));
  const bodies = await Promise.all(opened.map(async (document, i) => {
    if (!chosen[i])
      return written[i];
    const body = await linesOf(document);
    const passed = body.join('\n') === written[i].join('\n');
    passed || update ? totals.passed++ : totals.failed++;
    if (!passed && !update) {
      console.log(`${relative(root, file.path)}: ${document.document.name}`);
      showDifference(written[i], body);
    }
    return body;
  }));
  await closeDocuments(opened.filter(Boolean));
  const text = file.write(bodies);
  if (update && text !== file.text) {
    writeFileSync(file.path, text);
    console.log(`wrote ${relative(root, file.path)}`);
  }
}

async function main() {
  const servers = new Servers();
  const totals = { passed: 0, failed: 0, number: 1 };
  for (const file of readFiles())
    await runFile(servers, file, totals);
  await servers.stop();
  if (words.length && !totals.passed && !totals.failed)
    console.log(`no case is called ${words.join(' or ')}`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  process.exit(totals.failed || !totals.passed ? 1 : 0);
}

await main();
