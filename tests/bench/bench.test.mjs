// Tests of the bench itself: what it generates is correct, and it measures what it says. Run with `node --test`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from './client.mjs';
import { BenchDocument } from './document.mjs';
import { exportedProgram } from './generate-fx.mjs';
import { mlirChain, parseCount, torchDump, UNSUPPORTED } from './generate.mjs';
import { symbolicFile } from './generate-python.mjs';
import { measureDocument, QUICK } from './measure.mjs';
import { PythonDocument } from './python-document.mjs';
import { checks, comparison, summarize } from './report.mjs';

const FAKE = fileURLToPath(new URL('fake-server.mjs', import.meta.url));
/** A server that takes longer than this hangs. */
const PATIENCE_MS = 120_000;
const BENCH = fileURLToPath(new URL('bench.mjs', import.meta.url));

function fake(...args) {
  return { command: process.execPath, args: [FAKE, ...args], name: 'fake' };
}

/** Names that are used before they are defined, or defined twice; names of a block end with it. */
function wrongNames(dump) {
  const scopes = [new Set()];
  const wrong = [];
  const isKnown = (name) => scopes.some((scope) => scope.has(name));
  for (const line of dump.split('\n')) {
    const split = line.indexOf(' = ');
    const isHead = /^graph\(|^ {6}%input|^ +block/.test(line);
    const names = (part) => part.match(/%[\w.]+/g) ?? [];
    if (/^ +block/.test(line))
      scopes.push(new Set());
    wrong.push(...(isHead ? [] : names(line.slice(Math.max(split, 0)))).filter((name) => !isKnown(name)));
    if (/^ +->/.test(line))
      scopes.pop();
    for (const name of isHead ? names(line) : names(line.slice(0, Math.max(split, 0)))) {
      if (isKnown(name))
        wrong.push(name);
      scopes.at(-1).add(name);
    }
  }
  return wrong;
}

test('exported programs have the size asked for, each value before its use, and the same bytes every time', () => {
  for (const bytes of [10_000, 1_000_000]) {
    const text = exportedProgram(bytes);
    assert.ok(Math.abs(text.length / bytes - 1) < 0.1, `${text.length} of ${bytes}`);
    const seen = new Set(text.match(/\bp_\w+(?=: ")|\bx(?=: ")/g));
    for (const [, name, inputs] of text.matchAll(/^ {12}(\w+): ".*" = torch\.ops[\w.]+\(([^)]*)\)/gm)) {
      const unknown = inputs.split(', ').filter((input) => /^[a-z]/.test(input) && !seen.has(input));
      assert.deepEqual(unknown, []);
      assert.ok(!seen.has(name), name);
      seen.add(name);
    }
    assert.equal(exportedProgram(bytes), text);
  }
});

test('dumps have the nodes asked for, each value before its use, and the same bytes every time', () => {
  for (const nodes of [20, 97, 1000, 12345]) {
    const dump = torchDump(nodes);
    assert.equal(dump.match(/ = /g).length, nodes);
    assert.deepEqual(wrongNames(dump), []);
    assert.equal(dump, torchDump(nodes));
  }
});

test('as many unsupported operators as asked for, far from each other', () => {
  const lines = torchDump(20000, 100).split('\n');
  const isUnsupported = (line) => UNSUPPORTED.some((op) => line.includes(`aten::${op}(`));
  const found = [...lines.keys()].filter((i) => isUnsupported(lines[i]));
  assert.equal(found.length, 100);
  assert.ok(found.every((line, i) => i === 0 || line - found[i - 1] > 50));
  assert.deepEqual(wrongNames(lines.join('\n')), []);
});

test('the peer gets as many operations', () => {
  const text = mlirChain(5000);
  assert.equal(text.match(/arith\.addf/g).length, 5000);
  assert.ok(text.endsWith(`  return %v5001 : tensor<8x512xf32>\n}\n`));
});

test('counts are read with k and M', () => {
  assert.deepEqual(['20', '10k', '1.6M'].map(parseCount), [20, 10000, 1600000]);
  assert.ok(['', 'k', '1G', '-5', '1e3'].every((word) => Number.isNaN(parseCount(word))));
});

test('the typed character is the last digit of a name, and the rest of it is an earlier value', () => {
  const document = new BenchDocument(torchDump(5000), 'torch-ir');
  const { line, character, remove } = document.typing;
  assert.match(remove, /\d/);
  assert.equal(document.line(line)[character], remove);
  assert.ok(Math.abs(line - document.lineCount / 2) < 100);
  assert.match(document.line(document.blockLine.line), /^      %/);
  for (const { line: at, character: column } of document.positions(100, 7))
    assert.match(document.line(at).slice(column - 1), /^%\w/);
});

test('a Python file has the size asked for, each function once, and the same bytes every time', () => {
  for (const bytes of [20000, 220000]) {
    const text = symbolicFile(bytes);
    assert.ok(text.length >= bytes && text.length < bytes + 1000);
    assert.equal(text, symbolicFile(bytes));
    const names = [...text.matchAll(/^def (\w+)/gm)].map((match) => match[1]);
    const registered = [...text.matchAll(/^register_custom_op_symbolic\(".*", (\w+), \d+\)$/gm)].map((match) => match[1]);
    assert.deepEqual(registered, names);
    assert.equal(new Set(names).size, names.length);
  }
});

test('what is typed into a Python file is a digit, what breaks it a suffix; places are names', () => {
  const document = new PythonDocument(symbolicFile(50000), false);
  const { typing, breaking, completion } = document;
  assert.match(document.line(typing.line).slice(0, typing.character + 1), /_f=0\.\d\d$/);
  assert.equal(document.line(typing.line)[typing.character], typing.remove);
  assert.match(document.line(breaking.line).slice(0, breaking.character), /_f$/);
  assert.match(document.line(completion.line).slice(0, completion.character), /g\.op\("$/);
  assert.ok(Math.abs(typing.line - document.lineCount / 2) < 100);
  for (const { line, character } of document.positions(100, 7))
    assert.match(document.line(line).slice(character - 1), /^[A-Za-z_]\w+[(",]/);
  const peer = new PythonDocument(document.text, true);
  assert.equal(peer.breaking, null);
  assert.match(peer.line(peer.completion.line).slice(0, peer.completion.character), /math\.$/);
});

test('a server without versions is measured, and what need not be broken is not', async () => {
  const document = new PythonDocument(symbolicFile(50000), true);
  const amounts = { ...QUICK, edits: 4, bursts: 2, queries: 4, completions: 2 };
  const server = { ...fake('versionless'), isVersionless: true };
  const { samples } = await measureDocument(server, document, amounts, PATIENCE_MS);
  assert.equal(samples.keystroke.length, 4);
  assert.equal(samples.completion.length, 2);
  assert.equal(samples.breaking, undefined);
});

test('diagnostics without a version are not those that are waited for', async () => {
  const { command, args } = fake('versionless');
  const document = new PythonDocument(symbolicFile(50000), true);
  const client = new Client(command, args, PATIENCE_MS);
  await client.initialize();
  let isSettled = false;
  const published = client.publishedAfter(document.open(), 1).finally(() => { isSettled = true; });
  published.catch(() => {});
  await client.request('textDocument/hover', {});  // Its answer comes after the diagnostics.
  assert.equal(isSettled, false);
  client.kill();
  await assert.rejects(published, /the server ended/);
});

for (const args of [[], ['padded'], ['full'], ['full', 'padded']]) {
  test(`a session is measured and edits do what they say (${args.join(' ') || 'incremental'})`, async () => {
    const document = new BenchDocument(torchDump(1200), 'torch-ir');
    const amounts = { ...QUICK, edits: 6, bursts: 2, queries: 10, completions: 2 };
    const { samples, notes } = await measureDocument(fake(...args), document, amounts, PATIENCE_MS);
    assert.equal(notes.errors, 0);
    assert.equal(notes.sync, args.includes('full') ? 'full' : 'incremental');
    assert.equal(samples.keystroke.length, 6);
    assert.equal(samples.breaking.length, 4);
    assert.equal(samples.burst.length, 2);
    assert.equal(samples.blockLine?.length, args.includes('full') ? undefined : 4);
    assert.equal(samples.hover.length, 10);
    assert.equal(notes.definition.empty, 10);
    for (const [name, values] of Object.entries(samples))
      assert.ok(values.every((value) => value === null || value > 0 || (name.endsWith('Cpu') && value === 0)), name);
    for (const name of ['keystroke', 'breaking', 'burst', 'hover', 'definition'])
      assert.equal(samples[`${name}Cpu`].length, 1, name);
    if (!args.includes('full'))
      assert.ok(notes.errorsOfDefinition > 10);
  });
}

test('a server that can not be started, ends, or says nothing is given up', async () => {
  await assert.rejects(new Client('/does/not/exist', [], PATIENCE_MS).initialize(), /can't start/);
  await assert.rejects(new Client('false', [], PATIENCE_MS).initialize(), /ended with 1/);
  const silent = new Client('sleep', ['1000'], 50);
  await assert.rejects(silent.initialize(), /no answer to initialize within/);
  silent.kill();
});

test('sums', () => {
  assert.equal(summarize([]), undefined);
  assert.deepEqual(summarize([3, 1, 2]), { n: 3, min: 1, p50: 2, p99: 3, max: 3 });
  assert.equal(summarize([4, 1, 2, 3]).p50, 2.5);
  assert.equal(summarize(Array.from({ length: 1000 }, (_, i) => i + 1)).p99, 990);
});

test('promises are ratios: kept, broken by the peer, broken by growth', () => {
  const entry = (nodes, server, peer) => ({
    nodes, server: Object.fromEntries(Object.entries(server).map(([name, p50]) => [name, { p50 }])),
    peer: peer && Object.fromEntries(Object.entries(peer).map(([name, p50]) => [name, { p50 }])),
  });
  const small = entry(10000, { open: 10, keystroke: 1 });
  const fast = { open: 100, keystroke: 1.2, burst: 3, memoryOpen: 30 };
  const peer = { open: 300, keystroke: 300, burst: 3000, memoryOpen: 150 };
  const broken = (documents) => checks({ documents }).filter(([isKept]) => !isKept).map(([, text]) => text);
  assert.deepEqual(broken([small, entry(100000, fast, peer)]), []);
  assert.match(broken([small, entry(100000, { ...fast, open: 180 }, peer)]).join(), /open.*faster.*open.*10k/);
  assert.match(broken([small, entry(100000, { ...fast, keystroke: 9 }, null)]).join(), /keystroke.*10k/);
  assert.deepEqual(broken([small, entry(100000, fast, null)]), []);
});

test('two builds are compared by computing time and memory, and by what both have', () => {
  const result = (figures) => Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, summarize(value)]));
  const document = {
    name: 'some', server: result({ open: [9], openCpu: [3, 2, 4], memoryOpen: [11e6] }),
    peer: result({ open: [1], openCpu: [2, 2, 1], memoryOpen: [10e6], hoverCpu: [1] }),
  };
  const rows = comparison({ documents: [document] }).trim().split('\n').slice(2);
  assert.deepEqual(rows.map((row) => row.split(' | ').slice(1, 6).join(', ').replace(' |', '')),
                   ['open to diagnostics, 2.00 ms, 3.00 ms, 1.50, 2.00', 'resident memory after open, 10 MB, 11 MB, 1.10, 1.10']);
});

test('the command says what is wrong with its arguments', () => {
  for (const args of [['--sizes', '5'], ['--no-such'], ['--repeat', '0'], ['--server', '/does/not/exist']]) {
    const { status, stderr } = spawnSync(process.execPath, [BENCH, ...args], { encoding: 'utf8' });
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^bench: /);
  }
});
