// The scripts of mistakes.txt, for those that check them (mistakes.mjs) and those that mend them (mistake_fixes.mjs).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const head = /HEAD = """(.*?)"""/s.exec(readFileSync(join(here, 'mistakes.py'), 'utf8'))[1];

/** The files of a script by name: `@ NAME` begins another one that it imports. */
function readFiles(lines, mark) {
  const files = { 'script.py': head };
  let at = 'script.py';
  for (const line of lines) {
    if (line.startsWith('@ '))
      files[at = line.slice(2).trim()] = '';
    else if ([mark, ' '].includes(line[0]))
      files[at] += `${line.slice(2)}\n`;
  }
  return files;
}

/** [{ name, isSilent, wrong, mended }]; a silent mistake is one although the export succeeds. What is wrong and what is
 * mended are files by name. */
export function readScripts() {
  return readFileSync(join(here, 'mistakes.txt'), 'utf8').split('=== ').slice(1).map((section) => {
    const [name, ...lines] = section.trimEnd().split('\n');
    return { name, isSilent: section.includes('# silently: '), wrong: readFiles(lines, '-'), mended: readFiles(lines, '+') };
  });
}

/** Newer versions take the other exporter unless they are asked. */
export function asked(text, torch) {
  const isNew = !torch.startsWith('1') && Number(torch.split('.')[1]) >= 9;
  return isNew ? text.replaceAll('opset_version=', 'dynamo=False, opset_version=') : text;
}
