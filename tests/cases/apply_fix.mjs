// What fixes make of a text, for those that try them.

/** The text after edits of one document; columns are code points. */
export function applied(text, edits) {
  const lines = text.split('\n');
  const starts = [0];
  lines.forEach((line) => starts.push(starts.at(-1) + [...line].length + 1));
  const points = [...text];
  const offset = ({ line, character }) => Math.min(starts[line] + character, points.length);
  const placed = edits.map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }));
  placed.sort((a, b) => b.start - a.start || b.end - a.end);
  placed.forEach((edit, i) => {
    if (i > 0 && edit.end > placed[i - 1].start)
      throw new Error('its edits overlap');
  });
  for (const { start, end, newText } of placed)
    points.splice(start, end - start, ...newText);
  return points.join('');
}

/** Edits of this document alone that are offered for a diagnostic and do more than silence it. */
export async function fixesOf(client, uri, diagnostic) {
  const context = { diagnostics: [diagnostic], only: ['quickfix'] };
  const actions = await client.request('textDocument/codeAction',
                                       { textDocument: { uri }, range: diagnostic.range, context });
  return actions.filter((action) => action.edit && !/^Ignore /.test(action.title) &&
    action.diagnostics?.some(({ code, message, range }) => code === diagnostic.code && message === diagnostic.message &&
      JSON.stringify(range) === JSON.stringify(diagnostic.range)))
    .map(({ title, edit }) => ({ title, changes: edit.documentChanges ?? [] }))
    .filter(({ changes }) => changes.length > 0 && changes.every((change) => change.edits && change.textDocument.uri === uri))
    .map(({ title, changes }) => ({ title, edits: changes.flatMap((change) => change.edits) }));
}
