"""The documentation builds without a warning: every link leads somewhere, every page is in the navigation."""

import re
import subprocess
import sys
from pathlib import Path

from docs.pages import DOCS, ROOT


def test_the_site_builds_without_a_warning_and_fetches_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for page in DOCS.rglob("*.md"):
        assert (tmp_path / page.relative_to(DOCS).with_suffix(".html")).is_file()
    for page in tmp_path.rglob("*.html"):
        fetched = re.findall(r'<(?:script|link|img)\b[^>]*?(?:src|href)="(https?://[^"]*)"', page.read_text("utf-8"))
        assert not fetched, f"{page.name} fetches {fetched[0]}"
