"""Coverage-guided fuzzing of `handle`: any bytes, on any revision, give a response or None, never an exception.

The first byte of an input chooses the revision and whether the rest goes to `handle` or, line by line, to one
connection. Run it for a minute with

    pip install atheris && python fuzz/fuzz_handle.py fuzz/corpus -max_total_time=60

and write the corpus again with `python fuzz/fuzz_handle.py --seed`.
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "property")]


def load() -> Any:
    from offering import everything, requests

    from plainmcp.revisions import REVISIONS
    from plainmcp.transports.connection import Connection

    return everything(), requests, list(REVISIONS), Connection


def seed(folder: Path) -> None:
    """One file for each kind of request on the oldest, a middle and the newest revision, and the odd ones."""
    _, requests, revisions, _ = load()
    folder.mkdir(exist_ok=True)
    for place in (0, 1, len(revisions) - 1):
        for n, one in enumerate(requests(revisions[place])):
            name = f"{revisions[place]}-{one['method'].replace('/', '-')}-{n}"
            (folder / name).write_bytes(bytes([place]) + json.dumps(one).encode())
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    (folder / "batch").write_bytes(b"\x01[" + ping + b"," + ping + b"]")
    (folder / "response").write_bytes(b'\x03{"jsonrpc":"2.0","id":"s-1","result":{}}')
    (folder / "cancelled").write_bytes(
        b'\x83{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n' + ping
    )
    lines = [json.dumps(one).encode() for one in requests(revisions[3])[:6]]
    (folder / "conversation").write_bytes(b"\x83" + b"\n".join(lines))


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["plainmcp"]):
        server, _, revisions, Connection = load()
    logging.disable(logging.CRITICAL)

    def read(answer: Any) -> None:
        if answer is not None:
            responses = json.loads(answer.decode("utf-8"))
            for one in responses if isinstance(responses, list) else [responses]:
                assert one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one)

    def fuzz(data: bytes) -> None:
        if not data:
            return
        revision = revisions[(data[0] & 0x7F) % len(revisions)]
        if data[0] < 0x80:
            read(server.handle(data[1:], revision=revision))
            return
        line = Connection(server, lambda message: json.loads(message) and None, ask_seconds=0.001)
        for message in data[1:].split(b"\n"):
            read(line.handle(message))
        line.close()

    atheris.Setup(sys.argv, fuzz)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:] == ["--seed"]:
        seed(ROOT / "fuzz" / "corpus")
    else:
        main()
