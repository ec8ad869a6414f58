"""Where messages stand: one memory's list of them, and the lines of a turn, which may stand in several memories."""

import msgspec

from cuelight.log.message import CUT_BY_CALLER, Message, ToolUse

__all__ = ["Line", "Memory", "Spoken"]


class Memory:
    """Keep the messages of one memory, in one list that grows, is trimmed and is emptied in place.

    Args:
        exchanges: how many exchanges are kept; None keeps all. When the number is passed, the oldest quarter goes.
    """

    __slots__ = ("_exchanges", "_starts", "messages", "words")

    def __init__(self, exchanges: int | None) -> None:
        self.messages: list[Message] = []
        self.words: Message | None = None
        """The caller's words that began the newest exchange; each turn has a message of its own for them."""
        self._exchanges = exchanges
        self._starts: list[int] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and (self.messages, self._starts) == (other.messages, other._starts)

    __hash__ = None  # type: ignore[assignment]

    @property
    def start(self) -> int:
        """Where the newest exchange starts: the index of the caller's words that began it."""
        return self._starts[-1]

    def begin(self, words: Message) -> None:
        """Begin an exchange with the caller's words."""
        self._trim()
        self._starts.append(len(self.messages))
        self.messages.append(words)
        self.words = words

    def clear(self) -> None:
        """Forget everything."""
        self.messages.clear()
        self._starts.clear()
        self.words = None

    def copy(self) -> "Memory":
        """Give a memory with the same messages, for a next exchange to begin in."""
        copy = Memory(self._exchanges)
        copy.messages, copy._starts = list(self.messages), list(self._starts)
        return copy

    def _trim(self) -> None:
        if self._exchanges is None or len(self._starts) < self._exchanges:
            return
        dropped = max(1, self._exchanges // 4)
        first = self._starts[dropped] if dropped < len(self._starts) else len(self.messages)
        del self.messages[:first]
        self._starts = [start - first for start in self._starts[dropped:]]


class Line:
    """Be one line that the agent spoke, or is about to have spoken: its words, and the message that holds them.

    Args:
        memory: the memory it goes to.
        text: the words.
        content: what the model reads of them.
    """

    __slots__ = ("at", "content", "memory", "text")

    def __init__(self, memory: Memory, text: str, content: str) -> None:
        self.memory = memory
        self.text = text
        self.content = content
        self.at: int | None = None
        """The index of its message; None while it has none, and when it was forgotten."""

    def place(self, calls: tuple[ToolUse, ...] = ()) -> None:
        """Put its message at the end of its memory, unless it says nothing."""
        if self.content or calls:
            self.at = len(self.memory.messages)
            self.memory.messages.append(Message("assistant", self.content, calls))


class Spoken:
    """Know the lines spoken in the newest turn, in order: an interruption cuts them to what was heard."""

    __slots__ = ("_lines", "speech_id")

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self.speech_id = ""
        """The turn they belong to."""

    def note(self, speech_id: str, line: Line) -> None:
        """Take in a line that is being spoken."""
        self.turn_to(speech_id)
        self._lines.append(line)

    def turn_to(self, speech_id: str) -> None:
        """Let the lines of an earlier turn be as they are."""
        if speech_id != self.speech_id:
            self._lines.clear()
            self.speech_id = speech_id

    def forget(self, memory: Memory) -> None:
        """Forget where lines stood in a memory that is being emptied; they stay spoken."""
        for line in self._lines:
            if line.memory is memory:
                line.at = None

    def keep_heard(self, heard: str) -> str:
        """Cut the lines down to what reached the caller's ear, in the order they were spoken.

        Gives what was heard and is in none of them.
        """
        rest = heard.split()  # word by word: a recogniser, or a line break between pieces, spaces them its own way
        unheard: list[tuple[list[Message], int]] = []
        for line in self._lines:
            words = line.text.split()
            whole = rest[: len(words)] == words
            kept = line.text if whole else " ".join(rest)
            rest = rest[len(words) :] if whole else []
            if kept and not rest:
                kept = f"{kept} {CUT_BY_CALLER}"
            if line.at is None:  # its message is still to come, or never will
                line.content = kept
                continue
            messages = line.memory.messages
            if kept or messages[line.at].tool_calls:
                messages[line.at] = msgspec.structs.replace(messages[line.at], content=kept)
            else:
                unheard.append((messages, line.at))
        for messages, at in reversed(unheard):  # later ones first, so that the places of earlier ones stay right
            del messages[at]
        self._lines.clear()
        return " ".join(rest)
