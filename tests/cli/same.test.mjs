// `check --format json` and the server say the same of every real dump.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LspClient } from '../cases/lsp.mjs';
import { binary, onnxls, root } from './onnxls.mjs';

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
    client.open(uri, text);
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
  test(`check and serve say the same: ${JSON.stringify(settings)}`, { timeout: 300_000 }, async () => {
    const files = dumps();
    const byServer = await served(files, settings);
    const byCheck = checked(files, settings);
    for (const file of files)
      assert.deepEqual(byServer.get(file), byCheck.get(file), file);
    assert.ok(files.length > 50, `only ${files.length} dumps`);
  });
}
