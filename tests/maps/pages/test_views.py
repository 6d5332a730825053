"""The map pages as a browser without scripts shows them: full and empty, in both languages."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from maps.models import FIRST_NAMED_ID
from tests.conftest import ALL_DATABASES
from tests.maps import factories

pytestmark = ALL_DATABASES

HOSTILE = "<script>alert(1)</script>\"'\u202e&amp;" + "🐉" * 20
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;\u202e&amp;amp;"

KODO = 10636
MANTLE = 3651


@pytest.fixture
def world() -> dict[str, dict[str, int]]:
    """Fill two locales with one subject of each kind, in the German one with hostile names. Returns ids by locale."""
    ids = {}
    for locale, db, name in (("enUS", factories.EN, "Kodo"), ("deDE", factories.DE, HOSTILE)):
        zone = factories.zone(name, db=db)
        factories.creature(KODO, name, level_min=30, level_max=31, reactions=(4, 0, 0, 0, 2, 0), db=db)
        factories.habitat(KODO, zone, {(21.6, 33): [1, 2, 3], (46.1, 40.7): [1]}, db=db)
        factories.habitat(KODO, zone, {(50, 50): [1]}, floor=1, db=db)
        factories.spawn(KODO, zone, 21.6, 33, sightings=3, uploaders=3, confirmed=True, db=db)
        factories.named_creature(name + " by name", db=db)
        factories.creature(FIRST_NAMED_ID, name + " by name", level_min=None, level_max=None, boss=True, db=db)
        kill = factories.source("kill", KODO, db=db)
        factories.loot(kill, zone, 1234, {MANTLE: 100, 117: 1}, money_lootings=10, copper=120_340, db=db)
        factories.item(MANTLE, name, db=db)
        herb = factories.source("herb", object=name, db=db)
        factories.loot(herb, zone, 7, {117: 7}, db=db)
        factories.habitat(-herb, zone, {(10, 10): [1]}, db=db)
        skin = factories.source("skinning", KODO, db=db)
        factories.loot(skin, zone, 5, {117: 2}, db=db)
        ids[locale] = {"zone": zone, "herb": herb}
    return ids


def pages(world: dict[str, dict[str, int]], locale: str) -> list[str]:
    return [
        "/",
        "/about",
        "/about/api",
        f"/{locale}/zones",
        f"/{locale}/zones/{world[locale]['zone']}",
        f"/{locale}/mobs/{KODO}",
        f"/{locale}/mobs/{FIRST_NAMED_ID}",
        f"/{locale}/items/{MANTLE}",
        f"/{locale}/items/117",
        f"/{locale}/sources",
        f"/{locale}/sources?kind=herb",
        f"/{locale}/sources/{world[locale]['herb']}",
        f"/{locale}/look",
        f"/{locale}/look?zone={world[locale]['zone']}",
        f"/{locale}/zones/{world[locale]['zone']}/embed",
        f"/{locale}/search",
        f"/{locale}/search?q=kodo",
        "/upload",
    ]


def get(path: str, language: str = "en", status: int = 200, **cookies: str) -> str:
    """Return a page's HTML; it must have the wanted status and language."""
    client = Client(headers={"Accept-Language": language})
    for name, value in cookies.items():
        client.cookies[name] = value
    response = client.get(path)
    assert response.status_code == status, (path, response.status_code)
    html = response.content.decode()
    assert f'<html lang="{language}">' in html
    return html


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("locale", ["enUS", "deDE"])
def test_every_page_of_a_filled_site_is_shown_in_both_languages(world, locale, language):
    for path in pages(world, locale):
        html = get(path, language)
        assert re.search(r"<h1>.+</h1>", html), path
        assert "{%" not in html and "{{" not in html, path


@pytest.mark.parametrize(
    "path", ["/", "/enUS/zones", "/deDE/sources", "/deDE/sources?kind=fishing", "/enUS/search?q=kodo"]
)
def test_an_empty_site_invites_the_first_upload(path):
    html = get(path)
    assert 'class="empty"' in html
    assert 'href="/upload"' in html


@pytest.mark.parametrize(
    "path",
    ["/enUS/zones/1", "/enUS/mobs/1", "/enUS/items/1", "/enUS/sources/1", "/enUS/sources?kind=theft", "/frFR/zones"],
)
def test_unknown_subjects_are_a_404_page(path):
    assert "Not on the map" in get(path, status=404)


@pytest.mark.parametrize("id", [2**31, 9_999_999_999])
@pytest.mark.parametrize("kind", ["zones", "items", "sources", "mobs"])
def test_ids_past_the_largest_are_not_found(kind, id):
    get(f"/enUS/{kind}/{id}", status=404)


@pytest.mark.parametrize("path", ["/enUS/zones?after=x", "/enUS/sources?after=AAAA", "/enUS/zones?after=%00"])
def test_a_broken_cursor_is_not_found(path):
    get(path, status=404)


def test_hostile_names_are_escaped_on_every_page(world):
    for path in [*pages(world, "deDE"), "/deDE/search?q=" + "%3Cscript%3Ealert(1)%3C/script%3E"]:
        html = get(path, map_locale="deDE")
        assert "<script>alert" not in html, path
    assert f'<bdi lang="de">{ESCAPED}' in get(f"/deDE/mobs/{KODO}")


def test_no_page_has_inline_scripts_styles_or_handlers(world):
    for path in pages(world, "enUS"):
        html = get(path)
        assert not re.search(r"<script(?![^>]* src=)", html), path
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", html), path


def test_british_addresses_redirect_permanently_to_the_american_map():
    response = Client().get("/enGB/zones/7?after=x")
    assert (response.status_code, response["Location"]) == (308, "/enUS/zones/7?after=x")


def test_a_name_that_got_an_id_redirects_to_it(world):
    factories.named_creature("Kodo again", shown_as=KODO, number=1, db=factories.EN)
    response = Client().get(f"/enUS/mobs/{FIRST_NAMED_ID + 1}")
    assert (response.status_code, response["Location"]) == (308, f"/enUS/mobs/{KODO}")


def test_a_creature_shows_levels_reaction_money_and_rates_in_the_language(world):
    english = get(f"/enUS/mobs/{KODO}")
    assert "30–31" in english
    assert "Alliance: hostile" in english and "Horde: neutral" in english
    assert "1\u00a0g 20\u00a0s 34\u00a0c" in english
    assert "1,234 lootings" in english
    assert "8.1\u00a0%" in english
    german = get(f"/enUS/mobs/{KODO}", "de")
    assert "1.234 Plünderungen" in german
    assert "8,1\u00a0%" in german
    assert 'width="8.10"' in german, "lengths in SVG take a point in any language"


def test_a_creature_shows_its_other_kinds_of_loot(world):
    assert "Skinning" in get(f"/enUS/mobs/{KODO}")


def test_a_boss_known_by_name_alone_says_so(world):
    html = get(f"/enUS/mobs/{FIRST_NAMED_ID}")
    assert "<dd>??</dd>" in html
    assert "Known by name alone" in html


def test_the_list_of_a_zone_works_without_scripts(world):
    html = get(f"/enUS/zones/{world['enUS']['zone']}")
    assert f'href="/enUS/mobs/{KODO}"' in html
    assert '<option value="1">Floor 1</option>' in html


def test_a_zone_offers_the_kinds_of_gathering_sources_it_has(world):
    html = get(f"/enUS/zones/{world['enUS']['zone']}")
    assert re.findall(r'name="gathering" value="(\w+)"', html) == ["herb"]


def test_a_zone_with_gathering_sources_alone_offers_them_too():
    zone = factories.zone("Sea", db=factories.EN)
    water = factories.source("fishing", zone=zone, db=factories.EN)
    factories.habitat(-water, zone, {(10, 10): [1]}, db=factories.EN)
    html = get(f"/enUS/zones/{zone}")
    assert 'name="gathering" value="fishing"' in html
    assert '<details class="more-filters" id="more-filters">' in html, "their dots fade by what is in there"
    assert "No one has sent data about creatures from here yet" in html


def test_search_without_scripts_finds_creatures_items_and_zones(world):
    html = get("/enUS/search?q=kodo")
    for path in (f"/enUS/mobs/{KODO}", f"/enUS/items/{MANTLE}", f"/enUS/zones/{world['enUS']['zone']}"):
        assert f'href="{path}"' in html


def test_the_search_page_accepts_any_text():
    for query in ("%00", "%25", "_", "%5C", "a" * 5000, "%F0%9F%90%89", "'", ""):
        get(f"/enUS/search?q={query}")


def test_the_start_page_shows_totals_of_every_locale_and_the_newest_confirmed(world):
    html = get("/", map_locale="enUS")
    assert "1,246" in html, "lootings: 1,234 kills, 7 herbs, 5 skins"
    assert f'href="/enUS/mobs/{KODO}"' in html


def test_the_chosen_locale_is_stored_and_redirects_to_the_same_page(world):
    client = Client()
    response = client.post("/choose/locale", {"locale": "deDE", "path": f"/enUS/mobs/{KODO}"})
    assert (response.status_code, response["Location"]) == (302, f"/deDE/mobs/{KODO}")
    assert client.cookies["map_locale"].value == "deDE"
    assert 'action="/deDE/search"' in client.get("/about").content.decode()


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/enUS/zones/3", "/deDE/zones"),
        ("/enUS/sources/3", "/deDE/sources"),
        (f"/enUS/mobs/{FIRST_NAMED_ID}", "/deDE/zones"),
        ("/enUS/items/3651", "/deDE/items/3651"),
        ("/about", "/about"),
        ("/nowhere", "/"),
        ("//evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("", "/"),
    ],
)
def test_the_locale_switch_stays_on_the_site(path, leads_to):
    response = Client().post("/choose/locale", {"locale": "deDE", "path": path})
    assert response["Location"] == leads_to


def test_only_hosted_locales_can_be_chosen_and_only_by_post():
    assert Client().post("/choose/locale", {"locale": "frFR", "path": "/"}).status_code == 404
    assert Client().get("/choose/locale").status_code == 405


def test_the_language_is_switched_by_a_form():
    client = Client(headers={"Accept-Language": "en"})
    client.post("/choose/language", {"language": "de", "next": "/about"})
    assert '<html lang="de">' in client.get("/about").content.decode()


def test_the_texts_of_the_scripts_exist_in_both_languages():
    german = Client().get("/messages/de.js")
    assert german["Content-Type"].startswith("text/javascript")
    assert "Vorschl" in german.content.decode()
    assert Client().get("/messages/fr.js").status_code == 404


@pytest.mark.parametrize("days", [0, 30])
def test_pages_say_how_long_data_is_kept(settings, days):
    settings.ARCHIVE_DAYS, settings.REFUSALS_KEPT = days, 12_345
    about, upload = get("/about"), get("/upload")
    assert "of the newest 12,345 refusals" in about
    assert ("After 30 days they are deleted." in about) == ("are kept for 30 days" in upload) == (days == 30)
    assert ("kept without limit of time" in about) == ("kept without limit of time" in upload) == (days == 0)
    assert "Nothing but" not in upload


def test_every_code_of_a_refusal_has_an_anchor():
    html = get("/about/api")
    for code in ("not-found", "too-large", "locale-not-hosted"):
        assert f'id="problem-{code}"' in html


def test_the_conventional_icon_url_redirects_to_the_icon():
    response = Client().get("/favicon.ico")
    assert (response.status_code, response["Location"]) == (302, "/static/img/mark.svg")
    assert 'rel="icon" href="/static/img/mark.svg"' in get("/upload")


def test_pages_carry_the_strict_security_policy():
    policy = Client().get("/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy


def test_rates_corrected_for_empty_lootings_are_marked_as_estimates(world):
    grassland = factories.zone("Grasland", db=factories.EN)
    factories.creature(77, "Steppenwolf", db=factories.EN)
    factories.loot(factories.source("kill", 77, db=factories.EN), grassland, 80, {5: 60, 6: 60}, db=factories.EN)
    english, german = get("/enUS/mobs/77"), get("/enUS/mobs/77", "de")
    assert "est. 66.7\u00a0%" in english and "about 11.1\u00a0% of all lootings were empty" in english
    assert "gesch. 66,7\u00a0%" in german and "etwa 11,1\u00a0% aller Plünderungen leer" in german
    assert "est. 66.7\u00a0%" in get("/enUS/items/5")
    # The interval is visible without hovering.
    estimate = r'<small class="estimate">est\. 66\.7\u00a0%<br>(\d\d\.\d)\u00a0% – (\d\d\.\d)\u00a0%</small>'
    for page in (english, get("/enUS/items/5")):
        low, high = map(float, re.search(estimate, page).groups())
        assert 50 < low < 66.7 < high < 80
        assert "title=" not in page[page.index("<main") : page.index("</main>")]
