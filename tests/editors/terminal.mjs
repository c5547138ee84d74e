// An editor in a terminal that nobody sees: tmux gives it keys and reads its screen.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './programs.mjs';

const patienceMs = 300_000;  // It hangs, however busy the machine is.
/** After an Escape: without it, the next key would come together with Alt. */
const escapeMs = 80;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function lastLines(screen) {
  return screen.trimEnd().split('\n').slice(-12).map((line) => line.trimEnd().slice(-110)).join('\n');
}

export class Terminal {
  /** `env` is all that the program sees. */
  constructor(name, command, { cwd, env, columns = 150, rows = 45 }) {
    this.socket = join(scratch, `${name}.tmux`);
    process.on('exit', () => this.stop());
    const words = ['env', '-i', ...Object.entries({ ...env, TERM: 'tmux-256color', COLORTERM: 'truecolor' })
      .map(([key, value]) => `${key}=${value}`), ...command];
    this.tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-c', cwd, ...words);
  }

  tmux(...args) {
    const made = spawnSync('tmux', ['-S', this.socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
    return made.stdout;
  }

  /** Names such as Escape, Enter and C-p; everything else with type(). */
  async press(...keys) {
    for (const key of keys) {
      this.tmux('send-keys', key);
      if (key === 'Escape')
        await pause(escapeMs);
    }
  }

  type(text) {
    this.tmux('send-keys', '-l', '--', text);
  }

  paste(text) {
    this.tmux('set-buffer', '--', text);
    this.tmux('paste-buffer', '-p', '-r', '-d');
  }

  screen() {
    return this.tmux('capture-pane', '-p');
  }

  /** Waits until the screen holds a text or matches a pattern. */
  async see(wanted, ms = patienceMs) {
    const matches = (screen) => wanted instanceof RegExp ? wanted.test(screen) : screen.includes(wanted);
    for (const end = Date.now() + ms; ; await pause(20)) {
      const screen = this.screen();
      if (matches(screen))
        return screen;
      if (Date.now() > end)
        throw new Error(`waited in vain for ${wanted} on this screen:\n${lastLines(screen)}`);
    }
  }

  stop() {
    this.tmux('kill-server');
  }
}

/** A server that leaves its process id where a test finds it. */
export function watchedServer(folder, server) {
  const file = join(folder, 'server.pid');
  const script = join(folder, 'bin/onnxls');
  writeFileSync(script, `#!/bin/sh\necho $$ >'${file}'\nexec '${server}' "$@"\n`, { mode: 0o755 });
  return file;
}
