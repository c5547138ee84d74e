// A short session with the server, as an editor has it: `node demo/session.mjs SERVER DUMP`.
// Opens the dump, and prints what the server says of an operator and of a value.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [server, dump] = process.argv.slice(2);
const text = readFileSync(dump, 'utf8');
const uri = pathToFileURL(resolve(dump)).href;
const child = spawn(server, ['--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let buffer = Buffer.alloc(0);
let nextId = 1;

function send(message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The answer to a request, or the parameters of the next notification of that name. */
const expect = (key) => new Promise((done) => waiting.set(key, done));

function request(method, params) {
  const id = nextId++;
  send({ id, method, params });
  return expect(id);
}

child.stdout.on('data', (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (let end = buffer.indexOf('\r\n\r\n'); end >= 0; end = buffer.indexOf('\r\n\r\n')) {
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, end))[1]);
    if (buffer.length < end + 4 + length)
      return;
    const message = JSON.parse(buffer.toString('utf8', end + 4, end + 4 + length));
    buffer = buffer.subarray(end + 4 + length);
    if (message.method && message.id !== undefined)
      send({ id: message.id, result: null });
    else
      waiting.get(message.method ?? message.id)?.(message.params ?? message.result);
  }
});
child.on('exit', (code) => process.exit(code ?? 1));

async function hover(needle) {
  const offset = text.indexOf(needle);
  const before = text.slice(0, offset).split('\n');
  const position = { line: before.length - 1, character: before.at(-1).length };
  const answer = await request('textDocument/hover', { textDocument: { uri }, position });
  console.log(`\n--- hover at ${needle.trim()} (line ${position.line + 1}) ---\n${answer.contents.value}`);
}

const { serverInfo } = await request('initialize', {
  processId: process.pid, rootUri: null, initializationOptions: { torch: '2.6', exporter: 'torchscript', opset: 13 },
  capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
});
console.log(`${serverInfo.name} ${serverInfo.version} is there`);
send({ method: 'initialized', params: {} });
const published = expect('textDocument/publishDiagnostics');
send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'torch-ir', version: 1, text } } });
const { diagnostics } = await published;
console.log(`it publishes ${diagnostics.length} diagnostics, the first: ${diagnostics[0].message}`);
await hover('aten::rms_norm');
await hover('aten::scaled_dot_product_attention');
await hover('%x.1 :');
await request('shutdown', null);
send({ method: 'exit' });
