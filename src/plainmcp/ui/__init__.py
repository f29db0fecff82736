"""A page for people to try a server: static files, and the routes that serve them beside the endpoint."""

__all__: list[str] = []
