"""Whether words are a clear yes or a clear no: lists, language by language. What is neither is no answer."""

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["LANGUAGES", "is_consent"]

# No phrase goes on across these: "No. Problem!" is no "no problem".
_BREAKS = re.compile(r"[.,;:!¡…–—]+")


class _Language(NamedTuple):
    yes: frozenset[str]
    no: frozenset[str]
    beside: frozenset[str]
    """What may stand beside either and changes neither; by itself it is no answer."""


def _listed(yes: str, no: str, beside: str) -> _Language:
    return _Language(*(frozenset(map(str.strip, part.split("|"))) for part in (yes, no, beside)))


# What sounds like a yes and is often none is in no list: "it's fine", "c'est bon", "maybe", "if you like".
_LISTS: Mapping[str, _Language] = {
    "en": _listed(
        "yes|yeah|yep|yup|sure|of course|ok|okay|go ahead|please do|do it|do that|do so|that's right|that is right|"
        "that's correct|that is correct|correct|right|exactly|absolutely|definitely|certainly|sounds good|that works|"
        "perfect|fine|that's fine|i agree|i confirm|confirmed|no problem|all right|alright|by all means|you may",
        "no|nope|nah|don't|do not|please don't|not now|not yet|no way|never|never mind|i'd rather not|rather not|wrong|"
        "i would rather not|that's wrong|that is wrong|not that one|stop|leave it|forget it|not really|of course not|"
        "absolutely not|certainly not|definitely not|not at all|don't do it|don't do that|do not do it|do not do that",
        "please|thanks|thank you|thanks a lot|thank you very much|thanks very much|oh|well|um|uh|hm|then|great|good|"
        "lovely|i do|i would|it is|that's it|for me|that would be great|that would be lovely|i'd like that|dear|ma'am|"
        "sir|book it|reserve it|order it|schedule it|send it|confirm it",
    ),
    "de": _listed(
        "ja|jawohl|ja bitte|gern|gerne|ja gern|ja gerne|genau|richtig|stimmt|das stimmt|passt|das passt|in ordnung|ok|"
        "okay|machen sie das|mach das|bitte machen sie das|einverstanden|natürlich|klar|sicher|sehr gern|sehr gerne",
        "nein|nö|nee|nicht|lieber nicht|bitte nicht|auf keinen fall|falsch|das ist falsch|stimmt nicht|noch nicht|"
        "das stimmt nicht|jetzt nicht|lassen sie das|vergessen sie es|nein danke|niemals|natürlich nicht|sicher nicht|"
        "machen sie das nicht|bitte machen sie das nicht|mach das nicht|das passt nicht|nicht richtig|nicht in ordnung",
        "bitte|danke|vielen dank|ach|also|ähm|äh|hm|dann|gut|sehr gut|prima|schön",
    ),
    "es": _listed(
        "sí|si|claro|por supuesto|vale|de acuerdo|está bien|correcto|exacto|eso es|adelante|hágalo|hazlo|perfecto|"
        "desde luego|cómo no|así es|conforme|confirmo",
        "no|no gracias|mejor no|todavía no|ahora no|de ninguna manera|nunca|incorrecto|eso no|déjelo|olvídelo|"
        "claro que no|por supuesto que no|desde luego que no|no está bien|no es correcto",
        "por favor|gracias|muchas gracias|ah|bueno|pues|eh|entonces|muy bien|señor|señora",
    ),
    "fr": _listed(
        "oui|ouais|bien sûr|d'accord|ok|okay|c'est ça|c'est bien ça|exact|exactement|tout à fait|parfait|allez-y|vas-y|"
        "faites-le|volontiers|ça marche|je confirme|absolument|certainement",
        "non|non merci|pas maintenant|pas encore|surtout pas|jamais|c'est faux|ce n'est pas ça|c'est pas ça|"
        "laissez tomber|je ne préfère pas|plutôt pas|pas du tout|pas d'accord|bien sûr que non|absolument pas|"
        "certainement pas",
        "s'il vous plaît|s'il te plaît|merci|merci beaucoup|ah|bon|euh|alors|très bien|monsieur|madame",
    ),
    "it": _listed(
        "sì|si|certo|certamente|va bene|d'accordo|esatto|giusto|perfetto|faccia pure|fallo|lo faccia|confermo|ok|okay|"
        "volentieri|senz'altro|proprio così",
        "no|no grazie|meglio di no|non ora|non ancora|mai|sbagliato|non è giusto|lasci stare|lascia stare|per niente|"
        "certo che no|non va bene|non lo faccia",
        "per favore|grazie|grazie mille|ah|beh|ehm|allora|bene|molto bene|signore|signora",
    ),
    "pt": _listed(
        "sim|claro|com certeza|está bem|tá bom|de acordo|correto|exato|isso|isso mesmo|perfeito|pode ser|pode fazer|"
        "confirmo|ok|okay|certo",
        "não|não obrigado|não obrigada|melhor não|agora não|ainda não|nunca|errado|de jeito nenhum|deixe estar|esqueça|"
        "claro que não|com certeza não|não está bem|não pode ser",
        "por favor|obrigado|obrigada|muito obrigado|muito obrigada|ah|bem|então|muito bem|senhor|senhora",
    ),
}  # fmt: skip

LANGUAGES = tuple(_LISTS)
"""The languages there are lists for, by their ISO 639-1 codes."""


def is_consent(said: str, language: str = "en") -> bool | None:
    """Tell whether words are a clear yes or a clear no; None where they are neither.

    Every word must belong to the answer: a question, a condition, a number, a correction or a sign that is no
    punctuation, beside a yes, makes it none.

    Args:
        said: what the caller said.
        language: one of `LANGUAGES`.
    """
    lists = _LISTS[language]
    text = unicodedata.normalize("NFC", said).casefold().replace("’", "'")
    found: set[bool] = set()
    for part in _BREAKS.split(text):
        words = part.strip(" \t\n'\"“”«»").split()
        at = 0
        while at < len(words):
            length, kind = _longest(words, at, lists)
            if not length:
                return None
            if kind is not None:
                found.add(kind)
            at += length
    return found.pop() if len(found) == 1 else None


def _longest(words: list[str], at: int, lists: _Language) -> tuple[int, bool | None]:
    """Give how many words the longest listed phrase takes here, and what it says."""
    for length in range(min(5, len(words) - at), 0, -1):
        phrase = " ".join(words[at : at + length])
        for phrases, kind in ((lists.yes, True), (lists.no, False), (lists.beside, None)):
            if phrase in phrases:
                return length, kind
    return 0, None
