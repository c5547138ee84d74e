// Two models that differ in names, in the order of independent nodes, and in exactly one thing that is known.

import { message } from './wire.mjs';

/** Numbers that are the same in every run. */
export class Random {
  constructor(seed) {
    this.state = BigInt(seed) * 2654435761n + 1n;
  }

  below(count) {
    this.state = BigInt.asUintN(64, this.state * 6364136223846793005n + 1442695040888963407n);
    return Number((this.state >> 33n) % BigInt(Math.max(count, 1)));
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

/** Fields [number, value, wire] of a message; what has 4 or 8 bytes is kept as they are. */
function fields(bytes) {
  const list = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7F) << shift;
      if (byte < 0x80)
        return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    const start = at;
    if (wire === 0) {
      list.push([key >> 3, varint(), wire]);
    } else {
      const length = wire === 2 ? Number(varint()) : wire === 5 ? 4 : 8;
      const from = wire === 2 ? at : start;
      at = from + length;
      list.push([key >> 3, bytes.subarray(from, at), wire]);
    }
  }
  return list;
}

/** The bytes of fields; `Fixed` values keep their wire type. */
function bytes(list) {
  return Buffer.concat(list.map(([number, value, wire]) => wire === 0 || wire === 2 || wire === undefined
    ? message([number, value]) : Buffer.concat([Buffer.from([number << 3 | wire]), value])));
}

const all = (list, number) => list.filter(([n]) => n === number).map(([, value]) => value);
const text = (list, number) => String(all(list, number).at(-1) ?? '');

// GraphProto, NodeProto, AttributeProto, TensorProto: the fields that are needed here.
const NODE = 1, INITIALIZER = 5, INPUT = 11, OUTPUT = 12, INFO = 13;

function readNode(value) {
  const list = fields(value);
  return {
    inputs: all(list, 1).map(String), outputs: all(list, 2).map(String), name: text(list, 3), op: text(list, 4),
    attributes: all(list, 5).map(readAttribute), rest: list.filter(([n]) => ![1, 2, 3, 4, 5].includes(n)),
  };
}

function readAttribute(value) {
  const list = fields(value);
  const graph = all(list, 6).at(-1);
  return { graph: graph && readGraph(graph), list: graph ? list.filter(([n]) => n !== 6) : list };
}

function readGraph(value) {
  const list = fields(value);
  return {
    nodes: all(list, NODE).map(readNode), initializers: all(list, INITIALIZER).map(fields), inputs: all(list, INPUT).map(fields),
    outputs: all(list, OUTPUT).map(fields), infos: all(list, INFO).map(fields),
    rest: list.filter(([n]) => ![NODE, INITIALIZER, INPUT, OUTPUT, INFO].includes(n)),
  };
}

export function readModel(value) {
  const list = fields(value);
  return { graph: readGraph(all(list, 7).at(-1)), rest: list.filter(([n]) => n !== 7) };
}

function writeNode(node) {
  return bytes([...node.inputs.map((name) => [1, name]), ...node.outputs.map((name) => [2, name]), [3, node.name], [4, node.op],
    ...node.attributes.map((a) => [5, bytes(a.graph ? [...a.list, [6, writeGraph(a.graph)]] : a.list)]), ...node.rest]);
}

function writeGraph(graph) {
  return bytes([...graph.nodes.map((n) => [NODE, writeNode(n)]), ...graph.rest, ...graph.initializers.map((t) => [INITIALIZER, bytes(t)]),
    ...graph.inputs.map((v) => [INPUT, bytes(v)]), ...graph.outputs.map((v) => [OUTPUT, bytes(v)]), ...graph.infos.map((v) => [INFO, bytes(v)])]);
}

export const writeModel = (model) => bytes([...model.rest, [7, writeGraph(model.graph)]]);

/** Every graph of the model. */
export function graphs(model) {
  const list = [model.graph];
  for (let i = 0; i < list.length; i++)
    list.push(...list[i].nodes.flatMap((node) => node.attributes.flatMap((a) => a.graph ? [a.graph] : [])));
  return list;
}

const setText = (list, number, value) => list.map((field) => field[0] === number ? [number, value] : field);

/** Gives every value and node another name, and initializers and types another order. */
export function rename(model, random) {
  const names = new Map([['', '']]);
  const renamed = (name) => {
    if (!names.has(name))
      names.set(name, `n${random.below(1 << 30)}_${names.size}`);
    return names.get(name);
  };
  for (const graph of graphs(model)) {
    for (const node of graph.nodes) {
      node.inputs = node.inputs.map(renamed);
      node.outputs = node.outputs.map(renamed);
      node.name &&= renamed(`node ${node.name}`);
    }
    graph.initializers = graph.initializers.map((t) => setText(t, 8, renamed(text(t, 8)))).reverse();
    for (const part of ['inputs', 'outputs', 'infos'])
      graph[part] = graph[part].map((v) => setText(v, 1, renamed(text(v, 1))));
    graph.infos.reverse();
  }
}

/** What a node needs to come after: its inputs, and those of the graphs in it. */
function needs(node) {
  const inside = node.attributes.flatMap((a) => a.graph ? graphs({ graph: a.graph }) : []);
  return [...node.inputs, ...inside.flatMap((g) => [...g.nodes.flatMap((n) => n.inputs), ...g.outputs.map((v) => text(v, 1))])];
}

/** Another order in which each node still comes after what it needs. */
export function reorder(model, random) {
  for (const graph of graphs(model)) {
    const maker = new Map(graph.nodes.flatMap((node) => node.outputs.filter(Boolean).map((name) => [name, node])));
    const waiting = new Map(graph.nodes.map((node) => [node, new Set(needs(node).map((n) => maker.get(n)).filter((n) => n && n !== node))]));
    const order = [];
    while (waiting.size > 0) {
      const node = random.pick([...waiting].filter(([, before]) => before.size === 0).map(([n]) => n));
      waiting.delete(node);
      for (const before of waiting.values())
        before.delete(node);
      order.push(node);
    }
    graph.nodes = order;
  }
}

const places = (model) => graphs(model).flatMap((graph) => graph.nodes.map((node) => ({ graph, node })));

/** Numbers of all users of a value, graph outputs as well. */
const isOutput = (graph, name) => graph.outputs.some((v) => text(v, 1) === name);

function replaceUses(model, from, to) {
  for (const graph of graphs(model)) {
    for (const node of graph.nodes)
      node.inputs = node.inputs.map((name) => name === from ? to : name);
  }
}

/** Each changes one thing and returns what the difference must say; null where the model has nothing for it. */
export const changes = {
  operator(model, random) {
    const { node } = random.pick(places(model));
    node.op += 'Other';
    return { kind: 'changed', what: 'node', name: node.name || node.outputs[0], changes: ['operator'] };
  },
  attribute(model, random) {
    const found = places(model).filter(({ node }) => node.attributes.some((a) => all(a.list, 3).length > 0));
    if (found.length === 0)
      return null;
    const { node } = random.pick(found);
    const attribute = node.attributes.find((a) => all(a.list, 3).length > 0);
    attribute.list = attribute.list.map((f) => f[0] === 3 ? [3, f[1] + 7n, 0] : f);
    return { kind: 'changed', what: 'node', name: node.name || node.outputs[0], changes: ['attribute'] };
  },
  attributeAdded(model, random) {
    const { node } = random.pick(places(model));
    node.attributes.push({ list: fields(message([1, 'another'], [3, 1], [20, 2])) });
    return { kind: 'changed', what: 'node', name: node.name || node.outputs[0], changes: ['attribute'] };
  },
  attributeRemoved(model, random) {
    const found = places(model).filter(({ node }) => node.attributes.some((a) => !a.graph));
    if (found.length === 0)
      return null;
    const { node } = random.pick(found);
    node.attributes.splice(node.attributes.findIndex((a) => !a.graph), 1);
    return { kind: 'changed', what: 'node', name: node.name || node.outputs[0], changes: ['attribute'] };
  },
  values(model, random) {
    const found = graphs(model).flatMap((g) => g.initializers).filter((t) => all(t, 9).some((raw) => raw.length > 2));
    if (found.length === 0)
      return null;
    const raw = random.pick(found);
    const at = raw.findIndex(([n]) => n === 9);
    const copy = Buffer.from(raw[at][1]);
    copy[random.below(copy.length)] ^= 0x11;
    raw[at] = [9, copy, 2];
    return { kind: 'changed', name: text(raw, 8), changes: ['values'] };
  },
  inserted(model, random) {
    const { graph, node } = random.pick(places(model));
    const at = graph.nodes.indexOf(node);
    const name = node.inputs.find(Boolean);
    if (!name)
      return null;
    node.inputs[node.inputs.indexOf(name)] = 'inserted';
    graph.nodes.splice(at, 0, { inputs: [name], outputs: ['inserted'], name: 'inserted', op: 'Inserted', attributes: [], rest: [] });
    return { kind: 'added', what: 'node', name: 'inserted', changes: [] };
  },
  removed(model, random) {
    const found = places(model).filter(({ graph, node }) => node.outputs.length === 1 && node.inputs[0] && !isOutput(graph, node.outputs[0]) &&
      !graphs(model).some((g) => isOutput(g, node.outputs[0])));
    if (found.length === 0)
      return null;
    const { graph, node } = random.pick(found);
    graph.nodes.splice(graph.nodes.indexOf(node), 1);
    replaceUses(model, node.outputs[0], node.inputs[0]);
    return { kind: 'removed', what: 'node', op: node.op, changes: [] };
  },
  swapped(model, random) {
    const found = places(model).filter(({ node }) => node.inputs.length >= 2 && node.inputs[0] && node.inputs[1] && node.inputs[0] !== node.inputs[1]);
    if (found.length === 0)
      return null;
    const { node } = random.pick(found);
    node.inputs = [node.inputs[1], node.inputs[0], ...node.inputs.slice(2)];
    return { kind: 'changed', what: 'node', name: node.name || node.outputs[0], changes: ['input', 'input'] };
  },
  shape(model, random) {
    const input = random.pick(model.graph.inputs);
    if (!input || all(input, 2).length === 0)
      return null;
    const at = input.findIndex(([n]) => n === 2);
    input[at] = [2, message([1, message([1, 16], [2, message([1, message([1, 777])])])])];
    return { kind: 'changed', what: 'input', name: text(input, 1), changes: ['type'] };
  },
  opset(model) {
    const at = model.rest.findIndex(([n]) => n === 8);
    model.rest[at] = [8, message([1, ''], [2, 3])];
    return { kind: 'changed', what: 'model', name: 'opset of ai.onnx', changes: ['value'] };
  },
  metadata(model) {
    model.rest.push([14, message([1, 'key'], [2, 'value'])]);
    return { kind: 'added', what: 'model', name: 'metadata key', changes: ['value'] };
  },
};
