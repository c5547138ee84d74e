// Writes what lists rules, from server/core/rules.def: `node tests/generate.mjs`, or `./dev generate`. Headings and texts
// between the tables are written by hand; tests/tidy compares with what this would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRules } from './rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** [[group, its rules]], in order. */
function groups() {
  const byName = new Map();
  for (const rule of readRules())
    byName.set(rule.group, [...(byName.get(rule.group) ?? []), rule]);
  return [...byName];
}

/** Replaces what `pattern` finds, which has to be there exactly once. */
function replaceOnce(text, pattern, replacement, what) {
  if ([...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].length !== 1)
    throw new Error(`there has to be exactly one ${what}`);
  return text.replace(pattern, replacement);
}

function tableRow({ name, severity, summary }) {
  return `| [${name}](rules/${name}.md) | ${severity} | ${summary} |\n`;
}

/** docs/rules.md: the rows of the table below each group's heading. */
function rulesPage(text) {
  const listed = groups();
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
  const wanted = listed.map(([name]) => name);
  if (headings.join() !== wanted.join())
    throw new Error(`docs/rules.md has the headings ${headings.join(', ')}; rules.def has ${wanted.join(', ')}`);
  return listed.reduce((page, [name, rules]) => replaceOnce(
    page, new RegExp(`^(## ${name}\n(?:(?!## ).*\n)*?\\|---\\|---\\|---\\|\n)(?:\\|.*\n)*`, 'm'),
    (_, before) => before + rules.map(tableRow).join(''), `table below the heading ${name}`), text);
}

/** README.md: the number in each group's row. */
function readme(text) {
  return groups().reduce((page, [name, rules]) => replaceOnce(
    page, new RegExp(`^(\\| \\[.*\\]\\(docs/rules\\.md#${name.toLowerCase().replaceAll(' ', '-')}\\) \\|.*\\| )\\d+ \\|$`, 'm'),
    (_, before) => `${before}${rules.length} |`, `row of README.md for ${name}`), text);
}

const severities = ['error', 'warning', 'info', 'hint', 'off'];

/** The properties of the setting `rules`. */
function ruleProperties() {
  return Object.fromEntries(readRules().map(({ name, summary }) =>
    [name, { type: 'string', enum: severities, description: summary }]));
}

function changeJson(text, change) {
  const value = JSON.parse(text);
  change(value);
  return `${JSON.stringify(value, null, 2)}\n`;
}

function manifest(text) {
  return changeJson(text, ({ contributes }) => {
    const section = contributes.configuration.find(({ properties }) => properties['onnxls.rules']);
    section.properties['onnxls.rules'].properties = ruleProperties();
  });
}

function schema(text) {
  return changeJson(text, ({ properties }) => { properties.rules.properties = ruleProperties(); });
}

const files = {
  'docs/rules.md': rulesPage,
  'README.md': readme,
  'editors/vscode/package.json': manifest,
  'editors/vscode/schemas/onnxls.schema.json': schema,
};

/** [{ path, text, wanted }] of every file that lists rules: as it is, and as it should be. */
export function generated() {
  return Object.entries(files).map(([path, write]) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, wanted: write(text) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text, wanted } of generated()) {
    if (text !== wanted) {
      writeFileSync(join(root, path), wanted);
      console.log(`wrote ${path}`);
    }
  }
}
