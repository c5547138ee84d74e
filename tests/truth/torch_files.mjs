// What `check` says of torch's own symbolic files, one by one, with a verdict from a record of what really happens in
// their lines (torch_files_record.py, run in that torch's interpreter).
//
//   node torch_files.mjs VERSION FOLDER [RECORD.jsonl] [--opset N] [--all]
//
// TRUE: the record holds the fault. FALSE: the line ran, and nothing of the kind came up. ?: no run came there, or the
// record can't tell. Without --all, only what is not TRUE is printed.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');

/** Rules that speak of a node, and the faults of the record that prove them. */
const nodeRules = {
  'unknown-attribute': /^unknown-attribute/,
  'attribute-type': /^attribute-type/,
  'attribute-became-input': /^(unknown-attribute|input-count)/,
  'missing-required-attribute': /^missing-required-attribute/,
  'onnx-op-not-in-opset': /^onnx-op-not-in-opset/,
  'unknown-onnx-op': /^unknown-onnx-op/,
  'input-count': /^input-count/,
  'output-count': /^output-count/,
  'constant-value': /^(missing-required-attribute value|unknown-attribute value)/,
  'missing-attribute-suffix': null,
  'unknown-attribute-suffix': null,
};

/** Rules that speak of something that would have raised in that very line. */
const runRules = new Set(['attribute-value', 'graph-value-as-attribute', 'python-value-as-input', 'empty-list-attribute',
  'python-operation-on-value', 'missing-attribute-suffix', 'unknown-attribute-suffix']);

class Record {
  constructor(path) {
    this.calls = new Map();      // file -> [[first, last, name]]
    this.functions = new Map();
    this.nodes = new Map();      // file:line -> records
    this.ran = new Map();        // file:line -> count
    this.raised = new Map();     // file:line -> texts
    this.registered = new Map(); // file:line of a function -> Set of torch operators
    this.outcomes = new Map();   // torch operator -> [outcome records]
    this.dead = new Set();       // registered names that no lookup ends at
    if (path) {
      for (const line of readFileSync(path, 'utf8').split('\n'))
        this.add(line);
    }
  }

  add(line) {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      return;  // The end of a process that died while writing.
    }
    const key = `${record.file}:${record.line}`;
    if (record.sites) {
      this.calls.set(record.sites, record.calls);
      this.functions.set(record.sites, record.functions);
    } else if (record.dead) {
      record.dead.forEach((name) => this.dead.add(name));
    } else if (record.op) {
      this.nodes.set(key, [...this.nodes.get(key) ?? [], record]);
    } else if (record.ran) {
      this.ran.set(key, (this.ran.get(key) ?? 0) + record.count);
    } else if (record.raised) {
      this.raised.set(key, [...this.raised.get(key) ?? [], `${record.kind}: ${record.text}`]);
    } else if (record.function) {
      this.registered.set(key, (this.registered.get(key) ?? new Set()).add(record.function));
    } else if (record.call) {
      this.outcomes.set(record.call, [...this.outcomes.get(record.call) ?? [], record]);
    }
  }

  /** The innermost of `ranges` that holds the line: [first, last, name]. */
  static innermost(ranges, line) {
    return (ranges ?? []).filter(([first, last]) => first <= line && line <= last)
      .sort((a, b) => (a[1] - a[0]) - (b[1] - b[0]))[0];
  }

  lines(file, [first, last], table) {
    return Array.from({ length: last - first + 1 }, (_, i) => table.get(`${file}:${first + i}`)).filter(Boolean);
  }

  ofNode({ rule, line }, file) {
    const site = Record.innermost(this.calls.get(file), line) ?? [line, line];
    const nodes = this.lines(file, site, this.nodes).flat();
    const opsets = (list) => [...new Set(list.map((node) => node.opset))].sort((a, b) => a - b).join(' ');
    const guilty = nodes.filter((node) => node.faults?.some((fault) => nodeRules[rule]?.test(fault)));
    if (guilty.length)
      return ['TRUE', `at opset ${opsets(guilty)}: ${[...new Set(guilty.flatMap((node) => node.faults))].join('; ')}`];
    const fine = nodes.filter((node) => !node.error);
    if (fine.length)
      return ['FALSE', `fine at opset ${opsets(fine)}`];
    const texts = this.lines(file, site, this.raised).flat();
    return ['?', texts.length ? `no node was made: ${texts[0]}` : 'not reached'];
  }

  ofRun({ line }, file) {
    const site = Record.innermost(this.calls.get(file), line) ?? [line, line];
    const texts = this.lines(file, site, this.raised).flat();
    const runs = this.lines(file, site, this.ran).reduce((sum, count) => sum + count, 0);
    const telling = texts.filter((text) => /TypeError|ValueError|AttributeError|incompatible/.test(text));
    if (telling.length)
      return ['TRUE?', [...new Set(telling)].slice(0, 2).join(' | ')];
    return runs ? ['FALSE?', `ran ${runs} times`] : ['?', 'not reached'];
  }

  /** `if x is None:` of a value that is never None: what stands below never runs. */
  ofNoneCheck({ line }, file) {
    const here = this.ran.get(`${file}:${line}`) ?? 0;
    const below = this.ran.get(`${file}:${line + 1}`) ?? 0;
    if (here && !below)
      return ['TRUE', `ran ${here} times, the line below never`];
    return ['?', `ran ${here} times, the line below ${below} times`];
  }

  ofInPlaceName({ message }) {
    const name = /'([^']*)'/.exec(message)[1];
    return this.dead.has(name) ? ['TRUE', 'no operator is looked up under this name'] : ['?', 'not in the record'];
  }

  /** What came of the calls of a function, for a person to read. */
  ofFunction({ line }, file) {
    const site = Record.innermost(this.functions.get(file), line);
    const operators = site ? [...this.registered.get(`${file}:${site[0]}`) ?? []] : [];
    const outcomes = operators.flatMap((name) => this.outcomes.get(name) ?? []);
    const byText = new Map();
    for (const { schema, outcome, count } of outcomes) {
      const text = `${schema.replace(/\(.*/, '')} ${outcome.slice(0, 90)}`;
      byText.set(text, (byText.get(text) ?? 0) + count);
    }
    const said = [...byText].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([text, count]) => `${count}x ${text}`);
    return ['?', said.join(' | ') || 'no calls recorded'];
  }

  verdict(finding, file) {
    if (finding.rule in nodeRules && nodeRules[finding.rule])
      return this.ofNode(finding, file);
    if (finding.rule === 'none-check-on-value')
      return this.ofNoneCheck(finding, file);
    if (finding.rule === 'registration-in-place')
      return this.ofInPlaceName(finding);
    return runRules.has(finding.rule) ? this.ofRun(finding, file) : this.ofFunction(finding, file);
  }
}

const values = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const option = (name) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null;
const opset = option('--opset');
const [version, folder, recordPath] = values.filter((word) => word !== opset);
const files = readdirSync(folder).filter((name) => name.endsWith('.py')).sort();
const { stdout, stderr } = spawnSync(binary, ['check', '--format', 'json', '--torch', version, '--exporter', 'torchscript',
  '--exit-zero', '--severity', 'hint', '--max-diagnostics', '0', ...(opset ? ['--opset', opset] : []), ...files],
  { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
if (!stdout)
  throw new Error(stderr || `${binary} said nothing`);

const record = new Record(recordPath);
const counts = new Map();
for (const finding of JSON.parse(stdout).diagnostics) {
  const [verdict, why] = record.verdict(finding, finding.file);
  const kind = `${finding.severity} ${finding.rule} ${verdict}`;
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if (verdict !== 'TRUE' || process.argv.includes('--all')) {
    console.log(`${verdict.padEnd(6)} ${finding.file}:${finding.line}: ${finding.severity}: ${finding.message} ` +
      `[${finding.rule}]\n         ${why}`);
  }
}
for (const [kind, count] of [...counts].sort())
  console.log(`${String(count).padStart(5)} ${kind}`);
console.log(`${[...counts.values()].reduce((sum, count) => sum + count, 0)} findings in ${files.length} files`);
