"""One of everything: each kind of content, question and notification, as the official conformance suite needs them.

Serve it with `python examples/everything.py 127.0.0.1:8000`, and run the suite:

    npx @modelcontextprotocol/conformance@0.2.0-alpha.12 server \\
        --url http://127.0.0.1:8000/mcp --requirements 2026-07-28

Everyone may call without a token. A client that sends one of two tokens of the suite needs scopes for some calls.
"""

import asyncio
import sys
import time
from base64 import b64decode
from dataclasses import dataclass
from typing import Any, Literal

from plainmcp import Audio, Context, Image, Policy, PromptResult, Server, ToolError, ToolResult
from plainmcp.auth import Principal
from plainmcp.questions import Elicit, ListRoots, Sample

server = Server(
    "everything",
    "1.0.0",
    title="One of everything",
    description="A server that does one of everything the protocol knows.",
    instructions="Call what you like: nothing here has an effect outside this process.",
    policy=Policy.standard.replace(list_order="registration"),
)

RED_DOT = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SILENCE = b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==")


# Scopes -------------------------------------------------------------------------------------------

SCOPE = "mcp:conformance"
LOW = [f"{SCOPE}:baseline"]
FULL = [
    *LOW,
    f"{SCOPE}:tools:call",
    f"{SCOPE}:tools:test_simple_text",
    f"{SCOPE}:resources:read",
    f"{SCOPE}:resources:static",
    f"{SCOPE}:resources:template:123",
    f"{SCOPE}:prompts:get",
    f"{SCOPE}:prompts:test_simple_prompt",
]
SCOPES = {"mcp-conformance-scope-low": LOW, "mcp-conformance-scope-full": FULL}


def for_known(*scopes: str) -> Any:
    """Scopes that only a caller with a token needs; `{id}` in them is a variable of the resource template."""

    def scopes_of(request: Any) -> list[str]:
        known = [] if request.principal is None else scopes
        return [f"{SCOPE}:{scope.format(**request.arguments)}" for scope in known]

    return scopes_of


class Tokens:
    """The verifier of the tokens that the suite sends; nothing can log in at the issuer."""

    issuer = "https://auth.example.com"

    def __init__(self, resource: str) -> None:
        self.resource = resource

    def verify(self, token: str) -> Principal | None:
        scopes = SCOPES.get(token)
        return None if scopes is None else Principal(self.issuer, "suite", token, frozenset(scopes))


# Content ------------------------------------------------------------------------------------------


@server.tool(requires=for_known("tools:call", "tools:test_simple_text"))
def test_simple_text() -> str:
    """Answer with a text."""
    return "This is a simple text response for testing."


@server.tool
def test_image_content() -> Image:
    """Answer with a picture."""
    return Image(data=RED_DOT, format="png")


@server.tool
def test_audio_content() -> Audio:
    """Answer with a sound."""
    return Audio(data=SILENCE, format="wav")


@server.tool
def test_embedded_resource() -> ToolResult:
    """Answer with a resource inside the answer."""
    return ToolResult().add_resource(
        "test://embedded-resource", text="This is an embedded resource content.", mime_type="text/plain"
    )


@server.tool
def test_multiple_content_types() -> ToolResult:
    """Answer with a text, a picture and a resource."""
    return (
        ToolResult("Multiple content types test:")
        .add_image(data=RED_DOT, format="png")
        .add_resource("test://mixed-content-resource", text='{"test": "data"}', mime_type="application/json")
    )


@dataclass
class Reading:
    city: str
    celsius: float
    tags: list[str]


@server.tool
def test_structured_content(city: str = "Oslo") -> Reading:
    """Answer with data that has a schema.

    Args:
        city: Where it was measured
    """
    return Reading(city, 7.5, ["cold", "dry"])


@server.tool
def test_error_handling() -> None:
    """Fail, with words for the model to read."""
    raise ToolError("This tool intentionally returns an error for testing")


# While a tool runs --------------------------------------------------------------------------------


@server.tool
async def test_tool_with_progress(ctx: Context) -> str:
    """Tell three times how far the work is."""
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    return "Progress is complete."


@server.tool
async def test_tool_with_logging(ctx: Context) -> str:
    """Send three log messages."""
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(message)
        await asyncio.sleep(0.05)
    return "Logged three messages."


@server.tool
def test_logging_tool(ctx: Context) -> str:
    """Log something, which only those hear who asked for it."""
    ctx.info("This is for those who asked for messages of level info")
    return "Logged one message."


@server.tool
async def test_slow(ctx: Context, seconds: float = 60) -> str:
    """Take a while, and stop when the client does not wait any more.

    Args:
        seconds: How long to take
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if ctx.cancelled:
            return "Stopped."
        await asyncio.sleep(0.02)
    return f"Took {seconds:g} seconds."


@server.tool
async def test_reconnection(ctx: Context) -> str:
    """Hang up before the answer is there; the client comes back for it."""
    await ctx.close_stream()
    await asyncio.sleep(0.1)
    return "Here is the answer you came back for."


# Questions ----------------------------------------------------------------------------------------
#
# One handler serves every revision. If a question is a request to the client, the handler waits for the answer; if
# it is part of the result, the handler ends there and runs again with the answer.


@dataclass
class Account:
    username: str
    email: str


@dataclass
class Profile:
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


CHOICES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
    "required": [],
}


@server.tool
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Ask the client's model.

    Args:
        prompt: What to say to the model
    """
    answer = await ctx.sample(prompt, max_tokens=100)
    return f"LLM response: {text_of(answer)}"


@server.tool
def test_elicitation(message: str, ctx: Context) -> str:
    """Ask the user for an account.

    Args:
        message: What to say to the user
    """
    answer = ctx.elicit(message, Account)
    return f"User response: {answer.action}, {answer.data}"


@server.tool
def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Ask the user for a profile; every field has a default."""
    answer = ctx.elicit("Please review and update the form fields with defaults", Profile)
    return f"Elicitation completed: {answer.action}, {answer.data}"


@server.tool
def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Ask the user to choose, in each way there is to offer a choice."""
    answer = ctx.elicit("Please select options from the enum fields", CHOICES)
    return f"Elicitation completed: {answer.action}, {answer.data}"


@server.tool
def test_elicitation_url(ctx: Context) -> str:
    """Ask the user to visit a page."""
    answer = ctx.elicit_url("Please sign in", "https://example.com/sign-in")
    return f"Visit: {answer.action}"


@server.tool
async def test_roots(ctx: Context) -> str:
    """Ask where the server may look."""
    roots = await ctx.roots()
    return f"Roots: {', '.join(root['uri'] for root in roots)}"


@server.tool(needs={"sampling": {}})
def test_missing_capability() -> str:
    """Run only for a client whose model can be asked."""
    return "The client can sample."


@server.tool
def test_streaming_elicitation(ctx: Context) -> str:
    """Ask the user to go on."""
    answer = ctx.elicit("Shall we go on?", Confirmation, key="confirm")
    return f"User response: {answer.action}"


@dataclass
class Name:
    name: str


@dataclass
class Confirmation:
    ok: bool


@dataclass
class Color:
    color: str


@dataclass
class Purpose:
    context: str


@server.tool
def test_input_required_result_elicitation(ctx: Context) -> str:
    """Greet the user by name."""
    answer = ctx.elicit("What is your name?", Name, key="user_name")
    return f"Hello, {answer.data.name}!" if answer.accepted else "Hello, whoever you are!"


@server.tool
async def test_input_required_result_sampling(ctx: Context) -> str:
    """Ask the client's model for a capital."""
    answer = await ctx.sample("What is the capital of France?", max_tokens=100, key="capital_question")
    return f"The model says: {text_of(answer)}"


@server.tool
async def test_input_required_result_list_roots(ctx: Context) -> str:
    """Count the places the server may look at."""
    roots = await ctx.roots(key="client_roots")
    return f"The client has {len(roots)} roots."


@server.tool
def test_input_required_result_request_state(ctx: Context) -> str:
    """Ask, and know what was asked when the answer comes."""
    ctx.elicit("Please confirm", Confirmation, key="confirm")
    return "state-ok"


@server.tool
async def test_input_required_result_multiple_inputs(ctx: Context) -> str:
    """Ask the user, the model and the client at once."""
    answers = await ctx.ask(
        user_name=Elicit(message="What is your name?", schema=Name),
        greeting=Sample(messages="Write a greeting", max_tokens=50),
        client_roots=ListRoots(),
    )
    user, roots = answers["user_name"], answers["client_roots"]
    return f"{text_of(answers['greeting'])} ({user.action}, {len(roots)} roots)"


@server.tool
def test_input_required_result_multi_round(ctx: Context) -> str:
    """Ask, and then ask again."""
    name = ctx.elicit("Step 1: What is your name?", Name, key="step1")
    color = ctx.elicit("Step 2: What is your favorite color?", Color, key="step2")
    return f"Both answered: {name.action}, {color.action}"


@server.tool
def test_input_required_result_tampered_state(ctx: Context) -> str:
    """Ask, and refuse an answer whose state is not ours."""
    answer = ctx.elicit("Please confirm", Confirmation, key="confirm")
    return f"The state was ours: {answer.action}"


@server.tool
def test_input_required_result_capabilities(ctx: Context) -> str:
    """Ask the user or the model."""
    if "elicitation" in ctx.capabilities:
        return f"The user says: {ctx.elicit('What is your name?', Name, key='user_name').action}"
    if "sampling" in ctx.capabilities:
        return f"The model says: {text_of(ctx.sample('Say hello', max_tokens=20, key='greeting'))}"
    return "There is nobody to ask."


def text_of(answer: dict[str, Any]) -> str:
    """The text of a model's answer, in one block or in several."""
    content = answer["content"]
    blocks = content if isinstance(content, list) else [content]
    return " ".join(block["text"] for block in blocks if block["type"] == "text")


# Schemas written by hand ---------------------------------------------------------------------------


@server.tool(
    input_schema={
        "type": "object",
        "properties": {
            "region": {"type": "string", "description": "Where to run", "x-mcp-header": "Region"},
        },
    }
)
def test_x_mcp_header(region: str = "nowhere") -> str:
    """Run somewhere; a gateway can see where in a header."""
    return f"Region: {region}"


@server.tool(
    input_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }
)
def json_schema_2020_12_tool(**contact: Any) -> str:
    """Take what a schema with every trick allows."""
    return f"Contact: {', '.join(sorted(contact))}"


# Resources ----------------------------------------------------------------------------------------


@server.resource(
    "test://static-text", mime_type="text/plain", requires=for_known("resources:read", "resources:static")
)
def static_text() -> str:
    """A text that stays the same."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture that stays the same."""
    return RED_DOT


@server.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """A text worth watching."""
    return "Watched resource content"


@server.resource(
    "test://template/{id}/data",
    mime_type="application/json",
    requires=for_known("resources:read", "resources:template:{id}"),
)
def template_data(id: str) -> dict[str, Any]:
    """Data for any id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


# Prompts ------------------------------------------------------------------------------------------


@server.prompt(requires=for_known("prompts:get", "prompts:test_simple_prompt"))
def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


@server.prompt
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two arguments.

    Args:
        arg1: The first
        arg2: The second
    """
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> PromptResult:
    """A prompt with a resource in it.

    Args:
        resourceUri: Which resource
    """
    return (
        PromptResult()
        .add_resource(resourceUri, text="Embedded resource content for testing.", mime_type="text/plain")
        .add_text("Please process the embedded resource above.")
    )


@server.prompt
def test_prompt_with_image() -> PromptResult:
    """A prompt with a picture in it."""
    return PromptResult().add_image(data=RED_DOT, format="png").add_text("Please analyze the image above.")


@server.prompt
def test_input_required_result_prompt(ctx: Context) -> str:
    """A prompt that asks the user before it is written."""
    answer = ctx.elicit("What context should the prompt use?", Purpose, key="user_context")
    return f"Use this context: {answer.data.context if answer.accepted else 'none'}"


@server.completion("test_prompt_with_arguments", "arg1")
@server.completion("test_prompt_with_arguments", "arg2")
def suggestions(typed: str) -> list[str]:
    return [word for word in ("paris", "park", "party", "test", "testing") if word.startswith(typed)]


@server.completion("test://template/{id}/data", "id")
def ids(typed: str) -> list[str]:
    return [id for id in ("1", "12", "123") if id.startswith(typed)]


# Changes ------------------------------------------------------------------------------------------


@server.tool
def test_trigger_tool_change() -> str:
    """Change the list of tools, for those who watch it."""

    @server.tool(replace=True)
    def test_changing_tool() -> str:
        """Stand in for a tool that comes and goes."""
        return "Here I am."

    return "The tools have changed."


@server.tool
def test_trigger_prompt_change() -> str:
    """Change the list of prompts, for those who watch it."""
    server.add_text_prompt("test_changing_prompt", "Here I am.", description="Comes and goes.", replace=True)
    return "The prompts have changed."


@server.tool
def test_trigger_resource_change(ctx: Context) -> str:
    """Change the watched resource, for those who watch it."""
    ctx.resource_updated("test://watched-resource")
    return "The watched resource has changed."


test_trigger_tool_change()
test_trigger_prompt_change()


if __name__ == "__main__":
    if len(sys.argv) > 1:  # an address, such as 127.0.0.1:8000
        server.run(http=sys.argv[1], auth=Tokens(f"http://{sys.argv[1]}/mcp"), anonymous=True)
    else:
        server.run()
