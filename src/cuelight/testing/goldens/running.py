"""Run a golden: the real engine, its turns one after another, judged by the log as it grows."""

import asyncio
import inspect
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from msgspec import UNSET

from cuelight.agent import Agent
from cuelight.engine import describe, make_agent
from cuelight.errors import AuthorError, CallEnded, ModelFailed
from cuelight.flow import tools_by_stage
from cuelight.models.script import Item, Script, answers, calls, raw_call
from cuelight.ports import Model
from cuelight.testing.goldens.failing import failure_text
from cuelight.testing.goldens.judging import Fault, judge_errors, judge_turn
from cuelight.testing.goldens.names import check_names, opening_state
from cuelight.testing.goldens.overall import judge_call
from cuelight.testing.goldens.reading import GoldenFile
from cuelight.testing.goldens.shape import Check, Golden, ScriptedCall, Turn
from cuelight.testing.goldens.source import Where
from cuelight.testing.goldens.window import START, Window
from cuelight.testing.rehearsal import Rehearsal, rehearse

__all__ = ["GoldenRun", "for_golden", "run_golden", "scripted"]

_NOON = 12 * 3600
_PATIENCE_S = 1.0
"""How long a turn may take in which the call's clock stands still."""


@dataclass
class GoldenRun:
    """Say how one run of a golden went."""

    name: str
    file: str
    model: str
    failure: str = ""
    """What broke, in words; empty where nothing did."""
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """The seconds of the wall clock that each turn took in which the model was asked."""
    log: list[Any] = field(default_factory=list, repr=False)
    """The stored entries, private values masked."""

    @property
    def passed(self) -> bool:
        """Tell whether everything came as expected."""
        return not self.failure


def for_golden(make: Callable[..., Agent], golden: Golden) -> Callable[[], Agent]:
    """Give what makes the golden's agent: a class or function that takes `today` is given the golden's day.

    Args:
        make: an Agent class, or a function that makes an instance.
        golden: whose call it is for.
    """
    what: object = make
    if not callable(what):
        return make  # who opens the call says what it is
    given: dict[str, Any] = {}
    if golden.today is not UNSET and "today" in inspect.signature(make).parameters:
        given["today"] = date.fromisoformat(golden.today)

    def made() -> Agent:
        try:
            return make(**given)
        except (AuthorError, TypeError):
            raise  # who opens the call says what these mean
        except Exception as error:  # the author's code: whatever it raises, the other goldens run
            raise AuthorError(f"the agent cannot be made: {describe(error)}") from error

    made.__name__ = getattr(make, "__name__", repr(make))
    return made


def scripted(golden: Golden) -> Script | None:
    """Give the model that the golden's file writes out, if it does."""
    if not isinstance(golden.model, list):
        return None
    items: list[Item] = []
    for reply in golden.model:
        pieces = [_piece(piece) for piece in (reply if isinstance(reply, list) else [reply])]
        items.append(pieces if isinstance(reply, list) else pieces[0])
    return Script(*items)


def _piece(piece: str | ScriptedCall) -> Any:
    if isinstance(piece, str):
        return piece
    if piece.fail is not UNSET:
        return ModelFailed(piece.fail)
    if piece.answer is not UNSET:
        return answers(piece.answer, tool=None if piece.tool is UNSET else piece.tool)
    assert piece.call is not UNSET
    if piece.raw is not UNSET:
        return raw_call(piece.call, piece.raw)
    return calls(piece.call, **({} if piece.args is UNSET else piece.args))


async def run_golden(read: GoldenFile, make: Callable[..., Agent], model: Model) -> GoldenRun:
    """Run a golden once.

    Args:
        read: the golden.
        make: an Agent class, or a function that makes an instance; one that takes `today` gets the golden's.
        model: what answers.

    Raises:
        GoldenRefused: when it names what the agent does not have; nothing has run then.
    """
    run = GoldenRun(read.golden.name, str(read.file), f"{model.provider}:{model.name}")
    factory = for_golden(make, read.golden)
    try:
        agent = make_agent(factory)
    except AuthorError as error:
        run.failure = failure_text(read, None, str(error), None, None)
        return run
    check_names(read, agent)
    began = time.perf_counter()
    await _Conversation(read, run, factory, model).hold()
    run.seconds = time.perf_counter() - began
    return run


class _Conversation:
    def __init__(self, read: GoldenFile, run: GoldenRun, factory: Callable[[], Agent], model: Model) -> None:
        self._read = read
        self._golden = read.golden
        self._run = run
        self._factory = factory
        self._model = model
        self._windows: list[Window] = []
        self._seq = 0

    async def hold(self) -> None:
        """Hold the conversation to its end, or to what breaks first."""
        golden, now = self._golden, None
        if golden.today is not UNSET:
            now = datetime.fromisoformat(golden.today).replace(tzinfo=UTC).timestamp() + _NOON
        rehearsal = rehearse(self._factory, self._model, state=opening_state(self._read) or None, now=now)
        try:
            async with rehearsal as call:
                await self._talk(call)
                self._run.log = call.log
        except AuthorError as error:  # of the script, the cassette or the agent itself
            self._run.failure = self._run.failure or self._told(None, str(error), None)

    async def _talk(self, call: Rehearsal[Agent]) -> None:
        shows: dict[str, list[str]] = {}
        for stage, tools in tools_by_stage(type(call.agent)).items():
            for tool in tools:
                shows.setdefault(tool.name, []).append(stage)
        await self._look(call)
        fault = None if _is_opening(self._golden.turns[0]) else self._errors((), ("opening",))
        for index, turn in enumerate(self._golden.turns):
            fault = fault or await self._turn(call, turn, ("turns", index), shows)
        fault = fault or judge_call(self._windows, self._golden.expect) or self._left_over()
        if fault is not None:
            self._run.failure = self._told(fault, None, call)

    async def _turn(
        self, call: Rehearsal[Agent], turn: Turn, where: Where, shows: Mapping[str, Sequence[str]]
    ) -> Fault | None:
        """Hold one turn; gives what broke in it."""
        began = time.perf_counter()
        try:
            await self._do(call, turn)
        except AuthorError as error:
            # What came otherwise than expected is why a recorded reply does not fit, and is told before that.
            fault = judge_turn(await self._look(call), turn.then, where, shows)
            if fault is None or fault.is_absence:
                return Fault(where, "the turn to run", str(error))
            return replace(fault, came=f"{fault.came}\n  then      {error}")
        except CallEnded:
            return Fault(where, "the call to go on", f"it had ended: {call.state.end_reason}")
        took = time.perf_counter() - began
        window = self._windows[-1] if _is_opening(turn) else await self._look(call)
        if window.requests:
            self._run.latencies.append(took)
        return judge_turn(window, turn.then, where, shows) or self._errors(turn.then, where)

    def _errors(self, checks: Sequence[Check], where: Where) -> Fault | None:
        return judge_errors(self._windows[-1], checks, where) if self._golden.expect.no_errors else None

    def _left_over(self) -> Fault | None:
        """Find replies of a written model that were not asked for."""
        unused = getattr(self._model, "unused", None)
        left = int(unused()) if callable(unused) else 0
        came = "1 was not" if left == 1 else f"{left} were not"
        return Fault(("model",), "all replies of the model to be asked for", came) if left else None

    async def _do(self, call: Rehearsal[Agent], turn: Turn) -> None:
        """Do what a turn says."""
        if turn.say is not UNSET:
            await self._until_done(call, call.say(turn.say))
        elif turn.event is not UNSET:
            await self._until_done(call, call.event(turn.event.name, turn.event.data))
        elif turn.wait is not UNSET:
            await call.advance(turn.wait)

    async def _until_done(self, call: Rehearsal[Agent], turn: Coroutine[Any, Any, object]) -> None:
        """Wait for a turn. One that takes long moves the call's clock as well, so that what hangs runs out of time."""
        task = asyncio.create_task(turn)
        try:
            while not (await asyncio.wait({task}, timeout=_PATIENCE_S))[0]:
                await call.advance(_PATIENCE_S)
            await task
        finally:
            task.cancel()

    async def _look(self, call: Rehearsal[Agent]) -> Window:
        """Take in what was stored since the last look."""
        records = await call.store.read(call.id, self._seq + 1)
        window = Window(records, call.live.secrets, self._windows[-1].after if self._windows else START)
        self._seq += len(records)
        self._windows.append(window)
        for entry in window.entries:
            if entry.type == "metrics.llm":
                self._run.requests += 1
                self._run.prompt_tokens += entry.data["prompt_tokens"]
                self._run.completion_tokens += entry.data["completion_tokens"]
        return window

    def _told(self, fault: Fault | None, error: str | None, call: Rehearsal[Agent] | None) -> str:
        return failure_text(self._read, fault, error, call, self._windows[-1] if self._windows else None)


def _is_opening(turn: Turn) -> bool:
    return turn.say is UNSET and turn.event is UNSET and turn.wait is UNSET
