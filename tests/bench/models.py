# What `onnxls check` and `onnxls show` take of a model, next to what onnx takes to load, check, infer and print it; and
# of a folder of models, next to onnx's checker in one process. Computing time of all threads and the most memory, so
# that other work on the machine does not change them much; each program in processes of its own, in turn.
# Run by a Python with onnx: models.py ONNXLS [--nodes N] [--folder FOLDER] [--runs N]
import argparse
import os
import random
import sys
import tempfile

OPERATORS = ['Relu', 'Sigmoid', 'Tanh', 'Neg', 'Exp', 'Add', 'Mul', 'Sub']

STEPS = '''
import sys, onnx
model = onnx.load(sys.argv[1])
onnx.checker.check_model(model)
onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
onnx.printer.to_text(model)
'''

CHECKER = '''
import pathlib, sys, onnx
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*.onnx')):
    try:
        onnx.checker.check_model(onnx.load(path), full_check=True)
    except Exception:
        pass
'''


def make_model(path, count):
    """A chain with branches, as long names as exporters write, and no weights."""
    import onnx
    from onnx import TensorProto, helper
    numbers = random.Random(1)
    values = ['x']
    nodes = []
    for i in range(count):
        operator = numbers.choice(OPERATORS)
        inputs = [values[-1]] + ([numbers.choice(values[-30:])] if OPERATORS.index(operator) > 4 else [])
        values.append(f'/model/layers.{i // 40}/{operator}_{i}_output_0')
        nodes.append(helper.make_node(operator, inputs, [values[-1]], name=f'/model/layers.{i // 40}/{operator}_{i}'))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ['N', 3, 8, 8]) for name in ('x', values[-1])]
    graph = helper.make_graph(nodes, 'g', ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 18)])
    model.ir_version = 8
    onnx.save(model, path)


def spawn(words):
    """Starts a program with the means that copy nothing of this one: fork() would count as time of the child."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    return os.posix_spawnp(words[0], words, os.environ, file_actions=quiet)


def fork(words):
    """Starts a program with a memory of its own: the most that a spawned one had begins with that of its parent."""
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execvp(words[0], words)
    return child


def usage(child, name):
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f'{name} failed')
    return used


def best(words, runs):
    """The least seconds of all threads, and megabytes."""
    times = [usage(spawn(words), words[0]) for _ in range(runs)]
    return min(used.ru_utime + used.ru_stime for used in times), usage(fork(words), words[0]).ru_maxrss / 1000


def row(what, ours, theirs):
    print(f'{what:24} {ours[0]:8.3f} s {theirs[0]:8.3f} s {ours[0] / theirs[0]:7.3f}'
          f' {ours[1]:8.0f} MB {theirs[1]:8.0f} MB {ours[1] / theirs[1]:7.3f}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('onnxls')
    parser.add_argument('--nodes', type=int, default=20_000)
    parser.add_argument('--folder')
    parser.add_argument('--runs', type=int, default=5)
    args = parser.parse_args()
    python = [sys.executable, '-c']
    print(f'{"":24} {"onnxls":>10} {"onnx":>10} {"ratio":>7} {"onnxls":>11} {"onnx":>11} {"ratio":>7}')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model.onnx')
        if os.fork() == 0:  # Whoever imports onnx is large.
            make_model(path, args.nodes)
            os._exit(0)
        os.wait()
        check = best([args.onnxls, 'check', '--no-cache', path], args.runs)
        show = best([args.onnxls, 'show', path], args.runs)
        ours = [check[0] + show[0], max(check[1], show[1])]
        row(f'{args.nodes} nodes', ours, best(python + [STEPS, path], args.runs))
    if args.folder:
        row('a folder', best([args.onnxls, 'check', '--no-cache', args.folder], args.runs),
            best(python + [CHECKER, args.folder], args.runs))


if __name__ == '__main__':
    main()
