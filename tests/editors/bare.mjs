// A bare Debian machine to install things on: a copy of a root that get-newer.sh --bare made, entered by chroot. The
// folders of the tests lie in it under the paths that they have outside.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { here, root, run, scratch, step } from './programs.mjs';

const roots = process.env.ONNXLS_BARE_DIR ?? join(root, 'build/editors/bare');
const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', HOME: '/root' };

/** Why there can be no such machine; undefined if there can. */
export function whyNoMachine(suite) {
  if (process.getuid() !== 0)
    return 'only root can enter a bare machine';
  if (!existsSync(join(roots, suite)))
    return `there is no bare ${suite} (tests/editors/get-newer.sh --bare build/editors/bare ${suite})`;
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0)
    return 'this system has no mount namespaces';
  return undefined;
}

export class Machine {
  /** `binds` are folders of this machine that it sees, too. */
  constructor(suite, name, binds = []) {
    this.folder = join(scratch, `machine-${name}`);
    step('cp', ['-a', '--reflink=auto', join(roots, suite), this.folder]);
    this.binds = [scratch, here, join(root, 'grammar'), ...binds];
    for (const bind of this.binds)
      mkdirSync(join(this.folder, bind), { recursive: true });
    const mounts = this.binds.map((bind) => `mount --bind '${bind}' '${this.folder}${bind}'`);
    const script = [...mounts, `mount -t proc proc '${this.folder}/proc'`, `mount --rbind /dev '${this.folder}/dev'`,
      `exec /usr/sbin/chroot '${this.folder}' "$@"`].join(' && ');
    /** What comes before a command that runs in the machine. */
    this.enter = ['unshare', '--mount', 'sh', '-c', script, 'sh'];
  }

  environment(more = {}) {
    return { ...environment, ...more };
  }

  /** { code, output, errors } */
  run(command, env = {}, options = {}) {
    return run(this.enter, command, this.environment(env), options);
  }

  /** Standard output of what has to go well. */
  async do(command, env, options) {
    const { code, output, errors } = await this.run(command, env, options);
    if (code !== 0)
      throw new Error(`${command.join(' ')}: ${code}: ${`${output}${errors}`.trim().split('\n').slice(-8).join('\n')}`);
    return output;
  }

  install(...packages) {
    return this.do(['apt-get', '-q', '-y', '-o', 'Dpkg::Use-Pty=0', 'install', '--no-install-recommends', ...packages],
                   { DEBIAN_FRONTEND: 'noninteractive' });
  }
}
