// The rules as server/core/rules.def lists them: what tests and generated lists are made of.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const list = join(dirname(fileURLToPath(import.meta.url)), '..', 'server', 'core', 'rules.def');
const row = /^RULE\((?<id>\w+), "(?<name>[\w-]+)", SEVERITY_(?<severity>\w+), (?<languages>[\w |]+), "(?<summary>.*)"\)$/;
const heading = /^\/\/ (.*)\.$/;

/** [{ id, name, severity: 'error', languages: ['IN_GRAPHS'], summary, group: 'Dumps' }], in order. */
export function readRules() {
  const rules = [];
  let group;
  for (const line of readFileSync(list, 'utf8').split('\n')) {
    const rule = row.exec(line)?.groups;
    if (rule)
      rules.push({ ...rule, severity: rule.severity.toLowerCase(), languages: rule.languages.split(' | '), group });
    else if (line.startsWith('RULE('))
      throw new Error(`rules.def: ${line} can't be read`);
    group = heading.exec(line)?.[1] ?? group;
  }
  if (!rules.length)
    throw new Error('no rule found in rules.def');
  return rules;
}
