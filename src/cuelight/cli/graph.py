"""`cuelight graph`: the route map of an agent, read from its code."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cuelight.chart import Chart, chart_of, mermaid, svg
from cuelight.cli.commands import single
from cuelight.cli.options import AgentName
from cuelight.engine import make_agent
from cuelight.errors import BadInput
from cuelight.wiring import find_agent

__all__ = ["app"]


class Format(StrEnum):
    """Name a way to write the map."""

    MERMAID = "mermaid"
    SVG = "svg"
    JSON = "json"


def graph(
    agent: AgentName,
    form: Annotated[
        Format, typer.Option("--format", help="mermaid (the default), svg or json.", metavar="FORMAT")
    ] = Format.MERMAID,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write it to a file, not to the screen.", metavar="FILE")
    ] = None,
) -> None:
    """Draw the map of an agent: what each step shows, and every route.

    The routes are read from the code: what tools and hooks return or assign, also in the functions that they call. No
    model is asked. mermaid and svg are pictures; json has every route with its file and line.
    """
    text = _written(chart_of(type(make_agent(find_agent(agent).make))), form)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}. Name a file in a folder that is there.") from error


app = single(graph)


def _written(chart: Chart, form: Format) -> str:
    match form:
        case Format.MERMAID:
            return mermaid(chart)
        case Format.SVG:
            return svg(chart)
        case Format.JSON:
            return msgspec.json.format(msgspec.json.encode(chart)).decode() + "\n"
