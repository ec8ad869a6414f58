"""A provider on loopback that answers as it is told to: OpenAI's chat streaming and Anthropic's messages streaming."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self


@dataclass
class Received:
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class Answer:
    """One answer: a status, then pieces of a body.

    `end` says how the body ends: properly, by dropping the connection in the middle of it, or not at all.
    """

    pieces: Sequence[bytes] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    end: Literal["properly", "dropped", "never"] = "properly"


@dataclass
class StubProvider:
    """Serve on a free port of 127.0.0.1 for the length of an `async with`.

    `answers` are given one a request, in order; the last one is given again and again.
    """

    answers: list[Answer] = field(default_factory=list)
    requests: list[Received] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._open: dict[asyncio.Task[Any] | None, asyncio.StreamWriter] = {}
        host, port = self._server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        still_open = dict(self._open)
        for writer in still_open.values():
            writer.transport.abort()
        await asyncio.gather(*filter(None, still_open))
        await self._server.wait_closed()

    def answer(self, *answers: Answer) -> None:
        self.answers = list(answers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open[asyncio.current_task()] = writer
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.hung_up.set()
        finally:
            del self._open[asyncio.current_task()]
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append(Received(head[0].split(" ")[1], headers, body))
        self.asked.set()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        writer.write(
            f"HTTP/1.1 {answer.status} Stub\r\n"
            f"Content-Type: {answer.content_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        for piece in answer.pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
        if answer.end == "never":
            await reader.readexactly(1)  # until the client hangs up
        if answer.end == "dropped":
            writer.write(b"40\r\nda")
            await writer.drain()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def failure(status: int, message: str = "no", **more: Any) -> Answer:
    """An HTTP error, as both providers write one."""
    error = {"type": "error", "error": {"message": message, **more}}
    return Answer([json.dumps(error).encode()], status=status, content_type="application/json")


# --- OpenAI's chat completions ----------------------------------------------------------------------------------------


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a chat completion; without a delta it has no choice."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": choices}
    return f"data: {json.dumps(body | more)}\n\n".encode()


def call_chunk(*fragments: dict[str, Any], content: str | None = None) -> bytes:
    """One chunk with fragments of calls, each given by `index`, `id`, `name` and `arguments`."""
    calls = []
    for fragment in fragments:
        call: dict[str, Any] = {key: fragment[key] for key in ("index", "id") if key in fragment}
        function = {key: fragment[key] for key in ("name", "arguments") if key in fragment}
        calls.append(call | ({"function": function, "type": "function"} if function else {}))
    return chunk({"tool_calls": calls} | ({} if content is None else {"content": content}))


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 80},
    "completion_tokens_details": {"reasoning_tokens": 5},
}
DONE = b"data: [DONE]\n\n"


def openai(
    *pieces: str | bytes | dict[str, Any], finish: str | None = "stop", usage: dict[str, Any] | None = None
) -> Answer:
    """A chat completion: words, ready chunks, and fragments of calls (a dict is a chunk of its own)."""
    body = [chunk({"role": "assistant", "content": ""})]
    for piece in pieces:
        if isinstance(piece, bytes):
            body.append(piece)
        else:
            body.append(chunk({"content": piece}) if isinstance(piece, str) else call_chunk(piece))
    if finish is not None:
        body.append(chunk({}, finish))
    body.append(chunk(usage=usage or USAGE))
    return Answer([*body, DONE])


# --- Anthropic's messages ---------------------------------------------------------------------------------------------


def event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def anthropic(
    *blocks: str | tuple[str, str, Iterable[str]] | dict[str, Any], finish: str | None = "end_turn"
) -> Answer:
    """A message: words, calls as (id, name, pieces of the arguments), and thinking as {"thinking": ...}."""
    usage = {"input_tokens": 20, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 10, "output_tokens": 1}
    message = {"id": "msg_7", "type": "message", "role": "assistant", "model": "stub", "content": [], "usage": usage}
    body = [event("message_start", message=message | {"stop_reason": None, "stop_sequence": None})]
    for index, block in enumerate(blocks):
        if isinstance(block, str):
            start: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": f"{word} "} for word in block.split(" ")]
            deltas[-1]["text"] = deltas[-1]["text"].rstrip()
        elif isinstance(block, dict):
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        else:
            start = {"type": "tool_use", "id": block[0], "name": block[1], "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in block[2]]
        body.append(event("content_block_start", index=index, content_block=start))
        body.extend(event("content_block_delta", index=index, delta=delta) for delta in deltas)
        body.append(event("content_block_stop", index=index))
    if finish is not None:
        delta = {"stop_reason": finish, "stop_sequence": None}
        body.append(event("message_delta", delta=delta, usage={"output_tokens": 20}))
        body.append(event("message_stop"))
    return Answer(body)
