"""`mcp.server.elicitation`."""

from ..context import AcceptedElicitation, AcceptedUrlElicitation, CancelledElicitation, DeclinedElicitation

__all__ = ["AcceptedElicitation", "AcceptedUrlElicitation", "CancelledElicitation", "DeclinedElicitation"]
