// Sessions drawn by a seed: documents are opened and edited, everything is asked anywhere, some of it cancelled, while
// files, settings and folders change below. Whatever happens, each request gets one answer that the specification knows,
// and in the end the server says of its documents what a fresh one says of the same texts.
//
// ONNXLS_SEED chooses what is drawn, ONNXLS_SAMPLE (percent) how many sessions there are. A failure names its seed.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { PATIENCE_MS, Server, fullCapabilities, patiently } from './client.mjs';
import { TextModel } from './document.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FIRST_SEED = Number(process.env.ONNXLS_SEED ?? 1);
const SESSIONS = Math.max(1, Math.round(Number(process.env.ONNXLS_SAMPLE ?? 20) / 10));
const STEPS = 120;
const LONGEST_TEXT = 60_000;

/** What an answer may be instead of a result: the document moved on, or the client wanted it no more. */
const refusals = [-32800, -32801, -32802, -32803];

// --- What sessions are made of ---

/** Texts of a folder, of which long ones lose their end. */
function textsOf(folder, ending) {
  return readdirSync(join(root, folder)).filter((name) => name.endsWith(ending)).sort()
    .map((name) => readFileSync(join(root, folder, name), 'utf8').slice(0, 20_000));
}

const texts = {
  python: [...textsOf('demo', '.py'), ...textsOf('tests/corpus/symbolics_good', '.py').slice(0, 30)],
  'torch-ir': [...textsOf('demo', '.torchir'), ...textsOf('tests/fuzz/seeds/dump', '')],
};
const pieces = ['%', '(', ')', '[', '"', '"""', '\'', '#', '\\', ':', ',', '=', '\n', '\r\n', '\r', '\t', '    ', 'é', '漢字', '😀', '\u2028', '\0',
  'x', '1', 'g.op("Relu", ', 'def f(g, x):\n', '# onnxls: ignore[unsupported-op]', '@parse_args("v", "i")\n', 'aten::', '->', 'lambda',
  'if ', 'class A:\n  ', 'return (', '  %9 : Tensor = aten::relu(%1)\n'];
const methods = ['hover', 'completion', 'definition', 'references', 'documentHighlight', 'documentSymbol', 'foldingRange', 'selectionRange',
  'documentLink', 'semanticTokens/full', 'semanticTokens/range', 'codeAction', 'inlayHint', 'signatureHelp', 'codeLens', 'diagnostic',
  'prepareCallHierarchy'];
const settingsOf = {
  torch: ['1.13', '2.6', '2.14', 'auto', '0.1', 5], opset: [9, 13, 17, 99], exporter: ['torchscript', 'dynamo', 'none'],
  group: [true, false], maxDiagnostics: [0, 3, 1000], workspaceIndex: [true, false], rules: [{ 'unused-value': 'off' }, { nonsense: 'error' }],
};

/** Numbers from a seed (mulberry32), and choices made of them. */
class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  below(count) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % count;
  }

  of(list) {
    return list[this.below(list.length)];
  }

  happens(percent) {
    return this.below(100) < percent;
  }
}

function capabilitiesWith(encoding) {
  return {
    ...fullCapabilities, general: { positionEncodings: [encoding] },
    textDocument: { ...fullCapabilities.textDocument, diagnostic: {} },
    workspace: { ...fullCapabilities.workspace, configuration: true, workspaceFolders: true, diagnostics: { refreshSupport: true }, codeLens: { refreshSupport: true } },
  };
}

// --- One session ---

class Session {
  constructor(seed) {
    this.random = new Random(seed);
    this.encoding = this.random.of(['utf-8', 'utf-16', 'utf-32']);
    this.workspace = mkdtempSync(join(tmpdir(), 'onnxls-random-'));
    this.folders = ['one', 'two'].map((name) => join(this.workspace, name));
    this.active = [this.folders[0]];
    this.documents = new Map();  // URI -> { languageId, version, model }
    this.settings = {};
    this.answers = [];
    for (const folder of this.folders)
      mkdirSync(join(folder, 'sub'), { recursive: true });
    for (let i = this.random.below(8); i > 0; i--)
      this.write(this.anyPath());
  }

  async start() {
    const server = await new Server({}).start();
    server.handlers['workspace/configuration'] = ({ items }) => items.map(() => this.settings);
    await server.initialize({
      capabilities: capabilitiesWith(this.encoding), rootUri: pathToFileURL(this.active[0]).href,
      workspaceFolders: this.active.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    });
    return server;
  }

  anyPath() {
    const { random } = this;
    return join(random.of(this.folders), random.of(['', 'sub']), random.of(['a', 'b', 'c']) + random.of(['.py', '.torchir', '.log']));
  }

  anyText(languageId) {
    const text = this.random.of(texts[languageId]);
    return this.random.happens(10) ? text.replaceAll('\n', this.random.of(['\r\n', '\r'])) : text;
  }

  write(path) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, this.anyText(path.endsWith('.py') ? 'python' : 'torch-ir'));
  }

  /** A place in the text, never within a line end or a surrogate pair, as no client has one there. */
  anyIndex(model) {
    const line = this.random.of(model.lines());
    const within = this.random.below(line.text.length + 1);
    const isInPair = within > 0 && /[\uD800-\uDBFF]/.test(line.text[within - 1]) && within < line.text.length;
    return line.start + within - (isInPair ? 1 : 0);
  }

  anyPosition(model) {
    return this.random.happens(5) ? { line: this.random.of([0, 10 ** 6, 2 ** 31 - 1]), character: this.random.of([0, 2 ** 31 - 1]) }
      : model.position(this.anyIndex(model));
  }

  open() {
    const { random } = this;
    const uri = random.happens(10) ? `untitled:Untitled-${random.below(3)}` : pathToFileURL(this.anyPath()).href;
    if (this.documents.has(uri))
      return;
    const languageId = uri.endsWith('.py') ? 'python' : 'torch-ir';
    const document = { languageId, version: 1, model: new TextModel(this.anyText(languageId), this.encoding) };
    this.documents.set(uri, document);
    this.server.didOpen(uri, document.model.text, document);
  }

  change(uri, document) {
    const { random } = this;
    const changes = [];
    for (let i = random.of([1, 1, 1, 2, 5]); i > 0; i--) {
      const { model } = document;
      const [start, end] = [this.anyIndex(model), this.anyIndex(model)].sort((a, b) => a - b);
      const text = random.happens(60) ? random.of(pieces) : random.happens(10) ? random.of(pieces).repeat(random.below(500)) : '';
      if (random.happens(4) || model.text.length > LONGEST_TEXT)
        changes.push(model.replaceAll(this.anyText(document.languageId)));
      else
        changes.push(model.replace(start, random.happens(50) ? start : random.happens(80) ? Math.min(end, this.lineEnd(model, start)) : end, text));
    }
    document.version += 1 + random.below(3);
    this.server.didChange(uri, document.version, ...changes);
  }

  lineEnd(model, index) {
    const line = model.lines().findLast(({ start }) => start <= index);
    return line.start + line.text.length;
  }

  ask(uri, document) {
    const [a, b] = [this.anyPosition(document.model), this.anyPosition(document.model)]
      .sort((x, y) => x.line - y.line || x.character - y.character);
    const { id, answer, message } = this.server.prepare(`textDocument/${this.random.of(methods)}`, {
      textDocument: { uri }, position: a, range: { start: a, end: b }, positions: [a, b],
      context: { includeDeclaration: true, diagnostics: [], triggerKind: 1 },
    });
    this.server.send(message);
    this.answers.push(answer.catch((error) => {
      if (!refusals.includes(error.code))
        throw new Error(`${message.method} ${JSON.stringify(message.params)}: ${error.message}`);
    }));
    if (this.random.happens(15))
      this.server.notify('$/cancelRequest', { id });
  }

  close(uri) {
    this.documents.delete(uri);
    this.server.didClose(uri);
  }

  touchFile() {
    const path = this.anyPath();
    switch (this.random.below(5)) {
    case 0:
      rmSync(path, { recursive: true, force: true });
      break;
    case 1:
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      break;
    case 2:
      rmSync(path, { recursive: true, force: true });
      symlinkSync(this.random.of(['..', path, '/dev/zero', '/nonexistent']), path);
      break;
    default:
      this.write(path);
    }
    this.server.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: pathToFileURL(path).href, type: 1 + this.random.below(3) }] });
  }

  changeSettings() {
    this.settings = Object.fromEntries(Object.entries(settingsOf).filter(() => this.random.happens(40)).map(([key, values]) => [key, this.random.of(values)]));
    this.server.notify('workspace/didChangeConfiguration', { settings: null });
  }

  changeFolders() {
    const other = { uri: pathToFileURL(this.folders[1]).href, name: 'two' };
    const isActive = this.active.length > 1;
    this.active = isActive ? [this.folders[0]] : this.folders;
    this.server.notify('workspace/didChangeWorkspaceFolders', { event: { added: isActive ? [] : [other], removed: isActive ? [other] : [] } });
  }

  step() {
    const { random } = this;
    const chance = random.below(100);
    const [uri, document] = random.of([...this.documents, [undefined, undefined]]);
    if (!uri || chance < 5)
      this.open();
    else if (chance < 45)
      this.change(uri, document);
    else if (chance < 85)
      this.ask(uri, document);
    else if (chance < 92)
      this.touchFile();
    else if (chance < 95)
      this.changeSettings();
    else if (chance < 97)
      this.changeFolders();
    else
      this.close(uri);
  }

  /** What a server says of all documents, as text. */
  async saidBy(server) {
    const said = [];
    for (const [uri] of this.documents) {
      for (const method of ['diagnostic', 'documentSymbol', 'foldingRange', 'semanticTokens/full', 'codeLens']) {
        const answer = await server.request(`textDocument/${method}`, { textDocument: { uri } }).catch(({ code }) => ({ code }));
        const { resultId, ...rest } = answer ?? {};
        said.push(`${method} of ${uri}: ${JSON.stringify(Array.isArray(answer) ? answer : rest)}`);
      }
    }
    return said;
  }

  /** Both read the workspace in the background, so they may need a while to agree. */
  async compareWithFresh() {
    const fresh = await this.start();
    try {
      for (const [uri, document] of this.documents)
        fresh.didOpen(uri, document.model.text, document);
      for (const end = Date.now() + PATIENCE_MS; ;) {
        const [expected, actual] = [await this.saidBy(fresh), await this.saidBy(this.server)];
        const isSame = actual.every((text, i) => text === expected[i]);
        if (isSame || Date.now() > end) {
          assert.deepEqual(actual, expected);
          break;
        }
        await sleep(50);
      }
      assert.deepEqual(await fresh.shutdown(), { code: 0, signal: null });
    } finally {
      fresh.kill();
    }
  }

  async play() {
    this.server = await this.start();
    try {
      for (let i = 0; i < STEPS; i++) {
        this.step();
        if (this.random.happens(20))
          await this.server.isAlive();
      }
      await patiently(Promise.all(this.answers), 'all answers');
      await this.compareWithFresh();
      assert.deepEqual(await this.server.shutdown(), { code: 0, signal: null });
      assert.deepEqual(this.server.problems, []);
    } catch (error) {
      error.message += `\nstandard error of the server:\n${this.server.stderr.slice(0, 4000)}`;
      throw error;
    } finally {
      this.server.kill();
      rmSync(this.workspace, { recursive: true });
    }
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SESSIONS; seed++)
  test(`the session of seed ${seed}`, () => new Session(seed).play());
