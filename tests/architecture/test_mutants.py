"""What `make mutants` changes, and what it does not change."""

import ast

import mutants

SOURCE = b'''\
"""A module of 3 lines."""

__all__ = ["f"]
_log = print


@cache(maxsize=3)
def f(x: Literal[1] = 2) -> Literal[3]:
    """Add 1."""
    assert x != 5, "na\xc3\xafve"
    _log.warning("%d", 4)
    y: Literal[6] = x and "\xc3\xa9" or x  # 7
    while y < x <= 8:
        y += 9
        put(y)
    return [one for one in y if one is not None]
'''

CHANGED = """\
def f(x: Literal[1] = 3) -> Literal[3]:
    y: Literal[6] = ((x and 'é') and x)  # 7
    y: Literal[6] = (x or 'é') or x  # 7
    while (not (y < x <= 8)):
    while (y >= x <= 8):
    while y < x <= 9:
        pass
        y += 10
        pass
    return None
    return [one for one in y if (not (one is not None))]
    return [one for one in y if (one is None)]
"""


def changed_line(source: bytes, mutant: mutants.Mutant) -> str:
    """The line a mutant has changed."""
    pairs = zip(source.decode().splitlines(), mutant.apply(source).decode().splitlines(), strict=True)
    [line] = [new for old, new in pairs if old != new]
    return line


def test_conditions_returns_numbers_and_effects_are_changed_and_nothing_else() -> None:
    found = [changed_line(SOURCE, one) for one in mutants.mutants(SOURCE, 1_000, seed=1)]
    assert sorted(found) == sorted(CHANGED.splitlines())


def test_every_mutant_is_a_module_and_shows_what_differs() -> None:
    source = (mutants.ROOT / "src/plainmcp/wire/jsonrpc.py").read_bytes()
    for one in mutants.mutants(source, 100, seed=1):
        ast.parse(one.apply(source))
        old, new = one.show(source).splitlines()[0], one.show(source).splitlines()[-1]
        assert old.startswith("    - ") and new.startswith("    + ") and old[6:] != new[6:]


def test_a_seed_gives_the_same_mutants_each_time() -> None:
    assert mutants.mutants(SOURCE, 3, seed=5) == mutants.mutants(SOURCE, 3, seed=5)
    assert mutants.mutants(SOURCE, 3, seed=5) != mutants.mutants(SOURCE, 3, seed=6)
