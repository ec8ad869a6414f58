"""Methods that are not what they were meant as, and prompts that raise; beside each, what is right."""

import pytest

from cuelight import Agent
from cuelight.chart import chart_of, prompt_findings, slip_findings

FLOW = """\
from cuelight import *
class Base:
    pass
class Ask(Step):
    fault: str | None = None
    names: list[str] | None = None
    {}
    @tool
    def tell(self, word: str):
        '''Tells a word.'''
        return Bye
class Bye(TerminateSessionStep): pass
class Trip(Flow):
    steps = (Ask, Bye)
    def __init__(self):
        self._menu = ()
"""
DESK = """\
from cuelight import *
class Desk(Agent):
    {}
    @tool
    def tell(self, word: str) -> None:
        '''Tells a word.'''
"""


@pytest.fixture
def slips(written):
    """Give what is found in an agent whose class has some lines, each as its severity, code, line, problem and mend."""

    def found(lines, text=FLOW):
        module = written(text.format(lines.replace("\n", "\n    ")))
        agent = module.Trip if text is FLOW else module.Desk
        findings = (*slip_findings(agent), *prompt_findings(chart_of(agent), agent()))
        return [(f.severity, f.code, f.line, f.problem, f.mend) for f in findings]

    return found


@pytest.fixture
def codes(slips):
    return lambda lines, text=FLOW: [code for _, code, *_ in slips(lines, text)]


# --- no-tool ----------------------------------------------------------------------------------------------------------


def test_a_method_that_routes_and_that_nothing_calls(slips):
    assert slips("def move(self, word: str):\n    return go(Bye)") == [
        (
            "warning", "no-tool", 7,
            "`move` of Ask returns a route, but it is no tool and no hook, and nothing calls it.",
            "Is @tool missing above it? What your own code calls begins with an underscore.",
        )
    ]  # fmt: skip


def test_it_is_found_in_a_flow_and_in_an_agent(codes, written):
    assert codes("def move(self): return go('x')", DESK) == ["no-tool"]
    text = FLOW.format("pass") + "    def move(self): return Bye\n"
    assert [finding.code for finding in slip_findings(written(text).Trip)] == ["no-tool"]


@pytest.mark.parametrize(
    "lines",
    [
        "@tool\ndef move(self):\n    '''Moves.'''\n    return Bye",
        "def _move(self): return Bye",
        "def move(self): return Bye\ndef on_response(self, text): return self.move()",
        "def move(self): return Bye\nways = ('move',)",  # named, so perhaps looked up by its name
        "def words(self): return 'go'",
        "def on_response(self, text): return go(Bye)",
        "@property\ndef later(self): return None",
    ],
)
def test_tools_hooks_helpers_and_what_does_not_route_are_fine(codes, lines):
    assert codes(lines) == []


# --- hook-misspelt ----------------------------------------------------------------------------------------------------


def test_a_hook_that_is_misspelt(slips):
    assert slips("def on_entr(self): ...") == [
        (
            "warning", "hook-misspelt", 7, "`on_entr` of Ask has nearly the name of the hook `on_enter`, and nothing "
            "calls it.", "Call it `on_enter`, or give it a name that is not so near.",
        )
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["on_crosing", "get_promt", "on_respons", "onExit", "getprompt", "on_enters"])
def test_hooks_of_steps(codes, name):
    assert codes(f"def {name}(self, *args): return go(Bye)") == ["hook-misspelt"]


@pytest.mark.parametrize("name", ["on_cal", "rendr", "on_evnt", "consent", "onEnd"])
def test_hooks_of_agents(codes, name):
    assert codes(f"def {name}(self, *args): ...", DESK) == ["hook-misspelt"]


def test_hooks_of_flows_and_logic_steps(written):
    text = FLOW.format("pass").replace("(Ask, Bye)", "(Ask, Think, Bye)").replace(
        "class Trip",
        "class Think(LogicStep):\n    def run_logic(self): return Bye\n    def run_logc(self): return Ask\nclass Trip",
    ) + "    def define_step(self): ...\n"  # fmt: skip
    found = slip_findings(written(text).Trip)
    assert [(finding.code, finding.mend.split(",")[0]) for finding in found] == [
        ("hook-misspelt", "Call it `define_steps`"), ("hook-misspelt", "Call it `run_logic`"),
    ]  # fmt: skip


def test_the_hooks_that_are_named_are_there(slips):
    ((*_, mend),) = slips("def on_enter(self): ...", DESK)
    names = mend.removeprefix("The hooks there are ").partition(";")[0].split(", ")
    assert len(names) == 5
    assert all(callable(getattr(Agent, name)) for name in names)


def test_a_hook_of_another_kind_of_class(slips):
    assert slips("def on_enter(self): ...", DESK) == [
        (
            "warning", "hook-misspelt", 3, "`on_enter` of Desk is no hook of an agent, and nothing calls it.",
            "The hooks there are render, consents, on_call, on_event, on_end; write it in a class that has it, or give "
            "it another name.",
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        "def on_enter(self): ...\ndef on_crossing(self, message, prior): return message",
        "def on_error(self): ...",
        "def on_leave(self): ...",
        "def prompt(self): ...",
        "def _on_entr(self): ...",
        "def on_entry(self): ...\ndef on_enter(self): self.on_entry()",
        "@tool\ndef on_entry(self) -> None:\n    '''Lets somebody in.'''",
        "on_entr: str = ''",
    ],
)
def test_hooks_and_other_names_are_fine(codes, lines):
    assert codes(lines) == []


# --- hook-routes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hook", ["on_enter(self)", "on_exit(self)", "on_crossing(self, message, prior)"])
def test_a_hook_of_a_transition_that_routes(slips, hook):
    name = hook.partition("(")[0]
    assert slips(f"def {hook}:\n    if self.fault:\n        return go(Bye)") == [
        (
            "error", "hook-routes", 9,
            f"`{name}` of Ask returns a route, which is refused: the move is under way already.",
            "Return it from the tool that leads here, or put a LogicStep there, whose `run_logic` decides.",
        )
    ]  # fmt: skip


def test_it_may_return_anything_else(codes):
    assert codes("def on_enter(self): return Bye") == ["hook-routes"]
    assert codes("def on_enter(self): return stay('x')") == ["hook-routes"]
    assert codes("def on_enter(self): return None") == []
    assert codes("def on_crossing(self, message, prior): return 'Bye'") == []


# --- undescribed-tool -------------------------------------------------------------------------------------------------


def test_a_tool_without_a_docstring(slips):
    problem = "Tool `say` of Ask has no docstring, so that a model has only its name to choose it by."
    mend = "Say in a docstring what it does, and when it is to be called."
    assert slips("@tool(name='say')\ndef speak(self) -> None: ...") == [
        ("warning", "undescribed-tool", 8, problem, mend)
    ]
    only_arguments = (
        "@tool(name='say')\ndef speak(self, word: str) -> None:\n    '''\n    Args:\n        word: one.\n    '''"
    )
    assert slips(only_arguments)[0][1] == "undescribed-tool"


def test_a_tool_that_overrides_another_has_its_docstring(written):
    text = DESK.format("pass") + "class Other(Desk):\n    @tool\n    def tell(self, word: str) -> None: ...\n"
    assert slip_findings(written(text).Other) == ()


# --- prompt-raises ----------------------------------------------------------------------------------------------------


def test_a_prompt_that_raises(slips):
    assert slips("def get_prompt(self):\n    return 'Ask.' + 1") == [
        (
            "warning", "prompt-raises", 8,
            '`get_prompt` of Ask raises TypeError in a new call: can only concatenate str (not "int") to str.',
            "Mend it; until then the model is asked without these words.",
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("def get_prompt(self): return wrds", "NameError"),
        ("def get_prompt(self): return self.falt", "AttributeError"),
        ("def get_prompt(self): return f'{self.flow.step(Ask).falt}'", "AttributeError"),
        ("def get_prompt(self): return 5", "TypeError"),
        ("def get_prompt(self): return stay('x')", "OutsideHandler"),
        ("def get_prompt(self):\n    self.save_state(fault='x')", "OutsideHandler"),
    ],
)
def test_what_no_state_explains(slips, lines, error):
    ((severity, code, _, problem, _),) = slips(lines)
    assert (severity, code) == ("warning", "prompt-raises")
    assert error in problem


def test_render_too(slips):
    ((_, code, line, problem, _),) = slips("def render(self): return self.nam", DESK)
    assert (code, line) == ("prompt-raises", 3)
    assert problem.startswith("`render` of Desk raises AttributeError")


@pytest.mark.parametrize(
    "lines",
    [
        "def get_prompt(self): return self.fault + '!'",
        "def get_prompt(self): return self.fault.upper()",
        "def get_prompt(self): return ', '.join(self.names)",
        "def get_prompt(self): return ', '.join(self.flow.step(Ask).names)",
        "def get_prompt(self): return self.flow._menu[0]",
        "def get_prompt(self): return self.saved['word']",
        "def get_prompt(self): return self.call.channel",
        "def get_prompt(self): return f'{int(self.flow.step(Bye).saved.get(0, []))}'",
        "def get_prompt(self):\n    for dish in self.flow._menu: last = dish\n    return last",
        "def get_prompt(self): return self._note\ndef on_enter(self): self._note = 'x'",
        "def get_prompt(self): raise ValueError(self)",
        "def get_prompt(self): return self.fault",
    ],
)
def test_what_the_call_or_its_state_may_mend(codes, lines):
    assert codes(lines) == []
