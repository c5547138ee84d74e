# What onnx and ONNX Runtime say of a model, each asked in a process of its own.
import os
import pathlib
import signal


def refusal(sample):
    """What onnx says of a model, of its bytes, of one in a file, or a text; empty if it takes it."""
    import onnx
    try:
        model = onnx.parser.parse_model(sample) if isinstance(sample, str) else sample
        model = onnx.load_model_from_string(model) if isinstance(model, bytes) else model
        onnx.checker.check_model(str(model) if isinstance(model, pathlib.Path) else model, full_check=True)
    except Exception as error:
        return f'{type(error).__name__}: {str(error)[:300]}'
    return ''


def refusal_to_load(path):
    """What a session says of the model in a file; empty if it takes it."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        onnxruntime.InferenceSession(str(path), options, providers=['CPUExecutionProvider'])
    except Exception as error:
        return f'{type(error).__name__}: {str(error)[:300]}'
    return ''


def apart(work):
    """What work() gives in a process of its own, as bytes; None if that crashed."""
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(begin, work())
        os._exit(0)
    os.close(begin)
    with open(end, 'rb') as answer:
        said = answer.read()
    return said if os.waitpid(child, 0)[1] == 0 else None


def judge(sample, refusal=refusal):
    said = apart(lambda: refusal(sample).encode('utf-8', 'replace'))
    return None if said is None else said.decode('utf-8', 'replace')


def infer(model):
    """A model, with the types that onnx finds, as bytes; None if it finds none."""
    from onnx import shape_inference

    def work():
        try:
            return shape_inference.infer_shapes(model).SerializeToString()
        except Exception:
            return b''
    return apart(work) or None
