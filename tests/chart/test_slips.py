"""Slips in handlers: each is found where it is written, and what looks nearly like it is not."""

import pytest

from cuelight.chart import chart_of, slip_findings

HEAD = "from typing import Literal\nfrom cuelight import *\n"
FLOW = HEAD + (
    "class Offer(Step):\n"
    "    price: int = 0\n"
    "class Bye(TerminateSessionStep): pass\n"
    "class Ask(Step):\n"
    "    fault: str = ''\n"
    "    @tool\n"
    "    def tell(self, word: str):\n"
    "        '''Tells a word.'''\n"
    "        {}\n"
    "        return Bye\n"
    "class Trip(Flow):\n"
    "    steps = (Ask, Offer, Bye)\n"
    "    seats: int = 0\n"
)
DESK = HEAD + (
    "class Desk(Agent):\n"
    "    stage: Literal['who', 'book', 'done'] = 'who'\n"
    "    name: str = ''\n"
    "    @tool\n"
    "    def tell(self, word: str):\n"
    "        '''Tells a word.'''\n"
    "        {}\n"
)


@pytest.fixture
def slips(written):
    """Give what is found in an agent, each as its severity, code, line, problem and mend."""

    def found(text, agent):
        module = written(text)
        findings = slip_findings(getattr(module, agent))
        assert all(finding.place == f"{module.__file__}:{finding.line}" for finding in findings)
        return [(f.severity, f.code, f.line, f.problem, f.mend) for f in findings]

    return found


@pytest.fixture
def told(slips):
    """The same of the flow, with the line of its tool."""
    return lambda line, text=FLOW: slips(text.format(line), "Trip" if text is FLOW else "Desk")


@pytest.fixture
def codes(told):
    return lambda line, text=FLOW: [code for _, code, *_ in told(line, text)]


def test_nothing_is_found_where_all_is_well(told):
    assert told("...") == []
    assert told("self.stage = 'done'", DESK) == []


# --- dropped-route ----------------------------------------------------------------------------------------------------


def test_a_route_that_is_built_and_not_returned(told):
    dropped = "`tell` of Ask builds a route and does not return it: nothing follows it."
    assert told("go(Offer)") == [("error", "dropped-route", 11, dropped, "Write `return go(...)`.")]
    assert told("if word: stay('Ask again.')")[0][3:] == (dropped, "Write `return stay(...)`.")
    assert told("direct('Done.')")[0][4] == "Write `return direct(...)`."


@pytest.mark.parametrize(
    "line",
    [
        "go(Offer).with_prompt('Say it.').with_state(price=1)",
        "go(Offer) if word else stay()",
        "word and go(Offer)",
        "on = go; on(Offer)",
        "import cuelight; cuelight.go(Offer)",
        "def inner(): go(Offer)\n        inner()",
    ],
)
def test_it_is_found_in_every_form(codes, line):
    assert set(codes(line)) == {"dropped-route"}


def test_a_builder_whose_new_route_is_dropped(told):
    line = "route = go(Offer); route.with_state(price=1)\n        return route"
    assert told(line) == [
        (
            "error", "dropped-route", 11, "`tell` of Ask builds a route and does not return it: nothing follows it.",
            "A builder gives a new route; write `route = route.with_state(...)`.",
        )
    ]  # fmt: skip


def test_it_is_found_in_the_functions_that_handlers_call(slips):
    text = FLOW.format("move(self)").replace("class Offer", "def move(step):\n    go(Bye)\nclass Offer")
    assert [(code, line, problem.split()[0]) for _, code, line, problem, _ in slips(text, "Trip")] == [
        ("dropped-route", 4, "`move`")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "return go(Offer)",
        "route = go(Offer)\n        return route",
        "routes = [go(Offer)]\n        return routes[0]",
        "return stay('Again.') if not word else go(Offer)",
        "print(word)",
        "self.save_state(fault=word)",
        "super().get_prompt()",
        "def go(step): ...\n        go(Offer)",
    ],
)
def test_what_is_returned_or_no_route_is_not_dropped(codes, line):
    assert codes(line) == []


def test_a_tool_that_goes_elsewhere_than_the_one_it_overrides(slips):
    text = FLOW.format("...").replace(
        "class Trip", "class Other(Ask):\n    @tool\n    def tell(self, word: str):\n"
        "        super().tell(word)\n        return go(Offer)\nclass Trip",
    ).replace("(Ask,", "(Ask, Other,")  # fmt: skip
    assert slips(text, "Trip") == []


def test_what_is_dropped_is_not_drawn(written):
    def drawn(line):
        return {route.target for route in chart_of(written(FLOW.format(line)).Trip).routes}

    assert drawn("go(Offer)") == drawn("go(Offer).with_prompt('x')") == drawn("word and go(Offer)") == {"Bye"}
    assert drawn("route = go(Offer)\n        if word: return route") == {"Bye", "Offer"}
    assert drawn("if word: return go(Offer)") == {"Bye", "Offer"}


# --- returns-a-name ---------------------------------------------------------------------------------------------------


def test_the_name_of_a_step_as_text(told):
    assert told("if word: return 'Offer'") == [
        (
            "warning", "returns-a-name", 11,
            "`tell` of Ask returns 'Offer', the name of a step, as a text: that leads nowhere.",
            "Write `return Offer`.",
        )
    ]  # fmt: skip
    assert told("return 'book'", DESK)[0][3:] == (
        "`tell` of Desk returns 'book', the name of a stage, as a text: that leads nowhere.",
        'Write `return go("book")`.',
    )


def test_it_is_found_in_the_hooks_that_may_route(slips):
    text = FLOW.format("...").replace(
        "class Trip", "class Think(LogicStep):\n    def run_logic(self): return 'Bye'\nclass Trip"
    )
    text = text.replace("(Ask,", "(Ask, Think,") + "    def on_call(self): return 'Offer'\n"
    text = text.replace("    price: int = 0\n", "    def on_response(self, text): return 'Bye'\n")
    assert {(code, problem.split()[0]) for _, code, _, problem, _ in slips(text, "Trip")} == {
        ("returns-a-name", f"`{hook}`") for hook in ("on_call", "on_response", "run_logic")
    }


def test_other_texts_and_what_is_no_handler_are_fine(codes, slips):
    assert codes("return 'Offered'") == []
    assert codes("return go('Offer')") == []
    # Where it is the result, and says where the assignment has led.
    assert codes("self.stage = 'done'\n        return 'done'", DESK) == []
    assert slips(FLOW.format("...").replace("fault: str = ''", "def get_prompt(self): return 'Offer'"), "Trip") == []


# --- unknown-name -----------------------------------------------------------------------------------------------------


def test_a_name_that_is_bound_nowhere(told):
    assert told("if word: return go(Ofer)") == [
        (
            "error", "unknown-name", 11,
            "`tell` of Ask names `Ofer`, which is bound nowhere: it would raise NameError.",
            "Its steps are Ask, Offer, Bye; did you mean `Offer`?",
        )
    ]  # fmt: skip
    assert told("return Quote")[0][1:] == (
        "unknown-name", 11, "`tell` of Ask names `Quote`, which is bound nowhere: it would raise NameError.",
        "Define it, or correct the name.",
    )  # fmt: skip
    assert told("return go(book)", DESK)[0][4] == 'A stage is named by a text: write go("book").'


@pytest.mark.parametrize(
    "line",
    [
        "return go(Offer if word else Ofer)",
        "return word and Ofer",
        "return go({'x': Ofer}[word]).with_prompt('x')",
        "return go(target=Ofer)",
    ],
)
def test_such_a_name_is_found_in_every_form(codes, line):
    assert codes(line) == ["unknown-name"]


def test_what_is_not_imported(slips):
    text = FLOW.format("return go(Offer)").replace("import *", "import Flow, Step, TerminateSessionStep, tool")
    assert [(code, mend) for _, code, _, _, mend in slips(text, "Trip")] == [
        ("unknown-name", "Import it: `from cuelight import go`.")
    ]
    text = FLOW.format("return go(Offer)") + "del Offer\n"
    assert [(code, mend) for _, code, _, _, mend in slips(text, "Trip")] == [
        ("unknown-name", "Import it where it is named.")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "from cuelight import TerminateSessionStep as Ofer\n        return Ofer if not self else Bye",
        "Ofer = Offer\n        return go(Ofer)",
        "for Ofer in (Offer, Bye): return go(Ofer)",
        "return go(next(Ofer for Ofer in (Offer, Bye) if Ofer))",
        "return go(word)",
        "return (lambda Ofer: go(Ofer))(Offer)",
        "return (Ofer := Offer)",
        "return self",
        "return int",
        "return __name__",
    ],
)
def test_what_is_bound_is_known(codes, line):
    assert codes(line) == []


def test_names_of_an_enclosing_function_are_bound(written):
    text = FLOW.format("return go(Near)").partition("class Offer")
    body = "".join(f"    {line}\n" for line in ("class Offer" + text[2]).splitlines())
    module = written(f"{HEAD}def made():\n    class Near(TerminateSessionStep): pass\n{body}    return Trip\n".replace(
        "(Ask,", "(Ask, Near,"
    ))  # fmt: skip
    assert slip_findings(module.made()) == ()


# --- unknown-field ----------------------------------------------------------------------------------------------------


def test_fields_that_are_not_declared(told):
    assert told("self.save_state(falt=word)") == [
        (
            "warning", "unknown-field", 11,
            "`tell` of Ask writes `falt` of Ask, which has no such field: it would raise UndeclaredField.",
            "Its fields are fault; did you mean `fault`?",
        )
    ]  # fmt: skip
    assert told("return go(Offer).with_state(word=1)")[0][3:] == (
        "`tell` of Ask writes `word` of Offer, which has no such field: it would raise UndeclaredField.",
        "Its fields are price.",
    )
    assert told("return go('book').with_state(nam=word)", DESK)[0][4] == (
        "Its fields are stage, name; did you mean `name`?"
    )


@pytest.mark.parametrize(
    "line",
    [
        "self.save_state({'falt': word})",
        "self.flow.save_step_state(Offer, prize=1)",
        "self.flow.save_step_state('Offer', {'prize': 1})",
        "route = go(Offer).with_prompt('x')\n        return route.with_state(prize=1)",
        "return stay().with_state(falt='x')",
        "return go(Offer if word else Bye).with_state(prize=1)",
    ],
)
def test_they_are_found_in_every_form(codes, line):
    assert codes(line) == ["unknown-field"]


@pytest.mark.parametrize(
    "line",
    [
        "self.save_state(fault=word)",
        "self.save_state({word: 1})",
        "self.save_state(**{word: 1})",
        "self.flow.save_step_state(Offer, price=1)",
        "return go(Offer).with_state(price=1)",
        "return go(word).with_state(prize=1)",
        "return go(Bye).with_state(anything=1)",  # a step without fields keeps it
        "return stay().with_state(fault='x')",
        "dict().update(falt=1)",
    ],
)
def test_declared_and_computed_names_are_fine(codes, line):
    assert codes(line) == []


# --- prompt-never-shown -----------------------------------------------------------------------------------------------

BRINGS = FLOW.replace("price: int = 0", "{}").replace("\n        {}\n", "\n        return go(Offer).with_prompt('x')\n")


def test_a_prompt_that_the_step_never_gives(slips):
    assert slips(BRINGS.format("def get_prompt(self): return 'Offer it.'"), "Trip") == [
        (
            "warning", "prompt-never-shown", 11,
            "`tell` of Ask brings a prompt to Offer, whose `get_prompt` never gives it.",
            "Begin that with `super().get_prompt() or`, or leave `with_prompt` out.",
        )
    ]  # fmt: skip


def test_a_step_that_inherits_such_a_prompt(slips):
    base = "class Base(Step):\n    def get_prompt(self): return {}\nclass Offer(Base):\n    "
    text = BRINGS.replace("class Offer(Step):\n    ", "{}")
    own = "def get_prompt(self): return super().get_prompt() or 'Offer it.'"
    assert [code for _, code, *_ in slips(text.format(base.format("'x'"), "pass"), "Trip")] == ["prompt-never-shown"]
    assert [code for _, code, *_ in slips(text.format(base.format("'x'"), own), "Trip")] == ["prompt-never-shown"]
    assert slips(text.format(base.format("super().get_prompt()"), own), "Trip") == []


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "def get_prompt(self): return super().get_prompt() or 'Offer it.'",
        "def get_prompt(self): return self._prompt or 'Offer it.'",
        "def get_prompt(self): return Step.get_prompt(self)",
        "def get_prompt(self): return self._words()\n    def _words(self): return super().get_prompt() or 'x'",
    ],
)
def test_a_prompt_that_is_asked_for(slips, body):
    assert slips(BRINGS.format(body), "Trip") == []


def test_a_prompt_for_a_logic_step(slips):
    text = BRINGS.replace("class Offer(Step):\n    {}", "class Offer(LogicStep):\n    def run_logic(self): return Bye")
    assert [(code, problem) for _, code, _, problem, _ in slips(text, "Trip")] == [
        ("prompt-never-shown", "`tell` of Ask brings a prompt to Offer, where no model is asked.")
    ]


def test_another_step_may_give_no_prompt(slips):
    text = BRINGS.replace("go(Offer)", "go(Bye)").format("def get_prompt(self): return 'Offer it.'")
    assert slips(text, "Trip") == []
