#!/usr/bin/env node
// Pictures beside graphviz: crossings and length of lines on graphs that dot can lay out in reasonable time.
//
// layout.mjs [--server FILE] FILE|DIR ...
// Prints a line for each graph of 15 to 200 nodes and their sum. Without `dot` it says so and ends with 0.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const curveSteps = 8;
const nodeSeparationInches = 0.38;
const rankSeparationInches = 0.55;

function* filesOf(path) {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort())
    yield* filesOf(join(path, name));
}

/** The pictures of a file that can be compared: every line is drawn. */
function picturesOf(server, file) {
  const page = spawnSync(server, ['graph', file], { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (page.status !== 0)
    return [];
  return [...page.stdout.matchAll(/<script type="application\/json" id="(?:picture-data|scope-\d+)">(.*?)<\/script>/gs)]
    .map(([, text]) => JSON.parse(text)).map((data) => data.picture ?? data)
    .filter(({ cards, lines }) => cards.length >= 15 && cards.length <= 200 && lines.length > 0 && lines.every(({ points }) => points.length > 0));
}

/** A cubic curve as points; its first one is there already. */
function addCurve(points, a, b, c, d) {
  for (let i = 1; i <= curveSteps; i++) {
    const t = i / curveSteps;
    const u = 1 - t;
    points.push([0, 1].map((k) => u * u * u * a[k] + 3 * u * u * t * b[k] + 3 * u * t * t * c[k] + t * t * t * d[k]));
  }
}

/** As the page draws them. */
function ourLines(picture) {
  return picture.lines.map(({ from, to, points }) => {
    const way = [[points[0], points[1]]];
    for (let i = 2; i < points.length; i += 2) {
      const [before, here] = [[points[i - 2], points[i - 1]], [points[i], points[i + 1]]];
      const middle = (before[1] + here[1]) / 2;
      addCurve(way, before, [before[0], middle], [here[0], middle], here);
    }
    return { from, to, way };
  });
}

function dotLines(picture) {
  const nodes = picture.cards.map(({ width, height }, i) => `${i} [width=${width / 72}, height=${height / 72}];`);
  const edges = picture.lines.map(({ from, to }) => `${from} -> ${to};`);
  const input = `digraph { nodesep=${nodeSeparationInches}; ranksep=${rankSeparationInches}; node [shape=box, fixedsize=true]; edge [arrowhead=none];\n`
    + `${nodes.join('\n')}\n${edges.join('\n')}\n}`;
  const plain = spawnSync('dot', ['-Tplain'], { input, encoding: 'utf8', maxBuffer: 1 << 30 }).stdout.replace(/\\\n/g, '');
  return plain.split('\n').map((line) => line.split(' ')).filter(([word]) => word === 'edge').map(([, from, to, count, ...numbers]) => {
    const at = Array.from({ length: Number(count) }, (_, i) => [numbers[2 * i] * 72, numbers[2 * i + 1] * 72]);
    const way = [at[0]];
    for (let i = 0; i + 3 < at.length; i += 3)
      addCurve(way, at[i], at[i + 1], at[i + 2], at[i + 3]);
    return { from: Number(from), to: Number(to), way };
  });
}

function lengthOf(lines) {
  let length = 0;
  for (const { way } of lines) {
    for (let i = 1; i < way.length; i++)
      length += Math.hypot(way[i][0] - way[i - 1][0], way[i][1] - way[i - 1][1]);
  }
  return length;
}

function cross(a, b, c, d) {
  const side = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** Of lines that don't meet at a node anyway. Each is moved by a hair: in a symmetric drawing lines cross where points of both are. */
function crossingsOf(drawn) {
  let crossings = 0;
  const lines = drawn.map(({ from, to, way }, i) => ({ from, to, way: way.map(([x, y]) => [x + i * 1e-4, y + i * 1.7e-4]) }));
  lines.forEach((one, i) => lines.slice(0, i).forEach((other) => {
    if ([other.from, other.to].includes(one.from) || [other.from, other.to].includes(one.to))
      return;
    for (let k = 1; k < one.way.length; k++) {
      for (let m = 1; m < other.way.length; m++)
        crossings += cross(one.way[k - 1], one.way[k], other.way[m - 1], other.way[m]);
    }
  }));
  return crossings;
}

/** { graphs, crossings, dotCrossings, length, dotLength } of all pictures that differ. */
export function compareWithDot(server, paths, say = () => {}) {
  const sum = { graphs: 0, crossings: 0, dotCrossings: 0, length: 0, dotLength: 0 };
  const seen = new Set();
  for (const file of paths.flatMap((path) => [...filesOf(path)])) {
    for (const picture of picturesOf(server, file)) {
      const key = JSON.stringify(picture.lines.map(({ from, to }) => [from, to]));
      if (seen.has(key))
        continue;
      seen.add(key);
      const [ours, dots] = [ourLines(picture), dotLines(picture)];
      const one = { crossings: crossingsOf(ours), dotCrossings: crossingsOf(dots), length: lengthOf(ours), dotLength: lengthOf(dots) };
      say(`${file} ${picture.title}: ${picture.cards.length} cards, crossings ${one.crossings} / ${one.dotCrossings}, length ${(one.length / one.dotLength).toFixed(2)}`);
      sum.graphs++;
      for (const [name, value] of Object.entries(one))
        sum[name] += value;
    }
  }
  return sum;
}

export function hasDot() {
  return spawnSync('dot', ['-V']).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const at = words.indexOf('--server');
  const server = at >= 0 ? words.splice(at, 2)[1] : process.env.ONNXLS ?? join(root, 'build/release/onnxls');
  if (!hasDot()) {
    console.log('there is no dot (apt-get install graphviz)');
  } else {
    const sum = compareWithDot(server, words.length > 0 ? words : [join(root, 'tests/corpus')], console.log);
    console.log(`${sum.graphs} graphs: crossings ${sum.crossings}, dot ${sum.dotCrossings} (${(sum.crossings / sum.dotCrossings).toFixed(2)}); `
      + `length ${(sum.length / sum.dotLength).toFixed(2)} of dot's`);
  }
}
