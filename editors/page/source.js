// The picture of a graph: one page for browsers (`onnxls graph`) and for the panel of an editor. Its scripts are one
// program: they run in the order source, scene, draw, beside, main and share their names. docs/protocol.md has the data.
'use strict';

const HEAD = 26;  // Above what is in an open scope.
const PAD = 14;
const INSET = 12;
const TICK = 12;
const FONT = { title: '600 13px', detail: '400 11px', head: '600 12px' };
const one = (selector) => document.querySelector(selector);
const canvas = one('canvas');
const context = canvas.getContext('2d', { alpha: false });
const about = one('.about');
const found = one('.found');

// --- Where data comes from ---

/** A file has all its pictures in blocks beside the script; those below it may not be there yet. */
function fileSource(meta) {
  const parsed = document.readyState === 'loading' ? new Promise((done) => addEventListener('DOMContentLoaded', done)) : null;
  const block = async (id) => {
    if (!document.getElementById(id))
      await parsed;
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  };
  return {
    meta,
    scope: (number) => number === meta.picture.scope ? Promise.resolve(meta.picture) : block(`scope-${number}`),
    words: async (card) => (await block('picture-words'))?.[card.operator] ?? '',
    search: async (text) => {
      await parsed;
      const hits = [];
      const blocks = [meta.picture, ...document.querySelectorAll('script[id^="scope-"]')];
      for (const one of blocks) {
        if (one.textContent !== undefined && !one.textContent.toLowerCase().includes(text))
          continue;
        const picture = one.cards ? one : JSON.parse(one.textContent);
        if (one !== meta.picture && picture.title?.toLowerCase().includes(text))
          hits.push({ scope: picture.parent, opens: picture.scope, line: picture.firstLine, title: picture.title, name: picture.detail ?? '' });
        for (const card of picture.cards) {
          const names = [card.title, card.operator, ...(card.outputs ?? []).map((value) => value.name)];
          if (!['from', 'to', 'scope'].includes(card.kind) && names.some((name) => name?.toLowerCase().includes(text)))
            hits.push({ scope: picture.scope, line: card.line, title: card.title, name: card.outputs?.[0]?.name ?? card.detail ?? '' });
          if (hits.length >= 200)
            return { found: hits, more: true };
        }
      }
      return { found: hits, more: false };
    },
    reveal: null,
    save: (name, blob) => {
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
  };
}

/** A panel asks the editor, which asks the server. */
function panelSource(api, meta) {
  const waiting = new Map();
  let asked = 0;
  const ask = (what) => new Promise((done) => {
    waiting.set(++asked, done);
    api.postMessage({ ...what, id: asked });
  });
  addEventListener('message', (event) => {
    if (event.data.type !== 'answer' || !waiting.has(event.data.id))
      return;
    waiting.get(event.data.id)(event.data.result);
    waiting.delete(event.data.id);
  });
  return {
    meta,
    scope: (number) => ask({ type: 'scope', scope: number }),
    words: (card) => ask({ type: 'words', line: card.line }),
    search: (query) => ask({ type: 'search', query }),
    reveal: (line) => api.postMessage({ type: 'reveal', line }),
    save: async (name, blob) => {
      const reader = new FileReader();
      reader.onload = () => api.postMessage({ type: 'save', name, data: reader.result.split(',')[1] });
      reader.readAsDataURL(blob);
    },
  };
}
