// Does the exporter call the symbolic functions that the server writes? For every operator that the dumps of the corpus
// have and torch 1.13 can't convert, the code action's file is imported and the real exporter is run on the dump's own
// node. Needs torch: Debian's python3-torch; PYTHON names another interpreter. Words choose dumps by a part of their path.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LspClient } from '../cases/lsp.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');
const python = process.env.PYTHON ?? '/usr/bin/python3';
const corpus = process.env.CORPUS ?? join(root, 'tests', 'corpus', 'torch-ir');
const opset = Number(process.env.OPSET ?? 13);
const callLimit = 8;  // Calls of one operator in one dump that are tried.
const sizeLimit = 4 << 20;
const words = process.argv.slice(2);
let number = 0;

function filesBelow(folder) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** Splits at commas outside of brackets. */
function items(text) {
  const found = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    if ('([<{'.includes(text[i]))
      depth++;
    else if (')]>}'.includes(text[i]))
      depth--;
    if (i === text.length || (text[i] === ',' && depth === 0)) {
      if (text.slice(start, i).trim())
        found.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return found;
}

/** `%a : T, %b : U = ns::op[attributes](%x, %y), scope: …` */
function parseNode(line) {
  const [, results, kind, attributes = '', inputs] =
    /^\s*(.*?) ?= ([\w.]+::\w+)(\[.*?\])?\((.*?)\)(?:, scope: .*| # .*)?$/.exec(line.trimEnd()) ?? [];
  if (kind === undefined)
    return null;
  return { kind, attributes, inputs: items(inputs), results: items(results).map((item) => item.split(/ : (.*)/s)) };
}

/** Where every name is defined first: { type, line } */
function definitionsOf(lines) {
  const definitions = new Map();
  for (const line of lines) {
    const node = parseNode(line);
    const defined = node ? node.results
      : [...line.matchAll(/(%[\w.]+) : (.*?)(?=,?$|\):?$|, %|\)\.?:)/g)].map(([, name, type]) => [name, type]);
    for (const [name, type] of defined) {
      if (!definitions.has(name))
        definitions.set(name, { type: type ?? 'Tensor', node });
    }
  }
  return definitions;
}

/** As old dumps print them, `Float` alone; and classes, which a graph without its module does not know. */
function modern(type) {
  const isOld = /^[A-Z]\w*$/.test(type ?? 'Tensor') && type !== 'NoneType';
  return isOld ? 'Tensor' : type.replace(/__torch__[\w.]+/g, 'Tensor');
}

/** A graph that has the node alone: constants as they are, everything else as an input. */
function graphOf(node, definitions) {
  const inputs = [];
  const body = [];
  const names = new Map();
  // A number that is a tensor already, as in graphs between the exporter's steps.
  const number = (definition) => definition?.node?.kind === 'prim::Constant' && /^\[value=\{([-\d.e+]+)\}\]$/.exec(definition.node.attributes)?.[1];
  const isPlain = (definition) => definition?.node?.kind === 'prim::Constant' && !/[<{]|\] ?\[|Type/.test(definition.node.attributes);
  const take = (name) => {
    if (names.has(name))
      return names.get(name);
    const definition = definitions.get(name);
    const own = `%v${names.size}`;
    names.set(name, own);
    const elements = definition?.node?.kind === 'prim::ListConstruct' ? definition.node.inputs : null;
    if (number(definition))
      body.push(`  ${own} : ${/^(Float|Double)/.test(definition.type) ? 'float' : 'int'} = prim::Constant[value=${number(definition)}]()`);
    else if (isPlain(definition))
      body.push(`  ${own} : ${definition.type} = prim::Constant${definition.node.attributes}()`);
    else if (elements?.every((element) => definitions.has(element)))
      body.push(`  ${own} : ${definition.type} = prim::ListConstruct(${elements.map(take).join(', ')})`);
    else
      inputs.push(`${own} : ${modern(definition?.type)}`);
    return own;
  };
  const taken = node.inputs.map(take);
  const results = node.results.map(([, type], i) => [`%r${i}`, modern(type)]);
  const defined = results.map(([name, type]) => `${name} : ${type}`).join(', ');
  body.push(`  ${defined} = ${node.kind}${node.attributes}(${taken.join(', ')})`);
  return [`graph(${inputs.join(',\n      ')}):`, ...body, `  return (${results.map(([name]) => name).join(', ')})`, ''].join('\n');
}

/** The text of the file that the action for the diagnostic makes. */
async function askForStub(client, uri, diagnostic) {
  const { range } = diagnostic;
  const actions = await client.request('textDocument/codeAction', { textDocument: { uri }, range, context: { diagnostics: [diagnostic] } });
  const changes = actions.find(({ title }) => title.startsWith('Create a symbolic function'))?.edit.documentChanges;
  return changes?.[1].edits[0].newText;
}

/** All stubs of a dump, each with the graphs of its operator's nodes. */
async function stubsOf(client, path, folder) {
  const uri = pathToFileURL(path).href;
  const text = readFileSync(path, 'utf8');
  client.open(uri, text);
  const byOperator = new Map();
  for (const diagnostic of await client.diagnostics(uri)) {
    const { op } = diagnostic.data ?? {};
    if (['unsupported-op', 'op-needs-newer-opset'].includes(diagnostic.code))
      byOperator.set(op, [...byOperator.get(op) ?? [], diagnostic]);
  }
  const stubs = [];
  const lines = text.split(/\r\n?|\n/);
  const definitions = byOperator.size ? definitionsOf(lines) : null;
  for (const [op, diagnostics] of byOperator) {
    const name = `${relative(corpus, path)}: ${op}`;
    const stub = await askForStub(client, uri, diagnostics[0]);
    // Types and graphs as attributes, which the exporter can't pass on: there can't be a function.
    if (!stub && op.startsWith('prim::') && lines[diagnostics[0].range.start.line].includes(`${op}[`))
      continue;
    const nodes = diagnostics.slice(0, callLimit).map(({ range }) => parseNode(lines[range.start.line]));
    const module = join(folder, versionOf(path), `stub_${number++}.py`);
    mkdirSync(dirname(module), { recursive: true });
    if (stub)
      writeFileSync(module, stub);
    stubs.push({ name, op, module: stub ? module : null, opset,
      calls: nodes.map((node) => (node ? { graph: graphOf(node, definitions), inputs: node.inputs.length, outputs: node.results.length } : null)) });
  }
  client.close(uri);
  return stubs;
}

/** The torch version that printed a dump, as the corpus sorts them. */
function versionOf(path) {
  return /torch-2\.x\/([\d.]+)\//.exec(path)?.[1] ?? '1.13';
}

/** Our own rules must have nothing to say of what we write for the dumps of a version, under the exporter that uses it. */
function checkModules(folder, version) {
  const args = ['check', '--format', 'json', '--exit-zero', '--torch', version, '--exporter', 'torchscript', '--opset', `${opset}`, folder];
  const { diagnostics } = JSON.parse(execFileSync(binary, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }));
  for (const { file, line, rule, message } of diagnostics)
    console.log(`${file}:${line}: ${message} [${rule}]\n${readFileSync(file, 'utf8')}`);
  return diagnostics.length;
}

async function main() {
  if (spawnSync(python, ['-c', 'import torch, onnx.defs']).status !== 0) {
    console.log(`${python} has no torch and onnx: stubs are not tried\n0 passed, 0 failed, 1 skipped`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-stubs-'));
  try {
    const client = new LspClient([binary, '--stdio'], { cwd: here });
    await client.start({ torch: '1.13', opset, rules: { 'unused-value': 'off' }, maxDiagnostics: 0 }, pathToFileURL(folder).href);
    const stubs = [];
    for (const path of filesBelow(corpus)) {
      // What was written by hand has operators that nobody has.
      if (!/\/(odd|broken)\//.test(path) && (words.length === 0 || words.some((word) => path.includes(word))) && statSync(path).size < sizeLimit)
        stubs.push(...await stubsOf(client, path, join(folder, 'modules')));
    }
    await client.stop();
    writeFileSync(join(folder, 'stubs.json'), JSON.stringify(stubs));
    const versions = existsSync(join(folder, 'modules')) ? readdirSync(join(folder, 'modules')) : [];
    if (versions.map((version) => checkModules(join(folder, 'modules', version), version)).some((count) => count > 0))
      throw new Error('what is written breaks rules');
    process.stdout.write(execFileSync(python, [join(here, 'stubs.py'), join(folder, 'stubs.json')], { encoding: 'utf8' }));
  } catch (error) {
    process.stdout.write(error.stdout ?? '');
    console.error(error.stdout ? '' : error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await main();
