// The index of the workspace: symbolic functions in Python files count as support in dumps, open or not.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fullCapabilities, patiently, withServerNow } from './client.mjs';

const graph = 'graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::lgamma(%x)\n  return (%y)\n';
const symbolic = `import torch
from torch.onnx import register_custom_op_symbolic


def lgamma(g, self):
    return g.op("custom::Lgamma", self)


register_custom_op_symbolic("aten::lgamma", lgamma, 9)
`;
const helper = `from torch.onnx import symbolic_helper


@symbolic_helper.parse_args("v")
def lgamma(g, self):
    return g.op("custom::Lgamma", self)
`;
const settings = { torch: '2.14', opset: 17 };
const pulling = { ...fullCapabilities, workspace: { diagnostics: { refreshSupport: true }, codeLens: { refreshSupport: true } },
                  textDocument: { ...fullCapabilities.textDocument, diagnostic: {} } };

/** A test with a workspace of its own: { path: text }. */
function inWorkspace(name, files, { end, root = '.', ...initialize }, body) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onnxls-index-'));
    const write = (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const uri = (path) => pathToFileURL(join(folder, path)).href;
    for (const [path, text] of Object.entries(files))
      write(path, text);
    const options = { end, args: ['--log-file', join(folder, '.log')], initialize: { rootUri: uri(root), initializationOptions: settings, ...initialize } };
    try {
      await withServerNow(options, (server) => body(server, { folder, write, uri }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const changed = (server, type, ...uris) =>
  server.notify('workspace/didChangeWatchedFiles', { changes: uris.map((uri) => ({ uri, type })) });
const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

const isRefused = ({ diagnostics }) => diagnostics.some(({ code }) => /^(unsupported-op|op-needs-newer-opset)$/.test(code));

/** Waits for diagnostics of this document that say, from now on or already as the last word, whether it is refused. */
function until(server, uri, refused, from = server.messages.length) {
  const last = server.messages.findLast(({ method, params }) =>
    method === 'textDocument/publishDiagnostics' && params.uri === uri);
  if (last && server.messages.indexOf(last) >= from - 1 && isRefused(last.params) === refused)
    return last.params;
  return server.notification('textDocument/publishDiagnostics',
                             (params) => params.uri === uri && isRefused(params) === refused, from);
}

/** A dump whose operator is converted as soon as the index was read. */
async function openConverted(server, uri) {
  const from = server.messages.length;
  server.didOpen(uri, graph);
  await until(server, uri, false, from);
}

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
  assert.match(diagnostics.find(({ code }) => code === 'op-needs-newer-opset').message, /since opset 18/);
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
  server.notify('workspace/didChangeWorkspaceFolders', { event: { removed: [], added: [{ name: 'in', uri: uri('in') }] } });
  const erfinv = graph.replace('lgamma', 'erfinv');
  server.didOpen(uri('e.torchir'), erfinv);
  await until(server, uri('e.torchir'), false, 0);
  server.didOpen(uri('a.torchir'), graph);
  await until(server, uri('a.torchir'), true, 0);
});

inWorkspace('links in circles and to nowhere', { 'a/ops.py': symbolic, 'b/x.txt': '' }, {}, async (server, { folder, uri }) => {
  symlinkSync(folder, join(folder, 'a', 'loop'));
  symlinkSync('self.py', join(folder, 'b', 'self.py'));
  symlinkSync('nowhere.py', join(folder, 'b', 'gone.py'));
  symlinkSync('/dev/zero', join(folder, 'b', 'zero.py'));
  changed(server, CREATED, uri('a/loop'), uri('b/self.py'), uri('b/gone.py'), uri('b/zero.py'), uri('b'));
  await openConverted(server, uri('a.torchir'));
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

inWorkspace('the server exits at once, also in the middle of reading', many, { end: false }, async (server) => {
  const start = performance.now();
  await server.request('shutdown');
  server.notify('exit');
  assert.deepEqual(await patiently(server.exited, 'the server to exit'), { code: 0, signal: null });
  assert.ok(performance.now() - start < 2000, `after ${performance.now() - start} ms`);
});

inWorkspace('and when it is only told to go away', many, { end: false }, async (server) => {
  server.child.stdin.end();
  assert.deepEqual(await patiently(server.exited, 'the server to exit'), { code: 1, signal: null });
});

// --- Features that cross files ---

const at = (line, start, end) => ({ start: { line, character: start }, end: { line, character: end } });

/** "path line:start-end", as people count. */
function placesOf(answer, uri) {
  const base = uri('');
  return answer.map(({ uri: where, targetUri, range, targetSelectionRange }) => {
    const { start, end } = range ?? targetSelectionRange;
    assert.equal(start.line, end.line);
    return `${decodeURIComponent((where ?? targetUri).replace(base, '').replace(/^\//, ''))} ${start.line + 1}:${start.character + 1}-${end.character + 1}`;
  });
}

/** Waits until the whole index was read: Python files first, then dumps. */
async function indexed(folder) {
  while ((readFileSync(join(folder, '.log'), 'utf8').match(/index: .* read/g) ?? []).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

function withIndex(name, files, options, body) {
  inWorkspace(name, files, options, async (server, where) => {
    await patiently(indexed(where.folder), 'the index to be read');
    await body(server, where);
  });
}

const builtin = (opset, name) => `import functools
from torch.onnx._internal import jit_utils, registration
_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=${opset})


@_onnx_symbolic("${name}")
def ${name.replace('aten::', '')}(g: jit_utils.GraphContext, self):
    return g.op("Relu", self)
`;
const celu = graph.replace('lgamma', 'celu');

for (const method of ['definition', 'implementation']) {
  withIndex(`${method} of an operator: the workspace's functions`,
            { 'ops.py': symbolic, 'more/ops.py': `\n${symbolic}`, 'b.torchir': graph }, {}, async (server, { uri }) => {
    server.didOpen(uri('a.torchir'), graph);
    const answer = await server.at(method, uri('a.torchir'), 1, 25);
    assert.deepEqual(placesOf(answer, uri), ['more/ops.py 6:5-11', 'ops.py 5:5-11']);
    if (method === 'definition')
      assert.deepEqual(answer[0].originSelectionRange, at(1, 21, 33));
    server.didOpen(uri('c.torchir'), graph.replace('lgamma', 'relu'));
    assert.deepEqual(await server.at(method, uri('c.torchir'), 1, 25), []);
  });

  withIndex(`${method} of an operator: torch's own, by the opset`,
            { 'site/torch/onnx/symbolic_opset9.py': builtin(9, 'aten::celu'),
              'site/torch/onnx/_internal/torchscript_exporter/symbolic_opset12.py': builtin(12, 'aten::celu'),
              'site/torch/onnx/symbolic_opset18.py': builtin(18, 'aten::celu'),
              'work/x.txt': '' }, { initializationOptions: { ...settings, sourceRoots: ['../site'] }, root: 'work' },
            async (server, { uri }) => {
    server.didOpen(uri('work/a.torchir'), celu);
    for (const [opset, expected] of [[17, '_internal/torchscript_exporter/symbolic_opset12.py'], [9, 'symbolic_opset9.py'],
                                     [20, 'symbolic_opset18.py']]) {
      server.notify('workspace/didChangeConfiguration', { settings: { opset } });
      const answer = await server.at(method, uri('work/a.torchir'), 1, 25);
      assert.deepEqual(placesOf(answer, uri), [`site/torch/onnx/${expected} 7:5-9`]);
    }
    // The workspace's own comes first; torch's too, as the export takes that one.
    const own = symbolic.replaceAll('lgamma', 'celu');
    server.didOpen(uri('work/ops.py'), own, { languageId: 'python' });
    await server.diagnostics(uri('work/ops.py'), 1);
    let answer = await server.at(method, uri('work/a.torchir'), 1, 25);
    assert.deepEqual(placesOf(answer, uri), ['work/ops.py 5:5-9', 'site/torch/onnx/symbolic_opset18.py 7:5-9']);
    server.didChange(uri('work/ops.py'), 2, { text: own.replace('9)', '20)') });
    await server.diagnostics(uri('work/ops.py'), 2);
    answer = await server.at(method, uri('work/a.torchir'), 1, 25);
    assert.deepEqual(placesOf(answer, uri), ['work/ops.py 5:5-9']);
  });
}

const uses = `graph(%x : Float(2, 3)):
  %1 : Float(2, 3) = aten::lgamma(%x)
  %ä😀 : Float(2, 3) = aten::lgamma_(%1)
  %3 : Float(2, 3) = aten::lgamma_other(%1)
  return (%ä😀)
`;
const inA = ['a.torchir 2:22-34'];
const inB = ['dumps/b.log 2:22-34', 'dumps/b.log 3:24-37'];

withIndex('references of an operator', { 'ops.py': symbolic, 'more/ops.py': symbolic, 'dumps/b.log': uses, 'a.torchir': '' }, {},
          async (server, { uri }) => {
  const ask = async (path, line, character, includeDeclaration) =>
    placesOf(await server.at('references', uri(path), line, character, { context: { includeDeclaration } }), uri);
  server.didOpen(uri('a.torchir'), graph);
  await server.diagnostics(uri('a.torchir'), 1);
  server.didOpen(uri('ops.py'), symbolic, { languageId: 'python' });
  // From its name in a registration.
  const name = symbolic.split('\n').findIndex((text) => text.startsWith('register'));
  assert.deepEqual(await ask('ops.py', name, 35, false), ['ops.py 9:29-43', 'more/ops.py 9:29-43', ...inA, ...inB]);
  assert.deepEqual(await ask('ops.py', name, 35, true),
                   ['ops.py 5:5-11', 'ops.py 9:29-43', 'more/ops.py 9:29-43', 'more/ops.py 5:5-11', ...inA, ...inB]);
  // From the function.
  assert.deepEqual(await ask('ops.py', 4, 6, false), ['ops.py 9:29-43', ...inA, ...inB]);
  assert.deepEqual(await ask('ops.py', 4, 6, true), ['ops.py 5:5-11', 'ops.py 9:29-43', ...inA, ...inB]);
  // From a dump.
  assert.deepEqual(await ask('a.torchir', 1, 25, false), [...inA, 'more/ops.py 9:29-43', 'ops.py 9:29-43', ...inB]);
  assert.deepEqual(await ask('a.torchir', 1, 25, true),
                   [...inA, 'more/ops.py 9:29-43', 'more/ops.py 5:5-11', 'ops.py 9:29-43', 'ops.py 5:5-11', ...inB]);
  // A dump that is edited counts as the editor has it.
  server.didOpen(uri('dumps/b.log'), uses);
  server.didChange(uri('dumps/b.log'), 2, { range: at(0, 0, 0), text: '\n' }, { range: at(2, 0, 99), text: '' });
  await server.diagnostics(uri('dumps/b.log'), 2);
  assert.deepEqual(await ask('ops.py', 4, 6, false), ['ops.py 9:29-43', ...inA, 'dumps/b.log 4:24-37']);
  // Values stay as they are.
  assert.deepEqual(await ask('a.torchir', 1, 3, true), ['a.torchir 2:3-5', 'a.torchir 3:11-13']);
});

withIndex('from a registration to a function of another file, and back',
          { 'pkg/fns.py': helper, 'pkg/register.py': '', 'a.torchir': graph }, {}, async (server, { uri }) => {
  const text = 'import pkg.fns\nfrom torch.onnx import register_custom_op_symbolic\nregister_custom_op_symbolic("aten::lgamma", pkg.fns.lgamma, 9)\n';
  server.didOpen(uri('pkg/register.py'), text, { languageId: 'python' });
  server.didOpen(uri('pkg/fns.py'), helper, { languageId: 'python' });
  for (const [character, expected] of [[35, true], [53, true], [50, false], [45, false], [60, false]]) {
    const answer = await server.at('definition', uri('pkg/register.py'), 2, character);
    assert.deepEqual(placesOf(answer, uri), expected ? ['pkg/fns.py 5:5-11'] : [], `at ${character}`);
  }
  const ask = async (path, line, character) =>
    placesOf(await server.at('references', uri(path), line, character, { context: { includeDeclaration: true } }), uri);
  const all = ['pkg/fns.py 5:5-11', 'pkg/register.py 3:29-43', 'a.torchir 2:22-34'];
  assert.deepEqual(await ask('pkg/fns.py', 4, 6), all);
  assert.deepEqual((await ask('pkg/register.py', 2, 35)).sort(), [...all].sort());
});

const shared = `from torch.onnx import symbolic_helper


def scaled(g, x, by):
    return g.op("Mul", x, symbolic_helper._generate_wrapped_number(g, by))


def plain(x):
    return x


def inner(g, x):
    return scaled(g, g.op("Abs", x), 2.0)


def through(g, x):
    return inner(g, x)
`;
const callers = `import torch
from torch.onnx import register_custom_op_symbolic
from . import shared
from .shared import scaled as s


def ä(g, x):
    return g.op("Relu", s(g, shared.scaled(g, shared.plain(x), 1.0), 3.0))


register_custom_op_symbolic("my::ä", ä, 9)
register_custom_op_symbolic("my::lambda", lambda g, x: shared.inner(g, x), 9)


class Own(torch.autograd.Function):
    @staticmethod
    def symbolic(g, x):
        return shared.scaled(g, x, 0.5)
`;

for (const open of [true, false]) {
  withIndex(`call hierarchy across files, ${open ? 'open' : 'closed'}`, {
    'pkg/shared.py': shared, 'pkg/callers.py': callers, 'shared.py': shared,
    'other.py': `${symbolic}from shared import scaled\n\n\ndef more(g, x):\n    return scaled(g, x, g.op("Shape", x))\n`,
  }, {}, async (server, { uri }) => {
    server.didOpen(uri('pkg/shared.py'), shared, { languageId: 'python' });
    if (open)
      server.didOpen(uri('pkg/callers.py'), callers, { languageId: 'python' });
    const say = ({ name, detail, kind, uri: where, selectionRange }) =>
      `${name}, ${detail ?? 'nothing'}, ${kind}, ${placesOf([{ uri: where, range: selectionRange }], uri)[0]}`;
    const told = (edges, end) => edges.map((edge) =>
      `${say(edge[end])}: ${edge.fromRanges.map(({ start, end: last }) => `${start.line + 1}:${start.character + 1}-${last.character + 1}`).join(' ')}`);
    const incoming = async (item) => told(await server.request('callHierarchy/incomingCalls', { item }), 'from');
    const outgoing = async (item) => told(await server.request('callHierarchy/outgoingCalls', { item }), 'to');
    const [scaled] = await server.at('prepareCallHierarchy', uri('pkg/shared.py'), 3, 6);
    assert.equal(say(scaled), 'scaled, nothing, 12, pkg/shared.py 4:5-11');
    assert.deepEqual(await incoming(scaled), [
      'inner, nothing, 12, pkg/shared.py 12:5-10: 13:12-18',
      'ä, my::ä, opset 9, 12, pkg/callers.py 7:5-6: 8:25-26 8:37-43',
      'Own.symbolic, callers.py, 6, pkg/callers.py 17:9-17: 18:23-29',
    ]);
    // From there on, whether an editor has the file or not.
    const [, { from: caller }] = await server.request('callHierarchy/incomingCalls', { item: scaled });
    assert.deepEqual(await outgoing(caller), [
      `Relu, operator, 25, pkg/callers.py 8:17-23: 8:17-23`,
      'scaled, shared.py, 12, pkg/shared.py 4:5-11: 8:25-26 8:37-43',
    ]);
    assert.deepEqual(await incoming(caller), []);
    const [inner] = await server.at('prepareCallHierarchy', uri('pkg/shared.py'), 11, 6);
    assert.deepEqual(await incoming(inner), ['through, nothing, 12, pkg/shared.py 16:5-12: 17:12-17',
                                             'lambda, my::lambda, opset 9, 12, pkg/callers.py 12:43-49: 12:63-68']);
    // From a call, too.
    if (open) {
      for (const [character, expected] of [[18, 'Relu'], [24, 'scaled'], [30, null], [38, 'scaled'], [54, null]]) {
        const items = await server.at('prepareCallHierarchy', uri('pkg/callers.py'), 7, character);
        assert.equal(items?.[0].name ?? null, expected, `at ${character}`);
      }
      const from = server.messages.length;
      server.didChange(uri('pkg/callers.py'), 2, { text: `\n${callers.replace(', 3.0', '')}` });
      await server.diagnostics(uri('pkg/callers.py'), 2, from);
      assert.match((await incoming(scaled))[1], / 8:5-6: 9:25-26 9:37-43$/);
      server.didChange(uri('pkg/callers.py'), 3, { text: callers.replace('s(g, shared.scaled(g, shared.plain(x), 1.0), 3.0)', 's(g, x)') });
      await server.diagnostics(uri('pkg/callers.py'), 3);
      assert.match((await incoming(scaled))[1], / 7:5-6: 8:25-26$/);
    }
  });
}

withIndex('symbols of the workspace', {
  'ops.py': `${symbolic}register_custom_op_symbolic("aten::erfinv", lambda g, x: g.op("Erf", x), [9, 13])\n`,
  'r.py': 'import fns\nfrom torch.onnx import register_custom_op_symbolic\nregister_custom_op_symbolic("my::Other", fns.lgamma, 11)\n',
  'fns.py': helper,
}, {}, async (server, { uri }) => {
  const ask = async (query) => (await server.request('workspace/symbol', { query })).map(({ name, kind, containerName, location }) => {
    assert.equal(kind, 12);
    return `${name} ${containerName} ${placesOf([location], uri)[0]}`;
  });
  const lgamma = 'lgamma (aten::lgamma, opset 9) ops.py ops.py 5:5-11';
  const erfinv = 'lambda (aten::erfinv, opsets 9 and 13) ops.py ops.py 10:29-43';
  const other = 'lgamma (my::Other, opset 11) fns.py fns.py 5:5-11';
  assert.deepEqual(await ask(''), [erfinv, lgamma, other]);
  assert.deepEqual(await ask('lgamma'), [lgamma, other]);
  assert.deepEqual(await ask('ERF'), [erfinv]);
  assert.deepEqual(await ask('aten::'), [erfinv, lgamma]);
  assert.deepEqual(await ask('gam'), [lgamma, other]);
  assert.deepEqual(await ask('my::other'), [other]);
  assert.deepEqual(await ask('m'), [other, lgamma]);
  assert.deepEqual(await ask('nothing'), []);
  assert.deepEqual(await ask('x'.repeat(100_000)), []);
  await server.refuses(-32602, 'workspace/symbol', {});
});

withIndex('symbols of the workspace: not too many', Object.fromEntries(Array.from({ length: 400 }, (_, i) =>
  [`f${i}.py`, symbolic.replace('aten::lgamma', `my::op${i}`)])), {}, async (server) => {
  const all = await server.request('workspace/symbol', { query: '' });
  assert.equal(all.length, 300);
  const [whole] = await server.request('workspace/symbol', { query: 'my::op39' });
  assert.match(whole.name, /my::op39,/);
});

for (const [client, able] of [['that can show them', true], ['that can not', false]]) {
  const capabilities = able ? { ...fullCapabilities, experimental: { commands: ['onnxls.showReferences'] } } : fullCapabilities;
  withIndex(`lenses say how often dumps need a function, to a client ${client}`,
            { 'dumps/b.log': uses, 'c.torchir': graph, 'ops.py': '' }, { capabilities }, async (server, { uri }) => {
    server.didOpen(uri('ops.py'), `${symbolic}\n\ndef no_uses(g, x):\n    return g.op("Erf", x)\n\n\nregister_custom_op_symbolic("my::no", no_uses, 9)\n`, { languageId: 'python' });
    const lenses = async () => (await server.request('textDocument/codeLens', { textDocument: { uri: uri('ops.py') } }));
    const [first, second] = await lenses();
    assert.equal(first.command.title, 'converts aten::lgamma, opsets 7 to 20; 3 uses in 2 dumps');
    assert.deepEqual(first.command.arguments, able ? [uri('ops.py'), { line: 4, character: 4 }] : undefined);
    assert.equal(first.command.command, able ? 'onnxls.showReferences' : '');
    assert.equal(second.command.title, 'converts my::no, opsets 7 to 20');
    assert.equal(second.command.command, '');
    server.didOpen(uri('c.torchir'), graph.replace('lgamma', 'erf'));
    await server.diagnostics(uri('c.torchir'), 1);
    assert.match((await lenses())[0].command.title, /; 2 uses in 1 dump$/);
  });
}

withIndex('a hover names the registrations of the workspace', { 'src/ops.py': symbolic, 'dumps/a.torchir': graph }, {}, async (server, { uri }) => {
  server.didOpen(uri('dumps/a.torchir'), graph);
  const { contents } = await server.at('hover', uri('dumps/a.torchir'), 1, 25);
  assert.match(contents.value, /- Registered for opset 9 in `src\/ops\.py:9`\n?$/);
});

withIndex("a hover says when an export takes torch's own function", { 'ops.py': symbolic.replaceAll('lgamma', 'celu') }, {},
          async (server, { uri }) => {
  server.didOpen(uri('a.torchir'), celu);
  const hover = async () => (await server.at('hover', uri('a.torchir'), 1, 25)).contents.value;
  assert.match(await hover(), /- Registered for opset 9 in `ops\.py:9`\n\nAn export to opset 17 takes torch's own function, that of opset 12\./);
  server.notify('workspace/didChangeConfiguration', { settings: { opset: 11 } });
  assert.doesNotMatch(await hover(), /torch's own/);
});
