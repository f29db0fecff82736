"""The server of the README that S003-01 to S003-71 come from, as one `Server`. Its files are in the current
directory."""
# ruff: noqa: RUF013 - the README's own signatures

from pathlib import Path

from pydantic import BaseModel

from plainmcp import PromptResult, ResourceResult, Server, ToolResult

__all__ = ["server"]

FILES = {
    "file.json": '{"test": "data", "version": "1.0"}',
    "weather_file.json": '{"temperature": 72, "condition": "sunny"}',
    "message.md": "You are a helpful assistant that can help with any questions.",
    "prompt.txt": "Create a user.",
}


class WeatherReport(BaseModel):
    temperature: float
    condition: str
    humidity: float


def server() -> Server:
    """The server, with everything the README registers."""
    for name, text in FILES.items():
        Path(name).write_text(text, "utf-8")
    server = Server("My MCP Server", "1.0.0", title="A title of the server.", policy="serializer", page_size=10)

    server.add_file(
        "file.json", "file:///path/to/file.json", title="File Resource Title", description="This is a file resource"
    )
    server.add_link(
        "https://example.com/image.png",
        title="Profile Image",
        mime_type="image/png",
        size=1024,
        description="This image can be used as a profile image for a user.",
    )

    @server.resource("resource/weather/{city}")
    def get_weather(city: str):
        """Get weather information for a given city

        Returns weather data for the specified city including temperature and conditions.
        """
        result = ResourceResult()
        result.add_text(f"today is cold in {city}", mime_type="text/plain", title="indicated cold/hot in the city")
        result.add_file("weather_file.json", uri="file:///path/to/weather_file.json")
        return result

    @server.tool
    def add_weather_data(city: str, temperature: float, wind_speed: float = None, humidity: float = None):
        """Add weather data for a given city

        This tool saves weather data to the database for a specific city.

        Args:
            city: The name of the city
            temperature: The temperature in Fahrenheit
            wind_speed: The wind speed in mph
            humidity: The humidity percentage
        """
        return f"Weather data for {city} added successfully"

    @server.tool
    def get_current_weather(city: str) -> WeatherReport:
        """Get current weather for a city

        Retrieves real-time weather information including temperature, condition, and humidity.

        Args:
            city: The name of the city
        """
        return WeatherReport(temperature=72.5, condition="sunny", humidity=65.0)

    @server.tool
    def get_weather_forecast(city: str, days: int = 3) -> ToolResult:
        """Get weather forecast for a city

        Provides a detailed weather forecast with text, data files, and resource links.

        Args:
            city: The name of the city
            days: Number of days to forecast (default: 3)
        """
        result = ToolResult()
        result.add_text(f"{days}-day forecast for {city}: Mostly sunny with temperatures around 70°F")
        result.add_file("file.json")
        result.add_link(
            "resource/weather/{city}",
            "get_weather",
            title="Get weather information for a given city",
            description="Returns weather data for the specified city including temperature and conditions.",
        )
        return result

    server.add_text_prompt(
        "greeting", "Hello, how are you?", title="Greeting a user and asking common questions", role="user"
    )
    server.add_file_prompt("create_user", "prompt.txt", description="Create a new user for any purpose.", role="user")

    @server.prompt
    def greeting_prompt(name: str):
        """Greeting prompt

        This prompt helps to greet a user.
        """
        result = PromptResult()
        result.add_text(f"Hello, {name}! How are you?", role="user")
        result.add_file_message("message.md")
        result.add_file("file.json")
        return result

    return server
