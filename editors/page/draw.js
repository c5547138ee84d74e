// Drawing: the same strokes on the canvas, into a PNG, and as SVG.

// --- Drawing ---

const COARSE = 0.12;  // The scale below which a card is a spot: thousands of them are seen then.
const FINEST = 6;     // Pixels of the shortest line that is drawn then.

/** What draws: the canvas, or an SVG that grows. */
function canvasPen(target) {
  const widths = new Map();
  return {
    box: (x, y, width, height, radius, fill, stroke, thick, dash) => {
      target.beginPath();
      target.roundRect(x, y, width, height, radius);
      if (fill) {
        target.fillStyle = fill;
        target.fill();
      }
      if (stroke) {
        target.strokeStyle = stroke;
        target.lineWidth = thick;
        target.setLineDash(dash ?? []);
        target.stroke();
        target.setLineDash([]);
      }
    },
    block: (x, y, width, height, fill) => {
      target.fillStyle = fill;
      target.fillRect(x, y, width, height);
    },
    way: (steps, stroke, thick) => {
      target.beginPath();
      for (const [kind, ...at] of steps)
        kind === 'M' ? target.moveTo(...at) : kind === 'L' ? target.lineTo(...at) : target.bezierCurveTo(...at);
      target.strokeStyle = stroke;
      target.lineWidth = thick;
      target.stroke();
    },
    shape: (points, fill) => {
      target.beginPath();
      points.forEach(([x, y], i) => i === 0 ? target.moveTo(x, y) : target.lineTo(x, y));
      target.fillStyle = fill;
      target.fill();
    },
    text: (text, x, y, font, fill, room, halo) => {
      const key = `${font}|${Math.round(room)}|${text}`;
      target.font = `${font} ${colours.sans}`;
      if (!widths.has(key)) {
        if (widths.size > 5000)
          widths.clear();
        widths.set(key, fitted(target, text, room));
      }
      if (halo) {
        target.strokeStyle = halo;
        target.lineWidth = 4;
        target.lineJoin = 'round';
        target.strokeText(widths.get(key), x, y);
      }
      target.fillStyle = fill;
      target.fillText(widths.get(key), x, y);
    },
  };
}

/** Names differ at their ends, so they lose their middle; sentences and types lose their end. */
function cut(letters, kept) {
  const end = letters.includes(' ') ? 0 : kept >> 1;
  return `${letters.slice(0, kept - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}

function fitted(target, text, room) {
  if (target.measureText(text).width <= room)
    return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (target.measureText(cut(letters, middle)).width <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return cut(letters, low);
}

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
function svgPen(parts) {
  const round = (number) => Math.round(number * 10) / 10;
  return {
    box: (x, y, width, height, radius, fill, stroke, thick, dash) => parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}"`
      + ` height="${round(height)}" rx="${radius}" fill="${fill || 'none'}" stroke="${stroke || 'none'}" stroke-width="${thick ?? 0}"`
      + `${dash ? ` stroke-dasharray="${dash.join(' ')}"` : ''}/>`),
    way: (steps, stroke, thick) => parts.push(`<path d="${steps.map(([kind, ...at]) => kind + at.map(round).join(' ')).join('')}" fill="none"`
      + ` stroke="${stroke}" stroke-width="${thick}"/>`),
    shape: (points, fill) => parts.push(`<polygon points="${points.map((at) => at.map(round).join(',')).join(' ')}" fill="${fill}"/>`),
    text: (text, x, y, font, fill, room, halo) => {
      context.font = `${font} ${colours.sans}`;
      const [weight, size] = font.split(' ');
      const around = halo ? ` paint-order="stroke" stroke="${halo}" stroke-width="4" stroke-linejoin="round"` : '';
      parts.push(`<text x="${round(x)}" y="${round(y)}" font-weight="${weight}" font-size="${size}" fill="${fill}"${around}>`
        + `${escaped(fitted(context, text, room))}</text>`);
    },
  };
}

function curve(points) {
  const steps = [['M', points[0], points[1]]];
  for (let i = 2; i < points.length; i += 2) {
    const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
    const middle = (y0 + y1) / 2;
    steps.push(Math.abs(x0 - x1) < 0.5 ? ['L', x1, y1] : ['C', x0, middle, x1, middle, x1, y1]);
  }
  return steps;
}

const isChosen = (box) => chosen && box.scope === chosen.scope && box.index === chosen.card;

const isAtChosen = (line) => isChosen(line.from) || isChosen(line.to);

function drawLine(pen, part, line, x, y, detail) {
  const isNear = isAtChosen(line);
  const colour = isNear ? colours.accent : colours.line;
  const thick = isNear ? 1.8 : 1.2;
  if (!line.points) {
    if (detail < 0.4)
      return;
    const at = x + line.to.x + Math.min(line.to.width - 6, line.to.width / 2 + 14 + line.place * 12);
    const top = y + line.to.y;
    pen.way([['M', at, top - TICK], ['L', at, top - 1]], colour, thick);
    if (line.place === 0 || isNear)
      pen.text(line.line.label ?? '', at + 5, top - 5 - line.place * 11, FONT.detail, isNear ? colours.ink : colours.faint, 130);
    const start = x + line.from.x + line.from.width / 2 + 14;
    pen.way([['M', start, y + line.from.y + line.from.height], ['L', start, y + line.from.y + line.from.height + TICK]], colour, thick);
    return;
  }
  if (detail < COARSE && (line.bottom - line.top) * detail < FINEST && (line.right - line.left) * detail < FINEST)
    return;
  const points = line.points.map((value, i) => value + (i % 2 === 0 ? x : y));
  pen.way(curve(points), colour, thick);
  const [tipX, tipY] = points.slice(-2);
  const side = points.at(-3) <= tipY ? -6 : 6;
  if (detail > 0.3)
    pen.shape([[tipX, tipY], [tipX - 3.5, tipY + side], [tipX + 3.5, tipY + side]], colour);
  if (isNear && detail > 0.5 && line.line.label) {
    const half = Math.floor(points.length / 4) * 2;
    pen.text(line.line.label, (points[half - 2] + points[half]) / 2 + 6, (points[half - 1] + points[half + 1]) / 2 + 4, FONT.detail, colours.ink, 160,
      part.scope === root ? colours.paper : colours.group);
  }
}

function cardColours(box) {
  const { card } = box;
  const severity = card.severity ??= severityOf(card);
  const fill = { scope: 'group', input: 'ends', output: 'ends', constant: 'constant' }[card.kind] ?? 'card';
  const stroke = severity === 1 ? colours.error : severity === 2 ? colours.warning : card.kind === 'scope' ? colours['group-line'] : colours['card-line'];
  return { severity, fill: colours[fill], stroke, thick: severity === 1 || severity === 2 ? 1.7 : 1 };
}

function drawPort(pen, box, x, y, detail) {
  if (detail < COARSE)
    return;
  pen.box(x, y, box.width, box.height, box.height / 2, null, isChosen(box) ? colours.accent : colours.line, isChosen(box) ? 2 : 1, [3, 3]);
  if (detail > 0.35)
    pen.text(box.card.title, x + INSET, y + 18, FONT.detail, colours.faint, box.width - 2 * INSET);
}

function drawCard(pen, box, x, y, detail) {
  const { card } = box;
  if (card.kind === 'from' || card.kind === 'to') {
    drawPort(pen, box, x, y, detail);
    return;
  }
  const look = cardColours(box);
  if (detail < COARSE && !isChosen(box)) {
    pen.block(x, y, box.width, box.height, look.severity === 1 || look.severity === 2 ? look.stroke : box.inner ? look.fill : colours.line);
    return;
  }
  if (card.kind === 'scope' && !box.inner && detail > 0.3)
    pen.box(x + 3, y + 3, box.width, box.height, 7, colours.group, colours['group-line'], 1);
  pen.box(x, y, box.width, box.height, 7, look.fill, isChosen(box) ? colours.accent : look.stroke, isChosen(box) ? 2.4 : look.thick);
  const strip = family(card);
  if (strip)
    pen.box(x + 4.5, y + 9, 3, box.height - 18, 1.5, colours[strip]);
  if (detail < 0.35)
    return;
  const inset = strip ? INSET + 2 : INSET;
  const room = box.width - inset - 8 - (look.severity === 1 || look.severity === 2 ? 8 : 0);
  if (box.inner) {
    pen.text(`${card.title}${card.detail ? `  ${card.detail}` : ''}`, x + inset, y + 18, FONT.head, colours.faint, room);
  } else {
    pen.text(card.title, x + inset, y + (card.detail ? 19 : 18), FONT.title, colours.ink, room);
    if (card.detail)
      pen.text(card.detail, x + inset, y + 35, FONT.detail, colours.faint, box.width - inset - 8);
  }
  if (look.severity === 1 || look.severity === 2)
    pen.box(x + box.width - 14, y + 8, 7, 7, 3.5, look.severity === 1 ? colours.error : colours.warning);
}

/** `window` is what is seen of the sheet; detail is the scale. Lines come first, so that cards lie on them, and of
 * lines those of the chosen card last. */
function drawPart(pen, part, x, y, window, detail) {
  const isSeen = (left, top, right, bottom) => left < window.right && right > window.left && top < window.bottom && bottom > window.top;
  const isLineSeen = (line) => line.points ? isSeen(x + line.left - 4, y + line.top, x + line.right + 4, y + line.bottom)
    : isSeen(x + line.to.x, y + line.to.y - 40, x + line.to.x + line.to.width + 140, y + line.to.y)
      || isSeen(x + line.from.x, y + line.from.y, x + line.from.x + line.from.width, y + line.from.y + line.from.height + 40);
  const seen = part.lines.filter(isLineSeen);
  for (const line of [...seen.filter((line) => !isAtChosen(line)), ...seen.filter(isAtChosen)])
    drawLine(pen, part, line, x, y, detail);
  for (const box of part.boxes) {
    const [left, top] = [x + box.x, y + box.y];
    if (!isSeen(left, top - 4, left + box.width + 4, top + box.height + 4))
      continue;
    drawCard(pen, box, left, top, detail);
    if (box.inner)
      drawPart(pen, box.inner, left + (box.width - box.inner.width) / 2, top + HEAD + PAD, window, detail);
  }
}

const screenPen = canvasPen(context);
function frame() {
  dirty = false;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (!scene)
    return;
  context.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
  const window = { left: -view.x / view.scale, top: -view.y / view.scale, right: (width - view.x) / view.scale, bottom: (height - view.y) / view.scale };
  drawPart(screenPen, scene, 0, 0, window, view.scale);
}

function paint() {
  if (!dirty)
    requestAnimationFrame(frame);
  dirty = true;
}

// --- Saving ---

const baseName = () => (source.meta.file ?? 'graph').replace(/^.*[\\/]/, '') || 'graph';
const everything = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };

function svgText() {
  const parts = [];
  const [width, height] = [Math.ceil(scene.width + 48), Math.ceil(scene.height + 48)];
  drawPart(svgPen(parts), scene, 24, 24, everything, 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `
    + `font-family="${escaped(colours.sans)}"><rect width="100%" height="100%" fill="${colours.paper}"/>\n${parts.join('\n')}\n</svg>\n`;
}

function savePng() {
  const sheet = document.createElement('canvas');
  const scale = Math.min(2, 8000 / (scene.width + 48), 8000 / (scene.height + 48));
  sheet.width = Math.ceil((scene.width + 48) * scale);
  sheet.height = Math.ceil((scene.height + 48) * scale);
  const target = sheet.getContext('2d', { alpha: false });
  target.fillStyle = colours.paper;
  target.fillRect(0, 0, sheet.width, sheet.height);
  target.setTransform(scale, 0, 0, scale, 24 * scale, 24 * scale);
  drawPart(canvasPen(target), scene, 0, 0, everything, 1);
  sheet.toBlob((blob) => blob && source.save(`${baseName()}.png`, blob));
}

const actions = {
  in: () => zoom(1.25),
  out: () => zoom(0.8),
  fit,
  svg: () => source.save(`${baseName()}.svg`, new Blob([svgText()], { type: 'image/svg+xml' })),
  png: savePng,
};
