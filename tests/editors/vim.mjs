// Vim with ALE, configured as docs/editors/vim.md says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, has, here, makeLarge, makeProject, readResults, root, run, saying, scratch, skipped } from './programs.mjs';
import { snippetOf } from './helix.mjs';

const ale = '/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale';

export async function runVim({ large, only }) {
  const said = has(['vim']) ? saying(['vim', '--version']) : '';
  const version = /IMproved ([\d.]+)/.exec(said)?.[1];
  if (!version || !said.includes('+job') || !existsSync(ale)) {
    skipped.add('Vim with ALE: not installed (apt-get install --no-install-recommends vim-nox vim-ale)');
    return [];
  }
  const name = `vim-${version}`;
  const results = join(scratch, name, 'results');
  const env = {
    ...environment(name, { project: makeProject(name), only, large: large ? makeLarge() : undefined }),
    ONNXLS_RESULTS: results, TERM: 'dumb',
  };
  const vimrc = join(scratch, name, 'vimrc');
  writeFileSync(vimrc, `set nocompatible runtimepath+=${join(root, 'editors/neovim')}\n${snippetOf('vim.md', 'vim')}`);
  const { code, errors } = await run(['vim'], ['-Nu', vimrc, '-i', 'NONE', '-n', '--not-a-term', '-S', join(here, 'vim/test.vim')], env,
                                     { limit: 120_000 });
  const output = existsSync(results) ? readFileSync(results, 'utf8') : '';
  return [{ column: `Vim ${version} ALE`, results: readResults({ code, output, errors }, only) }];
}
