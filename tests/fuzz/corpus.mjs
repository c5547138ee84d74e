// The corpora of the fuzz targets: build/fuzz-corpus (or ONNXLS_FUZZ_CORPUS) has a folder for each target, in which
// fuzzing goes on and which only grows; tests/fuzz/corpus has an archive for each target with the fewest inputs that reach
// every edge which that folder reaches, so that a new checkout begins where others stopped, and the sums of all runs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const kept = join(root, 'tests/fuzz/corpus');
export const corpus = process.env.ONNXLS_FUZZ_CORPUS ?? join(root, 'build/fuzz-corpus');
const totalsPath = join(corpus, 'totals.json');
// Of the inputs of a target, so that all archives together stay below 2 MB.
const KEPT_BYTES = 200_000;

/** The folder of a target, which begins with what is kept. */
export function corpusOf(name) {
  const folder = join(corpus, name);
  const archive = join(kept, `${name}.tar.gz`);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    if (existsSync(archive))
      execFileSync('tar', ['-xzf', archive, '-C', folder]);
  }
  return folder;
}

/** What is known of each target, of all runs that used the corpus. */
export function readTotals() {
  const path = [totalsPath, join(kept, 'totals.json')].find(existsSync);
  return path ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

export function saveTotals(totals) {
  writeFileSync(`${totalsPath}.new`, `${JSON.stringify(totals, null, 1)}\n`);
  renameSync(`${totalsPath}.new`, totalsPath);
}

/** Keeps in `folder` those inputs of `from` that `merge(folder, from)` chooses; false if that failed. */
async function chooseInputs(folder, from, merge) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const isGood = await merge(folder, from);
  if (!isGood)
    rmSync(folder, { recursive: true });
  return isGood;
}

/** Leaves out inputs that reach nothing of their own. */
export async function minimise(name, merge) {
  const folder = corpusOf(name);
  if (!await chooseInputs(`${folder}.new`, folder, merge))
    return;
  rmSync(folder, { recursive: true });
  renameSync(`${folder}.new`, folder);
}

/** The smallest first, as long as there is room. */
function dropLargest(folder) {
  const inputs = readdirSync(folder).map((name) => join(folder, name)).map((path) => ({ path, size: readFileSync(path).length }));
  inputs.sort((a, b) => a.size - b.size);
  let size = 0;
  for (const input of inputs) {
    size += input.size;
    if (size > KEPT_BYTES)
      rmSync(input.path);
  }
}

/** Writes the target's archive: the same bytes for the same inputs. */
export async function keep(name, merge) {
  const fewest = `${corpusOf(name)}.kept`;
  if (!await chooseInputs(fewest, corpusOf(name), merge))
    return;
  dropLargest(fewest);
  mkdirSync(kept, { recursive: true });
  execFileSync('tar', ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rw,go=r',
    '-czf', join(kept, `${name}.tar.gz`), '-C', fewest, ...readdirSync(fewest).sort()]);
  rmSync(fewest, { recursive: true });
}

export function keepTotals() {
  copyFileSync(totalsPath, join(kept, 'totals.json'));
}
