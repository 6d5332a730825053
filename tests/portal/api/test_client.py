"""The player's client against a real HTTP server that speaks the contract as each test needs it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.own_address import own_host, own_port

Reply = tuple[int, dict[str, str], Any]


class Site:
    """A small portal: takes everything, unless `on_upload` or `on_receipt` says otherwise."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.on_upload: Callable[[int, bytes], Reply | None] = lambda number, body: None
        self.on_receipt: Callable[[int], Reply | None] = lambda number: None
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                site.received.append({"path": self.path, "headers": dict(self.headers), "body": body})
                number = len(site.received)
                answer = (202, {}, {"id": f"u{number}", "status": "queued"})
                self._reply(site.on_upload(number, body) or answer)

            def do_GET(self) -> None:
                site.asked.append(self.path)
                merged = {
                    "status": "merged",
                    "new_positions": 20,
                    "confirmed_positions": 3,
                    "new_mobs": 2,
                    "new_drops": 5,
                }
                self._reply(site.on_receipt(len(site.asked)) or (200, {}, merged))

            def _reply(self, reply: Reply) -> None:
                status, headers, value = reply
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    opened = Site()
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three uploads by two players, with the simulation's papers beside them."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    for number in range(2):
        (folder / f"enUS-v44-{number:05d}.xml").write_text(f"<MobMapData number='{number}'/>", encoding="utf-8")
    (folder / "enUS-v44-00002.b64").write_text("PE1vYk1hcERhdGEvPg==", encoding="utf-8")
    book = [
        {"file": f"enUS-v44-{number:05d}.{kind}", "player": player}
        for number, kind, player in ((0, "xml", "Talwen"), (1, "xml", "Öldric"), (2, "b64", "Talwen"))
    ]
    (folder / "book-enUS.json").write_text(json.dumps(book), encoding="utf-8")
    (folder / "truth-enUS.json").write_text("{}", encoding="utf-8")
    (folder / "players.txt").write_text("Talwen\nÖldric\n", encoding="utf-8")
    return folder


def send(site: Site | str, *paths: Path, **options: Any) -> tuple[str, str]:
    """Run the command and return what it printed, refusals apart."""
    out, err = StringIO(), StringIO()
    url = site if isinstance(site, str) else site.url
    call_command("send", *paths, url=url, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def refused_send(site: Site, *paths: Path, **options: Any) -> tuple[CommandError, str]:
    err = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("send", *paths, url=site.url, stdout=StringIO(), stderr=err, **options)
    return error.value, err.getvalue()


def test_a_folder_is_sent_file_by_file_and_compressed(site, folder):
    out, _ = send(site, folder)
    assert out.strip() == "3 files: 3 accepted"
    assert {one["path"] for one in site.received} == {"/api/v1/uploads"}
    assert {one["headers"]["Content-Encoding"] for one in site.received} == {"gzip"}
    sent = {one["body"] for one in site.received}
    assert sent == {file.read_bytes() for file in folder.glob("enUS*")}


def test_only_what_is_named_is_sent_and_nothing_twice(site, folder):
    file = folder / "enUS-v44-00000.xml"
    send(site, file, file, folder / "players.txt")
    assert sorted(one["body"] for one in site.received) == sorted(
        [file.read_bytes(), (folder / "players.txt").read_bytes()]
    )


def test_a_file_that_is_compressed_already_goes_as_it_is(site, tmp_path):
    packed = gzip.compress(b"<MobMapData/>")
    (tmp_path / "a.xml.gz").write_bytes(packed)
    send(site, tmp_path)
    assert site.received[0]["body"] == packed
    assert "Content-Encoding" not in site.received[0]["headers"]


def test_without_a_token_nobody_is_named(site, folder):
    send(site, folder)
    assert all("Authorization" not in one["headers"] for one in site.received)


def test_a_token_comes_from_the_option_or_a_file(site, folder, tmp_path):
    send(site, folder, token="mm_abc")
    (tmp_path / "token").write_text("mm_def\n", encoding="utf-8")
    send(site, folder, token_file=tmp_path / "token")
    assert [one["headers"]["Authorization"] for one in site.received] == ["Bearer mm_abc"] * 3 + ["Bearer mm_def"] * 3


def test_files_come_from_the_players_in_the_book(site, folder, tmp_path):
    (tmp_path / "tokens.json").write_text(json.dumps({"Talwen": "mm_t", "Öldric": "mm_o"}), encoding="utf-8")
    send(site, folder, as_players=True, tokens=tmp_path / "tokens.json")
    by_body = {one["body"]: one["headers"]["Authorization"] for one in site.received}
    assert by_body[b"<MobMapData number='0'/>"] == by_body[b"PE1vYk1hcERhdGEvPg=="] == "Bearer mm_t"
    assert by_body[b"<MobMapData number='1'/>"] == "Bearer mm_o"


def test_a_player_without_a_token_is_told_before_anything_is_sent(site, folder, tmp_path):
    (tmp_path / "tokens.json").write_text(json.dumps({"Talwen": "mm_t"}), encoding="utf-8")
    error, _ = refused_send(site, folder, as_players=True, tokens=tmp_path / "tokens.json")
    assert "no token for Öldric" in str(error)
    assert (error.returncode, site.received) == (2, [])


def test_refusals_are_shown_with_every_place_and_the_status_is_1(site, folder):
    problem = {
        "title": "The document breaks the format's rules",
        "detail": "2 places are wrong.",
        "errors": [
            {
                "where": "line 1, MobMapData/Mob[2]/Zone[1]",
                "code": "bad-coordinate",
                "message": "1,5 is no coordinate\x1b[31m",
            },
            {"where": "line 1", "code": "bad-id", "message": "0 is no id"},
        ],
    }
    site.on_upload = lambda number, body: (422, {}, problem) if b"'1'" in body else None
    error, told = refused_send(site, folder)
    assert error.returncode == 1
    assert "1 of 3 files were refused" in str(error)
    assert "enUS-v44-00001.xml: The document breaks the format's rules (422)" in told
    assert "  line 1, MobMapData/Mob[2]/Zone[1]: 1,5 is no coordinate" in told
    assert "  line 1: 0 is no id [bad-id]" in told
    assert "\x1b" not in told
    assert len(site.received) == 3


def test_an_answer_that_is_no_json_is_shown_too(site, folder):
    site.on_upload = lambda number, body: (500, {}, b"<h1>Oops</h1>")
    error, told = refused_send(site, folder)
    assert "3 of 3 files were refused" in str(error)
    assert "<h1>Oops</h1>" in told


@pytest.mark.parametrize("status", [429, 503])
def test_it_waits_as_long_as_it_is_told_and_tries_again(site, folder, status):
    busy = (status, {"Retry-After": "1"}, {"detail": "later"})
    site.on_upload = lambda number, body: busy if number == 1 else None
    out, _ = send(site, folder / "enUS-v44-00000.xml")
    assert out.strip() == "1 file: 1 accepted"
    assert len(site.received) == 2


def test_it_gives_up_when_it_would_have_to_wait_too_long(site, folder):
    site.on_upload = lambda number, body: (503, {"Retry-After": "3600"}, {"detail": "Uploads are paused."})
    error, _ = refused_send(site, folder, patience=5)
    assert error.returncode == 2
    assert "asks to wait (503: Uploads are paused.)" in str(error)
    assert "Sent so far: nothing" in str(error)


def test_a_lost_connection_is_tried_again(site, folder):
    def hang_up(number: int, body: bytes) -> Reply | None:
        if number == 1:
            raise ConnectionAbortedError
        return None

    site.server.handle_error = lambda request, address: None
    site.on_upload = hang_up
    out, _ = send(site, folder / "enUS-v44-00000.xml")
    assert out.strip() == "1 file: 1 accepted"
    assert len(site.received) == 2


def test_a_connection_that_is_reset_before_it_stands_is_tried_again(site, folder, monkeypatch):
    connect, tries = HTTPConnection.connect, iter([ConnectionResetError("reset by peer"), None])

    def reset_once(connection: HTTPConnection) -> None:
        if trouble := next(tries):
            raise trouble
        connect(connection)

    monkeypatch.setattr(HTTPConnection, "connect", reset_once)
    out, _ = send(site, folder / "enUS-v44-00000.xml")
    assert out.strip() == "1 file: 1 accepted"
    assert len(site.received) == 1


def test_a_site_that_resets_every_connection_is_unreachable(site, folder, monkeypatch):
    def reset(connection: HTTPConnection) -> None:
        raise ConnectionResetError("reset by peer")

    monkeypatch.setattr(HTTPConnection, "connect", reset)
    error, _ = refused_send(site, folder, patience=0.2)
    assert error.returncode == 2
    assert f"{site.url} can't be reached (reset by peer)" in str(error)


def test_a_site_that_is_not_there_is_unreachable(folder):
    url = f"http://{own_host()}:{own_port()}"
    with pytest.raises(CommandError) as error:
        send(url, folder, patience=0.2)
    assert error.value.returncode == 2
    assert f"{url} can't be reached" in str(error.value)


def test_an_unknown_token_stops_at_once(site, folder):
    site.on_upload = lambda number, body: (401, {}, {"title": "The token is not known"})
    error, told = refused_send(site, folder, token="mm_old", jobs=1)
    assert error.returncode == 2
    assert "The token is not known (401)" in told
    assert len(site.received) < 3


def test_a_site_that_moved_is_told(site, folder):
    site.on_upload = lambda number, body: (308, {"Location": "https://mobmap.example/api"}, {})
    error, _ = refused_send(site, folder)
    assert error.returncode == 2
    assert "sends on to https://mobmap.example/api" in str(error)


def test_a_duplicate_is_no_refusal(site, folder):
    site.on_upload = lambda number, body: (200, {}, {"id": "u1", "status": "merged", "duplicate": True})
    out, _ = send(site, folder)
    assert out.strip() == "3 files: 3 sent before"


def test_a_dry_run_stores_nothing_and_waits_for_nothing(site, folder):
    site.on_upload = lambda number, body: (200, {}, {"status": "valid"})
    out, _ = send(site, folder, dry_run=True, wait=True)
    assert out.strip() == "3 files: 3 valid"
    assert {one["path"] for one in site.received} == {"/api/v1/uploads?dry_run=1"}
    assert site.asked == []


def test_waiting_ends_when_all_is_merged_and_sums_what_it_brought(site, folder):
    site.on_receipt = lambda number: (200, {}, {"status": "queued"}) if number <= 4 else None
    out, _ = send(site, folder, wait=True)
    assert out.splitlines() == [
        "3 files: 3 accepted",
        "3 uploads merged: your 60 new dots are on the map, 9 known ones confirmed, 6 new creatures, 15 new drops.",
    ]
    assert set(site.asked) == {f"/api/v1/uploads/u{number}" for number in (1, 2, 3)}


def test_an_upload_rejected_later_counts_as_refused(site, folder):
    rejected = (200, {}, {"status": "rejected", "reason": "The document is damaged."})
    site.on_receipt = lambda number: rejected if site.asked[-1].endswith("u2") else None
    error, told = refused_send(site, folder, wait=True, jobs=1)
    assert error.returncode == 1
    assert "Upload u2 is rejected: The document is damaged." in told


def test_waiting_has_an_end(site, folder):
    site.on_receipt = lambda number: (200, {}, {"status": "queued"})
    error, _ = refused_send(site, folder, wait=True, patience=0.5)
    assert error.returncode == 2
    assert "3 uploads still wait to be merged. They are safe" in str(error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "choose 1 to 64"),
        ({"as_players": True}, "go together"),
        ({"tokens": Path("tokens.json")}, "go together"),
        ({"token": "a", "token_file": Path("b")}, "Give one of"),
        ({"token": "two words"}, "no token"),
        ({"token": ""}, "no token"),
        ({"token_file": Path("/nowhere/token")}, "Could not read /nowhere/token"),
    ],
)
def test_options_that_do_not_fit_are_told_before_anything_is_sent(site, folder, options, message):
    error, _ = refused_send(site, folder, **options)
    assert message in str(error)
    assert (error.returncode, site.received) == (2, [])


@pytest.mark.parametrize("url", ["mobmap.example", "ftp://mobmap.example", "http://", ""])
def test_an_address_of_no_site_is_told(folder, url):
    with pytest.raises(CommandError, match="no address of a site") as error:
        send(url, folder)
    assert error.value.returncode == 2


def test_paths_without_uploads_are_told(site, tmp_path):
    assert "There is no file or folder" in str(refused_send(site, tmp_path / "nowhere")[0])
    assert "holds no uploads" in str(refused_send(site, tmp_path)[0])
