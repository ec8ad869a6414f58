"""How the blanks of one cue are filled: from its words, from pieces picked out, from what else is known."""

from collections.abc import Callable, Mapping
from typing import Any

from cuelight.models.understudy.lines import Line, Unknown, field_of
from cuelight.models.understudy.scene import Picked, Scene
from cuelight.models.understudy.shapes import Cue

__all__ = ["Filling"]


class Filling:
    """Fill the lines and the arguments of a cue.

    Args:
        scene: what was said.
        cue: whose blanks they are; it says what may be recalled from earlier words.
        captures: what its pattern caught, by group.
        find: looks up everything else.
    """

    def __init__(self, scene: Scene, cue: Cue, captures: Mapping[str, Picked], find: Callable[[str], Any]) -> None:
        self._scene = scene
        self._cue = cue
        self._captures = captures
        self._find = find
        self.left_out: list[str] = []
        """The pieces that an argument could do without, and did."""

    def shown(self, path: str) -> Any:
        """Look up what a line says in a blank."""
        root, _, rest = path.partition(".")
        picked = self.piece(root)
        return field_of(picked.shown, rest) if picked is not None else self._else(path)

    def argument(self, value: Any) -> Any:
        """Fill an argument of a call; a piece alone keeps its type, and what may be missing is left out.

        Raises:
            Unknown: when a piece is missing.
        """
        if isinstance(value, Line):
            return self._line(value)
        if isinstance(value, dict):
            filled = {key: self.argument(inner) for key, inner in value.items()}
            return {key: inner for key, inner in filled.items() if inner is not None}
        return [self.argument(inner) for inner in value] if isinstance(value, list) else value

    def _line(self, line: Line) -> Any:
        blank = line.only_blank
        if blank is None:
            return line.fill(self.shown)
        picked = self.piece(blank.root)
        found = picked.value if picked is not None else self._else(blank.path)
        if found is None and not blank.optional:
            raise Unknown(blank.root)
        if found is None:
            self.left_out.append(blank.root)
        return found

    def piece(self, name: str) -> Picked | None:
        """Give what the caller said for a slot; None where they said nothing, or where the name is no slot's."""
        if name in self._captures:
            return self._captures[name]
        slot = self._scene.sheet.slots.get(name)
        if slot is None:
            return None
        recall = slot.recall if self._cue.recall is None else name in self._cue.recall
        return self._scene.piece(slot, recall=recall)

    def _else(self, path: str) -> Any:
        """Look up what is no piece; a piece that the cue may not recall is not taken from earlier words here either."""
        return None if path.partition(".")[0] in self._scene.sheet.slots else self._find(path)
