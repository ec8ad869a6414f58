"""What all commands share: they are imported when they are run, and every error is one line that says what to do."""

import importlib
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from cuelight.errors import CuelightError

__all__ = ["CANNOT_RUN", "DID_NOT_HOLD", "CommandGroup", "complain", "group", "single"]

DID_NOT_HOLD = 1
CANNOT_RUN = 2
_PIPE_CLOSED = 141  # what a shell reports of any program whose reader went away
_DEBUG = "CUELIGHT_DEBUG"
_LISTED = "\n  - "

_debugging: ContextVar[bool] = ContextVar("cuelight_debugging", default=False)

# The family of Typer's own errors: of its members, every version exports this one.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class _Lazy(MutableMapping[str, Any]):
    """Hold commands by name, each imported when it is asked for."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            command = get_command(importlib.import_module(self._modules[name]).app)
            command.name = name
            self._made[name] = command
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class _PlainHelp:
    """Write the help as plain text, the same with every version of Typer."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Give what follows the command's name in a line that uses it."""
        return ["[OPTIONS]", *(name for name, _ in self._rows(ctx, "argument"))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments and the options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            if rows := self._rows(ctx, kind):
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _rows(self, ctx: Any, kind: str) -> list[tuple[str, str]]:
        rows = []
        for parameter in cast(Any, self).get_params(ctx):
            if parameter.param_type_name == kind:
                names = ", ".join(sorted(parameter.opts, key=len)) if kind == "option" else ""
                value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or parameter.name.upper()
                rows.append((f"{names} {value}".strip(), parameter.help or ""))
        return rows


class _Command(_PlainHelp, TyperCommand):
    pass


class CommandGroup(_PlainHelp, TyperGroup):
    """Be a command that has commands.

    `table` names them in order, each with the module whose `app` it is and one line of help, so that listing them
    imports none.
    """

    table: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Lazy({name: module for name, (module, _) in self.table.items()})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, the help is what was asked for."""
        return super().parse_args(ctx, args or ["--help"])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Give what follows the command's name in a line that uses it."""
        return ["[OPTIONS]", "COMMAND ..."]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the options and the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.table.items()])

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # here, before Typer makes something else of it
            _forget_stdout()
            raise typer.Exit(_PIPE_CLOSED) from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit: 0 where all went well, 1 where something did not hold, 2 where it could not run."""
        given = list(sys.argv[1:] if args is None else args)
        _debugging.set("--debug" in given or os.environ.get(_DEBUG, "") not in ("", "0"))
        given = [argument for argument in given if argument != "--debug"]
        _be_robust()
        try:
            code = super().main(given, "cuelight", complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
        except BrokenPipeError:  # what was still to be written
            _forget_stdout()
            code = _PIPE_CLOSED
        except _UsageError as error:
            code = _tell_usage(error)
        except (typer.Abort, KeyboardInterrupt):
            code = 130
        except Exception as error:
            code = _tell(error)
        sys.exit(code if isinstance(code, int) else 0)


def group(table: Mapping[str, tuple[str, str]], **options: Any) -> typer.Typer:
    """Make a group of commands.

    Args:
        table: the commands' names in order, each with its module and one line of help.
        options: what else `typer.Typer` is told.
    """
    cls = type("Commands", (CommandGroup,), {"table": table})
    return typer.Typer(cls=cls, add_completion=False, rich_markup_mode=None, **options)


def single(function: Callable[..., None]) -> typer.Typer:
    """Make a function a command: its signature gives the arguments and options, its docstring the help."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=_Command)(function)
    return app


def _be_robust() -> None:
    """Let text that the terminal cannot show be shown as far as it can; the developer's log goes where it was asked."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if _debugging.get():
        logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")


def _forget_stdout() -> None:
    """Let nothing more be written to a reader that is gone: not by the interpreter either, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: Exception) -> int:
    if _debugging.get():
        traceback.print_exception(error)
    code = error.code if isinstance(error, CuelightError) else "unexpected"
    message = str(error) if isinstance(error, CuelightError) else f"{type(error).__name__}: {error}"
    hint = "" if isinstance(error, CuelightError) or _debugging.get() else f" {_DEBUG}=1 shows where it comes from."
    complain(f"{message}{hint}", code)
    return CANNOT_RUN


def _tell_usage(error: Any) -> int:
    path = error.ctx.command_path if error.ctx is not None else "cuelight"
    message = error.format_message()
    stop = "" if message.endswith((".", "?", "!")) else "."
    complain(f"{message}{stop} `{path} --help` says what there is.", "usage")
    return CANNOT_RUN


def complain(message: str, code: str) -> None:
    """Say on stderr what is wrong, with its stable code: in one line, save where a message lists several things."""
    told = _LISTED.join(" ".join(part.split()) for part in message.split(_LISTED))
    print(f"cuelight: {told} [{code}]", file=sys.stderr)  # noqa: T201 - the command line's voice
