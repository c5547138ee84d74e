// Settings from everywhere they may come from, mistakes in them, and documents that are checked again.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { fullCapabilities, range, withServer } from './client.mjs';
import { rangesOf } from './document.mjs';

const uri = 'file:///settings/a.torchir';
const graph = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%BAD)\n  return (%y)\n';
const RULE = 'undefined-value';
const configuring = { ...fullCapabilities, workspace: { configuration: true, workspaceFolders: true,
  didChangeConfiguration: { dynamicRegistration: true }, didChangeWatchedFiles: { dynamicRegistration: true } } };

const pulling = { ...fullCapabilities, workspace: { diagnostics: { refreshSupport: true } },
                  textDocument: { ...fullCapabilities.textDocument, diagnostic: {} } };

/** The severity of the one undefined value; undefined if it is not reported. */
function severityIn({ diagnostics }) {
  return diagnostics.find(({ code }) => code === RULE)?.severity;
}

/** Waits for diagnostics that were sent from now on. */
function next(server, document = uri) {
  return server.notification('textDocument/publishDiagnostics', (params) => params.uri === document, server.messages.length);
}

function shown(server) {
  return server.messages.filter(({ method }) => method === 'window/showMessage').map(({ params }) => params.message);
}

/** A test with folders: { name: contents of .onnxls.json, or null for none }. */
function withFolders(name, folders, initialize, body) {
  const base = mkdtempSync(join(tmpdir(), 'onnxls-'));
  const workspaceFolders = Object.entries(folders).map(([folder, contents]) => {
    mkdirSync(join(base, folder));
    if (contents !== null)
      writeFileSync(join(base, folder, '.onnxls.json'), contents);
    return { name: folder, uri: pathToFileURL(join(base, folder)).href };
  });
  withServer(name, { initialize: { workspaceFolders, rootUri: workspaceFolders[0].uri, ...initialize } }, async (server) => {
    try {
      await body(server, { base, of: (folder, file) => pathToFileURL(join(base, folder, file)).href });
    } finally {
      rmSync(base, { recursive: true });
    }
  });
}

for (const [name, initializationOptions] of [
  ['alone', { rules: { [RULE]: 'warning' } }],
  ['in a section', { onnxls: { rules: { [RULE]: 'warning' } } }],
  ['with nulls and settings of the editor',
   { opset: null, torch: null, server: { path: '/x' }, trace: { server: 'off' }, rules: { [RULE]: 'warning' } }],
]) {
  withServer(`initializationOptions ${name}`, { initialize: { initializationOptions } }, async (server) => {
    server.didOpen(uri, graph);
    assert.equal(severityIn(await server.diagnostics(uri, 1)), 2);
    assert.deepEqual(shown(server), []);
  });
}

for (const [initializationOptions, ...expected] of [
  [{ opset: 'many' }, '"opset" in initializationOptions is "many"'],
  [{ opset: 60 }, '"opset" is 60', /opsets \d+ to \d+/],
  [{ torch: 'yesterday' }, '"torch" in initializationOptions is "yesterday"', '"auto"'],
  [{ exporter: 'onnx' }, '"exporter" in initializationOptions is "onnx"', '"torchscript" or "dynamo"'],
  [{ rules: { [RULE]: 'fatal' } }, `"rules.${RULE}" in initializationOptions is "fatal"`, '"off"'],
  [{ rules: { 'no-such-rule': 'off' } }, 'no-such-rule', 'onnxls rules lists them'],
  [{ rules: [] }, '"rules" in initializationOptions is []'],
  [{ sourceRoots: '/x' }, '"sourceRoots"', 'array of folders'],
  [{ pathMappings: [{ from: '/a' }] }, '"pathMappings"', '"from"'],
  [{ maxDiagnostics: -1 }, '"maxDiagnostics" in initializationOptions is -1'],
  [[1], 'initializationOptions holds an array'],
]) {
  withServer(`a mistake: ${JSON.stringify(initializationOptions)}`, { initialize: { initializationOptions } }, async (server) => {
    server.didOpen(uri, graph);
    assert.equal(severityIn(await server.diagnostics(uri, 1)), 1);
    const messages = shown(server);
    assert.equal(messages.length, 1, messages.join('\n'));
    for (const part of expected)
      assert.match(messages[0], part instanceof RegExp ? part : new RegExp(part.replace(/[[\]"]/g, '\\$&')));
  });
}

withServer('one mistake leaves the other settings in force', { initialize: { initializationOptions: { opset: [], rules: { [RULE]: 'info' } } } }, async (server) => {
  server.didOpen(uri, graph);
  assert.equal(severityIn(await server.diagnostics(uri, 1)), 3);
  assert.equal(shown(server).length, 1);
});

withServer('didChangeConfiguration, from a client that is not asked', {}, async (server) => {
  server.didOpen(uri, graph);
  await server.diagnostics(uri, 1);
  for (const [severity, expected] of [['hint', 4], ['off', undefined], ['error', 1]]) {
    const published = next(server);
    server.notify('workspace/didChangeConfiguration', { settings: { onnxls: { rules: { [RULE]: severity } } } });
    assert.equal(severityIn(await published), expected);
  }
});

withServer('workspace/configuration: asked at the start and after every change', { initialize: false }, async (server) => {
  let answer = { rules: { [RULE]: 'warning' } };
  const asked = [];
  server.handlers['workspace/configuration'] = ({ items }) => {
    asked.push(items);
    return items.map(() => answer);
  };
  await server.initialize({ capabilities: configuring });
  server.didOpen(uri, graph);
  // The server waits for the answer, but not for ever: on a busy machine the diagnostics before it may come first.
  await server.notification('textDocument/publishDiagnostics', (params) => params.uri === uri && severityIn(params) === 2);
  const [first] = server.messages.filter(({ method }) => /configuration|publishDiagnostics/.test(method));
  assert.equal(first.method, 'workspace/configuration');
  assert.deepEqual(asked, [[{ section: 'onnxls' }]]);
  const registrations = server.messages.find(({ method }) => method === 'client/registerCapability').params.registrations;
  assert.deepEqual(registrations.map(({ method }) => method), ['workspace/didChangeWatchedFiles', 'workspace/didChangeConfiguration']);
  const globs = registrations[0].registerOptions.watchers.map(({ globPattern }) => globPattern);
  for (const glob of ['**/.onnxls.json', '**/*.py', '**/*.torchir', '**/*.txt', '**/*.onnxtxt', '**/*.ipynb', '**/*.cu', '**/requirements*.txt', '**/pdm.lock'])
    assert.ok(globs.includes(glob), glob);
  answer = { rules: { [RULE]: 'off' } };
  const published = next(server);
  server.notify('workspace/didChangeConfiguration', { settings: null });
  assert.equal(severityIn(await published), undefined);
  assert.equal(asked.length, 2);
});

withServer('a client that never answers is not waited for', { initialize: false }, async (server) => {
  server.handlers['workspace/configuration'] = () => undefined;
  await server.initialize({ capabilities: configuring });
  server.didOpen(uri, graph);
  const hover = server.at('hover', uri, 1, 3);
  assert.equal(severityIn(await server.diagnostics(uri, 1)), 1);
  assert.notEqual(await hover, null);
});

withServer('answers of every wrong shape', { initialize: false }, async (server) => {
  const answers = [[], [7], null, 'x', [[null]], [{ opset: 13 }, { opset: 14 }, { opset: 15 }]];
  server.handlers['workspace/configuration'] = () => answers.pop() ?? null;
  await server.initialize({ capabilities: configuring });
  server.didOpen(uri, graph);
  for (let i = 0; i < 6; i++)
    server.notify('workspace/didChangeConfiguration', {});
  assert.equal(severityIn(await server.diagnostics(uri, 1)), 1);
  await server.isAlive();
});

withFolders('.onnxls.json at the root, and its changes', { a: JSON.stringify({ $schema: 'x', rules: { [RULE]: 'warning' } }) }, {}, async (server, { base, of }) => {
  const document = of('a', 'x.torchir');
  server.didOpen(document, graph);
  assert.equal(severityIn(await server.diagnostics(document, 1)), 2);
  for (const [contents, expected, message] of [
    [{ rules: { [RULE]: 'hint' } }, 4, null],
    ['{ "rules": \n}', 1, /is not JSON.*line 2/],
    [`{ "opsets": 13, "rules": { "${RULE}": "info" } }`, 3, /"opsets" in \.onnxls\.json is not a setting; there are .*exporter, group, inlayHints, maxDiagnostics, opset/],
    [{}, 1, null],
  ]) {
    const from = shown(server).length;
    writeFileSync(join(base, 'a', '.onnxls.json'), typeof contents === 'string' ? contents : JSON.stringify(contents));
    const published = next(server, document);
    server.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: of('a', '.onnxls.json'), type: 2 }] });
    assert.equal(severityIn(await published), expected);
    assert.equal(shown(server).length - from, message ? 1 : 0);
    if (message)
      assert.match(shown(server).at(-1), message);
  }
});

withFolders('a pinned torch that changes', { a: '{}' }, {}, async (server, { base, of }) => {
  const document = of('a', 'x.torchir');
  server.didOpen(document, 'graph(%x : Tensor):\n  %y : Tensor = aten::foo_bar(%x)\n  return (%y)\n');
  await server.diagnostics(document, 1);
  for (const [name, version] of [['requirements-export.txt', '1.13'], ['pdm.lock', '2.6']]) {
    const text = name.endsWith('.lock') ? `[[package]]\nname = "torch"\nversion = "${version}.0"\n` : `torch==${version}.1\n`;
    writeFileSync(join(base, 'a', name), text);
    const published = next(server, document);
    server.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: of('a', name), type: 1 }] });
    assert.match((await published).diagnostics.map(({ message }) => message).join(), new RegExp(`of torch ${version} `));
  }
});

withFolders('a folder inside that pins a torch of its own', { a: '{}' }, {}, async (server, { base, of }) => {
  const [outer, inner] = [of('a', 'x.torchir'), of('a', 'sub/x.torchir')];
  const versions = ({ diagnostics }) => diagnostics.map(({ message }) => /of torch ([\d.]+) /.exec(message)?.[1]).join();
  const text = 'graph(%x : Tensor):\n  %y : Tensor = aten::foo_bar(%x)\n  return (%y)\n';
  mkdirSync(join(base, 'a/sub'));
  writeFileSync(join(base, 'a/sub/uv.lock'), '[[package]]\nname = "torch"\nversion = "1.13.1"\n');
  for (const document of [outer, inner])
    server.didOpen(document, text);
  assert.equal(versions(await server.diagnostics(outer, 1)), '2.14');
  assert.equal(versions(await server.diagnostics(inner, 1)), '1.13');
  const { torchFrom } = await server.request('onnxls/status', { textDocument: { uri: inner } });
  assert.equal(torchFrom, 'sub/uv.lock');
  const before = server.messages.length;
  for (const [pinned, expected] of [['2.6.0', '2.6'], ['', '2.14']]) {
    writeFileSync(join(base, 'a/sub/uv.lock'), pinned && `[[package]]\nname = "torch"\nversion = "${pinned}"\n`);
    const published = next(server, inner);
    server.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: of('a', 'sub/uv.lock'), type: 2 }] });
    assert.equal(versions(await published), expected);
  }
  const { choices } = await server.request('onnxls/targets', { textDocument: { uri: inner } });
  assert.ok(choices.length > 0);
  assert.deepEqual(server.messages.slice(before).filter(({ method, params }) => method?.endsWith('publishDiagnostics') && params.uri === outer), []);
});

withFolders('the editor has the last word', { a: JSON.stringify({ rules: { [RULE]: 'warning' } }) },
            { initializationOptions: { rules: { [RULE]: 'info' } } }, async (server, { of }) => {
  const document = of('a', 'x.torchir');
  server.didOpen(document, graph);
  assert.equal(severityIn(await server.diagnostics(document, 1)), 3);
  const published = next(server, document);
  server.notify('workspace/didChangeConfiguration', { settings: { onnxls: { rules: { [RULE]: 'hint' } } } });
  assert.equal(severityIn(await published), 4);
});

withFolders('several folders, each with its settings', { a: JSON.stringify({ rules: { [RULE]: 'warning' } }), b: null, 'a b': JSON.stringify({ rules: { [RULE]: 'info' } }) },
            {}, async (server, { of }) => {
  for (const [folder, severity] of [['a', 2], ['b', 1], ['a b', 3], ['elsewhere', 1]]) {
    server.didOpen(of(folder, 'x.torchir'), graph);
    assert.equal(severityIn(await server.diagnostics(of(folder, 'x.torchir'), 1)), severity, folder);
  }
  server.didOpen('untitled:x', graph);
  assert.equal(severityIn(await server.diagnostics('untitled:x', 1)), 2);
  const published = next(server, of('a b', 'x.torchir'));
  server.notify('workspace/didChangeWorkspaceFolders', { event: { added: [], removed: [{ name: 'a b', uri: of('a b', '').replace(/\/$/, '') }] } });
  assert.equal(severityIn(await published), 1);
  const again = next(server, of('a b', 'x.torchir'));
  server.notify('workspace/didChangeWorkspaceFolders', { event: { added: [{ name: 'a b', uri: of('a b', '').replace(/\/$/, '') }], removed: [] } });
  assert.equal(severityIn(await again), 3);
});

withServer('pull clients are told to pull again', { initialize: { capabilities: pulling } }, async (server) => {
  server.didOpen(uri, graph);
  const document = { textDocument: { uri } };
  const first = await server.request('textDocument/diagnostic', document);
  server.notify('workspace/didChangeConfiguration', { settings: { rules: { [RULE]: 'off' } } });
  await server.notification('workspace/diagnostic/refresh');
  const second = await server.request('textDocument/diagnostic', { ...document, previousResultId: first.resultId });
  assert.equal(second.kind, 'full');
  assert.equal(rangesOf(second.items).length, 0);
});

withServer('settings that say the same again check nothing again', { initialize: { initializationOptions: { torch: '2.6' } } }, async (server) => {
  server.didOpen(uri, graph);
  await server.diagnostics(uri, 1);
  const same = { torch: '2.6', opset: null, sourceRoots: [], pathMappings: [], rules: { [RULE]: 'warning' } };
  const published = next(server);
  server.notify('workspace/didChangeConfiguration', { settings: same });
  assert.equal(severityIn(await published), 2);
  for (const settings of [same, { onnxls: same }, { ...same, extra: { server: 1 } }, same]) {
    server.notify('workspace/didChangeConfiguration', { settings });
    await server.at('hover', uri, 1, 3);
    await server.isAlive();
  }
  server.didChange(uri, 2, { range: range(0, 0, 0, 0), text: '\n' });
  await server.diagnostics(uri, 2);
  assert.equal(server.count('textDocument/publishDiagnostics'), 3);
  for (const [more, expected] of [[{ rules: {} }, 1], [{ rules: {}, opset: 9 }, 1], [{ sourceRoots: ['/x'] }, 2],
                                  [{ sourceRoots: ['/y'] }, 2], [{ pathMappings: [{ from: '/a', to: '/b' }] }, 2],
                                  [{ pathMappings: [{ from: '/a', to: '/c' }] }, 2], [{ torch: '1.13' }, 2]]) {
    const changed = next(server);
    server.notify('workspace/didChangeConfiguration', { settings: { ...same, ...more } });
    assert.equal(severityIn(await changed), expected, JSON.stringify(more));
  }
});

withServer('pull clients are not bothered with settings that say the same', { initialize: { capabilities: pulling } }, async (server) => {
  server.didOpen(uri, graph);
  const document = { textDocument: { uri } };
  const { resultId: previousResultId } = await server.request('textDocument/diagnostic', document);
  server.notify('workspace/didChangeConfiguration', { settings: { rules: {} } });
  assert.equal((await server.request('textDocument/diagnostic', { ...document, previousResultId })).kind, 'unchanged');
  server.notify('workspace/didChangeConfiguration', { settings: { rules: { [RULE]: 'off' } } });
  await server.notification('workspace/diagnostic/refresh');
  assert.equal(server.count('workspace/diagnostic/refresh'), 1);
});

withServer('clients that pull and can not be told to do it again have diagnostics pushed', { initialize: { capabilities: {
  ...pulling, workspace: { diagnostics: { refreshSupport: false } } } } }, async (server) => {
  assert.equal(server.initialized.capabilities.diagnosticProvider, undefined);
  server.didOpen(uri, graph);
  assert.equal(severityIn(await server.diagnostics(uri, 1)), 1);
  const published = next(server);
  server.notify('workspace/didChangeConfiguration', { settings: { rules: { [RULE]: 'hint' } } });
  assert.equal(severityIn(await published), 4);
});

withServer('clients that take nothing pushed pull', { initialize: { capabilities: { textDocument: { diagnostic: {} } } } }, async (server) => {
  assert.ok(server.initialized.capabilities.diagnosticProvider);
  server.didOpen(uri, graph);
  assert.equal(rangesOf((await server.request('textDocument/diagnostic', { textDocument: { uri } })).items).length, 1);
  assert.equal(server.count('textDocument/publishDiagnostics'), 0);
});

const many = `graph(%x : Tensor):\n${'  %y : Tensor = aten::relu(%BAD)\n'.repeat(50)}  return (%x)\n`;

/** How often the server said that there are more diagnostics than the setting lets through. */
function saidHidden(server) {
  return server.messages.filter(({ params }) => /maxDiagnostics/.test(params?.message)).length;
}

withServer('maxDiagnostics', { initialize: { initializationOptions: { maxDiagnostics: 5 } } }, async (server) => {
  server.didOpen(uri, many);
  assert.equal((await server.diagnostics(uri, 1)).diagnostics.length, 5);
  server.didChange(uri, 2, { text: `${many}\n` });
  assert.equal((await server.diagnostics(uri, 2)).diagnostics.length, 5);
  assert.equal(saidHidden(server), 1);
});

withServer('maxDiagnostics, pulled', { initialize: { initializationOptions: { maxDiagnostics: 5 }, capabilities: pulling } }, async (server) => {
  server.didOpen(uri, many);
  for (let i = 0; i < 2; i++)
    assert.equal((await server.request('textDocument/diagnostic', { textDocument: { uri } })).items.length, 5);
  assert.equal(saidHidden(server), 1);
});

const custom = 'graph(%x : Tensor):\n  %y : Tensor = my::fused(%x)\n  return (%y)\n';
const supporting = JSON.stringify({ version: 1, torch: [{ version: '2.14', torchscript: { 'my::fused': [9] } }] });

/** Is the operator of `custom` reported? */
function isRefused({ diagnostics }) {
  return diagnostics.some(({ code }) => code === 'unsupported-op');
}

/** At once: the server may look at any moment, and half a file can't be read. */
function replaceFile(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

withFolders('facts that change on the disk are read again, though nobody tells',
            { a: JSON.stringify({ torch: '2.14', db: ['facts.json'] }) }, {}, async (server, { base, of }) => {
  const document = of('a', 'x.torchir');
  const facts = join(base, 'a', 'facts.json');
  server.didOpen(document, custom);
  assert.equal(isRefused(await server.diagnostics(document, 1)), true);
  assert.match(shown(server).at(-1), /facts\.json can't be read/);

  let published = next(server, document);
  replaceFile(facts, supporting);
  assert.equal(isRefused(await published), false);
  assert.equal(shown(server).length, 1);

  published = next(server, document);
  replaceFile(facts, '{"version":1}');
  assert.equal(isRefused(await published), true);

  published = next(server, document);
  replaceFile(facts, supporting);
  assert.equal(isRefused(await published), false);
  published = next(server, document);
  rmSync(facts);
  assert.equal(isRefused(await published), true);
  assert.match(shown(server).at(-1), /facts\.json can't be read/);
  await server.isAlive();
});

withFolders('facts that the client tells of are read at once', { a: JSON.stringify({ torch: '2.14', db: ['facts.json'] }) }, {},
            async (server, { base, of }) => {
  const document = of('a', 'x.torchir');
  writeFileSync(join(base, 'a', 'facts.json'), '{"version":1}');
  server.didOpen(document, custom);
  assert.equal(isRefused(await server.diagnostics(document, 1)), true);
  writeFileSync(join(base, 'a', 'facts.json'), supporting);
  const published = next(server, document);
  server.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: of('a', 'facts.json'), type: 2 }] });
  // What comes after it knows of them, whenever the disk is looked at.
  assert.match((await server.at('hover', document, 1, 20)).contents.value, /converts it at opset/);
  assert.equal(isRefused(await published), false);
});

withFolders('a folder that is named twice is one folder', { a: JSON.stringify({ rules: { [RULE]: 'warning' } }) },
            { capabilities: configuring }, async (server, { base, of }) => {
  const folder = { name: 'a', uri: pathToFileURL(join(base, 'a')).href };
  const change = (event) => server.notify('workspace/didChangeWorkspaceFolders', { event: { added: [], removed: [], ...event } });
  const from = server.messages.length;
  change({ added: [folder, folder] });
  server.didOpen(of('a', 'x.torchir'), graph);
  assert.equal(severityIn(await server.diagnostics(of('a', 'x.torchir'), 1)), 2);
  const published = next(server, of('a', 'x.torchir'));
  change({ removed: [folder] });
  assert.equal(severityIn(await published), 1);
  const asked = server.messages.slice(from).filter(({ method }) => method === 'workspace/configuration');
  assert.ok(asked.every(({ params }) => params.items.length <= 2));
});
