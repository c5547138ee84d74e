// Edits, requests and cancels all in flight at once, on several documents, large enough to need the pool. Meant for the
// build with ThreadSanitizer (ONNXLS=build/tsan/onnxls), and true in every other: each request gets one answer, cancelled
// ones nothing else than that, and in the end the server's text is the client's.
import assert from 'node:assert/strict';

import { frame, fullCapabilities, withServer } from './client.mjs';
import { TextModel, UNDEFINED, dump, numbers, rangesOf } from './document.mjs';

const features = ['hover', 'definition', 'documentHighlight', 'references', 'documentSymbol', 'foldingRange', 'documentLink',
  'selectionRange', 'semanticTokens/full', 'semanticTokens/full/delta', 'semanticTokens/range', 'diagnostic'];

class Pen {
  constructor(server, name, nodes) {
    this.server = server;
    this.uri = `file:///stress/${name}.torchir`;
    this.model = new TextModel(dump(nodes, 50));
    this.version = 1;
    this.lines = this.model.lines().length;
  }

  open() {
    this.server.didOpen(this.uri, this.model.text, { version: this.version });
  }

  /** Blank lines come and go at the top: cheap for the model, and every position moves. */
  edit(random) {
    const grow = this.model.text[0] !== '\n' || random(3) > 0;
    const change = grow ? { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '\n' }
      : { range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, text: '' };
    this.model.text = grow ? `\n${this.model.text}` : this.model.text.slice(1);
    return frame({ jsonrpc: '2.0', method: 'textDocument/didChange',
                   params: { textDocument: { uri: this.uri, version: ++this.version }, contentChanges: [change] } });
  }

  ask(random) {
    const position = { line: random(this.lines), character: random(30) };
    const end = { line: position.line + random(50), character: 0 };
    return this.server.prepare(`textDocument/${features[random(features.length)]}`, {
      textDocument: { uri: this.uri }, position, positions: [position], range: { start: position, end },
      context: { includeDeclaration: true }, previousResultId: `${random(100)}`,
    });
  }
}

for (const [name, nodes, capabilities] of [
  ['pushing', [30, 1500, 6000], fullCapabilities],
  ['pulling', [300, 6000], { ...fullCapabilities, window: { workDoneProgress: true },
                              textDocument: { ...fullCapabilities.textDocument, diagnostic: {} } }],
]) {
  withServer(`stress, ${name}`, { initialize: { capabilities } }, async (server) => {
    const random = numbers(nodes.length);
    const pens = nodes.map((count, i) => new Pen(server, `d${i}`, count));
    const answers = [];
    let settings = 0;
    pens.forEach((pen) => pen.open());
    for (let round = 0; round < 60; round++) {
      const batch = [];
      for (let i = 0; i < 12; i++) {
        const pen = pens[random(pens.length)];
        const what = random(10);
        if (what < 4) {
          batch.push(pen.edit(random));
        } else {
          const asked = pen.ask(random);
          batch.push(frame(asked.message));
          answers.push(asked.answer.catch((error) => assert.equal(error.code, -32800)));
          if (what > 6)
            batch.push(frame({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: asked.id - random(3) } }));
        }
      }
      server.raw(Buffer.concat(batch));
      if (round % 20 === 10) {
        const pen = pens[random(pens.length)];
        server.didClose(pen.uri);
        pen.open();
      }
      if (round % 20 === 15)
        server.notify('workspace/didChangeConfiguration', { settings: { onnxls: { opset: 15 + settings++ } } });
      await Promise.all(answers.slice(0, -20));  // Never more than so many after.
    }
    await Promise.all(answers);
    assert.ok(answers.length > 300);
    for (const pen of pens) {
      const found = capabilities.textDocument.diagnostic
        ? (await server.request('textDocument/diagnostic', { textDocument: { uri: pen.uri } })).items
        : (await server.diagnostics(pen.uri, pen.version)).diagnostics;
      const bad = found.filter(({ message }) => message.includes('%BAD'));
      assert.deepEqual(rangesOf(bad).slice(0, 5), pen.model.find(UNDEFINED).slice(0, 5));
    }
  });
}
