// Symbolic functions while they are typed: completion and signature help at every keystroke, in text that is not Python
// yet. None of it may fail, and at the points that matter the answer has to be the right one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fullCapabilities, withServer } from './client.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const uri = 'file:///python/a.py';
const capabilities = { ...fullCapabilities, textDocument: { ...fullCapabilities.textDocument,
  signatureHelp: { signatureInformation: { documentationFormat: ['markdown'], activeParameterSupport: true,
                                           parameterInformation: { labelOffsetSupport: true } } },
  completion: { completionItem: { documentationFormat: ['markdown'] } } } };
const options = { initialize: { capabilities, initializationOptions: { torch: '2.6' } } };

function positionOf(text, offset) {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1).length };
}

/** A document that is typed into. What an editor closes by itself comes after the cursor. */
class Typist {
  constructor(server, text) {
    this.server = server;
    this.offset = text.indexOf('|');
    this.text = text.replace('|', '');
    this.version = 1;
    server.didOpen(uri, this.text, { languageId: 'python' });
  }

  get position() { return positionOf(this.text, this.offset); }

  change(removed, added) {
    const start = positionOf(this.text, this.offset - removed);
    this.server.didChange(uri, ++this.version, { range: { start, end: this.position }, text: added });
    this.text = this.text.slice(0, this.offset - removed) + added + this.text.slice(this.offset);
    this.offset += added.length - removed;
  }

  ask() {
    const { line, character } = this.position;
    return Promise.all([this.server.at('completion', uri, line, character), this.server.at('signatureHelp', uri, line, character),
      this.server.at('hover', uri, line, character)]);
  }

  /** Types, asking at each character; the answers at the end. */
  async type(words) {
    let last;
    for (const character of words) {
      this.change(0, character);
      last = await this.ask();
    }
    const [{ items }, help] = last;
    const signature = help?.signatures[help.activeSignature ?? 0];
    const place = signature?.parameters[help.activeParameter];
    return { labels: items.map(({ label }) => label), items, help, label: signature?.label,
      active: place ? signature.label.slice(...place.label) : undefined };
  }

  async erase(count) {
    for (let i = 0; i < count; i++) {
      this.change(1, '');
      await this.ask();
    }
  }
}

const symbolic = `from torch.onnx import register_custom_op_symbolic, symbolic_helper


@symbolic_helper.parse_args("v", "f", "f", "f")
def elu(g, self, alpha, scale, input_scale):
    # Ein Kommentar mit ä und 🎉, der "nicht zugeht
    |
    return g.op("Identity", self)


@symbolic_helper.parse_args("v")
def relu(g, self):
    return g.op("custom::Relu", self)


register_custom_op_symbolic("aten::elu", elu, 9)
`;

async function typeOperator(typist) {
  let seen = await typist.type('y = g.');
  assert.deepEqual(seen.labels, []);
  assert.equal(seen.help, null);
  seen = await typist.type('op(');
  assert.equal(seen.active, 'opname: str');
  seen = await typist.type('"E');
  assert.ok(seen.labels.includes('Elu') && seen.labels.includes('custom::Relu'), seen.labels.join());
  assert.match(seen.items.find(({ label }) => label === 'Mish').detail, /needs opset 18/);
  seen = await typist.type('lu');
  assert.equal(seen.label, 'g.op("Elu", X: T, alpha_f: float = 1.0) -> Y');
  assert.equal(seen.active, '"Elu"');
}

async function typeArguments(typist) {
  let seen = await typist.type(', self');
  assert.equal(seen.active, 'X: T');
  seen = await typist.type(', ');
  assert.deepEqual(seen.labels, ['alpha_f']);
  assert.equal(seen.items[0].textEdit.newText, 'alpha_f=');
  assert.equal(seen.active, 'alpha_f: float = 1.0');
  seen = await typist.type('alpha_f=');
  assert.deepEqual(seen.labels, []);
  assert.equal(seen.active, 'alpha_f: float = 1.0');
  seen = await typist.type('max(alpha, ');
  assert.equal(seen.help, null);
  seen = await typist.type('0.0), ');
  assert.deepEqual(seen.labels, []);
}

withServer('g.op() is typed and nothing after the cursor is closed', options, async (server) => {
  const typist = new Typist(server, symbolic);
  await typeOperator(typist);
  await typist.type('"');
  await typeArguments(typist);
  const seen = await typist.type(')\n    y');
  assert.equal(seen.help, null);
  await typist.erase(40);
});

withServer('g.op() is typed in an editor that closes brackets and strings', options, async (server) => {
  const typist = new Typist(server, symbolic.replace('|', '|\n'));
  await typist.type('y = g.op()');
  typist.offset--;
  await typist.type('""');
  typist.offset--;
  const seen = await typist.type('Elu');
  assert.equal(seen.label, 'g.op("Elu", X: T, alpha_f: float = 1.0) -> Y');
  typist.offset++;
  await typeArguments(typist);
});

withServer('two unfinished lines do not get in each other\'s way', options, async (server) => {
  const typist = new Typist(server, symbolic.replace('|', 'x = g.op("Conv", self, [\n    |'));
  await typeOperator(typist);
  await typist.type('"');
  await typeArguments(typist);
});

withServer('parse_args and a registration are typed', options, async (server) => {
  const typist = new Typist(server, symbolic.replace('parse_args("v", "f", "f", "f")', 'parse_args|').replace('    |', ''));
  let seen = await typist.type('(');
  assert.equal(seen.label, 'parse_args(self: Tensor, alpha: Scalar, scale: Scalar, input_scale: Scalar)');
  assert.equal(seen.active, 'self: Tensor');
  seen = await typist.type('"');
  assert.equal([...seen.items].sort((a, b) => (a.sortText < b.sortText ? -1 : 1))[0].label, 'v');
  seen = await typist.type('v", "');
  assert.equal(seen.active, 'alpha: Scalar');
  const best = [...seen.items].sort((a, b) => (a.sortText < b.sortText ? -1 : 1))[0];
  assert.deepEqual([best.label, best.detail], ['f', 'Scalar alpha of aten::elu']);
  await typist.type('f")');

  typist.offset = typist.text.length;
  seen = await typist.type('register_custom_op_symbolic(');
  assert.equal(seen.active, 'symbolic_name: str');
  seen = await typist.type('"');
  assert.ok(seen.labels.includes('aten::'));
  seen = await typist.type('aten::special_i0');
  assert.deepEqual(seen.labels, ['aten::special_i0', 'aten::special_i0e']);
  seen = await typist.type('e", elu, ');
  assert.equal(seen.active, 'opset_version: int');
  await typist.erase(60);
});

withServer('a client that takes words for parameters gets words', { initialize: { initializationOptions: { torch: '2.6' } } }, async (server) => {
  server.didOpen(uri, 'from torch.onnx import symbolic_helper as s\ns._get_const(x, ', { languageId: 'python' });
  const help = await server.at('signatureHelp', uri, 1, 16);
  assert.deepEqual(help.signatures[0].parameters.map(({ label }) => label), ['value', 'desc', 'arg_name']);
  assert.equal(help.activeParameter, 1);
  assert.equal(help.signatures[0].documentation.kind, 'plaintext');
});

withServer('every prefix of a file, with questions at its end', options, async (server) => {
  const text = readFileSync(join(root, 'tests', 'corpus', 'symbolics', '01_good_elu.py'), 'utf8');
  const typist = new Typist(server, '|');
  await typist.type(text.slice(0, 3000));
  const [{ items }] = await typist.ask();
  assert.ok(Array.isArray(items));
});

withServer('a Python file that has nothing to do with ONNX gets nothing', options, async (server) => {
  const text = 'def elu(g, x):\n    return g.do("Elu", x, alpha_f=1)\n';
  const document = { textDocument: { uri } };
  server.didOpen(uri, text, { languageId: 'python' });
  for (let character = 4; character < 36; character++) {
    assert.equal(await server.at('hover', uri, 1, character), null);
    assert.deepEqual((await server.at('completion', uri, 1, character)).items, []);
    assert.equal(await server.at('signatureHelp', uri, 1, character), null);
    assert.deepEqual(await server.at('definition', uri, 1, character), []);
    assert.equal(await server.at('prepareCallHierarchy', uri, 1, character), null);
  }
  for (const method of ['documentSymbol', 'codeLens', 'foldingRange', 'documentLink'])
    assert.deepEqual(await server.request(`textDocument/${method}`, document), [], method);
  const end = { line: 2, character: 0 };
  const range = { start: { line: 0, character: 0 }, end };
  assert.deepEqual(await server.request('textDocument/inlayHint', { ...document, range }), []);
});

withServer('call hierarchy of a place that is gone is empty', options, async (server) => {
  const typist = new Typist(server, symbolic);
  const line = typist.text.split('\n').findIndex((words) => words.startsWith('def elu'));
  const [item] = await server.at('prepareCallHierarchy', uri, line, 5);
  assert.equal(item.name, 'elu');
  const [edge] = await server.request('callHierarchy/outgoingCalls', { item });
  assert.equal(edge.to.name, 'Identity');
  typist.offset = typist.text.length;
  typist.change(typist.text.length, 'onnx');
  assert.deepEqual(await server.request('callHierarchy/incomingCalls', { item }), []);
  assert.deepEqual(await server.request('callHierarchy/outgoingCalls', { item }), []);
  await server.refuses(-32602, 'callHierarchy/outgoingCalls', { item: { uri } });
});

withServer('what takes too much work to parse is said once, and the rest is checked', options, async (server) => {
  const wrong = 'import torch\ntorch.onnx.export(torch.nn.ReLU(), 1, "f", opset_version="9")\n';
  const isSaid = ({ message }) => message.startsWith(uri) && /lines 3 to 4 are too tangled/.test(message);
  server.didOpen(uri, `${wrong}def f():\n    x = ${'1%,'.repeat(20_000)}1\n`, { languageId: 'python' });
  assert.equal((await server.notification('window/showMessage', isSaid)).type, 2);
  const { diagnostics } = await server.diagnostics(uri, 1);
  assert.deepEqual(diagnostics.map(({ range, code }) => [range.start.line, code]), [[0, 'partly-checked'], [1, 'export-opset-type']]);
  server.didChange(uri, 2, { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# a\n' });
  await server.diagnostics(uri, 2);
  assert.equal(server.count('window/showMessage'), 1);
});
