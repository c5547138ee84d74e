// Models for tests, written field by field: `message([1, 8], [7, message(...)])` is a Buffer.

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7Fn) | 0x80);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

const key = (number, wire) => varint(BigInt(number) << 3n | BigInt(wire));

/** A float32 field. */
export class Float {
  constructor(value) {
    this.bytes = Buffer.alloc(4);
    this.bytes.writeFloatLE(value);
  }
}

/** Fields [number, value]: a number or bigint is a varint, a Float has 4 bytes, strings and buffers have a length. */
export function message(...fields) {
  return Buffer.concat(fields.flatMap(([number, value]) => {
    if (typeof value === 'number' || typeof value === 'bigint')
      return [key(number, 0), varint(value)];
    if (value instanceof Float)
      return [key(number, 5), value.bytes];
    const bytes = Buffer.from(value);
    return [key(number, 2), varint(bytes.length), bytes];
  }));
}

export const packed = (...values) => Buffer.concat(values.map(varint));

export function floats(...values) {
  return Buffer.concat(values.map((value) => new Float(value).bytes));
}

export const entry = (name, value) => message([1, name], [2, value]);

const dimension = (dim) => dim === null ? message() : message([typeof dim === 'string' ? 2 : 1, dim]);

/** TypeProto of a tensor; no `dims` is not a shape. */
export function tensorType(element, dims) {
  const shape = dims ? [[2, message(...dims.map((dim) => [1, dimension(dim)]))]] : [];
  return message([1, message([1, element], ...shape)]);
}

export const value = (name, type, ...more) => message([1, name], ...type ? [[2, type]] : [], ...more);

/** AttributeProto: `type` is the number of its type, `field` that of its value. */
export const attribute = (name, type, field, ...values) =>
  message([1, name], ...values.map((each) => [field, each]), [20, type]);

export const node = (op, inputs, outputs, ...more) =>
  message(...inputs.map((each) => [1, each]), ...outputs.map((each) => [2, each]), [4, op], ...more);

export const model = (graph, ...more) => message([1, 10], [7, graph], [8, message([1, ''], [2, 21])], ...more);

/** `inner` in `depth` messages, each made by `wrap`. */
export function nest(inner, wrap, depth) {
  let bytes = inner;
  for (let i = 0; i < depth; i++)
    bytes = wrap(bytes);
  return bytes;
}
