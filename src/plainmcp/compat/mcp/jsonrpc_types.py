"""The types of the official SDK for whole messages, which transports pass on."""

from typing import Any

import msgspec

from .result_types import ErrorData
from .wire_model import Model

__all__ = ["JSONRPCError", "JSONRPCMessage", "JSONRPCNotification", "JSONRPCRequest", "JSONRPCResponse"]


class JSONRPCMessage(Model):
    """`JSONRPCMessage` of the SDK: `root` is a request, a notification, a response or an error."""

    jsonrpc: str = "2.0"

    def __new__(cls, root: Any = None, **values: Any) -> Any:
        """The message itself, which has no other object around it here."""
        return object.__new__(cls) if root is None else root

    def __init__(self, root: Any = None, **values: Any) -> None:
        if root is None:
            super().__init__(**values)

    @property
    def root(self) -> Any:
        """The message; in `mcp` 1 it is inside of another object."""
        return self

    @classmethod
    def model_validate(cls, value: Any, **options: Any) -> Any:
        """A message from a dict, of the class that its members show."""
        return value if isinstance(value, Model) else _kind_of(value)(**value)

    @classmethod
    def model_validate_json(cls, raw: str | bytes, **options: Any) -> Any:
        """A message from JSON, of the class that its members show."""
        return cls.model_validate(msgspec.json.decode(raw))


class JSONRPCRequest(JSONRPCMessage):
    """`JSONRPCRequest` of the SDK."""

    id: str | int
    method: str
    params: dict[str, Any] | None = None


class JSONRPCNotification(JSONRPCMessage):
    """`JSONRPCNotification` of the SDK."""

    method: str
    params: dict[str, Any] | None = None


class JSONRPCResponse(JSONRPCMessage):
    """`JSONRPCResponse` of the SDK."""

    id: str | int
    result: dict[str, Any]


class JSONRPCError(JSONRPCMessage):
    """`JSONRPCError` of the SDK."""

    id: str | int
    error: ErrorData


def _kind_of(message: dict[str, Any]) -> type[JSONRPCMessage]:
    if "method" in message:
        return JSONRPCRequest if "id" in message else JSONRPCNotification
    return JSONRPCError if "error" in message else JSONRPCResponse
