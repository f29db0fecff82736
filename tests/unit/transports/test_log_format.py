"""The log while a server runs: its level, and where the access log goes."""

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.transports.log_format import formatted_logs, shown_access_log
from plainmcp.transports.stdio import StdioPipes

ACCESS = "plainmcp.access"


@contextmanager
def unconfigured_logging() -> Iterator[io.StringIO]:
    """Logging as it is in a program that has not configured it, without pytest's handlers."""
    root, stderr = logging.getLogger(), io.StringIO()
    with mock.patch.object(root, "handlers", []), mock.patch.object(sys, "stderr", stderr):
        yield stderr


def levels() -> list[int]:
    assert logging.lastResort is not None
    return [logging.getLogger(name).level for name in ("", "plainmcp", ACCESS)] + [logging.lastResort.level]


def test_a_level_holds_while_it_serves() -> None:
    with unconfigured_logging() as plain_logging:
        before = levels()
        with formatted_logs("info"), formatted_logs("info"):
            logging.getLogger("plainmcp").info("one")
            logging.getLogger("mine").info("two")
            logging.getLogger("mine").debug("three")
        logging.getLogger("plainmcp").info("four")
        lines = plain_logging.getvalue().splitlines()
        assert [line.partition(" INFO ")[2] for line in lines] == ["plainmcp: one", "mine: two"]
        assert levels() == before


def test_a_higher_level_hides_warnings() -> None:
    with unconfigured_logging() as plain_logging:
        with formatted_logs("error"):
            logging.getLogger("plainmcp").warning("one")
            logging.getLogger("plainmcp").error("two")
        assert plain_logging.getvalue().count("\n") == 1


def test_without_a_level_warnings_are_logged() -> None:
    with unconfigured_logging() as plain_logging:
        with formatted_logs():
            logging.getLogger("plainmcp").info("one")
            logging.getLogger("plainmcp").warning("two")
        assert " WARNING plainmcp: two" in plain_logging.getvalue()
        assert "one" not in plain_logging.getvalue()


def test_a_program_with_handlers_keeps_its_own_level(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [logging.NullHandler()])
    before = root.level
    with formatted_logs("debug"):
        assert root.level == before
        assert logging.getLogger("plainmcp").level == logging.DEBUG
    assert logging.getLogger("plainmcp").level == logging.NOTSET


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(AuthorError, match="log_level is one of debug, info, warning, error, critical; not 'loud'"):
        Server("s").run(log_level="loud")  # type: ignore[arg-type]


def test_the_access_log_is_shown_even_if_only_errors_are_logged() -> None:
    with unconfigured_logging() as plain_logging:
        with formatted_logs("error"), shown_access_log(ACCESS, "json"):
            logging.getLogger(ACCESS).info('{"a": 1}')
        assert plain_logging.getvalue() == '{"a": 1}\n'
        assert logging.getLogger(ACCESS).handlers == []


def test_a_handler_of_the_program_gets_the_access_log() -> None:
    with unconfigured_logging() as plain_logging:
        lines: list[str] = []

        class Handler(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                lines.append(record.getMessage())

        logger = logging.getLogger(ACCESS)
        handler = Handler()
        logger.addHandler(handler)
        try:
            with shown_access_log(ACCESS, "plain"):
                logger.info("one")
        finally:
            logger.removeHandler(handler)
        assert (lines, plain_logging.getvalue()) == (["one"], "")


@pytest.mark.parametrize("format", ["plain", "json"])
def test_run_logs_requests_and_forgets_it_afterwards(format: Any) -> None:
    with unconfigured_logging() as plain_logging:
        server = Server("s")
        dispatch = server.dispatch
        lines = [b"", b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n']
        written: list[bytes] = []
        pipes = StdioPipes(lambda size: lines.pop(), written.append)
        server.run(streams=pipes, access_log=format)
        assert written == [b'{"jsonrpc":"2.0","id":1,"result":{}}\n']
        (line,) = plain_logging.getvalue().splitlines()
        assert (" INFO plainmcp.access: ping ok " if format == "plain" else '"method": "ping"') in line
        assert (server.observers, server.dispatch) == ((), dispatch)
