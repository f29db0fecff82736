"""How the caller of a request is found: verifiers of every kind, several at once, and what is remembered."""

import asyncio
import threading
import time
from typing import Any

import pytest

from plainmcp import Context, Server
from plainmcp.auth import Keys, Principal, Unavailable
from plainmcp.errors import AuthorError, OptionError
from plainmcp.transports import callers_async
from plainmcp.transports.http import authentication
from plainmcp.transports.http.headers import Headers
from plainmcp.transports.http.protection import protect
from protected import ADA, APPS, BOB, KEYS, ask, call, initialize, mount, notes


def known(token: str) -> Principal | None:
    return Principal(subject=token) if token in ("ada", "bob") else None


async def known_later(token: str) -> Principal | None:
    await asyncio.sleep(0)
    return known(token)


class Awaited:
    """A callable object whose method returns an awaitable."""

    def verify(self, token: str) -> Any:
        return known_later(token)


@pytest.mark.parametrize("kind", APPS)
@pytest.mark.parametrize("verify", [known, known_later, Awaited(), [known], (known_later,)])
def test_a_verifier_is_a_function_of_a_token(kind: str, verify: Any) -> None:
    server = notes()

    @server.tool
    def who(ctx: Context) -> str:
        return str(ctx.principal.subject)

    app = mount(kind, server, auth=verify)
    assert call(app, "ada", "who", x=1).json["result"]["isError"]  # the arguments are checked as always
    assert call(app, "ada", method="tools/call", tool="who").status == 200
    assert (call(app).status, call(app, "eve").status) == (401, 401)


@pytest.mark.parametrize("kind", APPS)
def test_several_verifiers_are_asked_in_their_order(kind: str) -> None:
    app = mount(kind, notes(), auth=[Keys({ADA: "ada"}), known, Keys({BOB: "bob"})])
    assert [call(app, token).status for token in (ADA, BOB, "ada", "eve")] == [200, 200, 200, 401]


@pytest.mark.parametrize("kind", APPS)
def test_one_that_cannot_answer_does_not_refuse_what_another_knows(kind: str) -> None:
    def fail(token: str) -> Principal:
        raise Unavailable("the issuer is down")

    app = mount(kind, notes(), auth=[fail, known])
    assert [call(app, token).status for token in ("ada", "eve")] == [200, 503]


@pytest.mark.parametrize("kind", APPS)
def test_anonymous_callers_may_be_allowed(kind: str) -> None:
    server = notes()

    @server.tool
    def who(ctx: Context) -> str:
        return repr(ctx.principal)

    app = mount(kind, server, auth=Keys(KEYS), anonymous=True)
    answer = call(app, method="tools/call", tool="echo")
    assert answer.status == 200
    assert call(app, "wrong-0123456789").status == 401  # a token that is sent has to be good
    assert ask(app, {}, {"authorization": "Basic YTpi"}).status == 400


@pytest.mark.parametrize("value", [3, "key", [], Keys, {"a": 1}])
def test_something_else_is_not_a_verifier(value: Any) -> None:
    with pytest.raises(AuthorError):
        notes().asgi(auth=value)


def test_auth_and_principal_are_not_given_together() -> None:
    with pytest.raises(OptionError, match="both say who is calling"):
        notes().asgi(auth=known, principal=lambda scope: "ada")
    with pytest.raises(OptionError, match=r"anonymous=True goes with auth="):
        notes().wsgi(anonymous=True)
    with pytest.raises(OptionError, match="goes with http="):
        notes().run(auth=known)


@pytest.mark.parametrize("kind", APPS)
def test_what_is_not_a_principal_is_a_fault_of_the_server(kind: str, caplog: Any) -> None:
    app = mount(kind, notes(), auth=lambda token: {"sub": token})
    assert call(app, "ada").status == 503
    assert "returns a Principal or None, not dict" in caplog.text


@pytest.mark.parametrize("kind", APPS)
def test_permission_error_is_a_refusal(kind: str) -> None:
    def refuse(token: str) -> Principal:
        raise PermissionError

    assert call(mount(kind, notes(), auth=refuse), "ada").status == 401


# What is remembered -------------------------------------------------------------------------------


class Counting:
    """A verifier that counts how often it is asked."""

    def __init__(self, **facts: Any) -> None:
        self.count = 0
        self.version = 0
        self.expires: float | None = None
        vars(self).update(facts)

    def verify(self, token: str) -> Principal | None:
        self.count += 1
        return None if token.startswith("bad") else Principal(subject=token, expires=self.expires)


@pytest.mark.parametrize("kind", APPS)
def test_a_token_is_verified_once_until_it_expires(kind: str) -> None:
    now = [1000.0]
    verifier = Counting(expires=1060.0)
    app = mount(kind, notes(now=lambda: now[0]), auth=verifier)
    for _ in range(3):
        assert call(app, "ada").status == 200
    assert verifier.count == 1
    now[0] = 1059.99
    assert (call(app, "ada").status, verifier.count) == (200, 1)
    now[0] = 1060.0
    assert (call(app, "ada").status, verifier.count) == (401, 2)  # never later, even if the verifier does not notice


def test_without_an_expiry_a_token_is_verified_each_time() -> None:
    verifier = Counting()
    app = notes().asgi(auth=verifier)
    assert [call(app, "ada").status for _ in range(3)] == [200] * 3 and verifier.count == 3


def test_a_verifier_may_limit_how_long_it_is_not_asked() -> None:
    now = [1000.0]
    verifier = Counting(expires=9999.0, cache_seconds=30, refusal_seconds=5)
    app = notes(now=lambda: now[0]).asgi(auth=verifier)
    statuses = [call(app, token).status for token in ("ada", "ada", "bad", "bad")]
    assert (statuses, verifier.count) == ([200, 200, 401, 401], 2)
    now[0] = 1005.0
    call(app, "bad")
    call(app, "ada")
    assert verifier.count == 3
    now[0] = 1030.0
    call(app, "ada")
    assert verifier.count == 4


def test_what_was_verified_is_forgotten_when_the_verifier_changes() -> None:
    verifier = Counting(expires=1e12, refusal_seconds=60)
    app = notes().asgi(auth=verifier)
    call(app, "ada"), call(app, "bad")
    verifier.version += 1
    call(app, "ada"), call(app, "bad")
    assert verifier.count == 4


def test_little_is_kept_and_no_token(monkeypatch: Any) -> None:
    monkeypatch.setattr(authentication, "MAX_KNOWN", 10)
    verifier = Counting(expires=1e12, refusal_seconds=60)
    protection = protect(notes(), verifier)
    for number in range(100):
        for token in (f"ada{number}", f"bad{number}"):
            found = protection.authentication.begin(Headers([(b"authorization", f"Bearer {token}".encode())]))
            assert isinstance(found, authentication.Verification)
            source = next(found.steps)
            with pytest.raises(StopIteration):
                found.steps.send(source.verify(found.token))
    kept = vars(protection.authentication)
    assert len(kept["_known"]) == len(kept["_refused"]) == 10
    assert all(isinstance(key, bytes) and len(key) == 32 for key in (*kept["_known"], *kept["_refused"]))


def test_requests_with_one_new_token_verify_it_together() -> None:
    verifier = Counting(expires=1e12)
    original = verifier.verify

    def slow(token: str) -> Principal | None:
        time.sleep(0.05)
        return original(token)

    verifier.verify = slow  # type: ignore[method-assign]
    app = notes().asgi(auth=verifier)

    async def all_at_once() -> list[int]:
        from mounted import modern, speak

        body, headers = modern("tools/call", name="echo", arguments={"text": "hi"})
        headers["authorization"] = "Bearer ada"
        return [one.status for one in await asyncio.gather(*(speak(app, body, headers) for _ in range(60)))]

    assert asyncio.run(all_at_once()) == [200] * 60
    assert verifier.count <= 2 * callers_async.MAX_THREADS


def test_verifiers_that_hang_take_no_thread_of_the_tools_and_are_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(callers_async, "MAX_WAITING", 20)
    monkeypatch.setattr(callers_async, "VERIFY_SECONDS", 0.5)
    release = threading.Event()

    def hang(token: str) -> Principal | None:
        if token != "ada":
            release.wait(10)
        return known(token)

    app = notes(threads=1).asgi(auth=[Keys({ADA: "ada"}), hang])

    async def flood() -> tuple[list[int], int, float]:
        from mounted import modern, speak

        body, headers = modern("tools/call", name="echo", arguments={"text": "hi"})
        eve = [asyncio.create_task(speak(app, body, {**headers, "authorization": f"Bearer e{n}"})) for n in range(40)]
        await asyncio.sleep(0.1)
        started = time.monotonic()
        good = await speak(app, body, {**headers, "authorization": f"Bearer {ADA}"})
        took = time.monotonic() - started
        return [(await task).status for task in eve], good.status, took

    try:
        statuses, good, took = asyncio.run(flood())
    finally:
        release.set()
    assert (set(statuses), good) == ({503}, 200) and took < 0.4


# Sessions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", APPS)
def test_a_session_belongs_to_its_principal(kind: str) -> None:
    app = mount(kind, notes(), auth=Keys(KEYS))
    headers = initialize(app, ADA)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    other = {**headers, "authorization": f"Bearer {BOB}"}
    assert ask(app, ping, headers).status == 200
    assert ask(app, ping, other).status == 404
    assert ask(app, ping, {**headers, "authorization": "Basic x"}).status == 401
    assert ask(app, None, other, "DELETE").status == 404
    assert ask(app, ping, headers).status == 200


@pytest.mark.parametrize("kind", APPS)
def test_a_new_token_of_the_same_user_keeps_the_session_and_brings_its_scopes(kind: str) -> None:
    server = Server("s", "1")

    @server.tool(requires="write")
    def write() -> str:
        return "done"

    app = mount(
        kind, server, auth=lambda token: Principal("https://a", "ada", "app", frozenset(token.split("-")), {}, 1e12)
    )
    headers = initialize(app, "read")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "write"}}
    assert ask(app, message, headers).status == 403
    answer = ask(app, message, {**headers, "authorization": "Bearer read-write"})
    assert answer.json["result"]["content"] == [{"type": "text", "text": "done"}]
    assert ask(app, message, headers).status == 403


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("kind", APPS)
def test_a_verifier_that_tries_to_exit_fails_its_request_only(kind: str, is_async: bool) -> None:
    def leave(token: str) -> Principal:
        raise SystemExit(1)

    async def leave_later(token: str) -> Principal:
        raise SystemExit(1)

    app = mount(kind, notes(), auth=[Keys({ADA: "ada"}), leave_later if is_async else leave])
    assert [call(app, token).status for token in ("eve", ADA)] == [503, 200]


def test_an_address_that_sends_invented_tokens_leaves_threads_to_others() -> None:
    release = threading.Event()

    def slow(token: str) -> Principal | None:
        if token.startswith("eve"):
            release.wait(10)
        return known(token)

    app = notes().asgi(auth=slow)

    async def flood() -> tuple[int, float]:
        from mounted import modern, speak

        body, headers = modern("tools/call", name="echo", arguments={"text": "hi"})

        def at(address: str) -> Any:
            async def send_from(scope: Any, receive: Any, send: Any) -> None:
                await app({**scope, "client": (address, 1)}, receive, send)

            return send_from

        eve = [
            asyncio.create_task(speak(at("10.0.0.1"), body, {**headers, "authorization": f"Bearer eve{number}"}))
            for number in range(30)
        ]
        await asyncio.sleep(0.1)
        started = time.monotonic()
        good = await speak(at("10.0.0.2"), body, {**headers, "authorization": "Bearer ada"})
        took = time.monotonic() - started
        release.set()
        assert {(await task).status for task in eve} == {401}
        return good.status, took

    status, took = asyncio.run(flood())
    assert status == 200 and took < 1


# What is not there --------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_auth_nothing_of_it_is_loaded_and_keys_load_no_joserfc() -> None:
    import subprocess
    import sys

    code = """
import sys
from plainmcp import Server
server = Server("s", "1")
server.tool(lambda: 1, name="one")
server.asgi(), server.wsgi(), server.asgi(path="/mcp")
loaded = [name for name in sys.modules if "auth" in name or name.startswith(("plainmcp.transports.callers", "jose"))]
assert not loaded, loaded
from plainmcp.auth import Keys
server.asgi(auth=Keys({"k" * 16: "ada"}))
assert "joserfc" not in sys.modules and "http.client" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_no_token_and_no_claim_reaches_a_log_or_an_answer(caplog: Any) -> None:
    """R26-AUTH-14: with all loggers at their lowest level, an access log, and a server in which everything fails."""
    import logging

    from plainmcp.observe import log_access

    caplog.set_level(logging.DEBUG)
    server = Server("s", "1", observe=log_access("json"))
    canary, claim = "canary-0123456789abcdef", "claim-of-the-canary"

    @server.tool
    def fail(ctx: Context) -> str:
        raise ValueError(ctx.principal)

    @server.tool(requires="more")
    def refuse() -> str:
        return "never"

    def verify(token: str) -> Principal | None:
        if "broken" in token:
            raise LookupError(f"no such thing: {token}")
        if "down" in token:
            raise Unavailable(f"the issuer does not answer to {token}") from LookupError(token)
        return Principal("https://a", "ada", claims={"secret": claim}) if token == canary else None

    written = b""
    for kind in APPS:
        app = mount(kind, server, auth=verify)
        for token in (canary, f"{canary}-bad", f"{canary}-broken", f"{canary}-down"):
            for tool in ("fail", "refuse", "missing"):
                answer = call(app, token, tool)
                written += answer.body + str(answer.headers).encode()
        written += ask(app, b"{", {"authorization": f"Bearer {canary}"}).body
        written += ask(app, {}, {"authorization": f"Bearer {canary} {canary}"}).body
    for text in (canary, claim):
        assert text not in caplog.text and text.encode() not in written
    assert "ada" in caplog.text  # the access log names the caller
    assert "LookupError: its text is left out" in caplog.text and "Unavailable: its text is left out" in caplog.text
