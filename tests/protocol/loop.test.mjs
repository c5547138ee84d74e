// What runs on the loop is small: everybody waits for it. The log says the most that was looked at there at once, in
// bytes; what is larger goes to the pool. Counted, not timed.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fullCapabilities, withServerNow } from './client.mjs';
import { dump } from './document.mjs';

const LOOP_BYTES = 256 * 1024;  // server/base/limits.h
const python = `import torch.onnx\n\n\n${Array.from({ length: 3000 }, (_, i) =>
  `def f${i}(g, x):\n    return g.op("Relu", x, alpha_f=${i}.0)\n\n\ntorch.onnx.register_custom_op_symbolic("my::f${i}", f${i}, 9)\n`).join('\n\n')}`;
const longLine = `graph(%x : Tensor):\n  %y : Tensor[] = prim::ListConstruct(${'%x, '.repeat(300000)}%BAD)\n  return (%y)\n`;
const texts = { 'a.torchir': dump(20000, 3), 'long.torchir': longLine, 'big.py': python, 'small.torchir': dump(30, 5) };

const methods = ['hover', 'definition', 'implementation', 'documentHighlight', 'references', 'documentSymbol', 'foldingRange',
  'documentLink', 'selectionRange', 'semanticTokens/full', 'semanticTokens/range', 'completion', 'signatureHelp', 'codeLens',
  'inlayHint', 'prepareCallHierarchy', 'codeAction'];

/** The figures in the log, in order. */
function works(folder) {
  return [...readFileSync(join(folder, '.log'), 'utf8').matchAll(/most work on the loop so far: (\d+) bytes/g)].map(([, n]) => Number(n));
}

function inFolder(name, files, initialize, body) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onnxls-loop-'));
    for (const [path, text] of Object.entries(files))
      writeFileSync(join(folder, path), text);
    const uri = (path) => pathToFileURL(join(folder, path)).href;
    const options = { args: ['--log-file', join(folder, '.log')], initialize: { rootUri: uri('.'), ...initialize } };
    try {
      await withServerNow(options, (server) => body(server, { folder, uri }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

async function askAll(server, uri, line) {
  const position = { line, character: 20 };
  const range = { start: position, end: { line: line + 1, character: 0 } };
  await Promise.all(methods.map((method) => server.request(`textDocument/${method}`, {
    textDocument: { uri }, position, positions: [position], range, context: { includeDeclaration: true, diagnostics: [] },
  })));
}

for (const [how, capabilities] of [
  ['pushed', fullCapabilities],
  ['pulled', { ...fullCapabilities, workspace: { diagnostics: { refreshSupport: true } },
               textDocument: { ...fullCapabilities.textDocument, diagnostic: {} } }],
]) {
  inFolder(`large texts are looked at on the pool, diagnostics ${how}`, {}, { capabilities }, async (server, { folder, uri }) => {
    const diagnostics = async (path, version) => (how === 'pushed' ? (await server.diagnostics(uri(path), version)).diagnostics
      : (await server.request('textDocument/diagnostic', { textDocument: { uri: uri(path) } })).items);
    for (const [path, text] of Object.entries(texts)) {
      server.didOpen(uri(path), text, { languageId: path.endsWith('.py') ? 'python' : 'torch-ir' });
      assert.ok((await diagnostics(path, 1)).length > 0, path);
      await askAll(server, uri(path), 2);
      server.didChange(uri(path), 2, { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } }, text: ' ' });
      await diagnostics(path, 2);
      await askAll(server, uri(path), 2);
    }
    const found = works(folder);
    assert.ok(found.length > 0, 'something small runs on the loop');
    assert.ok(found.at(-1) <= LOOP_BYTES, `${found}`);
  });
}

inFolder('small Python that nests much is looked at on the pool, but for what its names mean', {}, {}, async (server, { folder, uri }) => {
  const tangled = `import onnx\nx = ${'['.repeat(20000)}${']'.repeat(20000)}\n`;
  server.didOpen(uri('a.py'), tangled, { languageId: 'python' });
  await server.diagnostics(uri('a.py'), 1);
  await askAll(server, uri('a.py'), 1);
  server.didChange(uri('a.py'), 2, { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } }, text: ' ' });
  await server.diagnostics(uri('a.py'), 2);
  // Anything else would count it several times.
  assert.deepEqual(works(folder), [tangled.length]);
});

const facts = { version: 1, torch: [{ version: '2.14', torchscript: { 'my::f': [9] } }] };

inFolder('facts are read on the pool, before anything is checked', { 'own.json': JSON.stringify(facts), '.onnxls.json': '{"db":"own.json"}' },
         {}, async (server, { folder, uri }) => {
  const text = 'graph(%x : Tensor):\n  %y : Tensor = my::f(%x)\n  %z : Tensor = my::g(%y)\n  return (%z)\n';
  server.didOpen(uri('a.torchir'), text);
  const { diagnostics } = await server.diagnostics(uri('a.torchir'), 1);
  assert.deepEqual(diagnostics.filter(({ code }) => code === 'unsupported-op').map(({ range }) => range.start.line), [2]);
  const log = readFileSync(join(folder, '.log'), 'utf8');
  assert.match(log, /facts of 1 folders were read[^]*torch 2\.14, TorchScript exporter/);
  assert.equal(log.match(/facts of/g).length, 1);
});
