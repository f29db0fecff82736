"""Pictures of Pillow, matplotlib and plotly as the bytes of an image file.

Knows how these packages write what they draw, and imports none of them. Knows nothing of content blocks.
"""

from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeAlias

from ..errors import NormalizeError

__all__ = ["PAINTERS", "Painter"]

Painter: TypeAlias = Callable[[Any, str | None], tuple[bytes, str]]
"""Gives the bytes of a picture and their MIME type, which is the requested one, if any; may raise any exception."""

PNG, JPEG = "image/png", "image/jpeg"

# Modes that PNG does not have, and the mode they are converted to without a visible loss.
_MODES = {
    "CMYK": "RGB", "HSV": "RGB", "LAB": "RGB", "RGBX": "RGB", "YCbCr": "RGB",
    "La": "LA", "PA": "RGBA", "RGBa": "RGBA",
}  # fmt: skip


def _paint_image(image: Any, mime: str | None) -> tuple[bytes, str]:
    """A PNG; an image that was opened from a JPEG file stays a JPEG, since a photograph is much larger as PNG."""
    file = BytesIO()
    if image.format == "JPEG" and image.mode in ("L", "RGB") and mime in (None, JPEG):
        image.save(file, format="jpeg", quality="keep")
        return file.getvalue(), JPEG
    _to_colours(image).save(file, format=_format_of(mime or PNG))
    return file.getvalue(), mime or PNG


def _to_colours(image: Any) -> Any:
    """An image in a mode that PNG has; raises NormalizeError for one whose numbers are not colours."""
    if image.mode in _MODES:
        return image.convert(_MODES[image.mode])
    if image.mode == "F" or (image.mode == "I" and not _has_16_bits(image)):
        raise NormalizeError(
            "$", f"an image of mode {image.mode} holds numbers, not colours; scale them to 0..255 and convert it to L"
        )
    if image.mode.startswith("I") and image.mode != "I;16":
        return image.convert("I").convert("I;16")
    return image


def _has_16_bits(image: Any) -> bool:
    least, most = image.getextrema()
    return bool(least >= 0 and most < 1 << 16)


def _paint_figure(figure: Any, mime: str | None) -> tuple[bytes, str]:
    """The whole figure, also where its axes or a figure inside it was returned, with what stands out of it."""
    while figure.figure is not figure:
        figure = figure.figure
    file = BytesIO()
    figure.savefig(file, format=_format_of(mime or PNG), bbox_inches="tight")
    return file.getvalue(), mime or PNG


def _refuse_part(part: Any, mime: str | None) -> tuple[bytes, str]:
    raise NormalizeError("$", f"{type(part).__name__} is part of a drawing; return the figure it is in")


def _paint_plotly(figure: Any, mime: str | None) -> tuple[bytes, str]:
    file_format = _format_of(mime or PNG)
    try:
        return figure.to_image(format=file_format), mime or PNG
    except Exception as error:
        problem = f"plotly cannot draw {type(figure).__name__} as {file_format} ({type(error).__name__}): "
        cure = "this needs the package kaleido and Chrome; to send data, return figure.to_plotly_json()"
        raise NormalizeError("$", problem + cure) from error


def _format_of(mime: str) -> str:
    """The name of a MIME type in these packages: svg for image/svg+xml."""
    return mime.partition(";")[0].strip().rpartition("/")[2].partition("+")[0].lower()


PAINTERS: dict[tuple[str, str], Painter] = {
    ("PIL", "Image"): _paint_image,
    ("matplotlib", "FigureBase"): _paint_figure,
    ("matplotlib", "_AxesBase"): _paint_figure,
    ("matplotlib", "Artist"): _refuse_part,
    ("plotly", "BaseFigure"): _paint_plotly,
}
"""By package and class: a function that draws a picture."""
