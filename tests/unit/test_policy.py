"""One field for each rule that systems answer differently, and profiles that answer them all."""

import pytest

from plainmcp import Policy, Server, normalize_prompt_result, normalize_resource_payload, normalize_tool_result
from plainmcp.errors import AuthorError
from plainmcp.testing import Client

PROFILES = ("standard", "openmcp", "fastmcp", "serializer", "kubernetes", "lean")


# Choosing ---------------------------------------------------------------------------------------


def test_there_are_six_profiles_and_standard_is_what_nothing_said_means():
    assert Policy.profiles == PROFILES
    assert Policy.standard == Policy()


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_goes_by_its_name(name):
    assert Policy.of(name) is getattr(Policy, name)
    assert Policy.of(Policy.of(name)) is Policy.of(name)


def test_a_profile_may_be_named_wherever_a_policy_is_taken():
    assert normalize_tool_result("a", policy="lean") == normalize_tool_result("a", policy=Policy.lean)
    assert normalize_prompt_result("a", policy="lean") == normalize_prompt_result("a", policy=Policy.lean)
    by_name = normalize_resource_payload("a://1", None, {"a": 1}, policy="openmcp")
    assert by_name == normalize_resource_payload("a://1", None, {"a": 1}, policy=Policy.openmcp)


@pytest.mark.parametrize("name", ["strict", "", "STANDARD", "profiles", "replace", None, 3])
def test_an_unknown_profile_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(AuthorError) as caught:
        Policy.of(name)
    assert str(caught.value) == (
        f"unknown policy {name!r}; the profiles are standard, openmcp, fastmcp, serializer, kubernetes, lean"
    )


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_told_apart(name):
    assert [other for other in PROFILES if Policy.of(other) == Policy.of(name)] == [name]


# Changing ---------------------------------------------------------------------------------------


def test_a_policy_is_frozen():
    with pytest.raises(AttributeError):
        Policy.standard.json_style = "compact"
    with pytest.raises((AttributeError, TypeError)):
        Policy.standard.colour = "red"


def test_a_policy_can_be_a_key():
    assert {Policy.standard: 1}[Policy()] == 1


def test_replace_makes_a_variant_and_leaves_the_policy_alone():
    compact = Policy.standard.replace(json_style="compact")
    assert (compact.json_style, Policy.standard.json_style) == ("compact", "spaced")
    assert compact.replace(json_style="spaced") == Policy.standard
    assert Policy.standard.replace() == Policy.standard


def test_a_variant_works_wherever_a_policy_is_taken():
    compact = Policy.standard.replace(json_style="compact")
    assert normalize_tool_result({"a": 1}, policy=compact).content[0].text == '{"a":1}'


@pytest.mark.parametrize("field", ["colour", "standard", "jsonStyle"])
def test_an_unknown_field_is_refused_and_the_known_ones_are_listed(field):
    with pytest.raises(AuthorError) as caught:
        Policy.standard.replace(**{field: "x"})
    names = ", ".join(Policy.__struct_fields__)
    assert str(caught.value) == f"a policy has no field {field!r}; its fields are {names}"


@pytest.mark.parametrize("make", [Policy, Policy.lean.replace])
def test_an_unknown_value_is_refused_and_the_known_ones_are_listed(make):
    with pytest.raises(AuthorError) as caught:
        make(json_style="tight")
    assert str(caught.value) == ("policy field json_style cannot be 'tight'; it is one of spaced, compact, indent")


@pytest.mark.parametrize(("field", "value"), [("wrap_key", 3), ("drop_none", "yes"), ("contents_extras", None)])
def test_a_field_that_takes_any_text_or_a_flag_still_has_a_type(field, value):
    with pytest.raises(AuthorError, match=f"policy field {field} takes a (str|bool), not "):
        Policy.standard.replace(**{field: value})


@pytest.mark.parametrize("field", Policy.__struct_fields__)
def test_no_field_takes_just_anything(field):
    with pytest.raises(AuthorError, match=f"policy field {field} "):
        Policy.standard.replace(**{field: object()})


# What the profiles answer ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "field", "value", "why"),
    [
        ("standard", "json_style", "spaced", "S000-33, S002-26"),
        ("standard", "non_object", "wrap", "S000-18, S000-22"),
        ("standard", "pair", "object", "S000-25"),
        ("standard", "bytes_as", "text", "S000-20"),
        ("standard", "unserializable", "str", "S000-31"),
        ("standard", "drop_none", False, "S000-26"),
        ("standard", "list_content", "flat", "S000-21"),
        ("standard", "resource_json_mime", "text/plain", "S000-47"),
        ("standard", "file_block", "auto", "S002-17"),
        ("openmcp", "list_content", "flat", "S000-21"),
        ("openmcp", "resource_json_mime", "text/plain", "S000-47"),
        ("openmcp", "non_object", "wrap", "S000-18"),
        ("openmcp", "bytes_as", "text", "S000-20"),
        ("openmcp", "empty_structured", "emit", "S000-16"),
        ("fastmcp", "non_object", "annotated", "S004-27"),
        ("fastmcp", "bytes_as", "blob", "S004-03"),
        ("fastmcp", "file_block", "blob", "S004-06"),
        ("fastmcp", "pair", "never", "S004-08"),
        ("fastmcp", "envelope", "off", "S004-22"),
        ("serializer", "non_object", "never", "S003-21"),
        ("serializer", "object_text", "none", "S003-23"),
        ("serializer", "drop_none", True, "S003-68"),
        ("serializer", "contents_extras", True, "S003-36, S003-64"),
        ("serializer", "prompt_pair", "text_role", "S003-32"),
        ("kubernetes", "json_style", "compact", "S001-03"),
        ("kubernetes", "empty_structured", "omit", "S001-38"),
        ("kubernetes", "key_case", "camel", "S001-23"),
        ("kubernetes", "item_order", "name", "S001-18"),
        ("kubernetes", "non_object", "never", "S001-07"),
    ],
)
def test_a_profile_answers_as_its_document_does(name, field, value, why):
    assert getattr(Policy.of(name), field) == value, why


def test_the_text_about_a_result_that_is_withheld_may_name_the_reason_or_not() -> None:
    def count() -> dict[str, object]:
        return {}

    texts = []
    for policy in (Policy.standard, Policy.standard.replace(withheld_text="{tool} failed")):
        server = Server("s", policy=policy)
        server.tool(output_schema={"type": "object", "required": ["number"]})(count)
        texts.append(Client(server).call("count")["content"][0]["text"])
    assert texts[0].startswith("The result of count was not valid and is withheld: ")
    assert texts[1] == "count failed"
