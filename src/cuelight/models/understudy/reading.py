"""From TOML to the parts of a cue sheet, with everything that is wrong on the way."""

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from typing import Any

from cuelight.agent import LANGUAGES
from cuelight.errors import CueSheetRefused
from cuelight.models.understudy.hearing import NO, YES, pattern
from cuelight.models.understudy.lines import Line
from cuelight.models.understudy.pieces import KINDS
from cuelight.models.understudy.shapes import After, Cue, Opening, Outcome, Slot, Trigger, lines_in, refusal
from cuelight.models.understudy.tables import IN_PATTERN, Tables, near

__all__ = ["read"]

_SHEET = ("about", "after", "ask", "cue", "fallback", "language", "opening", "slot", "today", "view", "words")
_SLOT = ("ask", "asked", "besides", "each", "from", "hears", "kind", "recall", "value", "values")
_CUE = (
    "answers", "ask", "asks", "call", "declines", "hears", "name", "once", "recall", "say", "stage", "unless", "view",
    "with",
)  # fmt: skip
_AFTER = ("asks", "each", "go_on", "most", "name", "once", "say", "stage", "tool", "view", "when")
_OUTCOMES = ("null", "empty", "error", "data", "declined")
_ALL_KINDS = (*KINDS, "one of", "choice")
_ALWAYS = {
    "ask": "the open question",
    "last": "the last answers of tools",
    "said": "what the agent said before",
    "stage": "the stage",
}
_SOMEWHERE = {
    "args": "the arguments of a call, in an [[after]]",
    "result": "the answer of a tool, in an [[after]]",
    "each": "the rows, in an [[after]] or the `ask` of a choice",
    "item": "a row, in an `each`",
    "yes": "that the caller agreed, in a pattern",
    "no": "that the caller did not agree, in a pattern",
}
# What a slot inside a longer pattern may be, before its kind reads it.
_SHAPES = {
    "name": r"[^\W\d_][\w'.-]*(?:\s+[^\W\d_][\w'.-]*){0,4}",
    "phone": r"[+\w][\w\s.()/-]*",
    "email": r"\S+@\S+",
    "number": r"\w+(?:[\s-]\w+)?",
}


def read(text: str, source: str) -> dict[str, Any]:
    """Read a sheet and give its parts by name.

    Raises:
        CueSheetRefused: with everything that is wrong.
    """
    try:
        sheet = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        hint = " Write patterns in single quotes: '\\d'." if "\\" in str(problem) else ""
        raise CueSheetRefused(f"{source} is no TOML: {problem}.{hint}") from problem
    reader = _Reader()
    parts = reader.sheet(sheet)
    if reader.problems:
        raise refusal(source, reader.problems)
    return {"source": source, **parts}


class _Reader(Tables):
    """Read the parts of a sheet."""

    def __init__(self) -> None:
        super().__init__()
        self.slots: dict[str, Slot] = {}
        self.view: dict[str, re.Pattern[str]] = {}

    def sheet(self, sheet: Mapping[str, Any]) -> dict[str, Any]:
        self.keys(sheet, "the sheet", _SHEET)
        tables = self.table(sheet, "the sheet", "slot")
        for name in (words := self.table(sheet, "the sheet", "words")):
            self.words[name] = self.alternatives(words, name, tables)
        self.view = {
            name: found
            for name, source in self.table(sheet, "the sheet", "view").items()
            if (found := self.telling(source, f"[view] {name}")) is not None
        }
        kinds = {name: table.get("kind", "") for name, table in tables.items() if isinstance(table, dict)}
        self.slots = {name: Slot(name=name, kind=kind) for name, kind in kinds.items()}  # known by name while reading
        self.slots = {name: self.slot(name, table) for name, table in tables.items()}
        cues = tuple(self.cue(table, number) for number, table in enumerate(self.tables(sheet, "cue"), 1))
        afters = tuple(self.after(table, number) for number, table in enumerate(self.tables(sheet, "after"), 1))
        self.once([cue.label for cue in cues] + [after.label for after in afters])
        today = sheet.get("today")
        return {
            "opening": self.opening(sheet.get("opening", "Hello. How can I help?")),
            "cues": cues,
            "afters": afters,
            "slots": self.slots,
            "fallback": self.by_stage(sheet, "fallback", self.says),
            "ask": self.by_stage(sheet, "ask", self.asks),
            "view": self.view,
            "today": None if today is None else self.telling(today, "today"),
            "about": self.text(sheet, "the sheet", "about") or "",
            "language": self.language(sheet),
        }

    def language(self, sheet: Mapping[str, Any]) -> str:
        """Read the language in which a yes and a no to a confirmation are understood."""
        language = self.text(sheet, "the sheet", "language") or LANGUAGES[0]
        if language not in LANGUAGES:
            self.wrong("the sheet", f"has language = {language!r}; there are {', '.join(LANGUAGES)}")
        return language

    def by_stage(
        self, sheet: Mapping[str, Any], key: str, read: Callable[[Any, str, Collection[str]], tuple[Line, ...]]
    ) -> dict[str, tuple[Line, ...]]:
        lines = self.table(sheet, "the sheet", key)
        return {stage: read(given, f"[{key}] {stage}", ()) for stage, given in lines.items()}

    def alternatives(self, words: Mapping[str, Any], name: str, slots: Collection[str]) -> str:
        where = f"[words] {name}"
        other = f"what [slot.{name}] finds" if name in slots else _SOMEWHERE[name] if name in ("yes", "no") else ""
        if other:
            self.wrong(where, f"has a name that means something else: {{{name}}} is {other}; give it another name")
        sources = [self.worded(source, where) for source in self.strings(words, where, name)]
        return f"(?:{'|'.join(source for source in sources if self.compiled(source, where, 'the pattern'))})"

    # --- the parts ----------------------------------------------------------------------------------------------------

    def slot(self, name: str, table: Any) -> Slot:
        where = f"slot {name!r}"
        if not isinstance(table, dict):
            self.wrong(where, f"is {table!r}; write a table [slot.{name}] with a kind")
            return Slot(name=name, kind="words")
        self.keys(table, where, _SLOT)
        others = {**dict.fromkeys(self.view, f"what [view] {name} finds in the prompt"), **_ALWAYS, **_SOMEWHERE}
        if name in others:
            self.wrong(
                where, f"has a name that means something else: {{{name}}} is {others[name]}; give it another name"
            )
        kind = table.get("kind")
        if kind not in _ALL_KINDS:
            self.wrong(where, f"is of the kind {kind!r}; there are {', '.join(_ALL_KINDS)}")
            kind = "words"
        for needed, of in (("values", "one of"), ("from", "choice")):
            if (kind == of) != (needed in table):
                self.wrong(where, f"needs `{needed}` if, and only if, it is of the kind {of!r}")
        if kind == "choice" and "besides" in table:
            self.wrong(where, "has `besides`, which is for the other kinds; a choice is made from the rows themselves")
        rows = self.text(table, where, "from" if kind == "choice" else "besides") or ""
        source, _, path = rows.partition(".")
        return Slot(
            name=name,
            kind=kind,
            ask=self.asks(table.get("ask", []), f"{where}, ask", ("each",) if kind == "choice" else ()),
            hears=tuple(
                found
                for source in self.strings(table, where, "hears")
                if (found := self.telling(source, where, pattern))
            ),
            values=self.values(table.get("values", {}), where),
            source=source or None,
            path=path,
            value=self.text(table, where, "value") or "",
            each=self.line(table["each"], f"{where}, each") if "each" in table else None,
            recall=self.flag(table, where, "recall", kind not in ("choice", "yes or no")),
            asked=self.flag(table, where, "asked", False),
        )

    def cue(self, table: Any, number: int) -> Cue:
        where = self.label(table, "cue", number, ("call", "say", "hears"))
        if not isinstance(table, dict):
            return Cue(label=where)
        self.keys(table, where, _CUE)
        triggers = tuple(
            trigger for source in self.strings(table, where, "hears") if (trigger := self.trigger(source, where))
        )
        groups = {group for trigger in triggers if trigger.words for group in trigger.words.groupindex}
        call = self.text(table, where, "call")
        arguments = self.arguments(table.get("with", {}), f"{where}, with")
        say = self.says(table.get("say", []), f"{where}, say", groups)
        if "with" in table and call is None:
            self.wrong(where, "has `with` and no `call`; name the tool it calls")
        if call is None and not say:
            self.wrong(where, "neither says nor calls anything; give it `say`, `call`, or both")
        for line in lines_in(arguments):
            self.known(line, f"{where}, with", groups)
            self.no_question(line, f"{where}, with")
        if not triggers:
            used = {blank.root for line in [*say, *lines_in(arguments)] for blank in line.blanks}
            triggers = tuple(Trigger(name) for name in self.slots if name in used)
            if not triggers and "hears" not in table:
                self.wrong(where, "would never be heard; say in `hears` what answers to it")
        recall = self.strings(table, where, "recall") if "recall" in table else None
        ask = {
            name: self.asks(lines, f"{where}, ask", {*groups, "each"})
            for name, lines in self.table(table, where, "ask").items()
        }
        for name in [*(recall or ()), *ask]:
            self.slot_named(name, where)
        return Cue(
            label=where,
            stages=self.stages(table, where),
            view=self.expression(table, where, "view"),
            once=self.expression(table, where, "once"),
            hears=triggers,
            unless=tuple(self.expressions(table, where, "unless")),
            answers=self.expression(table, where, "answers"),
            say=say,
            asks=self.slot_named(self.text(table, where, "asks"), where),
            call=call,
            arguments=arguments,
            recall=None if recall is None else frozenset(recall),
            ask=ask,
            declines=self.flag(table, where, "declines", False),
        )

    def after(self, table: Any, number: int) -> After:
        where = self.label(table, "after", number, ("tool",))
        if not isinstance(table, dict):
            return After(label=where, tools=frozenset())
        self.keys(table, where, _AFTER)
        tools = frozenset(self.strings(table, where, "tool"))
        if not tools:
            self.wrong(where, "names no tool; say in `tool` after which one it is said")
        say = self.says(table.get("say", []), f"{where}, say", ("args", "each", "result"))
        go_on = self.flag(table, where, "go_on", False)
        if not say and not go_on:
            self.wrong(where, "says nothing; give it `say`, or `go_on = true`")
        each = self.line(table["each"], f"{where}, each") if "each" in table else None
        most = table.get("most", 5)
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            self.wrong(where, f"has most = {most!r}; write how many rows are said, 1 or more")
        return After(
            label=where,
            stages=self.stages(table, where),
            view=self.expression(table, where, "view"),
            once=self.expression(table, where, "once"),
            tools=tools,
            when=self.outcome(table.get("when", {}), where),
            say=say,
            asks=self.slot_named(self.text(table, where, "asks"), where),
            each=each,
            most=most if isinstance(most, int) else 5,
            go_on=go_on,
        )

    def opening(self, given: Any) -> Opening:
        table = given if isinstance(given, dict) else {"say": given}
        self.keys(table, "opening", ("asks", "say"))
        say = self.says(table.get("say", []), "opening", ())
        if not say:
            self.wrong("opening", "says nothing; give it `say`")
        return Opening(say=say, asks=self.slot_named(self.text(table, "opening", "asks"), "opening"))

    def outcome(self, given: Any, where: str) -> Outcome:
        if isinstance(given, str):
            if given not in _OUTCOMES:
                self.wrong(where, f"has when = {given!r}; there are {', '.join(_OUTCOMES)}, and tables of fields")
            return Outcome(kind=given)
        if not isinstance(given, dict):
            self.wrong(where, f"has when = {given!r}; write one of {', '.join(_OUTCOMES)}, or a table of fields")
            return Outcome()
        says = self.expression(given, f"{where}, when", "says")
        fields = {
            path: self.compiled(value, where, path) if isinstance(value, str) else value
            for path, value in given.items()
            if path != "says"
        }
        return Outcome(says=says, fields=fields)

    def trigger(self, source: str, where: str) -> Trigger | None:
        alone = IN_PATTERN.fullmatch(source.strip())
        if alone and (alone[1] in self.slots or alone[1] in ("yes", "no")):
            return Trigger(alone[1])

        def expand(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.words:
                return self.words[name]
            if name in ("yes", "no"):
                return f"(?:{YES if name == 'yes' else NO})"
            slot = self.slots.get(name)
            if slot is None:
                self.wrong(where, f"hears {{{name}}}, which is no slot{near(name, self.slots)}")
                return ""
            spellings = "|".join(spelling.pattern for _, spelling in slot.values)
            return f"(?P<{name}>{spellings or _SHAPES.get(slot.kind, '.+')})"

        found = self.compiled(IN_PATTERN.sub(expand, source), where, "hears")
        return None if found is None else Trigger(None, found)

    def values(self, given: Any, where: str) -> tuple[tuple[Any, re.Pattern[str]], ...]:
        spellings = {value: value for value in given} if isinstance(given, list) else given
        if not isinstance(spellings, dict):
            self.wrong(where, "has values that are no list, and no table of spellings by value")
            return ()
        found: list[tuple[Any, re.Pattern[str]]] = []
        for value, spelled in spellings.items():
            for source in spelled if isinstance(spelled, list) else [spelled]:
                if (compiled := self.compiled(str(source), where, "values")) is not None:
                    found.append((value, compiled))
        return tuple(found)

    def arguments(self, given: Any, where: str) -> dict[str, Any]:
        if not isinstance(given, dict):
            self.wrong(where, "is no table; write with = { argument = value }")
            return {}
        return {name: self.argument(value, where) for name, value in given.items()}

    def argument(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            return self.line(value, where)
        if isinstance(value, dict):
            return {name: self.argument(inner, where) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.argument(inner, where) for inner in value]
        return value

    # --- names and lines ----------------------------------------------------------------------------------------------

    def slot_named(self, name: str | None, where: str) -> str | None:
        if name is not None and name not in self.slots:
            self.wrong(where, f"names {name!r}, which is no slot{near(name, self.slots)}")
        return name

    def says(self, given: Any, where: str, names: Collection[str]) -> tuple[Line, ...]:
        sources = [given] if isinstance(given, str) else given
        if not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
            self.wrong(where, f"is {given!r}; write a line, or a list of lines")
            return ()
        lines = tuple(self.line(source, where) for source in sources)
        for line in lines:
            self.known(line, where, names)
        return lines

    def asks(self, given: Any, where: str, names: Collection[str]) -> tuple[Line, ...]:
        lines = self.says(given, where, names)
        for line in lines:
            self.no_question(line, where)
        return lines

    def no_question(self, line: Line, where: str) -> None:
        """Refuse the open question in what that question is made of."""
        if any(blank.root == "ask" for blank in line.blanks):
            self.wrong(where, "has the blank {ask} in what the question is made of; write the words themselves")

    def known(self, line: Line, where: str, names: Collection[str]) -> None:
        known = {*_ALWAYS, *self.slots, *self.view, *names}
        for blank in line.blanks:
            if blank.root not in known:
                hint = near(blank.root, known) or f"; there are {', '.join(sorted(known))}"
                self.wrong(where, f"has the blank {{{blank.path}}}, which nothing fills{hint}")
