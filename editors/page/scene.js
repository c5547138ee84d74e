// What is shown: pictures of scopes, laid out by the server, put into each other where they are open. A scope that is
// opened pushes its neighbours aside and keeps their order.

// --- What is shown ---

let source = null;
let pictures = new Map();  // By scope: those that were opened.
let open = new Set();
let root = null;
let scene = null;    // The root picture with all that is open in it, in places of its own.
let chosen = null;   // { scope, card, line }: the line may be that of a constant in the card.
let view = { x: 0, y: 0, scale: 1 };
let severities = new Map();  // By line.
let severityLines = [];
let colours = {};
let dirty = false;
let round = 0;  // Of the document that is shown: what was asked about an older one is dropped.

function readColours() {
  const style = getComputedStyle(document.body);
  const names = ['paper', 'ink', 'faint', 'card', 'card-line', 'group', 'group-line', 'ends', 'constant', 'line', 'accent', 'error', 'warning',
    'math', 'norm', 'act', 'shape', 'other'];
  // An element resolves names of names and system colours.
  const probe = document.body.appendChild(document.createElement('i'));
  for (const name of names) {
    probe.style.setProperty('color', `var(--${name})`);
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  colours.sans = style.getPropertyValue('--sans') || 'sans-serif';
  paint();
}

/** What an operator is about, as a colour at the side of its card. */
function family(card) {
  const name = (card.operator ?? '').toLowerCase();
  if (card.kind !== 'node')
    return null;
  if (/conv|linear|matmul|gemm|addmm|bmm|einsum|attention/.test(name))
    return 'math';
  if (/norm/.test(name))
    return 'norm';
  if (/relu|gelu|sigmoid|softmax|tanh|silu|swish|elu|dropout|pool/.test(name))
    return 'act';
  if (/view|reshape|permute|transpose|size|shape|slice|squeeze|expand|cat|concat|select|gather|flatten|cast|split|chunk|list|tuple|getitem/.test(name))
    return 'shape';
  return 'other';
}

/** The gravest diagnostic from one line to another: 1 is an error, 0 nothing. */
function severityOf(card) {
  if (card.kind === 'from' || card.kind === 'to')
    return 0;
  const last = card.lastLine ?? card.line;
  let low = 0;
  let high = severityLines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (severityLines[middle] < card.line)
      low = middle + 1;
    else
      high = middle;
  }
  let gravest = 0;
  for (; low < severityLines.length && severityLines[low] <= last; low++) {
    const severity = severities.get(severityLines[low])[0].severity;
    if (gravest === 0 || severity < gravest)
      gravest = severity;
  }
  return gravest;
}

function takeDiagnostics(list) {
  severities = new Map();
  for (const diagnostic of list) {
    const there = severities.get(diagnostic.line);
    if (there)
      there.push(diagnostic);
    else
      severities.set(diagnostic.line, [diagnostic]);
  }
  for (const there of severities.values())
    there.sort((a, b) => a.severity - b.severity);
  severityLines = [...severities.keys()].sort((a, b) => a - b);
  for (const picture of pictures.values())
    for (const card of picture.cards)
      delete card.severity;
}

// --- Opening scopes ---

/** A map along one axis in which each of `wants` ({ from, to, room }) gets its room, and nothing changes its order. */
function stretch(wants) {
  const stops = [...new Set(wants.flatMap((want) => [want.from, want.to]))].sort((a, b) => a - b);
  const byEnd = new Map();
  for (const want of wants)
    byEnd.set(want.to, [...(byEnd.get(want.to) ?? []), want]);
  const places = new Map();
  let before = null;
  for (const stop of stops) {
    let place = before === null ? stop : places.get(before) + stop - before;
    for (const want of byEnd.get(stop) ?? [])
      place = Math.max(place, places.get(want.from) + want.room);
    places.set(stop, place);
    before = stop;
  }
  return (at) => {
    if (stops.length === 0 || at <= stops[0])
      return at;
    let low = 0;
    let high = stops.length - 1;
    if (at >= stops[high])
      return places.get(stops[high]) + at - stops[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (stops[middle] <= at)
        low = middle;
      else
        high = middle;
    }
    const [a, b] = [stops[low], stops[high]];
    return places.get(a) + (at - a) / (b - a) * (places.get(b) - places.get(a));
  };
}

/** Where a line ends at the side of a box: as far along as in the picture, in which it is closed. */
const portOf = (box, x) => box.x + box.width * ((x - box.card.x) / box.card.width + 0.5);

/** The picture of a scope with what is open in it: boxes with x, y (upper left), width, height, all relative to it. */
function compose(number) {
  const picture = pictures.get(number);
  const inner = picture.cards.map((card) => card.kind === 'scope' && open.has(card.scope) && pictures.has(card.scope) ? compose(card.scope) : null);
  const wantX = [];
  const wantY = [];
  picture.cards.forEach((card, i) => {
    if (!inner[i])
      return;
    wantX.push({ from: card.x - card.width / 2, to: card.x + card.width / 2, room: Math.max(card.width, inner[i].width + 2 * PAD) });
    wantY.push({ from: card.y - card.height / 2, to: card.y + card.height / 2, room: inner[i].height + HEAD + 2 * PAD });
  });
  const mapX = stretch(wantX);
  const mapY = stretch(wantY);
  const boxes = picture.cards.map((card, i) => {
    const width = inner[i] ? Math.max(card.width, inner[i].width + 2 * PAD) : card.width;
    const height = inner[i] ? inner[i].height + HEAD + 2 * PAD : card.height;
    const middle = (map, at, size) => (map(at - size / 2) + map(at + size / 2)) / 2;
    const x = (inner[i] ? middle(mapX, card.x, card.width) : mapX(card.x)) - width / 2;
    const y = (inner[i] ? middle(mapY, card.y, card.height) : mapY(card.y)) - height / 2;
    return { card, index: i, x, y, width, height, inner: inner[i], scope: number };
  });
  const stubs = new Map();
  const lines = picture.lines.map((line) => {
    const [from, to] = [boxes[line.from], boxes[line.to]];
    if (line.points.length === 0) {
      stubs.set(line.to, (stubs.get(line.to) ?? 0) + 1);
      return { line, from, to, points: null, place: stubs.get(line.to) - 1 };
    }
    const points = [];
    for (let i = 0; i < line.points.length; i += 2)
      points.push(mapX(line.points[i]), mapY(line.points[i + 1]));
    const isDown = points[1] <= points.at(-1);
    const [startX, endX] = [portOf(from, line.points[0]), portOf(to, line.points.at(-2))];
    const [startY, endY] = isDown ? [from.y + from.height, to.y] : [from.y, to.y + to.height];
    // Beside something tall, lines leave and reach a card straight, as far as its row is high.
    const [rowStart, rowEnd] = [mapY(line.points[1]), mapY(line.points.at(-1))];
    points.splice(0, 2, startX, startY, ...(Math.abs(rowStart - startY) > 1 ? [startX, rowStart] : []));
    points.splice(-2, 2, ...(Math.abs(rowEnd - endY) > 1 ? [endX, rowEnd] : []), endX, endY);
    const xs = points.filter((_, i) => i % 2 === 0);
    return { line, from, to, points, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(points[1], points.at(-1)),
      bottom: Math.max(points[1], points.at(-1)) };
  });
  const width = mapX(picture.width);
  const height = mapY(picture.height);
  return { scope: number, picture, boxes, lines, width, height };
}

function build() {
  scene = compose(root);
  paint();
}

async function load(number) {
  if (!pictures.has(number)) {
    const before = round;
    const picture = await source.scope(number);
    if (!picture || before !== round)
      return null;
    pictures.set(number, picture);
  }
  return pictures.get(number);
}

/** Every box with its place on the sheet; `visit` says whether to go into an open one. */
function walk(part, x, y, visit) {
  for (const box of part.boxes) {
    if (visit(box, x + box.x, y + box.y) !== false && box.inner)
      walk(box.inner, x + box.x + (box.width - box.inner.width) / 2, y + box.y + HEAD + PAD, visit);
  }
}

function placeOf(scope, index) {
  let place = null;
  walk(scene, 0, 0, (box, x, y) => {
    if (box.scope === scope && box.index === index)
      place = { box, x, y };
    return !place;
  });
  return place;
}

async function toggle(scope) {
  if (open.has(scope)) {
    open.delete(scope);
  } else {
    if (!await load(scope))
      return;
    open.add(scope);
  }
  keepInPlace(build);
}

/** The chosen box stays where it is while others move. */
function keepInPlace(change) {
  const before = chosen && placeOf(chosen.scope, chosen.card);
  change();
  const after = chosen && placeOf(chosen.scope, chosen.card);
  if (before && after) {
    view.x += (before.x - after.x) * view.scale;
    view.y += (before.y - after.y) * view.scale;
  }
  paint();
}

// --- From a line to its card ---

/** Opens what is around a line and chooses its card, or the closed one that it has in the scope `within`; true if there is one. */
async function showLine(line, options = {}) {
  const before = round;
  let target = line;
  let scope = root;
  for (let depth = 0; depth < 200; depth++) {
    const picture = await load(scope);
    if (!picture || before !== round)
      return false;
    const hasCard = picture.cards.some((card) => card.line === target && ['node', 'input', 'output', 'constant'].includes(card.kind));
    const folded = hasCard ? null : picture.folded.find(([from]) => from === target);
    if (folded && folded[1] !== target) {
      target = folded[1];
      scope = root;
      continue;
    }
    const index = cardAt(picture, target);
    if (index < 0)
      return false;
    const card = picture.cards[index];
    if (card.kind === 'scope' && scope !== options.within) {
      open.add(card.scope);
      scope = card.scope;
      continue;
    }
    build();
    choose({ scope, card: index, line }, { ...options, centre: true });
    return true;
  }
  return false;
}

/** The card of a line, else the nearest one. */
function cardAt(picture, line) {
  let best = -1;
  let distance = Infinity;
  picture.cards.forEach((card, i) => {
    if (card.kind === 'from' || card.kind === 'to')
      return;
    const last = card.lastLine ?? card.line;
    const here = line < card.line ? card.line - line : line > last ? line - last : 0;
    const better = here < distance || (here === distance && best >= 0 && picture.cards[best].kind === 'scope' && card.kind !== 'scope' && card.line === line);
    if (better) {
      best = i;
      distance = here;
    }
  });
  return best;
}

function choose(what, options = {}) {
  chosen = what;
  const place = what && placeOf(what.scope, what.card);
  if (!place)
    chosen = null;
  tell(place?.box.card ?? null, options.isQuiet);  // First: it may take room from the sheet.
  if (place && options.centre)
    bringIn(place, options.scale);
  paint();
}

/** Moves the sheet so that the box is seen; it does not move if it is well within. */
function bringIn(place, scale) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (scale || view.scale < 0.55)
    view.scale = scale ?? readingScale();
  const x = (place.x + place.box.width / 2) * view.scale + view.x;
  const y = (place.y + Math.min(place.box.height, 60) / 2) * view.scale + view.y;
  if (x > width * 0.2 && x < width * 0.8 && y > height * 0.2 && y < height * 0.8)
    return;
  view.x += width / 2 - x;
  view.y += height / 2 - y;
}
