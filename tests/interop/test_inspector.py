"""The command line of MCP Inspector against examples/everything.py: all its methods, and its strict eye on schemas.

Of what a client does it has no word for completing, subscribing and cancelling, shows no progress and no logs, and
declares neither elicitation nor sampling. Its `--method` takes what stands in CALLS, initialize, skills, and what
concerns its own list of servers.
"""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from npm import NODE, installed

SECONDS = 30
AT_ONCE = 2  # a Node takes most of a second to start

CALLS: dict[str, list[str]] = {
    "tools/list": ["--strict"],  # which it takes for this one only
    "tools/call": ["--tool-name", "test_structured_content", "--tool-args-json", '{"city": "Bergen"}'],
    "resources/list": [],
    "resources/templates/list": [],
    "resources/read": ["--uri", "test://template/123/data"],
    "prompts/list": [],
    "prompts/get": ["--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=one", "arg2=two"],
    "logging/setLevel": ["--log-level", "debug"],
}


def inspect(home: Path, method: str, target: list[str], era: str) -> subprocess.CompletedProcess[str]:
    package = installed("@modelcontextprotocol/inspector", "2.12.0")
    program = package / json.loads((package / "package.json").read_text("utf-8"))["bin"]["mcp-inspector"]
    # What takes several values comes last but for another option: what follows those is the target.
    asked = ["--method", method, *CALLS[method], "--protocol-era", era, *target]
    return subprocess.run(
        [NODE, program, "--cli", *asked],
        env={**os.environ, "HOME": str(home)},  # where it keeps a catalog
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_everything_is_as_the_inspector_would_have_it(target: list[str], era: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        runs = dict(
            zip(CALLS, threads.map(lambda method: inspect(tmp_path, method, target, era), CALLS), strict=True)
        )
    level = runs.pop("logging/setLevel")
    for method, done in runs.items():
        assert done.returncode == 0, f"{method}: {done.stderr}{done.stdout}"
        assert not (method == "tools/list" and done.stderr.strip()), done.stderr
    got: dict[str, Any] = {method: json.loads(done.stdout) for method, done in runs.items()}
    assert got["tools/list"]["tools"][0]["name"] == "test_simple_text"
    assert got["tools/call"]["structuredContent"] == {"city": "Bergen", "celsius": 7.5, "tags": ["cold", "dry"]}
    assert len(got["resources/list"]["resources"]) == 3
    assert len(got["resources/templates/list"]["resourceTemplates"]) == 1
    assert '"id": "123"' in got["resources/read"]["contents"][0]["text"]
    assert len(got["prompts/list"]["prompts"]) == 6
    assert got["prompts/get"]["messages"][0]["content"]["text"] == "Prompt with arguments: arg1='one', arg2='two'"
    if era == "legacy":
        assert (level.returncode, json.loads(level.stdout)) == (0, {})
    else:  # it knows that the revision has no such method, and does not ask
        assert level.returncode == 1 and "not supported by the negotiated protocol version" in level.stderr
