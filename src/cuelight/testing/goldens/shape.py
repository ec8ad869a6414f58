"""What a golden is made of: the shapes that its file is read into, and their JSON Schema."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

__all__ = [
    "Check",
    "ConfirmCheck",
    "Event",
    "Expect",
    "Golden",
    "ReplyCheck",
    "RouteCheck",
    "ScriptedCall",
    "ScriptedReply",
    "Turn",
    "golden_schema",
]

Words = str | list[str]


class Event(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that happens outside, as `call.event` takes it."""

    name: str
    data: dict[str, Any] = {}


class ReplyCheck(Struct, frozen=True, forbid_unknown_fields=True):
    """What was said in a turn, by code and model, each once and in order; capitals and spacing make no difference."""

    says: Words = []
    """All of this is said."""
    says_any: list[str] = []
    """One of these is."""
    not_: Words = field(default=[], name="not")
    """Nothing of this is."""
    matches: str | UnsetType = UNSET
    """A regular expression that finds something in it."""


class RouteCheck(Struct, frozen=True, forbid_unknown_fields=True):
    """A route that a handler returned; what is left out may be anything."""

    kind: Literal["go", "stay", "direct"] | UnsetType = UNSET
    from_: str | UnsetType = field(default=UNSET, name="from")
    to: str | UnsetType = UNSET
    applied: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    feedback: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    state: dict[str, Any] | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    message: Any = UNSET


class ConfirmCheck(Struct, frozen=True, forbid_unknown_fields=True):
    """A question that is put to the caller before a guarded tool runs, or what becomes of it.

    Words are compared as in `reply`.
    """

    tool: str
    status: Literal["asked", "granted", "declined"]
    phrase: Words = []
    """What the question says, where it is asked."""
    said: Words = []
    """What the caller said that settled it."""
    reason: Literal["no", "timeout", "changed", "cancelled"] | UnsetType = UNSET
    """Why it was declined."""


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that must happen; it names one of these, and a tool may have `args` and a `result`."""

    tool: str | UnsetType = UNSET
    """This tool runs; one that is guarded runs once the caller has said yes."""
    args: dict[str, Any] | UnsetType = UNSET
    """Of its arguments, at least these."""
    result: Any = UNSET
    """What it gives: of an object at least these members."""
    no_tool: Literal[True] | UnsetType = UNSET
    """No tool runs in the turn."""
    confirm: ConfirmCheck | UnsetType = UNSET
    """The caller is asked for a yes, or has given or refused it."""
    refused: str | UnsetType = UNSET
    """A call of this tool is answered without running it."""
    stage: str | UnsetType = UNSET
    """The conversation is in this stage."""
    step: str | UnsetType = UNSET
    """The conversation is in this step."""
    state: dict[str, Any] | UnsetType = UNSET
    """The state holds at least this."""
    visible: list[str] | UnsetType = UNSET
    """Exactly these tools are visible."""
    reply: ReplyCheck | UnsetType = UNSET
    """What is said in the turn."""
    route: RouteCheck | UnsetType = UNSET
    """A handler returns this route."""
    error: str | UnsetType = UNSET
    """An error entry has this code."""
    end: bool | str | UnsetType = UNSET
    """The call ends, for this reason where one is written."""
    nothing_else: Literal[True] | UnsetType = UNSET
    """No tool, refusal, question, error or end happens in the turn that its checks do not name."""


class Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """What the caller says, what happens outside or how time passes, and what must come of it.

    A first turn with `then` alone is the opening of the call.
    """

    say: str | UnsetType = UNSET
    event: Event | UnsetType = UNSET
    wait: float | UnsetType = UNSET
    """Seconds."""
    then: list[Check] = []


class Expect(Struct, frozen=True, forbid_unknown_fields=True):
    """What must hold of the call as a whole."""

    tools: list[str] = []
    """These tools have run, in this order; others may have between them."""
    not_tools: list[str] = []
    """None of these has run."""
    state: dict[str, Any] = {}
    """At the end the state holds at least this."""
    says: Words = []
    not_: Words = field(default=[], name="not")
    never_visible: list[str] = []
    never_without_yes: list[str] = []
    """None of these has run unless its question was spoken, and then answered with a yes."""
    max_model_requests: int | UnsetType = UNSET
    no_errors: bool = True
    """No stopped loop, refused tool or error entry that its turn does not name."""


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call of a scripted reply, an answer to what the caller was asked, or with `fail` its failure."""

    call: str | UnsetType = UNSET
    args: dict[str, Any] | UnsetType = UNSET
    raw: str | UnsetType = UNSET
    """The arguments as text, which may be no JSON, in the place of `args`."""
    answer: Literal["yes", "no", "other"] | UnsetType = UNSET
    """What the model takes the caller to have answered, when they were asked for a yes."""
    tool: str | UnsetType = UNSET
    """Whose question that `answer` is to, where several are open."""
    fail: str | UnsetType = UNSET
    """The request fails with these words."""


ScriptedReply = str | ScriptedCall | list[str | ScriptedCall]


class Golden(Struct, frozen=True, forbid_unknown_fields=True):
    """One conversation, and what must happen in it."""

    name: str
    turns: list[Turn]
    schema: str | UnsetType = field(default=UNSET, name="$schema")
    about: str = ""
    """What it is there for, in words."""
    agent: str | UnsetType = UNSET
    """Whose it is, where the folder does not say."""
    state: dict[str, Any] | str | UnsetType = UNSET
    """The state that the call opens in, or the name of the stage or step alone; laid over what `on_call` leaves."""
    today: str | UnsetType = UNSET
    """The day on which the conversation takes place, as in 2026-12-01."""
    expect: Expect = Expect()
    model: list[ScriptedReply] | str | UnsetType = UNSET
    """What answers: replies, one a request; or "understudy", "cassette" or provider:name."""


def golden_schema() -> dict[str, Any]:
    """Give the JSON Schema of a golden, for editors to complete."""
    schema = msgspec.json.schema(Golden)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A golden of Cuelight", **schema}
