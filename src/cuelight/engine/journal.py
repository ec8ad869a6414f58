"""The pen of one call: entries are written here, masked, projected for the model, and stored at barriers."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from cuelight.log import Fold, History, Private, Record, Secrets, disclose
from cuelight.ports import Clock, Lease, Store
from cuelight.wire import Entry, State, whole_plain

__all__ = ["Journal"]

_log = logging.getLogger("cuelight")

_BEFORE_ASKING = frozenset({"tool.result", "cue.crossing"})  # what is stored before the model is asked again

_encode = msgspec.json.Encoder().encode


class Journal:
    """Write one call's log.

    `write` gives an entry its place at once; it is in the store after the next `barrier`, with everything written
    before it, in one transaction. Listeners hear stored entries once they are stored, ephemeral ones at once.
    """

    def __init__(self, call: str, agent: str, store: Store, clock: Clock, history: History) -> None:
        self.call = call
        self.agent = agent
        self.history = history
        self._projections = history.projections
        self.secrets = Secrets()
        self._has_secrets = False
        self.seq = 0
        self.lease: Lease | None = None
        self.broken: BaseException | None = None
        """What the store refused with, after which nothing can be written."""
        self._store = store
        self._now = clock.now
        self._stored_seq = 0
        self._pending: list[Record] = []
        self._learned = False
        """Whether private values became known since the last barrier."""
        self.holds_results = False
        """Whether the outcome of a tool call, or a move, is written that is not stored yet."""
        self._listeners: list[Callable[[Entry], None]] = []
        self._hearers: list[Callable[[str, bool], None]] = []
        self._unsent = ""
        """Words that listeners do not have yet, because a private value may stand across their end."""
        self._piece_over = ""
        """The turn whose last piece is over, so that the next one begins on a line of its own."""
        self._stored: list[Record] = []
        self._fold = Fold()
        self._folded = 0
        """How many of the records the fold has taken in, with what was known to be private then."""

    def write(
        self,
        type: str,  # noqa: A002 - the wire's own word
        data: dict[str, Any],
        *,
        shown: Mapping[str, Any] | None = None,
        private: Sequence[str] = (),
    ) -> int:
        """Write an entry; gives its seq.

        Args:
            type: the entry's type.
            data: plain JSON values, private ones in place.
            shown: the data as declarations mask it, where they mask anything.
            private: values that the declarations make private.
        """
        try:
            whole = _encode(data)
        except UnicodeEncodeError:  # authors' words, and a provider's, come as they are
            data, shown = whole_plain(data), whole_plain(shown)
            whole = _encode(data)
        project = self._projections.get(type)
        if project is not None:
            project(data)
            if type in _BEFORE_ASKING:
                self.holds_results = True
        if shown is None and not private and not self._has_secrets:
            return self._append(type, whole, None)
        values = self._learn(private)
        masked = data if shown is None else dict(shown)
        if self.secrets:
            masked = self.secrets.data(type, masked)
        if masked == data:
            return self._append(type, whole, None)
        return self._append(type, _encode(masked), Private(whole, values))

    def write_state(
        self, full: bytes, shown: bytes, changed: list[str], cause: Mapping[str, Any] | None, private: list[str]
    ) -> int:
        """Write `state.changed` from states that are JSON already."""
        rest = _encode({"changed": changed, **({"cause": cause} if cause else {})})[1:]
        values = self._learn(private)
        whole, masked = (b'{"state":%b,%b' % (state, rest) for state in (full, shown))
        if self.secrets:
            data = msgspec.json.decode(masked)
            masked_data = self.secrets.data("state.changed", data)
            if masked_data != data:
                masked = _encode(masked_data)
        return self._append("state.changed", masked, None if masked == whole else Private(whole, values))

    def _append(self, type: str, data: bytes, private: Private | None) -> int:  # noqa: A002
        self.seq += 1
        entry = Entry(self.seq, self._now(), self.call, self.agent, type, False, Raw(data))
        self._pending.append(Record(entry, private))
        return self.seq

    def _learn(self, private: Sequence[str]) -> tuple[str, ...]:
        values = self.secrets.add(private)
        if values:
            self._has_secrets = self._learned = True
            self._folded = 0  # what was folded before may show them
        return values

    def _masked(self, record: Record) -> Record:
        """Mask what became private after its entry was written."""
        entry = record.entry
        masked = self.secrets.data(entry.type, entry.data)
        if masked == entry.data:
            return record
        private = record.private or Private(bytes(entry.body))
        return Record(msgspec.structs.replace(entry, body=Raw(_encode(masked))), private)

    def whisper(self, type: str, data: dict[str, Any]) -> None:  # noqa: A002
        """Deliver an ephemeral entry to whoever listens; it is stored nowhere."""
        if self._listeners:
            masked = self.secrets.data(type, data) if self.secrets else data
            raw = Raw(_encode(masked))
            self._deliver(Entry(self._stored_seq, self._now(), self.call, self.agent, type, True, raw))

    def utter(self, speech_id: str, text: str, *, whole: bool) -> None:
        """Pass the agent's words on as they come: as they are to the caller's ear, masked to whoever listens.

        Args:
            speech_id: the turn they belong to.
            text: the next words; may be empty where they only close a piece.
            whole: whether a piece of speech ends with them.
        """
        for hearer in tuple(self._hearers):
            hearer(text, whole)
        if self._listeners:
            if text and self._piece_over == speech_id:
                self._unsent += "\n"  # as the pieces of a turn stand in its `turn.agent`
            self._piece_over = speech_id if whole else ""
            self._unsent += text
            ready = len(self._unsent) if whole else self.secrets.settled(self._unsent)
            text, self._unsent = self._unsent[:ready], self._unsent[ready:]
            if text:
                self.whisper("agent.transcript", {"speech_id": speech_id, "text": text, "final": False})

    async def barrier(self) -> None:
        """Store everything written so far.

        Raises:
            SeqConflict, LeaseLost, StoreUnusable: as the store does; then nothing of it is stored, and nothing more can
                be: the call is over here, and can be resumed from its log.
        """
        if self.broken is not None:
            raise self.broken
        if not self._pending:
            return
        records, self._pending = self._pending, []
        self.holds_results = False
        if self._learned:
            self._learned = False
            records = list(map(self._masked, records))
        try:
            await self._store.append(self.call, self._stored_seq, records, lease=self.lease)
        except BaseException as error:
            self.broken = error
            raise
        self._stored_seq = records[-1].entry.seq
        self._stored.extend(records)
        if self._listeners:
            for record in records:
                self._deliver(record.entry)

    @property
    def state(self) -> State:
        """The State of the stored entries, private values masked, as far as this process has seen them."""
        if self._folded == 0:
            self._fold = Fold()
        self._fold.extend(disclose(self._stored[self._folded :], self.secrets))
        self._folded = len(self._stored)
        return self._fold.state

    def resume(self, records: list[Record], unmasked: list[Entry]) -> None:
        """Take up a stored log where it ends."""
        for record in records:
            if record.private is not None:
                self.secrets.add(record.private.values)
        self._has_secrets = bool(self.secrets)
        for entry in unmasked:
            self.history.feed(entry.type, entry.data)
        self._stored.extend(records)
        self.seq = self._stored_seq = records[-1].entry.seq

    def listen(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Deliver every later entry to a listener; gives the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def hear(self, hearer: Callable[[str, bool], None]) -> Callable[[], None]:
        """Deliver the agent's words to the caller's ear; gives the way to stop that."""
        self._hearers.append(hearer)
        return lambda: self._hearers.remove(hearer)

    def _deliver(self, entry: Entry) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(entry)
            except Exception:  # a reader's fault is the reader's: the call goes on
                _log.exception("A listener of call %s failed at entry %s (%s).", self.call, entry.seq, entry.type)
