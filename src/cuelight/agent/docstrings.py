"""Read a tool's docstring: what the tool does, and what its `Args:` section says of each parameter."""

import inspect
import re

__all__ = ["ToolText", "read_docstring"]

_SECTION = re.compile(r"^(\w[\w ]*):\s*$")
_PARAMETER = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")


class ToolText:
    """Hold a tool's description, and its parameters' by name."""

    __slots__ = ("description", "parameters")

    def __init__(self, description: str, parameters: dict[str, str]) -> None:
        self.description = description
        self.parameters = parameters


def read_docstring(docstring: str | None) -> ToolText:
    """Split a docstring: the `Args:` section describes parameters, everything else describes the tool."""
    if not docstring:
        return ToolText("", {})
    kept: list[str] = []
    arguments: list[str] = []
    section = kept
    for line in inspect.cleandoc(docstring).splitlines():
        heading = _SECTION.match(line)
        if heading:
            section = arguments if heading.group(1) in ("Args", "Arguments", "Parameters") else kept
            if section is arguments:
                continue
        elif line.strip() and not line.startswith(" "):
            section = kept  # what stands at the margin again belongs to no section
        section.append(line)
    return ToolText("\n".join(kept).strip(), _parameters(arguments))


def _parameters(lines: list[str]) -> dict[str, str]:
    described: dict[str, list[str]] = {}
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    outer = min(indents, default=0)
    current: list[str] | None = None
    for line in lines:
        bare = line.strip()
        if not bare:
            continue
        found = _PARAMETER.match(bare) if len(line) - len(line.lstrip()) == outer else None
        if found:
            current = described.setdefault(found.group(1).lstrip("*"), [])
            bare = found.group(2)
        if current is not None and bare:
            current.append(bare)
    return {name: " ".join(parts) for name, parts in described.items()}
