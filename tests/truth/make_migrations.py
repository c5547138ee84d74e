"""make_migrations.py FILE.jsonl: runs each migrated program of migrations.jsonl, and writes down what comes of it.

Run by the Python of torch 2.14 with onnxscript. A program ends with `program = torch.onnx.export(Model(), args, ...)`; its model
runs in ONNX's reference evaluator, and gives the `same` numbers as PyTorch or not.
"""
import json
import sys
import tempfile
import warnings

import numpy
import torch
from onnx.reference import ReferenceEvaluator


def run(text):
    torch.manual_seed(0)
    scope = {"__name__": "__main__"}
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        exec(compile(text, file.name, "exec"), scope)
    wanted = scope["Model"]()(*scope["args"])
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    session = ReferenceEvaluator(scope["program"].model_proto)
    given = session.run(None, dict(zip(session.input_names, [value.numpy() for value in scope["args"]])))
    same = len(given) == len(wanted) and all(
        got.shape == tuple(want.shape) and numpy.allclose(got, want.detach().numpy(), atol=1e-5)
        for got, want in zip(given, wanted))
    return "same" if same else "other numbers"


def main(path):
    warnings.simplefilter("ignore")
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if row["migrated"] is None:
            continue
        try:
            row["outcome"] = run(row["migrated"])
        except Exception as error:  # Whatever is raised is the outcome.
            while error.__cause__:
                error = error.__cause__
            row["outcome"] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(sum(row.get("outcome") == "same" for row in rows), "of", len(rows))


if __name__ == "__main__":
    main(sys.argv[1])
