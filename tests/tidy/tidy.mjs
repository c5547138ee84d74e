// What has to hold for the tree as a whole, found by reading it. Each check returns what is wrong, a line each.
// Adding a check is one function in the table at the end. `--quick` looks at the format of changed files only.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { generated } from '../generate.mjs';
import { readRules } from '../rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** docs/architecture.md: a folder includes only itself and those before it in this list... */
const layers = ['base', 'layout', 'text', 'syntax', 'facts', 'outcome', 'core', 'cpp', 'requirements', 'describe', 'why', 'graph', 'python', 'editor', 'report', 'notebook', 'onnx_model', 'diff', 'rpc',
  'lsp', 'host', 'session', 'cli'];

/** ...and of these nobody but server/languages.c knows more than core/language.h says. */
const languageFolders = ['graph', 'python', 'report', 'notebook'];

/** Called a limit, and chosen by ourselves: tables, the sets of the facts, the layout of a page, a number of LSP. */
const ownLimits = ['TARGET_RULE_LIMIT', 'COLUMN_LIMIT', 'CELL_LIMIT', 'OPSET_LIMIT', 'SYMBOLICS_TORCH_LIMIT', 'KEPT_LIMIT', 'KIND_OLD_LIMIT',
  'ONNX_NO_LIMIT', 'FIXED_LIMIT', 'HEAD_LIMIT'];

/** Where a third-party header may be included. */
const homes = [
  { header: /^tree_sitter\//, layers: ['syntax', 'graph', 'python'] },
  { header: /^protobuf-c\/|\.pb-c\.h$/, layers: ['facts'] },
  { header: /^uv\.h$/, layers: ['rpc', 'host', 'session'] },
  { header: /^jansson\.h$/, layers: ['rpc'] },
];

/** Longer than LINE_LIMIT for a reason that a reader accepts. */
const LINE_LIMIT = 600;
const longFiles = {
};

/** Forty is what fits on a screen; a flat switch may have some lines more. */
const FUNCTION_LIMIT = 50;

/** Generated, or written by the world rather than by us. */
const foreign = /(^|\/)node_modules(\/|$)|^(build|editors\/vscode\/dist|\.git|tests\/corpus|tests\/truth|tests\/fuzz\/seeds|tests\/protocol\/clients|demo\/[^/]*\.torchir|symbolics-db\/records|grammar\/[^/]*\/test|grammar\/[^/]*\/src|package-lock\.json)(\/|$)/;

function listFiles(folder = '', found = []) {
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = folder ? `${folder}/${name}` : name;
    if (foreign.test(path))
      continue;
    if (statSync(join(root, path)).isDirectory())
      listFiles(path, found);
    else
      found.push(path);
  }
  return found;
}

const files = listFiles();
const texts = new Map();

function read(path) {
  if (!texts.has(path))
    texts.set(path, readFileSync(join(root, path), 'utf8'));
  return texts.get(path);
}

function ending(pattern) {
  return files.filter((path) => pattern.test(path));
}

/** [{ path, layer, name, quoted }] of every #include under server/. */
function includes() {
  const found = [];
  for (const path of ending(/^server\/\w+\/.*\.[ch]$/)) {
    for (const [, open, name] of read(path).matchAll(/^\s*#\s*include\s+([<"])([^>"]+)[>"]/gm))
      found.push({ path, layer: path.split('/')[1], name, quoted: open === '"' });
  }
  return found;
}

function layering() {
  const bad = [];
  for (const { path, layer, name, quoted } of includes()) {
    const target = name.split('/')[0];
    if (quoted && languageFolders.includes(target) && target !== layer)
      bad.push(`${path} includes ${name}: only the row of a language is known outside of ${target}/`);
    if (!layers.includes(layer))
      bad.push(`${path}: server/${layer} is not a layer`);
    else if (quoted && layers.includes(target) && layers.indexOf(target) > layers.indexOf(layer))
      bad.push(`${path} includes ${name}: ${layer}/ may not know ${target}/`);
    else if (quoted && !name.includes('/') && files.includes(`${dirname(path)}/${name}`))
      bad.push(`${path} includes "${name}" without its folder`);
  }
  return bad;
}

function thirdPartyHomes() {
  const bad = [];
  for (const { path, layer, name } of includes()) {
    const home = homes.find(({ header }) => header.test(name));
    if (home && !home.layers.includes(layer))
      bad.push(`${path} includes <${name}>, which is at home in ${home.layers.join(' and ')}`);
  }
  return bad;
}

/** Invariant 2: languages and editor/, and what they stand on, neither print nor open files, and know no JSON. */
function pureLayers() {
  const pure = layers.slice(layers.indexOf('text'), layers.indexOf('editor') + 1);
  const bad = [];
  for (const path of ending(/^server\/\w+\/.*\.c$/)) {
    const call = /\b(?:f?printf|puts|fopen|fread|fwrite|open|popen|system|json_\w+|uv_\w+)\s*\(/.exec(read(path));
    if (call && pure.includes(path.split('/')[1]))
      bad.push(`${path} calls ${call[0]}…)`);
  }
  return bad;
}

/** What is said to people goes through host/say.h, so that no name and no text moves the cursor of a terminal. */
function messagesAreSaid() {
  const own = ['server/host/say.c', 'server/base/memory.c'];
  const bad = [];
  for (const path of ending(/^server\/\w+\/.*\.c$/).filter((name) => !own.includes(name))) {
    const call = /\bperror\s*\(|\b\w+\([^;]*\bstderr\b/.exec(read(path).replace(/\bsay_lines\(stderr\b/g, '').replace(/\/\/.*/g, ''));
    if (call)
      bad.push(`${path} writes to stderr itself: ${call[0].split('\n')[0]}`);
  }
  return bad;
}

/** qsort() orders equal elements as it likes, so one text would give other answers on another system. */
function sortsAreStable() {
  return ending(/^(server|symbolics-db)\/.*\.[ch]$/).filter((path) => /\bqsort(_\w+)?\s*\([^)]/.test(read(path)))
    .map((path) => `${path} calls qsort(); base/sort.h keeps the order of equals`);
}

/** Invariant 5. Numbers of things that are shown are no limits: they are called so. */
function limitsHaveOneHome() {
  const bad = [];
  for (const path of ending(/^server\/.*\.[ch]$/).filter((name) => name !== 'server/base/limits.h')) {
    const code = read(path).replace(/\/\/.*/g, '');
    const named = [...code.matchAll(/\benum\s*\w*\s*\{([^}]*)\}/g)].flatMap(([, body]) => [...body.matchAll(/\b(\w+)\s*=/g)])
      .concat([...code.matchAll(/^\s*#\s*define\s+(\w+)\s/gm)], [...code.matchAll(/\bconst\s+\w+\s+(\w+)\s*=/g)]);
    for (const [, name] of named)
      if (/_(?:LIMIT|DEPTH|BUDGET)$/i.test(name) && name === name.toUpperCase() && !ownLimits.includes(name))
        bad.push(`${path} sets ${name}; server/base/limits.h is the place for it`);
  }
  return bad;
}

function headerBlocks() {
  const bad = [];
  for (const path of ending(/^server\/.*\.h$/)) {
    const block = /^(?:\/\/\/.*\n)+/.exec(read(path))?.[0] ?? '';
    if (/^\/\/\/ (?:Ownership|Units|Errors|Sources): +none[.;]/m.test(block))
      bad.push(`${path}: a line that says "none" is left out, or says only the rest`);
    const missing = ['Threads'].filter(
      (field) => !new RegExp(`^/// ${field}: `, 'm').test(block));
    if (missing.length)
      bad.push(`${path} does not begin by saying ${missing.join(', ')}`);
  }
  return bad;
}

/** A language is asked through its row: nobody tells languages apart by their names, addresses, dialects or own sets. */
function kindForks() {
  const rows = [...ending(/^server\/.*\.c$/).map(read).join('\n').matchAll(/^const Language (\w+_language) = \{\n {2}\.name = "([\w-]+)",\n(?:.*\n)*?\};/gm)];
  const names = rows.map(([, , name]) => name).join('|');
  const own = [...new Set(rows.flatMap(([row]) => [...row.matchAll(/\bIN_\w+/g)].map(([set]) => set)))]
    .filter((set) => !['IN_GRAPHS', 'IN_CODE', 'IN_SOURCES', 'IN_REQUIREMENTS'].includes(set));
  const forks = [
    new RegExp(`\\b(?:str_equal|strcmp)\\([^;]*"(?:${names})"`),
    /[=!]= &\w+_language\b/,
    new RegExp(`\\b(?:${own.join('|')})\\b`),
    /->dialect\b/,
  ];
  const bad = names && own.length ? [] : ['no language has a row'];
  const asks = (path) => !languageFolders.includes(path.split('/')[1]) && path !== 'server/core/language.h';
  for (const path of ending(/^server\/.*\.[ch]$/).filter(asks)) {
    const code = read(path).replace(/\/\/.*$/gm, '');
    for (const fork of forks.map((pattern) => pattern.exec(code)).filter(Boolean))
      bad.push(`${path} tells a language by ${JSON.stringify(fork[0])}`);
  }
  return bad;
}

/** Only rows of languages name the endings that tell their files. A vague one (`.txt`) tells none, so it is anybody's. */
function fileEndings() {
  const rows = ending(/^server\/.*\.c$/).filter((path) => /\.endings =/.test(read(path)));
  const named = rows.flatMap((path) => [...read(path).matchAll(/STR_INIT\("(\.[\w.]+)"\), false \}/g)].map((match) => match[1]));
  const bad = named.length ? [] : ['no row of a language names an ending'];
  for (const path of ending(/^server\/.*\.[ch]$/).filter((name) => !languageFolders.includes(name.split('/')[1]) && !rows.includes(name))) {
    // A text may name a file in its middle; an ending is a question about a file's own name.
    const code = read(path).replace(/\/\/.*$/gm, '').replace(/str_find\([^;]*;/g, '');
    for (const suffix of named)
      if (code.includes(`"${suffix}"`))
        bad.push(`${path} names the ending ${suffix}; a language's row is the place for it`);
  }
  return bad;
}

/** A name leads to one file. */
function uniqueStems() {
  const seen = new Map();
  for (const path of ending(/^server\/.*\.c$/)) {
    const stem = path.split('/').pop();
    seen.set(stem, [...(seen.get(stem) ?? []), path]);
  }
  return [...seen.values()].filter((paths) => paths.length > 1).map((paths) => `one name for ${paths.join(' and ')}`);
}

/** As C programs call what can't fail to allocate. */
const ownNames = ['xmalloc', 'xcalloc', 'xrealloc', 'xstrdup_str'];

/**
 * The name of a function leads to the header that declares it: it holds a word of the header's name or the name of a type
 * that is defined there, or begins with the folder's.
 */
function functionNames() {
  const singular = (word) => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const bad = [];
  for (const path of ending(/^server\/.*\.h$/)) {
    const code = read(path).replace(/\/\/.*/g, '');
    const folders = path.split('/').slice(1, -1);
    const own = path.split('/').pop().slice(0, -2).split('_').filter((word) => !['private', 'internal'].includes(word)).map(singular);
    const types = [...code.matchAll(/^(?:typedef )?(?:struct|enum|union) ([A-Z]\w+)[ ;]|^typedef [^;{]*?\b([A-Z]\w+)(?:\)?\(.*)?;/gm)]
      .map(([, tag, name]) => (tag ?? name).replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
    for (const [, name] of code.matchAll(/^(?!static|typedef)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*?\)[^;{}]*;/gm)) {
      const words = name.split('_').map(singular);
      const leads = words.some((word) => own.includes(word)) || folders.some((folder) => `${name}_`.startsWith(`${folder}_`)) ||
        types.some((type) => `_${name}_`.includes(`_${type}_`));
      if (!leads && !ownNames.includes(name))
        bad.push(`${path} declares ${name}(), whose name does not say so`);
    }
  }
  return bad;
}

/** A function that a header declares is for other files than the one that defines it: of the program, or of its tests. */
function declaredForOthers() {
  const sources = ending(/\.[ch]$|\.def$/).map((path) => [path, read(path).replace(/\/\/.*/g, '')]);
  const users = new Map();
  for (const [path, code] of sources) {
    for (const word of new Set(code.match(/\b[a-z]\w*\b/g)))
      users.set(word, [...users.get(word) ?? [], path]);
  }
  return sources.filter(([path]) => /^server\/.*\.h$/.test(path)).flatMap(([path, code]) =>
    [...code.matchAll(/^(?!static|typedef)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*?\)[^;{}]*;/gm)].map(([, name]) => name)
      .filter((name) => users.get(name).length <= 2 && code.match(new RegExp(`\\b${name}\\b`, 'g')).length === 1)
      .map((name) => `${path} declares ${name}() for nobody else`));
}

/** What the system's headers declare on Windows, too, where windows/posix.h stands before every file. */
const systemNames = `access chdir chmod chsize close creat cwait dup dup2 eof execl execle execlp execlpe execv execve execvp
  execvpe filelength getcwd getpid isatty locking lseek mkdir mktemp open read remove rename rmdir setmode sopen system
  umask unlink write`.split(/\s+/);

function freeNames() {
  const definition = new RegExp(`^[a-z][\\w *]*?[ *](${systemNames.join('|')})\\([^;]*$`, 'gm');
  return ending(/^server\/.*\.c$/).flatMap((path) => [...read(path).matchAll(definition)]
    .map(([, name]) => `${path} defines ${name}(), which is a function of the system on Windows`));
}

/** A `name` in the comment of a function is one of its parameters, or at least a word of its header or its file. */
function commentParameters() {
  const bad = [];
  for (const path of ending(/^server\/.*\.h$/)) {
    const text = read(path);
    const body = path.replace(/h$/, 'c');
    const words = texts.has(body) || files.includes(body) ? read(body) : '';
    for (const [, comment, name, parameters] of text.matchAll(/((?:^\/\/\/.*\n)+)^[\w *]*?\b(\w+)\(([^;{]*?)\)[^;{]*;/gm)) {
      const code = text.replaceAll(comment, '') + words;
      for (const [, word] of comment.matchAll(/`([a-z]\w*)`/g))
        if (![parameters, code].some((where) => new RegExp(`\\b${word}\\b`).test(where)))
          bad.push(`${path}: the comment of ${name}() names \`${word}\`, which is not a parameter`);
    }
  }
  return bad;
}

/** Files of ours that a comment names; what others call so is in angle brackets, or has its project before it. */
function commentFiles() {
  const foreign = ['landlock.h'];
  const names = new Set(files.map((path) => path.split('/').pop()));
  const bad = [];
  for (const path of ending(/^(server|symbolics-db|windows|tests)\/.*\.[ch]$/)) {
    const comments = [...read(path).matchAll(/^[^"\n]*?\/\/(.*)$/gm)].map(([, comment]) => comment).join('\n');
    for (const [, folder, name] of comments.matchAll(/(?<![\w./<>:-])((?:[a-z_]+\/)*)([a-z]\w+\.[ch])\b/g)) {
      const isOurs = files.some((file) => `/${file}`.endsWith(`/${folder}${name}`));
      const isSaidOurs = !folder || names.has(name) || /^(server|symbolics-db|windows|tests)\//.test(folder);
      if (!isOurs && !foreign.includes(name) && isSaidOurs)
        bad.push(`${path} names ${folder}${name}, which is not there`);
    }
  }
  return bad;
}

function fileLengths() {
  const bad = [];
  for (const path of ending(/\.(c|h|js|mjs|cjs|ts|py|sh|lua|el)$/)) {
    const lines = read(path).split('\n').length - 1;
    if (lines > LINE_LIMIT && !longFiles[path])
      bad.push(`${path} has ${lines} lines; ${LINE_LIMIT} is the limit`);
  }
  for (const path of Object.keys(longFiles)) {
    if (!files.includes(path) || read(path).split('\n').length - 1 <= LINE_LIMIT)
      bad.push(`${path} is listed as a long file and is none`);
  }
  return bad;
}

/** From its first line to its closing brace, in the form that clang-format gives. */
function functionLengths() {
  const bad = [];
  for (const path of ending(/^server\/.*\.[ch]$/)) {
    for (const [whole, head] of read(path).matchAll(/^(\w[^;{}#\n]*\b\w+\((?:[^;{}#]*)\))\n\{\n(?:.*\n)*?\}$/gm)) {
      const lines = whole.split('\n').length;
      if (lines > FUNCTION_LIMIT)
        bad.push(`${path}: ${/(\w+)\(/.exec(head)[1]}() has ${lines} lines; ${FUNCTION_LIMIT} is the limit`);
    }
  }
  return bad;
}

function ruleNames() {
  return readRules().map(({ name }) => name);
}

function rulesHavePages() {
  const names = ruleNames();
  const bad = [];
  for (const name of names) {
    const page = `docs/rules/${name}.md`;
    if (!files.includes(page))
      bad.push(`${page} is missing`);
    else if (!new RegExp(`^# ${name}$`, 'm').test(read(page)))
      bad.push(`${page} does not start with its name`);
    else if (!new RegExp(`^#.*\\[${name}[\\],]`, 'm').test(read(page)))
      bad.push(`${page} has no example that is reported`);
  }
  for (const page of ending(/^docs\/rules\/.*\.md$/)) {
    if (!names.includes(page.slice('docs/rules/'.length, -'.md'.length)))
      bad.push(`${page} is about no rule`);
  }
  return bad;
}

function rulesAreListed() {
  try {
    return generated().filter(({ text, wanted }) => text !== wanted)
      .map(({ path }) => `${path} is older than rules.def (./dev generate)`);
  } catch (error) {
    return [error.message];
  }
}

function pagesSaySeverities() {
  return readRules().filter(({ name, severity }) => files.includes(`docs/rules/${name}.md`) &&
    !read(`docs/rules/${name}.md`).includes(`Severity: ${severity}`))
    .map(({ name, severity }) => `docs/rules/${name}.md does not say its severity, ${severity}`);
}

function rulesHaveCases() {
  const cases = ending(/^tests\/cases\/.*\.case$/).map(read).join('\n');
  return ruleNames().filter((name) => !new RegExp(`^#.*\\[${name}[\\],]`, 'm').test(cases))
    .map((name) => `no case in tests/cases reports ${name}`);
}

/** Paths of somebody's machine; the pattern is put together so that this file does not hold one. */
function machinePaths() {
  const pattern = new RegExp(`(?:^|[\\s"'\`(=:,])/(?:${['work', 'tmp'].join('|')})(?:/\\w|["'\`\\s])`, 'm');
  const seeds = readdirSync(join(root, 'tests/fuzz/seeds'), { recursive: true }).map((name) => join('tests/fuzz/seeds', name))
    .filter((path) => statSync(join(root, path)).isFile());
  // Other people's texts name their own temporary files.
  const ofSeeds = new RegExp(`["'\\s/]/${'work'}/\\w`);
  const archives = files.filter((path) => /^tests\/fuzz\/corpus\/.*\.gz$/.test(path));
  const unpacked = (path) => gunzipSync(readFileSync(join(root, path))).toString('latin1');
  return [...files.filter((path) => pattern.test(read(path))), ...seeds.filter((path) => ofSeeds.test(readFileSync(join(root, path), 'latin1'))),
    ...archives.filter((path) => ofSeeds.test(unpacked(path)))]
    .map((path) => `${path} holds a path of a machine`);
}

/** As GitHub makes them. */
function anchors(text) {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title.trim().toLowerCase().replace(/[^\w\- ]/g, '').replace(/ /g, '-'));
}

function docLinks() {
  const bad = [];
  for (const path of ending(/\.md$/)) {
    const prose = read(path).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target))
        continue;
      const [file, anchor] = target.split('#');
      const full = file ? join(dirname(path), file).split(sep).join('/') : path;
      // The extension is made in `dist`, with copies of pictures.
      const source = full.replace(/^editors\/vscode\/dist\//, 'docs/screenshots/');
      if (!existsSync(join(root, full)) && !existsSync(join(root, source)))
        bad.push(`${path}: ${target} leads nowhere`);
      else if (anchor && !anchors(readFileSync(join(root, full), 'utf8')).includes(anchor))
        bad.push(`${path}: ${target}: there is no such heading`);
    }
  }
  return bad;
}

/** Files that docs/ and README name in `backticks`, when they look like paths of this tree. */
function docPaths() {
  const bad = [];
  const tops = 'server|grammar|symbolics-db|editors|tests|docs|demo|cmake';
  for (const path of ending(/^(docs\/[\w-]+|README|CONTRIBUTING)\.md$/)) {
    for (const [, name] of read(path).matchAll(new RegExp(`\`((?:${tops})/[\\w./-]+)\``, 'g'))) {
      if (!/NAME|[A-Z]{4}/.test(name) && !existsSync(join(root, name)))
        bad.push(`${path} names ${name}, which is not there`);
    }
  }
  return bad;
}

function textHygiene() {
  const bad = [];
  for (const path of ending(/\.(c|h|def|mjs|js|md|json|cmake|txt|proto|scm|sh|1)$|^dev$/)) {
    const text = read(path);
    if (/[ \t]$/m.test(text))
      bad.push(`${path} has white space at the end of line ${text.slice(0, text.search(/[ \t]$/m)).split('\n').length}`);
    if (text.includes('\t') && !/\.(txt|tsv)$/.test(path))
      bad.push(`${path} holds a tab`);
    if (text.length && !text.endsWith('\n'))
      bad.push(`${path} does not end with a line break`);
  }
  return bad;
}

/** With --quick: what differs from the last commit. */
const changed = process.argv.includes('--quick') && new Set(
  execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: root, encoding: 'utf8' })
    .split('\n').map((line) => line.slice(3)));

/** Only with the version whose taste .clang-format is written for. */
function formatting() {
  const version = spawnSync('clang-format', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0 || !/version 14\./.test(version.stdout))
    return null;
  const sources = ending(/^(server|symbolics-db|tests)\/.*\.[ch]$/).filter((path) => !changed || changed.has(path));
  if (!sources.length)
    return [];
  const result = spawnSync('clang-format', ['--dry-run', ...sources], { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  return [...new Set(result.stderr.split('\n').filter((line) => line.includes('warning:'))
    .map((line) => `${line.split(':')[0]} is not formatted (./dev format)`))];
}

/** Syntax only; shellcheck is for people. */
function shellScripts() {
  const bad = [];
  for (const path of files.filter((name) => /^#!.*\bsh\b/.test(read(name).slice(0, 40)))) {
    try {
      execFileSync('sh', ['-n', join(root, path)], { stdio: 'pipe' });
    } catch (error) {
      bad.push(`${path}: ${error.stderr.toString().trim()}`);
    }
  }
  return bad;
}

const checks = {
  'layers include only those above them': layering,
  'third-party headers stay in their homes': thirdPartyHomes,
  'languages and what they stand on do no I/O and no JSON': pureLayers,
  'messages are said by host/say.h': messagesAreSaid,
  'limits are in server/base/limits.h': limitsHaveOneHome,
  'sorts keep the order of equals': sortsAreStable,
  'headers begin with what a caller must know': headerBlocks,
  'languages are asked through their rows': kindForks,
  'endings are in rows of languages': fileEndings,
  'no two files of the server have one name': uniqueStems,
  'functions are called by their modules': functionNames,
  'what headers declare is for others': declaredForOthers,
  'no function has the name of one of the system': freeNames,
  'comments name real parameters': commentParameters,
  'files that comments name are there': commentFiles,
  'files are not too long': fileLengths,
  'functions fit on a screen': functionLengths,
  'every rule has a page': rulesHavePages,
  'what lists rules is as it is generated': rulesAreListed,
  'pages of rules say their severities': pagesSaySeverities,
  'every rule has a case': rulesHaveCases,
  'no path of a machine': machinePaths,
  'links in the documentation lead somewhere': docLinks,
  'files that the documentation names are there': docPaths,
  'no stray white space': textHygiene,
  'C files are formatted': formatting,
  'shell scripts parse': shellScripts,
};

let passed = 0;
let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const bad = check();
  if (bad === null) {
    console.log(`skipped: ${name}`);
  } else if (bad.length) {
    failed++;
    console.log(`FAILED: ${name}\n${bad.map((line) => `  ${line}`).join('\n')}`);
  } else {
    passed++;
    console.log(`ok: ${name}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
