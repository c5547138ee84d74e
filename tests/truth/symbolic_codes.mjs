// The codes of `# expect:` comments in tests/corpus/symbolics/, the rules that they stand for, and how such a comment is
// read.

const codesAndRules = `
S01 missing-attribute-suffix   S02 unknown-attribute-suffix   S03 unknown-attribute
S04 attribute-type             S05 attribute-value            S06 attribute-became-input
S07 missing-required-attribute S08 unknown-onnx-op            S09 onnx-op-not-in-opset
S10 input-count                S11 output-count               S12 python-value-as-input
S13 graph-value-as-attribute   S14 empty-list-attribute       S15 malformed-op-name
S16 ignored-attribute          S17 constant-value             S18 dropped-attribute
P01 missing-graph-parameter    P02 parameter-count            P03 parameter-order
P04 parameter-names            P05 parse-args-too-few         P06 parse-args-too-many
P07 parse-args-unknown         P08 parse-args-type            P09 none-check-on-value
P12 python-operation-on-value  R01 missing-return             R02 return-count
R03 return-python-value        R04 return-none-output         G01 registration-without-domain
G02 registration-name          G03 registration-onnx-domain   G04 registration-in-place
G05 registration-opset-type    G06 shadowed-registration      G07 registration-above-opset
G08 registration-opset-range   G10 unknown-torch-op           G11 legacy-registration-name
G12 nothing-to-unregister      D01 custom-domain-version      D02 unused-custom-opset
D04 opset-version-conflict     D05 missing-set-type           F01 autograd-parameters
F02 autograd-names             F03 autograd-outputs           F04 autograd-not-static
F05 autograd-context           A01 unstable-api               X01 dynamic-axes-name
X02 dynamic-axes-type          X03 dynamic-axes-range         X04 dynamic-axes-duplicate
X05 export-opset-too-old       X06 export-opset-too-new       X07 export-opset-type
X08 removed-export-argument    X09 deprecated-export-argument X10 export-args-list
X11 export-args-dict           X12 too-many-export-names      X13 export-shapes-argument
X14 export-modules-opset       X15 export-data-parallel       X16 duplicate-export-names
X17 traced-constant            X18 export-structure
`;

export const ruleOfCode = new Map([...codesAndRules.matchAll(/(\S+) (\S+)/g)].map(([, code, rule]) => [code, rule]));

const severityOfWord = { error: 'error', warning: 'warning', information: 'info', hint: 'hint' };

/** Whether torch version `version` is one that `condition` (`>= 2.6`, `< 2.0`, or nothing) speaks of. */
function holds(condition, version) {
  if (!condition)
    return true;
  const [, sign, other] = /^(>=|<)\s*([\d.]+)$/.exec(condition);
  const number = (text) => text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  return (number(version) >= number(other)) === (sign === '>=');
}

/**
 * What the comments of a file expect of one torch version: [{ rule, severity, lines, comment }]. A comment of its own
 * speaks of the next line that is none (several may be stacked), one at the end of a line of that line. Of a decorated
 * function, the line of any decorator or of the `def` will do.
 */
export function expectations(text, version) {
  const lines = text.split(/\r?\n/);
  const expected = [];
  lines.forEach((line, index) => {
    const match = /^(.*?)#\s*expect: ([A-Z]\d\d) (\w+)(?: \[torch ([^\]]*)\])?: /.exec(line);
    if (!match || !holds(match[4], version))
      return;
    let at = index;
    if (!match[1].trim()) {
      while (/^\s*#/.test(lines[at]))
        at++;
    }
    const places = [at + 1];
    while (/^\s*@/.test(lines[at]))
      places.push(++at + 1);
    const rule = ruleOfCode.get(match[2]);
    const severity = severityOfWord[match[3]];
    if (!rule || !severity)
      throw new Error(`line ${index + 1}: no such code or severity: ${match[2]} ${match[3]}`);
    expected.push({ rule, severity, lines: places, comment: index + 1 });
  });
  return expected;
}
