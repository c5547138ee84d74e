// Runs the case files of this folder and the examples of docs/rules against the server:
// `node tests/cases/run.mjs [--update] [WORD ...]`, where WORD is part of a file's or a document's name.
// ONNXLS is the binary, build/release/onnxls if it is not set. README.md has the format.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { documentText, formatCaseFile, formatDocument, parseCaseFile } from './case_file.mjs';
import { LspClient } from './lsp.mjs';
import { queries } from './queries.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');
const workspace = pathToFileURL(here).href;
const update = process.argv.includes('--update');
const words = process.argv.slice(2).filter((word) => word !== '--update');

/** What a setting of a case means for the runner; all others are settings of the server. */
const runnerSettings = new Set(['file', 'language', 'eol', 'end']);

function serverSettings(document) {
  return Object.fromEntries(Object.entries(document.settings).filter(([key]) => !runnerSettings.has(key)));
}

/** Every `torch-ir` block of a rule's page is a document, so that examples stay true. */
function parsePage(text) {
  const blocks = [...text.matchAll(/^```torch-ir\n([\s\S]*?)^```$/gm)];
  const file = parseCaseFile(blocks.map((block, i) => `=== example ${i + 1}\n${block[1]}`).join(''));
  file.write = (bodies) => {
    let i = 0;
    return text.replace(/^```torch-ir\n[\s\S]*?^```$/gm, () => ['```torch-ir', ...bodies[i++], '```'].join('\n'));
  };
  return file;
}

function readFiles() {
  const files = [];
  const pages = join(root, 'docs', 'rules');
  for (const name of readdirSync(here).filter((entry) => entry.endsWith('.case')).sort()) {
    const text = readFileSync(join(here, name), 'utf8');
    const file = parseCaseFile(text);
    files.push({ ...file, text, path: join(here, name), write: (bodies) => formatCaseFile(file, bodies) });
  }
  for (const name of readdirSync(pages).filter((entry) => entry.endsWith('.md')).sort()) {
    const text = readFileSync(join(pages, name), 'utf8');
    files.push({ ...parsePage(text), text, path: join(pages, name) });
  }
  return files;
}

/** One server for each combination of settings. */
class Servers {
  #clients = new Map();

  get(settings) {
    const key = JSON.stringify(settings);
    if (!this.#clients.has(key))
      this.#clients.set(key, this.#start(settings));
    return this.#clients.get(key);
  }

  async #start(settings) {
    const client = new LspClient([binary, '--stdio'], { cwd: here });
    await client.start(settings, workspace);
    return client;
  }

  async stop() {
    for (const client of this.#clients.values())
      await (await client).stop();
  }
}

async function ask(client, uri, document, query) {
  if (!queries[query.kind])
    throw new Error(`there is no query '${query.kind}'; there are ${Object.keys(queries).join(', ')}`);
  const position = query.line < 0 ? null : { line: query.line, character: query.place.start };
  return queries[query.kind]({ client, uri, position, document, root: `${workspace}/` });
}

/** The lines that the document should have, by what the server says. */
async function runDocument(servers, document, number) {
  const client = await servers.get(serverSettings(document));
  const uri = `${workspace}/${document.settings.file ?? `case-${number}.torchir`}`;
  client.open(uri, documentText(document), document.settings.language);
  const diagnostics = await client.diagnostics(uri);
  const outputs = [];
  for (const query of document.queries)
    outputs.push(await ask(client, uri, document, query));
  client.close(uri);
  return formatDocument(document, diagnostics, outputs);
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
    return [...file.text.matchAll(/^```torch-ir\n([\s\S]*?)^```$/gm)].map((block) => block[1].trimEnd().split('\n'));
  for (const part of file.text.split(/^=== .*\n/m).slice(1))
    bodies.push(part.trimEnd().split('\n'));
  return bodies;
}

function isChosen(file, document) {
  return words.length === 0 || words.some((word) => file.path.includes(word) || document.name.includes(word));
}

async function runFile(servers, file, totals) {
  const written = writtenBodies(file);
  const bodies = await Promise.all(file.documents.map(async (document, i) => {
    if (!isChosen(file, document))
      return written[i];
    const body = await runDocument(servers, document, `${totals.number++}`);
    const passed = body.join('\n') === written[i].join('\n');
    passed || update ? totals.passed++ : totals.failed++;
    if (!passed && !update) {
      console.log(`${relative(root, file.path)}: ${document.name}`);
      showDifference(written[i], body);
    }
    return body;
  }));
  const text = file.write(bodies);
  if (update && text !== file.text) {
    writeFileSync(file.path, text);
    console.log(`wrote ${relative(root, file.path)}`);
  }
}

async function main() {
  if (!existsSync(binary))
    throw new Error(`${binary} is not there; ./dev build makes it`);
  const servers = new Servers();
  const totals = { passed: 0, failed: 0, number: 1 };
  for (const file of readFiles())
    await runFile(servers, file, totals);
  await servers.stop();
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  process.exit(totals.failed || !totals.passed ? 1 : 0);
}

await main();
