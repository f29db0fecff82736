"""Signed bytes and text: only those of the same key and purpose come back."""

import pytest

from plainmcp.errors import InvalidParams
from plainmcp.wire import signing

KEY = b"0123456789abcdef"


def test_what_was_signed_with_another_key_is_not_believed() -> None:
    signed = signing.sign(b"state", KEY)
    assert signing.verify(signed, KEY) == b"state"
    assert signing.verify(signed, b"x" + KEY) is None
    assert signing.verify(signed[:-1], KEY) is None
    assert signing.verify(b"", KEY) is None


def test_keys_of_two_purposes_differ() -> None:
    keys = {signing.derive_key(KEY, *purpose) for purpose in (("a",), ("b",), ("a", "b"), ("ab",), ("a,b",))}
    assert len(keys) == 5 and KEY not in keys


def test_sealed_text_has_one_spelling() -> None:
    text = signing.seal({"a": 1}, KEY)
    assert signing.unseal(text, KEY) == {"a": 1}
    for other in (text + "=", text[:-1], "é" + text, text + "\n"):
        with pytest.raises(InvalidParams):
            signing.unseal(other, KEY)
