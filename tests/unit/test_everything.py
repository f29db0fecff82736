"""examples/everything.py in memory: what the official conformance suite needs, on the revisions it uses."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from official import check
from plainmcp.testing import Client, RpcError
from protected import APPS, ask, call, mount
from serving import load

HANDSHAKE, MODERN = "2025-11-25", "2026-07-28"
both = pytest.mark.parametrize("revision", [HANDSHAKE, MODERN])
server = load("everything").server


def client_of(revision: str, **options: Any) -> Client:
    """A client that has every message it gets judged by the official schemas."""
    return Client(server, revision, check=check, **options)


def accepting(**content: Any) -> Callable[[Any], Any]:
    return lambda params: {"action": "accept", "content": content}


def sampled(params: Any) -> Any:
    text = params["messages"][0]["content"]["text"]
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": f"heard {text}"}}


def rooted(params: Any) -> Any:
    return {"roots": [{"uri": "file:///home", "name": "home"}]}


def text_of(result: dict[str, Any]) -> str:
    [block] = result["content"]
    return str(block["text"])


def first_round(client: Client, name: str, **params: Any) -> dict[str, Any]:
    """What one call gives, with nobody answering what it asks."""
    message = client._messages.build_request("tools/call", {"name": name, "arguments": {}, **params})
    return json.loads(client._exchange(message))  # type: ignore[no-any-return]


# The offer ----------------------------------------------------------------------------------------


@both
def test_the_plain_text_tool_comes_first_and_everything_is_described(revision: str) -> None:
    client = client_of(revision)
    tools, prompts = client.list_tools(), client.list_prompts()
    assert tools[0]["name"] == "test_simple_text"
    assert all(one["description"] for one in [*tools, *prompts])
    assert [tool["name"] for tool in client.list_tools()] == [tool["name"] for tool in tools]


@both
def test_a_schema_with_every_trick_is_listed_as_it_was_written(revision: str) -> None:
    [tool] = [one for one in client_of(revision).list_tools() if one["name"] == "json_schema_2020_12_tool"]
    schema = tool["inputSchema"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert schema["properties"]["address"] == {"$ref": "#/$defs/address"}
    assert schema["allOf"] == [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}]
    assert schema["then"] == {"required": ["phone"]} and schema["else"] == {"required": ["email"]}
    assert schema["additionalProperties"] is False


def test_exactly_one_tool_shows_an_argument_to_gateways() -> None:
    named = [
        field["x-mcp-header"]
        for tool in client_of(MODERN).list_tools()
        for field in tool["inputSchema"].get("properties", {}).values()
        if "x-mcp-header" in field
    ]
    assert named == ["Region"]


@both
def test_each_kind_of_content_arrives_as_that_kind(revision: str) -> None:
    client = client_of(revision)
    assert text_of(client.call("test_simple_text")) == "This is a simple text response for testing."
    [image] = client.call("test_image_content")["content"]
    assert image["type"] == "image" and image["mimeType"] == "image/png" and image["data"].startswith("iVBOR")
    [audio] = client.call("test_audio_content")["content"]
    assert audio["type"] == "audio" and audio["mimeType"] == "audio/wav" and audio["data"]
    [embedded] = client.call("test_embedded_resource")["content"]
    assert embedded["resource"] == {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    }
    kinds = [block["type"] for block in client.call("test_multiple_content_types")["content"]]
    assert kinds == ["text", "image", "resource"]
    failed = client.call("test_error_handling")
    assert failed["isError"] and text_of(failed) == "This tool intentionally returns an error for testing"
    assert client.call("test_structured_content")["structuredContent"] == {
        "city": "Oslo",
        "celsius": 7.5,
        "tags": ["cold", "dry"],
    }


@both
def test_resources_are_read_from_fixed_uris_and_from_a_template(revision: str) -> None:
    client = client_of(revision)
    assert [one["uri"] for one in client.list_resources()] == [
        "test://static-text",
        "test://static-binary",
        "test://watched-resource",
    ]
    [text] = client.read("test://static-text")["contents"]
    assert text["mimeType"] == "text/plain" and text["text"]
    [binary] = client.read("test://static-binary")["contents"]
    assert binary["mimeType"] == "image/png" and binary["blob"].startswith("iVBOR")
    [made] = client.read("test://template/123/data")["contents"]
    assert '"id": "123"' in made["text"] and made["mimeType"] == "application/json"
    with pytest.raises(RpcError) as unknown:
        client.read("test://nonexistent-resource-for-conformance-testing")
    assert unknown.value.code == {HANDSHAKE: -32002, MODERN: -32602}[revision]
    assert unknown.value.data == {"uri": "test://nonexistent-resource-for-conformance-testing"}


@both
def test_prompts_carry_arguments_resources_and_pictures(revision: str) -> None:
    client = client_of(revision)
    assert client.get_prompt("test_simple_prompt")["messages"][0]["role"] == "user"
    [said] = client.get_prompt("test_prompt_with_arguments", arg1="hello", arg2="world")["messages"]
    assert "hello" in said["content"]["text"] and "world" in said["content"]["text"]
    embedded = client.get_prompt("test_prompt_with_embedded_resource", resourceUri="test://x")["messages"][0]
    assert embedded["content"]["type"] == "resource" and embedded["content"]["resource"]["uri"] == "test://x"
    picture = client.get_prompt("test_prompt_with_image")["messages"][0]
    assert picture["content"]["type"] == "image" and picture["content"]["mimeType"] == "image/png"


@both
def test_arguments_of_a_prompt_and_variables_of_a_template_are_completed(revision: str) -> None:
    client = client_of(revision)

    def complete(ref: dict[str, str], name: str, value: str) -> list[str]:
        params = {"ref": ref, "argument": {"name": name, "value": value}}
        found: list[str] = client.request("completion/complete", params)["completion"]["values"]
        return found

    prompt = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    assert complete(prompt, "arg1", "par") == ["paris", "park", "party"]
    assert complete({"type": "ref/resource", "uri": "test://template/{id}/data"}, "id", "12") == ["12", "123"]


# While a tool runs --------------------------------------------------------------------------------


@both
def test_progress_goes_out_three_times_before_the_result(revision: str) -> None:
    client = client_of(revision)
    params = {"name": "test_tool_with_progress", "_meta": {"progressToken": "progress-test-1"}}
    client.request("tools/call", params)
    told = [one["params"] for one in client.notifications if one["method"] == "notifications/progress"]
    assert [(one["progressToken"], one["progress"], one["total"]) for one in told] == [
        ("progress-test-1", 0, 100),
        ("progress-test-1", 50, 100),
        ("progress-test-1", 100, 100),
    ]


@both
def test_log_messages_reach_those_who_asked_for_them_and_nobody_else(revision: str) -> None:
    asking = client_of(revision, log_level="debug")
    asking.call("test_tool_with_logging")
    assert [one["params"]["data"] for one in asking.notifications] == [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ]
    silent = client_of(revision)
    silent.call("test_logging_tool")
    assert silent.notifications == []


# Questions ----------------------------------------------------------------------------------------


@both
def test_questions_are_asked_and_answered(revision: str) -> None:
    account = {"elicitation/create": accepting(username="jane", email="jane@example.com")}
    client = client_of(revision, answers={**account, "sampling/createMessage": sampled, "roots/list": rooted})
    assert "jane@example.com" in text_of(client.call("test_elicitation", message="Who are you?"))
    assert text_of(client.call("test_sampling", prompt="hi")) == "LLM response: heard hi"
    assert text_of(client.call("test_roots")) == "Roots: file:///home"
    assert text_of(client.call("test_missing_capability")) == "The client can sample."


def test_a_form_shows_the_defaults_of_its_class() -> None:
    asked: list[Any] = []

    def fill(params: Any) -> Any:
        asked.append(params["requestedSchema"])
        content = {"name": "Jane Smith", "age": 25, "score": 88, "status": "inactive", "verified": False}
        return {"action": "accept", "content": content}

    client = client_of(HANDSHAKE, answers={"elicitation/create": fill})
    assert "Jane Smith" in text_of(client.call("test_elicitation_sep1034_defaults"))
    assert asked[0]["properties"] == {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }


CHOSEN = {
    "untitledSingle": "option1",
    "titledSingle": "value1",
    "legacyEnum": "opt1",
    "untitledMulti": ["option1", "option2"],
    "titledMulti": ["value1", "value2"],
}


def test_choices_are_offered_in_each_way_there_is() -> None:
    client = client_of(HANDSHAKE, answers={"elicitation/create": accepting(**CHOSEN)})
    assert str(CHOSEN) in text_of(client.call("test_elicitation_sep1330_enums"))


def test_an_answer_that_breaks_a_handwritten_form_is_not_taken() -> None:
    client = client_of(HANDSHAKE, answers={"elicitation/create": accepting(untitledSingle="option9")})
    refused = client.call("test_elicitation_sep1330_enums")
    assert refused["isError"] and text_of(refused) == "The answer does not fit the form."


def test_several_choices_typed_with_commas_are_a_list_again_for_the_handler() -> None:
    typed = {**CHOSEN, "untitledMulti": "option1, option2", "titledMulti": "value1,value2"}
    client = client_of("2025-06-18", answers={"elicitation/create": accepting(**typed)})
    assert str(CHOSEN) in text_of(client.call("test_elicitation_sep1330_enums"))


# Questions that travel with the result ------------------------------------------------------------


def test_a_name_is_asked_for_under_its_key_and_then_used() -> None:
    client = client_of(MODERN, capabilities={"elicitation": {}})
    asked = first_round(client, "test_input_required_result_elicitation")
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"]["user_name"]["method"] == "elicitation/create"
    alice = {"action": "accept", "content": {"name": "Alice"}}
    # The state may be left out, and keys nobody asked for are let pass.
    done = first_round(
        client, "test_input_required_result_elicitation", inputResponses={"user_name": alice, "other": {"a": 1}}
    )
    assert done["resultType"] == "complete" and text_of(done) == "Hello, Alice!"


def test_an_answer_under_another_key_is_none_and_nonsense_is_an_error() -> None:
    client = client_of(MODERN, capabilities={"elicitation": {}})
    name = "test_input_required_result_elicitation"
    again = first_round(client, name, inputResponses={"wrong": {"action": "accept", "content": {"name": "Alice"}}})
    assert again["resultType"] == "input_required"
    with pytest.raises(RpcError) as refused:
        first_round(client, name, inputResponses={"user_name": 12345})
    assert refused.value.code == -32602


@pytest.mark.parametrize(
    ("name", "capabilities", "methods"),
    [
        ("test_input_required_result_sampling", {"sampling": {}}, ["sampling/createMessage"]),
        ("test_input_required_result_list_roots", {"roots": {}}, ["roots/list"]),
        ("test_input_required_result_capabilities", {"sampling": {}}, ["sampling/createMessage"]),
        ("test_streaming_elicitation", {"elicitation": {}}, ["elicitation/create"]),
        (
            "test_input_required_result_multiple_inputs",
            {"sampling": {}, "elicitation": {}, "roots": {}},
            ["elicitation/create", "sampling/createMessage", "roots/list"],
        ),
    ],
)
def test_what_is_asked_travels_with_the_result(name: str, capabilities: dict[str, Any], methods: list[str]) -> None:
    asked = first_round(client_of(MODERN, capabilities=capabilities), name)
    assert asked["resultType"] == "input_required" and isinstance(asked["requestState"], str)
    assert [one["method"] for one in asked["inputRequests"].values()] == methods


def test_all_of_several_questions_answered_ends_the_call() -> None:
    answers = {
        "elicitation/create": accepting(name="Alice"),
        "sampling/createMessage": sampled,
        "roots/list": rooted,
    }
    for revision in (HANDSHAKE, MODERN):
        client = client_of(revision, answers=answers)
        done = client.call("test_input_required_result_multiple_inputs")
        assert text_of(done) == "heard Write a greeting (accept, 1 roots)"


def test_each_round_has_a_state_of_its_own_and_the_last_remembers_the_first() -> None:
    client = client_of(MODERN, capabilities={"elicitation": {}})
    name = "test_input_required_result_multi_round"
    first = first_round(client, name)
    step1 = {"step1": {"action": "accept", "content": {"name": "Alice"}}}
    second = first_round(client, name, inputResponses=step1, requestState=first["requestState"])
    assert list(second["inputRequests"]) == ["step2"] and second["requestState"] != first["requestState"]
    step2 = {"step2": {"action": "accept", "content": {"color": "blue"}}}
    third = first_round(client, name, inputResponses=step2, requestState=second["requestState"])
    assert text_of(third) == "Both answered: accept, accept"


def test_a_state_that_was_changed_on_the_way_is_refused() -> None:
    client = client_of(MODERN, capabilities={"elicitation": {}})
    name = "test_input_required_result_tampered_state"
    state = first_round(client, name)["requestState"]
    answer = {"confirm": {"action": "accept", "content": {"ok": True}}}
    with pytest.raises(RpcError) as refused:
        first_round(client, name, inputResponses=answer, requestState=f"{state}-TAMPERED")
    assert refused.value.code == -32602
    assert first_round(client, name, inputResponses=answer, requestState=state)["resultType"] == "complete"


def test_a_prompt_can_ask_too() -> None:
    for revision in (HANDSHAKE, MODERN):
        client = client_of(revision, answers={"elicitation/create": accepting(context="tests")})
        [said] = client.get_prompt("test_input_required_result_prompt")["messages"]
        assert said["content"]["text"] == "Use this context: tests"


def test_a_client_without_a_model_is_told_what_is_missing() -> None:
    with pytest.raises(RpcError) as refused:
        client_of(MODERN).call("test_missing_capability")
    assert refused.value.code == -32021 and refused.value.data == {"requiredCapabilities": {"sampling": {}}}


# Changes ------------------------------------------------------------------------------------------


def test_changes_reach_a_client_that_shook_hands_and_subscribed() -> None:
    client = client_of(HANDSHAKE)
    for name in ("test_trigger_tool_change", "test_trigger_prompt_change", "test_trigger_resource_change"):
        client.call(name)
    assert [one["method"] for one in client.notifications] == [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
    ]
    client.notifications.clear()
    client.request("resources/subscribe", {"uri": "test://watched-resource"})
    client.call("test_trigger_resource_change")
    client.request("resources/unsubscribe", {"uri": "test://watched-resource"})
    client.call("test_trigger_resource_change")
    assert [one["params"] for one in client.notifications] == [{"uri": "test://watched-resource"}]


def test_a_stream_hears_of_the_changes_it_asked_for_and_of_no_others() -> None:
    client = client_of(MODERN)
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["test://watched-resource"]}
    listen = client._messages.build_request("subscriptions/listen", {"notifications": wanted}) | {"id": "l"}
    assert client.send(json.dumps(listen).encode()) is None
    for name in ("test_trigger_tool_change", "test_trigger_prompt_change", "test_trigger_resource_change"):
        client.call(name)
    assert [one["method"] for one in client.notifications] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]
    assert client.notifications[0]["params"]["notifications"] == wanted
    tags = {one["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for one in client.notifications}
    assert tags == {"l"}


# Scopes -------------------------------------------------------------------------------------------

STEPS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("tools/call", {"tool": "test_simple_text"}, ["tools:call", "tools:test_simple_text"]),
    ("resources/read", {"uri": "test://static-text"}, ["resources:read", "resources:static"]),
    ("resources/read", {"uri": "test://template/123/data"}, ["resources:read", "resources:template:123"]),
    ("prompts/get", {"name": "test_simple_prompt"}, ["prompts:get", "prompts:test_simple_prompt"]),
]


@pytest.mark.parametrize(("method", "params", "scopes"), STEPS)
@pytest.mark.parametrize("kind", APPS)
def test_the_challenge_of_a_step_up_has_all_scopes(
    kind: str, method: str, params: dict[str, Any], scopes: list[str]
) -> None:
    """R26-AUTH-10, R26-AUTH-11."""
    everything = load("everything")
    url = "http://127.0.0.1:8000/mcp"
    app = mount(kind, everything.server, auth=everything.Tokens(url), anonymous=True)
    assert call(app, None, method=method, **params).status == 200
    assert call(app, "mcp-conformance-scope-full", method=method, **params).status == 200
    answer = call(app, "mcp-conformance-scope-low", method=method, **params)
    challenge = str(answer.challenge)
    assert answer.status == 403 and challenge.startswith('Bearer error="insufficient_scope"')
    assert f'scope="{" ".join(f"mcp:conformance:{scope}" for scope in scopes)}"' in challenge
    metadata = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{metadata}"' in challenge
    assert ask(app, method="GET", path="/.well-known/oauth-protected-resource/mcp").json["resource"] == url
