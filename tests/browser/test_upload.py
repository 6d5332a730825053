"""Sending notes by a browser: chosen, dropped, pasted and bad ones, until the receipt says they are on the map."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core import locales
from ingest.models import Upload
from ingest.queue.worker import fold_staged as merge_staged
from ingest.queue.worker import stage_batch
from maps.publish.run import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]

GOOD = (
    '<MobMapData language="enUS" version="44" gameversion="12340|realm">'
    '<Mob name="Dying Kodo" blizzid="10636" min="30" max="31" react="12" date="6659">'
    '<Zone name="Thousand Needles" level="0">21.6/33,46.1/40.7,-1/-1,</Zone></Mob></MobMapData>'
)
BAD = GOOD.replace("21.6/33", "121.6/33")


@pytest.fixture(autouse=True)
def own_temporary_folder(settings, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


def merge() -> None:
    """Do in this process what a woken worker does."""
    stage_batch("enUS", "test")
    merge_staged("enUS")
    publish(locales.alias("enUS"))


def cards(page: Page) -> Locator:
    return page.locator(".sending")


def give(page: Page, *files: tuple[str, bytes]) -> None:
    page.goto("/upload")
    page.locator("#files").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": body} for name, body in files]
    )


def answer_first(page: Page, status: int, headers: dict[str, str], body: dict[str, str] | None) -> None:
    """Let the first upload be answered so, without reaching the site, and those after it by the site."""
    page.route(
        "**/api/v1/uploads",
        lambda route: (
            route.fulfill(status=status, headers=headers, json=body) if body else route.fulfill(status=status)
        ),
        times=1,
    )


def test_a_chosen_file_is_followed_until_its_dots_are_on_the_map(page):
    give(page, ("notes.xml", GOOD.encode()))
    card = cards(page)
    expect(card.locator(".outcome")).to_contain_text("Safely stored")
    expect(card).to_contain_text("Creatures: 1, positions: 3, lootings: 0")
    merge()
    expect(card.locator(".outcome")).to_have_text("Your 2 new dots are on the map.")
    card.get_by_role("link", name="To the map").click()
    page.get_by_role("link", name="Thousand Needles").click()
    expect(page.locator("#map")).to_have_attribute("data-points", re.compile("[12]"))


def test_what_files_may_be_stands_clear_of_the_button(page):
    page.goto("/upload")
    button, hint = page.locator("#drop .button").bounding_box(), page.locator("#drop small").bounding_box()
    assert hint["y"] - (button["y"] + button["height"]) >= 16


def test_pasted_text_is_sent_as_the_export_window_shows_it(page):
    page.goto("/upload")
    page.locator("#text").fill(base64.b64encode(GOOD.encode()).decode())
    expect(page.locator("#text-about")).to_contain_text("characters")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    expect(page.locator("#text")).to_have_value("")
    assert Upload.objects.get().file_name == ""


def test_a_text_at_the_limit_of_the_export_window_brings_a_hint(page):
    page.goto("/upload")
    page.locator("#text").fill("A" * 180_000)
    expect(page.locator("#text-about")).to_contain_text("may have dropped the rest")
    page.locator("#text").fill("hello there, this is not it!")
    expect(page.locator("#text-about")).to_contain_text("does not look like")


def test_nothing_to_send_is_said_at_the_text(page):
    page.goto("/upload")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#text-about")).to_contain_text("There is no text to send yet")


def test_a_bad_file_shows_where_and_why(page, complaints):
    give(page, ("bad.xml", BAD.encode()))
    card = cards(page)
    expect(card).to_have_attribute("data-state", "refused")
    error = card.locator(".errors li")
    expect(error).to_have_count(1)
    expect(error).to_contain_text("121.6")
    expect(error.locator("code")).to_have_text(re.compile("[a-z-]+"))
    page.get_by_role("link", name="What this means").click()
    expect(page.locator("tr:target")).to_have_count(1)
    assert Upload.objects.count() == 0
    assert all("422" in text for text in complaints)
    complaints.clear()


def test_several_files_each_get_their_own_answer(page, complaints):
    compressed = gzip.compress(GOOD.replace("Dying", "Lively").encode())
    give(page, ("one.xml", GOOD.encode()), ("two.xml.gz", compressed), ("bad.txt", b"<html></html>"))
    expect(cards(page)).to_have_count(3)
    expect(page.locator('[data-state="queued"]')).to_have_count(2)
    expect(page.locator('[data-state="refused"]')).to_have_count(1)
    merge()
    expect(page.locator('[data-state="merged"]')).to_have_count(2)
    complaints.clear()


def test_the_same_notes_again_are_welcome_and_change_nothing(page):
    give(page, ("one.xml", GOOD.encode()))
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    give(page, ("again.xml", GOOD.encode()))
    expect(cards(page)).to_contain_text("The same data was sent before")
    assert Upload.objects.count() == 1


def test_a_hostile_file_name_is_harmless(page):
    name = "<img src=x onerror=alert(1)>\u202e.xml"
    give(page, (name, GOOD.encode()))
    expect(cards(page).locator("header bdi")).to_have_text(name)
    # Answered before the test ends: else the row comes after the tables are emptied, and the next test finds it.
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    assert page.locator("img[src=x]").count() == 0


def test_files_are_dropped_anywhere_on_the_page(page):
    page.goto("/upload")
    transfer = page.evaluate_handle(
        """(text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "dropped.xml", { type: "text/xml" }));
            return transfer;
        }""",
        GOOD,
    )
    page.dispatch_event("main", "drop", {"dataTransfer": transfer})
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")


def test_the_token_stays_in_this_browser(page):
    page.goto("/upload")
    page.locator("#token").fill("mm_secret")
    page.locator("#token").blur()
    page.reload()
    expect(page.locator("#token")).to_have_value("mm_secret")


def test_an_unknown_token_is_refused_with_the_reason(page, complaints):
    page.goto("/upload")
    page.locator("#token").fill("mm_unknown")
    page.locator("#text").fill(GOOD)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(cards(page).locator(".outcome")).to_contain_text("token")
    expect(page.locator("#text")).to_have_value(GOOD)
    assert all("401" in text or "403" in text for text in complaints)
    complaints.clear()


def test_a_busy_server_is_tried_again_by_itself(page, complaints):
    answer_first(page, 503, {"Retry-After": "2"}, {"detail": "Paused."})
    give(page, ("one.xml", GOOD.encode()))
    expect(cards(page).locator(".outcome")).to_contain_text("Trying again by itself")
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    assert all("503" in text for text in complaints)
    complaints.clear()


def test_a_paused_site_says_why_and_can_be_tried_at_once(page, complaints):
    note = "Uploads are paused (back at six). Nothing is lost; send again later."
    answer_first(page, 503, {"Retry-After": "300"}, {"type": "/about/api#problem-intake-paused", "detail": note})
    give(page, ("one.xml", GOOD.encode()))
    expect(cards(page)).to_contain_text(note)
    expect(cards(page).locator(".outcome")).to_have_text(
        re.compile(r"Uploads are paused\. Trying again by itself in [45]:\d\d min…")
    )
    page.get_by_role("button", name="Try now").click()
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    expect(cards(page)).not_to_contain_text("paused")
    complaints.clear()


def test_what_failed_for_the_moment_can_be_sent_again(page, complaints):
    answer_first(page, 500, {}, None)
    give(page, ("one.xml", GOOD.encode()))
    expect(cards(page)).to_have_attribute("data-state", "refused")
    page.get_by_role("button", name="Send again").click()
    expect(cards(page).locator(".outcome")).to_contain_text("Safely stored")
    expect(cards(page)).to_have_count(1)
    complaints.clear()


@pytest.mark.parametrize(
    "context_options", [{"locale": "de-DE", "viewport": {"width": 390, "height": 844}, "has_touch": True}]
)
def test_on_a_phone_a_refusal_comes_into_view_in_its_readers_language_with_few_places(page, complaints):
    zones = '<Zone name="Thousand Needles" level="0">121.6/33,</Zone>' * 5
    give(page, ("bad.xml", GOOD.replace("</Mob>", zones + "</Mob>").encode()))
    outcome = cards(page).locator(".outcome")
    expect(outcome).to_have_text("Das Dokument verletzt die Regeln des Formats.")
    expect(cards(page).locator("header")).to_be_in_viewport()
    expect(page.get_by_text("121.6").locator("visible=true")).to_have_count(3)
    page.get_by_text("2 weitere Stellen").click()
    expect(page.get_by_text("121.6").locator("visible=true")).to_have_count(5)
    complaints.clear()


def test_the_receipt_page_updates_itself(page):
    give(page, ("one.xml", GOOD.encode()))
    page.get_by_role("link", name="Receipt").click()
    expect(page.locator("#outcome")).to_contain_text("Safely stored")
    merge()
    expect(page.locator("#outcome")).to_have_text("Your 2 new dots are on the map.")
    expect(page.locator(".stages li:not(.done)")).to_have_count(0)
    expect(page.get_by_role("definition").first).to_have_text("1")


@pytest.mark.parametrize("context_options", [{"java_script_enabled": False, "locale": "en-GB"}])
def test_notes_are_sent_and_followed_without_scripts(page, context_options, complaints):
    page.goto("/upload")
    page.locator("#text").fill(GOOD)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page).to_have_url(re.compile("/uploads/[0-9a-f-]{36}$"))
    expect(page.locator("#outcome")).to_contain_text("Safely stored")
    merge()
    expect(page.locator("#outcome")).to_have_text("Your 2 new dots are on the map.")
    page.goto("/upload")
    page.locator("#text").fill(BAD)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".errors")).to_contain_text("121.6")
    assert all("422" in text for text in complaints)
    complaints.clear()
