// The page of `onnxls graph` in Chromium: from lines to cards and back, keys, finding, and text that tries to act.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium, openBrowser } from './browser.mjs';
import { onnxls, withFolder } from './onnxls.mjs';

const skip = chromium ? false : 'there is no Chromium (apt-get install --no-install-recommends chromium)';
const randomLines = 150;
let browser;

before(async () => {
  if (chromium)
    browser = await openBrowser();
});
after(() => browser?.close());

/** Modules in modules, with constants, and 40 nodes side by side in each. */
function network(layers) {
  const lines = ['graph(%x : Float(2, 3)):'];
  let last = '%x';
  let number = 0;
  for (let layer = 0; layer < layers; layer++) {
    const scope = `, scope: __module.b${Math.floor(layer / 10)}/__module.b${Math.floor(layer / 10)}.l${layer}`;
    const start = last;
    for (let i = 0; i < 40; i++) {
      lines.push(`  %c${number} : int = prim::Constant[value=${i}]()${scope}`);
      lines.push(`  %${number} : Float(2, 3) = aten::${i % 3 === 0 ? 'add' : 'sub'}(${i % 7 === 6 ? start : last}, ${start}, %c${number})${scope}`);
      last = `%${number++}`;
    }
  }
  return `${lines.join('\n')}\n  return (${last})\n`;
}

async function openPage(cwd, text, ...flags) {
  const { code, err } = onnxls(['graph', '-', '--out', 'page.html', ...flags], { cwd, input: text });
  assert.deepEqual([code, err], [0, '']);
  await browser.open('about:blank');
  await browser.open(pathToFileURL(join(cwd, 'page.html')).href);
}

/** Where the chosen card is on the screen: its upper left part. */
const chosenPlace = `(() => {
  const chosen = onnxlsPicture.chosen();
  if (!chosen) return null;
  const { box, x, y } = onnxlsPicture.placeOf(chosen.scope, chosen.card);
  const view = onnxlsPicture.view();
  const top = document.querySelector('canvas').getBoundingClientRect();
  return { line: chosen.line, own: box.card.line, kind: box.card.kind, title: box.card.title,
    x: top.left + (x + 20) * view.scale + view.x, y: top.top + (y + 10) * view.scale + view.y };
})()`;

test('from a line to its card, and by a click on it back', { skip }, async () => {
  const text = network(60);
  const count = text.split('\n').length - 2;
  await withFolder({}, async (cwd) => {
    await openPage(cwd, text);
    let seed = 1;
    for (let i = 0; i < randomLines; i++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      const line = 1 + seed % (count - 1);
      assert.equal(await browser.evaluate(`onnxlsPicture.showLine(${line})`), true, `line ${line}`);
      const place = await browser.evaluate(chosenPlace);
      assert.equal(place.line, line);
      assert.ok(place.own === line || place.own === line + 1, `line ${line} is in the card of ${place.own}`);
      assert.ok(place.x > 0 && place.x < 1280 && place.y > 0 && place.y < 800, `${JSON.stringify(place)} is seen`);
      await browser.evaluate('document.querySelector("canvas").blur()');
      await browser.click(place.x, place.y);
      const again = await browser.evaluate(chosenPlace);
      assert.deepEqual([again?.own, again?.line], [place.own, place.own], `line ${line}`);
      assert.equal(await browser.evaluate('document.querySelector(".about .go").textContent'), `Line ${place.own + 1}`);
    }
  });
});

test('what can not be read whole begins at the input that most uses', { skip }, async () => {
  const uses = Array.from({ length: 80 }, (_, i) => `  %r${i} : Float(2, 3) = aten::relu(%x)\n  %s${i} : Float(2, 3) = aten::add(%r${i}, %far5)\n`);
  const far = Array.from({ length: 6 }, (_, i) => `  %far${i} : Float(2, 3) = aten::neg(${i === 0 ? '%idle' : `%far${i - 1}`})\n`);
  await withFolder({}, async (cwd) => {
    await openPage(cwd, `graph(%idle : Float(2, 3),\n      %x : Float(2, 3)):\n${far.join('')}${uses.join('')}  return (%s0)\n`);
    const seen = await browser.evaluate(`(() => { const { boxes } = onnxlsPicture.scene(); const box = boxes.find(({ card }) => card.title === '%x');
      const view = onnxlsPicture.view(); return { x: (box.x + box.width / 2) * view.scale + view.x, y: box.y * view.scale + view.y, scale: view.scale }; })()`);
    assert.ok(seen.scale >= 0.7 && Math.abs(seen.x - 640) < 2 && seen.y >= 0 && seen.y < 400, JSON.stringify(seen));
  });
});

test('keys go into modules and along lines', { skip }, async () => {
  await withFolder({}, async (cwd) => {
    await openPage(cwd, network(12));
    await browser.evaluate('document.querySelector("canvas").focus()');
    const titles = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'Enter', 'ArrowDown', 'ArrowDown', 'Backspace']) {
      await browser.key(key);
      await browser.evaluate('new Promise((done) => setTimeout(done, 30))');
      titles.push((await browser.evaluate(chosenPlace))?.title);
    }
    assert.deepEqual(titles.slice(0, 2), ['%x', 'b0']);
    assert.ok(titles[2].startsWith('l') || titles[2].startsWith('%'), titles.join(' '));
    assert.ok(!titles.includes(undefined), titles.join(' '));
  });
});

test('finding opens what is around', { skip }, async () => {
  await withFolder({}, async (cwd) => {
    await openPage(cwd, network(30));
    await browser.evaluate(`(() => { const find = document.querySelector('.find'); find.focus(); find.value = '%c777'; find.dispatchEvent(new Event('input')); })()`);
    await browser.evaluate('new Promise((done) => setInterval(() => document.querySelector(".found li") && done(), 20))');
    await browser.evaluate(`(() => { const find = document.querySelector('.find'); find.value = '%777'; find.dispatchEvent(new Event('input')); })()`);
    await browser.evaluate('new Promise((done) => setInterval(() => document.querySelector(".found li")?.textContent.includes("%777") && done(), 20))');
    await browser.evaluate('document.querySelector(".find").focus()');
    await browser.key('Enter');
    await browser.evaluate('new Promise((done) => setInterval(() => onnxlsPicture.chosen() && done(), 20))');
    assert.equal((await browser.evaluate(chosenPlace)).line, 2 * 777 + 2);
    await browser.evaluate(`(() => { const find = document.querySelector('.find'); find.value = 'b1.l'; find.dispatchEvent(new Event('input')); })()`);
    await browser.evaluate('new Promise((done) => setInterval(() => document.querySelector(".found li")?.textContent.startsWith("b1.l") && done(), 20))');
    await browser.evaluate('document.querySelector(".find").focus()');
    await browser.key('Enter');
    await browser.evaluate('new Promise((done) => setInterval(() => pictures.get(onnxlsPicture.chosen().scope)?.title === "b1" && done(), 20))');
    assert.equal((await browser.evaluate(chosenPlace)).kind, 'scope');
  });
});

test('names in a graph do nothing', { skip }, async () => {
  const evil = '</script><script>window.hit=1</script><img/src=x/onerror=window.hit=1>';
  const text = `graph(%x : Float(2, 3)):\n  %1 : str = prim::Constant[value="${evil.replaceAll('"', '')}"]()\n`
    + `  %2 : Float(2, 3) = foo::bar(%x, %1), scope: __module.<img/src=x/onerror=window.hit=1>\n`
    + '  %3 : Float(2, 3) = foo::baz(%2), scope: __module.<img/src=x/onerror=window.hit=1>\n  return (%3)\n';
  await withFolder({}, async (cwd) => {
    await openPage(cwd, text);
    browser.events.length = 0;
    for (let line = 0; line < 4; line++)
      await browser.evaluate(`onnxlsPicture.showLine(${line})`);
    await browser.evaluate('new Promise((done) => setTimeout(done, 100))');
    assert.equal(await browser.evaluate('window.hit'), undefined);
    assert.equal(await browser.evaluate('document.querySelectorAll("img").length'), 0);
    assert.deepEqual(browser.events.filter(({ method }) => method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown'), []);
  });
});
