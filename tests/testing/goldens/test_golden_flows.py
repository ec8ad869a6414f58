"""Goldens of flows: steps, routes, what a step brings, shows and hides."""

import pytest

from golden_agents import Rental
from golden_making import Desk

BOATS = """
name: Boats
model:
  - {call: record_party, args: {people: 20}}
  - We take up to twelve.
  - {call: show_prices}
  - [{call: record_party, args: {people: 3}}, {call: note_guest, args: {guest: Ada}}]
  - Which boat?
  - [{call: record_boat, args: {boat: submarine}}, {call: record_boat, args: {boat: Heron}}]
  - And your code?
  - {call: pay, args: {code: "77"}}
  - Goodbye!
turns:
  - then:
      - step: PartySize
      - state: {stage: PartySize, PickBoat: {boat: null}}
  - say: twenty
    then:
      - tool: record_party
        result: Our boats take one to twelve people.
      - route: {kind: stay, from: PartySize, applied: true, feedback: Our boats take one to twelve people.}
      - step: PartySize
  - say: What is it?
    then:
      - route: {kind: direct, message: {content: An hour is 10 euros.}}
      - reply: {says: An hour is 10 euros.}
  - say: three
    then:
      - tool: record_party
      - route: {kind: go, from: PartySize, to: PickBoat, feedback: Recorded., state: {hint: for 3}}
      - state: {PartySize: {people: 3}, PickBoat: {hint: ""}}
      - tool: note_guest
      - stage: PickBoat
      - state: {guest: Ada, PickBoat: {hint: for 3, is_chosen: false}}
      - nothing_else: true
  - say: Heron
    then:
      - error: step-not-defined
      - tool: record_boat
        args: {boat: Heron}
      - step: PickBoat
      - route: {to: Payment}
      - step: Payment
      - visible: []
  - say: "77"
    then:
      - tool: pay
      - route: {to: TerminateSessionStep}
      - reply: {says: goodbye}
      - end: agent_hung_up
expect:
  tools: [record_party, record_party, record_boat, pay]
"""

THREE = """
  what came in this turn:
      26  turn.user       "three"
      29  tool.call       record_party {"people":3}
      30  tool.result     record_party → "Recorded."
      31  state.changed   {"PartySize":{"people":3}}
      32  cue.route       {"kind":"go","from":"PartySize","applied":true,"to":"PickBoat","feedback":"Recorded.","state":{"hint":"for 3"}}
      33  tool.call       note_guest {"guest":"Ada"}
      34  tool.result     note_guest → "noted"
      35  state.changed   {"guest":"Ada"}
      36  state.changed   {"stage":"PickBoat","PickBoat":{"hint":"for 3","boat":null,"is_chosen":false}}
      42  turn.agent      "Which boat?"

  stage     PickBoat
  visible   record_boat, list_boats, note_guest"""  # noqa: E501

# What is changed, into what; the check that fails then, and its line; what was expected, what came.
CASES = [
    (
        "- step: PartySize\n      - state",
        "- step: Payment\n      - state",
        "turn 1 (the opening), then 1",
        14,
        "step Payment",
        "step PartySize",
    ),
    (
        "{boat: null}}",
        "{boat: Heron}}",
        "turn 1 (the opening), then 2",
        15,
        'state {"stage":"PartySize","PickBoat":{"boat":"Heron"}}',
        "state.PickBoat.boat is null",
    ),
    (
        "kind: stay, from: PartySize",
        "kind: stay, from: PickBoat",
        "turn 2 (say: twenty), then 2",
        20,
        'a route {"kind":"stay","from":"PickBoat","applied":true,"feedback":"Our boats take one to twelve people."}',
        'a route {"kind":"stay","from":"PartySize","applied":true,"feedback":"Our boats take one to twelve '
        'people."} (route.from is "PartySize")',
    ),
    (
        "kind: stay, from: PartySize, applied: true",
        "kind: stay, from: PartySize, applied: false",
        "turn 2 (say: twenty), then 2",
        20,
        'a route {"kind":"stay","from":"PartySize","applied":false,"feedback":"Our boats take one to twelve people."}',
        'a route {"kind":"stay","from":"PartySize","applied":true,"feedback":"Our boats take one to twelve '
        'people."} (route.applied is true)',
    ),
    (
        "feedback: Our boats take one to twelve people.}",
        "feedback: Our boats}",
        "turn 2 (say: twenty), then 2",
        20,
        'a route {"kind":"stay","from":"PartySize","applied":true,"feedback":"Our boats"}',
        'a route {"kind":"stay","from":"PartySize","applied":true,"feedback":"Our boats take one to twelve '
        'people."} (route.feedback is "Our boats take one to twelve people.")',
    ),
    (
        "content: An hour is 10 euros.",
        "content: free",
        "turn 3 (say: What is it?), then 1",
        24,
        'a route {"kind":"direct","message":{"content":"free"}}',
        'a route {"kind":"direct","from":"PartySize","applied":true,"message":{"content":"An hour is 10 '
        'euros."}} (route.message.content is "An hour is 10 euros.")',
    ),
    (
        "- reply: {says: An hour is 10 euros.}",
        "- reply: {not: An hour is 10 euros.}",
        "turn 3 (say: What is it?), then 2",
        25,
        "the reply does not say “An hour is 10 euros.”",
        "“An hour is 10 euros.”",
    ),
    (
        "to: PickBoat, feedback",
        "to: Payment, feedback",
        "turn 4 (say: three), then 2",
        29,
        'a route {"kind":"go","from":"PartySize","to":"Payment","feedback":"Recorded.","state":{"hint":"for 3"}}',
        'a route {"kind":"go","from":"PartySize","applied":true,"to":"PickBoat","feedback":"Recorded.","state'
        '":{"hint":"for 3"}} (route.to is "PickBoat")',
    ),
    (
        "state: {hint: for 3}}",
        "state: {hint: for 4}}",
        "turn 4 (say: three), then 2",
        29,
        'a route {"kind":"go","from":"PartySize","to":"PickBoat","feedback":"Recorded.","state":{"hint":"for 4"}}',
        'a route {"kind":"go","from":"PartySize","applied":true,"to":"PickBoat","feedback":"Recorded.","state'
        '":{"hint":"for 3"}} (route.state.hint is "for 3")',
    ),
    (
        "feedback: Recorded.",
        "feedback: Noted.",
        "turn 4 (say: three), then 2",
        29,
        'a route {"kind":"go","from":"PartySize","to":"PickBoat","feedback":"Noted.","state":{"hint":"for 3"}}',
        'a route {"kind":"go","from":"PartySize","applied":true,"to":"PickBoat","feedback":"Recorded.","state'
        '":{"hint":"for 3"}} (route.feedback is "Recorded.")',
    ),
    (
        'PickBoat: {hint: ""}',
        "PickBoat: {hint: for 3}",
        "turn 4 (say: three), then 3",
        30,
        'state {"PartySize":{"people":3},"PickBoat":{"hint":"for 3"}}',
        'state.PickBoat.hint is ""',
    ),
    ("- stage: PickBoat", "- stage: PartySize", "turn 4 (say: three), then 5", 32, "stage PartySize", "stage PickBoat"),
    (
        "is_chosen: false",
        "is_chosen: true",
        "turn 4 (say: three), then 6",
        33,
        'state {"guest":"Ada","PickBoat":{"hint":"for 3","is_chosen":true}}',
        "state.PickBoat.is_chosen is false",
    ),
    (
        "error: step-not-defined",
        "error: no-route",
        "turn 5 (say: Heron), then 1",
        37,
        "an error no-route",
        "an error step-not-defined: Step 'Submarine' is not defined in flow 'Rental'.",
    ),
    ("      - route: {to: Payment}\n", "", "turn 5 (say: Heron), then 3", 40, "step PickBoat", "step Payment"),
    ("visible: []", "visible: [pay]", "turn 5 (say: Heron), then 6", 43, "visible pay", "visible none"),
    (
        "to: TerminateSessionStep",
        "kind: direct",
        "turn 6 (say: 77), then 2",
        47,
        'a route {"kind":"direct"}',
        'a route {"kind":"go","from":"Payment","applied":true,"to":"TerminateSessionStep"} (route.kind is "go")',
    ),
    (
        "end: agent_hung_up",
        "end: caller_hung_up",
        "turn 6 (say: 77), then 4",
        49,
        "the call ends with caller_hung_up",
        "it ended with agent_hung_up",
    ),
    (
        "[record_party, record_party, record_boat, pay]",
        "[record_party, record_party, record_party, pay]",
        "expect, tools 3",
        51,
        "the tools record_party, record_party, record_party, pay run",
        "record_party, show_prices, record_party, note_guest, record_boat, record_boat, pay ran",
    ),
]


def test_the_golden_passes(desk: Desk) -> None:
    assert desk.run(BOATS, Rental).failure == ""


@pytest.mark.parametrize(("old", "new", "place", "line", "expected", "came"), CASES)
def test_the_smallest_change_fails(
    desk: Desk, old: str, new: str, place: str, line: int, expected: str, came: str
) -> None:
    assert BOATS.count(old) == 1
    failure = desk.failure(BOATS.replace(old, new), Rental)
    head, _, rest = failure.partition("\n\n")
    assert head == f"Boats: {place}\n  at        it.yaml:{line}\n  expected  {expected}\n  came      {came}"
    if place.startswith("turn 4"):
        assert rest == THREE.removeprefix("\n")
