// The types of LSP, read from the declarations that vscode-languageserver-protocol ships, and a check of messages
// against them. (The package's metaModel.json is generated from the same declarations, and is not in the package.)
// What is checked: required members, types of members, literals, and members that the specification does not know.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules');
const sources = ['vscode-jsonrpc/lib/common', 'vscode-languageserver-types/lib/esm', 'vscode-languageserver-protocol/lib/common'];

/** Declared in terms of vscode-jsonrpc, without a `method` of their own. */
const extraMethods = [
  ['$/cancelRequest', 'CancelParams'],
  ['$/logTrace', 'LogTraceParams'],
  ['$/progress', 'ProgressParams'],
  ['$/setTrace', 'SetTraceParams'],
];

const ANY = { kind: 'any' };
const primitives = new Set(['string', 'number', 'boolean', 'null', 'undefined', 'void', 'object', 'never']);
const brackets = new Map([['{', '}'], ['(', ')'], ['[', ']'], ['<', '>']]);
/** Aliases of `number` that mean more than that. */
const numbers = {
  integer: (n) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31,
  uinteger: (n) => Number.isInteger(n) && n >= 0 && n < 2 ** 31,
  decimal: () => true,
};

function tokenize(text) {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/[^\n]*/g, ' ');
  return bare.match(/[A-Za-z_$][\w$]*|-?\d[\w.]*|'[^']*'|"[^"]*"|`[^`]*`|=>|\.\.\.|[^\s]/g) ?? [];
}

/** A reader of the part of TypeScript that declarations of data use; the rest is skipped, or becomes ANY. */
class Reader {
  constructor(text, model) {
    this.tokens = tokenize(text);
    this.at = 0;
    this.model = model;
  }

  get next() { return this.tokens[this.at]; }
  take() { return this.tokens[this.at++]; }

  accept(token) {
    if (this.next !== token)
      return false;
    this.at++;
    return true;
  }

  expect(token) {
    if (!this.accept(token))
      throw new Error(`'${token}' expected, not '${this.next}' (after ${this.tokens.slice(this.at - 8, this.at).join(' ')})`);
  }

  /** Passes over a bracket and all that is in it. */
  skipBrackets() {
    const close = brackets.get(this.take());
    while (this.next !== close && this.next !== undefined) {
      if (brackets.has(this.next))
        this.skipBrackets();
      else
        this.at++;
    }
    this.expect(close);
  }

  /** Passes over a statement: to its semicolon, or its closing brace. */
  skipStatement() {
    while (this.next !== undefined && this.next !== '}') {
      if (this.accept(';'))
        return;
      if (this.next === '{') {
        this.skipBrackets();
        if (![';', '|', '&', '[', ','].includes(this.next))
          return;
      } else if (this.next === '(' || this.next === '[') {
        this.skipBrackets();
      } else {
        this.at++;
      }
    }
  }

  statements(end) {
    while (this.next !== end && this.next !== undefined)
      this.statement();
  }

  statement() {
    while (this.accept('export') || this.accept('declare'));
    if (this.next === 'interface')
      this.interface();
    else if (this.next === 'type' && this.tokens[this.at + 1] !== ':')
      this.alias();
    else if (this.next === 'namespace')
      this.namespace();
    else if (!this.accept(';'))
      this.skipStatement();
  }

  interface() {
    this.take();
    const name = this.take();
    const type = { kind: 'object', members: new Map(), index: null, parents: [], generics: this.generics() };
    if (this.accept('extends')) {
      do
        type.parents.push(this.unit());
      while (this.accept(','));
    }
    this.members(type);
    this.model.types.set(name, type);
  }

  alias() {
    this.take();
    const name = this.take();
    const generics = this.generics();
    this.expect('=');
    const type = this.type();
    if (!numbers[name] && !this.model.types.has(name))
      this.model.types.set(name, generics.length && type.kind === 'object' ? { ...type, generics } : type);
    this.accept(';');
  }

  /** Names of type parameters; they are taken for ANY. */
  generics() {
    const names = [];
    if (!this.accept('<'))
      return names;
    let depth = 1;
    for (let wantsName = true; depth > 0; this.at++) {
      if (wantsName && depth === 1 && /^[A-Za-z]/.test(this.next))
        names.push(this.next);
      wantsName = this.next === ',';
      depth += (this.next === '<') - (this.next === '>');
    }
    return names;
  }

  /** `const` members of a namespace: its literals, and what a request is. */
  namespace() {
    this.take();
    const space = this.take();
    const found = {};
    this.expect('{');
    while (!this.accept('}')) {
      while (this.accept('export'));
      if (!this.accept('const')) {
        this.skipStatement();
        continue;
      }
      const name = this.take();
      if (this.accept('='))
        this.model.literals.set(`${space}.${name}`, this.type());
      else if (this.accept(':'))
        found[name] = this.model.literals.set(`${space}.${name}`, this.type()).get(`${space}.${name}`);
      this.accept(';');
    }
    if (found.method?.kind === 'literal' && found.type?.kind === 'name')
      this.model.methods.set(found.method.value, this.signature(found.type));
  }

  signature({ name, args }) {
    if (name === 'ProtocolRequestType')
      return { params: args[0], result: args[1] };
    if (name === 'ProtocolRequestType0')
      return { params: null, result: args[0] };
    return { params: name === 'ProtocolNotificationType' ? args[0] : null };
  }

  members(type) {
    this.expect('{');
    while (!this.accept('}'))
      this.member(type);
  }

  member(type) {
    this.accept('readonly');
    if (this.next === '[' && this.tokens[this.at + 2] === ':') {
      this.at += 3;
      this.type();
      this.expect(']');
      this.expect(':');
      type.index = this.type();
    } else if (this.next === '(' || this.next === '<' || this.next === '[') {
      this.skipStatement();
    } else {
      const name = this.take().replace(/^['"]|['"]$/g, '');
      const optional = this.accept('?');
      if (this.accept(':'))
        type.members.set(name, { optional, type: this.type() });
      else
        this.skipStatement();  // A method, which JSON has not.
    }
    while (this.accept(';') || this.accept(','));
  }

  type() {
    this.accept('|');
    const choices = [this.intersection()];
    while (this.accept('|'))
      choices.push(this.intersection());
    const type = choices.length > 1 ? { kind: 'union', choices } : choices[0];
    if (this.next === 'extends') {  // A conditional type.
      this.skipStatement();
      this.at--;
      return ANY;
    }
    return type;
  }

  intersection() {
    const parts = [this.postfix()];
    while (this.accept('&'))
      parts.push(this.postfix());
    return parts.length > 1 ? { kind: 'intersection', parts } : parts[0];
  }

  postfix() {
    let type = this.unit();
    while (this.next === '[') {
      this.at++;
      if (this.accept(']')) {
        type = { kind: 'array', of: type };
      } else {
        this.type();
        this.expect(']');
        type = ANY;
      }
    }
    return type;
  }

  unit() {
    const token = this.take();
    if (token === '{') {
      this.at--;
      const type = { kind: 'object', members: new Map(), index: null, parents: [], generics: [] };
      this.members(type);
      return type;
    }
    if (token === '(')
      return this.parenthesis();
    if (token === '[')
      return this.tuple();
    if (/^['"`]/.test(token))
      return { kind: 'literal', value: token.slice(1, -1) };
    if (/^-?\d/.test(token))
      return { kind: 'literal', value: Number(token) };
    if (token === 'true' || token === 'false')
      return { kind: 'literal', value: token === 'true' };
    if (token === 'typeof')
      return { kind: 'typeof', name: this.dotted(this.take()) };
    if (token === 'keyof' || token === 'readonly' || token === 'unique') {
      this.postfix();
      return ANY;
    }
    const name = this.dotted(token);
    const args = [];
    if (this.accept('<')) {
      while (!this.accept('>')) {
        args.push(this.type());
        this.accept(',');
      }
    }
    if (this.next === 'is') {
      this.take();
      this.type();
      return ANY;
    }
    if (name === 'any' || name === 'unknown')
      return ANY;
    if (name === 'Array')
      return { kind: 'array', of: args[0] };
    return primitives.has(name) ? { kind: 'primitive', name } : { kind: 'name', name, args };
  }

  dotted(name) {
    while (this.accept('.'))
      name += `.${this.take()}`;
    return name;
  }

  /** A type in parentheses, or a function. */
  parenthesis() {
    const start = this.at - 1;
    const isFunction = this.next === ')' || this.next === '...' || [':', '?', ','].includes(this.tokens[this.at + 1]);
    if (isFunction) {
      this.at = start;
      this.skipBrackets();
      this.expect('=>');
      this.type();
      return ANY;
    }
    const type = this.type();
    this.expect(')');
    return type;
  }

  tuple() {
    const items = [];
    while (!this.accept(']')) {
      items.push(this.type());
      this.accept(',');
    }
    return { kind: 'tuple', items };
  }
}

function load() {
  const model = { types: new Map(), literals: new Map(), methods: new Map() };
  for (const folder of sources) {
    for (const name of readdirSync(join(modules, folder)).filter((file) => file.endsWith('.d.ts')))
      new Reader(readFileSync(join(modules, folder, name), 'utf8'), model).statements();
  }
  for (const [method, type] of extraMethods)
    model.methods.set(method, { params: { kind: 'name', name: type, args: [] } });
  return model;
}

const model = load();
const shapes = new Map();

/** An object's members with those that it inherits; null if the type is not an object. */
function shapeOf(type) {
  if (shapes.has(type))
    return shapes.get(type);
  let shape = null;
  if (type.kind === 'name' && model.types.has(type.name)) {
    shape = shapeOf(model.types.get(type.name));
  } else if (type.kind === 'object' || type.kind === 'intersection') {
    const parts = type.kind === 'object' ? type.parents : type.parts;
    shape = { members: new Map(), index: type.index ?? null, generics: type.generics ?? [] };
    for (const part of parts.map(shapeOf)) {
      if (!part)
        return null;
      part.members.forEach((member, name) => shape.members.set(name, member));
      shape.index ??= part.index;
    }
    type.members?.forEach((member, name) => shape.members.set(name, member));
  }
  shapes.set(type, shape);
  return shape;
}

function describe(value) {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function checkObject(value, shape, path) {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [`${path}: ${describe(value)} is not an object`];
  const problems = [];
  for (const [name, member] of shape.members) {
    if (value[name] === undefined) {
      if (!member.optional)
        problems.push(`${path}: '${name}' is missing`);
    } else if (!(member.type.kind === 'name' && shape.generics.includes(member.type.name))) {
      problems.push(...check(value[name], member.type, `${path}.${name}`));
    }
  }
  for (const name of Object.keys(value)) {
    if (shape.members.has(name))
      continue;
    if (shape.index)
      problems.push(...check(value[name], shape.index, `${path}.${name}`));
    else
      problems.push(`${path}: '${name}' is not in the specification`);
  }
  return problems;
}

function checkPrimitive(value, name, path) {
  const fits = name === 'void' || name === 'null' ? value === null
    : name === 'object' ? value !== null && typeof value === 'object'
      : name === 'undefined' || name === 'never' ? false : typeof value === name;
  return fits ? [] : [`${path}: ${describe(value)} is no ${name}`];
}

function checkName(value, type, path) {
  if (numbers[type.name])
    return typeof value === 'number' && numbers[type.name](value) ? [] : [`${path}: ${describe(value)} is no ${type.name}`];
  const target = model.types.get(type.name);
  if (!target)
    throw new Error(`the model has no type '${type.name}' (at ${path})`);
  return check(value, shapeOf(type) ? { kind: 'shape', shape: shapeOf(type) } : target, path);
}

/** What is wrong with `value`, a sentence each. */
function check(value, type, path) {
  switch (type.kind) {
  case 'any':
    return [];
  case 'shape':
    return checkObject(value, type.shape, path);
  case 'object':
  case 'intersection': {
    const shape = shapeOf(type);
    return shape ? checkObject(value, shape, path) : type.parts.flatMap((part) => check(value, part, path));
  }
  case 'primitive':
    return checkPrimitive(value, type.name, path);
  case 'literal':
    return value === type.value ? [] : [`${path}: ${describe(value)} is not ${describe(type.value)}`];
  case 'typeof':
    return check(value, model.literals.get(type.name), path);
  case 'array':
    if (!Array.isArray(value))
      return [`${path}: ${describe(value)} is not an array`];
    if (numbers[type.of.name] && value.every((item) => typeof item === 'number' && numbers[type.of.name](item)))
      return [];  // Semantic tokens: a path for each of a million numbers takes its time.
    return value.flatMap((item, i) => check(item, type.of, `${path}[${i}]`));
  case 'tuple':
    if (!Array.isArray(value) || value.length !== type.items.length)
      return [`${path}: ${describe(value)} is not an array of ${type.items.length}`];
    return value.flatMap((item, i) => check(item, type.items[i], `${path}[${i}]`));
  case 'union': {
    // The complaint of the alternative that came nearest.
    let best = null;
    let bestIsNull = false;
    for (const choice of type.choices) {
      const problems = check(value, choice, path);
      if (problems.length === 0)
        return [];
      const isNull = choice.kind === 'primitive' && choice.name === 'null';
      if (!best || (!isNull && (bestIsNull || problems.length < best.length))) {
        best = problems;
        bestIsNull = isNull;
      }
    }
    return best;
  }
  case 'name':
    return checkName(value, type, path);
  default:
    throw new Error(`a type of kind '${type.kind}' (at ${path})`);
  }
}

export function hasMethod(method) {
  return model.methods.has(method);
}

/** Problems of the params of a request or notification. */
export function checkParams(method, params) {
  const signature = model.methods.get(method);
  if (!signature)
    return [`${method}: there is no such method`];
  if (!signature.params || (signature.params.kind === 'primitive' && signature.params.name === 'void'))
    return params === undefined || params === null ? [] : [`${method}: takes no params`];
  if (method === '$/progress')
    return [...check(params, signature.params, method), ...checkProgress(params)];
  return check(params, signature.params, method);
}

/** The specification leaves the value of $/progress open; ours are work-done progress, and parts of workspace/diagnostic. */
function checkProgress({ value }) {
  if (value?.items)
    return check(value, { kind: 'name', name: 'WorkspaceDiagnosticReportPartialResult', args: [] }, '$/progress.value');
  const names = { begin: 'WorkDoneProgressBegin', report: 'WorkDoneProgressReport', end: 'WorkDoneProgressEnd' };
  return check(value, { kind: 'name', name: names[value?.kind] ?? 'WorkDoneProgressEnd', args: [] }, '$/progress.value');
}

/** Problems of the result of a request. */
export function checkResult(method, result) {
  if (method.startsWith('onnxls/'))  // Our own: docs/protocol.md.
    return [];
  const signature = model.methods.get(method);
  if (!signature || !signature.result)
    return [`${method}: there is no such request`];
  return check(result, signature.result, `${method} result`);
}

/** Problems of a value of a named type. */
export function checkType(name, value) {
  return check(value, { kind: 'name', name, args: [] }, name);
}

export const methodCount = model.methods.size;
export const typeCount = model.types.size;
