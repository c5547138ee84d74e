// Loads models in sessions of onnxruntime-node's CPU provider and prints what becomes of each: its line of JSON with `says`.
//
//     node ask.mjs FOLDER-OF-THE-PACKAGE IN.models > OUT.jsonl
//
// A model that ends the process is one that can't be loaded, too: the rest is asked in another process.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, models, first] = process.argv.slice(2);

function readModels() {
  const bytes = fs.readFileSync(models);
  const list = [];
  for (let at = 0; at < bytes.length;) {
    const parts = [0, 1].map(() => {
      const length = bytes.readUInt32LE(at);
      at += 4 + length;
      return bytes.subarray(at - length, at);
    });
    list.push({ key: JSON.parse(parts[0].toString()), model: new Uint8Array(parts[1]) });
  }
  return list;
}

function open() {
  const bin = path.join(folder, 'bin');
  const file = path.resolve(bin, fs.readdirSync(bin)[0], 'linux/x64/onnxruntime_binding.node');
  const binding = createRequire(import.meta.url)(file);
  binding.initOrtOnce?.(4, class {}, true);
  return binding;
}

function load(binding, model) {
  try {
    const session = new binding.InferenceSession();
    const options = { logSeverityLevel: 4, intraOpNumThreads: 1, interOpNumThreads: 1 };
    session.loadModel(model.buffer, 0, model.byteLength, options);
    session.dispose?.();
    return 'ok';
  } catch (error) {
    return error.message;
  }
}

function ask(from) {
  const binding = open();
  for (const { key, model } of readModels().slice(from))
    fs.writeSync(1, JSON.stringify({ ...key, says: load(binding, model) }) + '\n');
}

function supervise() {
  const list = readModels();
  for (let done = 0; done < list.length; done++) {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder, models, String(done)],
                            { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = child.stdout.toString().split('\n').filter(line => line.endsWith('}'));
    fs.writeSync(1, lines.map(line => line + '\n').join(''));
    done += lines.length;
    if (done < list.length && !child.signal)
      throw new Error(`ended with ${child.status} after ${done}`);
    if (done < list.length)
      fs.writeSync(1, JSON.stringify({ ...list[done].key, says: `ends with ${child.signal}` }) + '\n');
  }
}

if (first === undefined)
  supervise();
else
  ask(Number(first));
