// `onnxls graph`: every kind of graph becomes a page with all of its data; what stands in a graph can't run in it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { isWindows, onnxls, root, withFolder } from './onnxls.mjs';

const corpus = join(root, 'tests/corpus');

function graph(args, options) {
  const { code, out, err } = onnxls(['graph', ...args], options);
  assert.deepEqual([code, err], [0, ''], args.join(' '));
  return out;
}

/** The data of a page: { meta, scopes: Map, words }. */
function dataOf(html) {
  const scopes = new Map();
  let meta = null;
  let words = null;
  for (const [, id, text] of html.matchAll(/<script type="application\/json" id="([^"]+)">(.*?)<\/script>/gs)) {
    const data = JSON.parse(text);
    if (id === 'picture-data')
      meta = data;
    else if (id === 'picture-words')
      words = data;
    else
      scopes.set(Number(id.slice('scope-'.length)), data);
  }
  scopes.set(meta.picture.scope, meta.picture);
  return { meta, scopes, words };
}

/** Lines that have a card, or are folded into one. */
function linesOf(scopes) {
  const lines = new Set();
  for (const picture of scopes.values()) {
    picture.cards.filter((card) => !['from', 'to', 'scope'].includes(card.kind)).forEach((card) => lines.add(card.line));
    picture.folded.forEach(([line]) => lines.add(line));
  }
  return lines;
}

/** Cards don't overlap, scopes lead to pictures, lines to cards, and folded lines to lines that have one. */
function checkPictures(scopes, name) {
  const all = linesOf(scopes);
  for (const picture of scopes.values()) {
    for (const card of picture.cards) {
      assert.ok(card.kind !== 'scope' || scopes.has(card.scope), `${name}: ${card.title} opens`);
      assert.ok(card.x - card.width / 2 >= -1 && card.x + card.width / 2 <= picture.width + 1, name);
    }
    for (const line of picture.lines)
      assert.ok(picture.cards[line.from] && picture.cards[line.to] && line.from !== line.to, name);
    for (const [, shown] of picture.folded)
      assert.ok(all.has(shown), `${name}: line ${shown + 1}`);
    const rows = new Map();
    for (const card of picture.cards)
      rows.set(card.y, [...(rows.get(card.y) ?? []), card]);
    for (const row of rows.values()) {
      row.sort((a, b) => a.x - b.x);
      row.forEach((card, i) => assert.ok(i === 0 || row[i - 1].x + row[i - 1].width / 2 < card.x - card.width / 2, name));
    }
  }
}

const dump = (lines, given = '%x') => `graph(%x : Float(2, 3)):\n${lines.map((line) => `  ${line}\n`).join('')}  return (${given})\n`;

test('a graph of each kind', () => {
  const files = ['torch-ir/torch-2.x', 'fx', 'onnx'].flatMap((folder) => readdirSync(join(corpus, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => join(corpus, folder, entry.name)));
  let drawn = 0;
  for (const file of files) {
    const { code, out, err } = onnxls(['graph', file]);
    if (code === 2) {
      assert.match(err, /^onnxls: .+\n/, file);
      continue;
    }
    assert.equal(code, 0, `${file}: ${err}`);
    const { scopes } = dataOf(out);
    checkPictures(scopes, file);
    drawn++;
  }
  assert.ok(drawn >= 25, `${drawn} of ${files.length}`);
});

test('every statement of a dump has a card, or is in one', () => {
  for (const name of ['fx/2.14_cond.ep.txt', 'onnx/cond.txt', 'onnx/if_script.txt']) {
    const file = join(corpus, name);
    const { scopes } = dataOf(graph([file]));
    const lines = linesOf(scopes);
    readFileSync(file, 'utf8').split('\n').forEach((line, i) => {
      const isStatement = /^\s+(\[\S+\] )?[\w.]+(, [\w.]+)*(: "[^"]*")? = [\w.:]+ ?[(<]/.test(line) && !/^\s+(float|int64)/.test(line);
      assert.ok(!isStatement || lines.has(i), `${name}:${i + 1}: ${line}`);
    });
  }
});

test('modules are scopes, constants are in the cards that take them', async () => {
  const text = dump([
    '%1 : int = prim::Constant[value=1](), scope: __module.a/__module.a.b',
    '%2 : Float(2, 3) = aten::add(%x, %x, %1), scope: __module.a/__module.a.b',
    '%3 : Float(2, 3) = aten::relu(%2), scope: __module.a/__module.a.b',
    '%4 : Float(2, 3) = aten::lgamma(%3), scope: __module.a',
  ], '%4');
  await withFolder({ 'm.torchir': text }, (cwd) => {
    const { meta, scopes, words } = dataOf(graph(['m.torchir'], { cwd }));
    assert.deepEqual(meta.picture.cards.map(({ kind, title }) => [kind, title]), [['input', '%x'], ['scope', 'a'], ['output', 'return']]);
    const a = scopes.get(meta.picture.cards[1].scope);
    assert.deepEqual(a.cards.filter(({ kind }) => kind === 'scope').map(({ title, nodes, line, lastLine }) => [title, nodes, line, lastLine]), [['b', 3, 1, 3]]);
    const b = scopes.get(a.cards[0].scope);
    assert.equal(b.title, 'a.b');
    const add = b.cards.find(({ title }) => title === 'add');
    assert.equal(add.operator, 'aten::add');
    assert.deepEqual(add.inputs.at(-1), { name: '%1', what: '1', line: 1 });
    assert.deepEqual(b.folded, [[1, 2]]);
    assert.match(words['aten::add'], /opset/);
    assert.deepEqual([...new Set(meta.diagnostics.filter(({ severity }) => severity === 1).map(({ line }) => line))], [4]);
    const ports = b.cards.filter(({ kind }) => kind === 'from' || kind === 'to').map(({ kind, title }) => [kind, title]);
    assert.deepEqual(ports, [['from', '%x'], ['to', '%3']]);
  });
});

test('a line is named by the values that go along it, and says how many more there are', async () => {
  const names = (first, count) => Array.from({ length: count }, (_, i) => `%${first + i}`);
  const split = (count, first, from) => `${names(first, count).map((name) => `${name} : Float(3)`).join(', ')} = aten::unbind(${from}, ${from})`;
  const text = dump([split(2, 1, '%x'), `%9 : Float(3) = aten::add(${names(1, 2).join(', ')}, %1)`, split(5, 11, '%9'),
    `%20 : Float(3) = own::join(${names(11, 5).join(', ')})`], '%20');
  await withFolder({ 'm.torchir': text }, (cwd) => {
    const { cards, lines } = dataOf(graph(['m.torchir'], { cwd })).meta.picture;
    const labels = Object.fromEntries(lines.map(({ from, to, label }) => [`${cards[from].title} ${cards[to].title}`, label]));
    assert.deepEqual(labels, { '%x unbind': '%x', 'unbind add': '%1, %2', 'add unbind': '%9',
      'unbind join': '%11, %12, %13 and 2 more', 'join return': '%20' });
  });
});

test('a statement over several lines takes what all of them name, and wide letters have room', async () => {
  await withFolder({ 'm.onnxtxt': `<ir_version: 8, opset_import: ["" : 17]>
g (float[1,3,8,8] x, float[3,3,3,3] w) => (float[1,3,8,8] z) {
   y = Conv <kernel_shape = [3, 3], pads: ints = [1,
       1, 1, 1], group: int = 1> (x,
       w)
   z = Gemm (y)
}
` }, (cwd) => {
    const { cards, lines } = dataOf(graph(['m.onnxtxt'], { cwd })).meta.picture;
    const ends = lines.map(({ from, to }) => `${cards[from].title} ${cards[to].title}`).sort();
    assert.deepEqual(ends, ['Conv Gemm', 'Gemm return', 'w Conv', 'x Conv']);
    assert.ok(cards.find(({ title }) => title === 'Gemm').width >= 70);
  });
});

test('weights that nothing takes have no card', async () => {
  const text = `class GraphModule(torch.nn.Module):
    def forward(self, b_tracked: "i64[]", p_weight: "f32[3]", x: "f32[3]", y: "f32[3]"):
        mul: "f32[3]" = torch.ops.aten.mul.Tensor(x, p_weight)
        return (mul,)
`;
  await withFolder({ 'm.fx': text }, (cwd) => {
    const { meta } = dataOf(graph(['m.fx'], { cwd }));
    assert.deepEqual(meta.picture.cards.map(({ title }) => title), ['x', 'y', 'mul', 'return']);
  });
});

test('one module, and what is around a line', async () => {
  const lines = Array.from({ length: 300 }, (_, i) => `%${i} : Float(2, 3) = aten::relu(${i === 0 ? '%x' : `%${i - 1}`}), scope: __module.m${Math.floor(i / 100)}`);
  await withFolder({ 'm.torchir': dump(lines) }, (cwd) => {
    const one = dataOf(graph(['m.torchir', '--scope', 'm1'], { cwd }));
    assert.deepEqual([one.meta.picture.title, one.meta.picture.firstLine, one.meta.picture.lastLine], ['m1', 101, 200]);
    const { meta, scopes } = dataOf(graph(['m.torchir', '--around', '150'], { cwd }));
    const nodes = meta.picture.cards.filter(({ kind }) => kind === 'node');
    assert.ok(nodes.length >= 30 && nodes.length <= 80, `${nodes.length}`);
    assert.ok(nodes.some(({ line }) => line === 149));
    assert.deepEqual([meta.line, scopes.size], [149, 1]);
    assert.equal(dataOf(graph(['m.torchir', '--at', '7'], { cwd })).meta.line, 6);
  });
});

test('text in a graph stays text', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>&"\'';
  const text = dump([`%1 : str = prim::Constant[value="${evil}"]()`, '%2 : Float(2, 3) = foo::bar(%x, %1)',
    `%3 : Float(2, 3) = ^Evil${'<b>'}(%2), scope: __module.<svg onload=alert(1)>`]);
  const [name, title] = isWindows ? ["m&'.torchir", 'm&#38;&#39;.torchir'] : ['m<b>&.torchir', 'm&#60;b&#62;&#38;.torchir'];
  await withFolder({ [name]: text }, (cwd) => {
    const html = graph([name], { cwd });
    const page = html.replace(/<script type="application\/json"[^>]*>[^<]*<\/script>/g, '');
    assert.doesNotMatch(page, /alert\(1\)|<img|<svg onload/);
    assert.equal(page.match(/<script/g).length, 1);
    assert.ok(html.includes(`<title>${title}</title>`));
    const { scopes } = dataOf(html);
    assert.ok([...scopes.values()].some(({ cards }) => cards.some((card) => JSON.stringify(card).includes('</script>'))));
    const script = /<script>(.*?)<\/script>/s.exec(page)[1];
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(html.includes(`script-src 'sha256-${hash}'`));
    assert.match(html, /default-src 'none'/);
    const svg = graph([name, '--format', 'svg'], { cwd });
    assert.doesNotMatch(svg, /<script|<img|<b>|<svg onload/);
  });
});

test('the same text gives the same page, and SVG is well formed', () => {
  const file = join(corpus, 'fx/2.14_cond.ep.txt');
  assert.equal(graph([file]), graph([file]));
  const svg = graph([file, '--format', 'svg']);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+"/);
  const open = [];
  for (const [, end, name, empty] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (end)
      assert.equal(open.pop(), name);
    else if (!empty)
      open.push(name);
  }
  assert.deepEqual(open, []);
});

test('--out writes a file, by its ending', async () => {
  await withFolder({ 'm.torchir': dump(['%1 : Float(2, 3) = aten::relu(%x)']) }, (cwd) => {
    assert.equal(graph(['m.torchir', '--out', 'm.svg'], { cwd }), '');
    assert.match(readFileSync(join(cwd, 'm.svg'), 'utf8'), /^<svg/);
    graph(['m.torchir', '-o', 'm.html'], { cwd });
    assert.match(readFileSync(join(cwd, 'm.html'), 'utf8'), /^<!doctype html>/);
  });
});

test('what is no graph, and flags that make no sense', async () => {
  const files = { 'm.torchir': dump(['%1 : Float(2, 3) = aten::relu(%x), scope: __module.enc']), 'a.txt': 'hello\n', 'e.torchir': '', 'a.py': 'import onnx\n' };
  await withFolder(files, (cwd) => {
    const refused = (args, message) => {
      const { code, out, err } = onnxls(['graph', ...args], { cwd });
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, message);
    };
    refused([], /name one file/);
    refused(['m.torchir', 'a.txt'], /name one file/);
    refused(['a.txt'], /a\.txt: /);
    refused(['e.torchir'], /e\.torchir: /);
    refused(['a.py'], /a\.py: there is no graph in it/);
    refused(['none.torchir'], /none\.torchir/);
    refused(['m.torchir', '--around', '99'], /there is no line 99; the last one is/);
    refused(['m.torchir', '--at', '0'], /--at/);
    refused(['m.torchir', '--scope', 'decoder'], /no module is called 'decoder'/);
    refused(['m.torchir', '--format', 'png'], /html/);
    refused(['m.torchir', '--out', 'no/such/folder/m.html'], /m\.html: /);
    assert.ok(!existsSync(join(cwd, 'no')));
  });
});

/** Nodes one after the other, and one value that all of them take. */
function flat(count) {
  const lines = ['%0 : Float(2, 3) = aten::relu(%x)'];
  for (let i = 1; i < count; i++)
    lines.push(`%${i} : Float(2, 3) = aten::mul(%${i - 1}, %0)`);
  return dump(lines);
}

test('a flat graph of 20,000 nodes is cut into runs, none of which is large', () => {
  const html = graph(['-'], { input: flat(20000) });
  const { scopes } = dataOf(html);
  checkPictures(scopes, 'flat');
  assert.equal(linesOf(scopes).size, 20000 + 2);
  for (const picture of scopes.values())
    assert.ok(picture.cards.length <= 720, `${picture.title}: ${picture.cards.length}`);
  // The value that all take is a stub or a port, not a line past everything.
  const root = [...scopes.values()].find(({ parent }) => parent === null);
  assert.ok(root.lines.some(({ points }) => points.length === 0));
});

test('the exported program in a report', async () => {
  const report = '# PyTorch ONNX Conversion Report\n\n```\n✅ Obtain model graph with `torch.export.export(..., strict=False)`\n'
    + '❌ Translate the graph into ONNX\n```\n\n## Exported program\n\n```python\nExportedProgram:\n    class GraphModule(torch.nn.Module):\n'
    + '        def forward(self, x: "f32[2]"):\n            i0e: "f32[2]" = torch.ops.aten.special_i0e.default(x);  x = None\n'
    + '            return (i0e,)\n```\n';
  await withFolder({ 'onnx_export_1.md': report }, (cwd) => {
    const { meta } = dataOf(graph(['onnx_export_1.md'], { cwd }));
    assert.deepEqual([meta.exporter, meta.exporterFrom], ['dynamo', 'the graph']);
    assert.deepEqual(meta.picture.cards.map(({ kind, title, line }) => [kind, title, line]),
      [['input', 'x', 12], ['node', 'special_i0e', 13], ['output', 'return', 14]]);
  });
});

test('names that cross, cycles of broken text, blocks that never end', () => {
  const broken = 'graph(%x : Tensor):\n  %1 : int[] = prim::ListConstruct(%2)\n  %2 : int[] = prim::ListConstruct(%1)\n'
    + '  %3 : Tensor = prim::If(%9)\n    block0():\n      %4 : Tensor = aten::relu(%5)\n      %5 : Tensor = aten::relu(%4)\n';
  const { scopes } = dataOf(graph(['-'], { input: broken }));
  checkPictures(scopes, 'broken');
  assert.deepEqual([...linesOf(scopes)].sort((a, b) => a - b), [0, 1, 2, 3, 5, 6]);
  const deep = `graph(%x : Tensor):\n${Array.from({ length: 3000 }, (_, i) => `${'  '.repeat(i + 1)}%${i} : Tensor = prim::If(%x)\n${'  '.repeat(i + 1)} block0():\n`).join('')}`;
  assert.ok(dataOf(graph(['-'], { input: deep })).scopes.size > 10);
});
