"""The examples as tests use them: loaded as a module, or served by uvicorn in a separate process.

Run as a program, it is that process: its arguments are the name of an example, a parser of uvicorn, and a listening
socket. It ends with its standard input, so that it never outlives the tests.
"""

import importlib.util
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["EXAMPLES", "load", "served"]

EXAMPLES = Path(__file__).parents[1] / "examples"
SECONDS_TO_LEAVE = 5


def load(name: str) -> ModuleType:
    """An example, as a module of its own each time."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where the hints of its classes are looked up
    spec.loader.exec_module(module)
    return module


@contextmanager
def served(name: str, parser: str = "h11") -> Iterator[str]:
    """The URL at which an example is served; who connects before uvicorn is up waits in the socket's queue."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, __file__, name, parser, str(listening.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
        )
    assert process.stdin is not None
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.stdin.close()
        try:
            code = process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the server of {name}.py did not leave in {SECONDS_TO_LEAVE} s") from None
    assert code == 0, f"the server of {name}.py ended with {code}"


def main(name: str, parser: str, fd: str) -> None:
    import uvicorn

    example, listening = load(name), socket.socket(fileno=int(fd))
    options = {}
    if hasattr(example, "Tokens"):  # everyone may call without a token, as the clients here do
        resource = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        options = {"auth": example.Tokens(resource), "anonymous": True}
    settings = uvicorn.Config(example.server.asgi(**options), http=parser, log_level="warning")  # type: ignore[arg-type]
    server = uvicorn.Server(settings)

    def leave_with_the_tests() -> None:
        sys.stdin.buffer.read()
        server.should_exit = True

    threading.Thread(target=leave_with_the_tests, daemon=True).start()
    server.run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
