"""One test for each thing that a check finds, each with its place and the mend; and nothing where all is well."""

import pytest

from cuelight import DeclarationRefused, Flow
from cuelight.chart import chart_of, findings_of, prompt_findings

HEAD = "from typing import Literal\nfrom cuelight import *\n"


@pytest.fixture
def check(written):
    """Check the agent of a text; give the findings, each as its severity, code, line, problem and mend."""

    def checked(text, agent):
        module = written(HEAD + text)
        cls = getattr(module, agent)
        chart = chart_of(cls)
        found = (*findings_of(chart), *prompt_findings(chart, cls()))
        assert all(finding.file == module.__file__ for finding in found)
        assert all(finding.place == f"{module.__file__}:{finding.line}" for finding in found)
        return [(f.severity, f.code, f.line, f.problem, f.mend) for f in found]

    return checked


CLEAN = """\
class Ask(Step):
    def get_prompt(self): return "Ask, then call `tell`."
    @tool
    def tell(self, word: str): return Think
class Think(LogicStep):
    def run_logic(self): return Ask if self.flow.n else Bye
class Bye(TerminateSessionStep): pass
class Trip(Flow):
    steps = (Ask, Think, Bye)
    n: int = 0
"""


def test_nothing_is_found_where_all_is_well(check):
    assert check(CLEAN, "Trip") == []
    assert check("class Plain(Agent):\n    @tool\n    def one(self) -> None: ...\n", "Plain") == []


def test_a_step_that_no_route_leads_to(check):
    text = CLEAN.replace("(Ask, Think, Bye)", "(Ask, Think, Bye, Lost)").replace(
        "class Trip", "class Lost(Step):\n    @tool\n    def out(self): return Bye\nclass Trip"
    )
    assert check(text, "Trip") == [
        (
            "error", "unreachable", 10, "No route leads from Ask to step Lost.",
            "Return go(Lost) from a tool or hook that is reached, or take Lost out of `steps`.",
        )
    ]  # fmt: skip


def test_it_is_a_warning_while_a_route_is_computed(check):
    text = CLEAN.replace("(Ask, Think, Bye)", "(Ask, Think, Bye, Lost)").replace(
        "class Trip", "class Lost(Step):\n    @tool\n    def out(self): return Bye\nclass Trip"
    )
    ((severity, code, line, problem, _),) = check(text.replace("return Think", "return go(word)"), "Trip")[:1]
    assert (severity, code, line) == ("warning", "unreachable", 7)
    assert problem.startswith(
        "No route leads from Ask to logic step Think, unless `tell` of Ask does, whose target at "
    )
    assert problem.endswith(".py:6 is computed at run time.")


def test_a_stage_that_no_tool_leads_to_and_what_only_it_shows(check):
    found = check(
        "class Desk(Agent):\n"
        "    stage: Literal[\n"
        "        'a',\n"
        "        'lost',\n"
        "        'b',\n"
        "    ] = 'a'\n"
        "    @tool(stage='a')\n"
        "    def on(self): self.stage = 'b'\n"
        "    @tool(stage='lost')\n"
        "    def never(self): self.stage = 'b'\n",
        "Desk",
    )
    assert found == [
        (
            "error", "unreachable", 6, "No route leads from a to stage lost.",
            "Assign it to `self.stage` in a tool or hook that is reached, or take lost out of the stages.",
        ),
        (
            "error", "tool-never-visible", 12, "Tool `never` of Desk is never visible, as no route leads to lost.",
            "Show it where the conversation comes, or leave it out.",
        ),
    ]  # fmt: skip


def test_a_tool_where_no_model_is_asked(check):
    text = CLEAN + "    @tool(stage=Think)\n    def early(self) -> None: ...\n"
    assert check(text, "Trip") == [
        (
            "error", "tool-never-visible", 14, "Tool `early` of Trip is never visible, as no model is asked there.",
            "Show it where the conversation comes and a model is asked, or leave it out.",
        )
    ]  # fmt: skip


def test_a_target_that_does_not_exist(check):
    assert check(CLEAN.replace("return Think", "return go('Thnk') if word else Think"), "Trip") == [
        (
            "error", "no-such-target", 6, "`tell` of Ask leads to 'Thnk', which Trip does not have.",
            "Its steps are Ask, Think, Bye; did you mean `Think`?",
        )
    ]  # fmt: skip
    text = "class Desk(Agent):\n    stage: Literal['a', 'b']\n    @tool\n    def on(self): self.stage = '{}'\n"
    found = check(text.format("bb") + "    def on_call(self): self.stage = 'b'\n", "Desk")
    assert found[0][3:] == ("`on` leads to 'bb', which Desk does not have.", "Its stages are a, b; did you mean `b`?")
    (found,) = check("class Plain(Agent):\n    @tool\n    def on(self): return go('a')\n", "Plain")
    assert found[1] == "no-such-target"
    assert found[4].startswith("Declare them, as in `stage: Literal[")


def test_a_place_with_no_way_on(check):
    text = CLEAN.replace("(Ask, Think, Bye)", "(Ask, Think, Bye, Stuck)").replace(
        "else Bye", "else Stuck if self else Bye"
    )
    text = text.replace("class Trip", "class Stuck(Step):\n    @tool\n    def again(self): return Stuck\nclass Trip")
    ((*which, problem, _),) = check(text, "Trip")
    assert (*which, problem) == (
        "warning", "no-way-on", 10, "No route leads on from step Stuck, and nothing there ends the call.",
    )  # fmt: skip


def test_the_last_stage_and_one_that_ends_the_call_are_ends(check):
    text = (
        "class Desk(Agent):\n"
        "    stage: Literal['a', 'b', 'c']\n"
        "    @tool(stage='a')\n"
        "    def on(self, x: bool): self.stage = 'b' if x else 'c'\n"
        "    @tool(stage='b')\n"
        "    def over(self) -> None: {}\n"
    )
    assert check(text.format("self.call.end()"), "Desk") == []
    ((severity, code, line, problem, _),) = check(text.format("..."), "Desk")
    assert (severity, code, line) == ("warning", "no-way-on", 4)
    assert problem == "No route leads on from stage b, and nothing there ends the call."


def test_logic_steps_in_a_ring(check):
    text = CLEAN.replace("Ask if self.flow.n else Bye", "Turn if self.flow.n else Bye").replace(
        "class Trip", "class Turn(LogicStep):\n    def run_logic(self): return go(Think)\nclass Trip"
    )
    ((severity, code, line, problem, _),) = check(text.replace("Bye)", "Bye, Turn)"), "Trip")
    assert (severity, code, line) == ("error", "logic-cycle", 7)
    assert "Think to Turn to Think" in problem


def test_a_logic_step_that_leads_to_itself_is_a_ring(check):
    (found,) = check(CLEAN.replace("Ask if self.flow.n", "Think if self.flow.n"), "Trip")
    assert found[1] == "logic-cycle"
    assert "Think to Think" in found[3]


def test_many_targets_of_its_own(check):
    names = [f"S{number}" for number in range(5)]
    text = "".join(f"class {name}(Step):\n    @tool\n    def out(self): return Bye\n" for name in names)
    text += "class Bye(TerminateSessionStep): pass\nclass Hub(Step):\n    @tool\n    def pick(self, n: int):\n"
    text += "".join(f"        if n == 1: return {name}\n" for name in names)
    flow = f"class Trip(Flow):\n    steps = (Hub, {', '.join(names)}, Bye)\n    @tool\n    def bye(self): return Bye\n"
    assert check(text + flow, "Trip") == [
        (
            "warning", "many-targets", 19, "Step Hub leads to 5 places: S0, S1, S2, S3, S4.",
            "Part it, so that each half decides between 4 at most, or let a LogicStep decide.",
        )
    ]  # fmt: skip


def test_a_logic_step_may_lead_to_many(check):
    names = [f"S{number}" for number in range(6)]
    text = "".join(f"class {name}(TerminateSessionStep): pass\n" for name in names)
    text += f"class Hub(LogicStep):\n    def run_logic(self): return go(({', '.join(names)})[self.flow.n])\n"
    text += f"class Trip(Flow):\n    steps = (Hub, {', '.join(names)})\n    n: int = 0\n"
    assert check(text, "Trip") == []


def test_the_frameworks_own_end_has_its_place_in_the_flow(check):
    ask = CLEAN.partition("class Think")[0].replace("return Think", "return Ask")
    flow = "class Trip(Flow):\n    steps = (Ask, TerminateSessionStep)\n"
    assert [(code, line) for _, code, line, _, _ in check(ask + flow, "Trip")] == [("unreachable", 7), ("no-way-on", 3)]


DESK = """\
class Desk(Agent):
    @tool({})
    def book(self, slot: str) -> None: ...
    @tool(effect="write")
    def note(self) -> None: ...
    {}
"""


def test_a_tool_that_cannot_be_taken_back_and_asks_nobody(check):
    assert check(DESK.format("effect='irreversible'", ""), "Desk") == [
        (
            "warning", "irreversible-unasked", 5,
            "Tool `book` of Desk cannot be taken back, and runs without the caller's yes.",
            "Give it `confirm=` with what the caller is asked, or `effect='write'` if it can be taken back.",
        )
    ]  # fmt: skip
    assert check(DESK.format("effect='irreversible', confirm='Shall I book {slot}?'", ""), "Desk") == []


def test_a_judge_of_the_authors_own(check):
    judge = "def consents(self, said): return said == 'aye'"
    assert check(DESK.format("confirm='Shall I book {slot}?'", judge), "Desk") == [
        (
            "warning", "own-judge", 8, "Desk replaces the judge of yes and no that `book` must pass.",
            "See that nothing unclear is a yes to it, or leave `consents` out, so that the lists judge.",
        )
    ]  # fmt: skip
    assert check(DESK.format("", judge), "Desk") == []  # there is nothing for it to judge


PROMPTS = """\
class Ask(Step):
    def get_prompt(self):
        \"\"\"Of `late` this says nothing.\"\"\"
        if self.flow.n:
            words = "Ask. Then call `late`."
            return words
        return "Ask, then call `on`."
    @tool
    def on(self): return More
class More(Step):
    def get_prompt(self): return self.words()
    def words(self): return "Call late_tool or on."
    @tool
    def late(self): return Bye
    @tool
    def late_tool(self): return Bye
class Bye(TerminateSessionStep):
    def get_prompt(self): return "Never call `late_tool`."
class Trip(Flow):
    \"\"\"Use `late_tool`.\"\"\"
    steps = (Ask, More, Bye)
    knowledge = "`help` is there."
    n: int = 0
    @tool(stage=(Ask, More))
    def help(self) -> None: ...
"""


def test_prompts_that_name_a_tool_their_stage_hides(check):
    found = check(PROMPTS, "Trip")
    assert {each[:2] for each in found} == {("warning", "hidden-mention")}
    assert [(line, problem.partition(":")[0]) for _, _, line, problem, _ in found] == [
        (21, "The docstring, or `rules`, names tool `late_tool`, which is hidden in Ask and Bye"),
        (21, "`knowledge` names tool `help`, which is hidden in Bye"),
        (7, "`get_prompt` names tool `late`, which is hidden in Ask"),
        (20, "`get_prompt` names tool `late_tool`, which is hidden in Bye"),
    ]


def test_the_view_of_each_stage_is_asked(check):
    found = check(
        "class Desk(Agent):\n"
        "    stage: Literal['a', 'b', 'c']\n"
        "    @tool(stage='a')\n"
        "    def take_name(self): self.stage = 'b'\n"
        "    @tool(stage='b')\n"
        "    def note(self): self.stage = 'c'\n"
        "    def render(self):\n"
        "        if self.stage == 'c': raise ValueError(self.stage)\n"
        "        return 'Call take_name.'\n",
        "Desk",
    )
    assert [(line, problem.partition(":")[0]) for _, _, line, problem, _ in found] == [
        (9, "`render` names tool `take_name`, which is hidden in b")
    ]


def test_a_base_has_no_map():
    with pytest.raises(DeclarationRefused, match="it is a base"):
        chart_of(Flow)
    with pytest.raises(DeclarationRefused, match="it is a base"):
        chart_of(type("Base", (Flow,), {}))
