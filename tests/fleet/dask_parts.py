"""The recipe of docs/fleets.md for Dask's distributed, run by hand: tests/fleet/dask_parts.py ONNXLS FOLDER

Two workers; one is killed while it has a part. What comes out has to be what one run says. Debian: python3-distributed.
"""
import os
import signal
import subprocess
import sys
import tempfile

from distributed import Client, LocalCluster, get_worker

PARTS = 8


def check(onnxls, folder, mark, part):
    """The lines of one part; the first time that part 3 is tried, its worker dies."""
    if part == 3 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    command = [onnxls, "check", "--no-cache", folder, "--shard", f"{part}/{PARTS}", "--format", "jsonl"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if result.returncode not in (0, 1, 2):
        raise RuntimeError(f"part {part} ended with {result.returncode}")
    return get_worker().name, result.stdout


def merge(onnxls, files):
    result = subprocess.run([onnxls, "merge", *files], stdout=subprocess.PIPE)
    assert result.returncode in (0, 1), result.returncode
    return result.stdout


def write(work, name, data):
    path = os.path.join(work, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def main():
    onnxls, folder = (os.path.realpath(word) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as work:
        mark = os.path.join(work, "killed")
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            futures = [client.submit(check, onnxls, folder, mark, part, retries=3, pure=False) for part in range(1, PARTS + 1)]
            results = client.gather(futures)
        assert os.path.exists(mark)
        parts = [write(work, f"part{i}.jsonl", data) for i, (_, data) in enumerate(results, 1)]
        single = subprocess.run([onnxls, "check", "--no-cache", folder, "--format", "jsonl"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        merged = merge(onnxls, parts)
        assert merged == merge(onnxls, [write(work, "single.jsonl", single.stdout)])
        files = merged.count(b'"status"')
        print(f"distributed: {files} files in {PARTS} parts, one worker killed: as in one run")


if __name__ == "__main__":
    main()
