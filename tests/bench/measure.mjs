// What is measured, one function a number. Each returns samples in milliseconds (or bytes); report.mjs sums them up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, frame } from './client.mjs';

const SYNC_FULL = 1;
const BURST = 10;
const SETTLE_MS = 800;

/** How much of each is done; a slow server stops early, at `limitMs` for each kind. */
export const FULL = { edits: 100, bursts: 10, queries: 1000, completions: 50, symbols: 3, ranges: 100, limitMs: 20000 };
export const QUICK = { edits: 20, bursts: 3, queries: 200, completions: 10, symbols: 1, ranges: 20, limitMs: 5000 };

/** Repeats `measure(i)` up to `count` times, until `limitMs` have passed; an even number of times. */
async function repeat(count, limitMs, measure) {
  const samples = [];
  const start = performance.now();
  while (samples.length < count && (samples.length % 2 === 1 || performance.now() - start < limitMs))
    samples.push(await measure(samples.length));
  return samples;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Spawn to the answer of `initialize`, and the memory at that moment. */
export async function measureStart(server, patienceMs) {
  const client = new Client(server.command, server.args, patienceMs, server.isVersionless);
  const { ms } = await client.initialize(server.options);
  const memory = client.memory('VmRSS');
  await client.shutdown();
  return { ms, memory };
}

/** One open document in one server process. */
class Session {
  constructor(client, document, capabilities, amounts) {
    const sync = capabilities.textDocumentSync;
    Object.assign(this, { client, document, capabilities, amounts, version: 1 });
    this.isFull = (sync?.change ?? sync) === SYNC_FULL;
  }

  async open() {
    return this.client.publishedAfter(this.document.open(), this.version);
  }

  /** Types `edit` and takes it back again and again: a sample each time. Checks that errors come and go. */
  async keystrokes(edit, count, isBreaking = false) {
    return repeat(count, this.amounts.limitMs, async (i) => {
      const isMade = i % 2 === 0;
      const version = ++this.version;
      const pieces = this.document.change(edit, isMade, version, this.isFull);
      const { ms, body } = await this.client.publishedAfter(pieces, version);
      const errors = countErrors(body);
      if (i === 0)
        this.errorsMade = errors;
      if (isBreaking && isMade && errors === 0)
        throw new Error(`a broken name at line ${edit.line + 1} was not reported`);
      return ms;
    });
  }

  /** Ten keystrokes in one write, to the diagnostics of the last. */
  async bursts(edit) {
    return repeat(this.amounts.bursts, this.amounts.limitMs, async () => {
      const pieces = [];
      for (let i = 0; i < BURST; i++)
        pieces.push(...this.document.change(edit, i % 2 === 0, ++this.version, this.isFull));
      return (await this.client.publishedAfter(pieces, this.version)).ms;
    });
  }

  /** What `measure` gives, with the computing time of one of its samples as a figure of its own. */
  async computed(name, samples, measure) {
    const before = this.client.cpu();
    samples[name] = await measure();
    samples[`${name}Cpu`] = [spentSince(this.client, before, samples[name].length)];
  }

  /** One request after the other; counts the answers that hold nothing. */
  async requests(method, paramsOf, count) {
    let empty = 0;
    let bytes = 0;
    const samples = await repeat(count, this.amounts.limitMs, async (i) => {
      const { ms, body, message } = await this.client.request(method, paramsOf(i));
      const result = message?.result;
      empty += message && (result === null || result.length === 0) ? 1 : 0;
      bytes = Math.max(bytes, body.length);
      return ms;
    });
    return { samples, empty, bytes };
  }
}

/** Diagnostics of error severity in a publishDiagnostics message; counted in the text, since it may be large. */
function countErrors(body) {
  return body.toString('latin1').match(/"severity"\s*:\s*1\b/g)?.length ?? 0;
}

/** Everything about one document in a fresh server process: { samples: { name: number[] }, notes }. */
export async function measureDocument(server, document, amounts, patienceMs) {
  const client = new Client(server.command, server.args, patienceMs, server.isVersionless);
  try {
    const { capabilities } = await client.initialize(server.options);
    await pause(SETTLE_MS);
    const session = new Session(client, document, capabilities, amounts);
    const samples = {};
    const notes = { sync: session.isFull ? 'full' : 'incremental' };
    await measureText(session, samples, notes);
    await measureQueries(session, samples, notes);
    samples.memoryPeak = [client.memory('VmHWM')];
    await client.shutdown();
    return { samples, notes };
  } finally {
    client.kill();
  }
}

/** Computing time a piece: what the machine's other work can't spoil. */
function spentSince(client, before, pieces) {
  return before === null ? null : (client.cpu() - before) / pieces;
}

async function measureText(session, samples, notes) {
  const { client, document, amounts } = session;
  const cpuBefore = client.cpu();
  const opened = await session.open();
  samples.open = [opened.ms];
  samples.openCpu = [spentSince(client, cpuBefore, 1)];
  notes.errors = countErrors(opened.body);
  await pause(SETTLE_MS);
  samples.memoryOpen = [client.memory('VmRSS')];
  if (document.typing) {
    await session.computed('keystroke', samples, () => session.keystrokes(document.typing, amounts.edits));
    await pause(SETTLE_MS);
    samples.memoryEdits = [client.memory('VmRSS')];
    notes.edits = samples.keystroke.length;
    if (document.breaking)
      await session.computed('breaking', samples,
                             () => session.keystrokes(document.breaking, amounts.bursts * 2, true));
    await session.computed('burst', samples, () => session.bursts(document.typing));
  }
  if (document.blockLine && !session.isFull)
    await session.computed('blockLine', samples,
                           () => session.keystrokes(document.blockLine, amounts.bursts * 2, true));
  if (document.definition && !session.isFull) {
    await session.computed('definitionName', samples,
                           () => session.keystrokes(document.definition, amounts.bursts * 2, true));
    notes.errorsOfDefinition = session.errorsMade;
  }
}

async function measureQueries(session, samples, notes) {
  const { document, amounts, capabilities } = session;
  const textDocument = { uri: document.uri };
  const positions = document.positions(amounts.queries, 1);
  const ask = async (name, method, paramsOf, count) => {
    await session.computed(name, samples, async () => {
      const { samples: times, ...note } = await session.requests(method, paramsOf, count);
      notes[name] = note;
      return times;
    });
  };
  for (const name of ['hover', 'definition'])
    await ask(name, `textDocument/${name}`, (i) => ({ textDocument, position: positions[i] }), positions.length);
  if (capabilities.completionProvider && document.typing) {
    const { line, character } = document.completion ?? document.typing;
    const position = { line, character };
    await ask('completion', 'textDocument/completion', () => ({ textDocument, position }), amounts.completions);
  }
  if (capabilities.documentSymbolProvider)
    await ask('documentSymbol', 'textDocument/documentSymbol', () => ({ textDocument }), amounts.symbols);
  if (capabilities.semanticTokensProvider?.range) {
    const range = (line) => ({ start: { line, character: 0 }, end: { line: line + 200, character: 0 } });
    await ask('semanticTokens', 'textDocument/semanticTokens/range',
              (i) => ({ textDocument, range: range(positions[i].line) }), Math.min(amounts.ranges, positions.length));
  }
}

/** What the client itself costs: messages through `cat`, a spawn of it, and a large text into `wc`. */
export async function measureClient(document) {
  const spawned = [];
  const roundTrip = [];
  for (let i = 0; i < 10; i++) {
    const client = new Client('cat', [], 10000);
    spawned.push((await echo(client)).at - client.startedAt);
    for (let k = 0; k < 100; k++)
      roundTrip.push((await echo(client)).ms);
    client.kill();
  }
  return { spawn: spawned, roundTrip, largeWrite: [await writeLarge(document.open())] };
}

/** A message that `cat` sends back and that the client takes for an answer. */
function echo(client) {
  const message = '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"version":1}}';
  return client.publishedAfter(frame(message), 1);
}

async function writeLarge(pieces) {
  const child = spawn('wc', ['-c'], { stdio: ['pipe', 'pipe', 'ignore'] });
  await pause(50);
  const sentAt = performance.now();
  pieces.forEach((piece) => child.stdin.write(piece));
  child.stdin.end();
  await once(child.stdout, 'data');
  return performance.now() - sentAt;
}
