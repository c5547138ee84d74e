import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { binary, onWindows, onnxls, root, said, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const clean = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n';
const broken = 'graph(%x : Tensor):\n  %y : Tensor = aten::mul(%x, %z)\n  return (%y)\n';
const hinted = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  %2 : int = prim::Constant[value=1]()\n  return (%y)\n';
const schema = JSON.parse(readFileSync(join(root, 'docs/check.schema.json'), 'utf8'));

/** The diagnostics of a run in JSON, after the schema has been asked. */
function json(args, options) {
  const result = onnxls(['check', '--format', 'json', ...args], options);
  const report = JSON.parse(result.out);
  assert.equal(mismatch(schema, report), null);
  return { ...result, diagnostics: report.diagnostics, files: report.files };
}

test('a clean dump ends with 0 and prints nothing', () => withFolder({ 'a.torchir': clean }, (cwd) => {
  const result = onnxls(['check', 'a.torchir'], { cwd });
  assert.deepEqual([result.code, result.out], [0, '']);
  assert.match(result.err, /nothing found in 1 file/);
}));

test('text names file, line, column, severity and rule', () => withFolder({ 'a.torchir': broken }, (cwd) => {
  const result = onnxls(['check', 'a.torchir'], { cwd });
  assert.equal(result.code, 1);
  assert.match(result.out, /^a\.torchir:2:31: error: .*%z.* \[undefined-value\]\n$/);
  assert.match(result.err, /1 error in 1 file/);
}));

test('text shows the source with a marker when asked', () => withFolder({ 'a.torchir': broken }, (cwd) => {
  const lines = onnxls(['check', '--show-source', 'a.torchir'], { cwd }).out.split('\n');
  assert.equal(lines[1], ' 2 |   %y : Tensor = aten::mul(%x, %z)');
  assert.equal(lines[2], `   | ${' '.repeat(30)}^^`);
}));

test('text colours only when told, as it is no terminal', () => withFolder({ 'a.torchir': broken }, (cwd) => {
  assert.doesNotMatch(onnxls(['check', 'a.torchir'], { cwd }).out, /\x1b/);
  assert.match(onnxls(['check', '--color', 'always', 'a.torchir'], { cwd }).out, /\x1b\[1;31merror/);
}));

test('control characters of a dump never reach the terminal', () => {
  const input = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%\x1b[31m\x07z)\n  return (%y)\n';
  const result = onnxls(['check', '--show-source', '-'], { input });
  assert.equal(result.code, 1);
  assert.doesNotMatch(result.out, /[\x00-\x09\x0b-\x1f\x7f]/);
});

test('a long line is shown in part, with the place in it', () => {
  const input = `graph(%x : Tensor):\n  %y : Tensor[] = prim::ListConstruct(${'%x, '.repeat(5000)}%z)\n  return (%y)\n`;
  const lines = onnxls(['check', '--show-source', '-'], { input }).out.split('\n');
  assert.ok(lines[1].length < 300);
  assert.equal([...lines[1]].slice(lines[2].indexOf('^')).join('').slice(0, 2), '%z');
});

test('json is what its schema says', () => withFolder({ 'a.torchir': broken }, (cwd) => {
  const { code, diagnostics } = json(['a.torchir'], { cwd });
  assert.equal(code, 1);
  assert.equal(diagnostics.length, 1);
  const { message, url, ...rest } = diagnostics[0];
  assert.deepEqual(rest, { file: 'a.torchir', line: 2, column: 31, endLine: 2, endColumn: 33, severity: 'error',
                           rule: 'undefined-value', data: null });
  assert.match(message, /%z/);
  assert.match(url, /docs\/rules\/undefined-value\.md$/);
}));

test('json of a clean run is an empty list', () => {
  assert.deepEqual(json(['-'], { input: clean }).diagnostics, []);
});

test('support rules carry their facts', () => {
  const input = 'graph(%x : Tensor):\n  %y : Tensor = aten::triu(%x, %x)\n  return (%y)\n';
  const { diagnostics } = json(['-', '--opset', '13', '--torch', '2.6', '--exporter', 'torchscript'], { input });
  const found = diagnostics.find((diagnostic) => diagnostic.rule === 'op-needs-newer-opset');
  assert.deepEqual(found.data, { op: 'aten::triu', opset: 13, exporter: 'torchscript', torch: '2.6', since: 14 });
  assert.deepEqual(json(['-', '--opset', '14', '--torch', '2.6'], { input }).diagnostics, []);
});

test('an operator of no opset has no since', () => {
  const input = 'graph(%x : Tensor):\n  %y : Tensor = aten::lgamma(%x)\n  return (%y)\n';
  const { diagnostics } = json(['-', '--opset', '17', '--torch', '2.14', '--exporter', 'torchscript'], { input });
  assert.equal(diagnostics[0].rule, 'unsupported-op');
  assert.deepEqual(diagnostics[0].data,
                   { op: 'aten::lgamma', opset: 17, exporter: 'torchscript', torch: '2.14', since: null });
});

test('columns count code points', () => {
  const input = 'graph(%x : Tensor):\n  %é🎉 : Tensor = aten::mul(%x, %z)\n  return (%é🎉)\n';
  const [diagnostic] = json(['-'], { input }).diagnostics;
  assert.deepEqual([diagnostic.line, diagnostic.column, diagnostic.endColumn], [2, 32, 34]);
});

test('bytes that are not UTF-8 count one each, and JSON stays valid', () => {
  const input = Buffer.concat([Buffer.from('graph(%x : Tensor):\n  %a'), Buffer.from([0xff, 0xfe]),
    Buffer.from(' : Tensor = aten::relu(%b'), Buffer.from([0xc3]), Buffer.from(')\n  return (%x)\n')]);
  const found = json(['-'], { input }).diagnostics.find((diagnostic) => diagnostic.rule === 'undefined-value');
  assert.deepEqual([found.column, found.endColumn], [30, 33]);
  assert.match(found.message, /%b\ufffd/);
});

test('jsonl is a diagnostic a line, a line for each file and a summary', () => withFolder({ 'a.torchir': broken, 'b.torchir': clean }, (cwd) => {
  const lines = onnxls(['check', '--format', 'jsonl', '.', 'gone'], { cwd }).out.trimEnd().split('\n').map(JSON.parse);
  assert.equal(lines[0].rule, 'undefined-value');
  assert.deepEqual(lines.slice(1, -1).map(({ file, kind, status }) => [file, kind, status]),
                   [['./a.torchir', 'torch-ir', 'checked'], ['./b.torchir', 'torch-ir', 'checked'], ['gone', null, 'skipped']]);
  assert.deepEqual({ ...lines.at(-1), target: undefined }, { version: 1, target: undefined, summary: { files: 2, failed: 1, partly: 0, skipped: 0, errors: 1,
                                                          warnings: 0, infos: 0, hints: 0, hidden: 0, suppressed: 0, known: 0 } });
}));

test('hints are counted, shown on request, and never fail', () => withFolder({ 'a.torchir': hinted }, (cwd) => {
  const quiet = onnxls(['check', 'a.torchir'], { cwd });
  assert.deepEqual([quiet.code, quiet.out], [0, '']);
  assert.match(quiet.err, /1 hint in 1 file \(torch .*\); 1 not shown/);
  const shown = onnxls(['check', '--severity', 'hint', 'a.torchir'], { cwd });
  assert.equal(shown.code, 0);
  assert.match(shown.out, /:3:3: hint: .*\[unused-value\]/);
  assert.equal(json(['a.torchir'], { cwd }).diagnostics.length, 1);
}));

test('--severity hides findings and does not change the exit code', () => {
  const result = json(['-', '--severity', 'error'], { input: hinted + broken });
  assert.equal(result.code, 1);
  assert.deepEqual(result.diagnostics.map((diagnostic) => diagnostic.severity), ['error']);
});

test('--exit-zero ends with 0, but not when a file fails', () => withFolder({ 'a.torchir': broken }, (cwd) => {
  assert.equal(onnxls(['check', '--exit-zero', 'a.torchir'], { cwd }).code, 0);
  assert.equal(onnxls(['check', '--exit-zero', 'a.torchir', 'gone.torchir'], { cwd }).code, 2);
}));

test('--max-diagnostics limits each file', () => {
  const input = 'graph(%x : Tensor):\n' + '  %y : Tensor = aten::relu(%z)\n'.repeat(5) + '  return (%x)\n';
  const all = json(['-'], { input }).diagnostics.length;
  assert.ok(all >= 5);
  const few = json(['-', '--max-diagnostics', '3'], { input });
  assert.equal(few.diagnostics.length, 3);
  assert.match(few.err, new RegExp(`${all - 3} more than --max-diagnostics shows`));
});

test('standard input has a name', () => {
  assert.equal(json(['-'], { input: broken }).diagnostics[0].file, '<stdin>');
  assert.equal(json(['-', '--stdin-filename', 'x/y.log'], { input: broken }).diagnostics[0].file, 'x/y.log');
});

test('a graph in the middle of a log is found', () => {
  const input = `Loading weights...\nUserWarning: deprecated\n${broken}Done in 3 s\n`;
  const { diagnostics } = json(['-'], { input });
  assert.deepEqual(diagnostics.map(({ line, rule }) => [line, rule]), [[4, 'undefined-value']]);
});

test('what a pipe holds is read once', { skip: onWindows('there are no such pipes') }, () => withFolder({ 'a.torchir': broken }, (cwd) => {
  const named = onnxls(['check', 'a.torchir'], { cwd });
  const piped = spawnSync('bash', ['-c', `"${binary}" check <(cat a.torchir)`], { cwd, encoding: 'utf8' });
  assert.match(named.out, /undefined-value/);
  assert.equal(piped.stdout.replace(/\/dev\/fd\/\d+/g, 'a.torchir'), named.out);
  assert.equal(piped.status, named.code);
}));

test('folders are walked for names of dumps, in order', () => withFolder({
  'b/z.torchir': broken, 'b/a.graph.txt': broken, 'a.log': broken, 'c.txt': broken, '.hidden/x.torchir': broken,
  'node_modules/p/x.torchir': broken, 'b-c/x.tsir': broken,
}, (cwd) => {
  symlinkSync('..', join(cwd, 'b', 'loop'));
  symlinkSync(join(cwd, 'c.txt'), join(cwd, 'link.torchir'));
  const seen = json(['.'], { cwd }).diagnostics.map((diagnostic) => diagnostic.file);
  assert.deepEqual(seen, ['./a.log', './b/a.graph.txt', './b/z.torchir', './b-c/x.tsir', './c.txt', './link.torchir']);
  assert.deepEqual(json(['b/'], { cwd }).diagnostics.map((diagnostic) => diagnostic.file),
                   ['b/a.graph.txt', 'b/z.torchir']);
  assert.deepEqual(json(['c.txt'], { cwd }).diagnostics.map((diagnostic) => diagnostic.file), ['c.txt']);
}));

test('a folder without dumps is said', () => withFolder({ 'a.txt': 'torch\n' }, (cwd) => {
  const result = onnxls(['check', '.'], { cwd });
  assert.equal(result.code, 0);
  assert.match(result.err, /no file in there has the name or the beginning of a dump/);
}));

test('what can not be read is said, and the rest is checked', () => withFolder({
  'a.torchir': broken, 'data.bin': '\x00\x07\x12\x00\x00pytorch', 'notes.txt': 'nothing of a graph\n',
}, (cwd) => {
  mkdirSync(join(cwd, 'locked'));
  chmodSync(join(cwd, 'locked'), 0);
  const result = json(['gone.torchir', 'data.bin', 'a.torchir'], { cwd });
  assert.equal(result.code, 2);
  assert.equal(result.diagnostics.length, 1);
  assert.match(result.err, /gone\.torchir: No such file or directory/);
  assert.match(result.err, /data\.bin: a binary file/);
  assert.match(result.err, /2 files not checked/);
  const notes = onnxls(['check', 'notes.txt'], { cwd });
  assert.equal(notes.code, 2);
  assert.match(notes.err, /notes\.txt: no graph in there/);
  assert.match(notes.err, /nothing was checked/);
  if (process.getuid() !== 0)
    assert.equal(onnxls(['check', 'locked'], { cwd }).code, 2);
}));

test('an empty file is said to be empty', () => withFolder({ 'a.torchir': '' }, (cwd) => {
  const result = onnxls(['check', 'a.torchir'], { cwd });
  assert.equal(result.code, 2);
  assert.match(result.err, /a\.torchir: the file is empty/);
}));

const fx = 'graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return (x,)\n';
const calls = `graph(%self : __torch__.Net, %x : Float(1)):
  %y : Tensor = prim::CallMethod[name="forward"](%self, %x)
  return (%y)
`;

/** What nobody could judge, and what its entry in `files` says. */
const blind = {
  'empty.torchir': ['', 'skipped', 2],
  'blank.torchir': [' \n\n', 'skipped', 2],
  'prose.txt': ['No graph is in this text.\n', 'skipped', 2],
  'zeros.torchir': ['\0\0\0\0', 'skipped', 2],
  'gzip.torchir': ['\x1f\x8b\x08\x00\x00\x00\x00\x00', 'skipped', 2],
  'lfs.onnx': ['version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n', 'skipped', 2],
  'ir.txt': ['ir_version=10, opset_imports={},\n', 'skipped', 2],
  'proto.txt': ['ir_version: 7\ngraph {\n  node {\n    output: "a"\n', 'skipped', 2],
  'proto.onnxtxt': ['ir_version: 7\nproducer_name: "pytorch"\n', 'skipped', 2],
  'trace.log': ['Traceback (most recent call last):\nRuntimeError: no\n', 'skipped', 2],
  'calls.torchir': [calls, 'partly', 0],
  'functions.torchir': [calls.replace('CallMethod', 'CallFunction'), 'partly', 0],
  'broken.py': ['import onnx\nx = (((\n', 'partly', 0],
};

for (const [name, [text, status, code]] of Object.entries(blind)) {
  test(`${name} does not pass for clean`, () => withFolder({ [name]: text }, (cwd) => {
    const result = json([name], { cwd });
    assert.equal(result.code, code);
    assert.equal(result.files[0].status, status);
    assert.ok(result.files[0].why);
    assert.match(result.err, status === 'partly' ? /1 of them checked in part/ : /nothing was checked in 0 files.*1 file not checked/s);
    assert.equal(json(['.'], { cwd }).files.every((file) => file.status !== 'checked'), true);
  }));
}

test('a TorchScript graph for the dynamo exporter is checked in part', () => withFolder({ 'a.torchir': clean }, (cwd) => {
  assert.equal(json(['a.torchir'], { cwd }).files[0].status, 'checked');
  const { files, diagnostics } = json(['a.torchir', '--exporter', 'dynamo'], { cwd });
  assert.match(files[0].why, /^the dynamo exporter doesn't start from/);
  assert.deepEqual(diagnostics.map(({ rule }) => rule), ['partly-checked']);
}));

test('a folder in which all is passed over is no success', () => withFolder({ 'a.torchir': 'nothing\n' }, (cwd) => {
  const result = json(['.'], { cwd });
  assert.equal(result.code, 2);
  assert.match(result.err, /nothing was checked in 0 files.*1 more skipped/);
  assert.equal(json(['.'], { cwd: (writeFileSync(join(cwd, 'b.torchir'), clean), cwd) }).code, 0);
}));

test('the last line says what was checked against, and who wanted that', () => withFolder({
  'a.torchir': clean, '.onnxls.json': '{"torch":"2.6"}',
}, (cwd) => {
  assert.match(onnxls(['check', 'a.torchir', '--opset', '12'], { cwd }).err,
               /\(torch 2\.6: \.onnxls\.json, exporter torchscript: default, opset 12: --opset\)$/m);
}));

test('settings are those nearest to what is checked, else to where it runs', () => withFolder({
  'here/.onnxls.json': '{"opset":11}', 'here/a.torchir': clean, 'here/own/.onnxls.json': '{"opset":12}', 'here/own/deep/b.torchir': clean,
  'bare/c.torchir': clean, 'ownership/d.torchir': clean, 'list': 'here/own/deep/b.torchir\n',
}, (folder) => {
  const opset = (cwd, ...args) => onnxls(['check', ...args], { cwd: join(folder, cwd), input: clean }).err.match(/opset (\d+: \S+)\)$/m)?.[1];
  const [outer, inner, none] = ['11: .onnxls.json', '12: .onnxls.json', '20: default'];
  assert.equal(opset('here', '.'), outer);
  assert.equal(opset('here', 'own'), inner);
  assert.equal(opset('.', 'here/own/deep/b.torchir'), inner);
  assert.equal(opset('.', 'here'), outer);
  assert.equal(opset('.', 'here/a.torchir', 'here/own'), outer);
  assert.equal(opset('here/own/deep', '../..'), outer);
  assert.equal(opset('.', 'here/own', 'bare'), none);
  assert.equal(opset('.', 'bare', 'ownership'), none);
  assert.equal(opset('here', '../bare'), outer);
  assert.equal(opset('.', '--stdin-filename', 'here/own/new.torchir', '-'), inner);
  assert.equal(opset('here', '-'), outer);
  assert.equal(opset('.', '--files-from', 'list'), none);
}));

test('output does not depend on threads', () => withFolder(Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`${i}.torchir`, broken.replace('%z', `%z${i}`)]).concat(
    [['large.torchir', broken.repeat(20_000)]])), (cwd) => {
  const args = ['check', '--format', 'jsonl', '--max-diagnostics', '0', '-j'];
  const one = onnxls([...args, '1', '.'], { cwd });
  for (const threads of ['2', '7'])
    assert.deepEqual(onnxls([...args, threads, '.'], { cwd }), one);
  assert.ok(one.out.split('\n').length > 20_000);
}));

test('a chain of operators without support is walked once', { skip: onWindows('the shell is not told what it computes') }, () => {
  const chain = (op) => `graph(%0 : Tensor):\n${Array.from({ length: 40_000 }, (_, i) =>
    `  %${i + 1} : Tensor = aten::${op}(%${i})\n`).join('')}  return (%0)\n`;
  return withFolder({ 'fine.torchir': chain('relu'), 'dead.torchir': chain('lgamma') }, (cwd) => {
    // Computing time, which others on the machine do not change. `times` prints that of the shell, then of its children.
    const took = (file) => {
      const script = '"$0" check --torch 2.6 --exporter torchscript "$1" >&2; times';
      const { stdout } = spawnSync('sh', ['-c', script, binary, file], { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
      const [, minutes, seconds] = /\n(\d+)m([\d.]+)s /.exec(stdout);
      return 60 * minutes + Number(seconds);
    };
    const [fine, dead] = [took('fine.torchir'), took('dead.torchir')];
    assert.ok(dead > 0 && dead < 20 * fine + 1, `${dead} s, and ${fine} s with operators that are supported`);
  });
});

test('wrong words are answered with the nearest right one', () => {
  const cases = [
    [['chekc', 'x'], /no command 'chekc'; did you mean 'check'\?/],
    [['frobnicate'], /no command 'frobnicate'; see onnxls --help/],
    [['check', '--opst', '3', '-'], /no flag '--opst'; did you mean '--opset'\?/],
    [['check', '--format', 'jsn', '-'], /--format can't be 'jsn'; did you mean 'json'\?/],
    [['check', '--format', 'xml', '-'], /it is one of text, json, jsonl, sarif, github, gitlab, junit/],
    [['check', '--opset', 'ten', '-'], /--opset can't be 'ten'; it is a number from 1/],
    [['check', '--opset', '0', '-'], /--opset can't be '0'/],
    [['check', '--exporter', 'torchscrip', '-'], /did you mean 'torchscript'\?/],
    [['check', '--torch', 'new', '-'], /torch.*'new'/],
    [['check', '--jobs', '-'], /--jobs can't be '-'/],
    [['check', '-j'], /--jobs needs a value/],
    [['check', '--exit-zero=1', '-'], /--exit-zero takes no value/],
    [['check', '-x'], /no flag '-x'/],
    [['check'], /name a file, a folder, or -/],
    [['check', '-', '-'], /can be given only once/],
    [['help', 'chek'], /no command 'chek'; did you mean 'check'/],
  ];
  for (const [args, pattern] of cases) {
    const result = onnxls(args, { input: clean });
    assert.equal(result.code, 2, args.join(' '));
    assert.match(result.err, pattern);
    assert.equal(result.out, '');
  }
});

test('words after -- are files', () => withFolder({ '--opset': broken }, (cwd) => {
  assert.equal(json(['--', '--opset'], { cwd }).diagnostics.length, 1);
}));

test('a reader that goes away ends the run quietly', { skip: onWindows('between Node and Wine is a pipe that takes it all') }, () => withFolder(
  { 'large.torchir': broken.repeat(20_000) }, (cwd) => new Promise((resolve, reject) => {
    const child = spawn(binary, ['check', '--max-diagnostics', '0', 'large.torchir'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (data) => { err += data; });
    child.stdout.once('data', () => child.stdout.destroy());
    child.on('close', (code, signal) => {
      try {
        assert.deepEqual([code, signal, said(err)], [1, null, '']);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  })));

test('a full disk is an error', { skip: onWindows('no /dev/full') || (process.platform !== 'linux' && 'no /dev/full') }, () => withFolder({ 'a.torchir': broken }, (cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `"${binary}" check a.torchir >/dev/full`], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (data) => { err += data; });
    child.on('close', (code) => {
      try {
        assert.equal(code, 2);
        assert.match(err, /standard output: No space left on device/);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  })));

test('a Markdown page that quotes ONNX text is no model', () => {
  const quoted = '# a rule\n\nIt is so.\n\n```onnx-text\n<ir_version: 8, opset_import: ["" : 17]>\ng (float x) => (float y) { y = Relu(x) }\n```\n';
  return withFolder({ 'a.md': quoted, 'b.txt': quoted.split('```')[1].replace('onnx-text\n', '') }, (cwd) => {
    const { out, err } = onnxls(['check', 'a.md', 'b.txt'], { cwd });
    assert.doesNotMatch(out, /a\.md/);
    assert.match(err, /a\.md: no graph in there/);
    assert.doesNotMatch(err, /b\.txt/);
  });
});

test('a folder is searched for models, and for texts and logs by what they begin with', () => withFolder({
  'a.txt': broken, 'b.log': broken, 'c.txt': 'numpy\ntorch\n', 'd.log': 'built\n',
  'e.txt': "RuntimeError: Exporting the operator 'aten::rms_norm' to ONNX opset version 17 is not supported.\n",
}, (cwd) => {
  copyFileSync(join(root, 'tests/corpus/onnx/cond.onnx'), join(cwd, 'f.onnx'));
  const { files, diagnostics, code } = json(['.'], { cwd });
  assert.deepEqual(files.map(({ file, status }) => [file, status]),
                   [['./a.txt', 'checked'], ['./b.log', 'checked'], ['./e.txt', 'skipped'], ['./f.onnx', 'checked']]);
  assert.deepEqual([...new Set(diagnostics.map(({ file }) => file))], ['./a.txt', './b.log']);
  assert.match(files[2].why, /onnxls why/);
  assert.equal(code, 1);
  const ops = onnxls(['ops', '.', '--format', 'json'], { cwd });
  assert.match(ops.out, /"file":"\.\/f\.onnx","op":"onnx::Gemm"/);
}));

test('a log in which onnx printed two models and a graph: each is judged, or said not to be', () => {
  const { out, code } = onnxls(['check', join(root, 'tests/corpus/onnx/export.log')]);
  assert.equal(code, 1);
  assert.deepEqual([...out.matchAll(/export\.log:(\d+):\d+: (\w+): .*\[(.*)\]/g)].map(([, ...found]) => found.join(' ')),
    ['23 error onnx-op-not-in-opset', '26 info partly-checked']);
});

const program = `ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, x: "f32[3]"):
            relu: "f32[3]" = torch.ops.aten.relu.default(x);  x = None
            return (relu,)
`;
const irPrint = "<\n    ir_version=10,\n    opset_imports={'': 20},\n>\ngraph(\n    name=main_graph,\n    inputs=(\n        %\"x\"<FLOAT,[3]>\n    ),\n"
  + '    outputs=(\n        %"y"<FLOAT,[3]>\n    ),\n) {\n    0 |  # n0\n         %"y"<FLOAT,[3]> ⬅️ ::Relu(%"x")\n    return %"y"<FLOAT,[3]>\n}\n';
const longTrace = `graph(%x.1 : Tensor):\n${Array.from({ length: 4000 }, (_, i) => `  %x.${i + 2} : Tensor = aten::relu(%x.${i + 1})\n`).join('')}  return (%x.4001)\n`;

test('graphs of another language in one log are said not to be looked at, and are no mistakes', () => withFolder({
  'fx_first.log': program + longTrace, 'trace_first.log': longTrace + program, 'ir_first.log': `${irPrint}done\n${program}`, 'fx_again.log': program + irPrint + program,
}, (cwd) => {
  const { files, diagnostics, code } = json(['--no-cache', '.'], { cwd });
  assert.equal(code, 2);
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(files.map(({ file, status, why }) => [file, status, /from line (\d+) on it is (.*?),/.exec(why)?.slice(1)]), [
    ['./fx_again.log', 'partly', ['20', 'a print of onnx_ir']], ['./fx_first.log', 'partly', ['6', 'a TorchScript graph']],
    ['./ir_first.log', 'partly', ['19', 'an FX graph']], ['./trace_first.log', 'partly', ['4003', 'an FX graph']]]);
}));

test('an ONNXProgram that is printed tells what it was made from, which is no other graph to look at', () => withFolder({
  'program.txt': `ONNXProgram(\n    model=\n${irPrint.replace(/^/gm, '        ')}\n    ,\n    exported_program=\n${program.replace(/^/gm, '        ')})\n`,
}, (cwd) => assert.deepEqual(json(['--no-cache', '.'], { cwd }).files.map(({ status }) => status), ['checked'])));
