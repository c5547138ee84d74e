"""What does a real torch say of the scripts in mistakes.txt? Run by the Python of a torch:

    python3 mistakes.py mistakes_outcomes.json

writes what became of each script as it is and mended, under this torch's version, beside what the file already says of
others: the exception (of the exporter, or of ONNX's checker), the signal, or "exported" and the warnings. The exporter is
that of TorchScript.

    python3 mistakes.py --fixes mistake_fixes.jsonl

does so for the scripts that fixes mended.
"""
import json
import os
import sys
import tempfile
import warnings

import onnx
import torch

HEAD = """import torch
import torch.nn.functional as F
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args

"""
HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = ".".join(torch.__version__.split(".")[:2])


def scripts(text):
    """(name, wrong script, mended script) of each section."""
    for section in text.split("=== ")[1:]:
        name, *lines = section.rstrip("\n").split("\n")
        yield name, files(lines, "-"), files(lines, "+")


def files(lines, mark):
    """The files of a script by name: `@ NAME` begins another one that it imports."""
    parts, at = {"script.py": HEAD}, "script.py"
    for line in lines:
        if line.startswith("@ "):
            at = line[2:].strip()
            parts[at] = ""
        elif line[:1] in (mark, " "):
            parts[at] += line[2:] + "\n"
    return {name: asked(text) for name, text in parts.items()}


def asked(text):
    # Newer versions take the other exporter unless they are asked.
    is_asked = tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 9)
    return text if is_asked else text.replace("opset_version=", "dynamo=False, opset_version=")


def run(script):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        os.chdir(folder)
        sys.path.insert(0, folder)
        for name, text in script.items():
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "w") as file:
                file.write(text)
        warnings.simplefilter("always")
        try:
            exec(compile(script["script.py"], "script.py", "exec"), {"__name__": "__main__"})
            if os.path.exists("m.onnx"):
                onnx.checker.check_model("m.onnx", full_check=True)
        except BaseException as error:
            return f"{type(error).__name__}: {str(error).strip()}".split("\n")[0][:200]
        said = {w.category.__name__ for w in caught if issubclass(w.category, UserWarning)}
        return " ".join(["exported", *sorted(said)])


def outcome(script):
    """Each in a process of its own: some end it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, run(script).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, errors="replace") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


def run_fixes(path):
    """mistake_fixes.jsonl: runs what was mended for this torch."""
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if row["torch"] == VERSION:
            row["outcome"] = outcome({"script.py": row["text"]})
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n")


def main(path):
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)
    with open(os.path.join(HERE, "mistakes.txt")) as file:
        text = file.read()
    result = {}
    for name, wrong, mended in scripts(text):
        result[name] = {**known.get(name, {}), VERSION: [outcome(wrong), outcome(mended)]}
    with open(path, "w") as file:
        json.dump(result, file, indent=1, sort_keys=True)
        file.write("\n")


torch.set_num_threads(1)
if sys.argv[1] == "--fixes":
    run_fixes(os.path.abspath(sys.argv[2]))
else:
    main(os.path.abspath(sys.argv[1]))
