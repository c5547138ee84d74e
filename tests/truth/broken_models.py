# Makes models that nobody has looked at, most of them broken, and asks onnx what it thinks of each; and compares that
# with what `onnxls check` says.
#   broken_models.py make KIND SEED COUNT FOLDER [MODELS]   by a Python with onnx
#   broken_models.py load FOLDER                            by a Python with onnxruntime
#   broken_models.py compare ONNXLS FOLDER [RUNTIME]
# KIND: `nodes` is single nodes of any operator and version, `typed` is such nodes with types of their outputs, `constants` is such nodes all of whose inputs are
# initializers, which a session computes when it loads them, `calls` is functions that call each other, `models` is
# models below the folder MODELS with one field or two of any message changed, `mistakes` is such models with a mistake
# that people make, `external` is models whose tensors lie in files beside them, changed in the same way, `bodies` is an
# If, a Loop or a Scan, `texts` is what onnx prints of models with a token or two changed, `odd` is small models that use
# something rare (or those of MODELS), with one thing changed that the others leave alone, `odd_texts` what onnx prints of these, `contributed` is nodes of com.microsoft. Each is
# judged in a process of its own, because some make onnx crash. `load` makes a session of each; a RUNTIME as `1.23` compares with what that said.
import json
import os
import pathlib
import random
import subprocess
import sys

from broken_nodes import Bodies, Calls, Constants, Nodes, Typed
from contributed_nodes import Contributed
from damaged_models import External, Mistakes, Models, Texts
from odd_models import Odd, OddTexts
from onnx_verdicts import judge, refusal_to_load


def make(kind, seed, count, folder, models=None):
    numbers = random.Random(int(seed))
    makers = {'nodes': Nodes, 'typed': Typed, 'constants': Constants, 'calls': Calls, 'models': Models, 'external': External,
              'texts': Texts, 'mistakes': Mistakes, 'bodies': Bodies, 'odd': Odd, 'odd_texts': OddTexts, 'contributed': Contributed}
    maker = makers[kind](numbers, models) if models else makers[kind](numbers)
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    while len(rows) < int(count):
        try:
            made = maker.make()
        except (TypeError, ValueError):  # What Python's protobuf does not let itself be told.
            made = None
        if not made:
            continue
        sample, what, *data = made
        path = out / f'{len(rows):05d}.{"onnxtxt" if isinstance(sample, str) else "onnx"}'
        if data:
            path = out / f'{len(rows):05d}' / 'model.onnx'
            path.parent.mkdir(exist_ok=True)
            (path.parent / 'data.bin').write_bytes(data[0])
        path.write_bytes(sample.encode() if isinstance(sample, str) else sample if isinstance(sample, bytes) else sample.SerializeToString())
        rows.append({'file': str(path.relative_to(out)), 'what': what, 'says': judge(path if data else sample)})
    (out / 'verdicts.json').write_text(json.dumps(rows, indent=0))
    print(f'{len(rows)} made, {sum(bool(row["says"]) for row in rows)} refused')


def load(folder):
    """Adds to the verdicts what this Python's onnxruntime says, as `1.23` and the like."""
    import onnxruntime
    version = '.'.join(onnxruntime.__version__.split('.')[:2])
    path = pathlib.Path(folder, 'verdicts.json')
    rows = json.loads(path.read_text())
    for row in rows:
        row[version] = judge(path.parent / row['file'], refusal_to_load)
    path.write_text(json.dumps(rows, indent=0))
    print(f'{len(rows)} loaded, {sum(bool(row[version]) for row in rows)} refused by {version}')


def compare(onnxls, folder, runtime=None):
    """Prints what is judged otherwise; the number of errors where there is none."""
    flags = ['--runtime', f'onnxruntime {runtime}'] if runtime else []
    run = subprocess.run([os.path.abspath(onnxls), 'check', *flags, '--no-cache', '--format', 'jsonl', '.'], cwd=folder,
                         capture_output=True, encoding='utf-8', errors='replace')
    errors = {}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row.get('severity') == 'error':
            errors.setdefault(os.path.relpath(os.path.join(folder, row['file']), folder), f'{row["line"]}: {row["message"]} [{row["rule"]}]')
    if run.returncode not in (0, 1, 2):
        sys.exit(f'onnxls ended with {run.returncode}: {run.stderr[-400:]}')
    rows = json.loads(pathlib.Path(folder, 'verdicts.json').read_text())
    for row in rows if runtime else []:
        row['says'] = row['says'] if row[runtime] == '' else row[runtime]
    false = [row for row in rows if row['says'] == '' and row['file'] in errors]
    missed = [row for row in rows if row['says'] and row['file'] not in errors]
    for row in false:
        print(f'FALSE  {row["file"]} {row["what"]} | {errors[row["file"]]}')
    for row in missed:
        print(f'MISSED {row["file"]} {row["what"]} | {row["says"][:300]}'.replace('\n', ' '))
    print(f'{len(rows)} made, {sum(bool(row["says"]) for row in rows)} refused, {len(false)} false, {len(missed)} missed')
    return len(false)


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(*sys.argv[2:])
    elif sys.argv[1] == 'load':
        load(*sys.argv[2:])
    else:
        sys.exit(1 if compare(*sys.argv[2:]) else 0)
