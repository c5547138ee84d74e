// Is every call that the real exporter refuses an error, and none that it exports? Asks `check` for each dump of
// outcomes.jsonl, a sample of PyTorch's operator database, at the opsets at which the real exporter was run. `missed` are
// the opsets of pairs that no record explains yet. With `FILE.jsonl ...`, what make_outcomes.py wrote, it judges only these
// samples: what is missed and false, by operator and in the exporter's own words.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const run = promisify(execFile);

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, groups.get(key) ?? []).get(key).push(item);
  }
  return groups;
}

/** What `check` says of each row's text that is as severe as one of `severities`: file -> diagnostics. */
async function said(rows, { torch, opset, exporter, runtime }, severities) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-outcomes-'));
  try {
    rows.forEach((row) => writeFileSync(join(folder, row.file), row.text));
    const { stdout } = await run(binary, ['check', '--format', 'json', '--torch', torch, '--opset', opset, '--exporter', exporter,
      ...(runtime ? ['--runtime', runtime] : []), '--exit-zero', '--max-diagnostics', '0', folder], { maxBuffer: 1 << 30 });
    return groupBy(JSON.parse(stdout).diagnostics.filter((d) => severities.includes(d.severity)), (d) => basename(d.file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rowsOf = (file) => readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));

async function compare(torch, rows) {
  const counts = { found: 0, missed: 0, wrong: 0, exported: 0, known: 0, stale: 0 };
  for (const opset of new Set(rows.flatMap((row) => Object.keys(row.refused)))) {
    const errors = await said(rows, { torch, opset, exporter: 'torchscript' }, ['error']);
    for (const row of rows.filter((row) => opset in row.refused)) {
      const isError = errors.has(row.file);
      const isKnown = row.missed?.includes(opset) ?? false;
      if (isKnown && isError)
        console.log(`torch ${torch}, opset ${opset}, ${row.file}: listed as missed, and found`);
      if (isKnown)
        counts[isError ? 'stale' : 'known']++;
      if (isKnown)
        continue;
      const key = row.refused[opset] ? (isError ? 'found' : 'missed') : (isError ? 'wrong' : 'exported');
      counts[key]++;
      if (key === 'wrong' || key === 'missed')
        console.log(`torch ${torch}, opset ${opset}, ${row.file}: ${key === 'wrong' ? 'exported, and an error' : 'refused, and no error'}`);
    }
  }
  return counts;
}

/** Is each export that doesn't come out right in the runtime warned of, but for those `missed` so far, and none that does? */
async function compareValues(rows, exporter, total) {
  const warned = await said(rows, { ...rows[0], exporter }, ['error', 'warning']);
  const wrong = rows.filter((row) => warned.has(row.file) !== (row.result !== 'same' && !row.missed));
  wrong.forEach((row) => console.log(`${row.file}: ${row.result} in ${row.runtime}, and ${warned.has(row.file) ? 'a' : 'no'} warning`));
  total.right += rows.length - wrong.length;
  total.wrong += wrong.length;
}

async function judgeKept() {
  const total = { right: 0, wrong: 0 };
  const all = rowsOf(join(here, 'outcomes.jsonl'));
  for (const torch of new Set(all.map((row) => row.torch))) {
    const { found, missed, wrong, exported, known, stale } = await compare(torch, all.filter((row) => row.torch === torch));
    console.log(`torch ${torch}: ${found} of ${found + missed + known} refused pairs are errors, ${wrong} of ${wrong + exported} exported ones`);
    total.right += found + exported;
    total.wrong += wrong + missed + stale + (found === 0 ? 1 : 0);
  }
  /** Rows that name no opset were run at that of the first one. */
  for (const [list, exporter] of [['values.jsonl', 'torchscript'], ['dynamo_values.jsonl', 'dynamo']]) {
    const rows = rowsOf(join(here, list));
    const opsetOf = (row) => row.opset ?? rows[0].opset;
    for (const opset of new Set(rows.map(opsetOf)))
      await compareValues(rows.filter((row) => opsetOf(row) === opset).map((row) => ({ ...rows[0], ...row })), exporter, total);
  }
  console.log(`${total.right} passed, ${total.wrong} failed`);
  return total.right > 0 && total.wrong === 0;
}

/** "own.nn.functional.pad.dynamic.0.torchir" is of an operator, one element type or variation, and a number. */
const operatorOf = (file) => file.replace(/^(own|types|seed\d+)\./, '').replace(/(\.\w+)?\.\d+\.(torchir|ep\.txt)$/, '');

/** Each kind of failure once: operator, opsets, and in whose words. */
function printGroups(title, failures) {
  const groups = groupBy(failures, ({ row, words }) => `${operatorOf(row.file)}: ${words}`);
  if (groups.size > 0)
    console.log(title);
  for (const [group, members] of [...groups].sort())
    console.log(`  ${group}\n    ${[...new Set(members.map((m) => `${m.row.file}@${m.opset}`))].join(' ')}`);
}

/** How many of the outcomes that are bad `check` said something of, and of the others, with what it got wrong. */
function judge(name, outcomes, wantedShare, allowedShare) {
  const [bad, good] = [outcomes.filter((o) => o.isBad), outcomes.filter((o) => !o.isBad)];
  const missed = bad.filter((o) => !o.said);
  const wrong = good.filter((o) => o.said).map((o) => ({ ...o, words: o.said.map((d) => d.message).join(' / ') }));
  console.log(`${name}: ${bad.length - missed.length} of ${bad.length} are found, ${wrong.length} of ${good.length} right ones`);
  printGroups('missed:', missed);
  printGroups('false:', wrong);
  return missed.length <= (1 - wantedShare) * bad.length && wrong.length <= allowedShare * good.length;
}

async function judgeFresh(file) {
  const rows = rowsOf(file);
  const { torch } = rows[0];
  const exporter = rows[0].file.endsWith('.ep.txt') ? 'dynamo' : 'torchscript';
  const refusals = [];
  for (const opset of new Set(rows.flatMap((row) => Object.keys(row.refused)))) {
    const errors = await said(rows, { torch, opset, exporter }, ['error']);
    for (const row of rows.filter((row) => opset in row.refused))
      refusals.push({ row, opset, isBad: row.refused[opset] === 1, said: errors.get(row.file), words: row.error[opset]?.join(': ') });
  }
  const isEnough = judge(`${basename(file)}, torch ${torch}, refused by the ${exporter} exporter`, refusals, 0.99, 0);
  const ran = rows.filter((row) => ['same', 'differs', 'load', 'run'].includes(row.result));
  if (ran.length === 0)
    return isEnough;
  const warned = await said(ran, { ...ran[0], exporter }, ['error', 'warning']);
  const values = ran.map((row) => ({ row, opset: row.opset, isBad: row.result !== 'same', said: warned.get(row.file),
    words: `${row.result}: ${row.detail}` }));
  return judge(`${basename(file)}, opset ${ran[0].opset}, wrong in ${ran[0].runtime}`, values, 0.85, 0.005) && isEnough;
}

const files = process.argv.slice(2);
let isGood = files.length > 0 || await judgeKept();
for (const file of files)
  isGood = await judgeFresh(file) && isGood;
process.exit(isGood ? 0 : 1);
