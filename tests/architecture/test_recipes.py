"""What CONTRIBUTING tells an author to do is enough: its recipes, followed in a copy of the package.

Each test makes the changes that a recipe names, and nothing else. A change that finds no place any more means that
the recipe in CONTRIBUTING needs another text, too.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .layers import PACKAGE

pytestmark = pytest.mark.slow  # it starts processes

REVISION = """
V2027 = structs.replace(V2026_07_28, name="2027-01-01", {column})
REVISIONS[V2027.name] = V2027
MODERN = (*MODERN, V2027.name)
"""


class Copy:
    """A copy of the package that can be changed and run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(PACKAGE, folder / "plainmcp", ignore=shutil.ignore_patterns("__pycache__"))

    def change(self, module: str, before: str, after: str) -> None:
        file = self.folder / "plainmcp" / module
        source = file.read_text("utf-8")
        assert source.count(before) == 1, f"{module} has no place for this step: {before}"
        file.write_text(source.replace(before, after), "utf-8")

    def add_revision(self, column: str) -> None:
        """A revision that has what the others do not have."""
        self.change(
            "revisions.py", "from msgspec import Struct, json\n", "from msgspec import Struct, json, structs\n"
        )
        self.change("revisions.py", "class _ErrorCode", REVISION.format(column=column) + "\n\nclass _ErrorCode")

    def run(self, program: str) -> None:
        """Run a program of assertions with the changed package."""
        (self.folder / "program.py").write_text(program, "utf-8")
        ran = subprocess.run(
            [sys.executable, "-P", "program.py"], cwd=self.folder, env=self._env(), capture_output=True
        )
        assert ran.returncode == 0, ran.stderr.decode()

    def _env(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


SERVED = """
import plainmcp, pathlib
assert pathlib.Path(plainmcp.__file__).parents[1] == pathlib.Path.cwd()
from plainmcp import Policy, Server, normalize_tool_result
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

def called(value, policy):
    server = Server("s", policy=policy)
    server.tool(name="give")(lambda: value)
    return Client(server, "2025-11-25").call("give")
"""

POLICY_FIELD = (
    SERVED
    + """
blank = Policy.standard.replace(blank="_")
for value in (" a", {"k": " a"}, [" a"]):
    made = normalize_tool_result(value, policy=blank)
    assert "_a" in made.content[0].text
    assert called(value, blank) == {
        "content": [{"type": "text", "text": block.text} for block in made.content],
        "structuredContent": made.structuredContent,
    }, value
    assert " a" in normalize_tool_result(value).content[0].text
"""
)


def test_a_new_policy_field_is_obeyed_by_the_server_too(copy: Copy) -> None:
    """G3"""
    copy.change("policy.py", "    drop_none: bool = False\n", "    drop_none: bool = False\n    blank: str = ' '\n")
    place = "    raw = arrange_keys(encoded, policy, output, wrapped=output.wrap is True)\n"
    copy.change("values/payload.py", place, "    encoded = encoded.replace(b' ', policy.blank.encode())\n" + place)
    place = "        blocks = [text_block_of(value if is_clean_text(value) else unquote(raw))]\n"
    copy.change(
        "values/payload.py",
        place,
        place.replace("(value if is_clean_text(value) else unquote(raw))", "(unquote(raw))"),
    )
    copy.run(POLICY_FIELD)


def test_a_new_policy_field_of_the_walk_is_obeyed_where_an_encoder_would_be_faster(copy: Copy) -> None:
    """G4"""
    copy.change("policy.py", "    drop_none: bool = False\n", "    drop_none: bool = False\n    blank: str = ' '\n")
    place = "        if value.isascii():\n            return value\n"
    copy.change("values/walk.py", place, "        value = value.replace(' ', self.policy.blank)\n" + place)
    copy.run(
        POLICY_FIELD.replace('(" a", {"k": " a"}, [" a"])', '({"k": " a"}, [" a"], [[" a"]], {"n": {"k": " a"}})')
    )


TOOL_FIELD = (
    SERVED
    + """
from msgspec.structs import replace
server = Server("s")
server.tool(name="give")(lambda: 1)
feature = server.registry.tools.find("give", None)
feature.definition = replace(feature.definition, cost="much")
for name in REVISIONS:
    (listed,) = Client(server, name).list_tools()
    assert listed.get("cost") == ("much" if name == "2027-01-01" else None), (name, listed)
"""
)


def test_a_new_field_of_a_tool_is_listed_only_where_it_is_known(copy: Copy) -> None:
    """G1"""
    place = "    outputSchema: dict[str, Any] | None = None\n"
    copy.change("types.py", place, place + "    cost: str | None = None\n")
    place = "    tool_annotations: bool = True  # "
    copy.change("revisions.py", place, "    tool_cost: bool = False\n" + place)
    copy.add_revision("tool_cost=True")
    place = "annotations=revision.tool_annotations)"
    copy.change("protocol/describe.py", place, "annotations=revision.tool_annotations, cost=revision.tool_cost)")
    copy.run(TOOL_FIELD)


VIDEO = '''class VideoContent(Wire, kw_only=True):
    """A film; `data` is base64."""

    type: Literal["video"] = field(default_factory=lambda: "video")
    data: str
    annotations: Annotations | None = None
    _meta: Meta | None = None


'''
CONTENT_KIND = (
    SERVED
    + """
import json
from plainmcp.types import VideoContent

film = {"type": "video", "data": "Zm9v"}
server = Server("s")
server.tool(name="alone")(lambda: VideoContent(data="Zm9v"))
server.tool(name="listed")(lambda: ["see", VideoContent(data="Zm9v")])
server.tool(name="ready")(lambda: {"content": [film]})
server.prompt(name="asked")(lambda: VideoContent(data="Zm9v"))
for name in REVISIONS:
    client = Client(server, name)
    told = film if name == "2027-01-01" else {"type": "text", "text": json.dumps(film, separators=(",", ":"))}
    for tool in ("alone", "listed", "ready"):
        assert client.call(tool)["content"][-1] == told, (name, tool)
    assert client.get_prompt("asked")["messages"] == [{"role": "user", "content": told}], name
"""
)


def test_a_new_kind_of_content_is_sent_only_where_it_is_known(copy: Copy) -> None:
    """G2"""
    copy.change("types.py", "class TextResourceContents(", VIDEO + "class TextResourceContents(")
    copy.change("types.py", "ResourceLink | EmbeddedResource\n", "ResourceLink | EmbeddedResource | VideoContent\n")
    copy.add_revision('content=Content(kinds=_KINDS | {"video"})')
    copy.run(CONTENT_KIND)
