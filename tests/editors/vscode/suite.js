// Runs inside VS Code's extension host and prints one line of JSON for each feature. ONNXLS_TEST names the file of its inputs.
const assert = require('node:assert/strict');
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const vscode = require('vscode');

const given = JSON.parse(readFileSync(process.env.ONNXLS_TEST, 'utf8'));
const expected = JSON.parse(readFileSync(given.expected, 'utf8'));
const severities = ['error', 'warning', 'info', 'hint'];
let failures = 0;
let server;

async function test(feature, run) {
  if (given.only && !feature.includes(given.only) && feature !== 'a text alone starts no server')
    return;
  const start = Date.now();
  try {
    const own = await run();
    console.log(JSON.stringify({ feature, result: 'passed', ms: own ?? Date.now() - start }));
  } catch (error) {
    failures++;
    console.log(JSON.stringify({ feature, result: 'failed', ms: Date.now() - start, note: error.message }));
  }
}

async function wait(what, condition, ms = 120_000) {
  for (const end = Date.now() + ms; ; await new Promise((done) => setTimeout(done, 5))) {
    const value = await condition();
    if (value)
      return value;
    if (Date.now() > end)
      throw new Error(`waited in vain for ${what}`);
  }
}

const uriOf = (name) => vscode.Uri.file(join(given.project, name));
const command = (name, ...args) => vscode.commands.executeCommand(name, ...args);

async function open(name) {
  return (await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uriOf(name)))).document;
}

/** Opens a document that is a dump by its content; its language may come a moment later. */
async function openDump(name) {
  await open(name);
  const document = await wait(`the language of ${name}`, () => vscode.workspace.textDocuments.find(
    ({ uri, languageId }) => uri.toString() === uriOf(name).toString() && languageId === expected.filetypes[name]));
  await wait('the server', () => server.health === 'running');
  return document;
}

/** 1-based line and column in characters, as in expected.json, from and to a position. */
function position(document, line, column) {
  const before = [...document.lineAt(line - 1).text].slice(0, column - 1).join('');
  return new vscode.Position(line - 1, before.length);
}

function place(document, { line, character }) {
  return { line: line + 1, column: [...document.lineAt(line).text.slice(0, character)].length + 1 };
}

function diagnosticsOf(document) {
  const all = [...vscode.languages.getDiagnostics(document.uri)].filter(({ source }) => source === 'onnxls');
  return all.sort((a, b) => a.range.start.compareTo(b.range.start));
}

const ruleOf = ({ code }) => code?.value ?? code;

async function waitForCount(document, count) {
  let seen;
  await wait(`${count} diagnostics in ${document.uri.path}`, () => {
    seen = diagnosticsOf(document);
    return seen.length === count;
  }).catch((error) => { throw new Error(`${error.message}, there are ${seen.length}: ${seen.slice(0, 5).map(({ message }) => message).join(' | ')}`); });
  return seen;
}

async function checkDiagnostics(name) {
  const document = await openDump(name);
  const wanted = expected.diagnostics[name];
  const got = await waitForCount(document, wanted.length);
  wanted.forEach((want, i) => {
    assert.deepEqual(place(document, got[i].range.start), { line: want.line, column: want.column }, `${name}: place`);
    assert.equal(severities[got[i].severity], want.severity, `${name}: severity`);
    assert.equal(ruleOf(got[i]), want.rule, `${name}: rule`);
    assert.ok(got[i].code.target.toString().includes(want.rule), `${name}: the rule's page`);
    assert.ok(got[i].message.includes(want.has), `${name}: "${got[i].message}" lacks "${want.has}"`);
  });
}

const plain = (markdown) => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/`/g, '').replace(/&nbsp;/g, ' ');

async function hoverText(document, at) {
  const hovers = await command('vscode.executeHoverProvider', document.uri, at);
  return plain(hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join('\n'));
}

async function testFiletypes() {
  for (const [name, language] of Object.entries(expected.filetypes)) {
    if (language)
      await openDump(name);
    else
      assert.equal((await open(name)).languageId, 'plaintext', name);
  }
}

async function testHover() {
  for (const want of expected.hover) {
    const document = await openDump(want.document);
    const text = await hoverText(document, position(document, want.line, want.column));
    for (const words of want.has)
      assert.ok(text.includes(words), `${want.document}:${want.line}: "${text}" lacks "${words}"`);
  }
}

async function testDefinition() {
  for (const want of expected.definition) {
    const document = await openDump(want.document);
    const found = await command('vscode.executeDefinitionProvider', document.uri, position(document, want.line, want.column));
    assert.equal(found.length, 1, `${want.document}:${want.line}`);
    const { start } = found[0].targetSelectionRange ?? found[0].range;
    assert.deepEqual(place(document, start), want.to, `${want.document}:${want.line}`);
  }
}

async function placesOf(provider) {
  for (const want of expected.references) {
    const document = await openDump(want.document);
    const found = await command(provider, document.uri, position(document, want.line, want.column));
    const places = found.map(({ range }) => place(document, range.start));
    assert.deepEqual(places.map(({ line, column }) => [line, column]).sort(([a], [b]) => a - b), want.at, want.document);
  }
}

async function testSymbols() {
  const document = await openDump(expected.symbols.document);
  const names = [];
  const walk = (symbols) => symbols.forEach(({ name, detail, children }) => {
    names.push(`${name} ${detail}`.trim());
    walk(children);
  });
  walk(await command('vscode.executeDocumentSymbolProvider', document.uri));
  for (const wanted of expected.symbols.names)
    assert.ok(names.some((name) => name.includes(wanted)), `the symbols ${names.join(', ')} lack ${wanted}`);
}

async function testFolding() {
  const document = await openDump('branches.torchir');
  const folds = await command('vscode.executeFoldingRangeProvider', document.uri);
  const around = (line) => folds.filter(({ start, end }) => start < line - 1 && line - 1 <= end).length;
  assert.ok(around(24) > around(5) && around(5) > 0, `${JSON.stringify(folds)}`);
}

async function testSelection() {
  const document = await openDump('branches.torchir');
  const [range] = await command('vscode.executeSelectionRangeProvider', document.uri, [position(document, 24, 33)]);
  const texts = [];
  for (let step = range; step; step = step.parent)
    texts.push(document.getText(step.range));
  assert.ok(texts.some((text) => text.includes('aten::mul')), texts.join('\n'));
  assert.ok(texts.length > 2 && texts.every((text, i) => !i || text.length > texts[i - 1].length), texts.join('\n'));
}

async function testTokens() {
  for (const want of expected.tokens) {
    const document = await openDump(want.document);
    const legend = await command('vscode.provideDocumentSemanticTokensLegend', document.uri);
    const { data } = await command('vscode.provideDocumentSemanticTokens', document.uri);
    const wanted = position(document, want.line, want.column);
    let line = 0;
    let start = 0;
    let type;
    for (let i = 0; i < data.length; i += 5) {
      start = data[i] ? data[i + 1] : start + data[i + 1];
      line += data[i];
      if (line === wanted.line && start <= wanted.character && wanted.character < start + data[i + 2])
        type = legend.tokenTypes[data[i + 3]];
    }
    assert.equal(type, want.type, `${want.document}:${want.line}:${want.column}`);
  }
}

async function testLinks() {
  const document = await openDump('branches.torchir');
  const links = await command('vscode.executeLinkProvider', document.uri);
  const link = links.find(({ range }) => range.start.line === 23);
  assert.equal(document.getText(link.range), '/home/gen2.py:183:38');
  assert.equal(link.target.path, uriOf('gen2.py').path);
  assert.equal(link.target.fragment, 'L183,39');
}

async function testEdit() {
  const want = expected.edit;
  const document = await openDump(want.document);
  await waitForCount(document, 0);
  const { text } = document.lineAt(want.line - 1);
  const start = new vscode.Position(want.line - 1, text.indexOf(want.from));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(start, start.translate(0, want.from.length)), want.to);
  const before = Date.now();
  await vscode.workspace.applyEdit(edit);
  const found = await wait('a diagnostic after an edit',
                           () => diagnosticsOf(document).find((diagnostic) => ruleOf(diagnostic) === want.rule));
  const ms = Date.now() - before;
  assert.deepEqual(place(document, found.range.start), { line: want.line, column: want.column });
  await command('undo');
  await waitForCount(document, 0);
  return ms;
}

async function testSettings() {
  const { document: name, value, count } = expected.opset;
  const document = await openDump(name);
  const before = expected.diagnostics[name].length;
  const file = join(given.project, '.onnxls.json');
  const kept = readFileSync(file, 'utf8');
  const setOpset = (opset) => vscode.workspace.getConfiguration('onnxls').update('opset', opset, vscode.ConfigurationTarget.Workspace);
  await waitForCount(document, before);
  await setOpset(value);
  await waitForCount(document, count);
  await setOpset(undefined);
  await waitForCount(document, before);
  // The editor's defaults must not win over the file.
  writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), opset: value }));
  await waitForCount(document, count);
  writeFileSync(file, kept);
  await waitForCount(document, before);
}

/** Runs the command that sets the opset, with keys until it has ended: those that come before its list do nothing. */
async function setOpset(...keys) {
  let isDone = false;
  const done = command('onnxls.setOpset').then(() => { isDone = true; });
  await wait('the list of opsets', async () => {
    for (const key of [...keys, 'workbench.action.acceptSelectedQuickOpenItem'])
      await command(key);
    return isDone;
  });
  await done;
  return vscode.workspace.getConfiguration('onnxls').inspect('opset').workspaceValue;
}

/** Of a dump that nobody has open. */
async function testWorkspaceProblems() {
  const file = join(given.project, 'closed.torchir');
  const uri = vscode.Uri.file(file);
  const problems = () => vscode.languages.getDiagnostics(uri).map(ruleOf);
  const setMode = (mode) => vscode.workspace.getConfiguration('onnxls').update('diagnosticMode', mode, vscode.ConfigurationTarget.Workspace);
  const graphOf = (op) => `graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::${op}(%x)\n  return (%y)\n`;
  writeFileSync(file, graphOf('lgamma'));
  await openDump('llama.txt');
  await setMode('workspace');
  await wait('problems of a file that is not open', () => problems().length === 1);
  assert.deepEqual(problems(), ['unsupported-op']);
  writeFileSync(file, graphOf('relu'));
  await wait('them to go with a change', () => problems().length === 0);
  writeFileSync(file, graphOf('lgamma'));
  await wait('them to come back', () => problems().length === 1);
  await setMode(undefined);
  await wait('them to go with the setting', () => problems().length === 0);
  await wait('the server', () => server.health === 'running');
  rmSync(file);
}

async function testSetOpset() {
  const { document: name, value, count } = expected.opset;
  const document = await openDump(name);
  const before = expected.diagnostics[name].length;
  await waitForCount(document, before);
  // If the list came up between two keys, its first entry was taken: that of no opset.
  const opset = await wait('an opset', () => setOpset('workbench.action.quickOpenSelectNext'));
  assert.ok(opset >= value, `${opset} is not the newest`);
  await waitForCount(document, count);
  assert.equal(await setOpset(), undefined);
  await waitForCount(document, before);
}

async function testSchema() {
  const document = await vscode.workspace.openTextDocument(uriOf('wrong/.onnxls.json'));
  await vscode.window.showTextDocument(document);
  const found = await wait('what the schema says', () => {
    const all = vscode.languages.getDiagnostics(document.uri);
    return all.length >= 2 && all;
  });
  assert.deepEqual(found.map(({ range }) => range.start.line).sort(), [1, 2], found.map(({ message }) => message).join('; '));
}

async function testCommands() {
  await openDump('llama.txt');
  const before = server.processId;
  await command('onnxls.restart');
  assert.equal(server.health, 'running');
  assert.notEqual(server.processId, before);
  await checkDiagnostics('llama.txt');
  await command('onnxls.showLog');
  await command('onnxls.showVersion');
  assert.match(server.version, /^onnxls \d.*\nfacts: torch /);
  assert.equal(server.found.origin, 'the PATH');
  await openDump('llama.txt');
  await command('onnxls.copyDebugInformation');
  const text = await vscode.env.clipboard.readText();
  for (const words of [`VS Code: ${vscode.version}`, 'server: running', 'from the PATH', 'facts: torch', 'hoverProvider'])
    assert.ok(text.includes(words), `"${text}" lacks "${words}"`);
}

async function testReport() {
  await checkDiagnostics('llama.txt');
  await command('onnxls.listUnsupported');
  const { document } = await wait('the report', () => vscode.window.visibleTextEditors.find(
    ({ document: { uri } }) => uri.scheme === 'onnxls-report'));
  const places = (has) => expected.diagnostics['llama.txt'].filter((want) => want.has === has).map(({ line }) => line);
  const [norms, attentions] = [places('aten::rms_norm'), places('opset 14')];
  assert.equal(document.getText(), [
    'Unsupported operators of llama.txt', 'to opset 13 with the TorchScript exporter of torch 2.6',
    '', `aten::rms_norm: ${norms.length} nodes, can't be converted at any opset`, `    lines ${norms.join(', ')}`,
    '', `aten::scaled_dot_product_attention: ${attentions.length} nodes, can be converted from opset 14 on`,
    `    lines ${attentions.join(', ')}`, '',
  ].join('\n'));
  const links = await command('vscode.executeLinkProvider', document.uri);
  assert.deepEqual(links.map(({ target }) => target.toString()).sort(),
                   [...norms, ...attentions].map((line) => uriOf('llama.txt').with({ fragment: `L${line}` }).toString()).sort());
}

async function testSample() {
  for (let times = 0; times < 2; times++) {
    await command('onnxls.openSample');
    const { document } = vscode.window.activeTextEditor;
    await wait('a saved sample with its problems', () => !document.isDirty && diagnosticsOf(document).some((one) => ruleOf(one) === 'unsupported-op'));
    await command('workbench.action.revertAndCloseActiveEditor');
  }
}

async function testKilled() {
  const document = await openDump('llama.txt');
  const last = document.lineCount - 2;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(last, 0), '  %unsaved : Tensor = aten::relu(%nowhere)\n');
  const saved = diagnosticsOf(document).length;
  await vscode.workspace.applyEdit(edit);
  await wait('a diagnostic of unsaved text', () => diagnosticsOf(document).length > saved);
  const seen = diagnosticsOf(document).length;
  const crashes = server.crashCount;
  let ms;
  for (let time = 1; time <= 2; time++) {
    const before = server.processId;
    const start = Date.now();
    process.kill(before, 'SIGKILL');
    await wait('a new server', () => server.health === 'running' && server.processId !== before);
    await waitForCount(document, seen);
    ms ??= Date.now() - start;
  }
  assert.equal(server.crashCount, crashes + 2);
  assert.equal(document.lineAt(last).text, '  %unsaved : Tensor = aten::relu(%nowhere)');
  assert.equal(document.isDirty, true);
  assert.ok(await hoverText(document, position(document, expected.hover[0].line, expected.hover[0].column)));
  await command('workbench.action.files.revert');
  await waitForCount(document, saved);
  return ms;
}

async function testInlay() {
  const document = await openDump(expected.inlay.document);
  const { range } = document.lineAt(expected.inlay.line - 1);
  const hints = await wait('inlay hints', async () => {
    const found = await command('vscode.executeInlayHintProvider', document.uri, range);
    return found?.length && found;
  });
  const labels = hints.map(({ label }) => typeof label === 'string' ? label : label.map(({ value }) => value).join(''));
  for (const words of expected.inlay.has)
    assert.ok(labels.some((label) => label.includes(words)), `${labels.join('; ')} lacks ${words}`);
}

/** By the command, for the operator under the cursor; the new file is taken back. */
async function testStub() {
  const { document: name, line, column, has } = expected.stub;
  const document = await openDump(name);
  await waitForCount(document, expected.diagnostics[name].length);
  const at = position(document, line, column);
  vscode.window.activeTextEditor.selection = new vscode.Selection(at, at);
  const done = command('onnxls.createStub');
  const made = await wait('the new file', async () => {
    await command('workbench.action.acceptSelectedQuickOpenItem');  // Where it asks which one, the first.
    const front = vscode.window.activeTextEditor?.document;
    return front?.languageId === 'python' && front;
  });
  for (const words of has)
    assert.ok(made.getText().includes(words), `"${made.getText()}" lacks "${words}"`);
  await done;
  await made.save();
  await command('workbench.action.closeActiveEditor');
  await vscode.workspace.fs.delete(made.uri);
}

const python = expected.python;

async function openPython(name = python.document) {
  const document = await open(name);
  await wait('the server', () => server.health === 'running');
  return document;
}

const isAttached = (document) => server.python.uris.some((uri) => uri.toString() === document.uri.toString());

/** A cell's problem is in the cell, and depends on what another one imports. */
async function testNotebook() {
  const uri = uriOf('export.ipynb');
  const [register, broken] = ['from torch.onnx import register_custom_op_symbolic\nfrom torch.onnx.symbolic_helper import parse_args\n',
    '@parse_args("v", "f")\ndef leaky_relu(g, self, negative_slope):\n    return g.op("LeakyRelu", self, alpha=negative_slope)\n\n\nregister_custom_op_symbolic("aten::leaky_relu", leaky_relu, 13)'];
  const cell = (source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source });
  writeFileSync(uri.fsPath, JSON.stringify({ cells: [cell('%matplotlib inline\n'), cell(register), cell(broken)],
    metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 }));
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  await vscode.window.showNotebookDocument(notebook);
  const { document } = notebook.cellAt(2);
  const [found] = await waitForCount(document, 1);
  assert.equal(ruleOf(found), 'missing-attribute-suffix');
  assert.deepEqual(place(document, found.range.start), { line: 3, column: 36 });
  assert.deepEqual(diagnosticsOf(notebook.cellAt(1).document), []);
  assert.match(await hoverText(document, position(document, 3, 20)), /LeakyRelu\(X: T\) -> \(Y: T\)/);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(2, 35, 2, 40), 'alpha_f');
  await vscode.workspace.applyEdit(edit);
  await waitForCount(document, 0);
  await command('workbench.action.revertAndCloseActiveEditor');
  rmSync(uri.fsPath);
}

async function testPythonDiagnostics() {
  const document = await openPython();
  const [got] = await waitForCount(document, 1);
  const want = python.diagnostic;
  assert.deepEqual(place(document, got.range.start), { line: want.line, column: want.column });
  assert.equal(severities[got.severity], want.severity);
  assert.equal(ruleOf(got), want.rule);
  assert.ok(got.message.includes(want.has), got.message);
}

async function testPythonHelp() {
  const document = await openPython();
  const text = await hoverText(document, position(document, python.hover.line, python.hover.column));
  for (const words of python.hover.has)
    assert.ok(text.includes(words), `"${text}" lacks "${words}"`);
  const at = position(document, python.completion.line, python.completion.column);
  const { items } = await command('vscode.executeCompletionItemProvider', document.uri, at);
  assert.ok(items.some(({ label }) => (label.label ?? label) === python.completion.label), items.map(({ label }) => label).join(', '));
  const [found] = await command('vscode.executeDefinitionProvider', document.uri,
                                position(document, python.definition.line, python.definition.column));
  assert.deepEqual(place(document, (found.targetSelectionRange ?? found.range).start), python.definition.to);
  const symbols = await command('vscode.executeDocumentSymbolProvider', document.uri);
  for (const name of python.symbols)
    assert.ok(symbols.some((symbol) => symbol.name === name), `no symbol ${name}`);
}

async function testPythonHints() {
  const document = await openPython();
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await command('vscode.executeInlayHintProvider', document.uri, whole);
  const label = (hint) => typeof hint.label === 'string' ? hint.label : hint.label.map(({ value }) => value).join('');
  assert.ok(hints.some((hint) => hint.position.line === python.hint.line - 1 && label(hint).includes(python.hint.has)),
            hints.map(label).join('; '));
  const lenses = await command('vscode.executeCodeLensProvider', document.uri, 10);
  assert.ok(lenses.some(({ range, command: shown }) => range.start.line === python.lens.line - 1 &&
    shown?.title.includes(python.lens.has)), JSON.stringify(lenses));
  const [item] = await command('vscode.prepareCallHierarchy', document.uri, position(document, python.calls.line, python.calls.column));
  assert.equal(item.name, python.calls.name);
}

/** The command of a lens opens a peek view, whose editor is one of the visible. */
async function testPythonLens() {
  const { line, uses, at } = python.lens;
  const document = await openPython();
  const shown = await wait('the uses', async () => {  // The dumps are read in the background.
    const lenses = await command('vscode.executeCodeLensProvider', document.uri, 10);
    return lenses.find(({ range, command: own }) => range.start.line === line - 1 && own?.title.includes(uses))?.command;
  });
  assert.equal(shown.command, 'onnxls.showReferences');
  const found = await server.references(...shown.arguments);
  const nameOf = ({ uri, range: { start } }) => `${basename(uri.path)}:${start.line + 1}:${start.character + 1}`;
  assert.deepEqual(found.map(nameOf).sort(), at);
  await command(shown.command, ...shown.arguments);
  const [dump] = at[0].split(':');
  await wait('the dump in the peek view', async () => {
    await command('goToNextReference');
    return vscode.window.visibleTextEditors.some((editor) => basename(editor.document.uri.path) === dump);
  });
  await command('closeReferenceSearch');
}

async function testPythonAction() {
  const document = await openPython();
  const [{ range }] = await waitForCount(document, 1);
  const actions = await command('vscode.executeCodeActionProvider', document.uri, range);
  const action = actions.find(({ title }) => title === python.action.title);
  assert.ok(action, actions.map(({ title }) => title).join('; '));
  await vscode.workspace.applyEdit(action.edit);
  assert.equal(document.lineAt(range.start.line).text, python.action.text);
  await waitForCount(document, 0);
  await command('undo');
  await waitForCount(document, 1);
}

/** Nothing passes between us and a Python file until it mentions ONNX. */
async function testOrdinaryPython() {
  const document = await openPython(python.ordinary);
  assert.equal(isAttached(document), false);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(1, 0), `${python.becomes}\n`);
  await vscode.workspace.applyEdit(edit);
  await wait('the server to have it', () => isAttached(document));
  const more = new vscode.WorkspaceEdit();
  more.insert(document.uri, new vscode.Position(2, 0), `${python.mistake}\n`);
  await vscode.workspace.applyEdit(more);
  await wait('a diagnostic', () => diagnosticsOf(document).some((diagnostic) => ruleOf(diagnostic) === python.diagnostic.rule));
  await command('workbench.action.files.revert');
}

let large;

let largeStart;

async function testLargeOpen() {
  largeStart = Date.now();
  large = await vscode.workspace.openTextDocument(vscode.Uri.file(given.large));
}

async function testLargeDiagnostics() {
  await vscode.window.showTextDocument(large);
  await wait('diagnostics', () => diagnosticsOf(large).length > 0, 60_000);
  return Date.now() - largeStart;
}

async function testLargeHover() {
  const start = Date.now();
  assert.ok(await hoverText(large, new vscode.Position(Math.floor(large.lineCount / 2), 4)));
  return Date.now() - start;
}

async function testLargeEdit() {
  const count = diagnosticsOf(large).length;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(large.uri, new vscode.Position(Math.floor(large.lineCount / 2), 0), '  %unsaved : Tensor = aten::relu(%nowhere)\n');
  const start = Date.now();
  await vscode.workspace.applyEdit(edit);
  await wait('a diagnostic more', () => diagnosticsOf(large).length > count, 60_000);
  return Date.now() - start;
}

exports.run = async () => {
  await test('a text alone starts no server', async () => {
    const extension = vscode.extensions.getExtension('onnxls.onnxls');
    await open('notes.txt');
    server = await extension.activate();
    await new Promise((done) => setTimeout(done, 200));
    assert.equal(server.health, 'stopped');
  });
  await test('filetype', testFiletypes);
  await test('start', async () => {
    await openDump('llama.txt');
    assert.ok(server.processId > 0);
  });
  await test('diagnostics', async () => {
    for (const name of Object.keys(expected.diagnostics))
      await checkDiagnostics(name);
  });
  await test('hover', testHover);
  await test('definition', testDefinition);
  await test('references', () => placesOf('vscode.executeReferenceProvider'));
  await test('highlight', () => placesOf('vscode.executeDocumentHighlights'));
  await test('symbols', testSymbols);
  await test('folding', testFolding);
  await test('selection ranges', testSelection);
  await test('semantic tokens', testTokens);
  await test('document links', testLinks);
  await test('edit', testEdit);
  await test('settings', testSettings);
  await test('set opset', testSetOpset);
  await test('problems of the workspace', testWorkspaceProblems);
  await test('schema of .onnxls.json', testSchema);
  await test('commands', testCommands);
  await test('unsupported operators', testReport);
  await test('sample', testSample);
  await test('inlay hints', testInlay);
  await test('stub', testStub);
  await test('Python: diagnostics', testPythonDiagnostics);
  await test('Python: hover, completion, definition', testPythonHelp);
  await test('Python: hints, lens, calls', testPythonHints);
  await test('Python: uses of a lens', testPythonLens);
  await test('Python: code action', testPythonAction);
  await test('Python: ordinary files', testOrdinaryPython);
  await test('notebook: diagnostics and hover in a cell', testNotebook);
  await test('killed server', testKilled);
  if (given.large) {
    await test('24 MB: open in VS Code alone', testLargeOpen);
    await test('24 MB: diagnostics', testLargeDiagnostics);
    await test('24 MB: hover', testLargeHover);
    await test('24 MB: edit', testLargeEdit);
  }
  if (failures)
    throw new Error(`${failures} failed`);
};
