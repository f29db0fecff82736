"""`fastmcp.server.elicitation`."""

from ..context import AcceptedElicitation, CancelledElicitation, DeclinedElicitation

__all__ = ["AcceptedElicitation", "CancelledElicitation", "DeclinedElicitation"]
