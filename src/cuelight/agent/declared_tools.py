"""Read the tools that a class declares, and hold them against its stages and against each other."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cuelight.agent.confirming import names_in
from cuelight.agent.reading import Reading, shown, stage_line
from cuelight.agent.tool_building import build_tool
from cuelight.agent.tools import Tool, ToolOptions, options_of, stages_of
from cuelight.agent.words import nearest

__all__ = ["read_tools"]

_Marked = dict[str, tuple[type, Any, ToolOptions]]


def read_tools(reading: Reading, fields: Collection[str], stages: tuple[str, ...] | None) -> tuple[Tool, ...]:
    """Give the tools of a class, in the order they are declared; one that overrides another keeps its place.

    Args:
        reading: the class.
        fields: the names of its fields.
        stages: the stages it has, None where it has none.
    """
    marked = _marked(reading)
    built = {tool.options: tool for base in reading.line if "__declaration__" in vars(base) for tool in _tools_of(base)}
    tools = []
    for name, (base, value, options) in marked.items():
        if name in fields or isinstance(value, property):
            continue  # told where fields are read
        if name in reading.reserved:
            reading.refuse(f"tool `{name}` has the name of a member of {reading.kind}; give the method another name")
            continue
        tool = built.get(options)
        if tool is None or tool.method != name or tool.function is not value:
            problems: list[str] = []
            tool = build_tool(
                name, value, options, reading.scope(base), problems, overridden=_overridden(reading, base, name)
            )
            reading.refuse(*(f"tool `{name}`{reading.of(base)}: {problem}" for problem in problems))
        if tool is not None:
            tools.append(tool)
    _check_stages(reading, marked, stages)
    _check_confirms(reading, tools, fields)
    _check_names(reading, tools)
    return tuple(tools)


def _tools_of(base: type) -> tuple[Tool, ...]:
    declared: tuple[Tool, ...] = vars(base)["__declaration__"].tools
    return declared


def _marked(reading: Reading) -> _Marked:
    """Gather the methods marked as tools; one of a later class takes the place of an earlier one."""
    marked: _Marked = {}
    for base in reading.line:
        for name, value in vars(base).items():
            options = options_of(value)
            if options is not None:
                marked[name] = (base, value, options)
            elif name in marked:
                if base in reading.fresh:
                    reading.refuse(
                        f"`{name}` takes the place of the tool `{name}` of {marked[name][0].__name__}, but is none; "
                        "decorate it with @tool, or rename it"
                    )
                del marked[name]
    return marked


def _overridden(reading: Reading, base: type, name: str) -> str | None:
    """Give the docstring of the tool that a class overrides: of the nearest that has one."""
    before = reading.line[: reading.line.index(base)]
    tools = (vars(earlier).get(name) for earlier in reversed(before))
    return next((value.__doc__ for value in tools if options_of(value) is not None and value.__doc__), None)


def _check_stages(reading: Reading, marked: _Marked, stages: tuple[str, ...] | None) -> None:
    """Refuse stages that could never come."""
    homeless: dict[str, list[str]] = {}
    for name, (base, _, options) in marked.items():
        wanted = stages_of(options)
        if wanted is None:
            continue
        if not wanted:
            reading.refuse(
                f"tool `{name}`: stage is empty, so it could never be visible; name a stage, or leave it out"
            )
        for stage in dict.fromkeys(stage for stage in wanted if isinstance(stage, str)):
            if stages is None:
                homeless.setdefault(name, []).append(stage)
            elif stage not in stages:
                reading.refuse(_unknown_stage(reading, base, name, stage, stages))
        for stage in wanted:
            if not isinstance(stage, str):
                reading.refuse(
                    f"tool `{name}`: stage names {shown(stage)}; a stage is a str, one of the Literal's values"
                )
    if homeless and not any("stage" in vars(base).get("__annotations__", ()) for base in reading.line):
        reading.refuse(_no_stage(reading, homeless))


def _unknown_stage(reading: Reading, base: type, name: str, stage: str, stages: Sequence[str]) -> str:
    held = ", ".join(map(repr, stages))
    what = f"tool `{name}` is for stage {stage!r}, which {reading.name} does not have; its stages are {held}"
    if base is not reading.cls:
        home = reading.stage_home
        return f"{what}. The tool comes from {base.__name__}: keep {stage!r} in {home}, or override the tool"
    close = nearest(stage, stages)
    return f"{what}{close}" if close else f"{what}. Add {stage!r} to {reading.stage_home}, or correct the tool"


def _no_stage(reading: Reading, homeless: Mapping[str, Sequence[str]]) -> str:
    tools = "; ".join(f"tool `{name}` is for stage {', '.join(map(repr, wanted))}" for name, wanted in homeless.items())
    joined, them = (", but", "it") if len(homeless) == 1 else ("; but", "they")
    if reading.no_stages is not None:
        return f"{tools}{joined} {reading.no_stages}"
    return (
        f"{tools}{joined} {reading.name} has no `stage` field, so {them} could never be visible. Add "
        f"{stage_line(reading.stages_named())} to the class, or write when=... in the place of stage=..."
    )


def _check_confirms(reading: Reading, tools: Sequence[Tool], fields: Collection[str]) -> None:
    """Refuse a question to the caller that names nothing the tool takes and nothing the class has."""
    for tool in tools:
        if not isinstance(tool.options.confirm, str):
            continue
        known = [*tool.arguments.parameters, *fields]
        for name in names_in(tool.options.confirm):
            if name not in known and not hasattr(reading.cls, name):
                listed = ", ".join(known) or "none"
                reading.refuse(
                    f"tool `{tool.method}`: confirm names {{{name}}}, which is no argument and no field"
                    f"{nearest(name, known)}; there are {listed}"
                )


def _check_names(reading: Reading, tools: Sequence[Tool]) -> None:
    """Refuse two tools of one name that a stage would show together."""
    for index, one in enumerate(tools):
        for other in tools[:index]:
            if one.name != other.name:
                continue
            together = ""
            if one.stages is not None and other.stages is not None:
                both = [stage for stage in one.stages if stage in other.stages]
                if not both:
                    continue
                together = f" in stage {', '.join(map(repr, both))}"
            elif one.stages is not None or other.stages is not None:
                together = f" in stage {', '.join(map(repr, one.stages or other.stages or ()))}"
            reading.refuse(
                f"tools `{other.method}` and `{one.method}` are both called `{one.name}` and would be visible "
                f"together{together}; give one another name with @tool(name=...), or put them in different stages"
            )
