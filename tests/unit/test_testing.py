"""The fixture for tests with pytest; other tests of the client are in all files that use it."""

import subprocess
import sys
from pathlib import Path

import pytest

import plainmcp.testing
from talking import ENVIRONMENT

TESTS = """
import pytest
from plainmcp import Context, Server
from plainmcp.testing import client

shop = Server("shop")

@shop.tool
def price(item: str) -> float:
    return 2.5

@shop.tool
def order(ctx: Context) -> str:
    return str(ctx.elicit("How many?", int).data)

@pytest.fixture
def server():
    return shop

def test_a_price(client):
    assert client.call("price", item="tea")["content"] == [{"type": "text", "text": "2.5"}]

class TestQuestions:
    @pytest.fixture
    def answers(self):
        return {"elicitation/create": lambda params: {"action": "accept", "content": {"value": 3}}}

    def test_an_answer(self, client, answers):
        if client.revision.elicitation:
            assert client.call("order")["content"][0]["text"] == "3"
"""


@pytest.mark.slow
def test_the_fixture_is_a_client_of_every_revision(tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--strict-config", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout
    assert "test_a_price[2024-11-05] PASSED" in done.stdout
    assert "10 passed" in done.stdout


@pytest.mark.slow
def test_pytest_is_imported_for_the_fixture_only() -> None:
    code = "import sys, plainmcp.testing; assert 'pytest' not in sys.modules; plainmcp.testing.client"
    code += "; assert 'pytest' in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'plainmcp\.testing' has no attribute 'clients'"):
        plainmcp.testing.clients  # type: ignore[attr-defined]  # noqa: B018
