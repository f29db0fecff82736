"""The official TypeScript client against examples/everything.py: stdio and HTTP, with the handshake and without."""

import json
import subprocess
from pathlib import Path

import pytest

from npm import NODE, installed

SCRIPT = Path(__file__).parent / "conversation.mjs"
SECONDS = 30


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_it_does_all_a_client_can_do(target: list[str], mode: str) -> None:
    client = installed("@modelcontextprotocol/client", "2.4.0")
    done = subprocess.run(
        [NODE, SCRIPT, client, mode, *target], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got.pop("tools")[0] == "test_simple_text"
    assert '"id": "123"' in got.pop("read") and "jane@example.com" in got.pop("elicited")
    assert got == {
        "revision": "2025-11-25" if mode == "legacy" else "2026-07-28",
        "resources": 3,
        "templates": 1,
        "prompts": 6,
        "mixed": ["text", "image", "resource"],
        "structured": {"city": "Bergen", "celsius": 7.5, "tags": ["cold", "dry"]},
        "region": "Region: północ",
        "failed": True,
        "unknown": -32602,
        "prompt": "Prompt with arguments: arg1='one', arg2='two'",
        "completed": ["paris", "park", "party"],
        "visited": "Visit: accept",
        "sampled": "LLM response: heard hi",
        "roots": "Roots: file:///home",
        "rounds": "Both answered: accept, accept",
        "several": "heard Write a greeting (accept, 1 roots)",
        "progress": [[0, 100], [50, 100], [100, 100]],
        "logged": ["Tool execution started", "Tool processing data", "Tool execution completed"],
        "changes": ["tools/list_changed", "resources/updated"],
        "given_up": True,
        "after": "Took 0 seconds.",
    }
