// How the server starts where the system is stingy, and how it ends when it is told to.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { binary, onWindows, whenEmulated } from './onnxls.mjs';

const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { processId: null, capabilities: {} } });

/** The server under `ulimit -n limit`, started by a shell that becomes it. */
function start(limit, ...args) {
  const child = spawn('sh', ['-c', `ulimit -n ${limit} && exec "$0" "$@"`, binary, 'serve', ...args]);
  const seen = { out: '', err: '' };
  child.stdin.on('error', () => {});
  child.stdout.on('data', (data) => { seen.out += data; });
  child.stderr.on('data', (data) => { seen.err += data; });
  return { child, seen, closed: once(child, 'close') };
}

// A sanitizer's runtime needs descriptors of its own for what it says; it says nothing here.
for (const args of [[], ['--socket=1'], ['--pipe=nowhere']]) {
  test(`too few descriptors${args.length ? ` with ${args}` : ''} are said, and end it`, { skip: whenEmulated('the limit would be its own') }, async () => {
    for (let limit = 4; limit <= 12; limit++) {
      const { seen, closed } = start(limit, ...args);  // Its input stays open: nothing but the limit ends it.
      const [code, signal] = await closed;
      assert.deepEqual([code, signal], [2, null], `ulimit -n ${limit}: ${seen.err}`);
      assert.match(seen.err, /^onnxls: can't start: too many open files; it takes \d+ more/, `ulimit -n ${limit}`);
      assert.equal(seen.out, '');
    }
  });
}

test('with a few more descriptors it serves, and SIGTERM ends it', { skip: onWindows('no signals') }, async () => {
  const { child, seen, closed } = start(20);
  child.stdin.write(`Content-Length: ${initialize.length}\r\n\r\n${initialize}`);
  while (!seen.out.includes('"capabilities"'))
    await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null], seen.err);
});
