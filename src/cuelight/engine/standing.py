"""Where a call stands: its state, its visible tools and its prompt, and the entries that say how they changed."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import Gate, Staged, delimit, static_text
from cuelight.engine.handlers import describe
from cuelight.engine.journal import Journal
from cuelight.flow import Course
from cuelight.wire import State, ToolSpec, whole_text

if TYPE_CHECKING:
    from cuelight.engine.confirming import Confirmations

__all__ = ["Standing"]


class Standing:
    """Keep the log in step with an agent's state: whatever changed is written before anybody acts on it."""

    def __init__(self, course: Course, journal: Journal, confirmations: "Confirmations") -> None:
        self._course = course
        self._confirmations = confirmations
        self._journal = journal
        self._derived: Mapping[str, bytes] = {}
        self._derives = False
        """Whether some of the state is derived, so that any change may change it."""
        self._visible: tuple[str, ...] | None = None
        self._view_hash = ""
        self._view_text: str | None = ""
        # What is failing already, so that each fault is told once until it is over.
        self._failing: dict[str, set[str]] = {"when": set(), "property": set(), "render": set()}
        self._held: list[dict[str, Any]] | None = None
        self.blocks = course.blocks()
        self.static = static_text(self.blocks)
        self.specs = {tool: _whole_spec(tool.spec) for tool in (*course.tools, *confirmations.tools)}
        self.tools = tuple(self.specs.values())

    def open(self) -> None:
        """Write the whole of it once: the State is complete before the first word. Then what is failing."""
        held: list[dict[str, Any]] = []
        self._held = held
        self._write_state(list(self._course.names), None, always=True)
        self.gate()
        for block in self.blocks:
            self._write_block(block.name, block.text)
        self.view()
        self._held = None
        for failure in held:
            self._journal.write("error", failure)

    def resume(self, state: State) -> None:
        """Take up what the log says already, and write where the class of today differs from it."""
        logged = state.app_state
        shot = self._course.snapshot()
        now = msgspec.json.decode(shot.full)
        same = {name for name, value in now.items() if name in logged and logged[name] == value}
        self._derived = {name: value for name, value in shot.derived.items() if _part(name) in same}
        self._derives = bool(shot.derived)
        self._visible = tuple(state.tools_visible)
        changed = [name for name in self._course.names if name not in same]
        bare = shot.full != shot.shown and self._is_bare(now, msgspec.json.decode(shot.shown))
        self._write_state(changed, None, always=bare or not logged.keys() <= now.keys())
        self.gate()
        hashes = {name: block.hash for name, block in state.prompt.items()}
        for block in self.blocks:
            if hashes.get(block.name) != _digest(block.text):
                self._write_block(block.name, block.text)
        self._view_hash = hashes.get("view", "")
        self._view_text = None if self._view_hash else ""  # the log holds its hash alone, and nothing of an empty one

    def _is_bare(self, now: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
        """Tell whether the log still shows a value that is private by today's class."""
        stored = self._journal.state.app_state
        return any(stored.get(name) == now[name] for name, value in shown.items() if value != now[name])

    def take(self, staged: Staged, cause: Mapping[str, Any] | None) -> None:
        """Commit what a handler changed, and write it."""
        staged.commit()
        self.tell(self._course.changed(staged), cause)

    def tell(self, names: list[str], cause: Mapping[str, Any] | None) -> None:
        """Write what was changed, which is committed already, by the names of the parts."""
        if names or self._derives:
            self._write_state(names, cause)
        self.gate()

    def gate(self) -> Gate:
        """Compute which tools are visible; a change is written, and each `when` that raises is told once."""
        gate = self._course.offered()
        if self._confirmations:
            gate = self._confirmations.gate(gate)
        self._tell_failures("when", gate.failures, "The `when` of tool `{name}` raised, so the tool is hidden: {error}")
        if gate.names != self._visible:
            self._visible = gate.names
            self._journal.write("tools.changed", {"visible": list(gate.names)})
        return gate

    def view(self, *notes: str) -> str:
        """Compute the view for the next request, delimited; its hash is written where it differs from the last."""
        text, failures = self._course.view()
        self._tell_failures("render", failures, "`{name}()` raised, so the prompt goes without it: {error}")
        if text != self._view_text or failures:
            self._view_text = text
            digest = _digest(text)
            if digest != self._view_hash:
                self._view_hash = digest
                self._write_block("view", text, digest)
        return delimit(text, *notes)

    def _write_state(self, changed: list[str], cause: Mapping[str, Any] | None, *, always: bool = False) -> None:
        shot = self._course.snapshot()
        self._tell_failures("property", shot.failures, "Property `{name}` raised, so it is null: {error}")
        derived = (_part(name) for name, value in shot.derived.items() if self._derived.get(name) != value)
        changed = list(dict.fromkeys((*changed, *derived)))
        self._derived, self._derives = shot.derived, bool(shot.derived)
        if changed or always:
            private = self._course.private_values() if shot.full != shot.shown else []
            self._journal.write_state(shot.full, shot.shown, changed, cause, private)
            if self._course.memories:
                self._journal.history.stand(self._course.stage)

    def _write_block(self, name: str, text: str, digest: str | None = None) -> None:
        self._journal.write("prompt.changed", {"name": name, "hash": digest or _digest(text), "chars": len(text)})

    def _tell_failures(self, kind: str, failures: tuple[tuple[str, Exception], ...], sentence: str) -> None:
        failing = self._failing[kind]
        if not failures:
            if failing:
                failing.clear()
            return
        for name, error in failures:
            if name not in failing:
                told = sentence.format(name=name, error=describe(error))
                self._tell({"code": f"{kind}-raised", "message": told, "recoverable": True})
        self._failing[kind] = {name for name, _ in failures}

    def _tell(self, failure: dict[str, Any]) -> None:
        if self._held is None:
            self._journal.write("error", failure)
        else:
            self._held.append(failure)


def _part(derived: str) -> str:
    """Give the part of the state that a derived field is in: itself, or the step whose it is."""
    return derived.partition(".")[0]


def _whole_spec(spec: ToolSpec) -> ToolSpec:
    description = whole_text(spec.description)
    return spec if description == spec.description else msgspec.structs.replace(spec, description=description)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
