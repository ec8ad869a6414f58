"""What the command line says around a conversation: who answers, how it ended, what can be done now."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET

from cuelight.cli.naming import command_line
from cuelight.cli.session import Session
from cuelight.cli.transcript import seconds
from cuelight.models import Understudy
from cuelight.wire import State

__all__ = ["closing_lines", "opening_lines"]


def opening_lines(session: Session) -> Iterator[str]:
    """Say which call this is, and who answers in it."""
    found = session.asked.found
    again = f", taken up after entry {session.resumed_at}" if session.resumed_at else ""
    yield f"{found.name} · {session.call.id}{again}"
    model = session.model
    if isinstance(model, Understudy):
        yield f"The Understudy answers. It is no model: it knows what {_shown(found.sheet)} says, and nothing else."
        yield "A real model: CUELIGHT_MODEL=openai:gpt-5-mini (any provider:name), and the provider's key."
    else:
        yield f"{model.provider}:{model.name} answers."


def closing_lines(session: Session) -> Iterator[str]:
    """Say how the call ended, and how to read it or take it up."""
    state = session.call.state
    call = session.call.id
    store = session.asked.store
    if state.status == "ended":
        yield f"The call has ended ({state.end_reason}): {', '.join(_sums(state))}."
    if not session.is_kept:
        yield "It was kept in memory, and is gone now."
        return
    if state.status != "ended":
        yield "The call is open. To take it up again:"
        yield f"  {command_line(*session.asked.command, '--resume', call, store=store)}"
    yield f"  {command_line('log', 'show', call, store=store)}"
    yield f"  {command_line('log', 'state', call, store=store)}"


def _sums(state: State) -> Iterator[str]:
    turns = sum(turn.role == "user" for turn in state.turns)
    yield f"{turns} turn{'' if turns == 1 else 's'}"
    if state.started_at is not None and state.ended_at is not None:
        yield seconds(state.ended_at - state.started_at)
    tokens = 0
    for usage in state.usage:
        for name in ("input_tokens", "output_tokens"):
            counted = getattr(usage, name, UNSET)
            tokens += counted if isinstance(counted, int) else 0
    if tokens:
        yield f"{tokens:,} tokens"


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else Path(file.parent.name, file.name))
