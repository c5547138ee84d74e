// `check --format json` and the server say the same of every real dump.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { LspClient } from '../cases/lsp.mjs';
import { binary, onnxls, root, withFolder } from './onnxls.mjs';

const severities = ['', 'error', 'warning', 'info', 'hint'];

function dumps() {
  const found = ['demo/llama.torchir', 'demo/resnet18.torchir'];
  const folders = ['tests/corpus/torch-ir'];
  while (folders.length) {
    const folder = folders.pop();
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory())
        folders.push(path);
      else if (!/\.(md|tsv|json)$/.test(entry.name))
        found.push(path);
    }
  }
  return found.sort();
}

/** A diagnostic of the server as `check` prints it. */
function asReported(file, { range, severity, code, message, codeDescription, data }) {
  return { file, line: range.start.line + 1, column: range.start.character + 1, endLine: range.end.line + 1,
           endColumn: range.end.character + 1, severity: severities[severity], rule: code, message,
           url: codeDescription.href, data: data ?? null };
}

async function served(files, settings) {
  const client = new LspClient([binary, '--stdio'], { cwd: root });
  await client.start(settings);
  const all = new Map();
  for (const file of files) {
    // A client sends text; bytes that are not UTF-8 are U+FFFD by then, one for one only for single ones.
    const text = readFileSync(join(root, file), 'utf8');
    const uri = pathToFileURL(join(root, file)).href;
    client.open(uri, text, 'plaintext');
    all.set(file, (await client.diagnostics(uri)).map((diagnostic) => asReported(file, diagnostic)));
    client.close(uri);
  }
  await client.stop();
  return all;
}

function checked(files, { opset, torch, exporter }) {
  const args = ['check', '--format', 'json', '--opset', `${opset}`, '--torch', torch, '--exporter', exporter, ...files];
  const all = new Map(files.map((file) => [file, []]));
  // An editor gets fixes as code actions, in an answer of their own.
  for (const { fixes, ...diagnostic } of JSON.parse(onnxls(args, { cwd: root }).out).diagnostics)
    all.get(diagnostic.file).push(diagnostic);
  return all;
}

for (const settings of [{ opset: 13, torch: '2.6', exporter: 'torchscript' },
                        { opset: 18, torch: '2.14', exporter: 'dynamo' }]) {
  test(`check and serve say the same: ${JSON.stringify(settings)}`, { timeout: 1_200_000 }, async () => {
    const files = dumps();
    const byServer = await served(files, settings);
    const byCheck = checked(files, settings);
    for (const file of files)
      assert.deepEqual(byServer.get(file), byCheck.get(file), file);
    assert.ok(files.length > 50, `only ${files.length} dumps`);
  });
}

const symbolic = (name, opset) => `import torch
from torch.onnx import register_custom_op_symbolic


def fn(g, self):
    return g.op("Relu", self)


register_custom_op_symbolic("${name}", fn, ${opset})
`;
const uses = (...ops) => `graph(%x : Tensor):\n${ops.map((op, i) => `  %y${i} : Tensor = ${op}(%x)\n`).join('')}  return (${ops.map((_, i) => `%y${i}`).join(', ')})\n`;

test('check and serve say the same of a workspace with symbolic functions', () => withFolder({
  '.onnxls.json': '{"opset":13,"torch":"2.14"}',
  'src/a.py': symbolic('aten::lgamma', 9),
  'src/b.py': symbolic('my::op', 15),
  'src/c.py': symbolic('aten::celu', 9),
  'src/table.py': 'from torch.onnx import register_custom_op_symbolic\nfrom fns import scale\nregister_custom_op_symbolic("aten::erfinv", scale, 13)\n',
  // Nothing here says that this one is registered, and for what.
  'src/fns.py': 'import torch.onnx\n\n\ndef scale(g, self, more):\n    return g.op("Mul", self, alpha=2.0)\n',
  'dumps/x.torchir': uses('aten::lgamma', 'aten::lgamma_', 'my::op', 'aten::celu', 'aten::erfinv', 'aten::erfc'),
  'node_modules/d.py': symbolic('aten::erfc', 9),
  '.hidden/e.py': symbolic('aten::erfc', 9),
  'env/pyvenv.cfg': '',
  'env/f.py': symbolic('aten::erfc', 9),
}, async (cwd) => {
  const files = ['dumps/x.torchir', 'src/a.py', 'src/b.py', 'src/c.py', 'src/fns.py', 'src/table.py'];
  const report = JSON.parse(onnxls(['check', '--format', 'json', ...files], { cwd }).out);
  const byCheck = new Map(files.map((file) => [file, []]));
  for (const { fixes, ...diagnostic } of report.diagnostics)
    byCheck.get(diagnostic.file).push(diagnostic);

  const client = new LspClient([binary, '--stdio'], { cwd });
  await client.start(undefined, pathToFileURL(cwd).href);
  const uri = (file) => pathToFileURL(join(cwd, file)).href;
  for (const file of files)
    client.open(uri(file), readFileSync(join(cwd, file), 'utf8'), file.endsWith('.py') ? 'python' : 'torch-ir');
  const served = async (file) => (await client.diagnostics(uri(file))).map((diagnostic) => asReported(file, diagnostic));
  // Each file that is read may change what is said of others: the last word counts.
  const deadline = performance.now() + 180_000;  // It hangs.
  for (const file of files) {
    while (!isDeepStrictEqual(await served(file), byCheck.get(file)) && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await served(file), byCheck.get(file), file);
  }
  await client.stop();

  assert.deepEqual(byCheck.get('dumps/x.torchir').map(({ rule, data }) => [rule, data.op, data.since]),
                   [['op-needs-newer-opset', 'my::op', 15], ['unsupported-op', 'aten::erfc', null]]);
  // One file alone is seen as in its workspace.
  const alone = JSON.parse(onnxls(['check', '--format', 'json', 'src/fns.py'], { cwd }).out).diagnostics;
  assert.deepEqual(alone.map(({ fixes, ...diagnostic }) => diagnostic), byCheck.get('src/fns.py'));
  assert.ok(alone.length > 0);
}));
