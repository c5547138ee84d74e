// Documents in step with the client: every kind of edit, encoding and line ending, and what happens when they are lost.
import assert from 'node:assert/strict';

import { fullCapabilities, range, withServer } from './client.mjs';
import { TextModel, UNDEFINED, dump, numbers, rangesOf } from './document.mjs';

const uri = 'file:///sync/a.torchir';
const graph = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%BAD1)\n  return (%y)\n';

function offering(encodings) {
  return { capabilities: { ...fullCapabilities, general: { positionEncodings: encodings } } };
}

/** The undefined values that the server reports are those of the model, at its positions. */
async function agrees(server, model, version) {
  const { diagnostics } = await server.diagnostics(uri, version);
  const bad = diagnostics.filter(({ message }) => message.includes('%BAD'));  // An edit may take away other definitions, too.
  assert.deepEqual(rangesOf(bad), model.find(UNDEFINED), `after version ${version}`);
}

for (const [offered, expected] of [
  [undefined, 'utf-16'], [[], 'utf-16'], [['utf-16'], 'utf-16'], [['utf-8', 'utf-16', 'utf-32'], 'utf-8'],
  [['utf-32', 'utf-8', 'utf-16'], 'utf-32'], [['ebcdic', 'utf-8'], 'utf-8'], [['ebcdic'], 'utf-16'], [[7, null], 'utf-16'],
]) {
  withServer(`position encodings ${JSON.stringify(offered)} make ${expected}`, { initialize: offering(offered) }, async (server) => {
    assert.equal(server.initialized.capabilities.positionEncoding, expected);
  });
}

for (const encoding of ['utf-8', 'utf-16', 'utf-32']) {
  withServer(`columns after characters of every width, in ${encoding}`, { initialize: offering([encoding]) }, async (server) => {
    const model = new TextModel(graph, encoding);
    server.didOpen(uri, model.text);
    await agrees(server, model, 1);
    const line = '  %z : Tensor = onnx::Relu[name="é ∀ 😀 𝕏"](%BAD2) # /é😀.py:1:2\n';
    server.didChange(uri, 2, model.replace(model.text.indexOf('  return'), model.text.indexOf('  return'), line));
    await agrees(server, model, 2);
    // Into the middle of the wide characters, and away again.
    const emoji = model.text.indexOf('😀');
    server.didChange(uri, 3, model.replace(emoji, emoji, '𝕐é'), model.replace(emoji - 2, emoji, ''));
    await agrees(server, model, 3);
    server.didChange(uri, 4, model.replace(model.text.indexOf('BAD2'), model.text.indexOf('BAD2') + 4, 'BAD22'));
    await agrees(server, model, 4);
  });
}

for (const [name, end] of [['LF', '\n'], ['CRLF', '\r\n'], ['CR', '\r']]) {
  withServer(`lines that end with ${name}`, {}, async (server) => {
    const model = new TextModel(graph.replaceAll('\n', end));
    server.didOpen(uri, model.text);
    await agrees(server, model, 1);
    const before = model.text.indexOf('  return');
    server.didChange(uri, 2, model.replace(before, before, `  %w : Tensor = aten::relu(%BAD3)${end}`));
    await agrees(server, model, 2);
  });
}

withServer('ranged and full changes mixed in one notification', {}, async (server) => {
  const model = new TextModel(graph);
  server.didOpen(uri, model.text);
  server.didChange(uri, 2,
                   model.replace(0, 5, 'GRAPH'),
                   model.replaceAll(graph.replace('BAD1', 'BAD7')),
                   model.replace(model.text.indexOf('BAD7') + 3, model.text.indexOf('BAD7') + 4, '88'),
                   model.replace(model.text.length, model.text.length, '\n'));
  await agrees(server, model, 2);
  server.didChange(uri, 3, model.replaceAll('graph(%BAD :\n'), model.replaceAll(graph));
  await agrees(server, model, 3);
  server.didChange(uri, 4);
  await agrees(server, model, 4);
});

withServer('a thousand random edits of whole lines, twenty at a time', {}, async (server) => {
  const random = numbers(7);
  const lines = dump(200, 9).split('\n');
  const model = new TextModel(lines.join('\n'));
  server.didOpen(uri, model.text);
  let version = 1;
  for (let round = 0; round < 50; round++) {
    const changes = [];
    for (let i = 0; i < 20; i++) {
      const all = model.lines();
      const line = 1 + random(all.length - 2);
      const insert = random(2) === 0;
      const text = insert ? `  %r${round}x${i} : Tensor = onnx::Relu[name="${'é😀x'.repeat(random(3))}"](%BAD${random(1000)})\n` : '';
      changes.push(model.replace(all[line].start, insert ? all[line].start : all[line + 1]?.start ?? all[line].start, text));
    }
    server.didChange(uri, ++version, ...changes);
    if (round % 10 === 9)
      await agrees(server, model, version);
  }
});

withServer('text with NUL, unpaired surrogates and escapes of every kind', {}, async (server) => {
  const name = '"\\u0000 \\ud800 \\udc00 \\ud83d\\ude00 \\b\\f\\/ \\u00e9"';
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'textDocument/didOpen', params: {
    textDocument: { uri, languageId: 'torch-ir', version: 1, text: graph.replace('aten::relu', 'onnx::Relu[name=@]') } } })
    .replace('@', name.replaceAll('"', ''));
  server.raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const { diagnostics } = await server.diagnostics(uri, 1);
  const line = '  %y : Tensor = onnx::Relu[name=\u0000 \ufffd \ufffd \u{1F600} \b\f/ \u00e9](';
  assert.deepEqual(rangesOf(diagnostics).map(({ start }) => start), [{ line: 1, character: line.length }]);
});

withServer('a document opened twice takes the new text', {}, async (server) => {
  server.didOpen(uri, graph);
  server.didOpen(uri, graph.replace('BAD1', 'BAD12'), { version: 7 });
  const { diagnostics } = await server.diagnostics(uri, 7);
  assert.equal(rangesOf(diagnostics)[0].end.character, '  %y : Tensor = aten::relu(%BAD12'.length);
  assert.match((await server.notification('window/logMessage')).message, /opened twice/);
});

withServer('versions: missing, null and going backwards', {}, async (server) => {
  const model = new TextModel(graph);
  const open = { uri, languageId: 'torch-ir', text: graph };
  server.notify('textDocument/didOpen', { textDocument: open });
  await agrees(server, model, undefined);
  server.notify('textDocument/didChange', { textDocument: { uri, version: null }, contentChanges: [model.replace(0, 0, '\n')] });
  await server.notification('textDocument/publishDiagnostics', ({ diagnostics }) => rangesOf(diagnostics)[0]?.start.line === 2);
  server.didChange(uri, 5, model.replace(0, 0, '\n'));
  await agrees(server, model, 5);
  server.didChange(uri, 4, model.replace(0, 0, '\n'));
  await agrees(server, model, 4);
  assert.match((await server.notification('window/logMessage')).message, /version 4 .* after version 5/);
});

for (const [name, changes, cause] of [
  ['a reversed range', [{ range: range(2, 0, 1, 0), text: '' }], /made no sense/],
  ['a good edit and then a bad one', [{ range: range(0, 0, 0, 0), text: ' ' }, { range: range(1, 5, 1, 2), text: '' }], /made no sense/],
  ['a change that is not a change', [{ range: range(0, 0, 0, 0) }], /could not be read/],
  ['a range that is none', [{ range: 7, text: '' }], /could not be read/],
  ['no list of changes', undefined, /could not be read/],
]) {
  withServer(`lost track by ${name}; found again by a full text, and by reopening`, {}, async (server) => {
    const document = { textDocument: { uri } };
    server.didOpen(uri, graph);
    await server.diagnostics(uri, 1);
    for (let round = 0; round < 2; round++) {
      const from = server.messages.length;
      server.notify('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: changes });
      server.didChange(uri, 3, { range: range(0, 0, 0, 0), text: 'more' });
      const cleared = await server.notification('textDocument/publishDiagnostics', (params) => params.uri === uri, from);
      assert.deepEqual(cleared.diagnostics, []);
      assert.match((await server.notification('window/showMessage', () => true, from)).message, cause);
      assert.deepEqual(await server.request('textDocument/documentSymbol', document), []);
      assert.equal(await server.at('hover', uri, 1, 3), null);
      assert.equal(server.messages.slice(from).filter(({ method }) => method === 'window/showMessage').length, 1);
      if (round === 0) {
        server.didChange(uri, 4, { text: graph });
        assert.equal(rangesOf((await server.diagnostics(uri, 4)).diagnostics).length, 1);
      } else {
        server.didClose(uri);
        server.didOpen(uri, graph, { version: 5 });
        assert.equal(rangesOf((await server.diagnostics(uri, 5)).diagnostics).length, 1);
      }
    }
  });
}

withServer('diagnostics are cleared on close', {}, async (server) => {
  server.didOpen(uri, graph);
  await server.diagnostics(uri, 1);
  const from = server.messages.length;
  server.didClose(uri);
  const { diagnostics, version } = await server.notification('textDocument/publishDiagnostics', () => true, from);
  assert.deepEqual([diagnostics, version], [[], undefined]);
});

withServer('a line of 10 MB', {}, async (server) => {
  const wide = `# ${'é😀 %BAD '.repeat(800_000)}\n`;
  assert.ok(Buffer.byteLength(wide) > 9_000_000);
  const model = new TextModel(graph);
  server.didOpen(uri, wide + graph);
  const { diagnostics } = await server.diagnostics(uri, 1);
  assert.deepEqual(rangesOf(diagnostics).at(-1)?.start.line, 2);
  server.didChange(uri, 2, { range: range(2, 0, 2, 0), text: '  ' });
  await server.diagnostics(uri, 2);
  server.didChange(uri, 3, { range: range(0, 0, 1, 0), text: '' }, { range: range(1, 0, 1, 2), text: '' });
  await agrees(server, model, 3);
});

withServer('documents without a file', {}, async (server) => {
  for (const strange of ['untitled:Untitled-1', 'onnxls:/x', '', 'file:///a%20b/%zz', 'file:///é😀']) {
    server.didOpen(strange, graph);
    if (strange)
      assert.equal(rangesOf((await server.diagnostics(strange, 1)).diagnostics).length, 1);
    server.didClose(strange);
  }
});
