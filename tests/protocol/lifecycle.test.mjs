// initialize, as real editors send it, and what follows from what they can do.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fullCapabilities, withServer } from './client.mjs';
import { rangesOf } from './document.mjs';

const clients = join(dirname(fileURLToPath(import.meta.url)), 'clients');
const uri = 'file:///lifecycle/a.torchir';
const graph = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%BAD)\n  return (%y)\n';

const expected = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: 2, save: true },
  notebookDocumentSync: { notebookSelector: [{ notebook: '*', cells: [{ language: 'python' }] }], save: true },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  implementationProvider: true,
  renameProvider: { prepareProvider: true },
  typeDefinitionProvider: true,
  documentFormattingProvider: true,
  documentHighlightProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  codeActionProvider: true,
  executeCommandProvider: { commands: ['onnxls.applyEdit', 'onnxls.createFile', 'onnxls.unsupportedReport', 'onnxls.showFile'] },
  inlayHintProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: ['=', ')'] },
  codeLensProvider: { resolveProvider: false },
  callHierarchyProvider: true,
  workspaceSymbolProvider: true,
  completionProvider: { triggerCharacters: ['"', "'", '[', ':', ',', '.'], resolveProvider: false },
  semanticTokensProvider: { full: { delta: true }, range: true },
  documentLinkProvider: { resolveProvider: false },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true }, textDocumentContent: { schemes: ['onnxls-model'] } },
};

withServer('what initialize answers', {}, async (server) => {
  const { capabilities, serverInfo } = server.initialized;
  const { legend, ...tokens } = capabilities.semanticTokensProvider;
  assert.ok(legend.tokenTypes.length > 0);
  // A feature that is new is a row of its own, and needs no line here.
  const rows = Object.entries(capabilities).filter(([name, value]) => name.endsWith('Provider') && value === true);
  assert.deepEqual({ ...Object.fromEntries(rows), ...expected }, { ...capabilities, semanticTokensProvider: tokens });
  assert.equal(serverInfo.name, 'onnxls');
  assert.match(serverInfo.version, /^\d+\.\d+\.\d+/);
});

withServer('initialize with as little as possible', { initialize: false }, async (server) => {
  await server.request('initialize', { processId: null, rootUri: null, capabilities: {} });
  server.didOpen(uri, graph);  // Without `initialized`.
  const { diagnostics } = await server.diagnostics(uri, 1);
  assert.equal(rangesOf(diagnostics).length, 1);
  assert.equal(diagnostics.some((diagnostic) => diagnostic.tags || diagnostic.relatedInformation), false);
  const [symbol] = await server.request('textDocument/documentSymbol', { textDocument: { uri } });
  assert.equal(symbol.location.uri, uri);
  const [place] = await server.at('definition', uri, 2, 11);
  assert.equal(place.uri, uri);
});

withServer('initialize without params', { initialize: false }, async (server) => {
  await server.refuses(-32602, 'initialize');
  await server.initialize();
});

for (const name of readdirSync(clients).sort()) {
  const params = { ...JSON.parse(readFileSync(join(clients, name), 'utf8')), processId: null };
  const { capabilities } = params;
  const pulls = capabilities.textDocument.diagnostic !== undefined && capabilities.workspace.diagnostics?.refreshSupport === true;

  withServer(`${name}: diagnostics reach it, one way only`, { initialize: false }, async (server) => {
    const answer = await server.request('initialize', params);
    const offered = capabilities.general?.positionEncodings ?? ['utf-16'];
    assert.equal(answer.capabilities.positionEncoding, offered[0]);
    assert.equal(answer.capabilities.diagnosticProvider !== undefined, pulls);
    server.notify('initialized', {});
    server.didOpen(uri, graph);
    if (pulls) {
      const report = await server.request('textDocument/diagnostic', { textDocument: { uri } });
      assert.equal(rangesOf(report.items).length, 1);
    } else {
      assert.equal(rangesOf((await server.diagnostics(uri, 1)).diagnostics).length, 1);
    }
    server.didClose(uri);
    await server.shutdown();
    assert.equal(server.count('textDocument/publishDiagnostics'), pulls ? 0 : 2);
    const registered = server.messages.filter(({ method }) => method === 'client/registerCapability')
      .flatMap((message) => message.params.registrations.map(({ method }) => method));
    const wanted = ['didChangeWatchedFiles', 'didChangeConfiguration']
      .filter((what) => capabilities.workspace?.[what]?.dynamicRegistration).map((what) => `workspace/${what}`);
    if (capabilities.textDocument?.formatting?.dynamicRegistration)
      wanted.push('textDocument/formatting');
    assert.equal(answer.capabilities.documentFormattingProvider === true, !wanted.includes('textDocument/formatting'));
    assert.deepEqual(registered, wanted);
    assert.equal(server.count('workspace/configuration') > 0, capabilities.workspace?.configuration === true);
  });
}

withServer('hover in the format that the client reads', { initialize: { capabilities: {
  ...fullCapabilities, textDocument: { ...fullCapabilities.textDocument, hover: { contentFormat: ['plaintext'] } } } } }, async (server) => {
  server.didOpen(uri, graph);
  const hover = await server.at('hover', uri, 1, 3);
  assert.equal(hover.contents.kind, 'plaintext');
  assert.doesNotMatch(hover.contents.value, /```/);
});

withServer('trace', { initialize: { trace: 'messages' } }, async (server) => {
  server.didOpen(uri, graph);
  await server.at('hover', uri, 1, 3);
  assert.match((await server.notification('$/logTrace', ({ message }) => /hover/.test(message))).message, /answered after/);
  server.notify('$/setTrace', { value: 'off' });
  await server.at('hover', uri, 1, 3);
  const from = server.messages.length;
  await server.isAlive();
  assert.equal(server.messages.slice(from).some(({ method }) => method === '$/logTrace'), false);
  server.notify('$/setTrace', { value: 'verbose' });
  await server.at('hover', uri, 1, 4);
  const { verbose } = await server.notification('$/logTrace', (params) => params.verbose);
  assert.match(verbose, /"character":4/);
});
