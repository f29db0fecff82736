"""What programs read of FastMCP and of its servers: the version, the settings, and what clients are shown (D5)."""

from pathlib import Path

import plainmcp.compat.fastmcp as fastmcp
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp.server.fastmcp import FastMCP as FastMCP1
from plainmcp.types import Icon


def test_the_package_has_a_version_and_settings_with_a_folder_for_data() -> None:
    """D5. Programs compare the version, and keep tokens in the folder."""
    assert fastmcp.__version__ == "4.1.6"
    settings = fastmcp.settings
    assert isinstance(settings.home, Path) and settings.home.name == "fastmcp"
    assert settings.home.is_relative_to(Path.home())
    assert (settings.mask_error_details, settings.show_server_banner, settings.transport) == (False, True, "stdio")
    assert settings.model_dump()["home"] == settings.home


def test_a_server_shows_what_clients_are_shown() -> None:
    """D5. Also the server inside a `FastMCP` of mcp 1."""
    icon = Icon(src="https://shop.example/icon.png")
    mcp = FastMCP("shop", website_url="https://shop.example", icons=[icon], strict_input_validation=True)
    assert (mcp.website_url, mcp.icons, mcp.strict_input_validation) == ("https://shop.example", [icon], True)
    plain = FastMCP("plain")
    assert (plain.website_url, plain.icons, plain.strict_input_validation) == (None, [], False)
    inner = FastMCP1("shop", website_url="https://shop.example", icons=[icon])._mcp_server
    assert inner.website_url == "https://shop.example" and inner.icons[0].src == icon.src
