// Is the table of torchvision's classifiers (server/python/rules/forward/vision_models.c) what torchvision has? vision_models.py
// wrote vision_models.jsonl with torchvision 0.21, and the same with 0.29.
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const models = read('vision_models.jsonl').trim().split('\n').map((line) => JSON.parse(line));
const source = read('../../server/python/rules/forward/vision_models.c');
const row = /^ {2}\{ "(\w+)", "(\w+)", (\d+), (true|false), \{ ([\d, ]+) \}, \{ ([\d, ]+) \}, (\d+), (true|false) \},$/gm;
const numbers = (text) => text.split(', ').map(Number);

/** Families of a member, as the table of members lists them. */
function families(member) {
  const listed = new RegExp(`^  \\{ "${member}", \\{ ([^}]*) \\} \\},$`, 'm').exec(source);
  return listed ? listed[1].split(', ').map((name) => name.slice(1, -1)) : [];
}

/** A row in the form of the record. What a head gets, if that is known, is what its first layer gets. */
function readRow([, name, head, features, isLayer, at, ofLayer, size, givesMore]) {
  const places = numbers(at), given = numbers(ofLayer);
  given[0] = Number(features) || given[0];
  const layers = isLayer === 'true' ? [[null, Number(features)]]
    : places.map((place, i) => [place, given[i]]).filter(([, count]) => count > 0);
  const members = ['features', 'layer4'].filter((member) => families(member).some((family) => name.startsWith(family)));
  return { name, heads: [head], layers, members, size: Number(size), aux: givesMore === 'true' };
}

const rows = new Map([...source.matchAll(row)].map((match) => [match[1], readRow(match)]));
let failed = 0;
for (const model of models) {
  const told = rows.get(model.name);
  if (JSON.stringify(told) !== JSON.stringify(model)) {
    failed++;
    console.log(`not ok ${model.name}: the table says ${JSON.stringify(told)}, torchvision ${JSON.stringify(model)}`);
  }
  rows.delete(model.name);
}
for (const name of rows.keys()) {
  failed++;
  console.log(`not ok ${name}: torchvision has no such model`);
}
console.log(`${models.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
