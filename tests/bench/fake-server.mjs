// A language server just large enough to test the bench: it knows which names are used and not defined.
// Arguments: "full" for full-text sync, "padded" to blow every message up beyond what the client parses, "versionless"
// to leave versions out.
const isFull = process.argv.includes('full');
const padding = process.argv.includes('padded') ? 'x'.repeat(100000) : '';
let text = '';
let input = Buffer.alloc(0);

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  for (let at = 0; at < body.length; at += 30000)
    process.stdout.write(body.subarray(at, at + 30000));
}

function offsetOf({ line, character }) {
  let at = 0;
  for (let i = 0; i < line; i++)
    at = text.indexOf('\n', at) + 1;
  return at + character;
}

function publish({ uri, version }) {
  const defined = new Set([...text.matchAll(/(%[\w.]+) :/g)].map((match) => match[1]));
  const used = [...text.matchAll(/%[\w.]+/g)].map((match) => match[0]);
  const unknown = used.filter((name) => !defined.has(name));
  const diagnostics = unknown.map((message) => ({ range: {}, severity: 1, message }));
  if (padding)
    diagnostics.push({ range: {}, severity: 4, message: padding });
  const named = process.argv.includes('versionless') ? {} : { version };
  // Another message goes first: the client must not take it for the one that it waits for.
  if (!process.argv.includes('versionless'))
    send({ method: 'textDocument/publishDiagnostics', params: { uri, version: version - 1, diagnostics: [] } });
  send({ method: 'textDocument/publishDiagnostics', params: { uri, ...named, diagnostics } });
}

function change({ textDocument, contentChanges }) {
  for (const { range, text: replacement } of contentChanges) {
    if ((range === undefined) !== isFull)
      process.exit(3);
    text = isFull ? replacement
      : text.slice(0, offsetOf(range.start)) + replacement + text.slice(offsetOf(range.end));
  }
  publish(textDocument);
}

function answer({ id, method, params }) {
  if (method === 'initialize')
    send({ id, result: { capabilities: { textDocumentSync: { change: isFull ? 1 : 2 }, completionProvider: {} } } });
  else if (method === 'textDocument/didOpen')
    text = params.textDocument.text, publish(params.textDocument);
  else if (method === 'textDocument/didChange')
    change(params);
  else if (method === 'exit')
    process.exit(0);
  else if (id !== undefined)
    send({ id, result: method === 'textDocument/hover' ? { contents: padding || 'a value' } : null });
}

process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const end = input.indexOf('\r\n\r\n');
    const length = Number(/\d+/.exec(input.toString('latin1', 0, Math.max(end, 0)))?.[0]);
    if (end < 0 || input.length < end + 4 + length)
      return;
    const message = JSON.parse(input.subarray(end + 4, end + 4 + length));
    input = input.subarray(end + 4 + length);
    answer(message);
  }
});
