// install.sh in a checkout in which nothing was built: a server on the PATH is as good as one of its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root } from './onnxls.mjs';

const skip = process.platform === 'win32' && 'install.sh is for a shell';
const folder = mkdtempSync(join(tmpdir(), 'onnxls-install-'));
after(() => rmSync(folder, { recursive: true }));

/** What `install.sh server ...` says and how it ends, with `onnxls` in a folder of the PATH or nowhere. */
function install(isOnPath, ...flags) {
  const [checkout, programs] = [join(folder, 'checkout'), join(folder, 'programs')];
  rmSync(programs, { recursive: true, force: true });
  for (const made of [checkout, programs])
    mkdirSync(made, { recursive: true });
  copyFileSync(join(root, 'install.sh'), join(checkout, 'install.sh'));
  if (isOnPath)
    writeFileSync(join(programs, 'onnxls'), '#!/bin/sh\n', { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync('sh', [join(checkout, 'install.sh'), ...flags, 'server'], {
    encoding: 'utf8', env: { HOME: folder, PATH: `${programs}:/usr/bin:/bin` },
  });
  return { status, said: stdout + stderr };
}

test('a server that is on the PATH is enough', { skip }, () => {
  const { status, said } = install(true);
  assert.equal(status, 0, said);
  assert.match(said, /programs\/onnxls is on the PATH already/);
});

test('without one it says how to make it', { skip }, () => {
  const { status, said } = install(false);
  assert.equal(status, 1);
  assert.match(said, /there is none in .*; \.\/dev build makes it/);
});
