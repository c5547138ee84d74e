#!/usr/bin/env node
// What a `print(ep)` takes to open, next to a TorchScript dump of the same size: in turns, each in a fresh process.
//
// exported.mjs [--server FILE] [--runs N] [MEGABYTES]
// Prints medians of N runs (5) of 24 MB, and their ratio.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from './client.mjs';
import { BenchDocument } from './document.mjs';
import { exportedProgram } from './generate-fx.mjs';
import { torchDump } from './generate.mjs';

const PATIENCE_MS = 300000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string', default: fileURLToPath(new URL('../../build/release/onnxls', import.meta.url)) },
    runs: { type: 'string', default: '5' },
  },
});

/** A dump of about so many bytes. A larger one has longer names, so the second guess is a good one. */
function dumpOf(bytes) {
  const nodes = bytes / 65;
  return torchDump(Math.round((bytes * nodes) / torchDump(Math.round(nodes)).length));
}

/** { open, computing, memory } of one process, in milliseconds and megabytes. */
async function measure(document) {
  const client = new Client(values.server, ['serve', '--stdio'], PATIENCE_MS);
  try {
    await client.initialize();
    const before = client.cpu();
    const { ms } = await client.publishedAfter(document.open(), 1);
    return { open: ms, computing: client.cpu() - before, memory: client.memory('VmHWM') / 1e6 };
  } finally {
    client.kill();
  }
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

const bytes = Number(positionals[0] ?? 24) * 1e6;
const texts = { 'TorchScript dump': [dumpOf(bytes), 'torch-ir'], 'print(ep)': [exportedProgram(bytes), 'fx-graph'] };
const runs = Object.entries(texts).map(([name, [text, id]]) => ({ name, document: new BenchDocument(text, id), found: [] }));
for (let i = 0; i < Number(values.runs); i++) {
  for (const run of runs)
    run.found.push(await measure(run.document));
}
for (const key of ['open', 'computing', 'memory']) {
  const [dump, program] = runs.map((run) => median(run.found.map((found) => found[key])));
  console.log(`${key.padEnd(12)}${runs.map((run, i) => `${run.name} ${[dump, program][i].toFixed(1)}`).join(', ')}, ratio ${(program / dump).toFixed(2)}`);
}
console.log(`${runs.map((run) => `${run.name} ${(run.document.text.length / 1e6).toFixed(1)} MB`).join(', ')}`);
