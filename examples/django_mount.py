"""A server next to a Django project, at /mcp; a complete project in one file.

Try it (pip install django):

    python examples/django_mount.py runserver --noreload
"""

import sys
from typing import Any

from django.conf import settings
from django.core.management import execute_from_command_line
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path

from plainmcp import Server

server = Server("library", "1.0.0")


@server.tool
def find(title: str) -> dict[str, str]:
    """Find a book on the shelves."""
    return {"title": title, "shelf": title[:1].upper()}


def front_page(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"library": "open"})


urlpatterns = [path("", front_page)]
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    ROOT_URLCONF=__name__,
    WSGI_APPLICATION=f"{__name__}.application",
)

# In a project of several files, this is its wsgi.py.
pages, mcp = get_wsgi_application(), server.wsgi()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    app = mcp if environ["PATH_INFO"].rstrip("/") == "/mcp" else pages
    return app(environ, start_response)


if __name__ == "__main__":
    execute_from_command_line(sys.argv)
