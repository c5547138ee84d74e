// A text as the bench needs it: line starts, places to ask about, places to type at, and escaped copies ready to send.
import { frame } from './client.mjs';

/** A small generator of random numbers below `limit`, the same in every run (mulberry32). */
export function randomBelow(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

export class BenchDocument {
  /** All texts of the bench are ASCII, so a character is a byte and a UTF-16 code unit. */
  constructor(text, languageId) {
    this.text = text;
    this.languageId = languageId;
    this.uri = `file:///bench/dump.${languageId === 'mlir' ? 'mlir' : 'torchir'}`;
    this.starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
      this.starts.push(at + 1);
    this.lineCount = this.starts.length;
    this.escaped = new Map();
    this.typing = this.#findTyping();
    this.breaking = this.typing && { ...this.typing, character: this.typing.character + 1, remove: '', insert: 'x' };
    this.definition = this.#findDefinition();
    this.blockLine = this.#findBlockLine();
  }

  line(number) {
    return this.text.slice(this.starts[number], (this.starts[number + 1] ?? this.text.length + 1) - 1);
  }

  /**
   * A keystroke near the middle that leaves the text correct: the last digit of a used name, without which the name is
   * that of an earlier value. Null if there is none.
   */
  #findTyping() {
    for (let number = this.lineCount >> 1; number < Math.min((this.lineCount >> 1) + 2000, this.lineCount); number++) {
      const line = this.line(number);
      const uses = line.startsWith('  %') ? line.indexOf(' = ') : -1;
      for (const match of uses < 0 ? [] : line.slice(uses).matchAll(/(%[\w.]*\d)\d(?=[,)\s])/g)) {
        const defined = this.text.indexOf(`\n  ${match[1]} `);
        const character = uses + match.index + match[1].length;
        if (defined >= 0 && defined < this.starts[number])
          return { line: number, character, remove: line[character], insert: '' };
      }
    }
    return null;
  }

  /** The `%` that begins a line inside a block, near the middle: without it the line can't be read. */
  #findBlockLine() {
    const at = this.text.indexOf('\n      %', this.starts[this.lineCount >> 1]);
    const line = at < 0 ? -1 : this.starts.indexOf(at + 1);
    return line < 0 ? null : { line, character: 6, remove: '%', insert: '' };
  }

  /** A keystroke in the name of the value that the most of the following lines use, of those defined at the start. */
  #findDefinition() {
    const names = [];
    for (let number = 0; number < Math.min(60, this.lineCount); number++) {
      const match = /^  (%[\w.]+) /.exec(this.line(number));
      if (match)
        names.push({ name: match[1], line: number, uses: 0 });
    }
    const sample = this.text.slice(this.text.length >> 1, (this.text.length >> 1) + 200000);
    for (const entry of names)
      entry.uses = sample.split(new RegExp(`${entry.name.replaceAll('.', '\\.')}(?![\\w.])`)).length - 1;
    const best = names.sort((a, b) => b.uses - a.uses)[0];
    return best && { line: best.line, character: 2 + best.name.length, remove: '', insert: 'x' };
  }

  /** `count` positions inside names of values, on random lines. */
  positions(count, seed) {
    const below = randomBelow(seed);
    const found = [];
    for (let tries = 0; found.length < count && tries < count * 100; tries++) {
      const number = below(this.lineCount);
      const names = [...this.line(number).matchAll(/%[\w.]+/g)];
      const name = names[below(Math.max(names.length, 1))];
      if (name)
        found.push({ line: number, character: name.index + 1 });
    }
    return found;
  }

  /** The text as a JSON string, with `edit` made or not; kept, because escaping 100 MB takes a while. */
  #json(edit) {
    const key = edit ? `${edit.line}:${edit.character}:${edit.insert}` : '';
    if (!this.escaped.has(key)) {
      const at = edit && this.starts[edit.line] + edit.character;
      const text = edit ? this.text.slice(0, at) + edit.insert + this.text.slice(at + edit.remove.length) : this.text;
      this.escaped.set(key, Buffer.from(JSON.stringify(text)));
    }
    return this.escaped.get(key);
  }

  open() {
    return frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"${this.uri}",` +
                 `"languageId":"${this.languageId}","version":1,"text":`, this.#json(null), '}}}');
  }

  /** The change that makes `edit`, or takes it back; the full text for servers that want no less. */
  change(edit, isMade, version, isFull) {
    const head = `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"${this.uri}",` +
                 `"version":${version}},"contentChanges":[`;
    if (isFull)
      return frame(`${head}{"text":`, this.#json(isMade ? edit : null), '}]}}');
    const [old, text] = isMade ? [edit.remove, edit.insert] : [edit.insert, edit.remove];
    const range = { start: { line: edit.line, character: edit.character },
                    end: { line: edit.line, character: edit.character + old.length } };
    return frame(`${head}${JSON.stringify({ range, text })}]}}`);
  }
}
