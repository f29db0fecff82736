"""`mcp.server.mcpserver.utilities.func_metadata`."""

from ....func_metadata import ArgModelBase, StrictJsonSchema
from ....func_metadata import NewerFuncMetadata as FuncMetadata

__all__ = ["ArgModelBase", "FuncMetadata", "StrictJsonSchema", "func_metadata"]

func_metadata = FuncMetadata.of_function
