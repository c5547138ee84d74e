// Completion: what the server offers, and how an item looks for clients that can do more or less.
import assert from 'node:assert/strict';

import { fullCapabilities, range, withServer } from './client.mjs';

const uri = 'file:///completion/a.torchir';
const python = 'file:///completion/a.py';
const text = 'graph(%x : Tensor):\n  # 🎉 onnxls: ignore\n  %y : Tensor = aten::relu(%z) # onnxls: ignore[undef, syntax]\n  # onnxls: \n  return (%y)\n';
const inList = { line: 2, character: text.split('\n')[2].indexOf('undef') + 2 };
const behindColon = { line: 3, character: 12 };

/** Starts a server whose client says this of completion. */
function withClient(name, completion, run) {
  const capabilities = { ...fullCapabilities, textDocument: { ...fullCapabilities.textDocument, completion } };
  withServer(name, { initialize: { capabilities } }, async (server) => {
    server.didOpen(uri, text);
    await run(server);
  });
}

/** The items at a place, by label. */
async function items(server, { line, character }, context) {
  const list = await server.at('completion', uri, line, character, context && { context });
  assert.equal(list.isIncomplete, false);
  return new Map(list.items.map((item) => [item.label, item]));
}

withServer('the server says which characters ask for completion', {}, async (server) => {
  const provider = server.initialized.capabilities.completionProvider;
  for (const character of ['[', ',', ':'])
    assert.ok(provider.triggerCharacters.includes(character), character);
  assert.equal(provider.resolveProvider, false);
});

withClient('a client that can do everything', {
  completionItem: { snippetSupport: true, insertReplaceSupport: true, documentationFormat: ['markdown', 'plaintext'],
                    preselectSupport: true, deprecatedSupport: true, tagSupport: { valueSet: [1] } },
  completionItemKind: { valueSet: [14, 20] },
}, async (server) => {
  const rules = await items(server, inList);
  const item = rules.get('undefined-value');
  const start = inList.character - 2;
  assert.deepEqual(item.textEdit, { newText: 'undefined-value', insert: range(2, start, 2, start + 2),
                                    replace: range(2, start, 2, start + 5) });
  assert.equal(item.kind, 20);
  assert.equal(item.preselect, true);
  assert.equal(item.documentation.kind, 'markdown');
  assert.match(item.documentation.value, /\]\(https:/);
  assert.equal(item.insertTextFormat, undefined);
  assert.ok(!rules.has('syntax'), 'a rule that is in the list already');
  assert.equal([...rules.values()].filter(({ preselect }) => preselect).length, 1);
  const sorted = [...rules.values()].sort((a, b) => (a.sortText < b.sortText ? -1 : 1));
  assert.equal(sorted[0].label, 'undefined-value');
  const words = await items(server, behindColon);
  assert.deepEqual([...words.keys()], ['ignore', 'ignore-file']);
  assert.equal(words.get('ignore').insertTextFormat, 2);
  assert.equal(words.get('ignore').textEdit.newText, 'ignore[$0]');
});

withClient('a client that can do nothing', {}, async (server) => {
  const item = (await items(server, inList)).get('undefined-value');
  const start = inList.character - 2;
  assert.deepEqual(item.textEdit, { newText: 'undefined-value', range: range(2, start, 2, start + 5) });
  assert.equal(item.kind, 12, 'a kind of the oldest clients');
  assert.equal(item.preselect, undefined);
  assert.equal(item.documentation.kind, 'plaintext');
  assert.doesNotMatch(item.documentation.value, /\]\(/);
  const word = (await items(server, behindColon)).get('ignore');
  assert.equal(word.kind, 14);
  assert.equal(word.insertTextFormat, undefined);
  assert.equal(word.textEdit.newText, 'ignore[]');
});

withClient('elsewhere there is nothing, and a context changes nothing', { contextSupport: true }, async (server) => {
  assert.equal((await items(server, { line: 0, character: 3 })).size, 0);
  assert.equal((await items(server, { line: 99, character: 99 })).size, 0);
  assert.equal((await items(server, { line: 1, character: 9 })).size, 0, 'words of a comment that is not ours');
  const asked = await items(server, inList, { triggerKind: 2, triggerCharacter: ',' });
  assert.deepEqual(asked, await items(server, inList, { triggerKind: 1 }));
  assert.equal((await server.at('completion', 'file:///completion/closed.torchir', 0, 0)).items.length, 0);
  await assert.rejects(server.request('textDocument/completion', { textDocument: { uri } }), /params/);
});

withClient('completion sees the edit before it', {}, async (server) => {
  server.didChange(uri, 2, { range: range(0, 19, 0, 19), text: ' # onnxls: ignore[' });
  const rules = await items(server, { line: 0, character: 37 });
  assert.ok(rules.has('unused-value'));
});

withClient('rules of Python in Python', {}, async (server) => {
  server.didOpen(python, 'import torch.onnx  # onnxls: ignore[\nx = "# onnxls: ignore["\n', { languageId: 'python' });
  const { items: rules } = await server.at('completion', python, 0, 36);
  const labels = rules.map(({ label }) => label);
  assert.ok(labels.includes('unknown-attribute') && labels.includes('unused-suppression'));
  assert.ok(!labels.includes('syntax'));
  assert.equal((await server.at('completion', python, 1, 22)).items.length, 0, 'a string is not a comment');
});
