// What is beside the picture: the chosen card, the trail of scopes, and finding.

// --- Beside the picture ---

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const lineButton = (line, text, more) => {
  const button = element('button', { type: 'button', title: `line ${line + 1}` }, text, ...(more ? [element('small', {}, more)] : []));
  button.addEventListener('click', () => goTo(line));
  return element('li', {}, button);
};

function valueList(title, values) {
  if (!values || values.length === 0)
    return [];
  return [element('h3', {}, title), element('ul', {}, ...values.map((value) => lineButton(value.line, value.name, value.what)))];
}

/** In an editor to the text, in a browser to the card. */
function goTo(line) {
  if (source.reveal)
    source.reveal(line);
  showLine(line, { isQuiet: true });
}

function diagnosticsOf(card) {
  const list = [];
  for (const line of severityLines) {
    if (line >= card.line && line <= (card.lastLine ?? card.line))
      list.push(...severities.get(line));
    if (list.length > 20)
      break;
  }
  return card.kind === 'from' || card.kind === 'to' ? [] : list;
}

function tell(card, isQuiet) {
  showTrail();
  about.hidden = !card;
  about.replaceChildren();
  if (!card)
    return;
  const number = (chosen.line ?? card.line) + 1;
  const go = element('button', { type: 'button', className: 'go' }, `Line ${number}`);
  go.addEventListener('click', () => source.reveal?.(number - 1));
  const parts = [element('h2', {}, pictures.get(card.scope)?.title || card.title), element('p', { className: 'sub' }, card.operator ?? card.detail ?? ''), go];
  for (const diagnostic of diagnosticsOf(card).slice(0, 20))
    parts.push(element('p', { className: diagnostic.severity === 1 ? 'error' : 'warning' }, diagnostic.message));
  parts.push(...valueList('Takes', card.inputs), ...valueList('Gives', card.outputs));
  if (card.source)
    parts.push(element('h3', {}, 'Text'), element('pre', {}, card.source));
  if (card.kind === 'scope') {
    const button = element('button', { type: 'button', className: 'go' }, open.has(card.scope) ? 'Close' : `Open ${card.nodes} nodes`);
    button.addEventListener('click', () => toggle(card.scope).then(() => tell(card, true)));
    parts.push(button);
  }
  about.append(...parts);
  if (card.operator)
    tellWords(card);
  if (!isQuiet)
    one('.say').textContent = `${card.title}, ${card.kind}, line ${number}`;
  resize();
}

async function tellWords(card) {
  const words = await source.words(card);
  if (words && chosen && pictures.get(chosen.scope)?.cards[chosen.card] === card)
    about.append(element('h3', {}, 'Operator'), element('pre', { className: 'words' }, words));
}

function showTrail() {
  const trail = [];
  for (let scope = chosen?.scope; scope !== undefined && scope !== null && pictures.has(scope); scope = pictures.get(scope).parent)
    trail.unshift(pictures.get(scope));
  const { file, opset, torch, exporter } = source.meta;
  const parts = [element('span', { className: 'file', title: file ?? '' }, (file ?? '').replace(/^.*[\\/]/, ''))];
  for (const [i, picture] of trail.entries()) {
    const around = i > 0 && trail[i - 1].title ? `${trail[i - 1].title}.` : '';
    const name = around && picture.title.startsWith(around) ? picture.title.slice(around.length) : picture.title;
    const button = element('button', { type: 'button', title: picture.title }, name || 'graph');
    button.addEventListener('click', () => chooseScope(picture.scope));
    parts.push(element('span', { className: 'sep' }, '/'), button);
  }
  if (opset)
    parts.push(element('span', { className: 'target' }, `opset ${opset}, ${exporter === 'torchscript' ? 'TorchScript' : exporter} exporter${torch ? ` of torch ${torch}` : ''}`));
  one('.trail').replaceChildren(...parts);
}

function chooseScope(scope) {
  const parent = pictures.get(scope)?.parent;
  const index = pictures.get(parent)?.cards.findIndex((card) => card.scope === scope) ?? -1;
  if (index >= 0)
    choose({ scope: parent, card: index, line: pictures.get(parent).cards[index].line }, { centre: true });
  else
    fit();
}

// --- Finding ---

let hits = [];
let hit = -1;
let typed = 0;

async function find(text) {
  const mine = ++typed;
  const list = text ? await source.search(text.toLowerCase()) : { found: [] };
  if (mine !== typed)
    return;
  hits = list?.found ?? [];
  hit = hits.length > 0 ? 0 : -1;
  found.replaceChildren(...hits.slice(0, 200).map((one, i) => {
    const item = element('li', { role: 'option' }, one.title, element('small', {}, `${one.name}  line ${one.line + 1}`));
    item.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      takeHit(i);
    });
    return item;
  }));
  if (list?.more)
    found.append(element('li', {}, element('small', {}, 'and more')));
  if (text && hits.length === 0)
    found.append(element('li', {}, element('small', {}, 'nothing')));
  found.hidden = !text;
  markHit();
}

function markHit() {
  [...found.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === hit)));
  found.children[hit]?.scrollIntoView({ block: 'nearest' });
}

function takeHit(i) {
  if (!hits[i])
    return;
  hit = i;
  markHit();
  found.hidden = true;
  canvas.focus();
  showLine(hits[i].line, { within: hits[i].opens ? hits[i].scope : undefined });
}
