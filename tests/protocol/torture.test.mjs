// What a client must never do, one test a row of docs/protocol.md, "When a client misbehaves". After each the server must
// still answer: over standard input and output, and over a socket.
import assert from 'node:assert/strict';

import { onWindows } from '../cli/onnxls.mjs';
import { frame, patiently, range, withServer } from './client.mjs';

const uri = 'file:///torture/a.torchir';
const text = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n';

/** One row, on every transport that it makes sense for. */
function row(name, body, { transports = ['stdio', 'socket'], ...options } = {}) {
  for (const transport of transports)
    withServer(`${name} (${transport})`, { transport, ...options }, body);
}

/** The next error reply without an id. */
function refusal(server, code, from = server.messages.length) {
  return server.wait(`an error ${code} with id null`, (message) => message.id === null && message.error?.code === code, from);
}

/** Five requests in a row are all answered: the server is not deaf. */
async function stillListens(server) {
  for (let i = 0; i < 5; i++)
    await server.isAlive();
}

row('malformed JSON body', async (server) => {
  const refused = refusal(server, -32700);
  server.raw(frame('{"jsonrpc":"2.0","id":1,"method":'));
  await refused;
  await stillListens(server);
});

row('a Content-Length of 99999999999999', async (server) => {
  server.raw('Content-Length: 99999999999999\r\n\r\n{"jsonrpc":"2.0","method":"x"}');
  const { type, message } = await server.notification('window/showMessage');
  assert.equal(type, 1);
  assert.match(message, /99999999999999/);
  await stillListens(server);
});

row('a Content-Length that no integer holds', async (server) => {
  server.raw(`Content-Length: ${'9'.repeat(40)}\r\n\r\n{}`);
  await server.notification('window/showMessage');
  await stillListens(server);
});

row('a body over the limit is skipped, and what follows is not', async (server) => {
  server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'torch-ir', version: 1, text: '#'.repeat(20000) } });
  const { message } = await server.notification('window/showMessage');
  assert.match(message, /10000/);
  await stillListens(server);
}, { args: ['--message-limit=10000'] });

row('lower-case content-length', async (server) => {
  const { answer, message } = server.prepare('textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 0 } });
  const body = JSON.stringify(message);
  server.raw(`content-length: ${body.length}\r\nCONTENT-TYPE: application/vscode-jsonrpc; charset=utf8\r\n\r\n${body}`);
  assert.equal(await answer, null);
  await stillListens(server);
});

row('a length that is too short', async (server) => {
  const refused = refusal(server, -32700);
  server.raw('Content-Length: 5\r\n\r\n{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":{}}');
  await refused;
  await stillListens(server);
});

for (const excess of [1, 7, 20, 30, 1000]) {
  row(`a length that is too long by ${excess}`, async (server) => {
    const { answer, message } = server.prepare('$/isAlive', {});
    const body = JSON.stringify(message);
    server.raw(`Content-Length: ${body.length + excess}\r\n\r\n${body}`);
    // The message itself is whole; the next one's header shows where it ends.
    const next = server.prepare('$/isAlive', {});
    server.raw(frame(next.message));
    await assert.rejects(next.answer, { code: -32601 });
    await assert.rejects(answer, { code: -32601 });
    await stillListens(server);
  });
}

row('a length of 0', async (server) => {
  const refused = refusal(server, -32700);
  server.raw('Content-Length: 0\r\n\r\n');
  await refused;
  await stillListens(server);
});

row('a length that is not a number', async (server) => {
  server.raw('Content-Length: many\r\n\r\n{"jsonrpc":"2.0","method":"x"}');
  await server.notification('window/logMessage', ({ message }) => /Content-Length is not a number/.test(message));
  await stillListens(server);
});

row('no length', async (server) => {
  server.raw('Content-Type: application/vscode-jsonrpc\r\n\r\n{"jsonrpc":"2.0","method":"x"}');
  await server.notification('window/logMessage', ({ message }) => /without Content-Length/.test(message));
  await stillListens(server);
});

row('headers that end with a line feed only', async (server) => {
  const { answer, message } = server.prepare('$/isAlive', {});
  const body = JSON.stringify(message);
  server.raw(`Content-Length: ${body.length}\n\n${body}`);
  await assert.rejects(answer, { code: -32601 });
  await stillListens(server);
});

row('garbage between messages', async (server) => {
  server.raw(`warning: something printed this\n\n\x00\xff${'junk '.repeat(5000)}`);
  await stillListens(server);
  server.raw('\r\n\r\n\r\n');
  await stillListens(server);
});

row('a JSON-RPC batch', async (server) => {
  const refused = refusal(server, -32600);
  server.raw(frame('[{"jsonrpc":"2.0","id":1,"method":"shutdown"},{"jsonrpc":"2.0","id":2,"method":"shutdown"}]'));
  await refused;
  await stillListens(server);
});

for (const body of ['7', '"text"', 'null', '{}', '{"jsonrpc":"2.0"}', '{"method":"shutdown"}', '{"jsonrpc":"2.0","id":[],"method":"shutdown"}',
                    '{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}', '{"jsonrpc":"2.0","method":17}']) {
  row(`JSON that is not a message: ${body}`, async (server) => {
    const refused = refusal(server, -32600);
    server.raw(frame(body));
    await refused;
    await stillListens(server);
  });
}

row('JSON 200,000 deep', async (server) => {
  const refused = refusal(server, -32700);
  server.raw(frame('['.repeat(200000) + ']'.repeat(200000)));
  await refused;
  const again = refusal(server, -32700);
  server.raw(frame(`{"jsonrpc":"2.0","id":1,"method":"x","params":${'{"a":'.repeat(200000)}1${'}'.repeat(200000)}}`));
  await again;
  await stillListens(server);
});

row('JSON with millions of values', async (server) => {
  const refused = refusal(server, -32600);
  server.raw(frame(`{"jsonrpc":"2.0","method":"x","params":[${'1,'.repeat(3000000)}1]}`));
  await refused;
  await stillListens(server);
});

for (const [place, make] of [
  ['a name', (bad) => Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), bad, Buffer.from('"}')])],
  ['the text of a document', (bad) => Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"${uri}","languageId":"x","version":1,"text":"`),
    bad, Buffer.from('"}}}')])],
]) {
  row(`invalid UTF-8 in ${place}`, async (server) => {
    for (const bad of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const refused = refusal(server, -32700);
      const body = make(Buffer.from(bad));
      server.raw(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
      await refused;
    }
    await stillListens(server);
  });
}

row('params of the wrong type', async (server) => {
  server.didOpen(uri, text);
  for (const params of [undefined, null, [], {}, { textDocument: 7, position: {} }, { textDocument: { uri: 7 }, position: { line: 0, character: 0 } },
                        { textDocument: { uri }, position: { line: '0', character: 0 } }, { textDocument: { uri }, position: { line: -1, character: 0 } },
                        { textDocument: { uri }, position: { line: 0.5, character: 0 } }])
    await server.refuses(-32602, 'textDocument/hover', params);
  await server.refuses(-32602, 'textDocument/references', { textDocument: { uri }, position: { line: 0, character: 0 } });
  await server.refuses(-32602, 'textDocument/selectionRange', { textDocument: { uri }, positions: [{}] });
  await server.refuses(-32602, 'textDocument/semanticTokens/full/delta', { textDocument: { uri } });
  server.raw(frame('{"jsonrpc":"2.0","id":4711,"method":"textDocument/hover","params":17}'));
  const refused = await server.wait('the refusal', (message) => message.id === 4711);
  assert.equal(refused.error.code, -32602);
  server.problems.length = 0;  // That request went past the client's book-keeping.
});

row('an unknown method', async (server) => {
  await server.refuses(-32601, 'textDocument/noSuchThing', {});
  await server.refuses(-32601, '$/noSuchThing', {});
  await server.refuses(-32601, 'textDocument/didOpen', {});
  server.notify('$/noSuchNotification', {});
  server.notify('noSuchNotification', {});
  await stillListens(server);
});

row('a request before initialize', async (server) => {
  await server.refuses(-32002, 'textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 0 } });
  await server.refuses(-32002, 'shutdown');
  server.didOpen(uri, text);
  await server.initialize();
  assert.equal(await server.at('hover', uri, 0, 0), null);
}, { initialize: false });

row('a second initialize', async (server) => {
  await server.refuses(-32600, 'initialize', { processId: null, rootUri: null, capabilities: {} });
  await stillListens(server);
});

row('a request after shutdown', async (server) => {
  await server.request('shutdown');
  await server.refuses(-32600, 'textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 0 } });
  await server.refuses(-32600, 'shutdown');
  await server.refuses(-32600, 'initialize', { processId: null, rootUri: null, capabilities: {} });
  server.notify('exit');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
});

row('requests for a document that is not open', async (server) => {
  const document = { textDocument: { uri } };
  assert.equal(await server.at('hover', uri, 3, 3), null);
  for (const method of ['definition', 'documentHighlight'])
    assert.deepEqual(await server.at(method, uri, 3, 3), []);
  assert.deepEqual(await server.at('references', uri, 3, 3, { context: { includeDeclaration: true } }), []);
  for (const method of ['documentLink', 'documentSymbol', 'foldingRange'])
    assert.deepEqual(await server.request(`textDocument/${method}`, document), []);
  for (const method of ['semanticTokens/full', 'semanticTokens/full/delta', 'semanticTokens/range'])
    assert.equal(await server.request(`textDocument/${method}`, { ...document, previousResultId: '1', range: range(0, 0, 1, 0) }), null);
  assert.equal(await server.request('textDocument/selectionRange', { ...document, positions: [{ line: 0, character: 0 }] }), null);
  assert.deepEqual(await server.request('textDocument/diagnostic', document), { kind: 'full', items: [] });
});

row('a change or a close of a document that is not open', async (server) => {
  server.didChange(uri, 2, { text });
  server.didClose(uri);
  server.notify('textDocument/didSave', { textDocument: { uri } });
  await stillListens(server);
  assert.equal(server.count('textDocument/publishDiagnostics'), 0);
  assert.equal(server.messages.filter(({ params }) => /is not open/.test(params?.message)).length, 2);
});

row('an edit out of range or reversed', async (server) => {
  server.didOpen(uri, text);
  await server.diagnostics(uri, 1);
  server.didChange(uri, 2, { range: range(900, 900, 901, 0), text: '# end\n' });  // Clamped to the end.
  await server.diagnostics(uri, 2);
  server.didChange(uri, 3, { range: range(2, 0, 1, 0), text: 'x' });
  server.didChange(uri, 4, { range: range(2, 0, 1, 0), text: 'x' });
  await server.notification('window/showMessage', ({ message }) => /lost track/.test(message));
  assert.deepEqual(await server.request('textDocument/documentSymbol', { textDocument: { uri } }), []);
  assert.equal(server.count('window/showMessage'), 1);
  server.didChange(uri, 5, { text });
  await server.diagnostics(uri, 5);
  assert.notDeepEqual(await server.request('textDocument/semanticTokens/full', { textDocument: { uri } }), null);
});

row('the input ends without shutdown', async (server) => {
  server.output.end();
  assert.deepEqual(await server.exited, { code: 1, signal: null });
});

row('shutdown and exit', async (server) => {
  assert.deepEqual(await server.shutdown(), { code: 0, signal: null });
});

row('exit without shutdown', async (server) => {
  server.notify('exit');
  assert.deepEqual(await server.exited, { code: 1, signal: null });
});

row('exit before initialize', async (server) => {
  server.notify('exit');
  assert.deepEqual(await server.exited, { code: 1, signal: null });
}, { initialize: false });

row('shutdown, and then the input ends', async (server) => {
  await server.request('shutdown');
  server.output.end();
  assert.deepEqual(await server.exited, { code: 0, signal: null });
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  row(signal, async (server) => {
    server.didOpen(uri, text);
    await server.diagnostics(uri, 1);
    server.child.kill(signal);
    assert.deepEqual(await server.exited, { code: 0, signal: null });
  }, { skip: signal !== 'SIGINT' && onWindows('no signals but that of ^C') });
}

row('nobody reads what the server writes', async (server) => {
  server.input.destroy();
  const asking = setInterval(() => server.send({ jsonrpc: '2.0', id: server.nextId++, method: '$/isAlive' }), 10);
  try {
    assert.deepEqual(await patiently(server.exited, 'the server to notice'), { code: 1, signal: null });
  } finally {
    clearInterval(asking);
  }
}, { transports: ['stdio'], skip: onWindows('between Node and Wine is a pipe that takes it all') });

row('a cancelled request', async (server) => {
  server.didOpen(uri, text);
  await server.diagnostics(uri, 1);
  const hover = server.prepare('textDocument/hover', { textDocument: { uri }, position: { line: 1, character: 3 } });
  const cancel = { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: hover.id } };
  server.raw(Buffer.concat([frame(hover.message), frame(cancel)]));
  await assert.rejects(hover.answer, { code: -32800 });
  server.notify('$/cancelRequest', { id: 'never asked' });
  server.notify('$/cancelRequest', {});
  server.notify('$/cancelRequest', { id: { a: 1 } });
  await stillListens(server);
});

row('ids that are strings', async (server) => {
  const id = 'a "quoted" id \u0000 \u{1F600}';
  const { answer, message } = server.prepare('shutdown', undefined, id);
  server.send(message);
  assert.equal(await answer, null);
  server.notify('exit');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
});

row('a request that is also cancelled twice, and one with the id of another', async (server) => {
  const params = { textDocument: { uri }, position: { line: 0, character: 0 } };
  server.raw(Buffer.concat([1, 2].map(() => frame({ jsonrpc: '2.0', id: 'same', method: 'textDocument/hover', params }))));
  await stillListens(server);
  assert.equal(server.messages.filter(({ id }) => id === 'same').length, 2);
  server.problems.length = 0;  // The client's own fault.
});
