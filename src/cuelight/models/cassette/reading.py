"""From the bytes of a cassette to its takes, or to what is wrong with them and where."""

from typing import NoReturn

import msgspec

from cuelight.errors import CassetteRefused
from cuelight.log import Message
from cuelight.models.cassette.asked import Asked, Told, compact, labelled, newest_words
from cuelight.models.cassette.lines import (
    VERSION,
    DeclaredLine,
    Header,
    Line,
    MessageLine,
    RequestLine,
    StaticLine,
    ViewLine,
)
from cuelight.models.cassette.take import Call, End, Piece, Take, Words

__all__ = ["read"]

_LINES: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
_MERGE = (b"<<<<<<< ", b"=======", b">>>>>>> ", b"||||||| ")


class _Version(msgspec.Struct, frozen=True):
    """Read of a header only what every version of it has."""

    cassette: int


class _Draft:
    """Gather the lines of one take."""

    def __init__(self, request: RequestLine) -> None:
        self.request = request
        self.static: list[str] = []
        self.tools: list[DeclaredLine] = []
        self.messages: list[MessageLine] = []
        self.view: list[str] = []
        self.pieces: list[Piece] = []


class _Reader:
    """Read line by line.

    Args:
        source: the file's name, for messages.
        again: the command that records it anew, for messages.
    """

    def __init__(self, source: str, again: str | None) -> None:
        self._source = source
        self._again = again
        self._line = 0
        self._draft: _Draft | None = None
        self.header: Header | None = None
        self.takes: list[Take] = []

    def read(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            self._line += 1
            if not line.strip():
                continue
            if line.startswith(_MERGE):
                self._refuse("is the mark of a merge that is not resolved")
            if self.header is None:
                self.header = self._header(line)
                self._again = self._again or self.header.again
            else:
                self._take_in(self._decoded(line))
        if self.header is None:
            self._refuse("is the end of the file, which is empty")
        if self._draft is not None:
            self._refuse("is the end of the file, in the middle of a reply")

    def _header(self, line: bytes) -> Header:
        try:
            version = msgspec.json.decode(line, type=_Version).cassette
            if version != VERSION:
                self._refuse(f"says that the file has form {version}; this Cuelight reads form {VERSION}")
            return msgspec.json.decode(line, type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            self._refuse(f"is no header of a cassette ({problem})", problem)

    def _decoded(self, line: bytes) -> Line:
        try:
            return _LINES.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            self._refuse(f"is no line of a cassette ({problem})", problem)

    def _take_in(self, line: Line) -> None:
        if isinstance(line, RequestLine):
            if self._draft is not None:
                self._refuse("begins a request before the reply above has ended")
            self._draft = _Draft(line)
            return
        draft = self._draft
        if draft is None:
            self._refuse("belongs to no request; a line of type 'request' must come first")
        if isinstance(line, StaticLine):
            draft.static.append(line.text)
        elif isinstance(line, DeclaredLine):
            draft.tools.append(line)
        elif isinstance(line, MessageLine):
            draft.messages.append(line)
        elif isinstance(line, ViewLine):
            draft.view.append(line.text)
        elif isinstance(line, Words | Call):
            draft.pieces.append(line)
        else:
            self._end(draft, line)

    def _end(self, draft: _Draft, end: End) -> None:
        asked = self._asked(draft, self.takes[-1].asked if self.takes else Asked())
        self.takes.append(Take(asked, tuple(draft.pieces), end))
        self._draft = None

    def _asked(self, draft: _Draft, before: Asked) -> Asked:
        request = draft.request
        if len(draft.tools) != (request.declares or 0):
            self._refuse(f"ends a take with {len(draft.tools)} tools, of which it declares {request.declares or 0}")
        tools = before.tools if request.declares is None else tuple(map(_told, draft.tools))
        messages = self._kept(request) + tuple(
            Message(one.role, one.content, one.tool_calls, one.tool_call_id) for one in draft.messages
        )
        view = "\n".join(draft.view) if draft.view else before.view
        at = newest_words(messages) if request.view_at is None else request.view_at - 1
        return Asked(
            static="\n".join(draft.static) if draft.static else before.static,
            tools=tools,
            messages=messages,
            stage=request.stage,
            offered=self._offered(request, labelled(tools)),
            view=view,
            view_at=at if view else None,
            view_alone=request.view_alone,
        )

    def _kept(self, request: RequestLine) -> tuple[Message, ...]:
        if not self.takes and request.back == 1 and not request.kept:
            return ()
        if not 1 <= request.back <= len(self.takes):
            self._refuse(f"ends a take that goes on from {request.back} requests back, where there is none")
        messages = self.takes[-request.back].asked.messages
        if request.kept is None:
            return messages
        if not request.kept:
            return ()
        if len(request.kept) != 2 or not 1 <= request.kept[0] <= request.kept[1] <= len(messages):
            self._refuse(f"ends a take that keeps messages {list(request.kept)} of {len(messages)}")
        first, last = request.kept
        return messages[first - 1 : last]

    def _offered(self, request: RequestLine, labels: dict[str, Told]) -> tuple[Told, ...]:
        offered = []
        for one in request.offered:
            tool = labels.get(one) if isinstance(one, str) else _told(one)
            if tool is None:
                self._refuse(f"ends a take that offers {one!r}, which is none of its tools")
            offered.append(tool)
        return tuple(offered)

    def _refuse(self, problem: str, cause: Exception | None = None) -> NoReturn:
        how = f"record it again: {self._again}" if self._again else "record it again."
        message = f"{self._source} is refused: line {self._line} {problem}. Restore the file, or {how}"
        raise CassetteRefused(message) from cause


def read(data: bytes, source: str, *, again: str | None) -> tuple[Header, list[Take]]:
    """Read a whole cassette.

    Args:
        data: the bytes of its file.
        source: the file's name, for messages.
        again: the command that records it anew; None is the one in the file.

    Raises:
        CassetteRefused: when it is none, or damaged.
    """
    reader = _Reader(source, again)
    reader.read(data)
    assert reader.header is not None
    return reader.header, reader.takes


def _told(line: DeclaredLine) -> Told:
    return Told(line.name, line.description, compact(line.parameters))
