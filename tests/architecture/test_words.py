"""Docs and docstrings use plain modern English: some words are not used."""

import ast
import re
from collections.abc import Iterator

import pytest

from architecture.layers import PACKAGE, modules

ROOT = PACKAGE.parents[1]
SOURCES = modules()

# What to write instead.
WORDS = {
    "anew": "again",
    "door": "entry, endpoint, check",
    "doors": "entries, endpoints, checks",
    "house": "package, project",
    "nobody": "no one, or the active voice with a subject",
    "room": "module",
    "rooms": "modules",
    "said": "set, named, declared, written",
    "somebody": "a user, a client, a caller",
    "told": "reported, sent, shown",
    "whoever": "a user, a client, code that",
}
PATTERN = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)

# Modules, packages and pages that are not rewritten yet. A list shrinks, and never grows.
MODULES_TO_DO: tuple[str, ...] = ()
PAGES_TO_DO: tuple[str, ...] = ()

PAGES = [
    file.relative_to(ROOT).as_posix()
    for file in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
]


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def prose(page: str) -> str:
    """The text of a page without code: neither blocks nor parts of lines."""
    without_blocks = re.sub(r"^( *)```.*?^\1```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<code>.*?</code>|`[^`\n]*`", "", without_blocks)


def unwanted(text: str) -> list[str]:
    """The words in a text that are not used, with what to write instead."""
    found = dict.fromkeys(match[0].lower() for match in PATTERN.finditer(text))
    return [f"{word} (write {WORDS[word]})" for word in found]


def is_done(module: str) -> bool:
    """Whether a module has to use plain words already."""
    return not any(module.startswith(one) if one.endswith("/") else module == one for one in MODULES_TO_DO)


def test_docstrings_use_plain_words() -> None:
    words = [
        f"{module}.py: {word}"
        for module in filter(is_done, SOURCES)
        for docstring in docstrings(SOURCES[module])
        for word in unwanted(docstring)
    ]
    assert not words, "\n".join(words)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in PAGES_TO_DO])
def test_a_page_uses_plain_words(page: str) -> None:
    words = unwanted(prose((ROOT / page).read_text("utf-8")))
    assert not words, f"{page}: {'; '.join(words)}"


def test_words_in_code_are_free_and_others_are_found() -> None:
    page = "A client is told.\n\n```python\nsaid = told\n```\n\nSee `told` and <code>said</code>. It was Said anew.\n"
    assert [word.split()[0] for word in unwanted(prose(page))] == ["told", "said", "anew"]
