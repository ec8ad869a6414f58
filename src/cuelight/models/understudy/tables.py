"""Tables of TOML, read with care: what is wrong in them is noted, and reading goes on."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from cuelight.models.understudy.hearing import pattern
from cuelight.models.understudy.lines import Line

__all__ = ["IN_PATTERN", "Tables", "near"]

IN_PATTERN = re.compile(r"\{([^\W\d]\w*)\}")
"""A name in braces: in a pattern, what stands for it is put in its place."""

T = TypeVar("T")


class Tables:
    """Read values of tables; a value of the wrong kind becomes a problem and its default."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.words: dict[str, str] = {}

    def wrong(self, where: str, what: str) -> None:
        self.problems.append(f"{where} {what}")

    def keys(self, table: Mapping[str, Any], where: str, allowed: Collection[str]) -> None:
        for key in table:
            if key not in allowed:
                hint = near(key, allowed) or f"; it may have {', '.join(sorted(allowed))}"
                self.wrong(where, f"has {key!r}, which means nothing there{hint}")

    def label(self, table: Any, kind: str, number: int, hints: Iterable[str]) -> str:
        if not isinstance(table, dict):
            self.wrong(f"{kind} {number}", f"is {table!r}; write a table [[{kind}]]")
            return f"{kind} {number}"
        name = table.get("name")
        if isinstance(name, str):
            return f"{kind} {name!r}"
        hint = next((str(table[key]) for key in hints if key in table), "")
        return f"{kind} {number} ({hint})" if hint else f"{kind} {number}"

    def once(self, labels: list[str]) -> None:
        for label in sorted({label for label in labels if labels.count(label) > 1}):
            self.wrong(label, "is there twice; give one another name")

    def tables(self, sheet: Mapping[str, Any], key: str) -> list[Any]:
        return self.typed(sheet, "the sheet", key, list, f"tables [[{key}]]", [])

    def table(self, table: Mapping[str, Any], where: str, key: str) -> dict[str, Any]:
        return self.typed(table, where, key, dict, "a table", {})

    def text(self, table: Mapping[str, Any], where: str, key: str) -> str | None:
        return self.typed(table, where, key, str, "text", None)

    def flag(self, table: Mapping[str, Any], where: str, key: str, default: bool) -> bool:
        return self.typed(table, where, key, bool, "true or false", default)

    def typed(self, table: Mapping[str, Any], where: str, key: str, kind: type, what: str, default: T) -> T:
        value: Any = table.get(key, default)
        if key in table and not isinstance(value, kind):
            self.wrong(where, f"has {key} = {value!r}; write {what}")
            value = default
        return cast(T, value)

    def strings(self, table: Mapping[str, Any], where: str, key: str) -> list[str]:
        value = table.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            self.wrong(where, f"has {key} = {value!r}; write text, or a list of texts")
            return []
        return listed

    def stages(self, table: Mapping[str, Any], where: str) -> frozenset[str] | None:
        return frozenset(self.strings(table, where, "stage")) if "stage" in table else None

    def compiled(self, source: str, where: str, key: str) -> re.Pattern[str] | None:
        return self.attempt(pattern, source, where, key)

    def expression(self, table: Mapping[str, Any], where: str, key: str) -> re.Pattern[str] | None:
        source = self.text(table, where, key)
        return None if source is None else self.compiled(source, where, key)

    def expressions(self, table: Mapping[str, Any], where: str, key: str) -> list[re.Pattern[str]]:
        found = (self.compiled(source, where, key) for source in self.strings(table, where, key))
        return [compiled for compiled in found if compiled is not None]

    def telling(
        self, source: Any, where: str, compiled: Callable[[str], re.Pattern[str]] = re.compile
    ) -> re.Pattern[str] | None:
        """Compile an expression whose one group is what it finds."""
        found = self.attempt(compiled, str(source), where, "the pattern")
        if found is not None and found.groups != 1:
            self.wrong(where, f"has the pattern {source!r} with {found.groups} groups; put ( ) around what it finds")
            return None
        return found

    def attempt(
        self, compiled: Callable[[str], re.Pattern[str]], source: str, where: str, key: str
    ) -> re.Pattern[str] | None:
        try:
            return compiled(self.worded(source, where))
        except re.error as problem:
            self.wrong(where, f"has {key} {source!r}, which is no regular expression: {problem.msg}")
            return None

    def worded(self, source: str, where: str) -> str:
        """Put the patterns of `[words]` in the places of their names."""

        def expand(match: re.Match[str]) -> str:
            if match[1] not in self.words:
                hint = near(match[1], self.words) or "; name it in [words]"
                self.wrong(where, f"has the pattern {source!r} with {match[0]}, which stands for nothing{hint}")
            return self.words.get(match[1], "")

        return IN_PATTERN.sub(expand, source)

    def line(self, source: Any, where: str) -> Line:
        try:
            return Line(source if isinstance(source, str) else "")
        except ValueError as problem:
            self.wrong(where, f"has {source!r}: {problem}")
            return Line("")


def near(name: str, names: Iterable[str]) -> str:
    """Ask whether the name that looks most like another was meant; nothing where none does."""
    close = get_close_matches(name, list(names), n=1)
    return f"; did you mean {close[0]}?" if close else ""
