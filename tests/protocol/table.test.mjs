// The table of docs/features.md: each cell is asked for here, and what it says is what comes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fullCapabilities, withServer } from './client.mjs';

const page = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'features.md'), 'utf8');
const root = mkdtempSync(join(tmpdir(), 'onnxls-test-'));
after(() => rmSync(root, { recursive: true, force: true }));
for (const [name, text] of Object.entries({
  'torch/onnx/symbolic_opset9.py': '@_onnx_symbolic("aten::relu")\ndef relu(g, x):\n    pass\n',
  'onnxscript/function_libs/torch_lib/ops/core.py': '@torch_op("aten::relu")\ndef aten_relu(x):\n    pass\n',
  'nets/blocks.py': 'class Block:\n    pass\n',
})) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

/** A document of each column, and where in it the features are asked for: `«name:text»` is the place `name`. */
const documents = {
  TorchScript: ['torch-ir', `graph(%x : Float(2, 3), %w : Float(3, 3)):
  %1 : int = prim::Constant[value=1]()
  %«value:y» : Float(2, 3) = aten::«operator:relu»(%x), scope: Net::/nets.blocks.«class:Block»::b # ${join(root, 'nets/blocks.py')}:1:0
  %z : Float(2, 3) = aten::add(%«use:y», %w, %1)
  %u : Float(2, 3) = aten::fft_fft(%z)
  return (%u)  # onnxls: ignore[«comment:»]
`],
  FX: ['fx-graph', `ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, x: "f32[2, 3]", w: "f32[3, 3]"):
            # File: ${join(root, 'nets/blocks.py')}:1 in nets.blocks.«class:Block», code: return x.relu()
            «value:relu»: "f32[2, 3]" = torch.ops.aten.«operator:relu».default(x);  x = None
            add: "f32[2, 3]" = torch.ops.aten.add.Tensor(«use:relu», w);  relu = w = None
            bad: "f32[2, 3]" = torch.ops.aten.special_i0e.default(add);  add = None
            return (bad,)  # onnxls: ignore[«comment:»]
`],
  'ONNX text': ['onnx-text', `<ir_version: 8, opset_import: ["" : 17]>
agraph (float[2,3] x, float[2,3] w) => (float[2,3] z) {
   «value:y» = «operator:Relu» (x)
   v = Add («use:y», w)
   z = Concat (v, w)  # onnxls: ignore[«comment:»]
   # nets.blocks.«class:Block»
}
`],
  'onnx_ir': ['onnx-ir', `<
    ir_version=10,
    opset_imports={'': 20},
    producer_name='pytorch',
>
graph(
    name=main_graph,
    inputs=(
        %"x"<FLOAT,[2,3]>,
        %"w"<FLOAT,[2,3]>
    ),
    outputs=(
        %"z"<FLOAT,[2,3]>
    ),
) {
    0 |  # node_relu «class:»
         %"«value:y»"<FLOAT,[2,3]> ⬅️ ::«operator:Relu»(%"x")
    1 |  # node_add
         %"v"<FLOAT,[2,3]> ⬅️ ::Add(%"«use:y»", %"w")
    2 |  # node_concat
         %"z"<FLOAT,[2,3]> ⬅️ ::Concat(%"v", %"w")  # onnxls: ignore[«comment:»]
    return %"z"<FLOAT,[2,3]>
}
`],
  'Printable graph': ['torch-ir', `graph agraph (
  %x[FLOAT, 2x3]
  %w[FLOAT, 2x3]
) {
  %«value:y» = «operator:Relu»(%x)
  %v = Add(%«use:y», %w)
  %z = LeakyRelu[alpha = 0.1, beta = 1](%missing)  # onnxls: ignore[«comment:»]
  # nets.blocks.«class:Block»
  return %z
}
`],
  Report: ['onnx-report', `# PyTorch ONNX Conversion Report

\`\`\`
✅ Obtain model graph with \`torch.export.export(..., strict=False)\`
❌ Decompose operators for ONNX compatibility
\`\`\`

## Exported program

\`\`\`python
${'FX'}
\`\`\`
`],
  Python: ['python', `from torch.onnx import register_custom_op_symbolic


def «value:elu»(g, x, alpha, scale, input_scale):
    return g.op("«operator:Elu»", «use:x», «signature:»alpha=1.0)  # onnxls: ignore[«comment:»]


class «class:Block»:
    pass


register_custom_op_symbolic("aten::«registered:elu»", elu, 9)
`],
};

// The exported program in a report is the graph of FX, whose marks are kept.
documents.Report[1] = documents.Report[1].replace(/^FX\n/m, () => documents.FX[1]);
documents.Notebook = documents.Python;

/** The text without marks, and their places. */
function unmark(marked) {
  const places = {};
  let text = '';
  for (const part of marked.split(/(«\w+:[^»]*»)/)) {
    const mark = /^«(\w+):([^»]*)»$/.exec(part);
    if (mark) {
      const lines = text.split('\n');
      places[mark[1]] = { line: lines.length - 1, character: lines.at(-1).length };
    }
    text += mark ? mark[2] : part;
  }
  return { text, places };
}

const at = (method, place, more) => (server, uri, places) => (places[place] ?? places.operator) &&
  server.at(method, uri, (places[place] ?? places.operator).line, (places[place] ?? places.operator).character, more);
const whole = (method, more = {}) => (server, uri) => server.request(`textDocument/${method}`, { textDocument: { uri }, ...more });
const all = { range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } } };

/** How each row is asked for. */
const rows = {
  Diagnostics: async (server, uri) => (await server.diagnostics(uri, 1)).diagnostics,
  Hover: at('hover', 'operator'),
  Definition: async (server, uri, places) => {
    const found = await at('definition', 'use')(server, uri, places);
    return found.length ? found : at('definition', 'registered')(server, uri, places);
  },
  'Type definition': at('typeDefinition', 'class'),
  Implementation: at('implementation', 'registered'),  // Only Python has that place; else it is the operator.
  References: async (server, uri, places) => {
    const context = { context: { includeDeclaration: true } };
    const found = await at('references', 'use', context)(server, uri, places);
    return found.length ? found : at('references', 'registered', context)(server, uri, places);
  },
  Highlights: at('documentHighlight', 'use'),
  Rename: at('rename', 'use', { newName: 'renamed' }),
  'Call hierarchy': at('prepareCallHierarchy', 'value'),
  Outline: whole('documentSymbol'),
  Folding: whole('foldingRange'),
  'Selection ranges': async (server, uri, places) => {
    const [range] = await server.request('textDocument/selectionRange', { textDocument: { uri }, positions: [places.operator] }) ?? [];
    return range?.parent;
  },
  Links: whole('documentLink'),
  'Semantic tokens': async (server, uri) => (await whole('semanticTokens/full')(server, uri))?.data,
  'Inlay hints': whole('inlayHint', all),
  Completion: async (server, uri, places) => (await at('completion', 'comment')(server, uri, places)).items,
  'Signature help': async (server, uri, places) => (await at('signatureHelp', 'signature')(server, uri, places))?.signatures,
  Lenses: whole('codeLens'),
  'Code actions': whole('codeAction', { ...all, context: { diagnostics: [] } }),
};

const endings = { python: 'py', 'torch-ir': 'torchir', 'fx-graph': 'fx', 'onnx-text': 'onnxtxt', 'onnx-ir': 'onnxir', 'onnx-report': 'md' };

/** A notebook with one cell. */
function openCell(server, uri, text) {
  const notebook = { uri: 'file:///table/a.ipynb', notebookType: 'jupyter-notebook', version: 1, cells: [{ kind: 2, document: uri }] };
  server.notify('notebookDocument/didOpen', { notebookDocument: notebook, cellTextDocuments: [{ uri, languageId: 'python', version: 1, text }] });
}

const isThere = (answer) => answer !== null && answer !== undefined && (!Array.isArray(answer) || answer.length > 0);

const table = /\n\| feature \|(.*)\n\|[-|]+\n((?:\|.*\n)+)/.exec(page);
const columns = table[1].split('|').map((cell) => cell.trim()).filter(Boolean);
const cells = Object.fromEntries(table[2].trim().split('\n').map((line) => line.split('|').map((cell) => cell.trim()).slice(1, -1))
  .map(([name, ...rest]) => [name, rest]));
assert.deepEqual(Object.keys(cells), Object.keys(rows), 'the table has these rows');

const capabilities = { ...fullCapabilities, textDocument: { ...fullCapabilities.textDocument,
  codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [''] } } } } };
for (const [column, [languageId, marked]] of Object.entries(documents)) {
  withServer(`${column} has what the table says`, {
    initialize: { capabilities, initializationOptions: { torch: '2.14', exporter: 'torchscript', opset: 17, sourceRoots: [root] } },
  }, async (server) => {
    const { text, places } = unmark(marked);
    const isCell = column === 'Notebook';
    const uri = isCell ? 'vscode-notebook-cell:/table/a.ipynb#1' : `file:///table/a.${endings[languageId]}`;
    if (isCell)
      openCell(server, uri, text);
    else
      server.didOpen(uri, text, { languageId });
    const wrong = [];
    for (const [row, ask] of Object.entries(rows)) {
      const answer = await ask(server, uri, places);
      if (isThere(answer) !== /^yes/.test(cells[row][columns.indexOf(column)]))
        wrong.push(`${row}: ${JSON.stringify(answer)?.slice(0, 100)}`);
    }
    assert.deepEqual(wrong, []);
  });
}
