// Diagnostics: what they say, pushed and pulled, how often, and how edits, requests and cancels get along with them.
import assert from 'node:assert/strict';

import { frame, fullCapabilities, range, withServer } from './client.mjs';
import { TextModel, dump, rangesOf } from './document.mjs';

const uri = 'file:///diagnostics/a.torchir';
const graph = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%BAD)\n  return (%y)\n';
const pulling = { ...fullCapabilities, workspace: { diagnostics: { refreshSupport: true } },
                  textDocument: { ...fullCapabilities.textDocument, diagnostic: { relatedInformation: true, tagSupport: { valueSet: [1] } } } };
const document = { textDocument: { uri } };

withServer('a diagnostic has its rule, a page, a source and a version', {}, async (server) => {
  server.didOpen(uri, graph);
  const { diagnostics } = await server.diagnostics(uri, 1);
  const found = diagnostics.find(({ code }) => code === 'undefined-value');
  assert.deepEqual({ ...found, message: null, relatedInformation: null }, {
    range: range(1, 27, 1, 31), severity: 1, code: 'undefined-value', source: 'onnxls', message: null, relatedInformation: null,
    codeDescription: found.codeDescription,
  });
  assert.match(found.codeDescription.href, /^https:\/\/.*\/undefined-value\.md$/);
  assert.match(found.message, /%BAD/);
});

withServer('support data, related places and the unnecessary tag', {}, async (server) => {
  const text = `graph(%x : Float(2, strides=[1], requires_grad=0, device=cpu)):
  %unused : int = prim::Constant[value=1]()
  %y : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::special_bessel_j0(%x)
  return (%y)
`;
  server.didOpen(uri, text);
  const { diagnostics } = await server.diagnostics(uri, 1);
  const unsupported = diagnostics.find(({ code }) => code === 'unsupported-op');
  assert.equal(unsupported.data.op, 'aten::special_bessel_j0');
  assert.deepEqual(Object.keys(unsupported.data), ['op', 'opset', 'exporter', 'torch', 'since']);
  assert.equal(unsupported.data.since, null);
  const unused = diagnostics.find(({ code }) => code === 'unused-value');
  assert.deepEqual([unused.severity, unused.tags], [4, [1]]);
});

withServer('thirty edits at once make few publishes, and the last version is one of them', {}, async (server) => {
  const model = new TextModel(graph);
  server.didOpen(uri, graph);
  await server.diagnostics(uri, 1);
  const edits = Array.from({ length: 30 }, (_, i) => frame({ jsonrpc: '2.0', method: 'textDocument/didChange', params: {
    textDocument: { uri, version: i + 2 },
    contentChanges: [model.replace(model.text.indexOf('%BAD'), model.text.indexOf('%BAD') + 4, `%BAD${'x'.repeat(i)}`)] } }));
  server.raw(Buffer.concat(edits));
  const { diagnostics } = await server.diagnostics(uri, 31);
  assert.deepEqual(rangesOf(diagnostics).length, 1);
  // As a rule two; on a machine that is busy it may be a few more, but never one for each edit.
  assert.ok(server.count('textDocument/publishDiagnostics') <= 15, `${server.count('textDocument/publishDiagnostics')} publishes`);
});

withServer('edits one after the other: every pause shows the newest version', {}, async (server) => {
  const model = new TextModel(dump(3000, 100));
  server.didOpen(uri, model.text);
  for (let version = 2; version < 12; version++) {
    server.didChange(uri, version, model.replace(0, 0, '\n'));
    const { diagnostics } = await server.diagnostics(uri, version);
    assert.equal(rangesOf(diagnostics)[0].start.line, 100 + version - 1);
  }
});

withServer('requests between edits see exactly the edits before them', {}, async (server) => {
  const model = new TextModel(dump(20000));
  server.didOpen(uri, model.text);
  const asked = [];
  for (let version = 2; version < 30; version++) {
    server.didChange(uri, version, model.replace(model.text.indexOf('  %x.2 :'), model.text.indexOf('  %x.2 :'), '\n'));
    asked.push([version, server.at('hover', uri, version, 3)]);  // Where %x.2 is in that version, and in no other.
  }
  for (const [version, answer] of asked) {
    const { range: where } = await answer;
    assert.equal(where.start.line, version, `hover after version ${version}`);
  }
});

withServer('pull: full, unchanged, and full again', { initialize: { capabilities: pulling } }, async (server) => {
  server.didOpen(uri, graph);
  const first = await server.request('textDocument/diagnostic', document);
  assert.equal(first.kind, 'full');
  assert.equal(rangesOf(first.items).length, 1);
  const second = await server.request('textDocument/diagnostic', { ...document, previousResultId: first.resultId });
  assert.deepEqual(second, { kind: 'unchanged', resultId: first.resultId });
  server.didChange(uri, 2, { range: range(1, 28, 1, 31), text: 'x' });
  const third = await server.request('textDocument/diagnostic', { ...document, previousResultId: first.resultId });
  assert.equal(third.kind, 'full');
  assert.equal(rangesOf(third.items).length, 0);
  server.didClose(uri);
  server.didOpen(uri, graph, { version: 2 });
  const fourth = await server.request('textDocument/diagnostic', { ...document, previousResultId: third.resultId });
  assert.equal(fourth.kind, 'full');
  assert.equal(server.count('textDocument/publishDiagnostics'), 0);
});

withServer('a burst of edits with a pull after each', { initialize: { capabilities: pulling } }, async (server) => {
  const model = new TextModel(graph);
  server.didOpen(uri, graph);
  const pulls = [];
  for (let version = 2; version < 40; version++) {
    server.didChange(uri, version, model.replace(0, 0, '\n'));
    pulls.push(server.request('textDocument/diagnostic', document));
  }
  const reports = await Promise.all(pulls);
  reports.forEach((report, i) => assert.equal(rangesOf(report.items)[0].start.line, i + 2));
});

withServer('requests that wait for a large dump can be cancelled, before and while they run', {}, async (server) => {
  server.didOpen(uri, dump(30_000));
  const methods = ['semanticTokens/full', 'documentSymbol', 'foldingRange', 'documentLink', 'hover', 'definition'];
  const asked = Array.from({ length: 30 }, (_, i) => server.prepare(`textDocument/${methods[i % methods.length]}`,
                                                                    { ...document, position: { line: i, character: 3 } }));
  server.raw(Buffer.concat(asked.map(({ message }) => frame(message))));
  const from = server.messages.length;
  for (const { id } of asked.filter((_, i) => i % 2 === 0))
    server.notify('$/cancelRequest', { id });
  for (const [i, { answer }] of asked.entries()) {
    if (i % 2 === 1)
      await answer;
    else
      await answer.then(() => {}, (error) => assert.equal(error.code, -32800));
  }
  const cancelled = server.messages.slice(from).filter(({ error }) => error?.code === -32800).length;
  assert.ok(cancelled >= 10, `${cancelled} of 15 were cancelled`);
});

withServer('closing a document answers what waits for it', {}, async (server) => {
  server.didOpen(uri, dump(40_000));
  const answers = [server.at('hover', uri, 1, 3), server.at('definition', uri, 1, 3), server.request('textDocument/documentSymbol', document)];
  server.didClose(uri);
  assert.deepEqual(await Promise.all(answers), [null, [], []]);
});

withServer('a document closed and opened again while it is read', {}, async (server) => {
  for (let round = 1; round <= 5; round++) {
    server.didOpen(uri, dump(20_000, 10_000), { version: round });
    if (round < 5)
      server.didClose(uri);
  }
  assert.equal(rangesOf((await server.diagnostics(uri, 5)).diagnostics).length, 2);
});

withServer('what an answer is worth, for status lines', { initialize: { initializationOptions: { torch: '2.6', opset: 13 } } }, async (server) => {
  const status = (version) => server.request('onnxls/status', document).then((answer) => {
    assert.deepEqual({ ...answer, status: null, why: null }, {
      status: null, why: null, torch: '2.6', torchFrom: answer.torchFrom, exporter: 'torchscript', exporterFrom: 'default',
      opset: 13, opsetFrom: answer.opsetFrom }, `version ${version}`);
    assert.ok(answer.torchFrom && answer.torchFrom !== 'default');
    return [answer.status, answer.why];
  });
  assert.equal(await server.request('onnxls/status', document), null);
  server.didOpen(uri, graph);
  assert.deepEqual(await status(1), ['checked', null]);
  server.didChange(uri, 2, { text: graph.replace('aten::relu', 'prim::CallMethod') });
  const [partly, why] = await status(2);
  assert.equal(partly, 'partly');
  assert.match(why, /^`prim::CallMethod` runs nodes that are not in this text/);
  server.didChange(uri, 3, { text: 'nothing\n' });
  assert.deepEqual(await status(3), ['skipped', 'no graph in there, so there is nothing to check']);
});
