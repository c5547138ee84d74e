// Reading and writing of case files (README.md has the format). A document is kept as its lines, each with the marker
// lines below it; writing puts what the server said in the place of the markers.

const MARKER = /^#( *\^+|<\^*| *\(\d+-(?:\+\d+:)?\d+\)) (?:(error|warning|info|hint)\[([\w-]+)(, unnecessary)?\]: (.*)|@(\w+))$/;
const NOTE = /^# +note [\d:+-]+: /;
const WHOLE_QUERY = /^#@ (\w+)$/;
const OUTPUT = /^#>/;
const SETTINGS = /^#: (.*)$/;
const SEPARATOR = /^=== (.+)$/;

/** "opset=13 rules={"syntax":"off"}": values are JSON if they can be, else words. */
function parseSettings(text) {
  const settings = {};
  for (const word of text.trim().split(/\s+/)) {
    const [, key, value] = /^([\w.-]+)=(.*)$/.exec(word) ?? [];
    if (key === undefined)
      throw new Error(`'${word}' is not KEY=VALUE`);
    try {
      settings[key] = key === 'torch' ? value : JSON.parse(value);
    } catch {
      settings[key] = value;
    }
  }
  return settings;
}

/** The range that a marker is about, relative to its line: columns from 0, `lines` further down. */
function parsePlace(run) {
  const explicit = /\((\d+)-(?:\+(\d+):)?(\d+)\)/.exec(run);
  if (explicit)
    return { start: explicit[1] - 1, lines: Number(explicit[2] ?? 0), end: explicit[3] - 1 };
  if (run.startsWith('<'))
    return { start: 0, lines: 0, end: run.length + 1 };
  return { start: run.lastIndexOf(' ') + 2, lines: 0, end: run.length + 1 };
}

function formatPlace({ start, lines, end }) {
  if (lines === 0 && start === 0 && end >= 2)
    return `#<${'^'.repeat(end - 2)}`;
  if (lines === 0 && start > 0 && end > start)
    return `#${' '.repeat(start - 1)}${'^'.repeat(end - start)}`;
  return `# (${start + 1}-${lines > 0 ? `+${lines}:` : ''}${end + 1})`;
}

/** One `=== name` part: { name, head, settings, lines, queries, messages }. */
function parseDocument(name, raw, inherited) {
  const document = { name, head: [], settings: { ...inherited }, lines: [], queries: [], messages: [] };
  while (raw.length && raw[raw.length - 1] === '')
    raw.pop();
  for (const line of raw) {
    const settings = document.lines.length === 0 && SETTINGS.exec(line);
    const marker = MARKER.exec(line);
    const whole = WHOLE_QUERY.exec(line);
    const at = document.lines.length - 1;
    if (settings) {
      document.head.push(line);
      Object.assign(document.settings, parseSettings(settings[1]));
    } else if (marker && marker[6] && at >= 0) {
      document.queries.push({ line: at, kind: marker[6], place: parsePlace(marker[1]) });
    } else if (marker && at >= 0) {
      document.messages.push(marker[5]);
    } else if (whole) {
      document.queries.push({ line: -1, kind: whole[1] });
    } else if (!NOTE.test(line) && !OUTPUT.test(line)) {
      document.lines.push(line);
    }
  }
  return document;
}

/** { head, documents }; the head is whatever comes before the first "===". */
export function parseCaseFile(text) {
  const parts = [{ name: null, lines: [] }];
  for (const line of text.split('\n')) {
    const separator = SEPARATOR.exec(line);
    if (separator)
      parts.push({ name: separator[1], lines: [] });
    else
      parts[parts.length - 1].lines.push(line);
  }
  const head = parts.shift().lines;
  const inherited = {};
  for (const line of head)
    Object.assign(inherited, SETTINGS.test(line) ? parseSettings(SETTINGS.exec(line)[1]) : {});
  return { head, documents: parts.map((part) => parseDocument(part.name, part.lines, inherited)) };
}

/** The text that the server gets. */
export function documentText(document) {
  const eol = { lf: '\n', crlf: '\r\n', cr: '\r' }[document.settings.eol ?? 'lf'];
  return document.lines.join(eol) + (document.settings.end === 'none' ? '' : eol);
}

/** A message as the case file has it: "beginning…" stands for every message that begins so. */
function settledMessage(document, message) {
  const kept = document.messages.find((text) => text.endsWith('…') && message.startsWith(text.slice(0, -1)));
  return kept ?? message;
}

const severityNames = ['', 'error', 'warning', 'info', 'hint'];

function relativePlace(range) {
  return { start: range.start.character, lines: range.end.line - range.start.line, end: range.end.character };
}

export function formatRange({ start, end }) {
  const after = start.line === end.line ? '' : `${end.line + 1}:`;
  return `${start.line + 1}:${start.character + 1}-${after}${end.character + 1}`;
}

function formatDiagnostic(document, diagnostic) {
  const tag = diagnostic.tags?.includes(1) ? ', unnecessary' : '';
  const message = settledMessage(document, diagnostic.message.replaceAll('\n', '⏎'));
  const lines = [`${formatPlace(relativePlace(diagnostic.range))} ${severityNames[diagnostic.severity]}` +
                 `[${diagnostic.code}${tag}]: ${message}`];
  for (const related of diagnostic.relatedInformation ?? [])
    lines.push(`#   note ${formatRange(related.location.range)}: ${related.message}`);
  return lines;
}

function outputLines(output) {
  return output.map((line) => (line === '' ? '#>' : `#> ${line}`));
}

/** The document with what the server said: `diagnostics`, and for each query its lines of output. */
export function formatDocument(document, diagnostics, outputs) {
  const below = document.lines.map(() => []);
  const order = (a, b) => a.range.start.character - b.range.start.character ||
    a.range.end.character - b.range.end.character || a.severity - b.severity || (a.code < b.code ? -1 : 1);
  for (const diagnostic of [...diagnostics].sort(order)) {
    const line = Math.min(diagnostic.range.start.line, document.lines.length - 1);
    below[line].push(...formatDiagnostic(document, diagnostic));
  }
  document.queries.forEach((query, i) => {
    if (query.line >= 0)
      below[query.line].push(`${formatPlace(query.place)} @${query.kind}`, ...outputLines(outputs[i]));
  });
  const lines = [...document.head];
  document.lines.forEach((line, i) => lines.push(line, ...below[i]));
  document.queries.forEach((query, i) => {
    if (query.line < 0)
      lines.push(`#@ ${query.kind}`, ...outputLines(outputs[i]));
  });
  return lines;
}

/** The whole file again; `bodies` are the lines of each document. */
export function formatCaseFile(file, bodies) {
  const parts = file.documents.map((document, i) => [`=== ${document.name}`, ...bodies[i], '']);
  return [...file.head, ...parts.flat()].join('\n');
}
