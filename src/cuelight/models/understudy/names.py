"""Names of people in plain English: after words that introduce one, or alone where one was asked for."""

import re
from collections.abc import Iterator

from cuelight.models.understudy.wording import Place

__all__ = ["names"]

# Words that are no name, wherever they stand; a name ends before them.
_NO_NAME_WORDS = """
    a about afraid after afternoon again all alone already also although always am an and another any anybody anyone
    anything appointment appointments are around as ask asked at available away back bad be because been before best
    better bit book booked booking bot both bring buddy but by bye call called caller calling came can cannot cant car
    cat cats change check cheers ciao client close come coming computer correct could customer day days dead dear did
    different do does dog dogs doing done dont down due early either else emergency enough enter er evening ever every
    everybody everyone everything exactly existing find fine first folks for forget forgot free friday friend friends
    from full get give go going gone good goodbye goodnight gotta great greetings guys had happy has have havent hello
    help her here hers hes hey hi him his hm hmm hold hoping how howdy huh human hurt i id if ill im in indeed injured
    instead interested into is isnt it its ive just kind last late later let lets like little long look looking lost
    lot lovely machine madam make man many mate may maybe me mind mine minute moment monday month more morning my
    myself nah name need never new newcomer next nice no nobody none nope not nothing now number of off oh ok okay old
    on one only oops open or other our out over owner pardon part patient perfect person pet phone please possible
    problem puppy put question questions quite raining ready really register registered regular right robot running
    sad same saturday say schedule search see send she should sick since sir slot so some somebody someone something
    soon sorry speaking start still stop stuck such sunday sure take tell than thank thanks that thats the their them
    then there these they thing thinking this those though thursday thx time timeslot to today tomorrow tonight too
    try tuesday two ugh um under unsure until up urgent us use very vet visit wait waiting want wanted was wasnt we
    weather wednesday week weekend well went were what whatever whats when where which who whos why will wish with
    wondering wont work would wow wrong yeah year years yep yes yesterday yet yo you your yours yup
"""
_NO_NAME = frozenset(_NO_NAME_WORDS.split())
_LONGEST = 30
_WORD = r"[^\W\d_](?:[^\W\d_]|['.-](?=[^\W\d_]))*\.?"
_RUN = re.compile(rf"\s*({_WORD}(?:\s+{_WORD}){{0,6}})")
_STRONG = re.compile(
    r"(?<!\w)(?:name\s+is|name'?s|(?:full|last|first)\s+name|call\s+me|i'?m\s+called|i\s+go\s+by|"
    r"(?:registered\s+)?under(?:\s+the\s+name(?:\s+of)?)?|registered\s+(?:as|to)|me\s+(?:down\s+)?as|on\s+behalf\s+of)(?=\s)",
    re.IGNORECASE,
)
# A name that is somebody else's: "his name is", "my cat's name is".
_OTHERS = re.compile(r"(?:(?<!\w)(?:his|her|its|it's|their|pet|animal)|\w'?s)\s+$", re.IGNORECASE)
_WEAK = re.compile(
    r"(?<!\w)(?:i\s+am|i'?m|it\s+is|it'?s|this\s+is|here\s+is|that'?s|my\s+name|name)(?=\s)", re.IGNORECASE
)
_BEHIND = re.compile(
    rf"(?<!\w)({_WORD}(?:\s+{_WORD}){{0,3}}?)\s+(?:here|speaking|calling|(?:is\s+)?my\s+(?:full\s+)?name)(?!\w)",
    re.IGNORECASE,
)
# What may stand around a name that is the whole answer.
_FILLER = re.compile(
    r"\s*(?:(?:yes|yeah|yep|sure|of\s+course|certainly|ok|okay|hi|hello|hey|there|good\s+(?:day|morning|afternoon|evening)|"
    r"well|um|uh|er|erm|hm+|ah|right|so|oh|sorry|it'?s\s+me|it\s+is\s+me|it's|its|it\s+is|that's|that\s+is|i'm|im|i\s+am|this\s+is|"
    r"the\s+name\s+is|\+?\d[\d\s().-]{5,}(?:and)?)(?!\w)\s*)*",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\s*(?:$|[/|+]?\s*\d|(?:and|my|on|number|phone|here|speaking|calling|from|with|please|thanks|the|an?|he|she|it)\b)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d\s().-]{5,}")
_PAIR = re.compile(r"(?<!\w)(?-i:[A-Z])[\w'-]+\s(?-i:[A-Z])[\w'-]+")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "doctor", "prof", "professor", "sir", "madam"})
_PARTICLES = frozenset(
    {
        "de",
        "da",
        "di",
        "del",
        "della",
        "der",
        "den",
        "la",
        "le",
        "van",
        "von",
        "bin",
        "ibn",
        "al",
        "el",
        "y",
        "dos",
        "das",
        "du",
        "st",
    }
)


def names(text: str, *, asked: bool) -> list[tuple[str, Place]]:
    """Find the names of people in a cleaned text, the likeliest first.

    Args:
        text: the caller's words.
        asked: whether a name was asked for: then the words alone may be one.
    """
    found: list[tuple[str, Place]] = []
    for introduction, least in ((_STRONG, 1), (_WEAK, 2)):
        for match in introduction.finditer(text):
            name = _after(text, match.end(), least=least)
            if name and not ("name" in match[0].lower() and _OTHERS.search(text, 0, match.start())):
                found.append(name)
    for match in _BEHIND.finditer(text):
        name = _last_name(match)
        if name:
            found.append(name)
    found.sort(key=lambda name: " " not in name[0])  # a full name rather than a part of one
    return found or (list(_answers(text)) if asked else [])


def _answers(text: str) -> Iterator[tuple[str, Place]]:
    """Find names that are an answer, or, beside a number, a part of one: "600 123 456, Ada Byrne"."""
    for start in [0, *(gap.end() for gap in re.finditer(r"\s{2,}", text))]:
        filler = _FILLER.match(text, start)
        name = _after(text, filler.end() if filler else start, least=1, most=2)
        if name and _FOLLOWS.match(text, name[1][1]) and (start == 0 or " " in name[0]):
            yield name
    if _DIGITS.search(text):
        for match in _PAIR.finditer(text):
            if name := _after(text, match.start(), least=2):
                yield name


def _after(text: str, start: int, *, least: int, most: int = 3) -> tuple[str, Place] | None:
    """Take the words from a place on as a name, as far as they can be one.

    Written small, it takes so many words to be one: "it's ada byrne", not "it's raining" or "it's all greek to me".
    """
    run = _RUN.match(text, start)
    if run is None:
        return None
    words: list[re.Match[str]] = []
    for match in re.finditer(_WORD, text[run.start(1) : run.end(1)]):
        bare = match[0].lower().replace("'", "").rstrip(".")
        if bare in _NO_NAME or len(bare) > _LONGEST or (bare.endswith("ing") and match[0].islower()):
            break
        if len(words) > 1 and _ends_before(match, words):
            break
        words.append(match)
    while words and words[-1][0].lower() in _PARTICLES:
        words.pop()
    while words and words[0][0].lower().rstrip(".") in _TITLES:
        words.pop(0)
    if len(words) > 2 and words[0][0].lower() in (words[1][0].lower(), words[-1][0].lower()):
        words.pop(0)  # "Byrne, Ada Byrne", "Ada. Ada Byrne"
    proper = any(word[0][0].isupper() for word in words)
    if not words or (not proper and not least <= sum(word[0] not in _PARTICLES for word in words) <= most):
        return None
    begin, end = run.start(1) + words[0].start(), run.start(1) + words[-1].end()
    return _written(text[begin:end]), (begin, end)


def _ends_before(word: re.Match[str], words: list[re.Match[str]]) -> bool:
    """Whether a name of several words ends before another: behind a comma, or where a small word follows large ones."""
    if word.start() - words[-1].end() > 1:
        return True
    large = all(each[0][0].isupper() for each in words)
    return large and word[0].islower() and word[0].lower() not in _PARTICLES


def _last_name(match: re.Match[str]) -> tuple[str, Place] | None:
    """Take the name right before "here" or "speaking": only words written large, or two."""
    words: list[re.Match[str]] = []
    for word in reversed(list(re.finditer(_WORD, match[1]))):
        if word[0].lower().replace("'", "") in _NO_NAME:
            break
        words.insert(0, word)
    if not words or (len(words) < 2 and not words[0][0][0].isupper()):
        return None
    begin, end = match.start(1) + words[0].start(), match.start(1) + words[-1].end()
    return _written(match.string[begin:end]), (begin, end)


def _written(name: str) -> str:
    """Write a name as names are written, where it came in small letters."""
    name = re.sub(r"\s+", " ", name)
    return name if any(letter.isupper() for letter in name) else " ".join(word.capitalize() for word in name.split())
