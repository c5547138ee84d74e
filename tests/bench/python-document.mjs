// A Python file as the bench needs it: places to type at and to ask about, for a server of symbolic functions or of Python.
import { BenchDocument, randomBelow } from './document.mjs';

export class PythonDocument extends BenchDocument {
  /** `isPeer`: completion is asked where a server of Python as such knows members, not where operators are; no name of ONNX is broken. */
  constructor(text, isPeer) {
    super(text, 'python');
    this.uri = 'file:///bench/symbolics.py';
    const middle = this.starts[this.lineCount >> 1];
    this.typing = { ...this.#after(/=0\.\d(?=\d)/g, middle), remove: this.#digitBehind(middle), insert: '' };
    this.breaking = isPeer ? null : { ...this.#after(/_f(?==0\.\d)/g, middle), remove: '', insert: 'x' };
    this.completion = this.#after(isPeer ? /math\./g : /g\.op\("/g, middle);
    this.definition = null;
    this.blockLine = null;
  }

  /** The place after the first match from `from` on. */
  #after(pattern, from) {
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    return this.#place(match.index + match[0].length);
  }

  #digitBehind(from) {
    const { line, character } = this.#after(/=0\.\d(?=\d)/g, from);
    return this.line(line)[character];
  }

  #place(offset) {
    let line = this.starts.findIndex((start) => start > offset) - 1;
    if (line < 0)
      line = this.lineCount - 1;
    return { line, character: offset - this.starts[line] };
  }

  /** `count` positions inside names in calls, on random lines. */
  positions(count, seed) {
    const below = randomBelow(seed);
    const found = [];
    for (let tries = 0; found.length < count && tries < count * 100; tries++) {
      const number = below(this.lineCount);
      const names = [...this.line(number).matchAll(/[A-Za-z_]\w{2,}(?=[(",])/g)];
      if (names.length > 0)
        found.push({ line: number, character: names[below(names.length)].index + 1 });
    }
    return found;
  }
}
