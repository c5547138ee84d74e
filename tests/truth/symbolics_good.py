"""Exports the models of tests/corpus/symbolics_good with this interpreter's torch: is what those files hold right?

    python3 symbolics_good.py FOLDER [FILE...]
"""
import glob
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
sys.dont_write_bytecode = True  # The corpus stays as it is.
CHECK = "import onnx, sys; onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)"


def load(path):
    spec = importlib.util.spec_from_file_location("case", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_meant_for(path, version):
    """`# torch: 1.13 2.6` at the top of a file says for which versions it is."""
    with open(path, encoding="utf-8") as file:
        first = file.readline()
    versions = first.removeprefix("# torch: ").split() if first.startswith("# torch: ") else []
    return not versions or any(version.startswith(wanted + ".") for wanted in versions)


def export_all(path):
    import torch
    if not is_meant_for(path, torch.__version__):
        print(f"{os.path.basename(path)} is not for torch {torch.__version__}")
        return 0
    keywords = {} if torch.__version__.startswith("1.") else {"dynamo": False}
    module = load(path)
    for model, arguments, opset in getattr(module, "MODELS", []):
        buffer = io.BytesIO()
        torch.onnx.export(model.eval(), arguments, buffer, opset_version=opset, **keywords)
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(buffer.getvalue())
            file.flush()
            check = subprocess.run([sys.executable, "-c", CHECK, file.name], capture_output=True, text=True)
        # Domains of others have no schemas: the checker passes them, the shape inference may not.
        if check.returncode:
            print(f"{os.path.basename(path)} at {opset}: {check.stderr.strip().splitlines()[-1]}")
            return 1
    return 0


def main():
    if len(sys.argv) == 3 and os.path.isfile(sys.argv[2]):
        return export_all(sys.argv[2])
    failed = 0
    for path in sys.argv[2:] or sorted(glob.glob(os.path.join(sys.argv[1], "*.py"))):
        done = subprocess.run([sys.executable, __file__, "-", path], capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(os.path.basename(path), (done.stdout + done.stderr).strip()[-600:])
    print(f"{failed} failed")
    return failed > 0


sys.exit(main())
