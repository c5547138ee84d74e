// Emacs, with the package of this tree or with one that is installed where it runs: what the package does alone, eglot, lsp-mode.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { environment, here, makeLarge, makeProject, readResults, root, run, saying, skipped } from './programs.mjs';

function elpaFolders(debian) {
  const elpa = join(debian ?? '/', 'usr/share/emacs/site-lisp/elpa');
  return existsSync(elpa) ? readdirSync(elpa).filter((name) => /-[0-9]/.test(name)).map((name) => join(elpa, name)) : [];
}

/** Where an Emacs of another root finds its own files. */
function foreignEmacs(debian) {
  const share = join(debian, 'usr/share/emacs');
  const version = readdirSync(share).find((name) => /^[0-9]/.test(name));
  const libexec = join(debian, 'usr/libexec/emacs', version);
  const machine = join(libexec, readdirSync(libexec)[0]);
  const dump = readdirSync(machine).find((name) => name.endsWith('.pdmp'));
  return {
    args: [`--dump-file=${join(machine, dump)}`],
    // It would start itself as the compiler, without the loader.
    first: ['--eval', '(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)'],
    env: { EMACSPATH: machine, EMACSLOADPATH: join(share, version, 'lisp'), EMACSDATA: join(share, version, 'etc'),
           EMACSDOC: join(share, version, 'etc') },
  };
}

/** Each has an Emacs of its own. */
const runs = [
  { name: 'package', files: ['modes'], group: 'Emacs package' },
  { name: 'eglot', files: ['with-eglot', 'with-python'] },
  { name: 'lsp-mode', files: ['with-lsp', 'lsp-python'] },
];

/** Emacs in batch leaves SIGPIPE to kill it: a word to a server that has just ended would. Emacs in a terminal ignores it, too. */
const ignoringPipes = ['sh', '-c', 'trap "" PIPE; exec "$0" "$@"'];

/** `installation` is { command, debian }; see run.mjs. */
export async function runEmacs({ command, debian }, { large, only }) {
  const own = debian ? foreignEmacs(debian) : { args: [], first: [], env: {} };
  const version = /GNU Emacs (\S+)/.exec(saying([...command, ...own.args, '--version'], { env: { ...process.env, ...own.env } }))?.[1];
  const elpa = elpaFolders(debian);
  const columns = [];
  for (const { name: part, files, group } of runs) {
    if (part === 'lsp-mode' && !elpa.some((folder) => basename(folder).startsWith('lsp-mode-'))) {
      skipped.add(`lsp-mode of Emacs ${version}: elpa-lsp-mode is not installed`);
      continue;
    }
    const name = `emacs-${version}-${part}`;
    const env = { ...environment(name, {
      project: makeProject(name), only, grammar: join(root, 'grammar/torch-ir'), package: join(root, 'editors/emacs'),
      command: [...command, ...own.args, ...own.first], large: large ? makeLarge() : undefined,
    }), ...own.env };
    const paths = [...elpa, join(root, 'editors/emacs'), join(here, 'emacs')].flatMap((folder) => ['-L', folder]);
    const loads = files.flatMap((file) => ['-l', join(here, 'emacs', `${file}.el`)]);
    const results = readResults(await run([...ignoringPipes, ...command], [...own.args, '-Q', '--batch', ...own.first, ...paths, ...loads], env), only);
    columns.push({ column: group ? `${group} in ${version}` : `Emacs ${version} ${part}`, group, results });
  }
  return columns;
}
