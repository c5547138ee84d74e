// Neovim, with the plugin of this tree or with one that is installed where it runs.
import { join } from 'node:path';
import { environment, here, makeLarge, makeProject, readResults, root, run, saying } from './programs.mjs';

/** `installation` is { command, debian, libraries }; see run.mjs. */
export async function runNeovim({ command, debian, libraries, label = '', isInstalled = false }, { large, only }) {
  const version = /NVIM v(\S+)/.exec(saying([...command, '--version']))?.[1];
  const column = `Neovim ${version}${label}`;
  const name = column.replace(/\W+/g, '-');
  const project = makeProject(name, !isInstalled);
  const env = environment(name, {
    project, only, grammar: join(root, 'grammar/torch-ir'), large: large ? makeLarge() : undefined,
  });
  const args = ['--headless', '-n', '-i', 'NONE'];
  if (!isInstalled)
    args.push('--clean', '--cmd', `set rtp^=${join(root, 'editors/neovim')}`);
  args.push('--cmd', 'filetype plugin on');
  if (debian) {
    env.VIMRUNTIME = join(debian, 'usr/share/nvim/runtime');
    args.push('--cmd', `set rtp+=${join(debian, 'usr/lib/nvim')},${join(libraries, 'nvim')}`);
  }
  return [{ column, results: readResults(await run(command, [...args, '-S', join(here, 'neovim/test.lua')], env), only) }];
}
