"""Routes: where the conversation goes next."""

from .routes import VALIDATED, DirectMessage, HttpContentType, Route, direct, go, stay

__all__ = ["VALIDATED", "DirectMessage", "HttpContentType", "Route", "direct", "go", "stay"]
