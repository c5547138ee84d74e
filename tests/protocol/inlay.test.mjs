// Inlay hints over the wire: their shape, their range, and a refresh when settings change.
import assert from 'node:assert/strict';

import { fullCapabilities, range, withServer } from './client.mjs';
import { dump } from './document.mjs';

const uri = 'file:///inlay/a.torchir';
const graph = `graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::add(%x, %x, %one)
  %z : Tensor = aten::sub(%y, %x, %one)
  return (%z)
`;
const refreshing = { ...fullCapabilities, workspace: { inlayHint: { refreshSupport: true } } };

function hintsIn(server, where, of = uri) {
  return server.request('textDocument/inlayHint', { textDocument: { uri: of }, range: where });
}

withServer('names before arguments, values after names', {}, async (server) => {
  server.didOpen(uri, graph);
  const hints = await hintsIn(server, range(2, 0, 2, 100));
  assert.deepEqual(hints, [
    { position: { line: 2, character: 30 }, label: 'other:', kind: 2, paddingRight: true, tooltip: 'Tensor other' },
    { position: { line: 2, character: 34 }, label: 'alpha:', kind: 2, paddingRight: true, tooltip: 'Scalar alpha=1' },
    { position: { line: 2, character: 38 }, label: '= 1', paddingLeft: true },
  ]);
});

withServer('only what is in the range', {}, async (server) => {
  server.didOpen(uri, graph);
  const linesOf = async (...where) => [...new Set((await hintsIn(server, range(...where))).map(({ position }) => position.line))];
  assert.deepEqual(await linesOf(0, 0, 9, 0), [2, 3]);
  assert.deepEqual(await linesOf(3, 0, 3, 0), []);
  assert.deepEqual(await linesOf(0, 0, 1, 40), []);
  assert.deepEqual(await linesOf(3, 30, 2 ** 31 - 1, 2 ** 31 - 1), [3]);
  assert.deepEqual(await linesOf(4, 0, 1, 0), []);
});

withServer('a whole large document gets as many as there is room for', {}, async (server) => {
  server.didOpen(uri, dump(30_000).replaceAll(/aten::relu\((\S+)\)/g, 'aten::sub($1, %x.1, %x.1)'));
  const hints = await hintsIn(server, range(0, 0, 2 ** 31 - 1, 0));
  assert.ok(hints.length > 1000 && hints.length < 21_000, `${hints.length}`);
});

withServer('settings change what is shown, and the client hears of it', { initialize: { capabilities: refreshing } }, async (server) => {
  server.handlers['workspace/inlayHint/refresh'] = () => null;
  server.didOpen(uri, graph);
  assert.equal((await hintsIn(server, range(2, 0, 3, 0))).length, 3);
  const from = server.messages.length;
  server.notify('workspace/didChangeConfiguration', { settings: { onnxls: { inlayHints: { argumentNames: false } } } });
  await server.wait('the refresh', ({ method }) => method === 'workspace/inlayHint/refresh', from);
  assert.deepEqual((await hintsIn(server, range(2, 0, 3, 0))).map(({ label }) => label), ['= 1']);
});

for (const [settings, words] of [[{ inlayHints: 1 }, 'an object'], [{ inlayHints: { argumentNames: 'no' } }, 'true or false'],
  [{ inlayHints: { names: true } }, 'not a kind of hint']]) {
  withServer(`a mistake in ${JSON.stringify(settings)}`, { initialize: { initializationOptions: settings } }, async (server) => {
    server.didOpen(uri, graph);
    await server.notification('window/showMessage', ({ message }) => message.includes(words));
    assert.equal((await hintsIn(server, range(2, 0, 3, 0))).length, 3);
  });
}
