"""A project of Django whose tools django-mcp-server offers, over HTTP at a port of its own."""

from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="none",
    ALLOWED_HOSTS=["shop.example.com"],
    ROOT_URLCONF="mcp_server.urls",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "mcp_server"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    SESSION_ENGINE="django.contrib.sessions.backends.cache",
    DJANGO_MCP_GLOBAL_SERVER_CONFIG={"name": "shop", "instructions": "Buy tea."},
    LOGGING_CONFIG=None,
)

from mcp_server import MCPToolset, drf_publish_create_mcp_tool, mcp_server  # noqa: E402 - it reads the settings
from rest_framework import generics, serializers  # noqa: E402


class Shop(MCPToolset):
    def price(self, item: str, count: int = 1) -> dict[str, Any]:
        """The price of an item, and who asks for it."""
        return {"item": item, "count": count, "caller": self.request.headers.get("Authorization")}

    def _internal(self) -> None:
        """Not a tool."""


class ItemSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=5)

    def create(self, validated_data: Any) -> Any:
        return validated_data


@drf_publish_create_mcp_tool(instructions="Create an item.")
class CreateItem(generics.CreateAPIView):
    """Create an item."""

    serializer_class = ItemSerializer


@mcp_server.tool()
async def count(word: str) -> int:
    """Count the letters of a word."""
    return len(word)


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    django.setup()
    from django.core.wsgi import get_wsgi_application

    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    print("port", server.server_port, flush=True)
    server.serve_forever()
