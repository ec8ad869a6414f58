"""What a turn gives its caller."""

from typing import Any

import msgspec

from cuelight.flow import HttpContentType

__all__ = ["Reply", "default_type", "in_words"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what a turn gave its caller.

    `text` is everything spoken in the turn, by the model and by code, a line break between; of an interrupted turn,
    what was heard. `content` is what `direct` was given, None where the turn ended in the model's words.
    """

    text: str = ""
    content: Any = None
    content_type: HttpContentType = HttpContentType.TEXT
    interrupted: bool = False
    speech_id: str = ""


def default_type(content: Any) -> HttpContentType:
    """Give the type of content that was given none: words are text, any other value is JSON."""
    return HttpContentType.TEXT if content is None or isinstance(content, str) else HttpContentType.JSON


def in_words(content: Any) -> str:
    """Give content as it is spoken: words as they are, any other value as its JSON."""
    return content if isinstance(content, str) else msgspec.json.encode(content).decode()
