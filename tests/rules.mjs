// The rules as server/core/rules.def lists them: what tests and generated lists are compared with.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const list = join(dirname(fileURLToPath(import.meta.url)), '..', 'server', 'core', 'rules.def');
const row = /^RULE\((?<id>\w+), "(?<name>[\w-]+)", SEVERITY_(?<severity>\w+), (?<languages>[\w |]+), "(?<summary>.*)"\)$/gm;

/** [{ id, name, severity: 'error', languages: ['IN_GRAPHS'], summary }], in order. */
export function readRules() {
  const rules = [...readFileSync(list, 'utf8').matchAll(row)].map(({ groups }) => ({
    ...groups,
    severity: groups.severity.toLowerCase(),
    languages: groups.languages.split(' | '),
  }));
  if (!rules.length)
    throw new Error('no rule found in rules.def');
  return rules;
}
