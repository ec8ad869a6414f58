"""A golden that states all of a random conversation passes, and fails at the line of any one thing made wrong."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuelight.testing.goldens import GoldenRun, read_golden, run_golden, scripted
from cuelight.wire import Entry
from golden_agents import Rental

SAYS = ("Well.", "One moment.", "And then?", "That is done.")
CALLS: tuple[dict[str, Any], ...] = (
    {"call": "record_party", "args": {"people": 3}},
    {"call": "record_party", "args": {"people": 40}},
    {"call": "show_prices", "args": {}},
    {"call": "note_guest", "args": {"guest": "Ada"}},
    {"call": "note_guest", "args": {"guest": "Bo"}},
    {"call": "record_boat", "args": {"boat": "Heron"}},
    {"call": "record_boat", "args": {"boat": "submarine"}},
    {"call": "list_boats", "args": {}},
    {"call": "pay", "args": {"code": "7"}},
    {"call": "sing", "args": {"song": "a"}},
    {"call": "note_guest", "args": {"gost": "a"}},
)
TOOLS = ("pay", "list_boats", "note_guest", "record_boat", "record_party", "show_prices")
Calls = st.lists(st.sampled_from(CALLS), min_size=1, max_size=3)
Turns = st.lists(st.tuples(st.lists(Calls, max_size=2), st.sampled_from(SAYS)), min_size=1, max_size=4)


def _play(text: str, name: str) -> tuple[GoldenRun, Path]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        read = read_golden(file)
        script = scripted(read.golden)
        assert script is not None
        return asyncio.run(run_golden(read, Rental, script)), file


def _tell(turns: list[tuple[list[list[dict[str, Any]]], str]]) -> dict[str, Any]:
    """Write a golden that states everything that a conversation brings, by what its log says."""
    golden: dict[str, Any] = {"name": "Everything", "turns": [], "expect": {"no_errors": False}}
    model: list[Any] = []
    for number, (batches, words) in enumerate(turns):
        golden["turns"].append({"say": f"line {number}", "then": [{"reply": {"matches": ".*"}}]})
        model += [*batches, words]
    # What a call that is over or a direct answer leaves unsaid is taken out, until all of it is said.
    while True:
        golden["model"] = model
        run, _ = _play(json.dumps(golden), "it.json")
        if run.failure == "":
            break
        if "it had ended" in run.failure:
            golden["turns"].pop()
        else:
            assert "all replies of the model" in run.failure, run.failure
            model = model[:-1]
    split: list[list[Entry]] = [[]]
    for entry in run.log:
        if entry.type == "turn.user":
            split.append([])
        split[-1].append(entry)
    state: dict[str, Any] = {}
    visible: list[str] = []
    told = []
    for entries in split:
        checks, state, visible = _checks(entries, state, visible)
        told.append(checks)
    golden["turns"] = [{"then": told[0]}] + [
        {**turn, "then": checks} for turn, checks in zip(golden["turns"], told[1:], strict=True)
    ]
    tools = [check["tool"] for checks in told for check in checks if "tool" in check]
    golden["expect"] = {
        **({"tools": tools} if tools else {}),
        "state": state,
        "max_model_requests": run.requests,
    }
    return golden


def _checks(
    entries: list[Entry], state: dict[str, Any], visible: list[str]
) -> tuple[list[dict[str, Any]], dict[str, Any], list[str]]:
    refused = {entry.data["call_id"] for entry in entries if entry.type == "cue.refused"}
    results = {entry.data["call_id"]: entry.data for entry in entries if entry.type == "tool.result"}
    checks: list[dict[str, Any]] = []

    def stand() -> None:
        if state:
            # The log masks the code that was paid with; the golden must not know it.
            checks.append({"state": {name: value for name, value in state.items() if name != "Payment"}})
            checks.append({"step": state["stage"]})
        checks.append({"visible": visible})

    for entry in entries:
        data: Any = entry.data
        if entry.type == "state.changed":
            state = data["state"]
        elif entry.type == "tools.changed":
            visible = data["visible"]
        elif entry.type == "tool.call" and data["call_id"] in refused:
            stand()
            checks.append({"refused": data["name"]})
        elif entry.type == "tool.call":
            stand()
            result = results[data["call_id"]]
            args = {} if data["name"] == "pay" else {"args": data["arguments"]}
            checks.append({"tool": data["name"], **args, "result": result.get("output", result.get("error"))})
        elif entry.type == "cue.route":
            checks.append({"route": {key: value for key, value in data.items() if key != "call_id"}})
        elif entry.type == "error":
            checks.append({"error": data["code"]})
        elif entry.type == "call.ended":
            stand()
            checks.append({"end": data["reason"]})
    stand()
    said = [entry.data["text"] for entry in entries if entry.type == "turn.agent"]
    if said:
        checks.append({"reply": {"says": "\n".join(said)}})
    checks.append({"nothing_else": True})
    state = {name: value for name, value in state.items() if name != "Payment"}
    return checks, state, visible


Spot = tuple[list[str | int], Callable[[Any], Any]]
"""A place in a golden, and how what is stated there is made wrong."""


def _spots(golden: dict[str, Any]) -> Iterator[Spot]:
    called = json.dumps(golden["model"])
    other = next((tool for tool in TOOLS if tool not in called), None)
    for number, turn in enumerate(golden["turns"]):
        for index, check in enumerate(turn["then"]):
            where: list[str | int] = ["turns", number, "then", index]
            if "tool" in check and other is not None:
                yield where, lambda _: {"tool": other}
            for part, value in check.items():
                for place, change in _wrong(part, value, other):
                    yield [*where, part, *place], change
    if other is not None and "tools" in golden["expect"]:
        yield ["expect", "tools"], lambda tools: [*tools, other]
    yield ["expect", "max_model_requests"], lambda most: most - 1
    for place, change in _wrong("state", golden["expect"]["state"], other):
        yield ["expect", "state", *place], change


def _wrong(part: str, value: Any, other: str | None) -> Iterator[tuple[list[str | int], Callable[[Any], Any]]]:
    """Give what can be made wrong in a part of a check; `other` is a tool that is never called."""
    if part == "refused":
        if other is not None:
            yield [], lambda tool: other
    elif part == "step":
        yield [], lambda step: "Payment" if step != "Payment" else "PickBoat"
    elif part == "visible":
        yield [], lambda tools: tools[:-1] if tools else ["pay"]
    elif part == "error":
        yield [], lambda code: f"{code}-not"
    elif part == "end":
        yield [], lambda reason: "caller_hung_up"
    elif part == "reply":
        yield ["says"], lambda words: f"{words} and more"
    elif part in ("args", "result", "state", "route"):
        yield from ((place, _other) for place in _leaves(value) if place not in (["kind"], ["from"], ["to"]))


def _leaves(value: Any) -> Iterator[list[str | int]]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from ([name, *rest] for rest in _leaves(member))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([index, *rest] for rest in _leaves(item))
    else:
        yield []


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return "something else" if value is None else f"{value} not"


def _at(golden: Any, where: list[str | int]) -> Any:
    for step in where:
        golden = golden[step]
    return golden


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(turns=Turns, data=st.data())
def test_what_is_stated_passes_and_any_one_thing_made_wrong_fails_at_its_line(
    turns: list[tuple[list[list[dict[str, Any]]], str]], data: st.DataObject
) -> None:
    golden = _tell(turns)
    written = json.dumps(golden, indent=1)
    run, _ = _play(written, "it.json")
    assert run.failure == ""
    where, change = data.draw(st.sampled_from(list(_spots(golden))))
    right, wrong = golden, json.loads(written)
    spot = _at(wrong, where[:-1])
    spot[where[-1]] = change(_at(right, where))
    name, write = data.draw(st.sampled_from([("it.json", _json), ("it.yaml", _yaml)]))
    text = write(wrong)
    run, file = _play(text, name)
    assert not run.passed, (where, text)
    told = run.failure.split("\n")
    check = where[:4] if where[0] == "turns" else where[:2]
    part = "turn" if where[0] == "turns" else "expect"
    assert told[0].startswith(f"Everything: {part}"), run.failure
    assert told[1].startswith(f"  at        {file}:"), run.failure
    line = int(told[1].rsplit(":", 1)[1])
    first, last = _lines(text, check, wrong)
    if "route" in where:
        # A route that is made wrong may be a later one of its turn, which is then what is missing.
        last = _lines(text, where[:2], wrong)[1]
    assert first <= line <= last, (where, first, last, run.failure)


def _json(golden: Any) -> str:
    return json.dumps(golden, indent=1)


def _yaml(golden: Any) -> str:
    return str(yaml.safe_dump(golden, sort_keys=False))


def _lines(text: str, where: list[str | int], golden: Any) -> tuple[int, int]:
    """Give the first and the last line of a part, from where a mark in it is written."""
    marked = json.loads(json.dumps(golden))
    spot = _at(marked, where[:-1])
    spot[where[-1]] = "HERE"
    write = _json if text.startswith("{") else _yaml
    before = next(number for number, line in enumerate(write(marked).split("\n"), 1) if "HERE" in line)
    return before, before + len(text.split("\n")) - len(write(marked).split("\n"))
