"""Steps: the stations of a flow, each with its own tools, prompt, state and hooks."""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import msgspec

from cuelight.agent import (
    CallHandle,
    Field,
    JsonCoder,
    Notice,
    Reading,
    Setting,
    Stateful,
    StateOptions,
    Tool,
    fitting,
    restore,
    shown,
)
from cuelight.errors import AuthorError, OutsideHandler, StageIsRouted
from cuelight.flow.misplaced import refuse_methods, refuse_settings
from cuelight.log import MASK

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from cuelight.flow.flow import Flow

    F = TypeVar("F", bound="Flow", default="Flow")
else:
    from typing import TypeVar

    F = TypeVar("F")

__all__ = ["LogicStep", "Step", "TerminateSessionStep", "fit_step", "overrides", "restore_step", "write_step"]

PROMPT = "_prompt"
KEPT = "_kept"


_any = JsonCoder((object,), "a JSON value")


def _field(name: str, annotation: Any, coder: JsonCoder, default: Any) -> Field:
    field = Field(name, annotation, coder, StateOptions(default))
    field.default = msgspec.json.encode(default)
    return field


_prompt_field = _field(PROMPT, str | None, JsonCoder((str, type(None)), "text or None"), None)
_kept_field = _field(KEPT, dict[str, Any], JsonCoder((dict,), "an object"), {})


def _takes_arguments(cls: type) -> bool:
    parameters = list(inspect.signature(vars(cls).get("__init__", object.__init__)).parameters.values())[1:]
    return any(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


class Step(Stateful, Generic[F]):
    """Be one station of a flow: subclass this, and register the subclass in the flow's `steps`.

    Annotated public attributes are the step's state, which the call keeps under the step's name while it goes on;
    `@tool` methods are what the model may call while the step is current, and what they return says where the
    conversation goes. A step without fields keeps any JSON values, in `saved`. The flow makes one instance of each
    step for each call, without arguments; services are the flow's. `class Seat(Step["Rental"])` tells checkers whose
    step it is; without that `self.flow` is any `Flow`.
    """

    __framework__ = True
    __own__ = Stateful.__own__ | {"_flow", PROMPT, KEPT}
    __plain__ = frozenset({"get_prompt"})
    __no_stages__ = (
        "a Step has no stages: its tools are visible while it is the current one. Leave out stage=..., or write "
        "when=... in its place"
    )
    __settings__ = MappingProxyType(
        {
            "memory": Setting(
                lambda value: value is None or (isinstance(value, str) and bool(value.strip())),
                "the name of a history, as in `memory = 'diagnosis'`, or None for the call's own",
            ),
            "waits": Setting(lambda value: isinstance(value, bool), "True or False"),
            "was": Setting(
                lambda value: isinstance(value, tuple) and all(isinstance(name, str) for name in value),
                "the names it had, as in `was = ('OldName',)`",
            ),
        }
    )
    __stage__: ClassVar[str]

    memory: ClassVar[str | None] = None
    """The history the step's model reads, by name; None is the one of the call. Steps that name the same share it."""
    waits: ClassVar[bool] = False
    """Whether the step can record nothing and move nowhere until the caller has spoken since it was entered."""

    was: ClassVar[tuple[str, ...]] = ()
    """Names the step had in earlier versions, under which open calls still stand in it."""

    _flow: "Flow | None" = None
    _prompt: str | None
    _kept: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        cls.__stage__ = cls.__name__
        super().__init_subclass__(**options)

    @classmethod
    def __given__(cls, reading: Reading) -> dict[str, Field]:
        if _takes_arguments(cls):
            reading.refuse(
                "`__init__` takes arguments, but the flow makes its steps without any; give services to the flow, and "
                "read them as `self.flow`"
            )
        return {PROMPT: _prompt_field, KEPT: _kept_field}

    @classmethod
    def __vet__(cls, reading: Reading, fields: Mapping[str, Field], tools: tuple[Tool, ...]) -> None:
        refuse_methods(reading, ("on_call", "on_event", "on_end"), "a hook of the flow; write it there")
        settings = ("limits", "rules", "knowledge", "model", "language", "wording", "steps", "initial_step")
        refuse_settings(reading, settings, "a setting of the flow; write it there")
        if not hasattr(cls, "__logic__"):
            refuse_methods(reading, ("run_logic",), "run in a LogicStep alone; make it one")
            if cls.get_prompt is Step.get_prompt:
                refuse_methods(reading, ("render",), "asked of the flow alone; write what a Step says in `get_prompt`")

    if not TYPE_CHECKING:  # as in Stateful

        def __setattr__(self, name, value):
            if name == "stage":
                raise StageIsRouted(type(self).__name__)
            super().__setattr__(name, value)

    def __members__(self) -> Mapping[str, bytes]:
        encoded = self._cell.encoded
        members = {name: encoded[name] for name in self.__declaration__.fields}
        if encoded[KEPT] != b"{}":
            members |= {name: bytes(value) for name, value in _raw_members(encoded[KEPT]).items()}
        if encoded[PROMPT] != b"null":
            members[PROMPT] = encoded[PROMPT]
        return members

    @property
    def flow(self) -> F:
        """The flow whose step this is.

        Raises:
            OutsideHandler: when the step is in none.
        """
        if self._flow is None:
            raise OutsideHandler(
                f"This {type(self).__name__} is in no flow. A flow makes its steps: read one with `flow.step("
                f"{type(self).__name__})`."
            )
        return self._flow  # type: ignore[return-value]

    @property
    def stage(self) -> str:
        """The name of the step that the flow is in, which only a route moves.

        Raises:
            OutsideHandler: when the step is in no flow.
        """
        return self.flow.stage

    @property
    def call(self) -> CallHandle:
        """The live call.

        Raises:
            OutsideHandler: when the step's flow is in no call.
        """
        handle: CallHandle = self.flow.call
        return handle

    @property
    def saved(self) -> Mapping[str, Any]:
        """The step's state by name, to be read: its fields, or, where it declares none, what was saved."""
        fields = self.__declaration__.fields
        return MappingProxyType({name: getattr(self, name) for name in fields} if fields else self._kept)

    def save_state(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> None:
        """Write some of the step's state; the rest stays, and a value that is there is replaced as a whole.

        Args:
            values: by name, where names are data.
            named: the same, written as arguments.

        Raises:
            UndeclaredField: when the step declares fields, and this is none of them.
            WrongType: when a value does not fit its field, or has no JSON form; then nothing is written.
            OutsideHandler: in a live call where no handler is running.
        """
        write_step(self, {**(values or {}), **named}, self._cell.running() or "save_state")

    def get_prompt(self) -> str | None:
        """Say what the model should know and do in this step; computed before each request.

        This one gives the prompt that the newest route to the step brought, if one did. What overrides it begins with
        `super().get_prompt() or ...` to let such a prompt come first.
        """
        return self._prompt

    def on_enter(self) -> Any:
        """Run when the conversation has moved here, before what the route brings is written. May be async."""

    def on_exit(self) -> Any:
        """Run when the conversation is about to move on, while this step is still the current one. May be async."""

    def on_crossing(self, message: str | None, prior: "Step[Any]") -> Any:
        """Say what the step's model hears when a turn crosses into it. May be async.

        Args:
            message: what the route brings along, or None.
            prior: the step that was left.

        Returns:
            A user message for the model, or None.
        """
        return message

    def on_response(self, text: str) -> Any:
        """Decide what becomes of a reply without a tool call. May be async.

        A step that overrides this is not streamed: what the model writes waits for this decision.

        Args:
            text: what the model wrote.

        Returns:
            The text to say ("" drops it, None leaves it as it is), or a Step class or a route, which is followed in
            the same turn; then what the model wrote is not said.
        """
        return text

    def forget(self) -> None:
        """Clear the history that the step's model reads, but for what the caller has just said.

        Takes effect when the handler that asks for it is done. The calls of the reply that is being run stay, so that
        the model reads their results.

        Raises:
            OutsideHandler: where no handler is running.
        """
        self.call.forget(type(self).memory or "")


class LogicStep(Step[F]):
    """Be a step of code alone: no model is asked, `run_logic` says where the conversation goes."""

    __framework__ = True
    __logic__ = True

    @classmethod
    def __vet__(cls, reading: Reading, fields: Mapping[str, Field], tools: tuple[Tool, ...]) -> None:
        super().__vet__(reading, fields, tools)
        if cls.run_logic is LogicStep.run_logic:
            reading.refuse(
                "it has no `run_logic`, so it leads nowhere; write `def run_logic(self)`, which returns go(...)"
            )
        for name in ("on_response", "get_prompt"):
            if overrides(cls, name):
                reading.refuse(
                    f"`{name}` is never asked, since a LogicStep asks no model; leave it out, or make it a Step"
                )
        for tool in tools:
            reading.refuse(
                f"tool `{tool.method}` could never be called, since a LogicStep asks no model; move it to a Step"
            )
        for name in ("memory", "waits"):
            if getattr(cls, name) != getattr(LogicStep, name):
                reading.refuse(f"`{name}` means nothing in a LogicStep, which neither asks nor listens; leave it out")

    def run_logic(self) -> Any:
        """Say where the conversation goes: a route, or a Step class. May be async."""
        raise NotImplementedError


class TerminateSessionStep(Step[F]):
    """Say goodbye and end the call.

    The model is asked once more, with no tool, for the words to part with; the prompt for them can come with the route,
    as in `go(TerminateSessionStep).with_prompt("...")`. When they are said the call ends. A caller who cuts in before
    that is answered, and then it ends.
    """

    fallback_line: ClassVar[str] = "Thank you for calling. Goodbye."
    """What code says when the model has failed to."""
    reason: ClassVar[str] = "agent_hung_up"
    """Why the call ends, as in its `call.ended` entry."""

    @classmethod
    def __vet__(cls, reading: Reading, fields: Mapping[str, Field], tools: tuple[Tool, ...]) -> None:
        super().__vet__(reading, fields, tools)
        if cls.waits is True:
            reading.refuse("`waits` means nothing in a TerminateSessionStep, after which nobody is heard; leave it out")
        for name, wanted in (("fallback_line", "a line that can be spoken"), ("reason", "a word, as in 'done'")):
            value = getattr(cls, name)
            if name in fields:
                reading.refuse(f"field `{name}` has the name of a setting; leave out the annotation: `{name} = ...`")
            elif not (isinstance(value, str) and value.strip()):
                reading.refuse(f"`{name}` is {shown(value)}; write {wanted}")
        for tool in tools:
            reading.refuse(
                f"tool `{tool.method}` could never be called, since the goodbye is asked for without tools; move it to "
                "another Step"
            )

    def get_prompt(self) -> str | None:
        """Give the prompt that the route brought, or ask for a short goodbye."""
        return super().get_prompt() or (
            "The conversation is over. Say goodbye in one short, friendly sentence, and ask nothing more."
        )


def overrides(step: type[Step[Any]], name: str) -> bool:
    """Tell whether a step writes a hook of its own."""
    return getattr(step, name) is not getattr(Step, name)


def write_step(step: Step[Any], values: Mapping[str, Any], where: str) -> None:
    """Write state of a step, all of it or nothing; raises as `fit_step` does.

    Raises:
        OutsideHandler: in a live call where no handler is running.
    """
    for name, value in fit_step(step, values, where).items():
        step._cell.write(name, value)


def fit_step(step: Step[Any], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Give state of a step as it is kept; nothing is written. An attached prompt goes by its own name.

    Raises:
        UndeclaredField, WrongType: when a value is none that the step can hold.
        AuthorError: when a name is that of one of its properties.
    """
    rest = dict(values)
    owner, cell = type(step).__name__, step._cell
    attached = {PROMPT: rest.pop(PROMPT)} if PROMPT in rest else {}
    for prompt in attached.values():
        cell.fields[PROMPT].check(owner, prompt, where)
    declaration = step.__declaration__
    if declaration.fields or not rest:
        return {**fitting(step, rest, where), **attached}
    for name, value in rest.items():
        if name in declaration.derived:
            raise AuthorError(f"{owner}.{name} is a property, so it cannot be saved; save it under another name.")
        _field(name, Any, _any, None).check(owner, value, where)
    return {KEPT: {**cell.read(KEPT), **rest}, **attached}


def restore_step(step: Step[Any], stored: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Read the state of a step in an old log back; what cannot be read keeps its default, and a notice says so."""
    rest = dict(stored)
    prompt = rest.pop(PROMPT, None)
    notices = []
    if isinstance(prompt, str) and prompt != MASK:
        step._cell.put(PROMPT, msgspec.json.encode(prompt), prompt)
    elif prompt is not None:
        notices.append(Notice("field-erased", f"The prompt attached to {type(step).__name__} is gone from the log."))
    if step.__declaration__.fields:
        return (*notices, *restore(step, rest, within=f"{type(step).__name__}.").notices)
    kept = {name: value for name, value in rest.items() if name not in step.__declaration__.derived}
    step._cell.put(KEPT, msgspec.json.encode(kept), kept)
    return tuple(notices)


def _raw_members(encoded: bytes) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(encoded, type=dict[str, msgspec.Raw])
