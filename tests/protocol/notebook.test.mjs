// Notebooks: their cells are one document, and every answer is about the cell that was asked about.
import assert from 'node:assert/strict';
import { fullCapabilities, range, withServer } from './client.mjs';

const notebook = 'file:///nb/a.ipynb';
const cellUri = (name) => `vscode-notebook-cell:/nb/a.ipynb#${name}`;
const options = { initialize: { initializationOptions: { torch: '2.6', exporter: 'torchscript', opset: 13 } } };

const texts = {
  imports: '%pip install onnx\nimport torch\nfrom torch.onnx import register_custom_op_symbolic',
  symbolic: 'def elu(g, x, alpha, scale, input_scale):\n    return g.op("Elu", x, alpha=1.0)\n',
  register: '# 🎉\nregister_custom_op_symbolic("aten::elu", elu, 9)',
};

function item(name, text = texts[name], version = 1) {
  return { uri: cellUri(name), languageId: 'python', version, text };
}

function open(server, names = Object.keys(texts)) {
  server.notify('notebookDocument/didOpen', {
    notebookDocument: { uri: notebook, notebookType: 'jupyter-notebook', version: 1,
      cells: [{ kind: 1, document: cellUri('text') }, ...names.map((name) => ({ kind: 2, document: cellUri(name) }))] },
    cellTextDocuments: [{ ...item('text', 'import nothing'), languageId: 'markdown' }, ...names.map((name) => item(name))],
  });
}

function change(server, cells) {
  server.notify('notebookDocument/didChange', { notebookDocument: { uri: notebook, version: 2 }, change: { cells } });
}

const rules = ({ diagnostics }) => diagnostics.map(({ code }) => code);

withServer('each cell gets its own diagnostics, with its own version and lines', options, async (server) => {
  open(server);
  const found = await server.diagnostics(cellUri('symbolic'), 1);
  assert.deepEqual(rules(found), ['missing-attribute-suffix']);
  assert.deepEqual(found.diagnostics[0].range, range(1, 26, 1, 31));
  assert.deepEqual(rules(await server.diagnostics(cellUri('imports'), 1)), []);
  assert.deepEqual(rules(await server.diagnostics(cellUri('register'), 1)), []);
});

withServer('an edit of one cell is seen in all', options, async (server) => {
  open(server);
  await server.diagnostics(cellUri('symbolic'), 1);
  change(server, { textContent: [{ document: { uri: cellUri('symbolic'), version: 2 },
    changes: [{ range: range(1, 31, 1, 31), text: '_f' }, { range: range(0, 8, 0, 9), text: 'graph' }] }] });
  assert.deepEqual(rules(await server.diagnostics(cellUri('symbolic'), 2)), ['helper-call']);  // Nothing is called g.
  change(server, { textContent: [{ document: { uri: cellUri('register'), version: 5 },
    changes: [{ text: 'register_custom_op_symbolic("elu", elu, 9)' }] }] });
  const found = await server.diagnostics(cellUri('register'), 5);
  assert.deepEqual(rules(found), ['registration-without-domain']);
});

withServer('cells come, move and go', options, async (server) => {
  open(server, ['imports', 'register']);
  await server.diagnostics(cellUri('register'), 1);
  change(server, { structure: { array: { start: 2, deleteCount: 0, cells: [{ kind: 2, document: cellUri('symbolic') }] },
    didOpen: [item('symbolic', texts.symbolic, 7)] } });
  assert.deepEqual(rules(await server.diagnostics(cellUri('symbolic'), 7)), ['missing-attribute-suffix']);
  const from = server.messages.length;
  change(server, { structure: { array: { start: 2, deleteCount: 1, cells: [] }, didClose: [{ uri: cellUri('symbolic') }] } });
  const gone = await server.notification('textDocument/publishDiagnostics', ({ uri }) => uri === cellUri('symbolic'), from);
  assert.deepEqual((gone.params ?? gone).diagnostics, []);
  assert.deepEqual(await server.at('definition', cellUri('symbolic'), 0, 5), []);
});

withServer('places lead from cell to cell', options, async (server) => {
  open(server);
  const [definition] = await server.at('definition', cellUri('register'), 1, 32);
  assert.equal(definition.targetUri ?? definition.uri, cellUri('symbolic'));
  assert.deepEqual(definition.targetSelectionRange ?? definition.range, range(0, 4, 0, 7));
  const hover = await server.at('hover', cellUri('symbolic'), 1, 18);
  assert.match(hover.contents.value, /Elu/);
  assert.deepEqual(hover.range.start.line, 1);
  const symbols = await server.request('textDocument/documentSymbol', { textDocument: { uri: cellUri('symbolic') } });
  assert.deepEqual(symbols.map(({ name, range: { start } }) => [name, start.line]), [['elu', 0]]);
  for (const { range: { end } } of symbols)
    assert.ok(end.line <= 2, 'a range ends in its own cell');
});

const withActions = { ...fullCapabilities, workspace: { workspaceEdit: { documentChanges: true } },
  textDocument: { ...fullCapabilities.textDocument, codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [''] } } } } };

withServer('completion and fixes are those of the cell', {
  initialize: { ...options.initialize, capabilities: withActions },
}, async (server) => {
  open(server);
  const actions = await server.request('textDocument/codeAction', { textDocument: { uri: cellUri('symbolic') },
    range: range(1, 27, 1, 27), context: { diagnostics: [] } });
  const [{ textDocument, edits }] = actions[0].edit.documentChanges;
  assert.deepEqual([textDocument.uri, textDocument.version], [cellUri('symbolic'), 1]);
  assert.equal(edits[0].range.start.line, 1);
  change(server, { textContent: [{ document: { uri: cellUri('symbolic'), version: 2 },
    changes: [{ range: range(2, 0, 2, 0), text: '\ndef f(g, x):\n    return g.op("Rel' }] }] });
  const { items } = await server.at('completion', cellUri('symbolic'), 4, 20);
  const relu = items.find(({ label }) => label === 'Relu');
  assert.ok(relu, 'Relu is offered');
  assert.equal((relu.textEdit.range ?? relu.textEdit.insert).start.line, 4);
});

withServer('pulled diagnostics are those of the cell', {
  initialize: { ...options.initialize, capabilities: { ...fullCapabilities,
    textDocument: { ...fullCapabilities.textDocument, diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } } },
}, async (server) => {
  open(server);
  const pull = (name, previousResultId) =>
    server.request('textDocument/diagnostic', { textDocument: { uri: cellUri(name) }, previousResultId });
  const symbolic = await pull('symbolic');
  assert.deepEqual(symbolic.items.map(({ code }) => code), ['missing-attribute-suffix']);
  assert.deepEqual((await pull('imports')).items, []);
  assert.equal((await pull('symbolic', symbolic.resultId)).kind, 'unchanged');
  assert.equal((await pull('imports', symbolic.resultId)).kind, 'full', 'what one cell has says nothing of another');
});

withServer('changes that make no sense are said, and reopening helps', options, async (server) => {
  const bad = [{ structure: { array: { start: 9, deleteCount: 1 } } },
    { textContent: [{ document: { uri: cellUri('nowhere'), version: 1 }, changes: [{ text: '' }] }] },
    { textContent: [{ document: { uri: cellUri('imports'), version: 1 }, changes: [{ range: range(1, 0, 0, 0), text: '' }] }] },
    { structure: {} }];
  for (const cells of bad) {
    open(server);
    const from = server.messages.length;
    change(server, cells);
    await server.notification('window/showMessage', () => true, from);
    assert.equal(await server.at('hover', cellUri('symbolic'), 1, 18), null);
    server.notify('notebookDocument/didClose', { notebookDocument: { uri: notebook }, cellTextDocuments: [] });
  }
  server.notify('notebookDocument/didOpen', {});
  server.notify('notebookDocument/didClose', { notebookDocument: { uri: 'file:///nb/none.ipynb' } });
  server.notify('notebookDocument/didSave', { notebookDocument: { uri: notebook } });
  open(server);
  assert.deepEqual(rules(await server.diagnostics(cellUri('symbolic'), 1)), ['missing-attribute-suffix']);
});
