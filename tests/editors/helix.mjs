// Helix in a terminal, configured as docs/editors/helix.md says.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, expected, has, makeLarge, makeProject, measure, root, saying, scratch, server, skipped } from './programs.mjs';
import { Terminal, watchedServer } from './terminal.mjs';

/** The block of that language in a page: what people copy is what is tested. */
export function snippetOf(page, language) {
  const text = readFileSync(join(root, 'docs/editors', page), 'utf8');
  const [, indent, block] = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'm').exec(text);
  return block.replace(new RegExp(`^${indent}`, 'gm'), '');
}

/** Commands of Helix, and what the screen says then. */
class Helix {
  constructor(terminal) {
    this.terminal = terminal;
  }

  async command(text) {
    await this.terminal.press('Escape', 'Escape');
    this.terminal.type(`:${text}`);
    await this.terminal.press('Enter');
  }

  async go(document, line, column) {
    await this.command(`open ${document}:${line}:${column}`);
    await this.terminal.see(new RegExp(`${document}\\b.* ${line}:${column}\\s*$`, 'm'));
  }

  /** As one change: Helix 25.01 may send two that follow each other quickly in the wrong order. */
  async insert(text) {
    await this.terminal.press('Escape');
    this.terminal.paste(text);
    await this.terminal.see(text.trim());
  }

  /** The number of diagnostics in the status line; `when` is for those who read of a failure. */
  errors(count, when) {
    return this.terminal.see(new RegExp(`^ (?:NOR|INS) .*● ${count}\\b`, 'm'), 60_000)
      .catch((error) => { throw new Error(`${when}: ${error.message}`); });
  }

  async lists(keys, words) {
    await this.terminal.press('Escape', ...keys);
    for (const word of words)
      await this.terminal.see(word);
    await this.terminal.press('Escape');
  }
}

function testsOf(helix, { project, pidFile }) {
  const rules = expected.diagnostics['llama.txt'];
  const [hover] = expected.hover;
  const [definition] = expected.definition;
  const [references] = expected.references;
  const { edit } = expected;
  return {
    'diagnostics': async () => {
      await helix.terminal.see(/^ NOR /m, 60_000);  // It asks the terminal what it can do, and wants no keys meanwhile.
      await helix.go('llama.torchir', 1, 1);
      await helix.errors(rules.length, 'opened');
      await helix.lists(['Space', 'd'], [`${rules.length}/${rules.length}`, ...new Set(rules.map(({ rule }) => rule))]);
    },
    'filetype by command': async () => {
      await helix.go('llama.txt', 1, 1);
      await helix.command('set-language torch-ir');
      await helix.errors(rules.length, 'with a language');
    },
    'hover': async () => {
      await helix.go('llama.torchir', hover.line, hover.column);
      await helix.lists(['Space', 'k'], hover.has);
    },
    'definition': async () => {
      await helix.go(definition.document, definition.line, definition.column);
      await helix.terminal.press('g', 'd');
      await helix.terminal.see(new RegExp(` ${definition.to.line}:${definition.to.column}\\s*$`, 'm'));
    },
    'references': async () => {
      await helix.go(references.document, references.line, references.column);
      await helix.lists(['g', 'r'], [`${references.at.length}/${references.at.length}`]);
    },
    'symbols': async () => {
      await helix.go(expected.symbols.document, 1, 1);
      await helix.lists(['Space', 's'], expected.symbols.names);
    },
    'edit': async () => {
      await helix.go(edit.document, edit.line, edit.column);
      await helix.insert('%nowhere, ');
      await helix.errors(1, 'edited');
      await helix.terminal.press('u');
      await helix.terminal.see(/^ NOR (?!.*●)/m);
    },
    'killed server': async () => {
      await helix.go('llama.torchir', hover.line, 3);
      await helix.insert('  %unsaved : Tensor = aten::relu(%nowhere)\n');
      await helix.errors(rules.length + 1, 'before the end');
      const start = Date.now();
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
      await helix.terminal.see(/^ NOR (?!.*●)|[Ll]anguage server (?:exited|died)|Exited/m).catch(() => undefined);
      await helix.command('lsp-restart');
      await helix.errors(rules.length + 1, 'started again');
      await helix.terminal.see('%unsaved : Tensor = aten::relu(%nowhere)');
      const ms = Date.now() - start;
      await helix.command('reload');
      return ms;
    },
    ...largeTests(helix, project),
  };
}

function largeTests(helix, project) {
  let start;
  let count;
  return {
    '24 MB: diagnostics': async () => {
      copyFileSync(makeLarge(), join(project, 'large.torchir'));
      start = Date.now();
      await helix.command('open large.torchir:200000:5');
      [, count] = /● (\d+)/.exec(await helix.terminal.see(/large\.torchir.*● \d+/, 60_000));
      return Date.now() - start;
    },
    '24 MB: hover': async () => {
      start = Date.now();
      await helix.lists(['Space', 'k'], ['Defined in line 200000']);
      return Date.now() - start;
    },
    '24 MB: edit': async () => {
      start = Date.now();
      await helix.insert('  %unsaved : Tensor = aten::relu(%nowhere)\n');
      await helix.errors(Number(count) + 1, 'edited');
      return Date.now() - start;
    },
  };
}

/** `installation` is { command, debian, libraries }; see run.mjs. */
export async function runHelix({ command, debian }, { large, only = '' }) {
  const version = /helix (\S+)/.exec(saying([...command, '--version']))?.[1];
  const column = `Helix ${version}`;
  if (!has(['tmux', '-V'])) {
    skipped.add(`${column}: tmux is not installed (apt-get install tmux)`);
    return [];
  }
  const name = `helix-${version}`;
  const project = makeProject(name, false);
  const pidFile = watchedServer(join(scratch, name), server);
  copyFileSync(join(project, 'llama.txt'), join(project, 'llama.torchir'));
  const { HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, PATH } = environment(name, {});
  mkdirSync(join(XDG_CONFIG_HOME, 'helix'));
  writeFileSync(join(XDG_CONFIG_HOME, 'helix/languages.toml'), snippetOf('helix.md', 'toml'));
  const env = { HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME, PATH, LC_ALL: 'C.UTF-8', HELIX_RUNTIME: join(debian, 'usr/lib/hx/runtime') };
  const terminal = new Terminal(name, [...command, 'llama.torchir'], { cwd: project, env });
  const results = [];
  for (const [feature, test] of Object.entries(testsOf(new Helix(terminal), { project, pidFile }))) {
    if (feature.includes(only) && (large || !feature.startsWith('24 MB')))
      results.push(await measure(feature, test));
  }
  terminal.stop();
  return [{ column, results }];
}
