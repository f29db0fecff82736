"""A page that is wrong does not pass."""

import re
from pathlib import Path

import pytest

from docs.pages import ROOT, Page, blocks

NOT_TRUE = {
    "what is printed is not shown": ("```python\nprint(1 + 1)\n```\n", "page.md:2 prints\n2"),
    "something else is shown": ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "page.md:2 prints\n2"),
    "it raises": ("```python\nassert 1 == 2\n```\n", ""),
    "a session says something else": ("```pycon\n>>> 1 + 1\n3\n```\n", "Expected:\n    3\nGot:\n    2"),
    "a command prints something else": ("```console\n$ echo one\ntwo\n```\n", "prints\none"),
    "a command fails": ("```console\n$ python -c 'raise SystemExit(3)'\n```\n", "ends with 3"),
    "a command is not run": ("```console\n$ make it so\n```\n", "nothing runs this"),
    "an example is not word for word": ('```python title="examples/weather.py"\n1\n```\n', "not what stands in"),
    "what should serve ends": ('```console title="in one terminal"\n$ python -c 1\n```\n', "does not serve"),
}


@pytest.mark.parametrize("why", NOT_TRUE)
def test_a_page_that_is_not_true_fails(why: str, tmp_path: Path) -> None:
    text, told = NOT_TRUE[why]
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(AssertionError) as raised:
        Page(str(page), tmp_path).run()
    assert told in str(raised.value)


def test_a_reader_adds_to_a_file_and_runs_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    added = '```python title="mine.py"\na = 1\n```\n\n```python title="mine.py"\nb = a + 1\n```\n'
    run = '```console\n$ python -c "import mine; print(mine.b)"\n2\n```\n'
    imported = "```python\nimport mine\nassert mine.b == b\n```\n"
    page.write_text(f"{added}\n{run}\n{imported}", "utf-8")
    Page(str(page), tmp_path).run()
    assert (tmp_path / "mine.py").read_text("utf-8") == "a = 1\n\nb = a + 1\n"


def test_blocks_know_their_language_title_text_and_line() -> None:
    first, second = blocks('Text\n\n```python title="a.py"\nx\n```\n\n- item\n\n    ```\n    y\n    ```\n')
    assert (first.language, first.title, first.text, first.line) == ("python", "a.py", "x\n", 3)
    assert (second.language, second.title, second.text, second.line) == ("", None, "y\n", 9)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_the_links_of_the_front_pages_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []
