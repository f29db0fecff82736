"""Every Python block of the README runs, top to bottom, as one program."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_readme_runs_from_top_to_bottom() -> None:
    document = (ROOT / "README.md").read_text("utf-8")
    blocks = list(BLOCK.finditer(document))
    assert blocks, "README.md has no Python block"
    namespace = {"__name__": "readme"}
    for block in blocks:
        # Blank lines in front, so that a traceback shows the line of README.md.
        above = document.count("\n", 0, block.start(1))
        exec(compile("\n" * above + block[1], "README.md", "exec"), namespace)
