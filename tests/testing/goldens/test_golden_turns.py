"""Each kind of check passes where it holds, and fails at its line where the smallest part of it does not."""

import pytest

from golden_agents import Bakery
from golden_making import Desk

BREAD = """
name: Bread
today: 2026-12-01
model:
  - [Let me see., {call: look, args: {sort: cake}}, {call: look, args: {sort: oven}}, {call: look, args: {sort: spelt}}]
  - We have spelt.
  - [{call: put, args: {loaves: 4}}, {call: put, args: {loaves: 6, sort: spelt}}, {call: charge, args: {pin: "123"}}]
  - {call: finish}
  - That makes 30 euros. Your PIN?
  - {call: charge, args: {pin: "123", note: quick}}
  - Paid.
  - {call: hang_up}
turns:
  - then:
      - reply: {says: good day, not: bye}
      - stage: choose
      - visible: [look, finish, put, hang_up]
  - say: Have you cake?
    then:
      - tool: look
        args: {sort: cake}
        result: We have no cake.
      - tool: look
        args: {sort: oven}
      - tool: look
        args: {sort: spelt}
        result: There is spelt.
      - error: handler-raised
      - reply: {says: [let me see, WE  HAVE SPELT], says_any: [rye, spelt], matches: "^Let.*\\nWe"}
  - say: Ten then, some of them spelt
    then:
      - state: {loaves: 0}
      - tool: put
        args: {loaves: 4}
        result: {loaves: 4, day: 2026-12-01}
      - state: {loaves: 4, sorts: [rye]}
      - tool: put
        args: {loaves: 6.0}
      - visible: [put, finish, look, hang_up]
      - refused: charge
      - stage: choose
      - nothing_else: true
      - tool: finish
        result: input validated
      - stage: pay
      - state: {price: 30, gift: false}
  - event: {name: bread.ready, data: {gift: true}}
    then:
      - reply: {says: The bread is ready, not: [pin]}
      - no_tool: true
      - state: {gift: true}
  - wait: 2.5
    then:
      - nothing_else: true
  - say: "123"
    then:
      - tool: charge
        args: {note: quick}
        result: {loaves: 10, sorts: [rye, spelt]}
      - stage: done
  - say: Bye
    then:
      - tool: hang_up
      - end: agent_hung_up
"""

OPENING = """
  what came in this turn:
       2  state.changed   {"stage":"choose","loaves":0,"sorts":[],"gift":false,"pin":"[private]","price":0.0}
       8  turn.agent      "Good day!"

  stage     choose
  visible   put, finish, look, hang_up"""

CAKE = """
  what came in this turn:
       9  turn.user       "Have you cake?"
      13  tool.call       look {"sort":"cake"}
      14  tool.call       look {"sort":"oven"}
      15  tool.call       look {"sort":"spelt"}
      16  tool.result     look → We have no cake.
      17  error           handler-raised: Tool look raised RuntimeError (golden_agents.py:LINE): the oven is on fire
      18  tool.result     look → The tool failed, and nothing it may have found can be used. Do not say that it was done.
      19  tool.result     look → "There is spelt."
      23  turn.agent      "Let me see.\\nWe have spelt."

  stage     choose
  visible   put, finish, look, hang_up
  view      In the basket: 0 loaves."""  # noqa: E501

TEN = """
  what came in this turn:
      25  turn.user       "Ten then, some of them spelt"
      28  tool.call       put {"loaves":4}
      29  tool.result     put → {"loaves":4,"sorts":["rye"],"day":"2026-12-01"}
      30  state.changed   {"loaves":4,"sorts":["rye"],"price":12.0}
      31  tool.call       put {"loaves":6,"sort":"spelt"}
      32  tool.result     put → {"loaves":10,"sorts":["rye","spelt"],"day":"2026-12-01"}
      33  state.changed   {"loaves":10,"sorts":["rye","spelt"],"price":30.0}
      34  tool.call       charge {"pin":"[private]"}
      35  tool.result     charge → Nothing was done: that tool cannot be called now. These can: put, finish, look, hang_up.
      36  cue.refused     {"name":"charge","reason":"hidden"}
      40  tool.call       finish {}
      41  tool.result     finish → "input validated"
      42  state.changed   {"stage":"pay"}
      47  turn.agent      "That makes 30 euros. Your PIN?"

  stage     pay
  visible   charge, discount, deliver, hang_up
  view      In the basket: 10 loaves."""  # noqa: E501

READY = """
  what came in this turn:
      49  event.received  {"name":"bread.ready","data":{"gift":true},"source":"app"}
      51  turn.agent      "The bread is ready."
      52  state.changed   {"gift":true}

  stage     pay
  visible   charge, discount, deliver, hang_up
  view      In the basket: 10 loaves."""

PAID = """
  what came in this turn:
      53  turn.user       "123"
      56  tool.call       charge {"pin":"[private]","note":"quick"}
      57  tool.result     charge → {"loaves":10,"sorts":["rye","spelt"],"card":"[private]"}
      58  state.changed   {"pin":"[private]","stage":"done"}
      63  turn.agent      "Paid."

  stage     done
  visible   hang_up
  view      In the basket: 10 loaves."""

BYE = """
  what came in this turn:
      65  turn.user       "Bye"
      68  tool.call       hang_up {}
      69  tool.result     hang_up → "input validated"
      71  call.ended      agent_hung_up

  stage     done
  visible   hang_up
  view      In the basket: 10 loaves."""

REFUSED = "Nothing was done: that tool cannot be called now. These can: put, finish, look, hang_up."
ON_FIRE = "an error handler-raised: Tool look raised RuntimeError (golden_agents.py:LINE): the oven is on fire"
OPENS, ASKS, TAKES = (
    "turn 1 (the opening)",
    "turn 2 (say: Have you cake?)",
    "turn 3 (say: Ten then, some of them spelt)",
)
HEARS, PAYS, LEAVES = "turn 4 (event: bread.ready)", "turn 6 (say: 123)", "turn 7 (say: Bye)"
SPELT = "“Let me see.\nWe have spelt.”"

# What is changed, into what; the turn and the check that fail then, with their line; what was expected, what came.
CASES = [
    ("says: good day", "says: good night", OPENS, 1, 14, "the reply says “good night”", "“Good day!”"),
    ("not: bye", "not: DAY", OPENS, 1, 14, "the reply does not say “DAY”", "“Good day!”"),
    (
        "- stage: choose\n      - visible: [look",
        "- stage: pay\n      - visible: [look",
        OPENS,
        2,
        15,
        "stage pay",
        "stage choose",
    ),
    (
        "[look, finish, put, hang_up]",
        "[look, finish, put]",
        OPENS,
        3,
        16,
        "visible look, finish, put",
        "visible put, finish, look, hang_up",
    ),
    ("[look, finish, put, hang_up]", "[]", OPENS, 3, 16, "visible none", "visible put, finish, look, hang_up"),
    (
        "args: {sort: cake}\n",
        "args: {sort: pie}\n",
        ASKS,
        1,
        19,
        'tool look {"sort":"pie"} → "We have no cake."',
        'look {"sort":"cake"} (args.sort is "cake")',
    ),
    (
        "We have no cake.",
        "We have cake.",
        ASKS,
        1,
        19,
        'tool look {"sort":"cake"} → "We have cake."',
        'look {"sort":"cake"} → "We have no cake." (result is "We have no cake.")',
    ),
    (
        "args: {sort: oven}\n",
        "args: {sort: spelt}\n",
        ASKS,
        3,
        24,
        'tool look {"sort":"spelt"} → "There is spelt."',
        "it did not come",
    ),
    ("error: handler-raised", "error: handler-timeout", ASKS, 4, 27, "an error handler-timeout", ON_FIRE),
    (
        "result: There is spelt.",
        "result: There is rye.",
        ASKS,
        3,
        24,
        'tool look {"sort":"spelt"} → "There is rye."',
        'look {"sort":"spelt"} → "There is spelt." (result is "There is spelt.")',
    ),
    ("WE  HAVE SPELT", "we have rye", ASKS, 5, 28, "the reply says “we have rye”", SPELT),
    ("says_any: [rye, spelt]", "says_any: [rye, wheat]", ASKS, 5, 28, 'the reply says one of ["rye","wheat"]', SPELT),
    ("^Let.*\\nWe", "^We", ASKS, 5, 28, "the reply matches ^We", SPELT),
    ("state: {loaves: 0}", "state: {loaves: 4}", TAKES, 1, 31, 'state {"loaves":4}', "state.loaves is 0"),
    ("state: {loaves: 0}", "state: {loaves: false}", TAKES, 1, 31, 'state {"loaves":false}', "state.loaves is 0"),
    (
        "args: {loaves: 4}\n        result",
        "args: {loaves: 5}\n        result",
        TAKES,
        2,
        32,
        'tool put {"loaves":5} → {"loaves":4,"day":"2026-12-01"}',
        'put {"loaves":4} (args.loaves is 4)',
    ),
    (
        "args: {loaves: 4}\n        result",
        "args: {loaves: 4, sort: rye}\n        result",
        TAKES,
        2,
        32,
        'tool put {"loaves":4,"sort":"rye"} → {"loaves":4,"day":"2026-12-01"}',
        'put {"loaves":4} (args.sort is not there)',
    ),
    (
        "{loaves: 4, day: 2026-12-01}",
        "{loaves: 4, day: 2026-12-02}",
        TAKES,
        2,
        32,
        'tool put {"loaves":4} → {"loaves":4,"day":"2026-12-02"}',
        'put {"loaves":4} → {"loaves":4,"sorts":["rye"],"day":"2026-12-01"} (result.day is "2026-12-01")',
    ),
    (
        "sorts: [rye]}\n      - tool",
        "sorts: [rye, rye]}\n      - tool",
        TAKES,
        3,
        35,
        'state {"loaves":4,"sorts":["rye","rye"]}',
        'state.sorts is ["rye"]',
    ),
    (
        "sorts: [rye]}\n      - tool",
        "sorts: [wheat]}\n      - tool",
        TAKES,
        3,
        35,
        'state {"loaves":4,"sorts":["wheat"]}',
        'state.sorts[0] is "rye"',
    ),
    (
        "loaves: 6.0",
        "loaves: 4",
        TAKES,
        4,
        36,
        'tool put {"loaves":4}',
        'put {"loaves":6,"sort":"spelt"} (args.loaves is 6)',
    ),
    (
        "[put, finish, look, hang_up]",
        "[put, finish, look, hang_up, charge]",
        TAKES,
        5,
        38,
        "visible put, finish, look, hang_up, charge",
        "visible put, finish, look, hang_up",
    ),
    ("refused: charge", "tool: charge", TAKES, 6, 39, "tool charge", f"its call was refused: {REFUSED}"),
    ("refused: charge", "refused: put", TAKES, 6, 39, "a call of put is refused", "it did not come"),
    ("refused: charge", "refused: finish", TAKES, 6, 39, "a call of finish is refused", "it ran"),
    ("stage: choose\n      - nothing", "stage: pay\n      - nothing", TAKES, 7, 40, "stage pay", "stage choose"),
    ("      - refused: charge\n", "", TAKES, 7, 40, "nothing else", "refused charge, at entry 34"),
    (
        "      - tool: put\n        args: {loaves: 6.0}\n",
        "",
        TAKES,
        3,
        35,
        'state {"loaves":4,"sorts":["rye"]}',
        "state.loaves is 10",
    ),
    ("tool: finish\n", "tool: hang_up\n", TAKES, 9, 42, 'tool hang_up → "input validated"', "it did not come"),
    ("tool: finish\n", "tool: deliver\n", TAKES, 9, 42, 'tool deliver → "input validated"', "it did not come"),
    (
        "result: input validated",
        "result: null",
        TAKES,
        9,
        42,
        "tool finish → null",
        'finish {} → "input validated" (result is "input validated")',
    ),
    (
        "- stage: pay\n      - state: {price",
        "- stage: choose\n      - state: {price",
        TAKES,
        10,
        44,
        "stage choose",
        "stage pay",
    ),
    (
        "{price: 30, gift: false}",
        "{price: 31, gift: false}",
        TAKES,
        11,
        45,
        'state {"price":31,"gift":false}',
        "state.price is 30.0",
    ),
    (
        "{price: 30, gift: false}",
        "{price: 30, gift: 0}",
        TAKES,
        11,
        45,
        'state {"price":30,"gift":0}',
        "state.gift is false",
    ),
    (
        "{price: 30, gift: false}",
        "{price: '30', gift: false}",
        TAKES,
        11,
        45,
        'state {"price":"30","gift":false}',
        "state.price is 30.0",
    ),
    ("{price: 30, gift: false}", "{price: null}", TAKES, 11, 45, 'state {"price":null}', "state.price is 30.0"),
    ("not: [pin]", "not: [pin, bread]", HEARS, 1, 48, "the reply does not say “bread”", "“The bread is ready.”"),
    ("state: {gift: true}", "state: {gift: false}", HEARS, 3, 50, 'state {"gift":false}', "state.gift is true"),
    (
        "args: {note: quick}",
        "args: {note: quick, pin: '124'}",
        PAYS,
        1,
        56,
        'tool charge {"note":"quick","pin":"124"} → {"loaves":10,"sorts":["rye","spelt"]}',
        'charge {"pin":"[private]","note":"quick"} (args.pin is "[private]")',
    ),
    (
        "{loaves: 10, sorts: [rye, spelt]}",
        "{card: ''}",
        PAYS,
        1,
        56,
        'tool charge {"note":"quick"} → {"card":""}',
        'charge {"pin":"[private]","note":"quick"} → {"loaves":10,"sorts":["rye","spelt"],"card":"[private]"} '
        '(result.card is "[private]")',
    ),
    ("- stage: done", "- no_tool: true", PAYS, 2, 59, "no tool runs", "charge ran"),
    ("- stage: done", "- nothing_else: true\n      - end: true", PAYS, 3, 60, "the call ends", "it did not come"),
    (
        "end: agent_hung_up",
        "end: caller_hung_up",
        LEAVES,
        2,
        63,
        "the call ends with caller_hung_up",
        "it ended with agent_hung_up",
    ),
    ("end: agent_hung_up", "nothing_else: true", LEAVES, 2, 63, "nothing else", "end agent_hung_up, at entry 71"),
    (
        "- tool: hang_up\n      - end: agent_hung_up",
        "- nothing_else: true",
        LEAVES,
        1,
        62,
        "nothing else",
        "tool hang_up, at entry 68",
    ),
    (
        "- tool: hang_up\n      - end: agent_hung_up",
        "- end: true\n      - tool: hang_up",
        LEAVES,
        2,
        63,
        "tool hang_up",
        "it came before what is written above it",
    ),
]
TAILS = {OPENS: OPENING, ASKS: CAKE, TAKES: TEN, HEARS: READY, PAYS: PAID, LEAVES: BYE}


def test_the_golden_passes(desk: Desk) -> None:
    run = desk.run(BREAD, Bakery)
    assert run.failure == ""
    assert run.passed
    assert (run.name, run.file, run.model, run.requests) == ("Bread", f"{desk.folder}/it.yaml", "cuelight:script", 8)


@pytest.mark.parametrize(("old", "new", "turn", "check", "line", "expected", "came"), CASES)
def test_the_smallest_change_fails(
    desk: Desk, old: str, new: str, turn: str, check: int, line: int, expected: str, came: str
) -> None:
    assert BREAD.count(old) == 1
    failure = desk.failure(BREAD.replace(old, new), Bakery)
    head = f"Bread: {turn}, then {check}\n  at        it.yaml:{line}\n  expected  {expected}\n  came      {came}\n"
    written = next(number for number, text in enumerate(_code().splitlines(), 1) if "the oven is on fire" in text)
    assert failure == (head + TAILS[turn]).replace("LINE", str(written))


def _code() -> str:
    import golden_agents

    with open(golden_agents.__file__, encoding="utf-8") as file:
        return file.read()
