"""What a client receives for pictures of Pillow, matplotlib and plotly: an image, wherever one is allowed."""

import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from typing import Any

import matplotlib.axes
import matplotlib.lines
import PIL.Image
import plotly.graph_objects
import pytest
from matplotlib.figure import Figure

from plainmcp import PromptResult, ResourceResult, Server, ToolResult
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client, RpcError
from plainmcp.types import PromptMessage
from schemas import assert_valid

pytestmark = pytest.mark.slow  # it draws

POLICIES = ["standard", "openmcp", "fastmcp", "kubernetes", "lean"]
every_revision = pytest.mark.parametrize("revision", REVISIONS)
every_policy = pytest.mark.parametrize("policy", POLICIES)


def image() -> PIL.Image.Image:
    return PIL.Image.new("RGB", (3, 2), (255, 0, 0))


def photo() -> PIL.Image.Image:
    """An image that came from a JPEG file."""
    file = BytesIO()
    PIL.Image.effect_noise((64, 64), 80).convert("RGB").save(file, format="jpeg", quality=60)
    return PIL.Image.open(file)


def axes() -> matplotlib.axes.Axes:
    made = Figure(figsize=(2, 1), dpi=50).subplots()
    made.plot([1, 2, 3])
    return made


def figure() -> Figure:
    found = axes().figure
    assert isinstance(found, Figure)
    return found


def inner() -> Any:
    """Axes in a figure in a figure."""
    return Figure(figsize=(2, 1), dpi=50).subfigures(1, 2)[0].subplots()


def opened(data: str, mime_type: str) -> PIL.Image.Image:
    """What a client sees, which has to be what it was told."""
    found = PIL.Image.open(BytesIO(b64decode(data)))
    assert PIL.Image.MIME[found.format or ""] == mime_type
    found.load()
    return found


def called(value: Any, revision: str = "2026-07-28", policy: str = "standard") -> dict[str, Any]:
    server = Server("pictures", policy=policy)
    server.tool(name="draw")(lambda: value)
    result = Client(server, revision).call("draw")
    assert_valid(revision, "CallToolResult", result)
    return result


def refused(value: Any, caplog: pytest.LogCaptureFixture) -> str:
    """What the author reads in the log of a result that is withheld."""
    caplog.clear()
    assert called(value)["isError"]
    return caplog.messages[0].partition(": ")[2]


# Where they can stand -----------------------------------------------------------------------------


def size_of(whole: Figure) -> tuple[int, int]:
    """The size of a figure with what stands out of it."""
    file = BytesIO()
    whole.savefig(file, format="png", bbox_inches="tight")
    return PIL.Image.open(file).size


PICTURES: list[tuple[Callable[[], Any], str, tuple[int, int]]] = [
    (image, "image/png", (3, 2)),
    (photo, "image/jpeg", (64, 64)),
    (figure, "image/png", size_of(figure())),
    (axes, "image/png", size_of(figure())),
    (inner, "image/png", size_of(inner().figure.figure)),
]
every_picture = pytest.mark.parametrize(("make", "mime", "size"), PICTURES)


@every_picture
@pytest.mark.parametrize(
    ("policy", "revision"),
    [("standard", revision) for revision in REVISIONS] + [(policy, "2025-06-18") for policy in POLICIES[1:]],
)
def test_a_picture_is_an_image_block(
    make: Callable[[], Any], mime: str, size: tuple[int, int], policy: str, revision: str
) -> None:
    result = called(make(), revision, policy)
    (block,) = result["content"]
    assert (block["type"], block["mimeType"]) == ("image", mime)
    assert opened(block["data"], mime).size == size
    assert "structuredContent" not in result and not result.get("isError")


@every_policy
def test_pictures_stand_beside_texts_in_lists_and_results(policy: str) -> None:
    picture = image()
    kinds = [
        [block["type"] for block in called(value, policy=policy)["content"]]
        for value in (
            ["before", picture, ["after", [picture]]],
            ToolResult(["before", picture, "after", picture]),
        )
    ]
    assert kinds == [["text", "image", "text", "image"]] * 2


def test_a_picture_beside_data_is_a_pair() -> None:
    """S000-25"""
    result = called((figure(), {"points": 3}))
    assert [block["type"] for block in result["content"]] == ["image"]
    assert result["structuredContent"] == {"points": 3}


def test_a_picture_stands_in_a_dict_of_result_keys() -> None:
    """S000-09"""
    result = called({"content": [image(), {"type": "text", "text": "a chart"}], "isError": False})
    assert [block["type"] for block in result["content"]] == ["image", "text"]


@every_picture
@every_revision
def test_a_picture_is_the_contents_of_a_resource(
    make: Callable[[], Any], mime: str, size: tuple[int, int], revision: str
) -> None:
    picture = make()
    server = Server("pictures")
    server.resource("chart://1")(lambda: picture)
    server.resource("chart://2")(lambda: ["a chart", picture])
    server.resource("chart://3")(lambda: ResourceResult([picture]))
    client = Client(server, revision)
    for uri in ("chart://1", "chart://2", "chart://3"):
        contents = client.read(uri)["contents"][-1]
        assert contents["uri"] == uri and contents["mimeType"] == mime
        assert opened(contents["blob"], mime).size == size


@every_picture
def test_a_picture_is_a_message_of_a_prompt(make: Callable[[], Any], mime: str, size: tuple[int, int]) -> None:
    picture = make()
    server = Server("pictures")
    server.prompt(name="alone")(lambda: picture)
    server.prompt(name="listed")(lambda: ["What is this?", picture])
    server.prompt(name="paired")(lambda: (picture, "user"))
    server.prompt(name="said")(lambda: {"role": "user", "content": picture})
    server.prompt(name="built")(lambda: PromptResult([picture]))
    server.prompt(name="message")(lambda: [PromptMessage(role="user", content=picture)])
    client = Client(server)
    for name in ("alone", "listed", "paired", "said", "built", "message"):
        message = client.get_prompt(name)["messages"][-1]
        assert message["role"] == "user"
        assert opened(message["content"]["data"], mime).size == size


@every_picture
def test_a_picture_inside_data_is_refused_with_its_path(
    make: Callable[[], Any], mime: str, size: tuple[int, int], caplog: pytest.LogCaptureFixture
) -> None:
    """As it is for an Image of ours."""
    picture = make()
    why = f"{type(picture).__name__} is content, not data; return it by itself or in a list of content"
    assert refused({"charts": [{"picture": picture}]}, caplog) == f"$.charts[0].picture: {why}"


def test_a_picture_where_an_output_schema_promises_data_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("pictures")
    server.tool(name="draw", output_schema={"type": "object"})(figure)
    assert Client(server).call("draw")["isError"]
    assert "is content, not data" in caplog.text


def test_a_part_of_a_drawing_is_not_the_drawing(caplog: pytest.LogCaptureFixture) -> None:
    line = matplotlib.lines.Line2D([0, 1], [0, 1])
    why = "Line2D is part of a drawing; return the figure it is in"
    assert refused(line, caplog) == f"$: {why}"
    assert refused(["two lines", [line]], caplog) == f"$[1][0]: {why}"


def test_a_function_hinted_to_return_a_picture_promises_no_data() -> None:
    server = Server("pictures", policy="fastmcp")

    @server.tool
    def one() -> Figure:
        return figure()

    @server.tool
    def many() -> list[PIL.Image.Image]:
        return [image(), image()]

    client = Client(server)
    assert not any("outputSchema" in tool for tool in client.list_tools())
    assert [len(client.call(name)["content"]) for name in ("one", "many")] == [1, 2]


def test_a_serializer_of_the_authors_goes_first() -> None:
    server = Server("pictures")
    server.serializer(PIL.Image.Image, lambda value: {"size": value.size})
    server.tool(name="draw")(image)
    server.tool(name="drawn")(lambda: [image(), "and a text"])
    server.resource("chart://1")(image)
    client = Client(server)
    assert client.call("draw")["structuredContent"] == {"size": [3, 2]}
    assert client.call("drawn")["structuredContent"] == {"result": [{"size": [3, 2]}, "and a text"]}
    assert client.read("chart://1")["contents"][0]["text"] == '{"size": [3, 2]}'


# Which file they become ---------------------------------------------------------------------------

MODES = {
    "1": "1", "L": "L", "LA": "LA", "P": "P", "RGB": "RGB", "RGBA": "RGBA",
    "I;16": "I;16", "I;16B": "I;16", "I": "I;16",
    "CMYK": "RGB", "YCbCr": "RGB", "HSV": "RGB", "LAB": "RGB", "RGBX": "RGB",
    "RGBa": "RGBA", "La": "LA", "PA": "RGBA",
}  # fmt: skip


@pytest.mark.parametrize(("mode", "seen"), MODES.items())
def test_an_image_of_any_mode_is_seen(mode: str, seen: str) -> None:
    (block,) = called(PIL.Image.new(mode, (2, 2)))["content"]
    assert opened(block["data"], "image/png").mode == seen


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (PIL.Image.new("CMYK", (1, 1), (255, 0, 0, 0)), (0, 255, 255)),
        (PIL.Image.new("RGBA", (1, 1), (1, 2, 3, 0)), (1, 2, 3, 0)),
        (PIL.Image.new("I", (1, 1), 40_000), 40_000),
        (PIL.Image.new("I;16", (1, 1), 40_000), 40_000),
        (PIL.Image.new("1", (1, 1), 1), 255),
    ],
)
def test_colours_are_those_of_the_image(given: PIL.Image.Image, seen: Any) -> None:
    (block,) = called(given)["content"]
    assert opened(block["data"], "image/png").getpixel((0, 0)) == seen


@pytest.mark.parametrize("given", [PIL.Image.new("F", (1, 1), 0.5), PIL.Image.new("I", (1, 1), 70_000)])
def test_numbers_that_are_no_colours_are_refused(given: PIL.Image.Image, caplog: pytest.LogCaptureFixture) -> None:
    wanted = "scale them to 0..255 and convert it to L"
    said = f"$[1]: an image of mode {given.mode} holds numbers, not colours; {wanted}"
    assert refused(["a", given], caplog) == said


def test_an_image_without_pixels_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    assert refused(PIL.Image.new("RGB", (0, 0)), caplog).startswith("$: writing Image raised ")


def test_a_photo_keeps_its_quality_and_its_size() -> None:
    file = BytesIO()
    original = photo()
    original.save(file, format="png")
    (block,) = called(original)["content"]
    assert block["mimeType"] == "image/jpeg" and len(b64decode(block["data"])) < len(file.getvalue()) / 2
    # What was made of it is no longer a file, and every pixel of it counts.
    assert called(original.rotate(90))["content"][0]["mimeType"] == "image/png"
    assert called(original.convert("CMYK"))["content"][0]["mimeType"] == "image/png"


@pytest.mark.parametrize(
    ("make", "mime_type", "head"),
    [
        (figure, "image/jpeg", b"\xff\xd8\xff"),
        (figure, "application/pdf", b"%PDF"),
        (image, "image/gif", b"GIF8"),
        (image, "image/webp", b"RIFF"),
        (image, "image/jpeg", b"\xff\xd8\xff"),
        (photo, "image/png", b"\x89PNG"),
    ],
)
def test_a_resource_is_of_the_type_it_declares(make: Callable[[], Any], mime_type: str, head: bytes) -> None:
    """S000-42"""
    server = Server("pictures")
    server.resource("chart://1", mime_type=mime_type)(make)
    (contents,) = Client(server).read("chart://1")["contents"]
    assert contents["mimeType"] == mime_type
    assert b64decode(contents["blob"]).startswith(head)


def test_a_figure_of_a_resource_that_declares_svg_is_text() -> None:
    server = Server("pictures")
    server.resource("chart://1", mime_type="image/svg+xml")(figure)
    (contents,) = Client(server).read("chart://1")["contents"]
    assert contents["mimeType"] == "image/svg+xml" and "<svg" in contents["text"]


def test_a_picture_that_cannot_be_of_the_declared_type_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("pictures")
    server.resource("chart://1", mime_type="application/json")(image)
    with pytest.raises(RpcError):
        Client(server).read("chart://1")
    assert "$: writing Image as application/json raised KeyError" in caplog.text


@every_revision
@pytest.mark.parametrize("make", [axes, inner])
def test_nothing_of_a_figure_is_cut(make: Callable[[], Any], revision: str) -> None:
    """V49"""
    drawn = make()
    drawn.set_title("a title that is much longer than the figure is wide", color="red")
    drawn.set_xlabel("below", color="red", labelpad=30)
    drawn.plot([1, 2, 3], label="beside", color="red")
    drawn.legend(loc="center left", bbox_to_anchor=(1.1, 0.5), labelcolor="red", frameon=False)
    (block,) = called(drawn, revision)["content"]
    seen = opened(block["data"], "image/png").convert("RGB")
    assert seen.width > 100 and seen.height > 50
    edges = [(x, y) for x in range(seen.width) for y in (0, seen.height - 1)]
    edges += [(x, y) for y in range(seen.height) for x in (0, seen.width - 1)]
    assert {seen.getpixel(one) for one in edges} == {(255, 255, 255)}


def test_a_figure_that_cannot_be_drawn_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    broken = figure()
    broken.suptitle("$\\frac{$")
    assert refused(broken, caplog) == "$: writing Figure raised ValueError"


# A package that is not installed here -------------------------------------------------------------


class BaseFigure:
    """What plotly derives its figures from: iterating over one gives the names of its parts."""

    def __iter__(self) -> Any:
        return iter(("data", "layout", "frames"))

    def to_image(self, format: str) -> bytes:
        file = BytesIO()
        image().save(file, format=format)
        return file.getvalue()


BaseFigure.__module__ = "plotly.basedatatypes"


def test_a_figure_of_plotly_is_drawn_by_plotly() -> None:
    (block,) = called(BaseFigure())["content"]
    assert opened(block["data"], "image/png").size == (3, 2)


def test_a_figure_of_plotly_that_cannot_be_drawn_says_what_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    """V48: kaleido is not installed here."""
    drawn = plotly.graph_objects.Figure([plotly.graph_objects.Scatter(x=[1, 2], y=[3, 4])])
    why = "plotly cannot draw Figure as png (RuntimeError): this needs the package kaleido and Chrome; "
    cure = "to send data, return figure.to_plotly_json()"
    assert refused(drawn, caplog) == f"$: {why}{cure}"
    data = called(drawn.to_plotly_json())["structuredContent"]["data"]
    assert data == [{"type": "scatter", "x": [1, 2], "y": [3, 4]}]


# For nobody else ----------------------------------------------------------------------------------

PROGRAM = """
import sys
from plainmcp import Server
from plainmcp.testing import Client

class Image:
    def __str__(self):
        return "mine"

server = Server("s")
server.tool(name="t")(lambda: ["a", {"b": [1]}, Image(), b"c"])
assert not Client(server).call("t").get("isError")
print(*sys.modules)
"""


def test_a_server_that_draws_nothing_imports_none_of_these_packages() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    loaded = {module.partition(".")[0] for module in done.stdout.split()}
    assert not loaded & {"PIL", "matplotlib", "numpy", "pandas", "plotly", "polars", "pyarrow"}
