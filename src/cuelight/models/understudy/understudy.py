"""The stand-in for a language model: it plays the cues of a sheet, and says that it does."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from cuelight.agent import ANSWER_TOOL
from cuelight.models.understudy.filling import Filling
from cuelight.models.understudy.hearing import heard, pattern
from cuelight.models.understudy.lines import Line, Unknown, field_of
from cuelight.models.understudy.picking import pick
from cuelight.models.understudy.scene import Picked, Result, Scene, in_words
from cuelight.models.understudy.shapes import After, Cue, Outcome, Slot
from cuelight.models.understudy.sheet import CueSheet, misfit
from cuelight.models.words import words
from cuelight.ports import Finished, ModelEvent, ModelRequest, TextDelta, ToolCallRequest

__all__ = ["Understudy"]

Reply = list[str | ToolCallRequest]

_WHO = pattern(
    r"(?:are you|is this|am i (?:talking|speaking) (?:to|with)|you're) (?:an? |the )?(?:really )?(?:real |actual )?"
    r"(?:human|person|robot|bot|chat ?bot|machine|computer|ai|a\.i|llm|language model|model|recording|program)(?: .*)?|"
    r"(?:who|what) are you|(?:which|what) (?:model|ai|llm)(?: .*)?|who's (?:this|there)|who is (?:this|there)|"
    r"who am i (?:talking|speaking) (?:to|with)"
)
_SAYS = (
    "I am the Understudy: a stand-in that follows a cue sheet. There is no language model behind me, so I understand "
    "only what the sheet foresees."
)
_LOST = "Sorry, I did not get that."
_UNCLEAR = "Sorry, was that a yes or a no?"
_AGAIN = "Let me ask that once more, to be sure."
_DECLINED = "All right, then not."


class Understudy:
    """Answer requests from a cue sheet: the same request always gets the same answer.

    It reads nothing but the request, keeps nothing between requests, calls no tool that is not visible, and needs no
    key, service or download. Asked what it is, it says so.

    Args:
        sheet: what to play.
        today: tells the day that "tomorrow" is counted from, where the sheet does not read it from the prompt.
    """

    name = "understudy"
    provider = "cuelight"

    def __init__(self, sheet: CueSheet, *, today: Callable[[], date] = date.today) -> None:
        self._sheet = sheet
        self._today = today

    @property
    def description(self) -> str:
        """What it is, in a line."""
        sheet = self._sheet
        return f"understudy: plays {len(sheet.cues)} cues from {sheet.source}; no language model, no key, no network"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Give the answer's words and calls, then `Finished`."""
        reason = "stop"
        for piece in self.answer(request):
            if isinstance(piece, str):
                for word in words(piece):
                    yield TextDelta(word)
            else:
                reason = "tool_calls"
                yield piece
        yield Finished(reason)

    def answer(self, request: ModelRequest) -> Reply:
        """Give the whole answer to a request: lines, and at most one call."""
        return _Play(Scene(request, self._sheet, self._today)).reply()


class _Play:
    """Find the answer to one request."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._sheet = scene.sheet

    def reply(self) -> Reply:
        found = self._found()
        return found if any(found) else self._fallback()  # a line may come to nothing, which is no answer

    def _found(self) -> Reply:
        scene = self._scene
        if not scene.utterances:
            return self._said(self._sheet.opening.say, "Hello.") if not scene.agent_lines else self._fallback()
        turn = self._turn()
        if turn and not self._turned_away(turn):
            return self._after(turn[-1])
        if not turn:
            if _WHO.search(scene.heard):
                about = f"{self._sheet.about} " if self._sheet.about else ""
                return [f"{about}{_SAYS}"]
            if scene.consent is not None and self._may_answer():
                return [self._answer("yes" if scene.consent else "no")]
        for cue in self._sheet.cues:
            played = self._played(cue)
            if played:
                return played
        return self._after(turn[-1]) if turn else self._fallback()

    # --- what the caller was asked before a tool runs -----------------------------------------------------------------

    def _may_answer(self) -> bool:
        """Whether the caller's words may answer what they were asked; once a turn they do."""
        return bool(self._scene.asked) and ANSWER_TOOL in self._scene.request.visible and not self._turn()

    def _answer(self, answer: str) -> ToolCallRequest:
        """Say what the caller answered to the question that is put first."""
        call_id, _ = self._scene.request.pending[0]
        return ToolCallRequest(ANSWER_TOOL, msgspec.json.encode({"call_id": call_id, "answer": answer}).decode())

    def _turned_away(self, turn: Sequence[Result]) -> bool:
        """Whether the caller declined by wanting something else, which is still to be answered."""
        return all(result.declined for result in turn) and self._scene.consent is None

    # --- cues ---------------------------------------------------------------------------------------------------------

    def _played(self, cue: Cue) -> Reply | None:
        """Play a cue if it was given: its lines and its call, or the question for what is missing."""
        if not self._may_play(cue):
            return None
        captures = self._triggered(cue)
        if captures is None:
            return None
        if cue.declines and self._may_answer():
            return [self._answer("no")]
        try:
            return self._performed(cue, captures, self._done_now())
        except Unknown as unknown:
            asked = self._asked(cue, unknown.name)
        # Who wants another of what they are asked about, and does not say yet which, does not want this one.
        another = asked and cue.call in [tool for tool, _ in self._scene.asked] and self._may_answer()
        return [self._answer("no")] if another else asked

    def _may_play(self, cue: Cue) -> bool:
        scene = self._scene
        if not scene.applies(cue) or (cue.call is not None and not self._may_call(cue)):
            return False
        if cue.answers is not None and not cue.answers.search(scene.utterances[-1].before):
            return False
        return not any(unless.search(scene.heard) for unless in cue.unless)

    def _may_call(self, cue: Cue) -> bool:
        """Whether the tool that a cue calls is visible; of several of one name, the one that its arguments are for."""
        request = self._scene.request
        offered = next((spec for spec in request.offered if spec.name == cue.call), None)
        if offered is None:
            return False
        if misfit(cue, offered.parameters) is None:
            return True
        # Arguments that are for none of them are a mistake of the sheet, which the tool itself tells best.
        return all(misfit(cue, spec.parameters) for spec in request.tools if spec.name == cue.call)

    def _triggered(self, cue: Cue) -> Mapping[str, Picked] | None:
        """Give what the newest words hold for a cue; None when they do not give it."""
        scene = self._scene
        for trigger in cue.hears:
            if trigger.words is not None:
                if match := trigger.words.search(scene.heard):
                    return self._captured(match)
            elif trigger.slot in ("yes", "no"):
                if heard(scene.heard) is (trigger.slot == "yes"):
                    return {}
            elif trigger.slot and self._is_heard(self._sheet.slots[trigger.slot]):
                return {}
        return None

    def _is_heard(self, slot: Slot) -> bool:
        """Whether the newest words hold a piece; words that but narrow a choice down are heard too."""
        if self._scene.piece(slot, recall=False) is not None:
            return True
        return slot.kind == "choice" and bool(self._scene.meant(slot))

    def _captured(self, match: re.Match[str]) -> dict[str, Picked]:
        captures: dict[str, Picked] = {}
        said = self._scene.utterances[-1].text
        for name in match.groupdict():
            slot = self._sheet.slots.get(name)
            value: Any = said[match.start(name) : match.end(name)].strip() if match[name] else None
            if slot is not None and value:  # a choice is made among rows, not in words alone
                value = None if slot.kind == "choice" else pick(slot, value, self._scene.today, asked=True)
            if value is not None:
                captures[name] = Picked(value, value)
        return captures

    def _performed(self, cue: Cue, captures: Mapping[str, Picked], done: Sequence[Result]) -> Reply:
        """Fill a cue's lines and its call; nothing is left of a call that was done, or is asked about, already."""
        filling = Filling(self._scene, cue, captures, self._find)
        reply: Reply = []
        if cue.call is not None:
            arguments = filling.argument(dict(cue.arguments))
            known = [*self._scene.asked, *((one.tool, one.arguments) for one in done)]
            if (cue.call, arguments) in known:
                return []
            reply.append(ToolCallRequest(cue.call, msgspec.json.encode(arguments).decode()))
        if cue.say:
            reply.insert(0, self._filled(cue.say, filling.shown))
        return reply

    def _asked(self, cue: Cue, name: str) -> Reply | None:
        """Ask for a piece that a cue is missing; a cue whose piece nobody can be asked for is not played."""
        slot = self._sheet.slots.get(name)
        lines = cue.ask.get(name) or (slot.ask if slot is not None else ())
        if not lines:
            return None
        rows = slot.source if slot is not None else None
        try:
            return [self._filled(lines, self._over(rows))]
        except Unknown:
            return None

    # --- after tools --------------------------------------------------------------------------------------------------

    def _after(self, result: Result) -> Reply:
        if result.answer == "open":
            return [_AGAIN]
        for after in self._sheet.afters:
            if result.tool not in after.tools or not self._scene.applies(after) or not _is(result, after.when):
                continue
            if after.go_on and (more := self._further()):
                return more
            try:
                if after.say:
                    return [self._filled(after.say, self._about(after, result))]
            except Unknown:
                continue
        if result.declined:
            return [f"{_DECLINED} {self._open_question()}".strip()]
        return self._further() or self._fallback()

    def _about(self, after: After, result: Result) -> Callable[[str], Any]:
        over = self._over(result.tool, after.each, after.most)

        def find(path: str) -> Any:
            root, _, rest = path.partition(".")
            if root == "result":
                return field_of(result.value, rest)
            return field_of(result.arguments, rest) if root == "args" else over(path)

        return find

    def _over(self, tool: str | None, each: Line | None = None, most: int = 5) -> Callable[[str], Any]:
        """Look names up where `{each}` says the rows that a tool answered with."""
        return lambda path: self._scene.each(tool, each, most) if path == "each" else self._find(path)

    def _further(self) -> Reply | None:
        """Call the next tool without waiting for the caller, when everything it needs was said already."""
        for cue in self._sheet.cues:
            if cue.call is None or not self._may_play(cue):
                continue
            captures = self._triggered(cue)
            if captures is None and not self._is_told(cue):
                continue
            # What was said before asks for a call until it succeeds; the newest words may ask for it again.
            done = self._done() if captures is None else self._done_now()
            try:
                reply = self._performed(cue, captures or {}, done)
            except Unknown:
                continue
            if reply:
                return reply
        return None

    def _is_told(self, cue: Cue) -> bool:
        """Whether the caller has said a piece that a cue uses: only then can it follow from words that are past."""
        filling = Filling(self._scene, cue, {}, self._find)
        return any(filling.piece(blank.root) is not None for line in cue.lines for blank in line.blanks)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _turn(self) -> list[Result]:
        return self._scene.results[self._scene.this_turn :]

    def _done_now(self) -> list[Result]:
        """What this turn has done; what was declined in it may be asked about anew once something else was done."""
        turn = self._turn()
        return [result for result in turn if not result.declined or result is turn[-1]]

    def _done(self) -> list[Result]:
        before = self._scene.results[: self._scene.this_turn]
        return [result for result in before if result.declined or not in_words(result.value)] + self._done_now()

    def _filled(self, lines: tuple[Line, ...], find: Callable[[str], Any] | None = None) -> str:
        line = lines[self._scene.agent_lines % len(lines)]
        return line.fill(find or self._find)

    def _find(self, path: str) -> Any:
        """Look up what any line may use: slots, what the prompt tells, the last result of a tool, the open question."""
        root, _, rest = path.partition(".")
        if root == "stage":
            return self._scene.request.stage
        if root == "ask":
            return self._open_question()
        if root == "said":
            return self._scene.said or None
        if root == "last":
            tool, _, inner = rest.partition(".")
            return field_of(self._scene.last_of(tool, words=not inner), inner)
        if root in self._sheet.view:
            return self._scene.told(root)
        slot = self._sheet.slots.get(root)
        picked = self._scene.piece(slot, recall=slot.recall) if slot is not None else None
        return None if picked is None else field_of(picked.shown, rest)

    def _open_question(self) -> str:
        """The question of the stage, or else for what the first tool that could be called is missing, if anything.

        It is none while the caller is asked before a tool runs: one question at a time.
        """
        if self._scene.asked:
            return ""
        own = self._sheet.ask.get(self._scene.request.stage or "")
        if own and (question := str(self._said(own, "")[0])):
            return question
        return next((str(asked[0]) for asked in map(self._question, self._sheet.cues) if asked), "")

    def _question(self, cue: Cue) -> Reply | None:
        """The question for what a cue's call is missing, what it needs before what it can do without."""
        if cue.call is None or not self._scene.applies(cue) or not self._may_call(cue):
            return None
        filling = Filling(self._scene, cue, {}, self._find)
        try:
            filling.argument(dict(cue.arguments))
        except Unknown as unknown:
            return self._asked(cue, unknown.name)
        return self._asked(cue, filling.left_out[0]) if filling.left_out else None

    def _fallback(self) -> Reply:
        if self._scene.asked:
            return [_UNCLEAR]
        lines = self._sheet.fallback.get(self._scene.request.stage or "") or self._sheet.fallback.get("else")
        return self._said(lines, _LOST) if lines else [f"{_LOST} {self._open_question()}".strip()]

    def _said(self, lines: tuple[Line, ...], otherwise: str) -> Reply:
        """Say a line, or something else where a blank of it stays empty."""
        try:
            return [self._filled(lines)]
        except Unknown:
            return [otherwise]


def _is(result: Result, when: Outcome) -> bool:
    value = result.value
    if result.declined or when.kind == "declined":
        return result.declined and when.kind == "declined"
    if when.kind is not None:
        kind = (
            "null" if value is None
            else "empty" if value in ([], {}, "")
            else "error" if in_words(value)
            else "data"
        )  # fmt: skip
        return kind == when.kind
    if when.says is not None and not (isinstance(value, str) and when.says.search(value)):
        return False
    for path, wanted in when.fields.items():
        there = field_of(value, path)
        if isinstance(wanted, re.Pattern):
            if not isinstance(there, str) or not wanted.search(there):
                return False
        elif there != wanted or isinstance(there, bool) != isinstance(wanted, bool):
            return False
    return True
