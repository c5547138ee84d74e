// Documents for tests: a model of what the server should think the text is, and dumps of any size.

/** Length of a string in the units of a position encoding. */
export function units(text, encoding) {
  if (encoding === 'utf-8')
    return Buffer.byteLength(text);
  return encoding === 'utf-32' ? [...text].length : text.length;
}

const ending = /\r\n|\n|\r/g;

/** A text that is edited the way LSP says, by means that have nothing in common with the server's. */
export class TextModel {
  constructor(text, encoding = 'utf-16') {
    this.text = text;
    this.encoding = encoding;
  }

  /** [{ start, text }] of every line, without its ending. */
  lines() {
    const lines = [];
    let start = 0;
    for (const match of this.text.matchAll(ending)) {
      lines.push({ start, text: this.text.slice(start, match.index) });
      start = match.index + match[0].length;
    }
    lines.push({ start, text: this.text.slice(start) });
    return lines;
  }

  position(index, lines = this.lines()) {
    let line = 0;
    for (let end = lines.length; end - line > 1;) {
      const middle = (line + end) >> 1;
      if (lines[middle].start <= index)
        line = middle;
      else
        end = middle;
    }
    const within = Math.min(index - lines[line].start, lines[line].text.length);
    return { line, character: units(lines[line].text.slice(0, within), this.encoding) };
  }

  /** Replaces [start, end) of the string; returns the change to send. */
  replace(start, end, text) {
    const change = { range: { start: this.position(start), end: this.position(end) }, text };
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    return change;
  }

  replaceAll(text) {
    this.text = text;
    return { text };
  }

  /** Ranges of all matches, as the server should report them. */
  find(pattern) {
    const lines = this.lines();
    return [...this.text.matchAll(pattern)].map((match) => ({
      start: this.position(match.index, lines),
      end: this.position(match.index + match[0].length, lines),
    }));
  }
}

/** Numbers that look random and are the same in every run. */
export function numbers(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A name that no dump defines; what the tests look for in diagnostics. */
export const UNDEFINED = /%BAD[0-9a-z]*/g;

/** A TorchScript graph of so many nodes, in which every `every`th uses a value that nothing defines. */
export function dump(nodes, every = 0) {
  const lines = ['graph(%x.1 : Float(1, 3, strides=[3, 1], requires_grad=0, device=cpu)):'];
  for (let i = 1; i <= nodes; i++) {
    const input = every > 0 && i % every === 0 ? `%BAD${i}` : `%x.${i}`;
    lines.push(`  %x.${i + 1} : Float(1, 3, strides=[3, 1], requires_grad=0, device=cpu) = aten::relu(${input}) # /src/model.py:${i}:8`);
  }
  lines.push(`  return (%x.${nodes + 1})`, '');
  return lines.join('\n');
}

/** The ranges of diagnostics of one rule, in the order of the text. */
export function rangesOf(diagnostics, code = 'undefined-value') {
  return diagnostics.filter((diagnostic) => diagnostic.code === code).map(({ range }) => range);
}
