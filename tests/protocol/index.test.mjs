// The index of the workspace: symbolic functions in Python files count as support in dumps, open or not.
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { patiently } from './client.mjs';
import { graph, symbolic, helper, settings, pulling, inWorkspace, changed, CREATED, CHANGED, DELETED, isRefused, until, openConverted } from './workspace.mjs';

inWorkspace('a function of a closed file converts an operator', { 'src/ops.py': symbolic, 'a.torchir': graph }, {},
            async (server, { uri }) => {
  await openConverted(server, uri('a.torchir'));
});

inWorkspace('typing in the Python file counts at once', { 'ops.py': symbolic }, {}, async (server, { uri }) => {
  await openConverted(server, uri('a.torchir'));
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  await server.diagnostics(uri('ops.py'), 1);
  const [before, after] = [symbolic.split('\n'), symbolic.split('\n')];
  const line = before.findIndex((text) => text.startsWith('register'));
  after[line] = '';
  let version = 1;
  for (const [text, refused] of [[after, true], [before, false], [after, true], [before, false]]) {
    const start = { line, character: 0 };
    const end = { line, character: 200 };
    const from = server.messages.length;
    server.didChange(uri('ops.py'), ++version, { range: { start, end }, text: text[line] });
    await until(server, uri('a.torchir'), refused, from);
  }
  // Another opset: the export takes it no more.
  const from = server.messages.length;
  server.didChange(uri('ops.py'), ++version, { text: symbolic.replace('9)', '18)') });
  const { diagnostics } = await until(server, uri('a.torchir'), true, from);
  assert.match(diagnostics.find(({ code }) => code === 'op-needs-newer-opset').message, /from opset 18 on/);
});

inWorkspace('pull clients are told to pull again', { 'ops.py': symbolic }, { capabilities: pulling }, async (server, { uri }) => {
  server.handlers['workspace/codeLens/refresh'] = () => null;
  const pull = async (previousResultId) =>
    server.request('textDocument/diagnostic', { textDocument: { uri: uri('a.torchir') }, previousResultId });
  const pulled = async (refused) => {
    for (let from = 0, answer = await pull(); ; answer = await pull(answer.resultId)) {
      if (answer.kind === 'full' && isRefused({ diagnostics: answer.items }) === refused)
        return;
      await server.wait('a refresh', ({ method }) => method === 'workspace/diagnostic/refresh', from);
      from = server.messages.length;
    }
  };
  server.didOpen(uri('a.torchir'), graph);
  await pulled(false);
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  await server.request('textDocument/diagnostic', { textDocument: { uri: uri('ops.py') } });
  for (const [version, text, refused] of [[2, symbolic.replace(/^register.*/m, ''), true], [3, symbolic, false]]) {
    const from = server.messages.length;
    server.didChange(uri('ops.py'), version, { text });
    await server.wait('a refresh', ({ method }) => method === 'workspace/diagnostic/refresh', from);
    await pulled(refused);
  }
  assert.ok(server.count('workspace/codeLens/refresh') > 0);
});

inWorkspace('typing that changes no registration checks no dump again', { 'ops.py': symbolic }, {}, async (server, { uri }) => {
  await openConverted(server, uri('a.torchir'));
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  await server.diagnostics(uri('ops.py'), 1);
  const from = server.messages.length;
  server.didChange(uri('ops.py'), 2, { text: `# One line more.\n${symbolic.replace('custom::', 'mine::')}` });
  await server.diagnostics(uri('ops.py'), 2);
  await server.isAlive();
  assert.deepEqual(server.messages.slice(from).filter(({ params }) => params?.uri === uri('a.torchir')), []);
});

inWorkspace('of a file that is closed without saving the disk counts', { 'ops.py': symbolic }, {}, async (server, { uri, write }) => {
  await openConverted(server, uri('a.torchir'));
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  let from = server.messages.length;
  server.didChange(uri('ops.py'), 2, { text: '' });
  await until(server, uri('a.torchir'), true, from);
  from = server.messages.length;
  server.didClose(uri('ops.py'));
  await until(server, uri('a.torchir'), false, from);
  // While it is open, the disk does not count.
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  await server.diagnostics(uri('ops.py'), 1);
  write('ops.py', '');
  from = server.messages.length;
  changed(server, CHANGED, uri('ops.py'));
  await server.isAlive();
  server.didClose(uri('ops.py'));
  await until(server, uri('a.torchir'), true, from);
  assert.equal(server.messages.slice(from).filter(({ params }) => params?.uri === uri('a.torchir')).length, 1);
});

inWorkspace('files that come, change and go', { 'a.torchir': graph }, {}, async (server, { folder, uri, write }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  for (const [type, text, refused] of [[CREATED, symbolic, false], [CHANGED, '# Nothing.\n', true], [CHANGED, symbolic, false],
                                       [DELETED, null, true], [CREATED, symbolic, false]]) {
    const from = server.messages.length;
    if (text === null)
      rmSync(join(folder, 'deep/ops.py'));
    else
      write('deep/ops.py', text);
    changed(server, type, uri('deep/ops.py'));
    await until(server, uri('a.torchir'), refused, from);
  }
  // The whole folder at once.
  const from = server.messages.length;
  rmSync(join(folder, 'deep'), { recursive: true });
  changed(server, DELETED, uri('deep'));
  await until(server, uri('a.torchir'), true, from);
});

inWorkspace("other people's code is left alone, whoever tells of it", { 'env/pyvenv.cfg': '' }, {}, async (server, { uri, write }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  const from = server.messages.length;
  const foreign = ['env/lib/ops.py', '.hidden/ops.py', 'node_modules/x/ops.py', 'a/__pycache__/ops.py'];
  for (const path of foreign)
    write(path, symbolic);
  write('ops.py', symbolic);
  changed(server, CREATED, ...foreign.map(uri));
  await server.isAlive();
  changed(server, CREATED, uri('ops.py'));
  await until(server, uri('a.torchir'), false, from);
  assert.equal(server.messages.slice(from).filter(({ params }) => params?.uri === uri('a.torchir')).length, 1);
});

inWorkspace('a file that no search takes is left alone, whoever tells of it', {}, {}, async (server, { uri, write }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  for (const path of ['notes.md', 'saved.bin', 'b.torchir'])
    write(path, graph);
  changed(server, CREATED, ...['notes.md', 'saved.bin', 'b.torchir'].map(uri));
  let places;
  do
    places = await server.at('references', uri('a.torchir'), 1, 30, { context: { includeDeclaration: true } });
  while (places.length < 2);
  assert.deepEqual(places.map((place) => place.uri).sort(), [uri('a.torchir'), uri('b.torchir')]);
});

inWorkspace('thousands of changes at once', {}, {}, async (server, { uri, write }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  const names = Array.from({ length: 2500 }, (_, i) => `many/f${i}.py`);
  for (const name of names)
    write(name, symbolic.replace('aten::lgamma', name.endsWith('f2444.py') ? 'aten::lgamma' : 'aten::erfinv'));
  const from = server.messages.length;
  for (const name of names)
    changed(server, CREATED, uri(name));
  await until(server, uri('a.torchir'), false, from);
});

for (const [what, register] of [
  ['absolute', 'from pkg.fns import lgamma\nregister_custom_op_symbolic("aten::lgamma", lgamma, 9)'],
  ['relative', 'from .fns import lgamma\nregister_custom_op_symbolic("aten::lgamma", lgamma, 9)'],
  ['of the module', 'from . import fns\nregister_custom_op_symbolic("aten::lgamma", fns.lgamma, 9)'],
  ['with another name', 'import pkg.fns as f\nregister_custom_op_symbolic("aten::lgamma", f.lgamma, 9)'],
]) {
  inWorkspace(`a function of another file, imported: ${what}`,
              { 'pkg/fns.py': helper, 'fns.py': helper, 'pkg/register.py': `from torch.onnx import register_custom_op_symbolic\n${register}\n` },
              {}, async (server, { uri }) => {
    await openConverted(server, uri('a.torchir'));
    const [place, ...more] = await server.at('definition', uri('a.torchir'), 1, 30);
    assert.deepEqual(more, []);
    assert.equal(place.targetUri, uri('pkg/fns.py'));
    assert.deepEqual(place.targetSelectionRange, { start: { line: 4, character: 4 }, end: { line: 4, character: 10 } });
  });
}

inWorkspace('workspaceIndex: off, on and off again', { 'ops.py': symbolic }, { initializationOptions: { ...settings, workspaceIndex: false } },
            async (server, { uri }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  for (const workspaceIndex of [true, false, true, false]) {
    const from = server.messages.length;
    server.notify('workspace/didChangeConfiguration', { settings: { workspaceIndex } });
    await until(server, uri('a.torchir'), !workspaceIndex, from);
  }
  changed(server, CHANGED, uri('ops.py'));
  await server.isAlive();
  // What is open in the editor counts all the same.
  const from = server.messages.length;
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  await until(server, uri('a.torchir'), false, from);
  server.didClose(uri('ops.py'));
  await until(server, uri('a.torchir'), true, from + 2);
});

inWorkspace('folders that come and go', { 'a/ops.py': symbolic, 'b/x.txt': '' }, {}, async (server, { uri }) => {
  const folder = { name: 'a', uri: uri('a') };
  await openConverted(server, uri('b/a.torchir'));
  let from = server.messages.length;
  server.notify('workspace/didChangeWorkspaceFolders', {
    event: { removed: [{ name: 'all', uri: uri('.') }], added: [{ name: 'b', uri: uri('b') }] } });
  await until(server, uri('b/a.torchir'), true, from);
  for (const [removed, added] of [[[], [folder]], [[folder], []]]) {
    from = server.messages.length;
    server.notify('workspace/didChangeWorkspaceFolders', { event: { removed, added } });
    await until(server, uri('b/a.torchir'), added.length === 0, from);
  }
});

inWorkspace('a folder inside another one that does not want to be read',
            { 'in/.onnxls.json': '{"workspaceIndex":false}', 'in/ops.py': symbolic, 'other.py': symbolic.replace('lgamma"', 'erfinv"') }, {},
            async (server, { uri }) => {
  const inner = { name: 'in', uri: uri('in') };
  server.didOpen(uri('e.torchir'), graph.replace('lgamma', 'erfinv'));
  await until(server, uri('e.torchir'), false, 0);
  await openConverted(server, uri('a.torchir'));
  for (const [removed, added] of [[[], [inner]], [[inner], []], [[], [inner]]]) {
    const from = server.messages.length;
    server.notify('workspace/didChangeWorkspaceFolders', { event: { removed, added } });
    await until(server, uri('a.torchir'), added.length > 0, from);
  }
});

inWorkspace('links in circles and to nowhere', { 'a/ops.py': symbolic, 'b/x.txt': '' }, {}, async (server, { folder, uri }) => {
  symlinkSync(folder, join(folder, 'a', 'loop'));
  symlinkSync('self.py', join(folder, 'b', 'self.py'));
  symlinkSync('nowhere.py', join(folder, 'b', 'gone.py'));
  symlinkSync('/dev/zero', join(folder, 'b', 'zero.py'));
  changed(server, CREATED, uri('a/loop'), uri('b/self.py'), uri('b/gone.py'), uri('b/zero.py'), uri('b'));
  await openConverted(server, uri('a.torchir'));
});

inWorkspace('a dump that is a link to nowhere hides no Python file', { 'w/x.txt': '', 'out/ops.py': symbolic }, { root: 'w' },
  async (server, { folder, uri }) => {
    symlinkSync('nowhere.torchir', join(folder, 'out/gone.torchir'));
    server.didOpen(uri('w/a.torchir'), graph);
    await until(server, uri('w/a.torchir'), true, 0);
    const from = server.messages.length;
    const added = [{ uri: uri('out'), name: 'out' }];
    server.notify('workspace/didChangeWorkspaceFolders', { event: { removed: [], added } });
    await until(server, uri('w/a.torchir'), false, from);
    assert.equal(await places(server), 1);
  });

/** How many places register it, as far as the index knows once everything that was told has been read. */
async function places(server, name = 'aten::lgamma') {
  return (await server.request('workspace/symbol', { query: name })).length;
}

inWorkspace('a folder in place of a file, and a file in place of a folder', {}, {}, async (server, { folder, uri, write }) => {
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
  const put = { file: () => write('ops.py', symbolic), folder: () => write('ops.py/x.txt', ''),
                module: () => write('ops.py/in.py', symbolic), empty: () => write('ops.py', '') };
  for (const [what, refused] of [['file', false], ['folder', true], ['file', false], ['folder', true], ['module', false], ['empty', true]]) {
    const from = server.messages.length;
    rmSync(join(folder, 'ops.py'), { recursive: true, force: true });
    put[what]();
    changed(server, CHANGED, uri('ops.py'));
    await until(server, uri('a.torchir'), refused, from);
  }
});

inWorkspace('links to folders are not entered, whoever tells of them', { 'w/a.torchir': graph, 'w/deep/x.txt': '', 'out/ops.py': symbolic }, { root: 'w' },
            async (server, { folder, uri, write }) => {
  server.didOpen(uri('w/a.torchir'), graph);
  await until(server, uri('w/a.torchir'), true, 0);
  symlinkSync('../out', join(folder, 'w/out'));
  symlinkSync('..', join(folder, 'w/deep/up'));
  const from = server.messages.length;
  changed(server, CREATED, uri('w/out'), uri('w/out/ops.py'), uri('w/deep/up'));
  write('w/ops.py', symbolic);
  changed(server, CREATED, uri('w/ops.py'), uri('w/deep/up/ops.py'), uri('w/deep/up'));
  await until(server, uri('w/a.torchir'), false, from);
  assert.equal(server.messages.slice(from).filter(({ params }) => params?.uri === uri('w/a.torchir')).length, 1);
  write('w/late.py', symbolic.replace('aten::lgamma', 'aten::erfinv'));
  changed(server, CREATED, uri('w/late.py'));  // Read after all of them.
  while (await places(server, 'erfinv') === 0);
  assert.equal(await places(server), 1);
});

inWorkspace('a name that every client spells in its own way', { 'a b+c(1)!/öps.py': symbolic }, {}, async (server, { uri }) => {
  const spelled = uri('a b+c(1)!/öps.py').replace('+', '%2B').replace('(', '%28').replace(')', '%29').replace('!', '%21');
  await openConverted(server, uri('a.torchir'));
  const from = server.messages.length;
  server.didOpen(spelled, '', { languageId: 'python' });
  await until(server, uri('a.torchir'), true, from);
  server.didClose(spelled);
  await until(server, uri('a.torchir'), false, from + 1);
});

const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) =>
  [`p${i % 50}/f${i}.py`, i === 4321 ? symbolic : `import torch.onnx\n\n\ndef f(g, x):\n    return g.op("Relu", x)\n\n\ntorch.onnx.register_custom_op_symbolic("my::op${i}", f, 9)\n`]));

inWorkspace('five thousand files', many, {}, async (server, { uri }) => {
  await openConverted(server, uri('a.torchir'));
});

inWorkspace('the server exits in the middle of reading', many, { end: false }, async (server) => {
  await server.request('shutdown');
  server.notify('exit');
  assert.deepEqual(await patiently(server.exited, 'the server to exit'), { code: 0, signal: null });
});

inWorkspace('and when it is only told to go away', many, { end: false }, async (server) => {
  server.child.stdin.end();
  assert.deepEqual(await patiently(server.exited, 'the server to exit'), { code: 1, signal: null });
});
