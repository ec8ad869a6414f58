"""Every error Cuelight raises, grouped by who must act on it.

    CuelightError
    |-- AuthorError            the code of an agent is wrong: its author mends it
    |   |-- DeclarationRefused     a class was declared in a way that could not work
    |   |-- NotAStage              a stage outside the class's Literal
    |   |-- WrongType              a value that its field's annotation does not admit
    |   |-- UndeclaredField        a write to a name that is no field
    |   |-- OutsideHandler         state or call touched where no handler is open
    |   |-- StepNotDefined         a route to a step that the flow does not register
    |   |-- StageIsRouted          a write to the stage of a flow, which routes move
    |   |-- ScriptRefused          a test's script holds what no model could reply
    |   |-- ScriptCheckFailed      an assert in a test's script failed
    |   |-- ScriptRanOut           a test's script has no reply left
    |   |-- CueSheetRefused        a cue sheet that cannot be read
    |   |-- CassetteRefused        a file that is no cassette, or a damaged one
    |   |-- CassetteMissed         a request that a cassette has no reply to
    |   |-- GoldenRefused          a golden that cannot be read, or does not fit its agent
    |   `-- AgentNotLoaded         a file that cannot be imported, or holds no agent
    |-- ModelError             the model did not do its part: the engine retries, then speaks for it
    |   |-- ToolFailed             raised by a tool: its words are for the model to read
    |   |-- ModelFailed            a request to a model failed
    |   `-- ModelTooSlow           a request to a model ran out of time
    |-- CallerError            what was asked of a call cannot be done: whoever asked changes the question
    |   |-- CallEnded              the call is over
    |   |-- CallNotFound           no such call in the store
    |   |-- NoSuchEntry            no such entry in the log of a call
    |   |-- LogDamaged             bytes that are no log
    |   |-- BadEntry               one entry that is none
    |   |-- AgentNotFound          no agent where one was named
    |   `-- BadInput               what was typed or given cannot be used
    `-- OperatorError          the surroundings are wrong: whoever runs it mends them
        |-- SeqConflict            somebody else wrote to the call
        |-- CallIsOwned            another process holds the call
        |-- LeaseLost              the call was taken over
        |-- StoreUnusable          the store cannot be opened, read or written
        |   `-- StoreDamaged           what it holds is not what was written
        `-- NotSetUp               a setting, an extra or a file is missing

Each class has a `code` that never changes, so programs can tell errors apart without reading sentences.
"""

from collections.abc import Sequence
from typing import ClassVar

__all__ = [
    "AgentNotFound", "AgentNotLoaded", "AuthorError", "BadEntry", "BadInput", "CallEnded", "CallIsOwned",
    "CallNotFound", "CallerError", "CassetteMissed", "CassetteRefused", "CueSheetRefused", "CuelightError",
    "DeclarationRefused", "GoldenRefused", "LeaseLost", "LogDamaged", "ModelError", "ModelFailed", "ModelTooSlow",
    "NoSuchEntry", "NotAStage", "NotSetUp", "OperatorError", "OutsideHandler", "ScriptCheckFailed", "ScriptRanOut",
    "ScriptRefused", "SeqConflict", "StageIsRouted", "StepNotDefined", "StoreDamaged", "StoreUnusable",
    "ToolFailed", "UndeclaredField", "WrongType",
]  # fmt: skip


class CuelightError(Exception):
    """Root of every error that Cuelight raises on purpose."""

    code: ClassVar[str] = "cuelight"


# --- the author of an agent -------------------------------------------------------------------------------------------


class AuthorError(CuelightError):
    """An agent's code is wrong; its author mends it."""

    code = "author"


class DeclarationRefused(AuthorError, TypeError):
    """Refuse a class, with everything that is wrong with it.

    Raised when the class is created, never later. `owner` is the class's name, `problems` one sentence each.
    """

    code = "declaration-refused"

    def __init__(self, owner: str, problems: Sequence[str]) -> None:
        self.owner = owner
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            super().__init__(f"{owner} is refused: {self.problems[0]}")
        else:
            lines = "".join(f"\n  - {problem}" for problem in self.problems)
            super().__init__(f"{owner} is refused, {len(self.problems)} problems:{lines}")


class NotAStage(AuthorError, ValueError):
    """Refuse a stage that the class's `Literal` does not hold."""

    code = "not-a-stage"

    def __init__(self, owner: str, value: object, stages: Sequence[str], *, where: str | None = None) -> None:
        self.owner = owner
        self.value = value
        self.stages = tuple(stages)
        place = f" ({where})" if where else ""
        listed = ", ".join(map(repr, self.stages))
        held = f"Its stages are {listed}." if listed else "It declares none: add `stage: Literal[...] = ...` to it."
        super().__init__(f"{value!r} is no stage of {owner}{place}. {held}")


class WrongType(AuthorError, TypeError):
    """Refuse a value that the annotation of its field does not admit."""

    code = "wrong-type"

    def __init__(
        self, owner: str, field: str, expected: str, value: object, *, where: str | None = None, detail: str = ""
    ) -> None:
        self.owner = owner
        self.field = field
        self.expected = expected
        self.got = type(value).__name__
        self.where = where
        by = f"{where} writes" if where else "a write of"
        more = f": {detail}" if detail else ""
        super().__init__(f"{owner}.{field} holds {expected}; {by} a value of type {self.got}, refused{more}.")


class UndeclaredField(AuthorError, AttributeError):
    """Refuse a write to a public name that is no field of the class."""

    code = "undeclared-field"

    def __init__(
        self, owner: str, name: str, fields: Sequence[str], *, where: str | None = None, advice: str | None = None
    ) -> None:
        self.owner = owner
        self.field = name
        self.fields = tuple(fields)
        listed = ", ".join(self.fields) or "none"
        by = f"{where} writes it" if where else "a write was refused"
        advice = advice or f"Declare it in the class (`{name}: ... = ...`), or call it `_{name}` if it is no state."
        super().__init__(f"{owner} has no field {name!r}; {by}. Its fields: {listed}. {advice}")


class OutsideHandler(AuthorError, RuntimeError):
    """Refuse a change of a live call from outside the handler that may make it."""

    code = "outside-handler"


class StepNotDefined(AuthorError, LookupError):
    """Refuse a route to a step that the flow does not register."""

    code = "step-not-defined"

    def __init__(self, step: str, flow: str) -> None:
        self.step = step
        self.flow = flow
        super().__init__(f"Step {step!r} is not defined in flow {flow!r}.")


class StageIsRouted(AuthorError, AttributeError):
    """Refuse to write the stage of a flow: its current step is moved by a route."""

    code = "stage-is-routed"

    def __init__(self, flow: str) -> None:
        moved = "which only a route moves. Return it from a handler, as in `return go(NextStep)`."
        super().__init__(f"{flow}.stage is the name of the current step, {moved}")


class ScriptRefused(AuthorError, TypeError):
    """Refuse an item of a test's script that is no reply of a model."""

    code = "script-refused"


class ScriptCheckFailed(AuthorError, AssertionError):
    """Say that an `assert` in a test's script failed."""

    code = "script-check-failed"


class ScriptRanOut(AuthorError, AssertionError):
    """Say that the model was asked more often than its script has replies."""

    code = "script-ran-out"


class CueSheetRefused(AuthorError, ValueError):
    """Refuse a cue sheet, naming the file, the cue and what to write instead."""

    code = "cue-sheet-refused"


class GoldenRefused(AuthorError, ValueError):
    """Refuse a golden's file, with everything that is wrong with it, before anything runs.

    `file` is the file's name, `problems` are sentences, each with the line it is about where there is one.
    """

    code = "golden-refused"

    def __init__(self, file: str, problems: Sequence[str]) -> None:
        self.file = file
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            super().__init__(f"The golden {file} is refused: {self.problems[0]}.")
        else:
            listed = "".join(f"\n  - {problem}." for problem in self.problems)
            super().__init__(f"The golden {file} is refused, {len(self.problems)} problems:{listed}")


class CassetteRefused(AuthorError, ValueError):
    """Refuse a file that is no cassette or a damaged one, naming the line, what is wrong with it and what to do."""

    code = "cassette-refused"


class CassetteMissed(AuthorError, AssertionError):
    """Say that a request is not the one a cassette has the reply to, with the first difference and what to do."""

    code = "cassette-missed"


class AgentNotLoaded(AuthorError, ImportError):
    """Say that a file or module cannot be imported or gives no agent, with the place in the author's code."""

    code = "agent-not-loaded"


# --- the model --------------------------------------------------------------------------------------------------------


class ModelError(CuelightError):
    """The model's side of a turn failed."""

    code = "model"


class ToolFailed(ModelError):
    """Raise this in a tool to fail with words that the model shall read.

    Any other exception reaches the model as a generic failure, without its text.
    """

    code = "tool-failed"


class ModelFailed(ModelError):
    """Say that a request to a model failed.

    `retryable` tells whether asking again can help: a refused key cannot, a dropped connection can.
    """

    code = "model-failed"

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        self.retryable = retryable
        super().__init__(message)


class ModelTooSlow(ModelFailed):
    """Say that a request to a model ran out of time."""

    code = "model-too-slow"


# --- whoever asks something of a call ---------------------------------------------------------------------------------


class CallerError(CuelightError):
    """What was asked cannot be done."""

    code = "caller"


class CallEnded(CallerError):
    """Refuse anything said to a call that is over."""

    code = "call-ended"

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"Call {call!r} has ended; open a new one.")


class CallNotFound(CallerError, LookupError):
    """Say that the store holds no such call."""

    code = "call-not-found"

    def __init__(self, call: str, *, where: str = "this store") -> None:
        self.call = call
        super().__init__(f"There is no call {call!r} in {where}. `cuelight log list` names those there are.")


class NoSuchEntry(CallerError, LookupError):
    """Say that a log holds no such entry."""

    code = "no-such-entry"

    def __init__(self, seq: int, *, last: int) -> None:
        self.seq = seq
        self.last = last
        there_is = f"its entries are numbered 1 to {last}" if last else "it is empty"
        super().__init__(f"The log has no entry {seq}: {there_is}.")


class LogDamaged(CallerError, ValueError):
    """Say that bytes are not a whole log: where and how not.

    `line` counts from 1 (None in a JSON array that is broken as a whole), `byte` from 0.
    """

    code = "log-damaged"

    def __init__(self, message: str, *, line: int | None = None, byte: int | None = None) -> None:
        self.line = line
        self.byte = byte
        super().__init__(message)


class BadEntry(CallerError, ValueError):
    """Say that a piece of JSON is no entry, shape or command of the wire, and where it differs."""

    code = "bad-entry"


class AgentNotFound(CallerError, LookupError):
    """Say that there is no agent where one was named, and where it was looked for."""

    code = "agent-not-found"


class BadInput(CallerError, ValueError):
    """Refuse what was given to a command: a name, a file or a piece of JSON that cannot be used as it is."""

    code = "bad-input"


# --- whoever runs it --------------------------------------------------------------------------------------------------


class OperatorError(CuelightError):
    """The surroundings are wrong; whoever runs Cuelight mends them."""

    code = "operator"


class SeqConflict(OperatorError):
    """Say that an append expected another last entry than the call has."""

    code = "seq-conflict"

    def __init__(self, call: str, expected: int, actual: int) -> None:
        self.call = call
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"Call {call!r} stands at entry {actual}, not {expected}: somebody else wrote to it. "
            "Read it again from there, then append."
        )


class CallIsOwned(OperatorError):
    """Refuse a call that a living owner holds."""

    code = "call-is-owned"

    def __init__(self, call: str, owner: str, seconds: float) -> None:
        self.call = call
        self.owner = owner
        self.seconds = seconds
        super().__init__(
            f"Call {call!r} is held by {owner} for another {seconds:.0f} s unless it lets go. "
            "End it there, or try again after that."
        )


class LeaseLost(OperatorError):
    """Say that a call was taken over, so this owner may no longer write."""

    code = "lease-lost"

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"Call {call!r} was taken over by another owner; nothing more can be written from here.")


class StoreUnusable(OperatorError):
    """Say that a store cannot be opened, read or written, and what to do."""

    code = "store-unusable"


class StoreDamaged(StoreUnusable):
    """Say which part of a store is not what was written to it."""

    code = "store-damaged"


class NotSetUp(OperatorError):
    """Say that a setting, an extra or a file is missing, and how to add it."""

    code = "not-set-up"
