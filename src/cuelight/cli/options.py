"""Arguments and options that several commands share."""

from typing import Annotated

import typer

__all__ = [
    "AgentName",
    "AsJson",
    "AsJsonLines",
    "AsLines",
    "CallName",
    "ModelName",
    "Resumed",
    "SourceName",
    "StateGiven",
    "StoreName",
]

AgentName = Annotated[
    str, typer.Argument(help="A file, a folder with an agent.py, module:Class, or a slug.", metavar="AGENT")
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", help="What answers: provider:name, or understudy.", metavar="MODEL"),
]
StateGiven = Annotated[
    str | None,
    typer.Option("--state", help="The state to open in: JSON, a file of it, or a golden.", metavar="FILE|JSON"),
]
StoreName = Annotated[
    str | None, typer.Option("--store", help="Where calls are kept: a file, or memory.", metavar="STORE")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, for a program.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Write JSON lines, for a program.")]
AsLines = Annotated[bool, typer.Option("--json", help="Write the entries as JSON lines, for a program.")]
Resumed = Annotated[
    str | None,
    typer.Option("--resume", help="Take up an open call: its id, the start of it, or: last.", metavar="CALL"),
]
CallName = Annotated[str, typer.Argument(help="A call's id, the start of it, or: last.", metavar="CALL")]
SourceName = Annotated[
    str, typer.Argument(help="A call (its id, the start of it, or: last), a file, or - for stdin.", metavar="CALL|FILE")
]
