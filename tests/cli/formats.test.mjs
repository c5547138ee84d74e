// The formats of `check` that other programs read, and the excerpts that people do.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import Ajv from 'ajv';
import { readRules } from '../rules.mjs';
import { isWindows, onnxls, root, spelled, spelledUri, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const require = createRequire(import.meta.url);
const broken = 'graph(%x : Tensor):\n  %y : Tensor = aten::mul(%x, %z)\n  return (%y)\n';
const clean = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n';
// Every severity, a fix, related places, a suppressed finding, characters outside of ASCII and of the BMP.
const mixed = `graph(%x : Tensor):
  %é🎉 : Tensor = aten::triu(%x, %x)
  %y : Tensor = aten::triu(%é🎉, %x) # onnxls: ignore[op-needs-newer-opset]
  %1 : int = prim::Constant[value=1]()
  return (%y) # onnxls: ignore[syntax] a, b: 100%
`;
const target = ['--opset', '13', '--torch', '2.6', '--exporter', 'torchscript'];

/** The diagnostics as JSON has them, to compare with. */
function diagnosticsOf(args, options) {
  return JSON.parse(onnxls(['check', '--format', 'json', ...target, ...args], options).out).diagnostics;
}

function run(format, args, options) {
  return onnxls(['check', '--format', format, ...target, ...args], options);
}

// --- jsonl ---

test('jsonl follows the schema, line by line', () => withFolder({ 'a.torchir': mixed }, (cwd) => {
  const schema = JSON.parse(readFileSync(join(root, 'docs/check.schema.json'), 'utf8'));
  const lines = run('jsonl', ['.'], { cwd }).out.trimEnd().split('\n').map((line) => JSON.parse(line));
  const summary = lines.pop();
  const files = lines.filter((line) => line.status);
  const diagnostics = lines.filter((line) => !line.status);
  for (const line of diagnostics)
    assert.equal(mismatch(schema.$defs.diagnostic, line, schema), null);
  for (const line of files)
    assert.equal(mismatch(schema.$defs.file, line, schema), null);
  assert.equal(mismatch(schema.$defs.summary, summary, schema), null);
  assert.deepEqual(diagnostics, diagnosticsOf(['.'], { cwd }));
  assert.deepEqual(lines.at(-1), files[0]);
  assert.deepEqual([summary.summary.errors, summary.summary.warnings, summary.summary.hints, summary.summary.suppressed],
                   [1, 1, 1, 1]);
}));

test('a fix says what to write where', () => {
  const [diagnostic] = diagnosticsOf(['-'], { input: mixed }).filter(({ rule }) => rule === 'unused-suppression');
  assert.deepEqual(diagnostic.fixes, [{ title: 'Remove this comment', safe: true, edits: [
    { line: 5, column: 14, endLine: 5, endColumn: 50, text: '' }] }]);
});

// --- SARIF ---

const ajv = new Ajv({ schemaId: 'id', meta: false, allErrors: true });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const isSarif = ajv.compile(require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'));

/** The one run of a log, after the schema of SARIF has been asked. */
function sarif(args, options) {
  const log = JSON.parse(run('sarif', args, options).out);
  assert.ok(isSarif(log), JSON.stringify(isSarif.errors?.slice(0, 3)));
  assert.equal(log.runs.length, 1);
  return log.runs[0];
}

test('the schema of SARIF can refuse', () => {
  assert.ok(!isSarif({ version: '2.1.0', runs: [{ tool: { driver: { name: 'x', rules: [{}] } }, results: [] }] }));
  assert.ok(!isSarif({ version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, columnKind: 'bytes' }] }));
});

test('SARIF has every rule with its page and level', () => {
  const { rules } = sarif(['-'], { input: clean }).tool.driver;
  const levels = { error: 'error', warning: 'warning', info: 'note', hint: 'note' };
  assert.deepEqual(rules.map(({ id, defaultConfiguration }) => [id, defaultConfiguration.level]),
                   readRules().map(({ name, severity }) => [name, levels[severity]]));
  for (const rule of rules) {
    assert.match(rule.helpUri, new RegExp(`^https://.*/docs/rules/${rule.id}\\.md$`));
    assert.ok(rule.shortDescription.text && rule.fullDescription.text && rule.help.text && rule.help.markdown);
  }
});

test('SARIF says what JSON says', () => withFolder({ 'sub dir/ä#.torchir': mixed }, (cwd) => {
  const { results, columnKind, originalUriBaseIds, tool, invocations } = sarif(['.'], { cwd });
  const expected = diagnosticsOf(['.'], { cwd });
  assert.equal(columnKind, 'unicodeCodePoints');
  assert.equal(originalUriBaseIds['%SRCROOT%'].uri, `${spelledUri(cwd)}/`);
  assert.deepEqual(invocations, [{ executionSuccessful: true }]);
  const active = results.filter(({ suppressions }) => suppressions.length === 0);
  assert.equal(active.length, expected.length);
  active.forEach((result, i) => {
    const { artifactLocation, region } = result.locations[0].physicalLocation;
    const { line, column, endLine, endColumn, rule, message, severity } = expected[i];
    assert.deepEqual(artifactLocation, { uri: 'sub%20dir/%C3%A4%23.torchir', uriBaseId: '%SRCROOT%' });
    assert.deepEqual(region, { startLine: line, startColumn: column, endLine, endColumn });
    assert.deepEqual([result.ruleId, result.message.text], [rule, message]);
    assert.equal(result.level, { error: 'error', warning: 'warning' }[severity] ?? 'note');
    assert.equal(tool.driver.rules[result.ruleIndex].id, rule);
    assert.match(result.partialFingerprints['ruleAndLine/v1'], /^[0-9a-f]{16}$/);
  });
}));

test('SARIF has fixes, related places and what comments switch off', () => {
  const { results } = sarif(['-', '--stdin-filename', 'm.torchir'], { input: mixed });
  const unused = results.find(({ ruleId }) => ruleId === 'unused-suppression');
  assert.deepEqual(unused.fixes, [{ description: { text: 'Remove this comment' }, artifactChanges: [{
    artifactLocation: { uri: 'm.torchir', uriBaseId: '%SRCROOT%' },
    replacements: [{ deletedRegion: { startLine: 5, startColumn: 14, endLine: 5, endColumn: 50 },
                     insertedContent: { text: '' } }] }] }]);
  const support = results.filter(({ ruleId }) => ruleId === 'op-needs-newer-opset');
  assert.deepEqual(support.map(({ suppressions }) => suppressions), [[], [{ kind: 'inSource' }]]);
  const [related] = support[0].relatedLocations;
  assert.deepEqual(related.physicalLocation.region, { startLine: 3, startColumn: 28, endLine: 3, endColumn: 31 });
  assert.match(related.message.text, /first used here/);
});

test('SARIF of nothing, of a file that is missing, and of one elsewhere', () => withFolder({
  'here/a.torchir': clean, 'there/b.torchir': broken,
}, (folder) => {
  const cwd = join(folder, 'here');
  assert.deepEqual(sarif(['.'], { cwd }).results, []);
  assert.deepEqual(sarif(['gone.torchir', '.'], { cwd }).invocations, [{ executionSuccessful: false }]);
  const [{ locations: [{ physicalLocation }] }] = sarif(['../there'], { cwd }).results;
  assert.deepEqual(physicalLocation.artifactLocation,
                   { uri: spelledUri(join(folder, 'there/b.torchir')) });
  const [below] = sarif([join(cwd, 'a.torchir'), join(folder, 'there/b.torchir')].map(spelled), { cwd: folder }).results;
  assert.equal(below.locations[0].physicalLocation.artifactLocation.uri, 'there/b.torchir');
}));

// --- GitHub ---

/** Workflow commands as GitHub's runner reads them. */
function readCommands(out) {
  return out.trimEnd().split('\n').map((line) => {
    const [, command, list, data] = /^::(\w+) ([^:]*)::(.*)$/.exec(line) ?? assert.fail(line);
    const plain = (text) => text.replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%0D/g, '\r').replace(/%0A/g, '\n')
      .replace(/%25/g, '%');
    const properties = Object.fromEntries(list.split(',').map((property) => {
      const equals = property.indexOf('=');
      return [property.slice(0, equals), plain(property.slice(equals + 1))];
    }));
    return { command, ...properties, message: plain(data) };
  });
}

test('github commands survive any path and message', () => withFolder({ 'a:b,c%25/m.torchir': mixed }, (cwd) => {
  const expected = diagnosticsOf(['.', '--severity', 'info'], { cwd });
  const commands = readCommands(run('github', ['.'], { cwd }).out);
  assert.deepEqual(commands, expected.map(({ line, column, endLine, endColumn, severity, rule, message }) => ({
    command: severity, file: 'a:b,c%25/m.torchir', line: `${line}`, endLine: `${endLine}`, col: `${column}`,
    endColumn: `${endColumn}`, title: `onnxls (${rule})`, message })));
}));

test('github: infos are notices, nothing ends a command, and a file that fails is told', () => {
  const input = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%\r::error::z\x1b[31m)\n  return (%x';
  const commands = readCommands(run('github', ['-', '--severity', 'hint'], { input }).out);
  assert.ok(commands.some(({ command }) => command === 'notice'));
  assert.ok(commands.every(({ message }) => !/[\x00-\x1f]/.test(message)));
  const failed = readCommands(run('github', [join(root, 'package-lock.json'), '-'], { input: '\0\0' }).out);
  assert.deepEqual(failed.map(({ command }) => command), ['error', 'error']);
  assert.match(failed[0].message, /no graph in there/);
  assert.match(failed[1].message, /binary file/);
});

// --- GitLab ---

test('gitlab issues have paths, severities and fingerprints of their own', () => withFolder({
  'a.torchir': mixed, 'b.torchir': broken.repeat(3), 'c.torchir': clean,
}, (cwd) => {
  const issues = JSON.parse(run('gitlab', ['./'], { cwd }).out);
  const expected = diagnosticsOf(['.'], { cwd });
  const severities = { error: 'major', warning: 'minor', info: 'info', hint: 'info' };
  assert.deepEqual(issues.map(({ fingerprint, ...rest }) => rest), expected.map((diagnostic) => ({
    description: diagnostic.message, check_name: diagnostic.rule, severity: severities[diagnostic.severity],
    location: { path: diagnostic.file.replace('./', ''), lines: { begin: diagnostic.line, end: diagnostic.endLine } } })));
  assert.equal(new Set(issues.map(({ fingerprint }) => fingerprint)).size, issues.length);
  assert.deepEqual(JSON.parse(run('gitlab', ['c.torchir'], { cwd }).out), []);
}));

test('fingerprints stay when lines move and values get other numbers', () => withFolder({ 'a.torchir': '' }, (cwd) => {
  const prints = (text) => {
    writeFileSync(join(cwd, 'a.torchir'), text);
    return JSON.parse(run('gitlab', ['a.torchir', '--severity', 'error'], { cwd }).out).map((issue) => issue.fingerprint);
  };
  const dump = (first) => `graph(%x : Tensor):\n${first}  %${first ? 12 : 11} : Tensor = aten::triu(%x, %x) # m.py:${first ? 9 : 7}:0\n` +
    `  %y : Tensor = aten::mul(%${first ? 12 : 11}, %nowhere)\n  return (%y)\n`;
  const before = prints(dump(''));
  assert.equal(before.length, 2);
  assert.deepEqual(prints(dump('  %11 : Tensor = aten::relu(%x) # m.py:3:0\n')), before);
  assert.notDeepEqual(prints(dump('').replace('%nowhere', '%elsewhere')), before);
}));

// --- JUnit ---

/** A strict little reader of XML without comments and the like: { name, attributes, children, text }. */
function readXml(text) {
  const entities = { amp: '&', lt: '<', gt: '>', quot: '"' };
  const decode = (raw) => {
    assert.doesNotMatch(raw, /[<\x00-\x08\x0b\x0c\x0e-\x1f]|&(?!(?:amp|lt|gt|quot|#\d+);)/);
    return raw.replace(/&(?:#(\d+)|(\w+));/g, (_, number, name) => (number ? String.fromCodePoint(number) : entities[name]));
  };
  const top = { children: [], text: '' };
  const open = [top];
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  assert.notEqual(body, text);
  for (const [whole, close, name, attributes, self, words] of body.matchAll(
    /<(\/?)(\w+(?:-\w+)?)((?: [\w-]+="[^"]*")*)(\/?)>|([^<]+)|</g)) {
    const last = open[open.length - 1];
    assert.ok(whole !== '<', 'a < that begins no tag');
    if (words !== undefined) {
      last.text += decode(words);
    } else if (close) {
      assert.equal(open.pop().name, name);
    } else {
      const pairs = [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, decode(value)]);
      const element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' };
      last.children.push(element);
      if (!self)
        open.push(element);
    }
  }
  assert.equal(open.length, 1);
  assert.equal(top.children.length, 1);
  return top.children[0];
}

/** Of characters that mean something in XML those that a name may have. */
const odd = isWindows ? `a&'.torchir` : 'a<&">.torchir';

test('junit has a suite for each file and a failure for each error and warning', () => withFolder({
  [odd]: mixed, 'b.torchir': clean, 'c.txt': '\0\0',
}, (cwd) => {
  const suites = readXml(run('junit', [odd, 'b.torchir', 'c.txt', '--severity', 'hint'], { cwd }).out);
  assert.equal(suites.name, 'testsuites');
  assert.deepEqual(suites.children.map(({ attributes }) => attributes), [
    { name: odd, tests: '3', failures: '2', errors: '0', skipped: '0' },
    { name: 'b.torchir', tests: '1', failures: '0', errors: '0', skipped: '0' },
    { name: 'c.txt', tests: '1', failures: '0', errors: '1', skipped: '0' }]);
  const cases = suites.children[0].children;
  assert.deepEqual(cases.map(({ children }) => children[0].name), ['failure', 'system-out', 'failure']);
  const [first] = diagnosticsOf([odd], { cwd });
  assert.deepEqual(cases[0].attributes, { classname: odd, name: `${first.rule} at ${first.line}:${first.column}`,
                                          file: odd, line: `${first.line}` });
  assert.deepEqual(cases[0].children[0].attributes, { type: 'error', message: first.message });
  assert.ok(cases[0].children[0].text.includes(`${first.line}:${first.column}: error: ${first.message} [${first.rule}]`));
}));

test('every format that has room for it says what was checked against', () => withFolder({ '.onnxls.json': '{"torch":"2.6"}' }, (cwd) => {
  const run = (format) => onnxls(['check', '-', '--opset', '12', '--format', format], { cwd, input: mixed }).out;
  const target = { torch: '2.6', torchFrom: '.onnxls.json', exporter: 'torchscript', exporterFrom: 'default', opset: 12, opsetFrom: '--opset' };
  assert.deepEqual(JSON.parse(run('json')).target, target);
  assert.deepEqual(JSON.parse(run('jsonl').trimEnd().split('\n').at(-1)).target, target);
  assert.deepEqual(JSON.parse(run('sarif')).runs[0].properties.target, target);
  assert.equal(readXml(run('junit')).attributes.name,
               'onnxls (torch 2.6: .onnxls.json, exporter torchscript: default, opset 12: --opset)');
}));

test('the target names the release of onnxscript that a project asks for, and the one that it needs', () =>
  withFolder({ 'requirements.txt': 'torch==2.14\nonnxscript==0.5.0\n' }, (cwd) => {
    const { target } = JSON.parse(onnxls(['check', '-', '--format', 'json'], { cwd, input: mixed }).out);
    assert.deepEqual([target.onnxscript, target.onnxscriptFrom, target.onnxscriptNeeded], ['0.5.0', 'requirements.txt', '0.6.0']);
  }));

test('junit stays XML whatever a dump holds', () => {
  const input = Buffer.concat([Buffer.from('graph(%x : Tensor):\n  %y : Tensor = aten::relu(%<\x1b[31m]]>&amp;"\x07\uffff\t'),
    Buffer.from([0xff, 0xc3]), Buffer.from(')\n  return (%x)\n')]);
  const { children: [suite] } = readXml(run('junit', ['-'], { input }).out);
  assert.match(suite.children[0].children[0].attributes.message, /%<\[31m\]\]>&amp;"/);
});

// --- Text ---

/** The lines of the excerpt below the first diagnostic. */
function excerpt(input, args = []) {
  return onnxls(['check', '--show-source', ...target, ...args, '-'], { input }).out.split('\n').slice(1);
}

test('an excerpt has the line, its number and carets', () => {
  assert.deepEqual(excerpt(broken).slice(0, 2), [' 2 |   %y : Tensor = aten::mul(%x, %z)',
                                                 `   | ${' '.repeat(30)}^^`]);
});

test('a fix is shown below', () => {
  const lines = excerpt('graph(%x : Tensor):\n  return (%x) # onnxls: ignore\n');
  assert.equal(lines[2], '   = fix: Remove this comment');
});

test('carets line up after tabs, wide characters and combining marks', () => {
  const [line, carets] = excerpt('graph(%x : Tensor):\n \t%日本e\u0301🎉 : Tensor = aten::mul(%x, %z)\n  return (%x)\n',
                                 ['--severity', 'error']);
  assert.equal(line, ' 2 |     %日本e\u0301🎉 : Tensor = aten::mul(%x, %z)');
  // 4 for the blank and the tab, 1 for the sign, 4 for two wide characters, 1 for e and its accent, 2 for the emoji.
  assert.equal(carets, `   | ${' '.repeat(4 + 1 + 4 + 1 + 2 + ' : Tensor = aten::mul(%x, '.length)}^^`);
});

test('a line of a megabyte is cut around the place', () => {
  const input = `graph(%x : Tensor):\n  %y : Tensor[] = prim::ListConstruct(${'%x, '.repeat(250_000)}%z, ${'%x, '.repeat(9000)}%x)\n`;
  const [line, carets] = excerpt(input, ['--severity', 'error']);
  assert.ok([...line].length < 130, line);
  assert.match(line, /^ 2 \| ….*%z, .*…$/);
  assert.equal(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1), '%z');
});

test('a range of several lines, or after the line, has a caret', () => {
  for (const input of ['graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x', 'graph(%x : Tensor):\n  %y :\n  return (%x)\n'])
    assert.match(excerpt(input, ['--severity', 'hint'])[1], /^ +\| +\^+$/);
});

test('without a terminal, or with --one-line, there is no excerpt', () => {
  assert.equal(onnxls(['check', '-'], { input: broken }).out.split('\n').length, 2);
  assert.equal(onnxls(['check', '--show-source', '--one-line', '-'], { input: broken }).out.split('\n').length, 2);
});

// --- Folders ---

test('folders are searched for Python files that mention exporting, but not in other people\'s code', () => withFolder({
  'pkg/ops.py': 'import torch.onnx # onnxls: ignore[syntax]\n',
  'pkg/helper.py': 'def symbolic(g, x):  # onnxls: ignore\n    return x\n',
  'pkg/other.py': 'print("nothing of that")\n',
  'pkg/__pycache__/ops.py': 'import torch.onnx # onnxls: ignore\n',
  'env/pyvenv.cfg': '', 'env/lib/x.py': 'import torch.onnx # onnxls: ignore\n',
  'node_modules/a/x.py': 'import torch.onnx # onnxls: ignore\n', '.tox/x.py': 'import torch.onnx # onnxls: ignore\n',
  'onnx.pyi': 'import torch.onnx # onnxls: ignore\n',
}, (cwd) => {
  assert.deepEqual(diagnosticsOf(['.'], { cwd }).map(({ file, rule }) => [file, rule]),
                   [['./pkg/helper.py', 'unused-suppression'], ['./pkg/ops.py', 'unused-suppression']]);
  assert.equal(diagnosticsOf(['env'], { cwd }).length, 1, 'a folder that is named is searched, whatever it is');
  assert.match(onnxls(['check', '.'], { cwd }).err, /in 2 files/);
  assert.match(onnxls(['check', 'pkg/other.py'], { cwd }).err, /nothing found in 1 file/);
}));

test('the summary counts what comments switch off', () => {
  assert.match(onnxls(['check', ...target, '-'], { input: mixed }).err, /in 1 file \(torch .*\); 1 ignored by comments/);
});

test('--group makes one problem of many nodes, and loses no place', () => withFolder({
  'a.torchir': `graph(%y0 : Float(2)):\n${[...Array(150).keys()].map((i) => `  %y${i + 1} : Tensor = aten::fft_fft(%y${i}), scope: N::/F::layers.${i}\n`).join('')}  return (%y150)\n`,
}, (cwd) => {
  const flags = ['check', '--torch', '2.6', '--severity', 'error', 'a.torchir'];
  const { diagnostics: all } = JSON.parse(onnxls([...flags, '--format', 'json'], { cwd }).out);
  const { diagnostics: [one, ...others] } = JSON.parse(onnxls([...flags, '--group', '--format', 'json'], { cwd }).out);
  assert.equal(all.length, 150);
  assert.deepEqual([others.length, one.nodes, one.places.length], [0, 150, 100]);
  assert.deepEqual([one.places[0].line, one.places[0].message], [3, 'In layers.1.']);
  assert.match(one.places[99].message, /49 more follow/);
  const { out } = onnxls([...flags, '--group'], { cwd });
  assert.match(out, /^a\.torchir:2:\d+: error: 150 nodes, the first in layers\.0: 'aten::fft_fft'/);
}));
