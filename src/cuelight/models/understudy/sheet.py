"""A cue sheet: what may be picked out of a caller's words, and what answers what."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from cuelight.errors import CueSheetRefused
from cuelight.models.understudy.lines import Line
from cuelight.models.understudy.reading import read
from cuelight.models.understudy.shapes import After, Cue, Opening, Slot, refusal
from cuelight.wire import ToolSpec

__all__ = ["CueSheet"]


@dataclass(frozen=True, kw_only=True)
class CueSheet:
    """Hold a cue sheet that was checked whole; make one with `load` or `loads`.

    Attributes:
        source: the file it came from.
        cues: what answers what is heard, the first that fits.
        afters: what is said after a tool, the first that fits.
        slots: what can be picked out of a caller's words, by name.
    """

    source: str
    opening: Opening
    cues: tuple[Cue, ...]
    afters: tuple[After, ...]
    slots: Mapping[str, Slot]
    fallback: Mapping[str, tuple[Line, ...]]
    ask: Mapping[str, tuple[Line, ...]]
    view: Mapping[str, re.Pattern[str]]
    today: re.Pattern[str] | None = None
    about: str = ""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a cue sheet from a file.

        Raises:
            CueSheetRefused: when the file cannot be read, or anything in it is wrong; all that is wrong is named.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise CueSheetRefused(f"{path} cannot be read as a cue sheet: {problem}.") from problem
        return cls.loads(text, source=str(path))

    @classmethod
    def loads(cls, text: str, *, source: str = "cues.toml") -> Self:
        """Read a cue sheet from its text; `source` names it in refusals.

        Raises:
            CueSheetRefused: when anything in it is wrong; all that is wrong is named.
        """
        return cls(**read(text, source))

    @cached_property
    def asking(self) -> Mapping[str, Sequence[re.Pattern[str]]]:
        """For each slot, the shapes of the lines that ask for it."""
        speakers: list[Opening | Cue | After] = [self.opening, *self.cues, *self.afters]
        asking: dict[str, list[re.Pattern[str]]] = {}
        for name, slot in self.slots.items():
            lines = [*slot.ask, *(line for cue in self.cues for line in cue.ask.get(name, ()))]
            lines.extend(line for speaker in speakers if speaker.asks == name for line in speaker.say)
            asking[name] = [line.shape() for line in lines]
        return asking

    @property
    def tools(self) -> frozenset[str]:
        """The tools that the sheet names."""
        called = {cue.call for cue in self.cues if cue.call is not None}
        chosen = {slot.source for slot in self.slots.values() if slot.source is not None}
        return frozenset(called | chosen).union(*(after.tools for after in self.afters))

    def check(self, tools: Iterable[ToolSpec]) -> None:
        """Compare the sheet with the tools an agent declares.

        Raises:
            CueSheetRefused: when it names a tool the agent does not have, or calls one with an argument it does not
                take or without one it needs.
        """
        declared: dict[str, list[ToolSpec]] = {}
        for spec in tools:
            declared.setdefault(spec.name, []).append(spec)
        problems = [
            f"it names the tool {name!r}, which the agent does not have; it has {', '.join(declared) or 'none'}"
            for name in sorted(self.tools - declared.keys())
        ]
        for cue in self.cues:
            specs = declared.get(cue.call or "", ())
            wrong = [problem for spec in specs if (problem := _misfit(cue, spec.parameters))]
            if specs and len(wrong) == len(specs):
                problems.append(f"{cue.label}: {wrong[0]}")
        if problems:
            raise refusal(self.source, problems)


def _misfit(cue: Cue, parameters: Mapping[str, Any]) -> str | None:
    known = parameters.get("properties", {})
    unknown = [name for name in cue.arguments if name not in known]
    missing = [name for name in parameters.get("required", ()) if name not in cue.arguments]
    if unknown:
        return f"{cue.call} takes no {', '.join(map(repr, unknown))}; it takes {', '.join(known) or 'no arguments'}"
    if missing:
        return f"{cue.call} needs {', '.join(map(repr, missing))}; give it in `with`"
    return None
