"""`mcp.types`: the types of the protocol, with the names of `mcp` 1 and of `mcp` 2.

>>> TextContent(type="text", text="hello").model_dump(exclude_none=True)
{'type': 'text', 'text': 'hello'}
>>> ToolAnnotations(read_only_hint=True).readOnlyHint
True
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from ...revisions import HTTP_DEFAULT, LATEST_HANDSHAKE
from .content_types import *
from .model import Uri
from .request_types import *
from .result_types import *

LATEST_PROTOCOL_VERSION = LATEST_HANDSHAKE.name
DEFAULT_NEGOTIATED_VERSION = HTTP_DEFAULT.name

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CONNECTION_CLOSED = -32000
URL_ELICITATION_REQUIRED = -32042

AnyUrl: TypeAlias = Uri
AnyFunction: TypeAlias = Callable[..., Any]
ProgressToken: TypeAlias = str | int
RequestId: TypeAlias = str | int
Cursor: TypeAlias = str
