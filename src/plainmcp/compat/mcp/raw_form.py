"""A form of the official SDK's sessions: its schema is sent as it is, and the answer is not compared with it."""

from typing import Any, ClassVar

from ...questions import Elicit, Elicited, Question

__all__ = ["RawForm"]


class RawForm(Question, frozen=True, kw_only=True):
    """A form for the user to fill in; the answer may have anything in it."""

    method: ClassVar[str] = Elicit.method
    message: str
    schema: dict[str, Any]

    @property
    def needs(self) -> dict[str, Any]:
        """The client capability that the question needs."""
        return {"elicitation": {"form": {}}}

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision."""
        return {"mode": "form", "message": self.message, "requestedSchema": self.schema}

    def read(self, answer: Any) -> Elicited[Any]:
        """The answer as the user gave it; raises InvalidParams for an answer that is none."""
        action = Elicit(message=self.message, schema=self.schema).read(answer).action
        return Elicited(action, answer.get("content") if action == "accept" else None)
