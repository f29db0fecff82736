"""`fastmcp.server.lifespan`."""

from ..joined_lifespan import ComposedLifespan, ContextManagerLifespan, Lifespan, lifespan

__all__ = ["ComposedLifespan", "ContextManagerLifespan", "Lifespan", "lifespan"]
