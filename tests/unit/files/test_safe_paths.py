"""Opening files below a root: which links are followed, what is not a file, and what a race cannot change."""

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from plainmcp.files import safe_paths
from plainmcp.files.safe_paths import SafePath

LINKS = ["inside", "refuse", "follow"]


@pytest.fixture
def root(tmp_path):
    """A root with a file in it, and a secret beside it."""
    below = tmp_path / "root"
    (below / "sub").mkdir(parents=True)
    (below / "a.txt").write_text("a")
    (below / "sub" / "b.txt").write_text("b")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    (tmp_path / "outside" / "b.txt").write_text("secret")
    return below


@pytest.fixture(params=["by steps", "compared", "compared without O_NOFOLLOW"])
def system(request, monkeypatch):
    """Systems that can open by steps and systems that cannot."""
    if request.param != "by steps":
        monkeypatch.setattr(safe_paths, "_BY_STEPS", False)
    if request.param.endswith("O_NOFOLLOW"):
        monkeypatch.setattr(safe_paths, "_NO_LINK", 0)


def read(root: Path, relative: str, links="inside") -> str:
    with SafePath(str(root), relative, links).open() as (file, real):
        assert real == Path(os.path.realpath(root / relative))
        return file.read().decode()


def handles() -> int:
    return len(os.listdir("/dev/fd"))


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", LINKS)
def test_a_file_below_the_root_is_opened(root, links):
    assert read(root, "a.txt", links) == "a"
    assert read(root, "sub/b.txt", links) == "b"


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("a.txt", {"inside", "follow"}),
        ("sub/b.txt", {"inside", "follow"}),
        ("sub/../a.txt", {"inside", "follow"}),
        ("../root/a.txt", {"inside", "follow"}),
        ("../outside/secret.txt", {"follow"}),
        ("../../../../../../../../../../etc/passwd", {"follow"}),
        ("/etc/passwd", {"follow"}),
        ("/dev/null", set()),
        ("sub", set()),
        (".", set()),
        ("nowhere", set()),
        ("link", set()),
    ],
)
@pytest.mark.parametrize("links", LINKS)
@pytest.mark.usefixtures("system")
def test_a_link_leads_where_it_may_and_no_further(root, links, target, allowed):
    """R26-RES-09"""
    (root / "link").symlink_to(target)
    if links in allowed:
        assert read(root, "link", links)
    else:
        with pytest.raises(OSError):
            read(root, "link", links)


@pytest.mark.parametrize(("links", "allowed"), [("inside", False), ("refuse", False), ("follow", True)])
def test_a_linked_directory_is_no_way_out(root, links, allowed):
    (root / "way").symlink_to("../outside")
    if allowed:
        assert read(root, "way/secret.txt", links) == "secret"
    else:
        with pytest.raises(OSError):
            read(root, "way/secret.txt", links)


def test_a_link_through_the_outside_that_comes_back_is_inside(root):
    (root.parent / "outside" / "back").symlink_to(root)
    (root / "round").symlink_to("../outside/back/a.txt")
    assert read(root, "round") == "a"


def test_two_links_that_chase_each_other_end(root):
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    for links in LINKS:
        with pytest.raises(OSError):
            read(root, "one", links)


def test_the_root_may_be_a_link_and_may_be_turned_round(root):
    current = root.parent / "current"
    current.symlink_to(root)
    assert [read(current, "sub/b.txt", links) for links in LINKS] == ["b", "b", "b"]
    current.unlink()
    (root.parent / "next" / "sub").mkdir(parents=True)
    (root.parent / "next" / "sub" / "b.txt").write_text("newer")
    current.symlink_to(root.parent / "next")
    assert [read(current, "sub/b.txt", links) for links in LINKS] == ["newer", "newer", "newer"]


def test_a_name_that_only_begins_like_the_root_is_outside(root):
    (root.parent / "root-2").mkdir()
    (root.parent / "root-2" / "x").write_text("x")
    (root / "link").symlink_to("../root-2/x")
    with pytest.raises(OSError, match="leads out of its root"):
        read(root, "link")


@pytest.mark.parametrize("links", LINKS)
def test_a_fifo_is_refused_without_waiting_for_a_writer(root, links):
    os.mkfifo(root / "fifo")
    start = time.perf_counter()
    with pytest.raises(OSError, match="not a regular file"):
        read(root, "fifo", links)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("relative", ["", ".", "sub", "nowhere", "a.txt/b", "sub/nowhere", "x" * 5000])
@pytest.mark.parametrize("links", LINKS)
def test_what_is_no_file_is_refused(root, links, relative):
    with pytest.raises(OSError):
        read(root, relative, links)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", ["inside", "refuse"])
def test_even_a_path_that_climbs_does_not_leave_the_root(root, links):
    """R26-RES-09"""
    for relative in ("../outside/secret.txt", "/etc/passwd", str(root.parent / "outside" / "secret.txt")):
        with pytest.raises(OSError, match="leads out of its root"):
            read(root, relative, links)


def test_a_nul_is_refused(root):
    with pytest.raises(ValueError):
        read(root, "a\0.txt")


# Races: between the look and the opening, somebody changes what is there -----------------------------


@pytest.fixture
def meanwhile(monkeypatch):
    """Do something once, after everything was checked and before anything is opened."""

    def arrange(change):
        check, changes = safe_paths.check_regular, [change]

        def check_then_change(status):
            check(status)
            if changes:
                changes.pop()()

        monkeypatch.setattr(safe_paths, "check_regular", check_then_change)

    return arrange


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", ["inside", "refuse"])
def test_a_file_replaced_by_a_link_is_not_read(root, meanwhile, links):
    """R26-RES-09"""

    def swap():
        (root / "sub" / "b.txt").unlink()
        (root / "sub" / "b.txt").symlink_to(root.parent / "outside" / "secret.txt")

    meanwhile(swap)
    with pytest.raises(OSError):
        read(root, "sub/b.txt", links)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", ["inside", "refuse"])
def test_a_directory_replaced_by_a_link_is_not_entered(root, meanwhile, links):
    """R26-RES-09"""

    def swap():
        (root / "sub").rename(root / "gone")
        (root / "sub").symlink_to(root.parent / "outside")

    meanwhile(swap)
    with pytest.raises(OSError):
        read(root, "sub/b.txt", links)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", ["inside", "refuse"])
def test_a_link_that_is_there_for_a_moment_only_is_not_followed(root, meanwhile, monkeypatch, links):
    """R26-RES-09"""
    genuine = os.open

    def swap():
        (root / "sub").rename(root / "gone")
        (root / "sub").symlink_to(root.parent / "outside")

    def open_and_swap_back(path, *flags, **how):
        try:
            return genuine(path, *flags, **how)
        finally:
            if Path(path).name == "b.txt":
                (root / "sub").unlink()
                (root / "gone").rename(root / "sub")

    meanwhile(swap)
    monkeypatch.setattr(os, "open", open_and_swap_back)
    with pytest.raises(OSError):
        read(root, "sub/b.txt", links)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("links", LINKS)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "directory"])
def test_a_file_replaced_by_something_else_is_not_read(root, meanwhile, links, make):
    def swap():
        (root / "a.txt").unlink()
        make(root / "a.txt")

    meanwhile(swap)
    with pytest.raises(OSError):
        read(root, "a.txt", links)


@pytest.mark.usefixtures("system")
def test_a_file_replaced_by_a_newer_one_is_read(root, meanwhile):
    """As editors save: they write a new file and rename it over the old one."""

    def swap():
        (root / "new").write_text("newer")
        (root / "new").rename(root / "a.txt")

    meanwhile(swap)
    assert read(root, "a.txt") == "newer"


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the open files of a process are not listed here")
@pytest.mark.usefixtures("system")
def test_no_file_stays_open_whatever_happens(root, monkeypatch):
    (root / "out").symlink_to("../outside/secret.txt")
    os.mkfifo(root / "fifo")
    before = handles()

    def attempt():
        for links in LINKS:
            for relative in ("a.txt", "sub/b.txt", "sub", "out", "fifo", "nowhere", "sub/nowhere"):
                with suppress(OSError):
                    read(root, relative, links)

    attempt()
    real = os.fstat
    fifo = os.stat(root / "fifo")
    monkeypatch.setattr(os, "fstat", lambda handle: fifo)
    attempt()
    monkeypatch.setattr(os, "fstat", real)
    assert handles() == before
