"""For observers of a server: the facts that they get, and an access log. See docs/how-to/observe.md."""

from ..protocol.facts import HttpFacts, RequestFacts, SessionFacts
from .access_log import ACCESS_LOGGER, log_access

__all__ = ["ACCESS_LOGGER", "HttpFacts", "RequestFacts", "SessionFacts", "log_access"]
