"""Judge a call as a whole against the `expect` of its golden."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from cuelight.testing.goldens.comparing import lacking, shown
from cuelight.testing.goldens.consenting import judge_yes
from cuelight.testing.goldens.judging import Fault, Finding, judge_reply
from cuelight.testing.goldens.shape import Expect, ReplyCheck
from cuelight.testing.goldens.source import Where
from cuelight.testing.goldens.window import Window

__all__ = ["judge_call"]


def judge_call(windows: Sequence[Window], expect: Expect) -> Fault | None:
    """Judge the whole call; gives the first part of `expect` that broke. Errors are judged with the turns they are of.

    Args:
        windows: its turns.
        expect: what must hold of all of them together.
    """
    for where, finding in (*_of_tools(windows, expect), *_of_rest(windows, expect)):
        if finding is not None:
            return Fault(("expect", *where), *finding)
    return None


def _of_tools(windows: Sequence[Window], expect: Expect) -> Iterator[tuple[Where, Finding]]:
    ran = [run.name for window in windows for _, run in window.runs]
    visible = {
        name for window in windows for entry in window.entries if entry.type == "tools.changed"
        for name in entry.data["visible"]
    }  # fmt: skip
    rest = iter(ran)
    for index, name in enumerate(expect.tools):
        if name not in rest:  # which goes on from the one found last
            yield ("tools", index), (f"the tools {', '.join(expect.tools)} run", f"{', '.join(ran) or 'none'} ran")
    for index, name in enumerate(expect.not_tools):
        yield ("not_tools", index), (f"{name} does not run", "it ran") if name in ran else None
    for index, name in enumerate(expect.never_visible):
        yield ("never_visible", index), (f"{name} is never visible", "it was") if name in visible else None
    entries = [entry for window in windows for entry in window.entries]
    for index, name in enumerate(expect.never_without_yes):
        yield ("never_without_yes", index), judge_yes(entries, name)


def _of_rest(windows: Sequence[Window], expect: Expect) -> Iterator[tuple[Where, Finding]]:
    after = windows[-1].after
    if expect.state and (fault := lacking(expect.state, after.state, after.told, "state")):
        yield ("state",), (f"state {shown(expect.state)}", fault)
    said = "\n".join(filter(None, (window.said for window in windows)))
    yield ("says",), judge_reply(ReplyCheck(says=expect.says), said, "the agent")
    yield ("not",), judge_reply(ReplyCheck(not_=expect.not_), said, "the agent")
    requests, limit = sum(window.requests for window in windows), expect.max_model_requests
    if limit is not UNSET and requests > limit:
        yield ("max_model_requests",), (f"at most {limit} requests to the model", f"{requests} were made")
