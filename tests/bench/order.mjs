#!/usr/bin/env node
// Writes server/function_order.ld: which functions run when a server starts, and in sessions over a dump, an exported
// program, ONNX text, symbolic functions and a script that exports. Those of all sessions come first, those of one last.
// usage: order.mjs SERVER FILE
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './client.mjs';
import { BenchDocument } from './document.mjs';
import { exportedProgram } from './generate-fx.mjs';
import { torchDump } from './generate.mjs';
import { symbolicFile } from './generate-python.mjs';
import { PythonDocument } from './python-document.mjs';

const PATIENCE_MS = 600000;  // Valgrind takes fifty times as long as the program.
const KEYS = 4;
const PLACES = 40;

const file = (name) => fs.readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8');

const SESSIONS = {
  start: () => null,
  dump: () => new BenchDocument(torchDump(2000, 10), 'torch-ir'),
  program: () => new BenchDocument(exportedProgram(60000), 'fx-graph'),
  onnx: () => new BenchDocument(file('corpus/onnx/everything.txt'), 'onnx-text'),
  symbolics: () => new PythonDocument(symbolicFile(100000), false),
  script: () => new BenchDocument(file('../demo/symbolics.py') + file('corpus/symbolics/07_opset_moves.py'), 'python'),
};

/** The first letters of lines all over the text. */
function linePlaces(document) {
  const step = Math.max(1, Math.floor(document.lineCount / PLACES));
  return Array.from({ length: Math.floor(document.lineCount / step) }, (_, i) => i * step)
    .map((line) => ({ line, character: Math.max(document.line(line).search(/\w/), 0) }));
}

async function type(client, document, edit, version) {
  for (let i = 0; i < KEYS; i++)
    await client.publishedAfter(document.change(edit, i % 2 === 0, version + i, false), version + i);
  return version + KEYS;
}

async function ask(client, document) {
  const textDocument = { uri: document.uri };
  const places = [...linePlaces(document), ...document.positions(PLACES, 1)];
  for (const position of places) {
    for (const method of ['hover', 'definition', 'completion'])
      await client.request(`textDocument/${method}`, { textDocument, position });
    await client.request('textDocument/references', { textDocument, position, context: { includeDeclaration: true } });
  }
  for (const method of ['documentSymbol', 'foldingRange', 'semanticTokens/full'])
    await client.request(`textDocument/${method}`, { textDocument });
  for (const { line } of places) {
    const range = { start: { line, character: 0 }, end: { line: Math.min(line + 50, document.lineCount - 1), character: 0 } };
    await client.request('textDocument/semanticTokens/range', { textDocument, range });
    await client.request('textDocument/inlayHint', { textDocument, range });
    await client.request('textDocument/codeAction', { textDocument, range, context: { diagnostics: [] } });
  }
}

/** The functions that a session with the document runs, as callgrind counts them; of a start alone without one. */
async function functionsOf(server, document, output) {
  const client = new Client('valgrind', ['--tool=callgrind', `--callgrind-out-file=${output}`, server, 'serve', '--stdio'],
                            PATIENCE_MS);
  await client.initialize();
  if (document) {
    await client.publishedAfter(document.open(), 1);
    let version = 2;
    for (const edit of [document.typing, document.breaking, document.blockLine, document.definition].filter(Boolean))
      version = await type(client, document, edit, version);
    await ask(client, document);
  }
  await client.shutdown(PATIENCE_MS);
  const names = fs.readFileSync(output, 'utf8').matchAll(/^c?fn=\(\d+\) ([^\s']+)/gm);
  return new Set([...names].map(([, name]) => name));
}

/** Functions in one order in every run: by the number of sessions that run them, then by which ones. */
function inOrder(sessions, defined) {
  const which = new Map();
  sessions.forEach((functions, i) => {
    for (const name of functions)
      which.set(name, (which.get(name) ?? '') + i);
  });
  return [...which].filter(([name]) => defined.has(name))
    .sort(([a, first], [b, second]) => second.length - first.length || (first < second ? -1 : first > second ? 1 : 0) ||
                                       (a < b ? -1 : 1))
    .map(([name]) => name);
}

const [server, target] = process.argv.slice(2);
if (!target) {
  console.error('usage: order.mjs SERVER FILE');
  process.exit(2);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onnxls-order-'));
try {
  const sessions = [];
  for (const [name, text] of Object.entries(SESSIONS)) {
    console.error(`order: ${name}`);
    sessions.push(await functionsOf(server, text(), path.join(folder, name)));
  }
  const symbols = execFileSync('nm', ['--defined-only', server], { encoding: 'utf8', maxBuffer: 1 << 26 });
  // Those that begin with `__` are of the compiler's own library, where a section has several.
  const names = inOrder(sessions, new Set([...symbols.matchAll(/ [tT] (?!__)(\S+)$/gm)].map(([, name]) => name)));
  fs.writeFileSync(target, ['/* Written by ./dev order: what sessions run, that of all sessions first (cmake/function_order.cmake). */',
                            'SECTIONS {', '  .text_in_use : {', '    *crt1.o(.text)', ...names.map((name) => `    *(.text.${name})`),
                            '  }', '} INSERT BEFORE .text;', ''].join('\n'));
  console.error(`order: ${names.length} functions`);
} finally {
  fs.rmSync(folder, { recursive: true });
}
