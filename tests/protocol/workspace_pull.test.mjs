// workspace/diagnostic: all files of all folders, open or not; results that still hold, progress, pieces, cancelling.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { message } from '../cli/wire.mjs';
import { frame } from './client.mjs';
import { CREATED, changed, graph, inWorkspace, pulling, symbolic } from './workspace.mjs';

const sound = 'graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::relu(%x)\n  return (%y)\n';
const capabilities = { ...pulling, workspace: { ...pulling.workspace, didChangeWatchedFiles: { dynamicRegistration: true } } };
const files = { 'a.torchir': graph, 'deep/b.torchir': sound, 'plain.py': 'print("hello")\n', 'notes.txt': 'numpy\n' };

const pull = (server, more = {}) => server.request('workspace/diagnostic', { previousResultIds: [], ...more });
const byUri = ({ items }) => new Map(items.map((item) => [item.uri, item]));
const idsOf = ({ items }) => items.filter(({ resultId }) => resultId).map(({ uri, resultId }) => ({ uri, value: resultId }));
const kinds = (report, uri, ...paths) => paths.map((path) => byUri(report).get(uri(path))?.kind);
const codes = (item) => item.items.map(({ code }) => code);

inWorkspace('all files of the workspace are reported, and once found they are unchanged', files, { capabilities }, async (server, { uri, write }) => {
  assert.equal(server.initialized.capabilities.diagnosticProvider.workspaceDiagnostics, true);
  const first = await pull(server);
  assert.deepEqual([...byUri(first).keys()].sort(), [uri('a.torchir'), uri('deep/b.torchir')]);
  assert.deepEqual(codes(byUri(first).get(uri('a.torchir'))), ['unsupported-op']);
  assert.deepEqual(byUri(first).get(uri('deep/b.torchir')).items, []);
  assert.equal(byUri(first).get(uri('a.torchir')).version, null);

  const second = await pull(server, { previousResultIds: idsOf(first) });
  assert.deepEqual(kinds(second, uri, 'a.torchir', 'deep/b.torchir'), ['unchanged', 'unchanged']);
  assert.deepEqual(idsOf(second), idsOf(first));

  write('deep/b.torchir', `${graph}\n`);
  const third = await pull(server, { previousResultIds: idsOf(second) });
  assert.deepEqual(kinds(third, uri, 'a.torchir', 'deep/b.torchir'), ['unchanged', 'full']);
  assert.deepEqual(codes(byUri(third).get(uri('deep/b.torchir'))), ['unsupported-op']);
});

/** A model whose node has an attribute that Relu does not take. */
const info = (name) => message([1, name], [2, message([1, message([1, 1], [2, message([1, message([1, 2])])])])]);
const node = message([1, 'x'], [2, 'y'], [4, 'Relu'], [5, message([1, 'alpha'], [3, 1], [20, 2])]);
const model = message([1, 8], [7, message([1, node], [2, 'g'], [11, info('x')], [12, info('y')])], [8, message([1, ''], [2, 17])]);

inWorkspace('binary models are among them, with places in their text', { 'm.onnx': model, 'cut.onnx': model.subarray(0, -3) }, { capabilities }, async (server, { uri }) => {
  const report = byUri(await pull(server));
  assert.deepEqual(codes(report.get(uri('m.onnx'))), ['unknown-attribute']);
  assert.equal(report.get(uri('m.onnx')).items[0].range.start.line, 5);
  assert.deepEqual(codes(report.get(uri('cut.onnx'))), ['syntax']);
});

inWorkspace('files that come are found, those that go are emptied', files, { capabilities }, async (server, { folder, uri, write }) => {
  const first = await pull(server);
  rmSync(join(folder, 'a.torchir'));
  write('c.torchir', graph);
  changed(server, CREATED, uri('c.torchir'));
  const second = await pull(server, { previousResultIds: idsOf(first) });
  assert.deepEqual(kinds(second, uri, 'a.torchir', 'c.torchir', 'deep/b.torchir'), ['full', 'full', 'unchanged']);
  assert.deepEqual(byUri(second).get(uri('a.torchir')), { kind: 'full', uri: uri('a.torchir'), version: null, items: [] });
});

inWorkspace('a function that is registered changes what is said of dumps', { ...files, 'mine.py': symbolic }, { capabilities }, async (server, { uri, folder }) => {
  const first = await pull(server);
  assert.deepEqual(codes(byUri(first).get(uri('a.torchir'))), []);
  rmSync(join(folder, 'mine.py'));
  changed(server, 3, uri('mine.py'));
  const asked = await server.wait('a refresh', ({ method }) => method === 'workspace/diagnostic/refresh');
  assert.ok(asked);
  const second = await pull(server, { previousResultIds: idsOf(first) });
  assert.deepEqual(codes(byUri(second).get(uri('a.torchir'))), ['unsupported-op']);
});

inWorkspace('an open document is reported as the editor has it', files, { capabilities }, async (server, { uri }) => {
  server.didOpen(uri('a.torchir'), sound, { version: 7 });
  const own = await server.request('textDocument/diagnostic', { textDocument: { uri: uri('a.torchir') } });
  const report = byUri(await pull(server)).get(uri('a.torchir'));
  assert.deepEqual([report.version, report.resultId, report.items], [7, own.resultId, []]);
  const again = await pull(server, { previousResultIds: [{ uri: uri('a.torchir'), value: own.resultId }] });
  assert.equal(byUri(again).get(uri('a.torchir')).kind, 'unchanged');
});

inWorkspace('several roots, each with its own settings', {
  'one/a.torchir': graph, 'one/.onnxls.json': '{ "rules": { "unsupported-op": "warning" } }',
  'two/a.torchir': graph, 'two/inner/b.torchir': graph, 'two/inner/.onnxls.json': '{ "rules": { "unsupported-op": "off" } }',
}, { capabilities, root: 'one' }, async (server, { uri }) => {
  server.notify('workspace/didChangeWorkspaceFolders', { event: { removed: [], added: [{ uri: uri('two'), name: 'two' }, { uri: uri('two/inner'), name: 'inner' }] } });
  const report = await pull(server);
  const found = [...byUri(report)].map(([where, { items }]) => [where, items.map(({ severity }) => severity)]).sort();
  assert.deepEqual(found, [[uri('one/a.torchir'), [2]], [uri('two/a.torchir'), [1]], [uri('two/inner/b.torchir'), []]]);
  assert.equal(report.items.length, 3);

  server.notify('workspace/didChangeWorkspaceFolders', { event: { added: [], removed: [{ uri: uri('two'), name: 'two' }] } });
  const fewer = await pull(server, { previousResultIds: idsOf(report) });
  assert.deepEqual(kinds(fewer, uri, 'one/a.torchir', 'two/inner/b.torchir'), ['unchanged', 'unchanged']);
  assert.deepEqual(byUri(fewer).get(uri('two/a.torchir')).items, []);
});

const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i}.torchir`, graph]));

inWorkspace('results come in pieces, with progress', many, { capabilities }, async (server, { uri }) => {
  const answer = await pull(server, { partialResultToken: 'pieces', workDoneToken: 5 });
  assert.deepEqual(answer, { items: [] });
  const sent = server.messages.filter(({ method }) => method === '$/progress').map(({ params }) => params);
  const pieces = sent.filter(({ token }) => token === 'pieces').map(({ value }) => value.items);
  assert.ok(pieces.length > 1, `${pieces.length} pieces`);
  assert.equal(new Set(pieces.flat().map((item) => item.uri)).size, 200);
  assert.equal(pieces.flat().length, 200);
  const steps = sent.filter(({ token }) => token === 5).map(({ value }) => value);
  assert.deepEqual([steps[0].kind, steps[0].cancellable, steps.at(-1).kind], ['begin', true, 'end']);
  const percents = steps.slice(1, -1).map(({ percentage }) => percentage);
  assert.ok(percents.length > 1 && percents.every((percent, i) => i === 0 || percent > percents[i - 1]), percents.join());
});

inWorkspace('a pull is cancelled by its id and by its progress', many, { capabilities }, async (server) => {
  for (const cancel of ['request', 'progress']) {
    const from = server.messages.length;
    const { id, answer, message } = server.prepare('workspace/diagnostic', { previousResultIds: [], partialResultToken: `${cancel}-pieces`, workDoneToken: cancel });
    const [method, params] = cancel === 'request' ? ['$/cancelRequest', { id }] : ['window/workDoneProgress/cancel', { token: cancel }];
    server.raw(Buffer.concat([frame(message), frame({ jsonrpc: '2.0', method, params })]));  // At once, so it can't be too late.
    await assert.rejects(answer, ({ code }) => code === -32800);
    await server.isAlive();
    const steps = server.messages.slice(from).filter(({ params }) => params?.token === cancel).map(({ params }) => params.value.kind);
    assert.deepEqual(steps, cancel === 'request' ? [] : ['begin', 'end']);
  }
  assert.equal((await pull(server)).items.length, 200);
});

inWorkspace('a session ends in the middle of a pull', many, { capabilities, end: 'none' }, async (server) => {
  pull(server, { partialResultToken: 1 }).catch(() => {});
  await server.notification('$/progress', ({ token }) => token === 1);
  server.notify('exit');
  assert.deepEqual(await server.exited, { code: 1, signal: null });
});

inWorkspace('params that are none are refused', {}, { capabilities }, async (server) => {
  await server.refuses(-32602, 'workspace/diagnostic', {});
  await server.refuses(-32602, 'workspace/diagnostic', { previousResultIds: 5 });
  assert.deepEqual(await pull(server, { previousResultIds: [5, {}, { uri: 'file:///nowhere/x.torchir', value: 'y' }], partialResultToken: {} }),
                   { items: [{ kind: 'full', uri: 'file:///nowhere/x.torchir', version: null, items: [] }] });
});
