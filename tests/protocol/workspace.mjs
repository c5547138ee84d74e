// Tests with a workspace on disk: symbolic functions in Python files count as support in dumps, open or not.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fullCapabilities, withServerNow } from './client.mjs';

export const graph = 'graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::lgamma(%x)\n  return (%y)\n';
export const symbolic = `import torch
from torch.onnx import register_custom_op_symbolic


def lgamma(g, self):
    return g.op("custom::Lgamma", self)


register_custom_op_symbolic("aten::lgamma", lgamma, 9)
`;
export const helper = `from torch.onnx import symbolic_helper


@symbolic_helper.parse_args("v")
def lgamma(g, self):
    return g.op("custom::Lgamma", self)
`;
export const settings = { torch: '2.14', opset: 17 };
export const pulling = { ...fullCapabilities, workspace: { diagnostics: { refreshSupport: true }, codeLens: { refreshSupport: true } },
                  textDocument: { ...fullCapabilities.textDocument, diagnostic: {} } };

/** A test with a workspace of its own: { path: text }. */
export function inWorkspace(name, files, { end, root = '.', ...initialize }, body) {
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

export const changed = (server, type, ...uris) =>
  server.notify('workspace/didChangeWatchedFiles', { changes: uris.map((uri) => ({ uri, type })) });
export const CREATED = 1;
export const CHANGED = 2;
export const DELETED = 3;

export const isRefused = ({ diagnostics }) => diagnostics.some(({ code }) => /^(unsupported-op|op-needs-newer-opset)$/.test(code));

/** Waits for diagnostics of this document that say, from now on or already as the last word, whether it is refused. */
export function until(server, uri, refused, from = server.messages.length) {
  const last = server.messages.findLast(({ method, params }) =>
    method === 'textDocument/publishDiagnostics' && params.uri === uri);
  if (last && server.messages.indexOf(last) >= from - 1 && isRefused(last.params) === refused)
    return last.params;
  return server.notification('textDocument/publishDiagnostics',
                             (params) => params.uri === uri && isRefused(params) === refused, from);
}

/** A dump whose operator is converted as soon as the index was read. */
export async function openConverted(server, uri) {
  const from = server.messages.length;
  server.didOpen(uri, graph);
  await until(server, uri, false, from);
}
