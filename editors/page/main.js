// Moving, choosing, keys and pointers; and how the page begins.

// --- Moving ---

function fit() {
  if (!scene)
    return;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = Math.min((width - 48) / scene.width, (height - 48) / scene.height, 1.25);
  view.scale = Math.max(scale, 0.02);
  view.x = (width - scene.width * view.scale) / 2;
  view.y = Math.max((height - scene.height * view.scale) / 2, 24);
  paint();
}

/** Smaller in a narrow panel, where less of the surroundings would be seen else. */
const readingScale = () => Math.min(0.9, Math.max(0.72, canvas.clientWidth / 1000));

/** Around what is chosen: everything if it can be read then, else as much as can be. */
function beginAtChosen() {
  fit();
  const place = chosen && placeOf(chosen.scope, chosen.card);
  if (place && view.scale < readingScale())
    bringIn(place, readingScale());
}

/** The input that most begins with; without one the uppermost card. */
function firstBox() {
  const uses = new Map(scene.boxes.filter(({ card }) => card.kind === 'input').map((box) => [box, 0]));
  for (const { from } of scene.lines) {
    if (uses.has(from))
      uses.set(from, uses.get(from) + 1);
  }
  const inputs = [...uses.keys()].filter((box) => uses.get(box) > 0);
  const isBetter = (box, best) => (uses.get(box) ?? 0) - (uses.get(best) ?? 0) || best.y - box.y;
  return (inputs.length > 0 ? inputs : scene.boxes).reduce((best, box) => isBetter(box, best) > 0 ? box : best);
}

/** What is seen first: everything if it can be read then, else its beginning. */
function begin() {
  fit();
  if (view.scale >= 0.5)
    return;
  view.scale = readingScale();
  const first = firstBox();
  view.x = canvas.clientWidth / 2 - (first.x + first.width / 2) * view.scale;
  view.y = Math.min(32, canvas.clientHeight / 4 - first.y * view.scale);
  paint();
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(Math.max(view.scale * factor, 0.02), 4);
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  paint();
}

function boxAt(clientX, clientY) {
  const rect = canvas.getBoundingClientRect();
  const x = (clientX - rect.left - view.x) / view.scale;
  const y = (clientY - rect.top - view.y) / view.scale;
  let hit = null;
  if (scene) {
    walk(scene, 0, 0, (box, left, top) => {
      const isIn = x >= left && x <= left + box.width && y >= top && y <= top + box.height;
      if (isIn)
        hit = { box, isHead: !box.inner || y <= top + HEAD };
      return isIn;
    });
  }
  return hit;
}

/** The next card in a direction: along a line, or beside it in its rank. */
function step(key) {
  const place = chosen && placeOf(chosen.scope, chosen.card);
  if (!place) {
    if (scene?.boxes.length)
      choose({ scope: root, card: 0, line: scene.boxes[0].card.line }, { centre: true });
    return;
  }
  const picture = pictures.get(chosen.scope);
  const here = picture.cards[chosen.card];
  let next = -1;
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const ends = picture.lines.filter((line) => (key === 'ArrowDown' ? line.from : line.to) === chosen.card)
      .map((line) => key === 'ArrowDown' ? line.to : line.from);
    next = nearest(picture, ends, here);
  } else {
    const beside = picture.cards.map((card, i) => ({ card, i })).filter(({ card, i }) => i !== chosen.card && card.y === here.y
      && (key === 'ArrowRight' ? card.x > here.x : card.x < here.x)).map(({ i }) => i);
    next = nearest(picture, beside, here);
  }
  if (next >= 0)
    choose({ scope: chosen.scope, card: next, line: picture.cards[next].line }, { centre: true });
}

function nearest(picture, indexes, here) {
  let best = -1;
  for (const i of indexes) {
    const far = (card) => Math.abs(card.x - here.x) + Math.abs(card.y - here.y) * 4;
    if (best < 0 || far(picture.cards[i]) < far(picture.cards[best]))
      best = i;
  }
  return best;
}

async function enter() {
  const card = chosen && pictures.get(chosen.scope)?.cards[chosen.card];
  if (!card)
    return;
  if (card.kind !== 'scope') {
    goTo(chosen.line);
    return;
  }
  if (!open.has(card.scope))
    await toggle(card.scope);
  const inner = pictures.get(card.scope);
  if (inner?.cards.length)
    choose({ scope: card.scope, card: 0, line: inner.cards[0].line }, { centre: true });
}

function leave() {
  if (!chosen)
    return;
  const scope = chosen.scope;
  if (scope === root) {
    choose(null);
    return;
  }
  chooseScope(scope);
  toggle(scope);
}

// --- Events ---

let held = null;
const pointers = new Map();
canvas.addEventListener('pointerdown', (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  held = { x: event.clientX, y: event.clientY, moved: false };
  canvas.focus();
});
canvas.addEventListener('pointermove', (event) => {
  if (!held) {
    canvas.classList.toggle('over', Boolean(boxAt(event.clientX, event.clientY)?.isHead));
    return;
  }
  const before = pointers.get(event.pointerId);
  if (pointers.size === 2 && before) {
    const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
    const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    const rect = canvas.getBoundingClientRect();
    zoom(gap(event) / gap(before), (event.clientX + other.clientX) / 2 - rect.left, (event.clientY + other.clientY) / 2 - rect.top);
  } else if (before) {
    view.x += event.clientX - before.clientX;
    view.y += event.clientY - before.clientY;
  }
  pointers.set(event.pointerId, event);
  if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > 4) {
    held.moved = true;
    canvas.classList.add('held');
  }
  paint();
});
const release = (event) => {
  pointers.delete(event.pointerId);
  const was = held;
  if (pointers.size > 0)
    return;
  held = null;
  canvas.classList.remove('held');
  if (!was || was.moved || event.type === 'pointercancel')
    return;
  const at = boxAt(event.clientX, event.clientY);
  if (!at) {
    choose(null);
    return;
  }
  const { card } = at.box;
  choose({ scope: at.box.scope, card: at.box.index, line: card.line });
  if (source.reveal && card.kind !== 'scope')
    source.reveal(card.line);
  if (card.kind === 'scope' && at.isHead)
    toggle(card.scope);
};
canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const rect = canvas.getBoundingClientRect();
  const unit = event.deltaMode === 1 ? 16 : 1;
  if (event.ctrlKey || event.metaKey) {
    zoom(Math.exp(-event.deltaY * unit * 0.01), event.clientX - rect.left, event.clientY - rect.top);
    return;
  }
  view.x -= (event.shiftKey ? event.deltaY : event.deltaX) * unit;
  view.y -= (event.shiftKey ? 0 : event.deltaY) * unit;
  paint();
}, { passive: false });

canvas.addEventListener('keydown', (event) => {
  const keys = {
    'Enter': enter, 'Backspace': leave, 'Escape': () => choose(null), '+': actions.in, '=': actions.in, '-': actions.out, '0': fit,
    '/': () => one('.find').focus(),
    ' ': () => {
      const card = chosen && pictures.get(chosen.scope)?.cards[chosen.card];
      if (card?.kind === 'scope')
        toggle(card.scope);
    },
  };
  const act = event.key.startsWith('Arrow') ? () => step(event.key) : keys[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey)
    return;
  event.preventDefault();
  act();
});
one('.find').addEventListener('input', (event) => find(event.target.value.trim()));
one('.find').addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    hit = Math.min(Math.max(hit + (event.key === 'ArrowDown' ? 1 : -1), 0), hits.length - 1);
    markHit();
  } else if (event.key === 'Enter') {
    takeHit(hit);
  } else if (event.key === 'Escape') {
    found.hidden = true;
    canvas.focus();
  }
});
one('.find').addEventListener('blur', () => {
  found.hidden = true;
});
one('.tools').addEventListener('click', (event) => actions[event.target.dataset.do]?.());
const resize = () => paint();
new ResizeObserver(resize).observe(canvas);
for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
  matchMedia(query).addEventListener('change', readColours);
new MutationObserver(readColours).observe(document.body, { attributes: true, attributeFilter: ['class'] });

// --- Beginning ---

/** Shows a document; `meta.picture` is what is seen first. Scopes that were open stay so if `keeps` is set. */
function start(from, keeps) {
  const line = keeps && chosen ? chosen.line : from.meta.line;
  round++;
  source = from;
  pictures = new Map();
  open = new Set();
  chosen = null;
  takeDiagnostics(from.meta.diagnostics ?? []);
  const { picture } = from.meta;
  root = picture?.scope ?? -1;
  scene = null;
  about.hidden = true;
  showTrail();
  if (!picture) {
    paint();
    return;
  }
  pictures.set(root, picture);
  build();
  if (!keeps)
    begin();
  if (line !== undefined && line !== null)
    showLine(line, { isQuiet: true }).then((isShown) => isShown && !keeps && source === from && beginAtChosen());
  else
    openWhatFits().then(() => {
      if (source !== from)
        return;
      build();
      begin();
    });
}

const READABLE = 0.72;  // The least scale at which everything is seen and can be read.
const TRIED = 12;       // Scopes that are tried for the first picture: each is fetched for that.

/** The cards of scopes that are seen closed, those with the most nodes first. */
function closedScopes() {
  const list = [];
  for (const scope of [root, ...open])
    list.push(...pictures.get(scope).cards.filter((card) => card.kind === 'scope' && !open.has(card.scope)));
  return list.sort((a, b) => b.nodes - a.nodes);
}

/** What is seen first says as much as can be read at once: scopes open while there is room for them, and one that is all there is. */
async function openWhatFits() {
  const before = round;
  const tried = new Set();
  while (tried.size < TRIED) {
    const next = closedScopes().find((card) => !tried.has(card.scope));
    if (!next)
      return;
    tried.add(next.scope);
    const isAll = ![...open, root].some((scope) => pictures.get(scope).cards.some((card) => card.kind === 'node'))
      && closedScopes().length === 1;
    if (!await load(next.scope) || before !== round)
      return;
    open.add(next.scope);
    const { width, height } = compose(root);
    if (!isAll && Math.min((canvas.clientWidth - 48) / width, (canvas.clientHeight - 48) / height) < READABLE)
      open.delete(next.scope);
  }
}

readColours();
const data = document.getElementById('picture-data');
if (data) {
  const meta = JSON.parse(data.textContent);
  if (meta.picture.scope === null)
    meta.picture.scope = -1;
  const fromAddress = /^#L(\d+)$/.exec(location.hash);
  if (fromAddress)
    meta.line = Number(fromAddress[1]) - 1;
  start(fileSource(meta));
  addEventListener('hashchange', () => {
    const at = /^#L(\d+)$/.exec(location.hash);
    if (at)
      showLine(Number(at[1]) - 1);
  });
} else if (typeof acquireVsCodeApi === 'function') {
  const api = acquireVsCodeApi();
  addEventListener('message', (event) => {
    const { type } = event.data;
    if (type === 'start')
      start(panelSource(api, event.data.meta), event.data.keeps);
    else if (type === 'line' && source)
      showLine(event.data.line, { isQuiet: true });
    else if (type === 'diagnostics' && source) {
      takeDiagnostics(event.data.diagnostics);
      paint();
    }
  });
  api.postMessage({ type: 'ready' });
}

// What tests look at.
window.onnxlsPicture = { showLine, placeOf, chosen: () => chosen, view: () => view, scene: () => scene, pictures: () => pictures };
