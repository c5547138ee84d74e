import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LspClient } from '../cases/lsp.mjs';
import { binary, onWindows, onnxls, root, spelled, withFolder } from './onnxls.mjs';


/** Facts of somebody's own: an operator in torch 2.14, one in a torch that nobody else knows, one of ONNX. */
const own = JSON.stringify({
  version: 1,
  sources: ['our kernels, release 3'],
  torch: [
    { version: '2.14', schemas: ['my::fused(Tensor x, float p=0.5) -> Tensor'], torchscript: { 'my::fused': [11] } },
    { version: '2.20', exporters: { torchscript: { opsets: [9, 22], default: 18 } },
      schemas: ['aten::relu(Tensor self) -> Tensor'], torchscript: { 'aten::relu': [9] } },
  ],
  onnx: [{ domain: 'my.domain', op: 'Fused', since: 1, doc: 'What upstream says.',
    inputs: [{ name: 'X', type: 'T', doc: 'The\n  input.' }], outputs: [{ name: 'Y', type: 'T' }],
    attributes: [{ name: 'p', type: 'float', default: 0.5 }], type_constraints: [{ name: 'T', types: ['tensor(float)'] }] }],
});

const dump = 'graph(%x : Tensor):\n  %y : Tensor = my::fused(%x)\n  return (%y)\n';
const settings = '{"db": ["facts/own.json"], "torch": "2.14", "opset": 13}';
const workspace = { '.onnxls.json': settings, 'facts/own.json': own, 'a.torchir': dump };

test('list shows what is built in', () => {
  const { code, out } = onnxls(['db', 'list']);
  assert.equal(code, 0);
  assert.match(out, /^Layers, the lowest first\n {2}built in {2}\d+ torch operators {2}\d+ ONNX operators {2}\d+ KB\n\n/);
  const list = JSON.parse(onnxls(['db', 'list', '--format', 'json']).out);
  assert.deepEqual(list.torch.map(({ version }) => version), ['1.13', '2.6', '2.14']);
  assert.deepEqual(list.torch[1].torchscript, { min: 7, max: 20, default: 17 });
  const onnx = list.onnx.find(({ domain }) => domain === '');
  assert.ok(onnx.version >= 25 && onnx.operators > 190 && onnx.schemas > 600);
  assert.ok(list.layers[0].bytes < 3 << 20, 'the facts stay small');
  assert.ok(list.sources.length > 20);
});

test('an overlay counts everywhere', () => withFolder(workspace, async (cwd) => {
  assert.deepEqual(JSON.parse(onnxls(['db', 'list', '--format', 'json'], { cwd }).out).layers.map(({ name }) => name),
                   ['built in', spelled(join(cwd, 'facts/own.json'))]);
  const checked = (...args) => JSON.parse(onnxls(['check', '--format', 'json', 'a.torchir', ...args], { cwd }).out).diagnostics;
  assert.deepEqual(checked(), []);
  assert.equal(checked('--torch', '2.6')[0].rule, 'unsupported-op');
  const [op] = JSON.parse(onnxls(['ops', 'a.torchir', '--format', 'json'], { cwd }).out);
  assert.deepEqual([op.torchscript[0], op.reported], [11, 0]);
  const explained = onnxls(['explain', 'my.domain::Fused'], { cwd }).out;
  assert.match(explained, /^ {4}my\.domain::Fused\(X: T\) -> \(Y: T\)[^]*  X  T  The input\.\n[^]*ONNX says\n\nWhat upstream says\.\n/);
  assert.match(onnxls(['explain', 'aten::relu', '--torch', '2.20'], { cwd }).out, /exporter of torch 2\.20 converts it at opset 13/);
  assert.match(onnxls(['explain', 'my::fused'], { cwd }).out, /torch 2\.14 {2}TorchScript opsets 11-20/);

  const client = new LspClient([binary, '--stdio'], { cwd });
  await client.start(JSON.parse(settings.replace('facts', join(cwd, 'facts'))));
  const uri = pathToFileURL(join(cwd, 'a.torchir')).href;
  client.open(uri, dump);
  assert.deepEqual(await client.diagnostics(uri), []);
  const hover = await client.request('textDocument/hover', { textDocument: { uri }, position: { line: 1, character: 20 } });
  assert.match(hover.contents.value ?? hover.contents, /my::fused\(Tensor x, float p=0\.5\) -> Tensor/);
  await client.stop();
}));

test('a path alone is fine, and later files win', () => withFolder({
  '.onnxls.json': '{"db": "own.json"}', 'own.json': own,
  'deep/.onnxls.json': '{"db": ["../own.json", "second.json"]}',
  'deep/second.json': '{"version":1,"torch":[{"version":"2.14","torchscript":{"my::fused":[15]}}]}',
}, (cwd) => {
  const opsets = (folder) => JSON.parse(onnxls(['explain', 'my::fused', '--format', 'json'], { cwd: folder }).out).support['2.14'].torchscript;
  assert.equal(opsets(cwd)[0], 11);
  assert.equal(opsets(join(cwd, 'deep'))[0], 15);
}));

test('an overlay that can\'t be used is said in one sentence, and ends a command', () => withFolder({}, (cwd) => {
  for (const [text, pattern] of [
    ['{"version":1,"onxx":[]}', /own\.json: overlay: unknown key 'onxx'; these facts are left out\n$/],
    ['{"version":1,"onnx":[{},{},{}]}', /own\.json: onnx\[0\]: .* \(and \d+ more mistakes\); these facts are left out\n$/],
    ['not json', /own\.json: .*; these facts are left out\n$/],
    ['', /own\.json: .*; these facts are left out\n$/],
    ['{"version":9}', /this onnxls reads version 1/],
    [`{"version":1,"onnx":${'['.repeat(100_000)}`, /own\.json: .*; these facts are left out\n$/],
    [null, /own\.json can't be read: No such file or directory\n$/],
  ]) {
    writeFileSync(join(cwd, '.onnxls.json'), text === null ? '{"db":"missing/own.json"}' : '{"db":"own.json"}');
    writeFileSync(join(cwd, 'own.json'), text ?? '');
    for (const args of [['check', '-'], ['explain', 'Conv'], ['ops', '-'], ['db', 'list']]) {
      const { code, out, err } = onnxls(args, { cwd, input: dump });
      assert.deepEqual([code, out], [2, ''], `${args[0]}: ${err}`);
      assert.match(err, pattern);
      assert.equal(err.split('\n').length, 2, err);
    }
  }
  writeFileSync(join(cwd, '.onnxls.json'), '{"db": [1]}');
  assert.match(onnxls(['check', '-'], { cwd, input: dump }).err, /"db" in \.onnxls\.json is \[1\]; it must be a file of facts/);
  writeFileSync(join(cwd, '.onnxls.json'), JSON.stringify({ db: Array(20).fill('own.json') }));
  writeFileSync(join(cwd, 'own.json'), own);
  assert.match(onnxls(['check', '-'], { cwd, input: dump }).err, /names more than 12 files/);
}));

test('diff of two torch versions', () => {
  const { code, out } = onnxls(['db', 'diff', 'torch-2.6', 'torch-2.14']);
  assert.equal(code, 1);
  assert.match(out, /^torch-2\.6 -> torch-2\.14: \d+ differences\n/);
  assert.match(out, /^Schemas: \d+ new, \d+ gone, \d+ changed$/m);
  const { differences } = JSON.parse(onnxls(['db', 'diff', 'torch-1.13', 'torch-2.6', '--format', 'json']).out);
  // Both from the dumps in tests/facts, which the diff has not seen.
  const cells = (version) => new Map(readFileSync(join(root, `tests/facts/support_${version}.tsv`), 'utf8').split('\n')
    .filter((line) => line.startsWith('aten::')).map((line) => line.split('\t')));
  const before = cells('1.13');
  const after = cells('2.6');
  // Support is told of the name without an underscore at its end.
  const gained = [...after.keys()].filter((name) => !before.has(name) && !name.endsWith('_'));
  assert.ok(gained.length > 10);
  for (const name of gained) {
    const found = differences.find((diff) => diff.what === 'torchscript' && diff.name === name);
    assert.ok(found && found.before === null, name);
  }
  assert.equal(onnxls(['db', 'diff', 'torch-2.6', 'torch-2.6']).code, 0);
});

test('diff of two opsets and of two releases', () => {
  const { code, out } = onnxls(['db', 'diff', 'opset-17', 'opset-18']);
  assert.equal(code, 1);
  assert.match(out, /^ {2}~ ReduceMax: 13 -> 18\n {6}.*`axes` is an input/m);
  assert.match(out, /^ {2}\+ Mish: none -> 18$/m);
  const released = JSON.parse(onnxls(['db', 'diff', 'onnx-1.12', 'onnx-1.13', '--format', 'json']).out).differences;
  const opsets = JSON.parse(onnxls(['db', 'diff', 'opset-17', 'opset-18', '--format', 'json']).out).differences;
  assert.deepEqual(released.filter(({ name }) => !name.includes('::')), opsets);
  assert.match(onnxls(['db', 'diff', 'onnx-1.15', 'onnx-1.16']).out, /ai\.onnx\.ml::TreeEnsemble: none -> 5/);
});

test('a file of facts against what is built in', () => withFolder({ 'own.json': own }, (cwd) => {
  const { differences } = JSON.parse(onnxls(['db', 'diff', 'torch-2.14', 'own.json', '--format', 'json'], { cwd }).out);
  assert.deepEqual(differences.filter(({ before }) => before === null).map(({ name }) => name), ['my::fused']);
  assert.ok(differences.some(({ name, after }) => name === 'aten::relu' && after === null), 'a file is compared alone');
}));

test('sides that make no sense', () => withFolder({ 'own.json': own, 'bad.json': '{}' }, (cwd) => {
  for (const [a, b, pattern] of [
    ['torch-2.6', 'opset-13', /both have to be of one kind/], ['torch-9.9', 'torch-2.6', /not a version of torch that is known/],
    ['opset-x', 'opset-13', /is not an opset/], ['onnx-1.99', 'onnx-1.12', /is not a release/], ['2.6', 'torch-2.6', /is not a side to compare/],
    ['own.json', 'own.json', /are files/], ['bad.json', 'torch-2.6', /'version' is missing/],
    ['own.json', 'torch-1.13', /knows nothing of that version/]]) {
    const { code, out, err } = onnxls(['db', 'diff', a, b], { cwd });
    assert.deepEqual([code, out], [2, ''], `${a} ${b}`);
    assert.match(err, pattern);
  }
}));

// --- import ---

const importTest = (name, body) => test(name, { skip: onWindows('the interpreter of these tests is a script') }, body);

/** A shell script that does as Python would: answers the probe, then writes what it is told to. */
function interpreter(cwd, body) {
  const path = join(cwd, 'python');
  writeFileSync(path, `#!/bin/sh
if [ "$1" = -c ]; then echo 'a banner'; echo 'onnxls-python 3011'; exit 0; fi
for output; do :; done
case "$1" in *export_onnx.py) package=onnx ;; *) package=torch ;; esac
${body}
`);
  chmodSync(path, 0o755);
  return path;
}

const missing = `echo "ModuleNotFoundError: No module named '$package'" >&2; exit 1`;
const good = `echo noise; echo noise >&2
if [ $package = onnx ]; then echo '{"version":1,"sources":["onnx 9"],"onnx":[{"domain":"d","op":"F","since":1}]}' > "$output"
else echo '{"version":1,"sources":["torch 2.30"],"torch":[{"version":"2.30","schemas":["a::b(Tensor x) -> Tensor"]}]}' > "$output"; fi`;

importTest('import writes facts that can be named', () => withFolder({}, (cwd) => {
  interpreter(cwd, good);
  const { code, out, err } = onnxls(['db', 'import', '--python', './python'], { cwd });
  assert.equal(code, 0, err);
  assert.match(out, /^onnxls-facts\.json: \d+ KB\n {2}from onnx 9\n {2}from torch 2\.30\n {2}onnx: 1 schemas\n {2}torch 2\.30: 1 schemas\nName it in \.onnxls\.json: "db": \["onnxls-facts\.json"\]\n$/);
  assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'onnxls-facts.json'), 'utf8')).sources, ['onnx 9', 'torch 2.30']);
  writeFileSync(join(cwd, '.onnxls.json'), '{"db": ["onnxls-facts.json"]}');
  assert.equal(JSON.parse(onnxls(['explain', 'a::b', '--format', 'json'], { cwd }).out).overloads[0].torch[0], '2.30');
  assert.deepEqual(readdirSync(cwd).sort(), ['.onnxls.json', 'onnxls-facts.json', 'python']);
}));

importTest('import writes over nothing but the file that is meant', () => withFolder({ 'kept.json': 'kept', 'facts.json': '{}' }, (cwd) => {
  // A name that could be foreseen: the folder may be one that others write to, too.
  interpreter(cwd, `for n in $PPID $(( $PPID + 1 )); do ln -sf kept.json "${cwd}/facts.json.$n"; done\n${good}`);
  const { code, err } = onnxls(['db', 'import', '--python', './python', '-o', 'facts.json'], { cwd });
  assert.equal(code, 0, err);
  assert.equal(readFileSync(join(cwd, 'kept.json'), 'utf8'), 'kept');
  assert.ok(!lstatSync(join(cwd, 'facts.json')).isSymbolicLink());
}));

importTest('import takes what is there', () => withFolder({}, (cwd) => {
  const only = (present) => `if [ $package != ${present} ]; then ${missing}; fi\n${good}`;
  for (const [present, absent] of [['onnx', 'torch'], ['torch', 'onnx']]) {
    const { code, err } = onnxls(['db', 'import', '--python', interpreter(cwd, only(present)), '-o', `${present}.json`], { cwd });
    assert.equal(code, 0, err);
    assert.match(err, new RegExp(`there is no ${absent} in `));
    assert.ok(present in JSON.parse(readFileSync(join(cwd, `${present}.json`), 'utf8')));
  }
}));

const python = ['/usr/bin/python3', 'python3'].find((path) => spawnSync(path, ['-c', '']).status === 0);

// Debian's torch leaves a folder onnx/backend among the packages.
test('import takes a folder with the name of a package for no package', {
  skip: onWindows('the interpreter of these tests is a script') || (!python && 'no Python here'),
}, () => withFolder({}, (cwd) => {
  mkdirSync(join(cwd, 'packages/onnx/backend'), { recursive: true });
  writeFileSync(join(cwd, 'alone'), `#!/bin/sh\nPYTHONPATH='${cwd}/packages' exec ${python} -S "$@"\n`);
  chmodSync(join(cwd, 'alone'), 0o755);
  const { err } = onnxls(['db', 'import', '--python', './alone'], { cwd });
  assert.match(err, /there is no onnx in /);
  assert.doesNotMatch(err, /onnx failed/);
}));

importTest('half of the facts never take the place of all of them', () => withFolder({}, (cwd) => {
  const half = `if [ $package = torch ]; then exit 3; fi\n${good}`;
  const first = onnxls(['db', 'import', '--python', interpreter(cwd, half)], { cwd });
  assert.equal(first.code, 2);
  assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'onnxls-facts.json'), 'utf8')).sources, ['onnx 9']);
  writeFileSync(join(cwd, 'onnxls-facts.json'), '{}');
  const second = onnxls(['db', 'import', '--python', './python'], { cwd });
  assert.deepEqual([second.code, second.out], [2, '']);
  assert.match(second.err, /onnxls-facts\.json stays as it is, because torch failed/);
  assert.equal(readFileSync(join(cwd, 'onnxls-facts.json'), 'utf8'), '{}');
}));

importTest('import says what went wrong, and cleans up', () => withFolder({}, (cwd) => withFolder({}, (folder) => {
  for (const [body, pattern, ...args] of [
    [missing, /there is no onnx[^]*there is no torch[^]*nothing was imported/],
    ['echo Boom: no such thing >&2; exit 3', /onnx failed:\n {2}Boom: no such thing\n/],
    ['kill -9 $$', /was ended by signal 9/],
    ['sleep 1000', /took longer than 1 s and was ended/, '--timeout', '1'],
    ['sleep 1000 & exit 0', /wrote nothing that can be read/],
    ['yes >&2', /took longer than 1 s/, '--timeout', '1'],
    ['mkdir -p left/after; touch left/x; exit 0', /wrote nothing that can be read/],
    ['echo no json > "$output"', /wrote no JSON/],
    ['echo "{\\"version\\":1,\\"sources\\":[\\"x\\"],\\"onnx\\":[{\\"op\\":1}]}" > "$output"', /onnx\[0\]/],
    ['dd if=/dev/zero of="$output" bs=1M count=40 2>/dev/null; exit 0', /export_onnx\.py wrote/],
    ['printf "\\033[31mred\\n" >&2; exit 1', /failed:\n {2}\ufffd\[31mred\n/],
  ]) {
    const { code, out, err } = onnxls(['db', 'import', '--python', interpreter(cwd, body), ...args],
                                      { cwd, env: { TMPDIR: folder } });
    assert.deepEqual([code, out], [2, ''], `${body}: ${err}`);
    assert.match(err, pattern);
    assert.ok(!existsSync(join(cwd, 'onnxls-facts.json')));
    assert.deepEqual(readdirSync(folder), [], body);
  }
})));

importTest('what is no interpreter', () => withFolder({ 'text': 'x' }, (cwd) => {
  for (const [path, pattern] of [['./missing', /missing can't be run: No such file/], ['no-such-python', /can't be run: No such file/],
    ['./text', /can't be run: Permission denied/], ['true', /true is not a Python interpreter/], ['false', /false failed/], ['.', /is no|can't be run/]]) {
    const { code, err } = onnxls(['db', 'import', '--python', path], { cwd });
    assert.equal(code, 2);
    assert.match(err, pattern);
  }
  writeFileSync(join(cwd, 'old'), '#!/bin/sh\necho onnxls-python 2007\n');
  chmodSync(join(cwd, 'old'), 0o755);
  assert.match(onnxls(['db', 'import', '--python', './old'], { cwd }).err, /is Python 2\.7; 3\.7 or newer is needed/);
  assert.match(onnxls(['db', 'import'], { cwd }).err, /import needs the interpreter/);
}));

importTest('only --import lets the interpreter see this folder', () => withFolder({}, (cwd) => {
  const tell = `${good}\n{ pwd; echo "$PYTHONPATH"; echo "$@"; } >> "${cwd}/seen"`;
  onnxls(['db', 'import', '--python', interpreter(cwd, tell), '--import', 'ours'], { cwd, env: { PYTHONPATH: '/before' } });
  const [onnxFolder, onnxPath, , torchFolder, torchPath, torchArgs] = readFileSync(join(cwd, 'seen'), 'utf8').split('\n');
  assert.notEqual(onnxFolder, cwd);
  assert.equal(torchFolder, onnxFolder);
  assert.equal(onnxPath, '/before');
  assert.equal(torchPath, `${cwd}:/before`);
  assert.match(torchArgs, / --import ours /);
}));

importTest('^C ends import and what it started', () => withFolder({}, (cwd) => new Promise((resolve, reject) => {
  const body = `echo $$ > "${cwd}/pid"; exec sleep 1000`;
  const child = spawn(binary, ['db', 'import', '--python', interpreter(cwd, body)], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (data) => { err += data; });
  const timer = setInterval(() => {
    if (existsSync(join(cwd, 'pid')) && readFileSync(join(cwd, 'pid'), 'utf8').endsWith('\n')) {
      clearInterval(timer);
      child.kill('SIGINT');
    }
  }, 20);
  child.on('close', (code) => {
    clearInterval(timer);
    try {
      assert.equal(code, 2);
      assert.match(err, /interrupted; nothing was written/);
      assert.throws(() => process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), 0), /ESRCH/);
      resolve();
    } catch (error) {
      reject(error);
    }
  });
})));

test('db without a word that it knows', () => {
  for (const [args, pattern] of [[[], /say list, diff or import/], [['lst'], /'lst' is none of/], [['diff', 'torch-2.6'], /two sides/],
    [['list', 'x'], /takes no further words/], [['list', '--format', 'xml'], /--format can't be 'xml'/]]) {
    const { code, err } = onnxls(['db', ...args]);
    assert.equal(code, 2);
    assert.match(err, pattern);
  }
});
