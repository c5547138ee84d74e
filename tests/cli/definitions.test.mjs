// What other programs run us by: the hook of pre-commit, the action of GitHub, and the project's own workflows.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { binary, root, withFolder } from './onnxls.mjs';

const bad = 'def f(g, x):\n    return g.op("Relu", x, alpha=1.0)\n\nimport torch\n' +
  'torch.onnx.register_custom_op_symbolic("aten::relu", f, 9)\n';

/** An environment in which `onnxls` is the program under test. */
function withProgram(folder) {
  mkdirSync(join(folder, '.bin'), { recursive: true });
  symlinkSync(binary, join(folder, '.bin/onnxls'));
  return { ...process.env, PATH: `${join(folder, '.bin')}:${process.env.PATH}`, HOME: folder, PRE_COMMIT_HOME: join(folder, '.pre-commit') };
}

const hasPreCommit = spawnSync('pre-commit', ['--version']).status === 0;

test('the hook of pre-commit', { skip: !hasPreCommit && 'no pre-commit here' }, () => withFolder({ 'repo/bad.py': bad, 'repo/text.md': bad, 'repo/good.py': 'x = 1\n' }, (folder) => {
  const env = withProgram(folder);
  const run = (program, args, cwd) => spawnSync(program, args, { cwd: join(folder, cwd), env, encoding: 'utf8' });
  mkdirSync(join(folder, 'hooks'));
  cpSync(join(root, '.pre-commit-hooks.yaml'), join(folder, 'hooks/.pre-commit-hooks.yaml'));
  for (const cwd of ['repo', 'hooks']) {
    run('git', ['init', '-q', '.'], cwd);
    run('git', ['add', '-A'], cwd);
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'a'], cwd);
  }
  const found = run('pre-commit', ['try-repo', '../hooks', 'onnxls', '--all-files'], 'repo');
  assert.equal(found.status, 1, found.stdout + found.stderr);
  assert.match(found.stdout, /bad\.py:2:\d+: error: .*\[missing-attribute-suffix\]/);
  assert.doesNotMatch(found.stdout, /text\.md/);
  const clean = run('pre-commit', ['try-repo', '../hooks', 'onnxls', '--files', 'good.py'], 'repo');
  assert.equal(clean.status, 0, clean.stdout + clean.stderr);
}));

/** Runs the one step of the action with these inputs. */
function act(folder, env) {
  const [, step] = /run: '(.*)'/.exec(readFileSync(join(root, 'action.yml'), 'utf8'));
  return spawnSync('sh', ['-e', '-c', step], { cwd: folder, encoding: 'utf8', env: { ...env, GITHUB_ACTION_PATH: root } });
}

test('the action of GitHub', () => withFolder({ 'a/bad.py': bad, 'b/good.py': 'x = 1\n' }, (folder) => {
  const env = withProgram(folder);
  const found = act(folder, { ...env, ONNXLS_PATHS: 'a b', ONNXLS_FLAGS: '--torch 2.6' });
  assert.equal(found.status, 1, found.stderr);
  assert.match(found.stdout, /^::error file=a\/bad\.py,line=2/m);
  assert.equal(act(folder, { ...env, ONNXLS_PATHS: 'b' }).status, 0);
  const hostile = act(folder, { ...env, ONNXLS_PATHS: '$(touch made) ; touch made --help' });
  assert.equal(hostile.status, 2);
  assert.ok(!readdirSync(folder).includes('made'));
  assert.equal(act(folder, { ...env, PATH: '/usr/bin:/bin' }).status, spawnSync('sh', ['-c', 'command -v onnxls'], { env: { PATH: '/usr/bin:/bin' } }).status === 0 ? 1 : 2);
}));

test('the inputs of the action are those that its script reads', () => {
  const action = readFileSync(join(root, 'action.yml'), 'utf8');
  const script = readFileSync(join(root, 'packaging/action.sh'), 'utf8');
  const given = [...action.matchAll(/(ONNXLS_\w+): \$\{\{ inputs\.(\w+) \}\}/g)];
  assert.ok(given.length > 0);
  for (const [, variable, input] of given) {
    assert.match(action, new RegExp(`^  ${input}:$`, 'm'));
    assert.ok(script.includes(`\${${variable}`), variable);
  }
});

test('workflows call ./dev, and nothing else', () => {
  const help = spawnSync(join(root, 'dev'), ['help'], { encoding: 'utf8' }).stdout;
  const folder = join(root, '.github/workflows');
  const steps = readdirSync(folder).flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/^ *-? *run: (.*)$/gm)]);
  assert.ok(steps.length > 0);
  for (const [, step] of steps) {
    assert.match(step, /^\.\/dev \w+$/);
    assert.match(help, new RegExp(`^  ${step.slice('./dev '.length)} `, 'm'));
  }
});
