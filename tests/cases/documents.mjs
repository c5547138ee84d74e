// What the runners of case files share: the documents of this folder and of docs/rules, and a server for their settings.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formatCaseFile, parseCaseFile } from './case_file.mjs';
import { LspClient } from './lsp.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
export const root = join(here, '..', '..');
export const workspace = pathToFileURL(here).href;

/** What a setting of a case means for the runner; all others are settings of the server. */
const runnerSettings = new Set(['file', 'language', 'eol', 'end']);

export function serverSettings(document) {
  return Object.fromEntries(Object.entries(document.settings).filter(([key]) => !runnerSettings.has(key)));
}

/**
 * Every block of a rule's page in one of these languages is a document, so that examples stay true. Its settings stand in
 * a comment above it, which readers of the page don't see.
 */
const pageBlock = /^(?:<!-- (.*) -->\n)?```(torch-ir|python|onnx-text|fx-graph|onnx-report|requirements)\n([\s\S]*?)^```$/gm;

/** The examples of a page as a case file has them, with the settings in front. */
export function pageExamples(text) {
  return [...text.matchAll(pageBlock)].map(([, settings, language, body]) => (
    { language, text: settings ? `#: ${settings}\n${body}` : body }));
}

function parsePage(text) {
  const examples = pageExamples(text);
  const file = parseCaseFile(examples.map((example, i) => `=== example ${i + 1}\n${example.text}`).join(''));
  examples.forEach(({ language }, i) => { file.documents[i].settings.language ??= language; });
  file.write = (bodies) => {
    let i = 0;
    return text.replace(pageBlock, (_, settings, language) => [
      ...settings ? [`<!-- ${settings} -->`] : [], `\`\`\`${language}`, ...bodies[i++].slice(settings ? 1 : 0), '```',
    ].join('\n'));
  };
  return file;
}

export function readFiles() {
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
export class Servers {
  #clients = new Map();

  constructor() {
    if (!existsSync(binary))
      throw new Error(`${binary} is not there; ./dev build makes it`);
  }

  get(settings) {
    const key = JSON.stringify(settings);
    if (!this.#clients.has(key))
      this.#clients.set(key, this.#start(settings));
    return this.#clients.get(key);
  }

  async #start(settings) {
    const client = new LspClient([binary, '--stdio'], { cwd: here });
    await client.start(settings, workspace);
    await client.request('workspace/diagnostic', { previousResultIds: [] });  // Waits until the workspace is known.
    return client;
  }

  async stop() {
    for (const client of this.#clients.values())
      await (await client).stop();
  }
}

/** The URI under which the server gets a document. */
export function documentUri(document, number) {
  const endings = { python: 'py', 'onnx-text': 'onnxtxt' };
  const ending = endings[document.settings.language] ?? 'torchir';
  return `${workspace}/${document.settings.file ?? `case-${number}.${ending}`}`;
}
