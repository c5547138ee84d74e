// The table editor by version by feature, for a terminal and for docs/editors/measured.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './programs.mjs';

const page = join(root, 'docs/editors/measured.md');
const [begin, end] = ['<!-- table: tests/editors/run.mjs --all --write-table -->', '<!-- end of table -->'];

function featuresOf(columns) {
  return [...new Set(columns.flatMap(({ results }) => results.map(({ feature }) => feature)))];
}

function cell(results, feature) {
  const found = results.find((result) => result.feature === feature);
  if (!found || found.result === 'absent')
    return '-';
  return found.result === 'failed' ? 'FAILED' : `${Math.round(found.ms)} ms`;
}

/** Columns of one editor are in one table: [name, columns]. */
function groupsOf(columns) {
  const groups = new Map();
  for (const column of columns.filter(({ isHidden }) => !isHidden)) {
    const name = column.group ?? /^\D*[^\d\s]/.exec(column.column)[0];
    groups.set(name, [...groups.get(name) ?? [], column]);
  }
  return [...groups];
}

function drawGroup([, columns]) {
  const features = featuresOf(columns);
  const width = Math.max(...features.map((feature) => feature.length)) + 2;
  const widths = columns.map(({ column }) => Math.max(column.length, 9) + 2);
  const row = (name, cells) => name.padEnd(width) + cells.map((text, i) => text.padStart(widths[i])).join('');
  return [row('', columns.map(({ column }) => column)),
          ...features.map((feature) => row(feature, columns.map(({ results }) => cell(results, feature))))].join('\n');
}

export function drawTables(columns) {
  return groupsOf(columns).map(drawGroup).join('\n\n');
}

/** The editor's name occurs once, in the corner. */
function markdownTable([name, columns]) {
  return [
    `| ${name} | ${columns.map(({ column }) => column.replace(name, '').trim() || column).join(' | ')} |`,
    `|---|${columns.map(() => '---:|').join('')}`,
    ...featuresOf(columns).map((feature) => `| ${feature} | ${columns.map(({ results }) => cell(results, feature)).join(' | ')} |`),
  ].join('\n');
}

/** Puts this run's table where the page has the last one. */
export function writeTable(columns) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  if (rest === undefined || !rest.includes(end))
    throw new Error(`${page} has no place for the table`);
  writeFileSync(page, `${before}${begin}\n\n${groupsOf(columns).map(markdownTable).join('\n\n')}\n\n${end}${rest.split(end)[1]}`);
}
