#!/usr/bin/env node
// Pictures of large graphs: what the server takes for the first one, and how smoothly a page moves in Chromium.
//
// picture.mjs [--server FILE] [NODES|FILE ...]    (100k; a number makes a dump of so many nodes)
// The page has 40 scopes open; frames are drawn in software, 1280 x 800, and counted in a trace that the browser records: by
// what its threads computed for each, which is the same on a busy machine, and by the clock.
// Without Chromium only the server is measured.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const at = words.indexOf('--server');
process.env.ONNXLS = (at >= 0 ? words.splice(at, 2)[1] : process.env.ONNXLS) ?? join(here, '../../build/release/onnxls');
const { computedMs } = await import('./client.mjs');
const { withServerNow } = await import('../protocol/client.mjs');
const { chromium, openBrowser } = await import('../cli/browser.mjs');

const rounds = 5;
const openScopes = 40;
const frames = 300;
const slowFrameMs = 33;
const scales = [0.8, 0.36, 0.13, 0.03];  // With and without words, the smallest cards, and spots: the most of each that is seen at once.
const categories = ['toplevel', 'cc', 'disabled-by-default-devtools.timeline.frame'];

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const median = (numbers) => sorted(numbers)[numbers.length >> 1];

async function measureServer(file) {
  const text = readFileSync(file, 'utf8');
  const times = [];
  const computed = [];
  for (let i = 0; i < rounds; i++) {
    await withServerNow({}, async (server) => {
      const uri = 'file:///graph.torchir';
      server.didOpen(uri, text);
      await server.diagnostics(uri, 1);
      await server.isAlive();
      const [start, before] = [performance.now(), computedMs(server.pid)];
      await server.request('onnxls/graph', { textDocument: { uri } });
      times.push(performance.now() - start);
      computed.push(computedMs(server.pid) - before);
    });
  }
  console.log(`  from the request to the first picture: median ${median(times).toFixed(0)} ms, least ${Math.min(...times).toFixed(0)} ms; `
    + `of computing ${median(computed).toFixed(0)} ms`);
}

function writePage(file, page) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.env.ONNXLS, ['graph', file, '--out', page], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(stderr);
  console.log(`  page: ${Number((process.hrtime.bigint() - start) / 1000000n)} ms, ${(statSync(page).size / 1e6).toFixed(1)} MB`);
}

/** Runs in the page: opens scopes all over the graph. */
const openAll = `(async () => {
  const lines = [...document.querySelectorAll('script[id^="scope-"]')].map((block) => JSON.parse(block.textContent).firstLine);
  if (lines.length === 0)
    lines.push(JSON.parse(document.getElementById('picture-data').textContent).picture.firstLine);
  const step = Math.max(1, Math.floor(lines.length / ${openScopes}));
  for (let i = 0; i < lines.length; i += step)
    await onnxlsPicture.showLine(lines[i]);
})()`;

/** Runs in the page: drags the sheet in circles around what is chosen; how long it took to draw each time. */
const drag = (scale) => `new Promise((done) => {
  const canvas = document.querySelector('canvas');
  const view = onnxlsPicture.view();
  const { x, y } = onnxlsPicture.placeOf(onnxlsPicture.chosen().scope, onnxlsPicture.chosen().card);
  Object.assign(view, { scale: ${scale}, x: canvas.clientWidth / 2 - x * ${scale}, y: canvas.clientHeight / 2 - y * ${scale} });
  canvas.setPointerCapture = () => {};
  const point = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, bubbles: true }));
  const drawn = [];
  let count = 0;
  const real = window.requestAnimationFrame;
  window.requestAnimationFrame = (draw) => real((time) => { const start = performance.now(); draw(time); drawn.push(performance.now() - start); });
  point('pointerdown', 600, 400);
  const next = () => {
    point('pointermove', 600 + 300 * Math.sin(++count / 20), 400 + 200 * Math.cos(count / 13));
    if (count < ${frames})
      return real(next);
    point('pointerup', 600, 400);
    window.requestAnimationFrame = real;
    done(drawn);
  };
  real(next);
})`;

/** What no task of the same thread contains, with the time that the thread really computed, in ms. */
function outermostTasks(events) {
  const tasks = [];
  const ends = new Map();
  for (const { pid, tid, ts, dur, tdur } of events.filter(({ ph }) => ph === 'X').sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    const thread = `${pid}/${tid}`;
    if (tdur === undefined || ts < (ends.get(thread) ?? 0))
      continue;
    ends.set(thread, ts + dur);
    tasks.push({ thread, end: (ts + dur) / 1000, computed: tdur / 1000 });
  }
  return tasks;
}

/** Each frame that was shown: the time since the one before, and what all threads of the browser computed in it, and the busiest one. */
function framesOf(events) {
  const shown = events.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts / 1000).sort((a, b) => a - b);
  const tasks = outermostTasks(events).sort((a, b) => a.end - b.end);
  let next = tasks.findIndex(({ end }) => end > shown[0]);
  return shown.slice(1).map((time, i) => {
    const threads = new Map();
    for (; next >= 0 && next < tasks.length && tasks[next].end <= time; next++)
      threads.set(tasks[next].thread, (threads.get(tasks[next].thread) ?? 0) + tasks[next].computed);
    const each = [...threads.values()];
    return { between: time - shown[i], computed: each.reduce((sum, one) => sum + one, 0), busiest: Math.max(0, ...each) };
  });
}

/** The frames that the browser showed while something was done, and what that gave. */
async function trace(browser, action) {
  browser.events.length = 0;
  await browser.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: categories } });
  const result = await action();
  await browser.send('Tracing.end');
  while (!browser.events.some(({ method }) => method === 'Tracing.tracingComplete'))
    await new Promise((done) => setTimeout(done, 20));
  const events = browser.events.filter(({ method }) => method === 'Tracing.dataCollected').flatMap(({ params }) => params.value);
  return { frames: framesOf(events), result };
}

async function measurePage(page) {
  const browser = await openBrowser();
  try {
    await browser.open(pathToFileURL(page).href);
    const painted = await browser.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime');
    console.log(`  first paint of the page: ${Math.round(painted)} ms after its address`);
    await browser.evaluate(openAll);
    for (const scale of scales) {
      const { frames, result: drawn } = await trace(browser, () => browser.evaluate(drag(scale)));
      const slow = (key) => frames.filter((frame) => frame[key] > slowFrameMs).length;
      const all = sorted(frames.map(({ computed }) => computed));
      console.log(`  moved at scale ${scale}: ${slow('computed')} of ${frames.length} frames took over ${slowFrameMs} ms of computing, `
        + `${slow('busiest')} of one thread, ${slow('between')} by the clock; `
        + `computing: median ${median(all).toFixed(1)} ms, p99 ${all[Math.floor(all.length * 0.99)].toFixed(1)} ms, most ${all.at(-1).toFixed(1)} ms; `
        + `drawing alone: median ${median(drawn).toFixed(1)} ms, p99 ${sorted(drawn)[Math.floor(drawn.length * 0.99)].toFixed(1)} ms`);
    }
  } finally {
    await browser.close();
  }
}

/** The file itself, or one that is made of so many nodes. */
function graphFile(word, scratch) {
  if (!/^\d+k?$/.test(word))
    return resolve(word);
  const file = join(scratch, `${word}.torchir`);
  const made = spawnSync(process.execPath, [join(here, 'generate.mjs'), 'torch', word, '-o', file], { encoding: 'utf8' });
  if (made.status !== 0)
    throw new Error(made.stderr);
  return file;
}

const scratch = mkdtempSync(join(tmpdir(), 'onnxls-picture-'));
try {
  for (const word of words.length > 0 ? words : ['100k']) {
    const file = graphFile(word, scratch);
    console.log(`${basename(file)} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
    await measureServer(file);
    writePage(file, join(scratch, 'page.html'));
    if (chromium)
      await measurePage(join(scratch, 'page.html'));
    else
      console.log('  there is no Chromium (apt-get install --no-install-recommends chromium)');
  }
} finally {
  rmSync(scratch, { recursive: true });
}
