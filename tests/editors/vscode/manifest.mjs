// What has to agree between the extension's package.json and the rest of the tree; needs no editor.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { readRules } from '../../rules.mjs';

const ownSettings = ['detectDumps', 'diagnosticMode', 'server.path', 'server.sandbox', 'trace.server'];

function settingsOf(manifest) {
  return Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties));
}

function same(got, wanted, what) {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right)
    throw new Error(`${what}: ${left}, expected ${right}`);
}

/** Names of the table in docs/settings.md, which are for editors, too, and of the list after it, which are not. */
function documentedSettings(read) {
  const named = (pattern) => [...read('docs/settings.md').matchAll(pattern)].map(([, name]) => name).sort();
  return { documented: named(/^\| `(\w+)` \|/gm), commandLine: named(/^- `(\w+)` \(/gm) };
}

function checkSettings({ read, manifest, schema }) {
  const { documented, commandLine } = documentedSettings(read);
  const settings = settingsOf(manifest);
  same(Object.keys(settings).map((name) => name.replace(/^onnxls\./, '')).sort(), [...documented, ...ownSettings].sort(), 'settings');
  same(Object.keys(schema.properties).filter((name) => name !== '$schema').sort(), [...documented, ...commandLine].sort(), 'the schema');
  same([.../serverSettings = \[([^\]]+)\]/.exec(read('editors/vscode/src/settings.ts'))[1].matchAll(/'(\w+)'/g)]
    .map(([, name]) => name).sort(), documented, 'what is sent to the server');
  for (const name of documented) {
    const setting = settings[`onnxls.${name}`];
    const { default: ours = null, enum: values, items, properties } = schema.properties[name];
    same([setting.default, setting.enum, setting.items, setting.properties], [ours, values, items, properties], name);
  }
}

function checkDescriptions({ manifest }) {
  for (const [name, setting] of Object.entries(settingsOf(manifest))) {
    if (!setting.markdownDescription?.endsWith('.') || !setting.order || !setting.scope)
      throw new Error(`${name} lacks a description, an order or a scope`);
  }
}

function checkRules({ schema }) {
  same(Object.entries(schema.properties.rules.properties).map(([name, { description }]) => [name, description]),
       readRules().map(({ name, summary }) => [name, summary]), 'rules');
}

/** What the server says that there is, when a file of settings has names that are none. */
function checkServerHasNoMore({ schema, server, root }) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-settings-'));
  try {
    writeFileSync(join(folder, '.onnxls.json'), '{ "nothing": 1, "inlayHints": { "nothing": true } }');
    const sample = join(root, 'editors/vscode/samples/attention.torchir');
    const { stderr } = spawnSync(server, ['check', sample], { cwd: folder, encoding: 'utf8' });
    const lists = [...stderr.matchAll(/; there are (.*)$/gm)].map(([, names]) => names.split(', ').sort());
    same(lists, [schema.properties, schema.properties.inlayHints.properties].map((properties) =>
      Object.keys(properties).filter((name) => name !== '$schema').sort()), 'what the server knows');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The server refuses a file of settings with a name or a value that it does not know. */
function checkServerTakesAll({ schema, server, root }) {
  const values = { torch: '2.6', exporter: 'torchscript', opset: 13, runtime: 'onnxruntime 1.21', db: [], rules: { 'unused-value': 'off' },
    group: true, maxDiagnostics: 10, inlayHints: { argumentNames: false, constantValues: true }, sourceRoots: ['src'], pathMappings: [{ from: '/there', to: 'here' }],
    workspaceIndex: true, cache: false };
  same(Object.keys(values).sort(), Object.keys(schema.properties).filter((name) => name !== '$schema').sort(), 'tried settings');
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-settings-'));
  try {
    writeFileSync(join(folder, '.onnxls.json'), JSON.stringify(values));
    const sample = join(root, 'editors/vscode/samples/attention.torchir');
    const { diagnostics } = JSON.parse(runCheck(server, ['check', sample, '--format', 'json'], folder));
    same(diagnostics.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
         ['unsupported-op', 'op-needs-newer-opset', 'unsupported-op'], 'what the sample shows');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `check` ends with 1 when it finds something. */
function runCheck(server, args, cwd) {
  try {
    return execFileSync(server, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status === 1)
      return error.stdout;
    throw error;
  }
}

function checkCommands({ read, manifest }) {
  const contributed = manifest.contributes.commands.map(({ command }) => command).sort();
  const source = /const commands[^{]*\{([\s\S]*?)\n {2}\};/.exec(read('editors/vscode/src/extension.ts'))[1];
  same([...source.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => `onnxls.${name}`).sort(), contributed, 'commands');
  const walked = [...JSON.stringify(manifest.contributes.walkthroughs).matchAll(/\(command:([\w.]+)\)/g)].map(([, name]) => name);
  for (const name of walked) {
    if (!contributed.includes(name))
      throw new Error(`the walkthrough has a button for ${name}`);
  }
  const page = read('docs/editors/vscode.md');
  for (const { category, title } of manifest.contributes.commands) {
    if (!page.includes(`**${category}: ${title}**`))
      throw new Error(`docs/editors/vscode.md does not mention ${category}: ${title}`);
  }
}

function checkFiles({ manifest, root }) {
  const named = [...JSON.stringify(manifest.contributes).matchAll(/"(?:\.\/)?((?:languages|syntaxes|images|schemas|walkthrough)\/[^"]+)"/g)];
  for (const [, name] of [...named, [null, manifest.icon]]) {
    if (!existsSync(join(root, 'editors/vscode', name)))
      throw new Error(`package.json names ${name}, which is not there`);
  }
}

/** Pictures of the walkthrough are copied when the extension is bundled. */
function checkPictures({ manifest, root }) {
  for (const { media } of manifest.contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    for (const [, name] of readFileSync(join(root, 'editors/vscode', media.markdown), 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)) {
      const picture = name.replace('../dist/', 'docs/screenshots/');
      if (!existsSync(join(root, picture)) || !manifest.scripts.bundle.includes(picture))
        throw new Error(`${media.markdown} shows ${name}, which nothing puts there`);
    }
  }
}

/** An icon that ends half way down has nothing but zeros in its lower rows. */
function checkIcon({ manifest, root }) {
  const png = readFileSync(join(root, 'editors/vscode', manifest.icon));
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [rows, height] = [inflateSync(Buffer.concat(data)), png.readUInt32BE(20)];
  const row = rows.length / height;
  for (const part of [0.25, 0.5, 0.75]) {
    const y = Math.floor(height * part) * row;
    if (rows.subarray(y + 1, y + row).every((byte) => byte === 0))
      throw new Error(`${manifest.icon} is empty at ${part} of its height`);
  }
}

/** Regular expressions of languages against the documents, line by line. */
function checkFirstLines({ manifest, read }) {
  const { filetypes } = JSON.parse(read('tests/editors/expected.json'));
  const own = { 'branches.torchir': 'torch-ir', 'llama.txt': 'torch-ir', 'notes.txt': undefined };
  for (const [name, wanted] of Object.entries(own)) {
    const [first] = read(`tests/editors/documents/${name}`).split('\n');
    const found = manifest.contributes.languages.find(({ firstLine }) => new RegExp(firstLine).test(first));
    same(found?.id ?? '', wanted ?? '', name);
    same(wanted ?? '', filetypes[name], `${name} in expected.json`);
  }
}

function checkLock({ read }) {
  const lock = JSON.parse(read('editors/vscode/package-lock.json'));
  const resolved = Object.entries(lock.packages).filter(([, { resolved: url }]) => url);
  if (resolved.length)
    throw new Error(`package-lock.json says where ${resolved[0][0]} comes from`);
}

const checks = {
  'settings are those of docs/settings.md': checkSettings,
  'settings have descriptions, orders and scopes': checkDescriptions,
  'the schema knows every rule': checkRules,
  'the server takes every setting of the schema': checkServerTakesAll,
  'the schema has every setting of the server': checkServerHasNoMore,
  'commands are registered and documented': checkCommands,
  'files are there': checkFiles,
  'the walkthrough has its pictures': checkPictures,
  'the icon is whole': checkIcon,
  'first lines': checkFirstLines,
  'the lock file names no registry': checkLock,
};

export function checkManifest(root, server) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const given = {
    root, server, read, manifest: JSON.parse(read('editors/vscode/package.json')),
    schema: JSON.parse(read('editors/vscode/schemas/onnxls.schema.json')),
  };
  return Object.entries(checks).map(([feature, check]) => {
    try {
      check(given);
      return { feature, result: 'passed' };
    } catch (error) {
      return { feature, result: 'failed', note: error.message };
    }
  });
}
