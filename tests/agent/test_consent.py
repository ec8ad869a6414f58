"""What counts as a yes: nothing but clear words for it, in each language there are lists for."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight import Agent
from cuelight.agent import LANGUAGES, is_consent

CLEAR: dict[str, tuple[str, str, str, list[str]]] = {
    "en": (
        "yes",
        "no",
        "please",
        [
            "Yes, please.", "Sure!", "OK, go ahead", "That's right.", "Yes — do it", "no problem", "Yes, book it.",
            "yes, that would be great, thank you very much", "Yes, that works for me",
        ],
    ),
    "de": ("ja", "nein", "bitte", ["Ja, bitte.", "Gerne!", "Genau, machen Sie das.", "Ja, gern, danke", "In Ordnung"]),
    "es": ("sí", "no", "gracias", ["Sí, por favor.", "¡Claro!", "Vale, adelante", "Cómo no", "De acuerdo, gracias"]),
    "fr": ("oui", "non", "merci", ["Oui, s'il vous plaît.", "D'accord !", "C’est ça", "Allez-y", "Bien sûr, merci"]),
    "it": ("sì", "no", "grazie", ["Sì, grazie.", "Certo!", "Va bene, d’accordo", "Faccia pure", "Senz'altro"]),
    "pt": ("sim", "não", "obrigado", ["Sim, por favor.", "Claro!", "Isso mesmo", "Com certeza, obrigada", "Pode ser"]),
}  # fmt: skip
NOES = {
    "en": ["No, thanks.", "Don't!", "please don't", "Of course not", "not now", "I'd rather not.", "Nope, wrong"],
    "de": ["Nein, danke.", "Lieber nicht", "Auf keinen Fall!", "Natürlich nicht", "Bitte machen Sie das nicht"],
    "es": ["No, gracias.", "Mejor no", "Claro que no", "Todavía no", "¡De ninguna manera!"],
    "fr": ["Non, merci.", "Surtout pas !", "Bien sûr que non", "Ce n’est pas ça", "Pas du tout"],
    "it": ["No, grazie.", "Meglio di no", "Certo che no", "Non ancora", "Lasci stare"],
    "pt": ["Não, obrigado.", "Melhor não", "Claro que não", "De jeito nenhum!", "Ainda não"],
}
NEITHER = {
    "en": [
        "yes?", "yes, if it is cheap", "yes but at eleven", "yes, 11", "yes no", "yes or no", "not yes", "sure not",
        "I am not sure", "I do not", "you may not", "no. problem", "maybe", "it's fine", "thanks", "good",
        "I said yes to Bo", "yes, and cancel the other", "say yes", "yes ½", "yes Ⅳ", "yes 👎", "yes / no", "yes (no)",
        "right, so what now", "okay wait", "yes... no wait", "no, yes", "if yes", "yes unless it rains",
        "make it two, yes", "ok-", "book it", "that would be great", "yes, book it for two", "for me",
    ],
    "de": ["ja?", "ja, aber später", "ja, um 11", "ja nein", "ja nicht", "na ja", "vielleicht", "wenn ja", "gut"],
    "es": ["¿sí?", "sí, pero más tarde", "sí, a las 11", "sí no", "si puede", "quizás", "bueno", "cómo, no"],
    "fr": ["oui ?", "oui mais plus tard", "oui, à 11 heures", "oui non", "peut-être", "si oui", "bon"],
    "it": ["sì?", "sì ma più tardi", "sì, alle 11", "sì no", "forse", "se sì", "bene", "non sì"],
    "pt": ["sim?", "sim, mas mais tarde", "sim, às 11", "sim não", "talvez", "se sim", "bem", "pois não"],
}  # fmt: skip
CASES = [
    *((language, words, True) for language, (*_, listed) in CLEAR.items() for words in listed),
    *((language, words, False) for language, listed in NOES.items() for words in listed),
    *((language, words, None) for language, listed in NEITHER.items() for words in listed),
]
languages = st.sampled_from(LANGUAGES)
breaks = st.sampled_from([" ", ", ", ". ", " - ", "; ", "! ", "… "])


def test_there_are_cases_for_each_language() -> None:
    assert set(CLEAR) == set(NOES) == set(NEITHER) == set(LANGUAGES)


@pytest.mark.parametrize(("language", "words", "judged"), CASES)
def test_clear_words_are_answers_and_others_are_none(language: str, words: str, judged: bool | None) -> None:
    for spelled in (words, words.upper(), f"  {words}\n", unicodedata.normalize("NFD", words)):
        assert is_consent(spelled, language) is judged


@pytest.mark.parametrize("language", LANGUAGES)
def test_yes_no_and_what_stands_beside(language: str) -> None:
    yes, no, beside, _ = CLEAR[language]
    assert is_consent(yes, language) is is_consent(f"{yes}, {beside}", language) is True
    assert is_consent(no, language) is is_consent(f"{beside}, {no}!", language) is False
    assert is_consent(beside, language) is is_consent("", language) is is_consent(" … ", language) is None


@given(languages, breaks, st.booleans())
def test_a_yes_beside_a_no_is_neither(language: str, between: str, first: bool) -> None:
    yes, no, *_ = CLEAR[language]
    one, other = (yes, no) if first else (no, yes)
    assert is_consent(f"{one}{between}{other}", language) is not True


@given(languages, st.from_regex(r"[a-zß-öø-ÿ]{0,12}", fullmatch=True), breaks, st.booleans())
def test_a_yes_beside_a_word_that_is_in_no_list_is_none(language: str, word: str, between: str, first: bool) -> None:
    yes, word = CLEAR[language][0], f"zq{word}"
    assert is_consent(f"{yes}{between}{word}" if first else f"{word}{between}{yes}", language) is None


@given(
    languages,
    st.sampled_from(["?", "¿", "？", "؟", "1", "½", "²", "٣", "👎", "❌", "/", "%", "&", "(", "=", "\u0301x"]),
)
def test_one_sign_too_many_is_enough(language: str, sign: str) -> None:
    yes = CLEAR[language][0]
    for said in (f"{yes}{sign}", f"{sign}{yes}", f"{yes} {sign}", f"{sign} {yes}", f"{yes}, {sign}, {yes}"):
        assert is_consent(said, language) is None


@given(st.text())
def test_any_text_is_judged(said: str) -> None:
    for language in LANGUAGES:
        assert is_consent(said, language) in (True, False, None)


@given(languages, languages)
def test_a_no_of_one_language_is_a_yes_of_none(one: str, other: str) -> None:
    for words in [CLEAR[one][1], *NOES[one]]:
        assert is_consent(words, other) is not True


def test_a_class_judges_in_its_language_unless_it_judges_itself() -> None:
    class German(Agent):
        """Sie helfen."""

        language = "de"

    class Strict(German):
        def consents(self, said: str) -> bool | None:
            return True if said == "Bestätigt" else None

    assert (German().consents("ja"), German().consents("yes"), German().consents("nein")) == (True, None, False)
    assert (Strict().consents("ja"), Strict().consents("Bestätigt")) == (None, True)
