// What a case can ask for: `@NAME` under a caret, or `#@ NAME` for the whole document. A query is a function of
// (client, uri, position, document) and answers with lines of text; this table is all there is to add.
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

const at = (uri, position) => ({ textDocument: { uri }, position });
const whole = (uri) => ({ textDocument: { uri } });

export const queries = {
  async definition({ client, uri, position, document, root }) {
    return locations(document, uri, root, await client.request('textDocument/definition', at(uri, position)));
  },
  async folding({ client, uri }) {
    const folds = await client.request('textDocument/foldingRange', whole(uri));
    return (folds ?? []).map((fold) => `${fold.startLine + 1}-${fold.endLine + 1}${fold.kind ? ` ${fold.kind}` : ''}`);
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
  async links({ client, uri, document, root }) {
    const links = await client.request('textDocument/documentLink', whole(uri));
    return (links ?? []).map((link) => `${place(document, link.range)} ${(link.target ?? '').replace(root, '')}`);
  },
  async references({ client, uri, position, document, root }) {
    const params = { ...at(uri, position), context: { includeDeclaration: true } };
    return locations(document, uri, root, await client.request('textDocument/references', params));
  },
  async selection({ client, uri, position, document }) {
    const [first] = await client.request('textDocument/selectionRange', { ...whole(uri), positions: [position] });
    const lines = [];
    for (let range = first; range; range = range.parent)
      lines.push(place(document, range.range));
    return lines;
  },
  async symbols({ client, uri, document }) {
    return symbolLines(document, await client.request('textDocument/documentSymbol', whole(uri)) ?? [], 0);
  },
  async tokens({ client, uri, document }) {
    const answer = await client.request('textDocument/semanticTokens/full', whole(uri));
    return tokenLines(document, answer?.data ?? [], client.capabilities.semanticTokensProvider.legend);
  },
};
