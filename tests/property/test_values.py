"""What holds for every value, under every policy, on every revision.

The values come from strategies.py; how many of them, from the profiles in conftest.py.
"""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plainmcp import Policy
from plainmcp.errors import NormalizeError, PlainMCPError, ToolError
from plainmcp.protocol import project
from plainmcp.revisions import LATEST, REVISIONS
from plainmcp.values.encode import Rules
from plainmcp.values.normalize import (
    normalize_prompt_result,
    normalize_resource_payload,
    normalize_tool_result,
)
from plainmcp.values.payload import Output
from plainmcp.values.prompt_result import prompt_result
from plainmcp.values.resource_result import resource_result
from plainmcp.values.tool_result import tool_result
from plainmcp.wire import codec
from property import corpus, strategies
from property.telling import is_json_of, parsed, tells, unwrapped
from schemas import assert_valid

POLICIES = [Policy.of(name) for name in Policy.profiles]
DECLARED = ("nothing", "hint", "schema")
URI = "memo://1"

# There are many kinds of values, and most of what is done with one is cheap.
many = settings(max_examples=5 * settings.default.max_examples)
results = st.one_of(strategies.mixed, strategies.handed_back, strategies.data)


def attempt(normalize, *args, **options):
    """The result for a value, or None if it is refused with a path."""
    try:
        return normalize(*args, **options)
    except ToolError:  # a file that cannot be read; the model is told its name
        return None
    except PlainMCPError as error:
        assert str(error).startswith("$"), error
        return None


def tool_bytes(value, policy, revision, declared="nothing"):
    normalized = attempt(tool_result, value, policy, output=Output(declared=declared))
    if normalized is None:
        return None
    return codec.encode(project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style))


# Sent or refused ----------------------------------------------------------------------------------


@many
@given(strategies.values)
def test_whatever_a_tool_returns_is_sent_or_refused_with_a_path(value):
    """S000-01"""
    for policy in POLICIES:
        for declared in DECLARED:
            attempt(normalize_tool_result, value, policy=policy, declared=declared)


@many
@given(strategies.resources)
def test_whatever_a_resource_returns_is_sent_or_refused_with_a_path(value):
    """S000-02"""
    for policy in POLICIES:
        attempt(normalize_resource_payload, URI, None, value, policy=policy)


@many
@given(strategies.prompts)
def test_whatever_a_prompt_returns_is_sent_or_refused_with_a_path(value):
    for policy in POLICIES:
        attempt(normalize_prompt_result, value, policy=policy)


# On the wire --------------------------------------------------------------------------------------


@many
@given(strategies.values)
def test_a_tool_result_is_strict_json_and_valid_on_each_revision(value):
    for policy in POLICIES:
        for name, revision in REVISIONS.items():
            raw = tool_bytes(value, policy, revision, "hint")
            if raw is not None:
                assert_valid(name, "CallToolResult", parsed(raw))


@given(strategies.resources)
def test_a_resource_result_is_strict_json_and_valid_on_each_revision(value):
    for policy in POLICIES:
        result = attempt(resource_result, URI, None, value, policy)
        for name, revision in REVISIONS.items() if result is not None else ():
            raw = codec.encode(project.resource_result(result, revision))
            assert_valid(name, "ReadResourceResult", parsed(raw))


@given(strategies.prompts)
def test_a_prompt_result_is_strict_json_and_valid_on_each_revision(value):
    for policy in POLICIES:
        result = attempt(prompt_result, value, policy)
        for name, revision in REVISIONS.items() if result is not None else ():
            raw = codec.encode(project.prompt_result(result, revision))
            assert_valid(name, "GetPromptResult", parsed(raw))


# Two channels, one meaning ------------------------------------------------------------------------


@many
@given(strategies.data)
def test_the_text_says_what_the_structured_content_says(value):
    """S001-02, S002-21"""
    assume(not isinstance(value, tuple) or len(value) != 2)  # (text, data) is the author's own business
    for policy in POLICIES:
        for declared in DECLARED:
            raw = tool_bytes(value, policy, LATEST, declared)
            message = {} if raw is None else parsed(raw)
            if "structuredContent" in message:
                texts = [block["text"] for block in message["content"]]
                said = unwrapped(message["structuredContent"], policy)
                assert any(tells(texts, data, policy) for data in said), (policy, declared, message)


@many
@given(strategies.data)
def test_a_value_is_the_same_data_whether_it_is_encoded_at_once_or_walked(value):
    """A policy that drops nulls always walks; where nothing is null it has nothing to drop."""
    rules = Rules()
    try:
        walked = rules.encode(value, Policy.standard.replace(drop_none=True))
        found = rules.encode(value, Policy.standard)
    except NormalizeError as error:
        # Where one of the two refuses, the other does: below no null is left to tell them apart.
        with pytest.raises(NormalizeError) as refusal:
            rules.encode(value, Policy.standard)
        assert str(refusal.value) == str(error)
        return
    assume(b"null" not in found)
    assert json.dumps(parsed(walked)) == json.dumps(parsed(found))


# Older revisions ----------------------------------------------------------------------------------


@many
@given(results)
def test_an_older_revision_is_told_nothing_the_newest_is_not_told(value):
    for policy in POLICIES:
        raw = tool_bytes(value, policy, LATEST)
        newest = None if raw is None else parsed(raw)
        for revision in REVISIONS.values() if newest is not None else ():
            older = parsed(tool_bytes(value, policy, revision))
            added = leaves(older) - leaves(newest)
            unaccounted = {leaf for leaf in added if not is_moved(leaf, newest)}
            assert not unaccounted, (policy, revision.name, unaccounted)


def leaves(data):
    """Every string and number in a message."""
    if isinstance(data, dict):
        return set().union(*map(leaves, data.values()))
    if isinstance(data, list):
        return set().union(*map(leaves, data))
    return {data}


def is_moved(leaf, newest):
    """Whether this is something the newest revision is told in another place or another form."""
    if leaf in ("text", "resource"):  # what an audio block or a link became
        return True
    if not isinstance(leaf, str):
        return False
    if leaf.startswith("ni:///sha-256;"):  # the name its own hash gives a sound
        return True
    if is_json_of(leaf, newest.get("structuredContent")):
        return True
    links = [block for block in newest["content"] if block["type"] == "resource_link"]
    return any(is_composed(leaf, link) for link in links)


def is_composed(text, link):
    """Whether a text is made of the fields of a link and a little punctuation."""
    own = sorted((str(part) for part in leaves(link) if isinstance(part, str)), key=len, reverse=True)
    for part in own:
        if part:
            text = text.replace(part, "")
    return set(text) <= set(" ():\n")


@given(results)
def test_projecting_twice_is_projecting_once(value):
    for policy in POLICIES:
        normalized = attempt(tool_result, value, policy)
        for revision in REVISIONS.values() if normalized is not None else ():
            once = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style)
            twice = project.tool_result(once, normalized.mirrored, revision, policy.wrap_key, policy.json_style)
            assert codec.encode(twice) == codec.encode(once)


@given(strategies.resources, strategies.prompts)
def test_resources_and_prompts_too_are_projected_once_and_for_all(payload, said):
    for policy in POLICIES:
        resource = attempt(resource_result, URI, None, payload, policy)
        prompt = attempt(prompt_result, said, policy)
        for result, to in (resource, project.resource_result), (prompt, project.prompt_result):
            for revision in REVISIONS.values() if result is not None else ():
                once = to(result, revision)
                assert codec.encode(to(once, revision)) == codec.encode(once)


# The same on every run, and hands off -------------------------------------------------------------


def test_the_bytes_do_not_depend_on_the_hash_seed():
    """S001-17"""
    runs = [digests("0"), digests("1"), digests("2")]
    unsteady = [value for value, *found in zip(corpus.CORPUS, *runs, strict=True) if len(set(found)) > 1]
    assert not unsteady


def digests(seed):
    """A hash of what each value of the corpus becomes, in a fresh interpreter."""
    command, environment = [sys.executable, corpus.__file__], {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@many
@given(strategies.values)
def test_nobody_touches_the_value(value):
    before = shown(value)
    for policy in POLICIES:
        for revision in REVISIONS.values():
            tool_bytes(value, policy, revision)
        attempt(resource_result, URI, None, value, policy)
        attempt(prompt_result, value, policy)
    assert shown(value) == before


def shown(value):
    """A repr, of our own builders too."""
    slots = getattr(type(value), "__slots__", ())
    if type(value).__module__ == "plainmcp.results":
        return repr({name: getattr(value, name) for name in slots})
    return repr(value)
