#!/usr/bin/env node
// Drives onnxls and mlir-lsp-server over stdio on texts of the same number of nodes, in turns, and compares them.
// docs/performance.md says what is measured and how to read it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchDocument } from './document.mjs';
import { mlirChain, parseCount, torchDump } from './generate.mjs';
import { symbolicFile } from './generate-python.mjs';
import { FULL, measureClient, measureDocument, measureStart, QUICK } from './measure.mjs';
import { PythonDocument } from './python-document.mjs';
import { checks, comparison, markdown, PYTHON_BUDGETS, PYTHON_BYTES, summarize } from './report.mjs';

const USAGE = `usage: bench.mjs [options]
  --server PATH       the server to measure (build/release/onnxls), or none
  --peer PATH         mlir-lsp-server to compare with (mlir-lsp-server-19), or none
  --sizes LIST        nodes of the generated dumps (1k,10k,100k,400k,1.6M)
  --python BYTES      size of the generated file of symbolic functions (220k), or none
  --python-peer PATH  pylsp to compare with there (pylsp), or none
  --before PATH       compare with another build of the server in place of the peers: computing time and memory
  --corpus FILE       measure a real dump too; only the server can read it
  --unsupported K     operators without support in each generated dump (20)
  --repeat N          repetitions (5)
  --quick             fewer samples and repetitions, up to 100k nodes
  --check             compare with what is promised, as ratios; ends with 1 if one is broken
  --json FILE         write all numbers
  --markdown FILE     write the tables (standard output); after "## Results" if FILE has that line`;

const OPTIONS = {
  server: { type: 'string' }, peer: { type: 'string', default: 'mlir-lsp-server-19' }, sizes: { type: 'string' },
  python: { type: 'string', default: String(PYTHON_BYTES) }, 'python-peer': { type: 'string', default: 'pylsp' },
  before: { type: 'string' }, corpus: { type: 'string' }, unsupported: { type: 'string', default: '20' }, repeat: { type: 'string' },
  quick: { type: 'boolean' }, check: { type: 'boolean' }, json: { type: 'string' }, markdown: { type: 'string' },
  help: { type: 'boolean' },
};

const PATIENCE_MS = 300000;
const STARTS = 20;
const SERVE = ['serve', '--stdio'];

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}

function readArguments() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    fail(`${error.message}\n${USAGE}`);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const isQuick = values.quick || values.check;
  const sizes = values.check ? '10k,100k' : values.sizes ?? (values.quick ? '1k,10k,100k' : '1k,10k,100k,400k,1.6M');
  const settings = {
    ...values, sizes: sizes === 'none' ? [] : sizes.split(',').map(parseCount),
    python: values.check || values.python === 'none' ? 0 : parseCount(values.python),
    repeat: Number(values.repeat ?? (isQuick ? 3 : 5)), unsupported: Number(values.unsupported),
    amounts: isQuick ? QUICK : FULL,
    server: values.server ?? fileURLToPath(new URL('../../build/release/onnxls', import.meta.url)),
  };
  if (settings.sizes.some((nodes) => !(nodes >= 20 && nodes <= 4e6)))
    fail('--sizes takes numbers from 20 to 4M, as in 1k,400k,1.6M');
  if (settings.python !== 0 && !(settings.python >= 50000 && settings.python <= 4e6))
    fail('--python takes a number of bytes from 50k to 4M');
  if (!(settings.repeat >= 1 && settings.unsupported >= 0))
    fail('--repeat and --unsupported take numbers');
  if (settings.check && settings.server === 'none')
    fail('--check needs a server');
  return settings;
}

/** { command, args, name, version }, or null if it can't be run or is not wanted. */
function findServer(command, args) {
  if (command === 'none')
    return null;
  const { error, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (error)
    return null;
  return { command, args, name: path.basename(command), version: /\d+(\.\d+)+\S*/.exec(stdout)?.[0] ?? 'unknown' };
}

function machine() {
  const cpus = os.cpus();
  return { cpu: cpus[0].model, cores: cpus.length, memory: Math.round(os.totalmem() / 1e9),
           system: `${os.type()} ${os.machine?.() ?? os.arch()}`, node: process.versions.node,
           load: os.loadavg()[0].toFixed(2) };
}

function formatCount(count) {
  return count >= 1e6 ? `${count / 1e6}M` : count >= 1e3 ? `${count / 1e3}k` : `${count}`;
}

/** What is measured on: for each server its own text of the same size. */
function planDocuments(settings) {
  const unsupported = (nodes) => Math.min(settings.unsupported, Math.floor(nodes / 200));
  const plans = settings.sizes.map((nodes) => ({
    name: `${formatCount(nodes)} nodes`, nodes,
    server: () => new BenchDocument(torchDump(nodes, unsupported(nodes)), 'torch-ir'),
    peer: () => new BenchDocument(mlirChain(nodes), 'mlir'),
  }));
  if (settings.corpus)
    plans.push({ name: path.basename(settings.corpus), nodes: null,
                 server: () => new BenchDocument(fs.readFileSync(settings.corpus, 'utf8'), 'torch-ir') });
  return settings.before ? plans.map((plan) => ({ ...plan, peer: plan.server })) : plans;
}

/** The Python file; another peer reads it, in its own defaults. */
function pythonPlan(settings) {
  const bytes = settings.python;
  return {
    name: `Python, ${formatCount(bytes)} bytes`, nodes: null,
    server: () => new PythonDocument(symbolicFile(bytes), false),
    peer: () => new PythonDocument(symbolicFile(bytes), !settings.before),
  };
}

/** Both servers on both texts of one size, in turns and in changing order. */
async function runDocument(plan, servers, settings) {
  const keys = ['server', 'peer'].filter((key) => servers[key] && plan[key]);
  const texts = Object.fromEntries(keys.map((key) => [key, plan[key]()]));
  const measured = Object.fromEntries(keys.map((key) => [key, { samples: {}, notes: null, error: null }]));
  for (let i = 0; i < settings.repeat; i++) {
    for (const key of i % 2 === 0 ? keys : [...keys].reverse()) {
      if (measured[key].error)
        continue;
      console.error(`${plan.name}: ${servers[key].name}, ${i + 1} of ${settings.repeat}`);
      await runOnce(servers[key], texts[key], settings, measured[key]);
    }
  }
  const entry = { name: plan.name, nodes: plan.nodes, bytes: (texts.server ?? texts.peer).text.length };
  for (const key of keys) {
    const { samples, notes, error } = measured[key];
    entry[key] = { bytes: texts[key].text.length, notes, error: error ?? undefined };
    for (const name of Object.keys(samples))
      entry[key][name] = summarize(samples[name]);
  }
  return entry;
}

async function runOnce(server, text, settings, measured) {
  try {
    const { samples, notes } = await measureDocument(server, text, settings.amounts, PATIENCE_MS);
    measured.notes = notes;
    for (const [name, values] of Object.entries(samples))
      (measured.samples[name] ??= []).push(...values);
  } catch (error) {
    measured.error = error.message;
  }
}

/** The start belongs to no text: measured once for each server, in turns, and shown with every document. */
async function runStarts(servers) {
  const keys = Object.keys(servers).filter((key) => servers[key]);
  const samples = Object.fromEntries(keys.map((key) => [key, { start: [], startMemory: [] }]));
  for (let i = 0; i < STARTS; i++) {
    for (const key of keys) {
      const { ms, memory } = await measureStart(servers[key], PATIENCE_MS);
      samples[key].start.push(ms);
      samples[key].startMemory.push(memory);
    }
  }
  return Object.fromEntries(keys.map((key) => [key, { start: summarize(samples[key].start),
                                                       startMemory: summarize(samples[key].startMemory) }]));
}

function findBefore(settings) {
  const found = findServer(settings.before, SERVE);
  return found ? { ...found, name: 'before' } : fail(`can't run ${settings.before}`);
}

function findPythonPeer(settings) {
  const found = findServer(settings['python-peer'], []);
  if (!found && settings['python-peer'] !== 'none')
    console.error(`bench: ${settings['python-peer']} is not installed; comparisons with it are skipped`);
  return found && { ...found, isVersionless: true };
}

async function runPython(server, start, settings) {
  const peer = settings.before ? findBefore(settings) : findPythonPeer(settings);
  const entry = await runDocument(pythonPlan(settings), { server, peer }, settings);
  const starts = { server: start, ...(await runStarts({ peer })) };
  for (const key of ['server', 'peer'])
    entry[key] &&= { ...starts[key], ...entry[key] };
  entry.servers = { server: server && { name: server.name, version: server.version },
                    peer: peer && { name: peer.name, version: peer.version } };
  if (settings.python === PYTHON_BYTES)
    entry.budgets = PYTHON_BUDGETS;
  return entry;
}

async function runClient() {
  const document = new BenchDocument(mlirChain(100000), 'mlir');
  const { spawn, roundTrip, largeWrite } = await measureClient(document);
  return { spawn: summarize(spawn), roundTrip: summarize(roundTrip), largeWrite: summarize(largeWrite),
           largeBytes: document.text.length };
}

async function main() {
  const settings = readArguments();
  const servers = { server: findServer(settings.server, SERVE),
                    peer: settings.before ? findBefore(settings) : findServer(settings.peer, []) };
  if (!servers.server && settings.server !== 'none')
    fail(`can't run ${settings.server}; build it, or name it with --server`);
  if (!servers.peer && settings.peer !== 'none')
    console.error(`bench: ${settings.peer} is not installed; comparisons with it are skipped`);

  const run = { version: 1, date: new Date().toISOString().slice(0, 10), machine: machine(), repeat: settings.repeat,
                unsupported: settings.unsupported,
                servers: Object.fromEntries(Object.entries(servers).map(([key, server]) =>
                  [key, server && { name: server.name, version: server.version }])),
                client: await runClient(), documents: [] };
  const starts = await runStarts(servers);
  for (const plan of planDocuments(settings)) {
    const entry = await runDocument(plan, servers, settings);
    for (const key of Object.keys(starts))
      entry[key] &&= { ...starts[key], ...entry[key] };
    run.documents.push(entry);
  }
  if (settings.python > 0)
    run.documents.push(await runPython(servers.server, starts.server, settings));
  write(run, settings);
  if (settings.check)
    process.exitCode = report(checks(run)) ? 0 : 1;
  else if (run.documents.some((entry) => entry.server?.error))
    process.exitCode = 1;
}

function write(run, settings) {
  if (settings.json)
    fs.writeFileSync(settings.json, JSON.stringify(run, null, 2) + '\n');
  if (settings.markdown)
    fs.writeFileSync(settings.markdown, aboveResults(settings.markdown) + markdown(run));
  else if (settings.before)
    process.stdout.write(comparison(run));
  else if (!settings.check)
    process.stdout.write(markdown(run));
}

/** What a page says before its results; nothing if there is no such page. */
function aboveResults(file) {
  const heading = '\n## Results\n\n';
  const page = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const end = page.indexOf(heading);
  return end < 0 ? '' : page.slice(0, end + heading.length);
}

function report(found) {
  for (const [isKept, text] of found)
    console.log(`${isKept ? 'kept  ' : 'broken'}  ${text}`);
  return found.every(([isKept]) => isKept);
}

await main();
