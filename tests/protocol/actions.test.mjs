// Code actions and commands, by what the client can do: literals, document changes, new files, and none of them.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { fullCapabilities, withServer, withServerNow } from './client.mjs';
import { test } from 'node:test';

const graph = `graph(%x : Float(2, 3), %grid : Tensor):
  %m : int = prim::Constant[value=0]()
  %y : Float(2, 3) = aten::grid_sampler(%x, %grid, %m, %m, %m)
  return (%y)
`;
const literals = { codeActionLiteralSupport: { codeActionKind: { valueSet: [''] } } };

function capabilities({ workspace = {}, textDocument = {}, ...rest } = {}) {
  return { ...fullCapabilities, workspace, textDocument: { ...fullCapabilities.textDocument, ...textDocument }, ...rest };
}

const able = capabilities({
  workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] } },
  textDocument: { codeAction: { ...literals, isPreferredSupport: true } },
  window: { showDocument: { support: true } },
});

/** A server with a workspace of its own, a dump in it, and what it answers to questions of the server's. */
function inWorkspace(name, client, body) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onnxls-actions-'));
    const options = { initialize: { capabilities: client, rootUri: pathToFileURL(folder).href,
                                    initializationOptions: { torch: '1.13' } } };
    try {
      await withServerNow(options, async (server) => {
        const asked = [];
        for (const method of ['workspace/applyEdit', 'window/showDocument']) {
          server.handlers[method] = (params) => {
            asked.push([method, params]);
            return method === 'workspace/applyEdit' ? { applied: true } : { success: true };
          };
        }
        const uri = pathToFileURL(join(folder, 'a.torchir')).href;
        server.didOpen(uri, graph);
        await body({ server, folder, uri, asked });
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

function actionsAt(server, uri, line, more = {}) {
  const place = { line, character: 0 };
  const context = { diagnostics: [], ...more };
  return server.request('textDocument/codeAction', { textDocument: { uri }, range: { start: place, end: place }, context });
}

const find = (actions, word) => actions.find(({ title }) => title.includes(word));

inWorkspace('actions of a client that can do everything', able, async ({ server, folder, uri }) => {
  const actions = await actionsAt(server, uri, 2);
  assert.ok(actions.every(({ kind, diagnostics }) => kind === 'quickfix' && diagnostics.length === 1));
  assert.equal(actions[0].diagnostics[0].code, 'op-needs-newer-opset');
  const stub = find(actions, 'Create a symbolic function');
  const file = pathToFileURL(join(folder, 'symbolic_grid_sampler.py')).href;
  const [create, change] = stub.edit.documentChanges;
  assert.deepEqual(create, { kind: 'create', uri: file });
  assert.deepEqual(change.textDocument, { uri: file, version: null });
  assert.match(change.edits[0].newText, /^def grid_sampler\(g, input, grid, interpolation_mode, padding_mode, align_corners\):$/m);
  assert.deepEqual(stub.command.arguments, [uri, file]);
  const ignore = find(actions, 'on this line');
  assert.deepEqual(ignore.edit.documentChanges[0].textDocument, { uri, version: 1 });
  assert.deepEqual(await actionsAt(server, uri, 0), []);
});

inWorkspace('the kinds that are asked for', able, async ({ server, uri }) => {
  assert.deepEqual(await actionsAt(server, uri, 2, { only: ['refactor', 'source.organizeImports', 'quickfixes'] }), []);
  assert.ok((await actionsAt(server, uri, 2, { only: ['quickfix'] })).length > 2);
  assert.ok((await actionsAt(server, uri, 2, { only: [''] })).length > 2);
  assert.deepEqual(await actionsAt(server, uri, 2, { only: ['source.fixAll'] }), []);
});

inWorkspace('a file that is there gets another name', able, async ({ server, folder, uri }) => {
  writeFileSync(join(folder, 'symbolic_grid_sampler.py'), '');
  const stub = find(await actionsAt(server, uri, 2), 'Create a symbolic function');
  assert.match(stub.title, /symbolic_grid_sampler_2\.py/);
});

inWorkspace('a file with registrations that is open', able, async ({ server, folder, uri }) => {
  const python = pathToFileURL(join(folder, 'mine.py')).href;
  const text = 'from torch.onnx import register_custom_op_symbolic\n\nf = lambda g, x: x\nregister_custom_op_symbolic("a::b", f, 9)\n';
  server.didOpen(python, text, { languageId: 'python' });
  await server.diagnostics(python, 1);
  const append = find(await actionsAt(server, uri, 2), 'Append a symbolic function');
  assert.match(append.title, /to mine\.py$/);
  const [change] = append.edit.documentChanges;
  assert.equal(change.textDocument.uri, python);
  assert.deepEqual(change.edits[0].range.start, { line: 4, character: 0 });
  assert.match(change.edits[0].newText, /^\n\nfrom torch\.onnx import symbolic_helper\n\n\n# aten::grid_sampler/);
});

/** What the action for a newer opset makes of a settings file. */
async function raised(server, uri, folder, text) {
  writeFileSync(join(folder, '.onnxls.json'), text);
  const raise = find(await actionsAt(server, uri, 2), 'Raise the opset');
  let after = text;
  for (const { range: { start, end }, newText } of raise?.edit.documentChanges.at(-1).edits.reverse() ?? []) {
    const offset = ({ line, character }) => after.split('\n').slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
    after = after.slice(0, offset(start)) + newText + after.slice(offset(end));
  }
  return raise ? after : null;
}

inWorkspace('settings keep what is in them', able, async ({ server, folder, uri }) => {
  const rows = [
    ['{}', '{\n  "opset": 16\n}'],
    ['{ }\n', '{\n  "opset": 16\n}\n'],
    ['{ "torch": "1.13" }', '{ "opset": 16, "torch": "1.13" }'],
    ['{"opset":9}', '{"opset":16}'],
    ['{\n\t"a": {"opset": 1, "x": "}\\""},\n\t"opset" : 13 ,\n\t"b": [1, [2]]\n}', '{\n\t"a": {"opset": 1, "x": "}\\""},\n\t"opset" : 16 ,\n\t"b": [1, [2]]\n}'],
    ['{\r\n    "torch": "1.13"\r\n}', '{\r\n    "opset": 16,\r\n    "torch": "1.13"\r\n}'],
    ['', null], ['[]', null], ['{"a": 1', null], ['{"a" 1}', null], ['{"a": 1,}', null], ['{} {}', null], ['{"a": "\\', null],
  ];
  for (const [before, after] of rows)
    assert.equal(await raised(server, uri, folder, before), after, before);
});

inWorkspace('an editor that knows commands only', capabilities({ workspace: { applyEdit: true } }), async ({ server, folder, uri, asked }) => {
  const commands = await actionsAt(server, uri, 2);
  assert.ok(commands.length > 3 && commands.every(({ command }) => typeof command === 'string'));
  const { command, arguments: args } = find(commands, 'on this line');
  assert.equal(command, 'onnxls.applyEdit');
  assert.equal(await server.request('workspace/executeCommand', { command, arguments: args }), null);
  await server.wait('the edit', () => asked.length > 0);
  assert.deepEqual(Object.keys(asked[0][1].edit.changes), [uri]);
  const create = find(commands, 'Create a symbolic function');
  assert.equal(await server.request('workspace/executeCommand', { command: create.command, arguments: create.arguments }), null);
  assert.match(readFileSync(join(folder, 'symbolic_grid_sampler.py'), 'utf8'), /^def grid_sampler\(/m);
  await server.notification('window/showMessage', ({ message }) => message.includes('wrote'));
  writeFileSync(join(folder, 'symbolic_grid_sampler.py'), 'mine\n');
  await server.request('workspace/executeCommand', { command: create.command, arguments: create.arguments });
  await server.notification('window/showMessage', ({ message }) => message.includes("can't write"));
  assert.equal(readFileSync(join(folder, 'symbolic_grid_sampler.py'), 'utf8'), 'mine\n');
});

inWorkspace('an editor that can do nothing', capabilities(), async ({ server, uri }) => {
  const commands = await actionsAt(server, uri, 2);
  assert.deepEqual(commands.map(({ command }) => command).sort(),
                   ['onnxls.createFile', 'onnxls.createFile', 'onnxls.unsupportedReport']);
});

inWorkspace('a file is shown', able, async ({ server, folder, uri, asked }) => {
  const file = pathToFileURL(join(folder, 'b.py')).href;
  await server.request('workspace/executeCommand', { command: 'onnxls.showFile', arguments: [uri, file] });
  await server.wait('the question', () => asked.length > 0);
  assert.deepEqual(asked[0], ['window/showDocument', { uri: file, takeFocus: true }]);
});

inWorkspace('the list of unsupported operators', able, async ({ server, uri, asked }) => {
  const report = find(await actionsAt(server, uri, 2), 'List all unsupported operators');
  const text = await server.request('workspace/executeCommand', { command: report.command.command, arguments: report.command.arguments });
  assert.match(text, /^Unsupported operators of a\.torchir\nto opset 14 .*\n\naten::grid_sampler: 1 node, can be converted from opset 16 on\n {4}line 3\n$/);
  await server.wait('the questions', () => asked.length === 2);
  const [create, change] = asked[0][1].edit.documentChanges;
  assert.deepEqual(create, { kind: 'create', uri: `${uri}.unsupported.txt`, options: { overwrite: true } });
  assert.equal(change.edits[0].newText, text);
  assert.equal(asked[1][1].uri, create.uri);
});

inWorkspace('an editor that shows the list by itself', { ...able, experimental: { commands: ['onnxls.listUnsupported'] } },
            async ({ server, uri, asked }) => {
  const report = find(await actionsAt(server, uri, 2), 'List all unsupported operators');
  assert.equal(report.command.command, 'onnxls.listUnsupported');
  assert.match(await server.request('workspace/executeCommand', { command: 'onnxls.unsupportedReport', arguments: [uri] }), /^Unsupported/);
  await server.isAlive();
  assert.deepEqual(asked, []);
});

withServer('commands that make no sense', { initialize: { capabilities: able } }, async (server) => {
  for (const params of [{}, { command: 7 }, { command: 'onnxls.nothing', arguments: ['file:///a'] },
    { command: 'onnxls.showFile' }, { command: 'onnxls.showFile', arguments: [1] }, { command: 'onnxls.showFile', arguments: {} }])
    await server.refuses(-32602, 'workspace/executeCommand', params);
  const uri = 'file:///nowhere/a.torchir';
  server.didOpen(uri, graph);
  for (const args of [[uri], [uri, 1], [uri, 'relative.py', 'text'], [uri, null, null], [uri, '/nowhere/at/all/x.py', 5]]) {
    for (const command of ['onnxls.showFile', 'onnxls.createFile'])
      assert.equal(await server.request('workspace/executeCommand', { command, arguments: args }), null);
  }
  assert.equal(existsSync('relative.py'), false);
  await server.refuses(-32602, 'textDocument/codeAction', { textDocument: { uri }, range: null, context: {} });
  await server.refuses(-32602, 'textDocument/codeAction', { textDocument: { uri } });
});

inWorkspace('suggested fixes of a pasted message change the file that its traceback names', able, async ({ server, folder }) => {
  const path = join(folder, 'export.py');
  const uri = pathToFileURL(join(folder, 'issue.md')).href;
  writeFileSync(path, 'seq = Dim("seq")\ntorch.onnx.export(net, (x,), dynamic_shapes=({1: seq},), dynamo=True)\n');
  server.didOpen(uri, `It says

Traceback (most recent call last):
  File "${path}", line 2, in <module>
  File "/usr/lib/python3/dist-packages/torch/onnx/__init__.py", line 360, in export
torch._dynamo.exc.UserError: Constraints violated (seq)! For more information, run with TORCH_LOGS="+dynamic".
Suggested fixes:
  seq = Dim('seq', max=512)
`, { languageId: 'markdown' });
  const [action] = await actionsAt(server, uri, 7);
  const [{ textDocument, edits }] = action.edit.documentChanges;
  assert.equal(textDocument.uri, pathToFileURL(path).href);
  assert.deepEqual(edits.map(({ newText, range }) => [newText, range.start.line, range.start.character, range.end.character]),
    [['Dim("seq", max=512)', 0, 6, 16]]);
  assert.deepEqual(await actionsAt(server, uri, 0), []);
});

inWorkspace('a pasted refusal changes the export call of the file that its traceback names', able, async ({ server, folder }) => {
  const path = join(folder, 'export.py');
  const uri = pathToFileURL(join(folder, 'refusal.log')).href;
  writeFileSync(path, 'torch.onnx.export(net, (x, g), "net.onnx", opset_version=12)\n');
  server.didOpen(uri, `Traceback (most recent call last):
  File "${path}", line 1, in <module>
    torch.onnx.export(net, (x, g), "net.onnx", opset_version=12)
torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::grid_sampler' to ONNX opset version 12 is not supported.
`, { languageId: 'log' });
  const actions = await actionsAt(server, uri, 3);
  assert.deepEqual(actions.map(({ title }) => title), ['Export with opset_version=16', 'Export with dynamo=True (torch 2.14 and newer)']);
  const edits = actions.map(({ edit }) => edit.documentChanges[0].edits.map(({ newText, range }) => [newText, range.start.character]));
  assert.deepEqual(edits, [[['16', 57]], [['18', 57], [', dynamo=True', 59]]]);
  assert.equal(actions[0].edit.documentChanges[0].textDocument.uri, pathToFileURL(path).href);
  assert.deepEqual(await actionsAt(server, uri, 0), []);
});

inWorkspace('a pasted refusal of the dynamo exporter has a translation function to be filled in', able, async ({ server, folder }) => {
  const uri = pathToFileURL(join(folder, 'refusal.log')).href;
  const refusal = (op, overload) => `torch.onnx._internal.exporter._errors.DispatchError: No ONNX function found for <OpOverload(op='${op}', overload='${overload}')>.\n`;
  server.didOpen(uri, `\n${refusal('aten.histc', 'default')}${refusal('aten.sum', 'dim_IntList')}<OpOverload(op='aten.mode', overload='default')>\n`, { languageId: 'log' });
  const create = async (line) => find(await actionsAt(server, uri, line), 'Create a translation function');
  const action = await create(1);
  assert.equal(action.title, 'Create a translation function for `aten::histc` in translation_histc.py');
  const changes = JSON.stringify(action.edit.documentChanges);
  assert.ok(changes.includes('translation_histc.py') && changes.includes('def histc('), changes);
  assert.ok(changes.includes('{torch.ops.aten.histc.default: histc}'), changes);
  assert.match((await create(2)).title, /`aten::sum\.dim_IntList`/);
  assert.equal(await create(3), undefined);
  writeFileSync(join(folder, 'translation_histc.py'), 'mine\n');
  assert.equal(await create(1), undefined);
});
