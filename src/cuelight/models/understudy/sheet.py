"""A cue sheet: what may be picked out of a caller's words, and what answers what."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from cuelight.agent import LANGUAGES, Agent, Tool
from cuelight.errors import CueSheetRefused
from cuelight.flow import tools_by_stage
from cuelight.models.understudy.lines import Line
from cuelight.models.understudy.reading import read
from cuelight.models.understudy.shapes import After, Cue, Opening, Slot, refusal
from cuelight.models.understudy.tables import near

__all__ = ["CueSheet", "misfit"]


@dataclass(frozen=True, kw_only=True)
class CueSheet:
    """Hold a cue sheet that was checked whole; make one with `load` or `loads`.

    Attributes:
        source: the file it came from.
        cues: what answers what is heard, the first that fits.
        afters: what is said after a tool, the first that fits.
        slots: what can be picked out of a caller's words, by name.
        language: in which a clear yes and a clear no are understood, where the caller is asked before a tool runs.
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
    language: str = LANGUAGES[0]

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

    def check(self, agent: type[Agent]) -> None:
        """Compare the sheet with the agent that it is for: with its tools, and with its stages or steps.

        Args:
            agent: the Agent or Flow class.

        Raises:
            CueSheetRefused: when it names a tool or a stage that the agent does not have, or has a cue that calls a
                tool where it is never visible, with an argument it does not take, or without one it needs; all that is
                wrong is named.
        """
        shown = tools_by_stage(agent)
        declared = dict.fromkeys(tool.name for tools in shown.values() for tool in tools)
        problems = [
            f"it names the tool {name!r}, which the agent does not have{near(name, declared) or _there_are(declared)}"
            for name in sorted(self.tools - declared.keys())
        ]
        stages = [stage for stage in shown if stage]
        problems.extend(
            f"{where}: the agent has no stage {stage!r}{near(stage, stages) or _there_are(stages)}"
            for where, stage in self._stages()
            if stage not in stages
        )
        problems.extend(f"{cue.label}: {wrong}" for cue in self.cues if (wrong := _never_fits(cue, shown)))
        problems.extend(self._misjudged(agent, [tool for tools in shown.values() for tool in tools]))
        if problems:
            raise refusal(self.source, problems)

    def _misjudged(self, agent: type[Agent], tools: Sequence[Tool]) -> Iterator[str]:
        """Say what of the sheet foresees answers that no caller of this agent is asked for, or not in its language."""
        guarded = {tool.name for tool in tools if tool.confirm is not None}
        for after in self.afters:
            if after.when.kind == "declined" and not after.tools <= guarded:
                names = ", ".join(sorted(after.tools - guarded))
                yield f"{after.label}: nobody is asked before {names}; give it `confirm=`, or leave `declined` out"
        declining = [cue.label for cue in self.cues if cue.declines]
        if declining and not guarded:
            yield f"{declining[0]}: `declines` is for an agent with a tool that has `confirm=`"
        if guarded and self.language != agent.language:
            theirs = agent.language
            yield f"it takes a yes and a no in {self.language!r}, the agent in {theirs!r}; write language = {theirs!r}"

    def _stages(self) -> Iterator[tuple[str, str]]:
        """Give the stages that the sheet names, each with where."""
        for scope in (*self.cues, *self.afters):
            for stage in sorted(scope.stages or ()):
                yield scope.label, stage
        for table, lines in (("ask", self.ask), ("fallback", self.fallback)):
            for stage in lines:
                if (table, stage) != ("fallback", "else"):
                    yield f"[{table}]", stage


def misfit(cue: Cue, parameters: Mapping[str, Any]) -> str | None:
    """Say why a cue's call is none of a tool that takes these parameters; None where it is."""
    known = parameters.get("properties", {})
    unknown = [name for name in cue.arguments if name not in known]
    missing = [name for name in parameters.get("required", ()) if name not in cue.arguments]
    if unknown:
        return f"{cue.call} takes no {', '.join(map(repr, unknown))}; it takes {', '.join(known) or 'no arguments'}"
    if missing:
        return f"{cue.call} needs {', '.join(map(repr, missing))}; give it in `with`"
    return None


def _never_fits(cue: Cue, shown: Mapping[str, Sequence[Tool]]) -> str | None:
    """Say why a cue's call can be made in none of the stages that the cue is for; None where it can be."""
    places = [(stage, tool) for stage, tools in shown.items() for tool in tools if tool.name == cue.call]
    if not places:
        return None
    there = [tool for stage, tool in places if cue.stages is None or stage in cue.stages]
    wrong = [misfit(cue, tool.spec.parameters) for tool in there]
    if wrong:
        return None if None in wrong else wrong[0]
    if cue.stages is not None and not cue.stages <= shown.keys():
        return None  # a stage that is not there is what is wrong
    return f"{cue.call} is never visible there, only in {' and '.join(dict.fromkeys(stage for stage, _ in places))}"


def _there_are(names: Iterable[str]) -> str:
    return f"; it has {', '.join(names) or 'none'}"
