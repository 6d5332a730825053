"""Records that are not merged: merchants, trainers, recipes, quest comments and others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.names import as_written
from simulation.world import World

#: Elements that the addon's version 42 writes; the others came later.
IN_VERSION_42 = ("Merchant", "Recipe", "Trainer")

#: Mean number of each in an upload.
USUAL_COUNT = {
    "Questcomment": 1.0,
    "Merchant": 1.5,
    "Recipe": 0.7,
    "Trainer": 0.5,
    "EventObjective": 1.0,
    "MobSpell": 1.5,
}

#: The day written into trainers and objectives: 2024-05-01.
_SOME_DAY = 15 * 372 + 4 * 31

_WORDS = {
    "title": ("The Miller's Lost Sieve", "Das verlorene Sieb der Müllerin"),
    "objective": ("Bring 8 fangs to the ferry.$BHurry!", "Bringt 8 Zähne zur Fähre.$BBeeilt Euch!"),
    "text": ('Up the hill & left, "behind" the shed', 'Den Hügel hinauf & links, "hinter" dem Schuppen'),
    "killed": ("Ferry thieves slain: 3/8", "Fährdiebe getötet: 3/8"),
    "skill": ("Ropewright's Craft", "Seilerkunst"),
    "rank": ("Apprentice", "Lehrling"),
}


@dataclass(frozen=True)
class IgnoredRecords:
    """Records to choose from, by element, as text of a document."""

    by_element: dict[str, tuple[str, ...]]

    def some(self, rng: np.random.Generator, element: str) -> list[str]:
        """Draw a few different records of an element."""
        choice = self.by_element[element]
        count = min(int(rng.poisson(USUAL_COUNT[element])), len(choice))
        return [choice[row] for row in rng.permutation(len(choice))[:count].tolist()]


def make_records(world: World, locale: str, version: int) -> IgnoredRecords:
    """Return the records that players of this locale and version may send."""
    rng = np.random.default_rng([len(world.creatures), 7])
    word = {key: as_written(both[locale == "deDE"]) for key, both in _WORDS.items()}
    things = rng.permutation(world.items.things).tolist()
    item_name = [as_written(world.items.names[item].localized(locale)) for item in things]
    people = [creature for creature in world.creatures if creature.kind == "townsperson"][:24]
    zone_names = [as_written(zone.name.localized(locale)) for zone in world.zones if not zone.is_instance]
    by_element = {
        "Merchant": [
            f'<Merchant name="{as_written(person.name.localized(locale))}">'
            + "".join(
                f'<MItem id="{item}" qty="{1 + item % 5}" ltd="{-1 if item % 3 else 2}" cost="{7 * item % 9973}" />'
                for item in things[5 * row : 5 * row + 6]
            )
            + ('<MItem id="947264" qty="1" ltd="-1" cost="0" />' if row % 5 == 0 else "")
            + "</Merchant>"
            for row, person in enumerate(people)
        ],
        "Recipe": [
            f'<Recipe name="{item_name[row]}" skill="{word["skill"]}" level="{5 * row}" itemid="{things[row]}" '
            f'mincnt="1" maxcnt="2"><Reagent id="{things[row + 1]}" count="{1 + row % 4}"/></Recipe>'
            for row in range(30)
        ],
        "Trainer": [
            f'<Trainer name="{f"0x{person.id:04X}" if version > 42 else as_written(person.name.localized(locale))}">'
            f'<Skill name="date" cost="{_SOME_DAY}" level="0" /><Skill name="{word["skill"]}||{word["rank"]}" '
            f'skillrank="1" level="5" skillname="{word["skill"]}" cost="{10 + row}" /></Trainer>'
            for row, person in enumerate(people)
        ],
        "Questcomment": [
            f'<Questcomment timestamp="{1714550000 + 977 * row}" title="{word["title"]}" author="{as_written(author)}" '
            f'objective="{word["objective"]}" text="{word["text"]} ({row})" />'
            for row, author in enumerate(["Talwen", "Öldric", "Broßbix", "Wobnella"] * 8)
        ],
        "EventObjective": [
            f'<EventObjective questid="{101 + row}" objective="{word["killed"]}#{_SOME_DAY}">'
            f'<Zone name="{zone_name}" level="0">{20 + row}/{50 - row},</Zone></EventObjective>'
            for row, zone_name in enumerate(zone_names)
        ],
        "MobSpell": [
            f'<MobSpell name="0x{creature.id:04X}"><Spell id="{133 + 11 * row}" count="{1 + row % 7}"/></MobSpell>'
            for row, creature in enumerate(world.creatures)
            if creature.kind == "folk"
        ],
    }
    written = [element for element in by_element if version > 42 or element in IN_VERSION_42]
    return IgnoredRecords({element: tuple(by_element[element]) for element in written})
