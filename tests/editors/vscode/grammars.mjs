// The TextMate grammars with VS Code's own tokenizer: which scope a word gets.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** [grammar, document or text, line, word, scope]; each word's first occurrence in that line. */
const wanted = [
  ['torch-ir', 'branches.torchir', 1, 'graph', 'keyword.declaration'],
  ['torch-ir', 'branches.torchir', 5, '%4', 'variable.other.definition'],
  ['torch-ir', 'branches.torchir', 5, 'int', 'support.type'],
  ['torch-ir', 'branches.torchir', 5, 'value', 'variable.other.property'],
  // Not a keyword: light themes draw these as red as errors.
  ['torch-ir', 'branches.torchir', 5, 'scope:', 'variable.other.property'],
  ['torch-ir', 'branches.torchir', 5, 'If::', 'entity.name.namespace'],
  ['torch-ir', 'branches.torchir', 5, '/home/gen2.py:183:30', 'markup.underline.link'],
  ['torch-ir', 'branches.torchir', 7, 'prim::If', 'keyword.control'],
  ['torch-ir', 'branches.torchir', 8, 'block0', 'entity.name.label'],
  ['torch-ir', 'branches.torchir', 9, '"a"', 'string.quoted.double'],
  ['torch-ir', 'branches.torchir', 9, '__torch__.torch', 'entity.name.type.class'],
  ['torch-ir', 'branches.torchir', 24, 'mul', 'support.function'],
  ['torch-ir', 'branches.torchir', 24, '%5', 'variable.other'],
  ['torch-ir', 'branches.torchir', 29, 'return', 'keyword.control.return'],
  ['torch-ir', 'export.log', 2, 'The feature', 'comment.line'],
  ['torch-ir', 'export.log', 3, 'graph(%0', 'keyword.declaration'],
  ['torch-ir', 'export.log', 3, 'Float', 'support.type'],
  ['torch-ir', 'export.log', 7, '_tag', 'variable.other.property'],
  ['fx-graph', 'module.fx', 1, 'graph', 'keyword.declaration'],
  ['fx-graph', 'module.fx', 3, 'call_function', 'keyword.control'],
  ['fx-graph', 'module.fx', 3, 'torch.ops.aten.relu.default', 'support.function'],
  ['fx-graph', 'module.fx', 3, '%x', 'variable.other'],
  ['onnx-text', 'linear.onnxtxt', 2, 'ir_version', 'variable.other.property'],
  ['onnx-text', 'linear.onnxtxt', 5, 'float', 'support.type'],
  ['onnx-text', 'linear.onnxtxt', 5, 'linear', 'entity.name.function'],
  ['onnx-text', 'linear.onnxtxt', 6, 'MatMul', 'support.function'],
  ['onnx-ir', ['        0 |  # node_0', '             %"y"<FLOAT,[2,3]> ⬅️ ::Relu(%"x")'], 2, '%"y"', 'variable.other'],
  ['onnx-ir', ['        0 |  # node_0', '             %"y"<FLOAT,[2,3]> ⬅️ ::Relu(%"x")'], 2, '<FLOAT', 'support.type'],
  ['onnx-ir', ['        0 |  # node_0', '             %"y"<FLOAT,[2,3]> ⬅️ ::Relu(%"x")'], 2, 'Relu', 'support.function'],
];

async function makeRegistry(root, host) {
  const require = createRequire(join(host.vscode, 'package.json'));
  const oniguruma = require('vscode-oniguruma');
  const textmate = require('vscode-textmate');
  await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = join(root, 'editors/vscode/syntaxes', `${scope.replace('source.', '')}.tmLanguage.json`);
      return textmate.parseRawGrammar(readFileSync(file, 'utf8'), file);
    },
  });
}

/** The scopes of every token, line by line. */
function tokenize(grammar, lines) {
  let state = null;
  return lines.map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens;
  });
}

export async function checkGrammars(root, host) {
  const registry = await makeRegistry(root, host);
  const results = [];
  for (const [language, source, line, word, scope] of wanted) {
    const lines = Array.isArray(source) ? source
      : readFileSync(join(root, 'tests/editors/documents', source), 'utf8').split('\n');
    const grammar = await registry.loadGrammar(`source.${language}`);
    const start = lines[line - 1].indexOf(word);
    const token = tokenize(grammar, lines)[line - 1].find(({ startIndex, endIndex }) => startIndex <= start && start < endIndex);
    const got = token?.scopes.slice(1).join(' ') ?? '';
    const feature = `${language}: ${word} is ${scope}`;
    if (start >= 0 && got.split(' ').some((name) => name.startsWith(`${scope}.`) && name.endsWith(`.${language}`)))
      results.push({ feature, result: 'passed' });
    else
      results.push({ feature, result: 'failed', note: start < 0 ? 'the word is not there' : `it is "${got}"` });
  }
  return results;
}
