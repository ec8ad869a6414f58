"""Patterns over what a caller said: plain words, or regular expressions, that ignore case and punctuation."""

import re

__all__ = ["NO", "YES", "clean", "heard", "pattern"]

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "–": "-", "—": "-", "‑": "-"})
# Punctuation, but not what holds numbers, times and addresses together.
_PUNCTUATION = re.compile(r"[,;!?¿¡()\[\]{}\"“”„…]|[.:](?=\s|$)|-(?=\s|$)|(?<=\s)-")

YES = (
    r"yes|yeah|yep|yup|yea|ye|indeed|sure|ok|okay|alright|all right|correct|right|exactly|absolutely|definitely|"
    r"of course|by all means|go (?:ahead|on|for it)|please do|why not|(?:that'll|that will) (?:do|work)|"
    r"i(?:'d)? (?:like|love) (?:that|to)|sounds? (?:good|great|fine|perfect)|"
    r"that(?:'s| is| would be)? (?:works?|fine|good|great|perfect|right|ok|okay)|"
    r"works for me|fine(?: by me| with me)?|perfect|great|lovely|(?:do|book|take) it"
)
NO = (
    r"no|nope|nah|not (?:really|now|yet|that|this)|never ?mind|don't|do not|rather not|cancel|stop|forget it|wrong|"
    r"none of (?:them|those|these)|neither"
)


def clean(text: str) -> str:
    """Put spaces in the place of punctuation and straight quotes in that of others, character by character.

    The text keeps its length, so a place in it is the same place in what was said.
    """
    return _PUNCTUATION.sub(" ", text.translate(_STRAIGHT))


def pattern(source: str) -> re.Pattern[str]:
    """Compile a pattern: any run of spaces stands for any, ` ?` for none too; apostrophes may be missing; whole words.

    Raises:
        re.error: when the source is no regular expression.
    """
    spaced = re.sub(r"\s+(\??)", lambda space: r"\s*" if space[1] else r"\s+", source.strip().translate(_STRAIGHT))
    loose = spaced.replace("'", "'?")
    return re.compile(rf"(?<![^\W_])(?:{loose})(?![^\W_])", re.IGNORECASE)


def heard(cleaned: str) -> bool | None:
    """Say whether a text is a yes or a no; None when it is neither, or both."""
    said, refused = _REFUSED.subn(" ", _DOUBTED.sub(" ", cleaned))
    yes = bool(_YES.search(said))
    no = bool(refused or _NO.search(said))
    return None if yes == no else yes


_REFUSED = pattern(
    r"i(?:'m| am) (?:good|fine|okay|ok)|"
    r"(?:don't|do not|please don't|not) (?:do|book|take|make|want|like) (?:it|that|this)"
)
_DOUBTED = pattern(
    r"(?:not|are you|you're|if i'm) (?:so |too |quite |really |entirely |absolutely )?(?:sure|right|ok|okay)|"
    r"is (?:that|it|this) (?:ok|okay|(?:all )?right|correct)|(?:don't|do not) (?:mind|care|know)"
)
_YES = pattern(YES)
_NO = pattern(NO)
