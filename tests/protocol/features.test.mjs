// Every feature on a real dump: that it answers, in the shape that was asked for, at the place that was asked about.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fullCapabilities, range, withServer } from './client.mjs';
import { dump, numbers } from './document.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const real = readFileSync(join(root, 'demo', 'resnet18.torchir'), 'utf8');
assert.ok(existsSync(join(root, 'demo')));
const uri = 'file:///features/a.torchir';
const document = { textDocument: { uri } };
const lines = real.split('\n');

/** Where a line that matches has `word`. */
function find(pattern, word) {
  const line = lines.findIndex((text) => pattern.test(text));
  return { line, character: lines[line].indexOf(word) + 1 };
}

function contains(outer, inner) {
  const before = (a, b) => a.line < b.line || (a.line === b.line && a.character <= b.character);
  return before(outer.start, inner.start) && before(inner.end, outer.end);
}

/** Calls `visit(symbol, parent)` for all symbols of a tree. */
function eachSymbol(symbols, visit, parent = null) {
  for (const symbol of symbols) {
    visit(symbol, parent);
    eachSymbol(symbol.children ?? [], visit, symbol);
  }
}

withServer('hover, definition, references and highlights of a value', {}, async (server) => {
  server.didOpen(uri, real);
  const use = find(/aten::(batch_norm|relu)/, '%');
  const hover = await server.at('hover', uri, use.line, use.character);
  assert.equal(hover.contents.kind, 'markdown');
  assert.ok(contains(hover.range, { start: use, end: use }));
  const references = await server.at('references', uri, use.line, use.character, { context: { includeDeclaration: true } });
  assert.ok(references.some((place) => place.uri === uri && contains(place.range, { start: use, end: use })));
  const without = await server.at('references', uri, use.line, use.character, { context: { includeDeclaration: false } });
  assert.equal(without.length, references.length - 1);
  const [target] = await server.at('definition', uri, references.at(-1).range.start.line, references.at(-1).range.start.character + 1);
  assert.equal(target.targetUri, uri);
  assert.ok(contains(target.targetRange, target.targetSelectionRange));
  assert.deepEqual(target.targetSelectionRange.start, references[0].range.start);
  const highlights = await server.at('documentHighlight', uri, use.line, use.character);
  assert.deepEqual(highlights.map(({ range: where }) => where), references.map(({ range: where }) => where));
  assert.equal(highlights.filter(({ kind }) => kind === 3).length, 1);
});

withServer('symbols as a tree, each inside its parent', {}, async (server) => {
  server.didOpen(uri, real);
  const symbols = await server.request('textDocument/documentSymbol', document);
  let count = 0;
  eachSymbol(symbols, (symbol, parent) => {
    count++;
    assert.ok(symbol.name.length > 0);
    assert.ok(contains(symbol.range, symbol.selectionRange), symbol.name);
    assert.ok(!parent || contains(parent.range, symbol.range), symbol.name);
  });
  assert.ok(count > 10, `${count} symbols`);
});

const flat = { ...fullCapabilities, textDocument: { ...fullCapabilities.textDocument, documentSymbol: {}, definition: {} } };
withServer('symbols as a list, definitions as locations', { initialize: { capabilities: flat } }, async (server) => {
  server.didOpen(uri, real);
  const symbols = await server.request('textDocument/documentSymbol', document);
  assert.ok(symbols.length > 10);
  assert.ok(symbols.every(({ location }) => location.uri === uri));
  assert.ok(symbols.some(({ containerName }) => containerName));
  const use = find(/aten::(batch_norm|relu)/, '(%');
  const [place] = await server.at('definition', uri, use.line, use.character + 1);
  assert.equal(place.uri, uri);
});

withServer('folding ranges, no more than the client takes', { initialize: { capabilities: { ...fullCapabilities,
  textDocument: { ...fullCapabilities.textDocument, foldingRange: { lineFoldingOnly: true, rangeLimit: 1 } } } } }, async (server) => {
  server.didOpen(uri, real);
  const folds = await server.request('textDocument/foldingRange', document);
  assert.equal(folds.length, 1);
  assert.ok(folds[0].endLine > folds[0].startLine);
});

withServer('selection ranges for several positions, from the inside out', {}, async (server) => {
  server.didOpen(uri, real);
  const positions = [find(/aten::relu/, '%'), { line: 0, character: 0 }, { line: 1e6, character: 5 }];
  const chains = await server.request('textDocument/selectionRange', { ...document, positions });
  assert.equal(chains.length, positions.length);
  for (let chain = chains[0]; chain.parent; chain = chain.parent)
    assert.ok(contains(chain.parent.range, chain.range));
  assert.ok(contains(chains[0].range, { start: positions[0], end: positions[0] }));
});

withServer('document links', {}, async (server) => {
  const there = fileURLToPath(import.meta.url);
  const source = `%y : Tensor = aten::relu(%x) # ${there}:12:0`;
  server.didOpen(uri, `graph(%x : Tensor):\n  ${source}\n  %z : Tensor = aten::relu(%y) # /no/such.py:3:0\n  return (%z)\n`);
  const links = await server.request('textDocument/documentLink', document);
  assert.deepEqual(links.map(({ range: where }) => where), [range(1, 2 + source.indexOf('/'), 1, 2 + source.length)]);
  assert.match(links[0].target, /^file:\/\/\/.*\/features\.test\.mjs#L12,1$/);
});

/** Absolute tokens of a `data` array; checks that they are in order and do not overlap. */
function tokensOf(data) {
  const tokens = [];
  let line = 0;
  let character = 0;
  for (let i = 0; i < data.length; i += 5) {
    assert.ok(data[i] > 0 || i === 0 || data[i + 1] >= data[i - 3], `token ${i / 5} overlaps`);
    line += data[i];
    character = data[i] > 0 ? data[i + 1] : character + data[i + 1];
    tokens.push({ line, character, length: data[i + 2], type: data[i + 3] });
  }
  return tokens;
}

/** Applies a delta the way clients do. */
function apply(data, edits) {
  const result = [...data];
  for (const { start, deleteCount, data: added = [] } of [...edits].sort((a, b) => b.start - a.start))
    result.splice(start, deleteCount, ...added);
  return result;
}

withServer('semantic tokens: the range is the part of the full answer', {}, async (server) => {
  server.didOpen(uri, real);
  const { data } = await server.request('textDocument/semanticTokens/full', document);
  const full = tokensOf(data);
  assert.ok(full.length > 500, `${full.length} tokens`);
  const types = server.initialized.capabilities.semanticTokensProvider.legend.tokenTypes.length;
  for (const token of full) {
    assert.ok(token.type < types);
    assert.ok(token.length > 0 && token.character + token.length <= lines[token.line].length, `line ${token.line}`);
  }
  const part = await server.request('textDocument/semanticTokens/range', { ...document, range: range(10, 0, 20, 0) });
  // Whole lines are fine, nothing may be missing.
  const tokens = tokensOf(part.data);
  assert.deepEqual(tokens, full.filter(({ line }) => line >= tokens[0].line && line <= tokens.at(-1).line));
  assert.ok(tokens[0].line === 10 && [19, 20].includes(tokens.at(-1).line));
  assert.equal(part.resultId, undefined);
});

withServer('semantic tokens: deltas lead to what a full answer says', {}, async (server) => {
  const random = numbers(3);
  server.didOpen(uri, dump(300));
  let { data, resultId } = await server.request('textDocument/semanticTokens/full', document);
  for (let version = 2; version < 40; version++) {
    const line = 1 + random(250);
    const edit = version % 3 === 0 ? { range: range(line, 0, line + random(3), 0), text: '' }
      : version % 3 === 1 ? { range: range(line, 0, line, 0), text: '  %new : Tensor = aten::relu(%x.1)\n' }
        : { range: range(line, 4, line, 4), text: 'q' };
    server.didChange(uri, version, edit);
    const delta = await server.request('textDocument/semanticTokens/full/delta', { ...document, previousResultId: resultId });
    assert.ok(delta.edits.length <= 1 && (delta.edits[0]?.data?.length ?? 0) < 200, 'a small edit makes a small delta');
    data = apply(data, delta.edits);
    ({ resultId } = delta);
    const full = await server.request('textDocument/semanticTokens/full', document);
    assert.deepEqual(data, full.data);
    ({ resultId } = full);
  }
  const unchanged = await server.request('textDocument/semanticTokens/full/delta', { ...document, previousResultId: resultId });
  assert.deepEqual(unchanged.edits, []);
  const unknown = await server.request('textDocument/semanticTokens/full/delta', { ...document, previousResultId: 'unknown' });
  assert.deepEqual(unknown.data, data);
});

withServer('every feature at many places of a real dump', {}, async (server) => {
  const random = numbers(11);
  server.didOpen(uri, real);
  const asked = [];
  for (let i = 0; i < 300; i++) {
    const line = random(lines.length);
    const place = [uri, line, random(lines[line].length + 1)];
    asked.push(server.at('hover', ...place), server.at('definition', ...place), server.at('documentHighlight', ...place),
               server.at('references', ...place, { context: { includeDeclaration: true } }));
  }
  await Promise.all(asked);
});

const progressing = { ...fullCapabilities, window: { workDoneProgress: true } };
withServer('progress of a large dump begins, rises and ends', { initialize: { capabilities: progressing } }, async (server) => {
  server.didOpen(uri, dump(250_000));
  await server.diagnostics(uri, 1);
  const steps = server.messages.filter(({ method }) => method === '$/progress').map(({ params }) => params.value);
  assert.equal(steps[0]?.kind, 'begin');
  assert.equal(steps.at(-1).kind, 'end');
  assert.equal(steps.filter(({ kind }) => kind !== 'report').length, 2);
  const percentages = steps.slice(0, -1).map(({ percentage }) => percentage);
  assert.deepEqual(percentages, [...percentages].sort((a, b) => a - b));
});

withServer('progress ends when the document is closed', { initialize: { capabilities: progressing } }, async (server) => {
  server.didOpen(uri, dump(250_000));
  await server.notification('$/progress');
  server.didClose(uri);
  await server.notification('$/progress', ({ value }) => value.kind === 'end');
});

withServer('no progress without the token', { initialize: false }, async (server) => {
  server.handlers['window/workDoneProgress/create'] = () => undefined;
  await server.initialize({ capabilities: progressing });
  server.didOpen(uri, dump(60_000));
  await server.diagnostics(uri, 1);
  assert.equal(server.count('$/progress'), 0);
});

withServer('no progress for small documents', { initialize: { capabilities: progressing } }, async (server) => {
  server.didOpen(uri, real);
  await server.diagnostics(uri, 1);
  assert.equal(server.count('window/workDoneProgress/create'), 0);
});

// The way from a node to the outputs may be longer than one walk goes; diagnostics know its end from the nodes after.
withServer('hover and diagnostics agree on what is removed after a long way', {}, async (server) => {
  const count = 400;
  const chain = Array.from({ length: count }, (_, i) => `  %${i + 1} : Tensor = aten::lgamma(%${i || 'x'})`);
  const text = (output) => `graph(%x : Tensor):\n${chain.join('\n')}\n  return (%${output})\n`;
  server.didOpen(uri, text('x'));
  const refused = async (version) => (await server.diagnostics(uri, version)).diagnostics
    .filter(({ code }) => code === 'unsupported-op').length;
  const hover = async (line) => (await server.at('hover', uri, line, 26)).contents.value;
  const removed = /can't convert it at any opset\. But it never gets there: a pass before removes or folds it\./;
  assert.equal(await refused(1), 0);
  for (const line of [1, 100, count])
    assert.match(await hover(line), removed, `line ${line}`);
  server.didChange(uri, 2, { text: text(count - 1) });
  assert.equal(await refused(2), count - 1);
  for (const line of [1, 100, count - 1])
    assert.doesNotMatch(await hover(line), /never gets there/, `line ${line}`);
  assert.match(await hover(count), removed);
});
