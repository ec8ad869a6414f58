"""Routes: where the conversation goes next."""

from cuelight.flow.routes import VALIDATED, DirectMessage, HttpContentType, Route, direct, go, stay

__all__ = ["VALIDATED", "DirectMessage", "HttpContentType", "Route", "direct", "go", "stay"]
