"""What the engine needs from outside: a model, a store, a clock. Adapters implement these and nothing more."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from cuelight.log import Message, Private, Record
from cuelight.wire import Entry, ToolSpec

__all__ = [
    "CallInfo",
    "Clock",
    "Finished",
    "Lease",
    "Model",
    "ModelEvent",
    "ModelRequest",
    "Private",
    "Record",
    "Store",
    "TextDelta",
    "Timer",
    "ToolCallRequest",
    "Usage",
]

# --- models -----------------------------------------------------------------------------------------------------------


class TextDelta(msgspec.Struct, frozen=True, gc=False):
    """Carry the next words of a reply."""

    text: str


class ToolCallRequest(msgspec.Struct, frozen=True, gc=False):
    """Carry one whole tool call: adapters assemble fragments, so the engine never sees half a call.

    `id` is the provider's, or None where it gave none; `arguments` is the text the model wrote, which may be no JSON.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Count the tokens of one request."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_creation_tokens: int = 0
    reasoning_tokens: int = 0


class Finished(msgspec.Struct, frozen=True, gc=False):
    """Close a reply: the provider's reason, the usage, and the request's id where it has one.

    The reason is kept for the log and never decides anything: the calls of a reply are those that came.
    """

    reason: str = "stop"
    usage: Usage = Usage()
    request_id: str | None = None


ModelEvent = TextDelta | ToolCallRequest | Finished


class ModelRequest(msgspec.Struct, frozen=True):
    """Hold one request to a model.

    `history` is the engine's own list, handed over by reference: read it, never change it, and keep nothing that
    assumes it does not grow. `view` is the part of the prompt that changes; it belongs to the user message at index
    `view_at` of the history, or, where `view_alone` is true, is a user message of its own placed before that index.
    `tools` is every declared tool and stays the same for the whole call; `offered` is those callable now, in order. Of
    several tools of one name at most one is offered, and that is the one that a call of the name runs. `pending` is the
    calls that wait for the caller's yes, each by its id and its tool, the one that is asked about first.
    """

    static: str
    history: Sequence[Message]
    view: str
    view_at: int
    view_alone: bool
    tools: tuple[ToolSpec, ...]
    offered: tuple[ToolSpec, ...]
    stage: str | None = None
    pending: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, Any] = {}

    @property
    def visible(self) -> tuple[str, ...]:
        """The names of the tools that are callable now, in order."""
        return tuple(spec.name for spec in self.offered)

    def placed(self) -> list[Message]:
        """Give the messages with the view in its place, in a new list; the messages themselves are shared."""
        messages = list(self.history)
        if not self.view:
            return messages
        if self.view_alone:
            messages.insert(self.view_at, Message(role="user", content=self.view))
        else:
            spoken = messages[self.view_at]
            messages[self.view_at] = msgspec.structs.replace(spoken, content=f"{spoken.content}\n\n{self.view}")
        return messages


@runtime_checkable
class Model(Protocol):
    """Answer requests with streams of words and tool calls.

    A failed request raises `ModelFailed` (any other exception counts as one); an exception of the author's side, such
    as `ScriptRanOut`, passes through the engine unchanged. The stream is closed when the engine has had enough.
    """

    @property
    def name(self) -> str:
        """The model's name as its provider writes it."""
        ...

    @property
    def provider(self) -> str:
        """Who serves the model."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the model; the stream ends after its `Finished`."""
        ...


# --- stores -----------------------------------------------------------------------------------------------------------


class Lease(msgspec.Struct, frozen=True, gc=False):
    """Prove that an owner holds a call; the token grows with every owner, so an old one is refused."""

    call: str
    owner: str
    token: int


class CallInfo(msgspec.Struct, frozen=True, gc=False):
    """Say of a stored call what a list of calls shows; times are unix seconds."""

    call: str
    agent: str
    seq: int
    opened_at: float
    last_at: float
    ended: bool


class Store(Protocol):
    """Keep the logs of calls, and their private values beside them.

    Every adapter passes the same contract suite (`cuelight.testing.contracts`).
    """

    async def append(
        self, call: str, expected_seq: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> None:
        """Append records in one transaction: all of them or none.

        Their entries carry the seqs from `expected_seq + 1` on, without holes.

        Raises:
            SeqConflict: when the call's last entry is not `expected_seq`.
            LeaseLost: when `lease` is given and was released, or another owner has taken the call since.
            BadEntry: when an entry is ephemeral, of another call, or does not follow the one before it.
            StoreUnusable: when the medium refuses.
        """
        ...

    async def read(self, call: str, from_seq: int = 1) -> list[Record]:
        """Give the call's records from a seq on, in order; an unknown call has none."""
        ...

    async def calls(self) -> list[CallInfo]:
        """List the stored calls, newest activity first."""
        ...

    async def acquire(self, call: str, owner: str, *, seconds: float) -> Lease:
        """Lease a call (which need not exist yet) to one owner for that long, counted from now.

        Raises:
            CallIsOwned: when a living owner holds it.
        """
        ...

    async def renew(self, lease: Lease, *, seconds: float) -> None:
        """Prolong a lease.

        Raises:
            LeaseLost: when it was released, or another owner has taken the call since.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Let go of a call; a lease that was lost already is no error."""
        ...

    async def wait(self, call: str, after_seq: int) -> int:
        """Return the call's last seq as soon as it is beyond `after_seq`, also when another process appends."""
        ...

    async def erase(self, call: str, scrub: Callable[[Sequence[Record]], Sequence[Entry]]) -> int:
        """Delete a call's private values and put scrubbed entries in the places of its entries, in one transaction.

        `scrub` is given every record of the call and returns the entries that replace those of the same seq, and may
        add new ones at the end. It is a pure function: it may run in a thread, and more than once. Returns how many
        records had private values.

        Raises:
            CallNotFound: when there is no such call.
            CallIsOwned: when a living owner holds it.
        """
        ...

    async def close(self) -> None:
        """Let go of the medium; what was appended stays."""
        ...


# --- time -------------------------------------------------------------------------------------------------------------


class Timer(Protocol):
    """Stand for something that will be called later."""

    def cancel(self) -> None:
        """Call it off; afterwards, and after it was called, this does nothing."""
        ...


class Clock(Protocol):
    """Tell the time and call things later, so that tests can move it."""

    def now(self) -> float:
        """Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for durations."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back on the running loop after that many seconds."""
        ...
