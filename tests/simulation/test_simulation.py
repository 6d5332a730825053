"""The simulated uploads, read back without any code of the simulation."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter, defaultdict
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ingest.formats.mobmapdata.precheck import precheck
from ingest.formats.mobmapdata.unwrap import unwrap
from ingest.formats.mobmapdata.validate import validate
from simulation.__main__ import main

# --- the grammar, from the description of the format ----------------------------------------------
INTEGER = r"(?:0|-?[1-9][0-9]*)"
POSITIVE = r"[1-9][0-9]{0,9}"
PERCENT = r"(?:100|[1-9]?[0-9](?:\.[1-9])?)"
COORDINATES = re.compile(rf"(?:(?:{PERCENT}/{PERCENT}|-1/-1),)*")
DIFFICULTY = "(?:HEROIC|RAID1N|RAID2N|RAID1H|RAID2H)?"
SOURCE_V44 = (
    r"(?:(?:PIPO|ENGN)?n0x[0-9A-F]{4,8}|SKINn.+|(?:HERB|MING|OPEN)o.+|(?:ITEM|DISN|PRSP|MILL)i[1-9][0-9]*|FISH|UNKN)"
)
SOURCE_V42 = r"(?:(?:PIPO|ENGN|SKIN)?n.+|(?:HERB|MING|OPEN)o.+|(?:ITEM|DISN|PRSP|MILL)i[1-9][0-9]*|FISH|UNKN)"
PLACE = rf"#(?:{PERCENT}#{PERCENT}|-1#-1)#[^#]+?{DIFFICULTY}"
LOOT_NAME = {44: re.compile(rf"{SOURCE_V44}{PLACE}#[0-9]"), 42: re.compile(SOURCE_V42 + PLACE)}
LOOT_TEXT = {
    44: re.compile(rf"(?:\+(?:{POSITIVE}:{INTEGER}:{INTEGER}:[1-9][0-9]*:[0-9A-Z]+#|[1-9][0-9]*#)+)+"),
    42: re.compile(rf"(?:\+(?:{POSITIVE}:{INTEGER}:{INTEGER}:[1-9][0-9]*#|[1-9][0-9]*#)+)+"),
}
ATTRIBUTES = {
    "MobMapData": ({"language", "version", "gameversion"}, set()),
    "Mob": ({"name", "min", "max"}, {"blizzid", "react", "date"}),
    "Zone": ({"name"}, {"level"}),
    "Loot": ({"name"}, set()),
    "Questcomment": ({"timestamp", "title", "objective", "text"}, {"author"}),
    "Merchant": ({"name"}, set()),
    "MItem": ({"id", "qty", "ltd", "cost"}, {"arena", "honor", *(f"token{n}" for n in range(1, 6))}),
    "Recipe": ({"name", "skill", "level"}, {"itemid", "enchid", "mincnt", "maxcnt"}),
    "Reagent": ({"id", "count"}, set()),
    "Trainer": ({"name"}, set()),
    "Skill": ({"name"}, {"level", "cost", "skillname", "skillrank"}),
    "EventObjective": ({"questid", "objective"}, set()),
    "MobSpell": ({"name"}, set()),
    "Spell": ({"id", "count"}, set()),
}
LETTERS = {"uuml": "ü", "auml": "ä", "ouml": "ö", "Uuml": "Ü", "Auml": "Ä", "Ouml": "Ö", "szlig": "ß"}


def unescape(text: str) -> str:
    return re.sub(
        r"\|\||\|(uuml|auml|ouml|Uuml|Auml|Ouml|szlig)\||\$B",
        lambda m: LETTERS[m[1]] if m[1] else {"||": "|", "$B": "\n"}[m[0]],
        text,
    )


def read(path: Path) -> ElementTree.Element:
    body = path.read_bytes()
    return ElementTree.fromstring(base64.b64decode(body) if path.suffix == ".b64" else body)


def load(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def arguments(options: dict) -> list[str]:
    """Return options as a command line has them: `{"size_kb": 8, "mix": True}` → `["--size-kb=8", "--mix"]`."""
    words = [(f"--{name.replace('_', '-')}", value) for name, value in options.items()]
    return [word if value is True else f"{word}={value}" for word, value in words]


def simulate(directory: Path, **options) -> Path:
    assert main([str(directory), *arguments(options)]) == 0
    return directory


def bodies(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def east_of_nowhere(tmp_path_factory) -> Path:
    """A hundred uploads of version 44, half of them German, by 20 players."""
    return simulate(tmp_path_factory.mktemp("v44") / "world", uploads=100, players=20)


@pytest.fixture(scope="module")
def old_times(tmp_path_factory) -> Path:
    """Sixteen uploads of version 42."""
    return simulate(tmp_path_factory.mktemp("v42") / "world", uploads=16, format_version=42)


def documents(directory: Path) -> list[tuple[str, ElementTree.Element]]:
    return [(path.name, read(path)) for path in sorted(directory.iterdir()) if path.suffix in {".xml", ".b64"}]


# --- repeatable, and different -------------------------------------------------------------------
def test_the_same_options_write_the_same_bytes(tmp_path, east_of_nowhere):
    again = simulate(tmp_path / "again", uploads=100, players=20)
    assert bodies(again) == bodies(east_of_nowhere)


def test_another_seed_sends_other_players_through_the_same_world(tmp_path, east_of_nowhere):
    other = simulate(tmp_path / "other", uploads=4, seed=2)
    truth = "truth-deDE.json"
    assert (other / truth).read_bytes() == (east_of_nowhere / truth).read_bytes()
    file = "deDE-v44-00000.xml"
    assert (other / file).read_bytes() != (east_of_nowhere / file).read_bytes()


def test_another_world_has_its_creatures_elsewhere(tmp_path, east_of_nowhere):
    other = simulate(tmp_path / "other", uploads=2, world=2)
    assert load(other / "truth-enUS.json")["zones"] != load(east_of_nowhere / "truth-enUS.json")["zones"]


def test_no_two_uploads_are_alike(east_of_nowhere):
    files = [path.read_bytes() for path in east_of_nowhere.glob("*.xml")]
    assert len(set(files)) == len(files) == 100


# --- the grammar ----------------------------------------------------------------------------------
@pytest.mark.parametrize("version", [42, 44])
def test_every_record_keeps_to_the_format(version, east_of_nowhere, old_times):
    for name, root in documents(old_times if version == 42 else east_of_nowhere):
        assert root.get("version") == str(version)
        assert root.get("language") == name[:4]
        for element in root.iter():
            required, optional = ATTRIBUTES[element.tag]
            if version == 44:
                required = required | {"Mob": {"blizzid", "react", "date"}, "Zone": {"level"}}.get(element.tag, set())
            assert required <= set(element.keys()) <= required | optional
            text = element.text or ""
            if element.tag == "Zone":
                assert COORDINATES.fullmatch(text)
            elif element.tag == "Loot":
                assert LOOT_NAME[version].fullmatch(element.get("name"))
                assert LOOT_TEXT[version].fullmatch(text)
            else:
                assert not text
        for mob in root.iter("Mob"):
            assert 1 <= len(unescape(mob.get("name"))) <= 100
            assert re.fullmatch(INTEGER, mob.get("min"))
            if version == 44:
                assert 1 <= int(mob.get("blizzid")) < 2**31
                assert int(mob.get("react")) in {0, 1, 2, 10, 11, 12}
                assert 5000 < int(mob.get("date")) < 7000


def test_version_42_writes_no_ids_and_only_its_own_elements(old_times):
    elements = {child.tag for _, root in documents(old_times) for child in root}
    assert {"Mob", "Loot", "Merchant"} <= elements <= {"Mob", "Merchant", "Recipe", "Loot", "Trainer"}
    mobs = [mob for _, root in documents(old_times) for mob in root.iter("Mob")]
    assert all(set(mob.keys()) == {"name", "min", "max"} for mob in mobs)


def test_all_kinds_of_records_and_loot_sources_occur(east_of_nowhere):
    roots = [root for _, root in documents(east_of_nowhere)]
    assert {child.tag for root in roots for child in root} == {
        "Mob", "Loot", "Questcomment", "Merchant", "Recipe", "Trainer", "EventObjective", "MobSpell",
    }  # fmt: skip
    names = [loot.get("name") for root in roots for loot in root.iter("Loot")]
    assert {name[:4] for name in names if not name.startswith("n0x")} == {
        "SKIN", "PIPO", "HERB", "MING", "OPEN", "FISH", "ITEM", "DISN", "PRSP", "MILL", "ENGN", "UNKN",
    }  # fmt: skip
    assert any(re.match(r"OPENo\w+ #\d+#", name) for name in names)
    assert any("#-1#-1#" in name for name in names)
    assert {m[0] for name in names if (m := re.search("(HEROIC|RAID..)(?=#[1-3]$)", name))} >= {"HEROIC"}


def test_umlauts_are_escaped_as_the_addon_does(east_of_nowhere):
    german = "".join(path.read_text(encoding="utf-8") for path in east_of_nowhere.glob("deDE-*.xml"))
    assert not re.search("[äöüÄÖÜß]", german)
    assert "Gro|szlig|e" in german
    assert "|uuml|" in german


def test_base64_holds_the_same_documents(tmp_path, east_of_nowhere):
    wrapped = simulate(tmp_path / "wrapped", uploads=100, players=20, base64=True)
    for file in ("enUS-v44-00003", "deDE-v44-00041"):
        plain = (east_of_nowhere / f"{file}.xml").read_bytes()
        assert base64.b64decode((wrapped / f"{file}.b64").read_bytes(), validate=True) == plain


def test_a_mix_has_every_version_and_both_wrappings(tmp_path):
    mixed = simulate(tmp_path / "mixed", uploads=120, mix=True, size_kb=8)
    kinds = Counter((path.name[5:8], path.suffix) for path in mixed.glob("*-v*"))
    assert {version for version, _ in kinds} == {"v42", "v43", "v44"}
    assert {suffix for _, suffix in kinds} == {".xml", ".b64"}
    assert all(root.get("version") == name[6:8] for name, root in documents(mixed))


# --- sizes ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("version", [42, 44])
@pytest.mark.parametrize("size_kb", [20, 65, 120])
def test_the_mean_size_is_as_asked_for(tmp_path, size_kb, version):
    directory = simulate(tmp_path / "sized", uploads=150, size_kb=size_kb, format_version=version)
    sizes = [path.stat().st_size for path in directory.glob("*.xml")]
    assert np.mean(sizes) == pytest.approx(size_kb * 1000, rel=0.12)
    assert max(sizes) <= 180_000


# --- the truth ------------------------------------------------------------------------------------
def test_the_book_counts_what_is_in_the_files(east_of_nowhere):
    for locale in ("enUS", "deDE"):
        book = {entry["file"]: entry for entry in load(east_of_nowhere / f"book-{locale}.json")}
        assert len(book) == 50
        assert not any(entry["malicious"] for entry in book.values())
        for file, entry in book.items():
            root = read(east_of_nowhere / file)
            coordinates = [zone.text for mob in root.iter("Mob") for zone in mob]
            lootings = [loot.text for loot in root.iter("Loot")]
            assert entry["positions"] == sum(text.count(",") for text in coordinates)
            assert entry["lootings"] == sum(text.count("+") for text in lootings)


def test_every_player_sends_and_none_plays_in_two_locales(east_of_nowhere):
    players = [
        {entry["player"] for entry in load(east_of_nowhere / f"book-{locale}.json")} for locale in ("enUS", "deDE")
    ]
    assert players[0].isdisjoint(players[1])
    listed = (east_of_nowhere / "players.txt").read_text(encoding="utf-8").splitlines()
    assert len(listed) == 20
    assert set(listed) == players[0] | players[1]


def segments(truth: dict, zone: str, floor: str, creature: str) -> np.ndarray:
    """Return a creature's points and patrol legs as (n, 2, 2)."""
    place = truth["zones"].get(zone, {}) if floor == "0" else truth["floors"].get(zone, {}).get(floor, {})
    legs = [(point, point) for point in place.get(creature, [])]
    for path in truth["patrols"].get(zone, {}).get(floor, {}).get(creature, []):
        legs += list(pairwise(path))
    return np.array(legs, dtype=float)


def distances(positions: np.ndarray, legs: np.ndarray) -> np.ndarray:
    """Return each position's distance from the nearest leg."""
    start, along = legs[:, 0], legs[:, 1] - legs[:, 0]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = ((positions[:, None] - start) * along).sum(axis=2) / length
    nearest = start + np.clip(share, 0, 1)[..., None] * along
    return np.hypot(*np.moveaxis(positions[:, None] - nearest, 2, 0)).min(axis=1)


def test_positions_lie_around_the_true_spawn_points(east_of_nowhere):
    truth = load(east_of_nowhere / "truth-deDE.json")
    seen = defaultdict(list)
    for name, root in documents(east_of_nowhere):
        if name.startswith("deDE"):
            for mob in root.iter("Mob"):
                assert unescape(mob.get("name")) == truth["names"][mob.get("blizzid")]
                for zone in mob:
                    key = unescape(zone.get("name")), zone.get("level"), mob.get("blizzid")
                    seen[key] += [pair.split("/") for pair in zone.text.split(",")[:-1] if pair != "-1/-1"]
    found = [distances(np.array(xy, dtype=float), segments(truth, *key)) for key, xy in seen.items() if xy]
    offset = np.concatenate(found)
    assert len(offset) > 10_000
    assert offset.max() < 2.5
    # The mean distance of a gaussian with a standard deviation of 0.2 per axis is 0.25.
    assert offset.mean() == pytest.approx(0.25, abs=0.05)


def test_malicious_positions_are_unrelated_to_the_truth(tmp_path):
    directory = simulate(tmp_path / "bad", uploads=20, malicious=1.0, locale="enUS")
    truth = load(directory / "truth-enUS.json")
    assert all(entry["malicious"] for entry in load(directory / "book-enUS.json"))
    found = []
    for _, root in documents(directory):
        for mob in root.iter("Mob"):
            for zone in mob:
                legs = segments(truth, unescape(zone.get("name")), zone.get("level"), mob.get("blizzid"))
                xy = np.array([pair.split("/") for pair in zone.text.split(",")[:-1]], dtype=float)
                found.append(distances(xy, legs))
    assert np.median(np.concatenate(found)) > 5


def test_drop_rates_and_money_come_out_as_in_the_truth(east_of_nowhere):
    truth = load(east_of_nowhere / "truth-enUS.json")
    lootings, drops, coins, copper = Counter(), Counter(), Counter(), Counter()
    for _, root in documents(east_of_nowhere):
        for loot in root.iter("Loot"):
            if not (source := re.match(r"n0x([0-9A-F]+)#", loot.get("name"))):
                continue
            creature = str(int(source[1], 16))
            for looting in loot.text.split("+")[1:]:
                slots = [slot.split(":") for slot in looting.split("#")[:-1]]
                lootings[creature] += 1
                drops.update((creature, item) for item in {slot[0] for slot in slots if len(slot) > 1})
                money = [int(slot[0]) for slot in slots if len(slot) == 1]
                coins[creature] += bool(money)
                copper[creature] += sum(money)
    deviations, often = [], [creature for creature in lootings if lootings[creature] >= 200]
    assert len(often) > 40
    for creature in often:
        total, recorded = lootings[creature], 1 - truth["empty"][creature]
        assert {item for c, item in drops if c == creature} <= truth["drops"][creature].keys()
        for item, rate in truth["drops"][creature].items():
            expected = rate / recorded
            error = max(np.sqrt(expected * (1 - expected) / total), 1e-9)
            deviations.append((drops[creature, item] / total - expected) / error)
        if creature in truth["money"]:
            money = truth["money"][creature]
            expected = money["chance"] / recorded
            deviations.append((coins[creature] / total - expected) / np.sqrt(expected * (1 - expected) / total))
            assert copper[creature] / coins[creature] == pytest.approx(money["mean_copper"], rel=0.25)
    assert np.mean(deviations) == pytest.approx(0, abs=0.15)
    assert np.std(deviations) == pytest.approx(1, abs=0.15)


def test_some_creatures_often_drop_nothing_and_some_share_a_name(east_of_nowhere):
    truth = load(east_of_nowhere / "truth-deDE.json")
    assert sum(chance > 0.6 for chance in truth["empty"].values()) >= 3
    assert sum(count > 1 for count in Counter(truth["names"].values()).values()) >= 3


def test_the_count_of_all_slots_is_that_of_the_first(east_of_nowhere):
    counts = [
        {slot.split(":")[3] for slot in looting.split("#") if ":" in slot}
        for _, root in documents(east_of_nowhere)
        for loot in root.iter("Loot")
        for looting in loot.text.split("+")[1:]
    ]
    assert all(len(count) <= 1 for count in counts)
    assert {"1", "2"} <= set().union(*counts)


def test_the_world_is_as_large_as_promised_and_the_same_in_both_languages(east_of_nowhere):
    english, german = (load(east_of_nowhere / f"truth-{locale}.json") for locale in ("enUS", "deDE"))
    assert len(english["zones"]) >= 8
    assert len(english["floors"]) >= 2
    assert 230 <= len(english["names"]) <= 280
    assert list(english["zones"].values()) == list(german["zones"].values())
    assert english["drops"] == german["drops"]
    points = [len(points) for zone in english["zones"].values() for points in zone.values()]
    assert (min(points), max(points) <= 60) == (1, True)


def test_items_are_named_in_both_languages(east_of_nowhere):
    for locale, name in (("enUS", "Worn Satchel"), ("deDE", "Abgenutzter Ranzen")):
        lines = (east_of_nowhere / f"items-{locale}.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "id,name"
        assert any(line.endswith(f",{name}") for line in lines)
        ids = {line.split(",")[0] for line in lines[1:]}
        assert {
            item for drops in load(east_of_nowhere / f"truth-{locale}.json")["drops"].values() for item in drops
        } <= ids


@pytest.mark.parametrize("options", [{}, {"format_version": 42}, {"format_version": 43}, {"mix": True}])
def test_the_upload_endpoint_accepts_every_upload_and_counts_as_the_book_does(tmp_path, options):
    directory = simulate(tmp_path / "world", uploads=24, size_kb=30, **options)
    for locale in ("enUS", "deDE"):
        for entry in load(directory / f"book-{locale}.json"):
            document = BytesIO(
                b"".join(precheck(unwrap(iter([(directory / entry["file"]).read_bytes()]), "", 10**6, 10**6)))
            )
            contents = validate(document)
            assert (contents.language, contents.version) == (locale, int(entry["file"][6:8]))
            assert (contents.positions, contents.lootings) == (entry["positions"], entry["lootings"])


# --- the command ----------------------------------------------------------------------------------
def test_a_folder_that_is_not_empty_is_left_alone_without_force(tmp_path, capsys):
    (tmp_path / "diary.txt").write_text("mine", encoding="utf-8")
    assert main([str(tmp_path), "--uploads=2"]) == 1
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]
    simulate(tmp_path, uploads=2, force=True)
    assert (tmp_path / "diary.txt").read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.glob("*.xml"))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"uploads": 0}, "at least 1"),
        ({"locale": "frFR"}, "no names in frFR"),
        ({"locale": ","}, "no locale"),
        ({"malicious": 1.5}, "between 0 and 1"),
        ({"size_kb": 500}, "180,000 characters"),
        ({"players": 1}, "at least one"),
        ({"seed": -1}, "negative"),
    ],
)
def test_options_out_of_range_are_refused_before_anything_is_written(tmp_path, capsys, options, message):
    assert main([str(tmp_path / "never"), *arguments(options)]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "never").exists()
