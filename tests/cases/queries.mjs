// What a case can ask for: `@NAME` under a caret, or `#@ NAME` for the whole document. A query is a function of
// (client, uri, position, document) and answers with lines of text. What is not in the table is the request of that name.
import { formatRange } from './case_file.mjs';

/** The text of a range, shortened, so that people see what the numbers mean. */
function quoted(document, { start, end }) {
  const line = [...(document.lines[start.line] ?? '')];
  const text = start.line === end.line ? line.slice(start.character, end.character).join('')
                                       : `${line.slice(start.character).join('')} …`;
  return `«${text.length > 40 ? `${text.slice(0, 40)}…` : text}»`;
}

function place(document, range) {
  return `${formatRange(range)} ${quoted(document, range)}`;
}

function locations(document, uri, root, answer) {
  const list = Array.isArray(answer) ? answer : answer ? [answer] : [];
  return list.map((location) => {
    const target = location.targetUri ?? location.uri;
    const range = location.targetSelectionRange ?? location.range;
    return target === uri ? place(document, range) : `${target.replace(root, '')} ${formatRange(range)}`;
  });
}

const symbolKinds = ['', 'file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field', 'constructor',
  'enum', 'interface', 'function', 'variable', 'constant', 'string', 'number', 'boolean', 'array', 'object', 'key',
  'null', 'enum member', 'struct', 'event', 'operator', 'type parameter'];

function symbolLines(document, symbols, depth) {
  return symbols.flatMap((symbol) => [
    `${'  '.repeat(depth)}${symbolKinds[symbol.kind]} ${symbol.name}${symbol.detail ? ` — ${symbol.detail}` : ''} ` +
      `(${formatRange(symbol.range)}; name ${formatRange(symbol.selectionRange)})`,
    ...symbolLines(document, symbol.children ?? [], depth + 1),
  ]);
}

function tokenLines(document, data, legend) {
  const lines = [];
  let line = 0;
  let character = 0;
  for (let i = 0; i < data.length; i += 5) {
    character = data[i] ? data[i + 1] : character + data[i + 1];
    line += data[i];
    const modifiers = legend.tokenModifiers.filter((_, bit) => data[i + 4] & (1 << bit));
    const range = { start: { line, character }, end: { line, character: character + data[i + 2] } };
    lines.push(`${place(document, range)} ${[legend.tokenTypes[data[i + 3]], ...modifiers].join(' ')}`);
  }
  return lines;
}

const completionKinds = { 3: 'function', 7: 'class', 10: 'property', 12: 'value', 14: 'keyword', 20: 'enum member',
  21: 'constant', 24: 'operator' };

/** `label: kind, detail; inserts TEXT for RANGE`, the text only if it is not the label. */
function completionLine(document, item) {
  const text = item.textEdit.newText === item.label ? '' : ` inserts ${JSON.stringify(item.textEdit.newText)}`;
  const marks = [item.preselect && 'preselected', (item.tags || item.deprecated) && 'deprecated'].filter(Boolean);
  return `${item.label}: ${[completionKinds[item.kind], ...(item.detail ? [item.detail] : []), ...marks].join(', ')};` +
         `${text} for ${place(document, item.textEdit.replace)}`;
}

const at = (uri, position) => ({ textDocument: { uri }, position });
const whole = (uri) => ({ textDocument: { uri } });

/** Code actions at a place, or of the whole document if there is none. */
function askActions(client, uri, position, document, only) {
  const end = { line: document.lines.length, character: 0 };
  const range = position ? { start: position, end: position } : { start: { line: 0, character: 0 }, end };
  const context = { diagnostics: [], ...(only ? { only: [only] } : {}) };
  return client.request('textDocument/codeAction', { ...whole(uri), range, context });
}

function changesOf(action) {
  return (action.edit?.documentChanges ?? []).filter(({ edits }) => edits);
}

/** The lines of the document after an action's edits, which are in order. */
function applied(document, uri, action) {
  let lines = document.lines.map((line) => [...line]);
  const edits = changesOf(action).filter(({ textDocument }) => textDocument.uri === uri).flatMap((change) => change.edits);
  for (const { range: { start, end }, newText } of edits.reverse()) {
    const before = lines[start.line].slice(0, start.character);
    const after = (lines[end.line] ?? []).slice(end.character);
    const middle = newText.split(/\r\n?|\n/).map((line) => [...line]);
    middle[0] = [...before, ...middle[0]];
    middle[middle.length - 1] = [...middle.at(-1), ...after];
    lines = [...lines.slice(0, start.line), ...middle, ...lines.slice(end.line + 1)];
  }
  return lines.map((line) => line.join(''));
}

/** What an action makes of the document: its new lines, and what is reported of them then. */
async function afterAction(client, uri, document, action) {
  const after = applied(document, uri, action);
  const copy = `${uri.replace(/(\.\w+)$/, '-after$1')}`;
  client.open(copy, `${after.join('\n')}\n`, document.settings.language);
  const diagnostics = await client.diagnostics(copy);
  client.close(copy);
  const added = after.map((line, i) => [i, line]).filter(([, line]) => !document.lines.includes(line));
  const rest = diagnostics.filter(({ range }) => added.some(([i]) => i === range.start.line || i + 1 === range.start.line));
  return [action.title, ...added.map(([i, line]) => `${i + 1}| ${line}`),
    ...rest.map(({ range, code }) => `then ${formatRange(range)} ${code}`)];
}

/** An action about the document that is more than silence. */
function isFix(action) {
  return action.edit && !action.title.startsWith('Ignore ') && changesOf(action).length === action.edit.documentChanges.length;
}

/** The label with its active parameter in `«»`, then what is said of that parameter and of the whole. */
function signatureLines({ label, parameters, documentation, activeParameter }, isActive, help) {
  const active = parameters[activeParameter ?? help.activeParameter];
  const marked = active ? `${label.slice(0, active.label[0])}«${label.slice(...active.label)}»${label.slice(active.label[1])}` : label;
  const say = (text) => (text ? text.value.trimEnd().split('\n').filter((line) => line).map((line) => `  ${line}`) : []);
  return [`${isActive ? '' : 'or '}${marked}`, ...(isActive ? [...say(active?.documentation), ...say(documentation)] : [])];
}

const queries = {
  async actions({ client, uri, position, document }) {
    const actions = await askActions(client, uri, position, document);
    return actions.length ? actions.map(({ title, isPreferred }) => `${title}${isPreferred ? ' (preferred)' : ''}`) : ['nothing'];
  },
  async fix({ client, uri, position, document }) {
    const action = (await askActions(client, uri, position, document)).find(isFix);
    return action ? afterAction(client, uri, document, action) : ['nothing'];
  },
  async fixes({ client, uri, document }) {
    const [action] = await askActions(client, uri, null, document, 'source.fixAll.onnxls');
    return action ? afterAction(client, uri, document, action) : ['nothing'];
  },
  async ignore({ client, uri, position, document }) {
    const actions = await askActions(client, uri, position, document);
    const found = [];
    for (const action of actions.filter(({ title }) => title.startsWith('Ignore ')))
      found.push(...await afterAction(client, uri, document, action));
    return found.length ? found : ['nothing'];
  },
  async files({ client, uri, position, document, root }) {
    const actions = await askActions(client, uri, position, document);
    return actions.flatMap((action) => changesOf(action).filter(({ textDocument }) => textDocument.uri !== uri)
      .flatMap(({ textDocument, edits }) => [`${textDocument.uri.replace(root, '')}:`,
        ...edits.flatMap(({ range, newText }) => [`${formatRange(range)} becomes`, ...newText.trimEnd().split('\n')])]));
  },
  async report({ client, uri }) {
    const text = await client.request('workspace/executeCommand', { command: 'onnxls.unsupportedReport', arguments: [uri] });
    return text.trimEnd().split('\n');
  },
  async completion({ client, uri, position, document }) {
    const { isIncomplete, items } = await client.request('textDocument/completion', at(uri, position));
    const sorted = items.sort((a, b) => ((a.sortText ?? a.label) < (b.sortText ?? b.label) ? -1 : 1));
    return [...(items.length ? [] : ['nothing']), ...(isIncomplete ? ['incomplete'] : []),
      ...sorted.map((item) => completionLine(document, item))];
  },
  async calls({ client, uri, position, document }) {
    const [item] = await client.request('textDocument/prepareCallHierarchy', at(uri, position)) ?? [];
    if (!item)
      return ['nothing'];
    const say = ({ name, detail, selectionRange }) => `${name}${detail ? `, ${detail}` : ''} (${place(document, selectionRange)})`;
    const edges = (list, side, key) => list.map((edge) => `${side} ${say(edge[key])} at ` +
      edge.fromRanges.map((range) => formatRange(range)).join(', '));
    return [say(item), ...edges(await client.request('callHierarchy/incomingCalls', { item }), 'from', 'from'),
      ...edges(await client.request('callHierarchy/outgoingCalls', { item }), 'to', 'to')];
  },
  async definition({ client, uri, position, document, root }) {
    return locations(document, uri, root, await client.request('textDocument/definition', at(uri, position)));
  },
  async folding({ client, uri }) {
    const folds = await client.request('textDocument/foldingRange', whole(uri));
    return (folds ?? []).map((fold) => `${fold.startLine + 1}-${fold.endLine + 1}${fold.kind ? ` ${fold.kind}` : ''}`);
  },
  /** The beginning of what completion offers, where that is long. */
  async first({ client, uri, position, document }) {
    const lines = await queries.completion({ client, uri, position, document });
    return [...lines.slice(0, 4), `and ${lines.length - 4} more`];
  },
  /** Of the rules that completion offers: those that are reported here, and of the others, which grow in number, one of all
   * languages and one of Python. */
  async rules({ client, uri, position, document }) {
    const lines = await queries.completion({ client, uri, position, document });
    const others = lines.findIndex((line) => !/, reported here[,;]/.test(line));
    const samples = lines.slice(others).filter((line) => /^(?:unused-suppression|traced-constant):/.test(line));
    return [...lines.slice(0, others), 'and others', ...samples];
  },
  async highlight({ client, uri, position, document }) {
    const marks = await client.request('textDocument/documentHighlight', at(uri, position));
    return (marks ?? []).map((mark) => `${place(document, mark.range)} ${['', 'text', 'read', 'write'][mark.kind]}`);
  },
  async hover({ client, uri, position, document, root }) {
    const hover = await client.request('textDocument/hover', at(uri, position));
    if (!hover)
      return ['nothing'];
    return [place(document, hover.range), ...hover.contents.value.replaceAll(root, '').trimEnd().split('\n')];
  },
  async inlay({ client, uri, document }) {
    const range = { start: { line: 0, character: 0 }, end: { line: document.lines.length, character: 0 } };
    const hints = await client.request('textDocument/inlayHint', { ...whole(uri), range });
    const lines = document.lines.map((line) => [...line]);
    for (const { position, label, paddingLeft, paddingRight } of [...hints].reverse())
      lines[position.line].splice(position.character, 0, `${paddingLeft ? ' ' : ''}⟨${label}⟩${paddingRight ? ' ' : ''}`);
    return lines.map((line) => line.join('')).filter((line) => line.includes('⟨'));
  },
  async lenses({ client, uri, document }) {
    const lenses = await client.request('textDocument/codeLens', whole(uri));
    return lenses.length ? lenses.map(({ range, command }) => `${place(document, range)} ${command.title}`) : ['nothing'];
  },
  async links({ client, uri, document, root }) {
    const links = await client.request('textDocument/documentLink', whole(uri));
    return (links ?? []).map((link) => `${place(document, link.range)} ${(link.target ?? '').replace(root, '')}`);
  },
  async references({ client, uri, position, document, root }) {
    const params = { ...at(uri, position), context: { includeDeclaration: true } };
    return locations(document, uri, root, await client.request('textDocument/references', params));
  },
  /** `newName`s to try, and what becomes of the document's lines. */
  async rename({ client, uri, position, document }) {
    const place = await client.request('textDocument/prepareRename', at(uri, position));
    if (!place)
      return ['nothing'];
    const lines = [`${formatRange(place.range)} ${place.placeholder}`];
    for (const newName of ['renamed', '1st', 'y', '%new.1']) {
      const answer = await client.request('textDocument/rename', { ...at(uri, position), newName }).catch(({ message }) => message);
      if (typeof answer === 'string')
        lines.push(`${newName}: ${answer}`);
      else
        applied(document, uri, { edit: answer ?? {} }).forEach((line, i) =>
          line !== document.lines[i] && lines.push(`${newName}: ${i + 1}| ${line}`));
    }
    return lines;
  },
  async type({ client, uri, position, document, root }) {
    const found = await client.request('textDocument/typeDefinition', at(uri, position));
    return found.length ? locations(document, uri, root, found) : ['nothing'];
  },
  async selection({ client, uri, position, document }) {
    const [first] = await client.request('textDocument/selectionRange', { ...whole(uri), positions: [position] });
    const lines = [];
    for (let range = first; range; range = range.parent)
      lines.push(place(document, range.range));
    return lines;
  },
  async signature({ client, uri, position }) {
    const help = await client.request('textDocument/signatureHelp', at(uri, position));
    if (!help)
      return ['nothing'];
    return help.signatures.flatMap((signature, i) => signatureLines(signature, i === help.activeSignature, help));
  },
  async symbols({ client, uri, document }) {
    return symbolLines(document, await client.request('textDocument/documentSymbol', whole(uri)) ?? [], 0);
  },
  async tokens({ client, uri, document }) {
    const answer = await client.request('textDocument/semanticTokens/full', whole(uri));
    return tokenLines(document, answer?.data ?? [], client.capabilities.semanticTokensProvider.legend);
  },
};

/** `@implementation`: textDocument/implementation at the place, its locations or what else comes. */
function requestOf(kind) {
  return async ({ client, uri, position, document, root }) => {
    const answer = await client.request(`textDocument/${kind}`, position ? at(uri, position) : whole(uri)).catch((error) => {
      throw new Error(`there is neither a query nor a request '${kind}': ${error.message}`);
    });
    const found = [answer ?? []].flat();
    if (!found.length)
      return ['nothing'];
    return found[0].uri ?? found[0].targetUri ? locations(document, uri, root, found)
                                                                 : found.map((item) => JSON.stringify(item));
  };
}

export function queryOf(kind) {
  return queries[kind] ?? requestOf(kind);
}
