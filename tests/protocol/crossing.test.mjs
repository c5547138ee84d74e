// Features that cross files: what one says is found from another, by way of the index.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fullCapabilities, patiently } from './client.mjs';
import { graph, symbolic, helper, settings, inWorkspace, until } from './workspace.mjs';

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

withIndex('graphs and modules of dumps are symbols of the workspace', {
  'net.torchir': 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x), scope: Net::/Block::layers.0/ReLU::layers.0.act\n'
    + '  %z : Tensor = aten::relu(%y), scope: Net::/Block::layers.0/ReLU::layers.0.act\n  return (%z)\n',
  'm.onnxtxt': '<ir_version: 8, opset_import: ["" : 17]>\nagraph (float[2] x) => (float[2] y) {\n   y = Relu (x)\n}\n',
}, {}, async (server, { uri }) => {
  const ask = async (query) => (await server.request('workspace/symbol', { query }))
    .map(({ name, kind, location }) => `${kind} ${name} ${placesOf([location], uri)[0]}`);
  const act = '5 layers.0.act: ReLU net.torchir 2:40-80';
  assert.deepEqual(await ask('layers.0'), [act]);
  assert.deepEqual(await ask('relu'), [act]);
  assert.deepEqual(await ask('agraph'), ['2 agraph m.onnxtxt 2:1-7']);
  assert.deepEqual(await ask('net.torchir'), ['2 graph net.torchir 1:1-6']);
  assert.deepEqual(await ask(''), []);
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
    assert.equal(first.command.title, 'converts aten::lgamma, opsets 7 to 23; called only with dynamo=False; 3 uses in 2 dumps');
    assert.deepEqual(first.command.arguments, able ? [uri('ops.py'), { line: 4, character: 4 }] : undefined);
    assert.equal(first.command.command, able ? 'onnxls.showReferences' : '');
    assert.equal(second.command.title, 'converts my::no, opsets 7 to 23; called only with dynamo=False');
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
