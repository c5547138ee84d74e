// Does `check` report as errors exactly the operators that the real exporter refuses? Asks every dump of expected_V.json
// at every opset, with the settings of that torch version, and prints each disagreement.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');
const dumps = join(root, 'tests', 'corpus', 'torch-ir', 'torch-2.x');
const run = promisify(execFile);
const versions = ['2.6', '2.14'];

/** Operators with an error of a support rule, for each file: Map of file to sorted names. */
async function reported(torch, opset, files) {
  const args = ['check', '--format', 'json', '--torch', torch, '--opset', opset, '--exporter', 'torchscript', '--exit-zero',
                '--max-diagnostics', '0', ...files];
  const { stdout } = await run(binary, args, { cwd: dumps, maxBuffer: 1 << 30 });
  const operators = new Map(files.map((file) => [file, new Set()]));
  for (const { file, severity, data } of JSON.parse(stdout).diagnostics) {
    if (severity === 'error' && data)
      operators.get(file).add(data.op);
  }
  return operators;
}

/** Compares all dumps of one version at one opset; returns [agreeing, disagreeing]. */
async function compare(torch, opset, expected) {
  const files = Object.keys(expected).filter((file) => expected[file][opset]);
  const operators = await reported(torch, opset, files);
  let agreeing = 0;
  for (const file of files) {
    const right = new Set(expected[file][opset]);
    const said = operators.get(file);
    const missed = [...right].filter((op) => !said.has(op));
    const extra = [...said].filter((op) => !right.has(op));
    if (missed.length || extra.length)
      console.log(`torch ${torch}, opset ${opset}, ${file}: missed [${missed.sort()}], said wrongly [${extra.sort()}]`);
    else
      agreeing++;
  }
  return [agreeing, files.length - agreeing];
}

async function main() {
  const tasks = versions.flatMap((torch) => {
    const expected = JSON.parse(readFileSync(join(here, `expected_${torch}.json`), 'utf8'));
    const opsets = new Set(Object.values(expected).flatMap((byOpset) => Object.keys(byOpset)));
    return [...opsets].map((opset) => ({ torch, opset, expected }));
  });
  const totals = [0, 0];
  const worker = async () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) {
      const [agreeing, disagreeing] = await compare(task.torch, task.opset, task.expected);
      totals[0] += agreeing;
      totals[1] += disagreeing;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism?.() ?? cpus().length }, worker));
  console.log(`agreement on (dump, opset) pairs: ${totals[0]} of ${totals[0] + totals[1]}`);
  console.log(`${totals[0]} passed, ${totals[1]} failed`);
  process.exit(totals[1] || !totals[0] ? 1 : 0);
}

await main();
