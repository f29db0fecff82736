"""`mcp.server.fastmcp.utilities.func_metadata`."""

from ....func_metadata import ArgModelBase, FuncMetadata, StrictJsonSchema

__all__ = ["ArgModelBase", "FuncMetadata", "StrictJsonSchema", "func_metadata"]

func_metadata = FuncMetadata.of_function
