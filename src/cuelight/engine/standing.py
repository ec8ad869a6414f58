"""Where a call stands: its state, its visible tools and its prompt, and the entries that say how they changed."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from cuelight.agent import (
    Agent,
    Gate,
    Staged,
    delimit,
    private_values,
    snapshot,
    static_blocks,
    static_text,
    view_text,
    visible,
)
from cuelight.engine.handlers import describe
from cuelight.engine.journal import Journal
from cuelight.wire import State, ToolSpec, whole_text

__all__ = ["Standing"]


class Standing:
    """Keep the log in step with an agent's state: whatever changed is written before anybody acts on it."""

    def __init__(self, agent: Agent, journal: Journal) -> None:
        self.agent = agent
        self._journal = journal
        self._derived: Mapping[str, bytes] = {}
        self._visible: tuple[str, ...] | None = None
        self._view_hash = ""
        self._view_text: str | None = ""
        # What is failing already, so that each fault is told once until it is over.
        self._failing: dict[str, set[str]] = {"when": set(), "property": set(), "render": set()}
        self._held: list[dict[str, Any]] | None = None
        self.blocks = static_blocks(agent)
        self.static = static_text(self.blocks)
        self.tools = tuple(_whole_spec(tool.spec) for tool in agent.__declaration__.tools)

    @property
    def stage(self) -> str | None:
        """The stage the conversation is in, where the agent has stages."""
        return getattr(self.agent, "stage", None) if self.agent.__declaration__.stages else None

    def open(self) -> None:
        """Write the whole of it once: the State is complete before the first word. Then what is failing."""
        held: list[dict[str, Any]] = []
        self._held = held
        self._write_state(list(self.agent.__declaration__.fields), None, always=True)
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
        shot = snapshot(self.agent)
        now = msgspec.json.decode(shot.full)
        same = {name for name, value in now.items() if name in logged and logged[name] == value}
        self._derived = {name: value for name, value in shot.derived.items() if name in same}
        self._visible = tuple(state.tools_visible)
        changed = [name for name in self.agent.__declaration__.fields if name not in same]
        bare = shot.full != shot.shown and self._is_bare(now, msgspec.json.decode(shot.shown))
        self._write_state(changed, None, always=bare or not logged.keys() <= now.keys())
        self.gate()
        hashes = {name: block.hash for name, block in state.prompt.items()}
        for block in self.blocks:
            if hashes.get(block.name) != _digest(block.text):
                self._write_block(block.name, block.text)
        self._view_hash = hashes.get("view", "")
        self._view_text = None  # the log holds its hash alone

    def _is_bare(self, now: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
        """Tell whether the log still shows a value that is private by today's class."""
        stored = self._journal.state.app_state
        return any(stored.get(name) == now[name] for name, value in shown.items() if value != now[name])

    def take(self, staged: Staged, cause: Mapping[str, Any] | None) -> None:
        """Commit what a handler changed, and write it."""
        staged.commit()
        self.tell(staged, cause)

    def tell(self, staged: Staged, cause: Mapping[str, Any] | None) -> None:
        """Write what a handler changed, which is committed already."""
        names = staged.names(self.agent._cell)
        if names or self.agent.__declaration__.derived:
            self._write_state(list(names), cause)
        self.gate()

    def gate(self) -> Gate:
        """Compute which tools are visible; a change is written, and each `when` that raises is told once."""
        gate = visible(self.agent)
        self._tell_failures("when", gate.failures, "The `when` of tool `{name}` raised, so the tool is hidden: {error}")
        if gate.names != self._visible:
            self._visible = gate.names
            self._journal.write("tools.changed", {"visible": list(gate.names)})
        return gate

    def view(self, *notes: str) -> str:
        """Compute the view for the next request, delimited; its hash is written where it differs from the last."""
        try:
            text = view_text(self.agent)
            failures: tuple[tuple[str, Exception], ...] = ()
        except Exception as error:  # the author's code: without its words the call goes on
            text, failures = "", (("render", error),)
        self._tell_failures("render", failures, "`{name}()` raised, so the prompt has no view: {error}")
        if text != self._view_text or failures:
            self._view_text = text
            digest = _digest(text)
            if digest != self._view_hash:
                self._view_hash = digest
                self._write_block("view", text, digest)
        return delimit(text, *notes)

    def _write_state(self, changed: list[str], cause: Mapping[str, Any] | None, *, always: bool = False) -> None:
        shot = snapshot(self.agent)
        self._tell_failures("property", shot.failures, "Property `{name}` raised, so it is null: {error}")
        changed += [name for name, value in shot.derived.items() if self._derived.get(name) != value]
        self._derived = shot.derived
        if changed or always:
            private = private_values(self.agent) if shot.full != shot.shown else []
            self._journal.write_state(shot.full, shot.shown, changed, cause, private)

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


def _whole_spec(spec: ToolSpec) -> ToolSpec:
    description = whole_text(spec.description)
    return spec if description == spec.description else msgspec.structs.replace(spec, description=description)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
