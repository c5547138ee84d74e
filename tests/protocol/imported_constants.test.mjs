// Constants that a script imports: of files that are open, closed, changed, made and deleted.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { graph, symbolic, inWorkspace, changed, until, openConverted, CREATED, CHANGED, DELETED } from './workspace.mjs';

const script = 'import torch\nfrom config import OPSET\ntorch.onnx.export(model, args, "m.onnx", opset_version=OPSET, dynamo=False)\n';
const config = (opset) => `OPSET = ${opset}\n`;

/** Waits until the opset of the script is reported, or is not, from a message on. */
async function untilReported(server, uri, word, from) {
  const says = ({ uri: of, diagnostics }) =>
    of === uri('export.py') && (word ? diagnostics.some(({ message }) => message.includes(word)) : diagnostics.length === 0);
  const last = server.messages.slice(from).findLast(({ method, params }) =>
    method === 'textDocument/publishDiagnostics' && params.uri === uri('export.py'));
  if (last && says(last.params))
    return;
  await server.notification('textDocument/publishDiagnostics', says, from);
}

inWorkspace('constants of a closed file, as it changes', { 'src/config.py': config(40), 'src/other.py': 'x = 1\n' }, {}, async (server, { uri, write, folder }) => {
  const place = (path) => uri(path === 'export.py' ? 'src/export.py' : path);
  server.didOpen(uri('src/export.py'), script, { languageId: 'python' });
  await untilReported(server, place, 'Opset 40', 0);
  for (const [opset, word] of [[17, null], [41, 'Opset 41']]) {
    const from = server.messages.length;
    write('src/config.py', config(opset));
    changed(server, CHANGED, uri('src/config.py'));
    await untilReported(server, place, word, from);
  }
  let from = server.messages.length;
  rmSync(join(folder, 'src/config.py'));
  changed(server, DELETED, uri('src/config.py'));
  await untilReported(server, place, null, from);
  from = server.messages.length;
  write('src/config.py', config(42));
  changed(server, CREATED, uri('src/config.py'));
  await untilReported(server, place, 'Opset 42', from);
});

inWorkspace('constants of an open file, as it is typed', { 'config.py': config(40) }, {}, async (server, { uri }) => {
  server.didOpen(uri('export.py'), script, { languageId: 'python' });
  await untilReported(server, uri, 'Opset 40', 0);
  let from = server.messages.length;
  server.didOpen(uri('config.py'), config(41), { languageId: 'python' });
  await untilReported(server, uri, 'Opset 41', from);
  from = server.messages.length;
  server.didChange(uri('config.py'), 2, { text: config(17) });
  await untilReported(server, uri, null, from);
  from = server.messages.length;
  server.didChange(uri('config.py'), 3, { text: config(43) });
  await untilReported(server, uri, 'Opset 43', from);
  from = server.messages.length;
  server.didClose(uri('config.py'));
  await untilReported(server, uri, 'Opset 40', from);
});

inWorkspace('an import that is typed later', { 'pkg/settings.py': config(40) }, {}, async (server, { uri }) => {
  server.didOpen(uri('export.py'), 'import torch\n' + script.replace(/^from.*\n/m, ''), { languageId: 'python' });
  const from = server.messages.length;
  server.didChange(uri('export.py'), 2, { text: script.replace('from config', 'from pkg.settings') });
  await untilReported(server, uri, 'Opset 40', from);
  assert.ok(server.messages.length > from);
});

const fromTable = symbolic.replace('import torch\n', 'import torch\nfrom names import NAMES\n')
  .replace(/^register_custom.*/m, 'for name in NAMES:\n    register_custom_op_symbolic(name, lgamma, 9)');

inWorkspace('registrations of a closed file by names of another', { 'ops.py': fromTable, 'names.py': 'NAMES = ["aten::lgamma"]\n' }, {},
            async (server, { uri, write }) => {
  assert.match(fromTable, /for name in NAMES/);
  await openConverted(server, uri('a.torchir'));
  for (const [name, refused] of [['digamma', true], ['lgamma', false]]) {
    const from = server.messages.length;
    write('names.py', `NAMES = ["aten::${name}"]\n`);
    changed(server, CHANGED, uri('names.py'));
    await until(server, uri('a.torchir'), refused, from);
  }
  assert.ok(graph.includes('lgamma'));
});
