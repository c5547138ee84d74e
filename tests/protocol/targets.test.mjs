// onnxls/targets: the numbers of each choice are those that a check for that target gives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { binary, withServer } from './client.mjs';

const llama = fileURLToPath(new URL('../../demo/llama.torchir', import.meta.url));
const uri = 'file:///targets/a.torchir';
const settings = { torch: '2.6', opset: 13 };
const targets = (server) => server.request('onnxls/targets', { textDocument: { uri } });
const of = ({ choices }, setting) => choices.filter((choice) => choice.setting === setting);

/** What `onnxls check` finds with this setting in the place of the one in force. */
function checked(setting, value) {
  const flags = Object.entries({ ...settings, [setting]: value }).map(([name, set]) => `--${name}=${set}`);
  try {
    return execFileSync(binary, ['check', llama, '--format=json', '--max-diagnostics=0', ...flags], { encoding: 'utf8', cwd: '/' });
  } catch (error) {
    return error.stdout;  // It found errors.
  }
}

withServer('what each choice would change is what a check for it says', { initialize: { initializationOptions: settings } }, async (server) => {
  server.didOpen(uri, readFileSync(llama, 'utf8'));
  const answer = await targets(server);
  assert.deepEqual([answer.torch, answer.exporter, answer.opset, answer.runtime, answer.counted], ['2.6', 'torchscript', 13, '', true]);
  assert.deepEqual(of(answer, 'torch').map(({ value }) => value), ['2.14', '2.6', '1.13']);
  assert.deepEqual(answer.choices.filter(({ current }) => current).map(({ value }) => value), ['2.6', 'torchscript', 13]);
  for (const { setting, value, errors, warnings } of [...of(answer, 'torch'), ...of(answer, 'opset').filter(({ value }) => value % 3 === 2)]) {
    const { diagnostics } = JSON.parse(checked(setting, value));
    const count = (severity) => diagnostics.filter((found) => found.severity === severity).length;
    assert.deepEqual([errors, warnings], [count('error'), count('warning')], `${setting} ${value}`);
  }
  const [old, later] = [13, 14].map((opset) => of(answer, 'opset').find(({ value }) => value === opset));
  assert.equal(old.difference, '');
  assert.equal(later.difference, `${old.errors - later.errors} errors fewer`);
  assert.ok(later.errors < old.errors);
});

withServer('an exporter that judges less is not praised for it', { initialize: { initializationOptions: settings } }, async (server) => {
  server.didOpen(uri, readFileSync(llama, 'utf8'));
  const dynamo = of(await targets(server), 'exporter').find(({ value }) => value === 'dynamo');
  assert.equal(dynamo.difference, '');
  assert.match(dynamo.why, /dynamo/);
});

withServer('a runtime with fewer kernels has more errors', { initialize: { initializationOptions: settings } }, async (server) => {
  server.didOpen(uri, '<ir_version: 8, opset_import: ["" : 17]>\ng (double[2] x) => (double[2] y) {\n  y = Cos(x)\n}\n', { languageId: 'onnx-text' });
  const runtimes = of(await targets(server), 'runtime');
  const errors = (version) => runtimes.find(({ value }) => value === `onnxruntime ${version}`);
  assert.ok(errors('1.21').errors + errors('1.21').warnings > errors('1.30').errors + errors('1.30').warnings);
});

withServer('a document that is large, or none of ours, is not counted', { initialize: { initializationOptions: settings } }, async (server) => {
  server.didOpen(uri, `${readFileSync(llama, 'utf8')}${'\n'.repeat(5_000_000)}`);
  const large = await targets(server);
  assert.equal(large.counted, false);
  assert.deepEqual(large.choices[0], { setting: 'torch', value: '2.14', current: false });
  server.didClose(uri);
  assert.equal(await targets(server), null);
});
