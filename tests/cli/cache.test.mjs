// What check keeps between runs: used when nothing changed, and never when anything did.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync }
  from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test as every } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onWindows, onnxls, root, withFolder } from './onnxls.mjs';

const test = (name, body) => every(name, { skip: onWindows('nothing is kept there') }, body);

const dump = 'graph(%x : Tensor):\n  %y : Tensor = aten::lgamma(%x)\n  return (%y)\n';
const registers = `import torch
from torch.onnx import register_custom_op_symbolic

def lgamma(g, x):
    return g.op("my::Lgamma", x)

register_custom_op_symbolic("aten::lgamma", lgamma, 9)
`;
/** Of which more is said than goes into a list. */
const unsupported = ['lgamma', 'digamma', 'igamma', 'erfinv', 'kthvalue', 'histc', 'nextafter', 'logcumsumexp'];
const long = `graph(%x : Tensor):\n${unsupported.map((name, i) => `  %y${i} : Tensor = aten::${name}(%x)\n`).join('')}  return (${unsupported.map((_, i) => `%y${i}`).join(', ')})\n`;
const files = {
  'w/m.torchir': dump, 'w/long.torchir': long, 'w/other.torchir': dump.replace('lgamma', 'relu'), 'w/a.py': 'import torch.onnx\n',
  'cache/.keep': '',
};

/** A short message or text in a protobuf message. */
const field = (number, bytes) => Buffer.concat([Buffer.from([number << 3 | 2, bytes.length]), Buffer.from(bytes)]);

/** Runs check in w/ with the cache of the folder: { out, err, code, made } with the number of results that are new. */
function check(folder, args = ['.'], options = {}) {
  const env = { XDG_CACHE_HOME: join(folder, 'cache'), ...options.env };
  const before = new Set(keys(folder));
  const result = onnxls(['check', ...args], { cwd: join(folder, 'w'), ...options, env });
  return { ...result, made: keys(folder).filter((key) => !before.has(key)).length };
}

/** The files of those folders in the cache. */
function kept(folder, is_wanted) {
  const top = join(folder, 'cache', 'onnxls');
  return !existsSync(top) ? []
    : readdirSync(top).filter(is_wanted).flatMap((name) => readdirSync(join(top, name)).map((file) => join(top, name, file))).sort();
}

/** The results with files of their own. */
const records = (folder) => kept(folder, (name) => name.length === 2);
const shortLists = (folder) => kept(folder, (name) => name === 'short');

/** Of all results: those in lists follow "onnxls record 2\n" and a sum, each after its key and its length. */
function keys(folder) {
  const found = records(folder);
  for (const list of shortLists(folder)) {
    const bytes = readFileSync(list);
    for (let at = 24; at + 36 <= bytes.length; at += 36 + bytes.readUInt32LE(at + 32))
      found.push(bytes.toString('hex', at, at + 32));
  }
  return found;
}

function same(kept, args, folder, options) {
  const fresh = check(folder, ['--no-cache', ...args], options);
  assert.equal(fresh.made, 0);
  assert.deepEqual([kept.code, kept.out, kept.err], [fresh.code, fresh.out, fresh.err]);
}

test('a second run keeps nothing new and says the same', () => withFolder(files, (folder) => {
  const first = check(folder);
  assert.equal(first.made, 4);
  assert.equal(records(folder).length, 1);
  assert.match(first.out, /aten::lgamma/);
  const second = check(folder);
  assert.equal(second.made, 0);
  assert.deepEqual([second.code, second.out, second.err], [first.code, first.out, first.err]);
  same(second, ['.'], folder);
}));

test('each result of a second run is that of a record, which counts as used', () => withFolder(files, (folder) => {
  check(folder);
  const all = [...records(folder), ...shortLists(folder)];
  assert.equal(all.length, 2);
  for (const file of all)
    utimesSync(file, 2000, 2000);
  check(folder);
  assert.ok(all.every((file) => statSync(file).mtimeMs > 1e9));
}));

test('what was not used for the longest time goes first', () => withFolder(files, (folder) => {
  check(folder);
  const [record] = records(folder);
  const shelf = dirname(record);
  for (let i = 0; i < 500; i++) {
    writeFileSync(join(shelf, `old${i}`), 'x');
    utimesSync(join(shelf, `old${i}`), 1000 + i, 1000 + i);
  }
  writeFileSync(record, '');  // So that something is written there again.
  check(folder);
  const left = readdirSync(shelf);
  assert.ok(left.length < 450 && left.includes(basename(record)) && left.includes('old499') && !left.includes('old0'), `${left.length}`);
}));

const changes = {
  'the text of the file': (folder) => writeFileSync(join(folder, 'w/m.torchir'), dump.replace('%x)', '%x )')),
  'a text of the same length and times': (folder) => {
    const file = join(folder, 'w/m.torchir');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, dump.replace('lgamma', 'digama'));
    utimesSync(file, atime, mtime);
  },
  'the name of the file': (folder) => renameSync(join(folder, 'w/m.torchir'), join(folder, 'w/n.torchir')),
  'a function of the workspace': (folder) => writeFileSync(join(folder, 'w/a.py'), registers),
  'a new file of the workspace': (folder) => writeFileSync(join(folder, 'w/b.py'), registers),
  'settings': (folder) => writeFileSync(join(folder, 'w/.onnxls.json'), '{ "opset": 11 }'),
  'settings above': (folder) => writeFileSync(join(folder, '.onnxls.json'), '{ "rules": { "unsupported-op": "warning" } }'),
  'the torch version that a folder pins': (folder) => writeFileSync(join(folder, 'w/sub/requirements.txt'), 'torch==2.6\n'),
  'the torch version that is pinned': (folder) => writeFileSync(join(folder, 'w/requirements.txt'), 'torch==1.13.1\n'),
};

test('what was kept is not used after a change of: a constant that a script imports', () => {
  const script = 'import torch\nfrom config import OPSET\ntorch.onnx.export(model, args, "m.onnx", opset_version=OPSET, dynamo=False)\n';
  return withFolder({ 'w/export.py': script, 'w/config.py': 'OPSET = 40\n', 'w/other.py': 'x = 1\n', 'cache/.keep': '' }, (folder) => {
    assert.match(check(folder).out, /Opset 40 is above/);
    writeFileSync(join(folder, 'w/other.py'), 'x = 2\n');
    assert.equal(check(folder).made, 0);
    writeFileSync(join(folder, 'w/config.py'), 'OPSET = 41\n');
    const after = check(folder);
    assert.match(after.out, /Opset 41 is above/);
    same(after, ['.'], folder);
  });
});

for (const [name, change] of Object.entries(changes)) {
  test(`what was kept is not used after a change of: ${name}`, () => withFolder({ ...files, 'w/sub/n.torchir': dump }, (folder) => {
    check(folder);
    change(folder);
    const after = check(folder);
    assert.ok(after.made > 0, 'something was checked again');
    same(after, ['.'], folder);
    assert.equal(check(folder).made, 0);
  }));
}

test('what is known of files by their times says the same, whatever becomes of the list', () => withFolder(files, (folder) => {
  const args = [join(root, 'tests/corpus/symbolics_good')];  // Files that nobody changed a moment ago.
  const lists = join(folder, 'cache', 'onnxls', 'lists');
  same(check(folder, args), args, folder);
  const [list] = readdirSync(lists);
  same(check(folder, args), args, folder);
  writeFileSync(join(lists, list), readFileSync(join(lists, list)).subarray(0, 200));
  same(check(folder, args), args, folder);
  check(folder, ['--no-cache', 'm.torchir']);
  assert.deepEqual(readdirSync(lists), [list]);
}));

test('a file that changes again at once is looked at again', () => withFolder(files, (folder) => {
  for (const opset of [40, 41, 42]) {
    writeFileSync(join(folder, 'w/b.py'), `import torch\ntorch.onnx.export(model, args, "m.onnx", opset_version=${opset}, dynamo=False)\n`);
    assert.match(check(folder).out, new RegExp(`Opset ${opset} is above`));
  }
}));

test('a larger dump is kept where it would have much Python read again', () => {
  const large = `graph(%x : Tensor):\n${'  # nothing\n'.repeat(10_000)}  return (%x)\n`;
  const python = `import torch.onnx\n${'# nothing\n'.repeat(20_000)}`;
  return withFolder({ ...files, 'w/large.torchir': large, 'w/b.py': python }, (folder) => {
    assert.equal(check(folder).made, 6);
    writeFileSync(join(folder, 'w/b.py'), 'import torch.onnx\n');
    assert.equal(check(folder).made, 5);
  });
});

test('the setting cache switches it off', () => withFolder({ ...files, 'w/.onnxls.json': '{ "cache": false }' }, (folder) => {
  assert.equal(check(folder).made, 0);
  writeFileSync(join(folder, 'w/.onnxls.json'), '{ "cache": true }');
  assert.equal(check(folder).made, 4);
}));

test('each flag that changes results has results of its own', () => withFolder(files, (folder) => {
  const flags = [[], ['--opset', '12'], ['--torch', '1.13'], ['--exporter', 'dynamo'], ['--runtime', 'onnxruntime==1.21'],
    ['--severity', 'hint'], ['--select', 'unsupported-op'], ['--ignore', 'unsupported-op'], ['--max-diagnostics', '1'], ['--group'],
    ['--timeout-work', '1'], ['--format', 'json'], ['--format', 'jsonl'], ['--format', 'sarif'], ['--color', 'always'], ['--show-source']];
  for (const flag of flags) {
    const kept = check(folder, [...flag, '.']);
    assert.ok(kept.made > 0, `${flag}: made`);
    same(check(folder, [...flag, '.']), [...flag, '.'], folder);
  }
}));

test('a file that is named is another one than one that is found', () => withFolder({ ...files, 'w/empty.torchir': '' }, (folder) => {
  check(folder);
  same(check(folder, ['empty.torchir']), ['empty.torchir'], folder);
  same(check(folder), ['.'], folder);
}));

test('what is no graph is kept, too, with its exit code', () => withFolder({ ...files, 'w/words': 'no graph in here\n' }, (folder) => {
  const first = check(folder, ['words']);
  assert.deepEqual([first.code, first.made], [2, 1]);
  assert.equal(check(folder, ['words']).made, 0);
  same(check(folder, ['words']), ['words'], folder);
  assert.equal(check(folder, ['gone']).made, 0);
  assert.equal(check(folder, ['gone']).code, 2);
}));

test('shards share what they keep', () => withFolder(files, (folder) => {
  check(folder);
  assert.equal(check(folder, ['.', '--shard', '1/2']).made, 0);
  assert.equal(check(folder, ['.', '-j', '1']).made, 0);
}));

test('fixes, baselines, standard input and facts of one\'s own are never kept', () => withFolder(files, (folder) => {
  assert.equal(check(folder, ['.', '--fix']).made, 0);
  assert.equal(check(folder, ['.', '--baseline', '../known.json', '--update-baseline']).made, 0);
  assert.equal(check(folder, ['-'], { input: dump }).made, 0);
  const seeds = join(root, 'tests/fuzz/seeds/overlay_json');
  writeFileSync(join(folder, 'w/facts.json'), readFileSync(join(seeds, readdirSync(seeds)[0])));
  writeFileSync(join(folder, 'w/.onnxls.json'), '{ "db": "facts.json" }');
  const own = check(folder);
  assert.notEqual(own.code, 2, own.err);
  assert.equal(own.made, 0);
}));

test('a damaged record is as good as none, and is mended', () => withFolder(files, (folder) => {
  const first = check(folder);
  const [record] = records(folder);
  const [list] = shortLists(folder);
  const damages = [
    (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) ^ 1])]),
    () => Buffer.alloc(0),
    (bytes) => bytes.subarray(0, -5),
    (bytes) => readFileSync(bytes.length > 700 ? list : record),  // Of another key.
  ];
  for (const damage of damages) {
    for (const file of [record, list]) {
      const bytes = readFileSync(file);
      writeFileSync(file, damage(bytes));
      const second = check(folder);
      assert.deepEqual([second.code, second.out, second.err], [first.code, first.out, first.err]);
      if (!damage(bytes).equals(bytes))
        assert.deepEqual(readFileSync(file), bytes);
    }
  }
}));

test('a cache that can not be used is none', () => withFolder(files, (folder) => {
  const cache = join(folder, 'cache', 'onnxls');
  mkdirSync(cache);
  chmodSync(cache, 0o777);  // Anybody may write there.
  assert.equal(check(folder).made, 0);
  chmodSync(cache, 0o700);
  const elsewhere = join(folder, 'elsewhere');
  renameSync(cache, elsewhere);
  symlinkSync(elsewhere, cache);
  assert.equal(check(folder).made, 0);
  assert.equal(check(folder, ['.'], { env: { XDG_CACHE_HOME: 'relative', HOME: 'relative' } }).code, 1);
  assert.equal(check(folder, ['.'], { env: { XDG_CACHE_HOME: '/dev/null/x' } }).code, 1);
}));

test('a model whose values are in another file is looked at each time', () => withFolder(files, (folder) => {
  // ir_version 8, a graph with a tensor w that is external: location = "w.bin".
  const tensor = Buffer.concat([Buffer.from([0x08, 0x02, 0x10, 0x01]), field(8, 'w'),
    field(13, Buffer.concat([field(1, 'location'), field(2, 'w.bin')])), Buffer.from([14 << 3, 1])]);
  const graph = Buffer.concat([field(2, 'g'), field(5, tensor)]);
  const opset = Buffer.concat([field(1, ''), Buffer.from([0x10, 17])]);
  writeFileSync(join(folder, 'w/model.onnx'), Buffer.concat([Buffer.from([0x08, 8]), field(7, graph), field(8, opset)]));
  assert.equal(check(folder, ['model.onnx']).made, 0);
  same(check(folder, ['model.onnx']), ['model.onnx'], folder);
  writeFileSync(join(folder, 'w/w.bin'), Buffer.alloc(8));
  same(check(folder, ['model.onnx']), ['model.onnx'], folder);
  writeFileSync(join(folder, 'w/plain.onnx'), readFileSync(join(root, 'tests/corpus/onnx/cond.onnx')));
  assert.equal(check(folder, ['plain.onnx']).made, 1);
  assert.equal(check(folder, ['plain.onnx']).made, 0);
}));

/** A model of one node, with a name of so many bytes. */
function oneNode(op, nameLength = 1) {
  const node = Buffer.concat([field(1, 'x'), field(2, 'y'), field(4, op)]);
  const value = (number) => field(11, field(1, number));
  const long = (number, bytes) => Buffer.concat([Buffer.from([number << 3 | 2, bytes.length & 127 | 128, bytes.length >> 7]), bytes]);
  const graph = Buffer.concat([field(1, node), long(2, Buffer.alloc(nameLength, 'g')), value('x'), field(12, field(1, 'y'))]);
  return Buffer.concat([Buffer.from([0x08, 8]), long(7, graph), field(8, Buffer.from([0x10, 17]))]);
}

test('models of a folder are judged as if they were named', () => withFolder(files, (folder) => {
  const model = (name, bytes) => {
    mkdirSync(dirname(join(folder, 'w/m', name)), { recursive: true });
    writeFileSync(join(folder, 'w/m', name), bytes);
  };
  model('good.onnx', oneNode('Relu'));
  model('wrong.onnx', oneNode('Nope'));
  model('large.onnx', oneNode('NopeToo', 5000));
  model('cut.onnx', oneNode('Relu').subarray(0, 20));
  model('none.onnx', 'hello\n');
  model('empty.onnx', '');
  model('sub/wrong.onnx', oneNode('NopeBelow'));
  model('venv/pyvenv.cfg', '');
  model('venv/wrong.onnx', oneNode('NopeForeign'));
  symlinkSync('wrong.onnx', join(folder, 'w/m/link.onnx'));
  symlinkSync('sub', join(folder, 'w/m/folder.onnx'));
  execFileSync('mkfifo', [join(folder, 'w/m/pipe.onnx')]);
  const judged = (args) => JSON.parse(check(folder, ['--format', 'json', ...args]).out).diagnostics;
  const names = ['cut', 'empty', 'good', 'large', 'link', 'none', 'sub/wrong', 'wrong'].map((name) => `m/${name}.onnx`);
  const named = judged(['--no-cache', ...names]);
  for (const op of ['Nope', 'NopeToo', 'NopeBelow'])
    assert.ok(named.some(({ message }) => message.includes(`\`${op}\``)), op);
  assert.deepEqual(judged(['--no-cache', 'm']), named);
  assert.deepEqual(judged(['m']), named);
  assert.deepEqual(judged(['m']), named);
}));

test('a text under the name of a model is judged with the Python files around it', () => withFolder({
  'w/dump.onnx': dump, 'w/reg.py': registers, 'cache/.keep': '',
}, (folder) => {
  assert.doesNotMatch(check(folder).out, /lgamma/);
  writeFileSync(join(folder, 'w/dump.onnx'), `${dump}\n`);
  assert.doesNotMatch(check(folder).out, /lgamma/);
  writeFileSync(join(folder, 'w/reg.py'), 'import torch.onnx\n');
  assert.match(check(folder).out, /dump\.onnx.*lgamma/);
}));

test('a small model is known by its stamp until it changes', () => withFolder(files, async (folder) => {
  const model = join(folder, 'w/model.onnx');
  const bytes = oneNode('Relu');
  writeFileSync(model, bytes);
  await sleep(4000);  // Until the stamp counts.
  assert.equal(check(folder, ['model.onnx']).made, 1);
  assert.equal(check(folder, ['model.onnx']).made, 0);
  const { atime, mtime } = statSync(model);
  const wrong = Buffer.from(bytes);
  wrong.write('Nope', wrong.indexOf('Relu'));
  writeFileSync(model, wrong);
  utimesSync(model, atime, mtime);
  const after = check(folder, ['model.onnx']);
  assert.equal(after.made, 1);
  assert.match(after.out, /Nope/);
  same(after, ['model.onnx'], folder);
}));

test('a large dump is not kept, as checking it costs no more than comparing it', () => withFolder(files, (folder) => {
  writeFileSync(join(folder, 'w/large.torchir'), dump + '\n'.repeat(64 * 1024));
  writeFileSync(join(folder, 'w/large.py'), 'import torch.onnx\n' + '\n'.repeat(64 * 1024));
  assert.equal(check(folder).made, 5);
  same(check(folder), ['.'], folder);
}));
