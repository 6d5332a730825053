"""Names in both languages, and their escapes in the addon's documents."""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape as xml_escape

from simulation import words

#: The locales in which this world has names; British clients write American names.
LOCALES = ("enUS", "enGB", "deDE")

_PIPES = str.maketrans(
    {
        "|": "||",
        "ü": "|uuml|",
        "ä": "|auml|",
        "ö": "|ouml|",
        "Ü": "|Uuml|",
        "Ä": "|Auml|",
        "Ö": "|Ouml|",
        "ß": "|szlig|",
    }
)


class Name(NamedTuple):
    """A name in both languages: `Name("Ember Boar", "Glutkeiler")`."""

    english: str
    german: str

    def localized(self, locale: str) -> str:
        """Return the name that a client of this locale shows."""
        return self.german if locale == "deDE" else self.english


def as_written(text: str) -> str:
    """Return a text as the addon writes it into an attribute: `Große "Düne"` → `Gro|szlig|e &quot;D|uuml|ne&quot;`."""
    return xml_escape(text.translate(_PIPES), {'"': "&quot;"})


def beast(prefix: int, species: int) -> Name:
    """Return the name of a beast from the rows of `words.PREFIXES` and `words.BEASTS`: "Ember Boar", "Glutkeiler"."""
    english, german = words.PREFIXES[prefix]
    species_english, species_german, _, _ = words.BEASTS[species]
    return Name(f"{english} {species_english}", german + species_german)


def aged(name: Name, age: int, gender: str) -> Name:
    """Put a word of `words.AGES` before a name: "Great Ember Boar", "Großer Glutkeiler"."""
    english, german = words.AGES[age]
    return Name(f"{english} {name.english}", f"{german}{words.GENDER_ENDINGS[gender]} {name.german}")


def oddity(prefix: int, row: int) -> Name:
    """Return the name of an elemental, undead or mechanical creature: "Soot Kilnborn", "Rußofenwesen"."""
    english, german = words.PREFIXES[prefix]
    return Name(f"{english} {words.ODDITIES[row][0]}", german + words.ODDITIES[row][1])


def folk_member(folk: int, rank: int) -> Name:
    """Return the name of one of a hostile folk: "Tallowhand Raider", "Plünderer der Talghände"."""
    return Name(
        f"{words.FOLK[folk][0]} {words.RANKS[rank][0]}",
        f"{words.RANKS[rank][1]} {words.FOLK[folk][1]}",
    )


def townsperson(trade: int, town: str) -> Name:
    """Return the name of a friendly creature: "Miller of Orrinford", "Müllerin von Orrinford"."""
    english, german = words.TRADES[trade]
    return Name(f"{english} of {town}", f"{german} von {town}")


def notable(person: str, epithet: int) -> Name:
    """Return the name of a boss or a rare creature: "Orwen, Third Bell", "Orwen, Dritte Glocke"."""
    english, german = words.EPITHETS[epithet]
    return Name(f"{person}, {english}", f"{person}, {german}")


def thing(adjective: int, row: int) -> Name:
    """Return the name of an item: "Worn Kettle", "Abgenutzter Kessel"."""
    english, german, gender = words.THINGS[row]
    adjective_english, adjective_german = words.ADJECTIVES[adjective]
    return Name(
        f"{adjective_english} {english}",
        f"{adjective_german}{words.GENDER_ENDINGS[gender]} {german}",
    )


def part(species: int, row: int) -> Name:
    """Return the name of something cut from a beast: "Boar Tooth", "Keilerzahn"."""
    return Name(f"{words.BEASTS[species][0]} {words.PARTS[row][0]}", words.BEASTS[species][3] + words.PARTS[row][1])


def player(number: int) -> str:
    """Return the name of a player; every number has its own: `player(0) == "Talwen"`."""
    starts, ends = words.PLAYER_STARTS, words.PLAYER_ENDS
    again, row = divmod(number, len(starts) * len(ends))
    name = starts[row % len(starts)] + ends[(row // len(starts) + row) % len(ends)]
    return f"{name}{again + 1}" if again else name
