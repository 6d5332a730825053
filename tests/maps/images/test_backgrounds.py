"""Background images of zones: imported by command, cut into tiles, served with long caching."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from PIL import Image

from maps.images import backgrounds
from tests.conftest import ALL_DATABASES
from tests.maps import factories

pytestmark = ALL_DATABASES

RED, BLUE = (200, 30, 30), (30, 30, 200)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.ZONE_IMAGE_DIR = tmp_path / "zone-images"
    return settings.ZONE_IMAGE_DIR


@pytest.fixture
def zone() -> int:
    zone = factories.zone("Tausend Nadeln")
    factories.habitat(1, zone, {(1, 1): [1]})
    return zone


@pytest.fixture
def work(monkeypatch, tmp_path: Path) -> None:
    """Change to a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def image_file(path: Path, size: tuple[int, int] = (600, 400), color: tuple[int, int, int] = RED) -> Path:
    """Write an image whose right half is blue."""
    image = Image.new("RGB", size, color)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    image.save(path)
    return path


def run(*arguments: object) -> str:
    said = StringIO()
    call_command("import_zone_image", *map(str, arguments), "--locale", "deDE", stdout=said, stderr=said)
    return said.getvalue()


def served(zone: int, zoom: int, column: int, row: int) -> Image.Image:
    image = backgrounds.find("deDE", zone, 0)
    response = Client().get(f"/zone-images/deDE/{zone}/0/{image.version}/{zoom}/{column}-{row}.webp")
    assert response.status_code == 200
    assert "immutable" in response["Cache-Control"]
    return Image.open(BytesIO(b"".join(response.streaming_content))).convert("RGBA")


def near(pixel: tuple[int, ...], color: tuple[int, int, int]) -> bool:
    return pixel[3] == 255 and all(abs(a - b) < 25 for a, b in zip(pixel, color, strict=False))


def test_an_image_becomes_tiles_at_the_urls_of_the_map(zone, tmp_path):
    assert "600 × 400 pixels, 8 tiles up to zoom 2" in run(image_file(tmp_path / "a.png"), "--zone", "tausend nadeln")
    # At zoom 2 the zone is 600 × 400 pixels: its middle lies in the second of three columns of tiles.
    middle = served(zone, 2, 1, 0)
    assert middle.size == (256, 256)
    assert near(middle.getpixel((20, 128)), RED) and near(middle.getpixel((80, 128)), BLUE)
    assert served(zone, 2, 2, 1).getpixel((200, 250))[3] == 0, "beyond the zone's edge"
    page = Client().get(f"/deDE/zones/{zone}").content.decode()
    assert 'data-image-zoom-0="2"' in page and "{z}/{x}-{y}.webp" in page


def test_a_new_image_replaces_the_old_one_and_one_can_be_removed(zone, tmp_path, folder):
    run(image_file(tmp_path / "a.png"), "--zone", zone)
    first = backgrounds.find("deDE", zone, 0)
    run(image_file(tmp_path / "b.png", color=(0, 255, 0)), "--zone", zone)
    second = backgrounds.find("deDE", zone, 0)
    assert first != second
    assert [one.name for one in (folder / "deDE" / str(zone) / "0").iterdir() if one.is_dir()] == [second.version]
    run(tmp_path / "a.png", "--zone", zone)
    assert backgrounds.find("deDE", zone, 0) == first
    assert "dry run" in run("--zone", zone, "--remove", "--dry-run")
    assert "removed" in run("--zone", zone, "--remove")
    assert backgrounds.find("deDE", zone, 0) is None
    with pytest.raises(CommandError, match="no image to remove"):
        run("--zone", zone, "--remove")


def test_a_dry_run_writes_nothing_and_reports_another_shape(zone, tmp_path, folder):
    said = run(image_file(tmp_path / "a.webp", (500, 500)), "--zone", zone, "--dry-run")
    assert "dry run" in said and "stretched" in said
    assert not folder.exists()


def test_large_images_are_cut_up_to_the_last_zoom_only(tmp_path):
    with backgrounds.opened(image_file(tmp_path / "a.png", (6000, 4000))) as image:
        assert backgrounds.last_zoom(image) == backgrounds.LAST_ZOOM
    assert backgrounds.tile_count(backgrounds.LAST_ZOOM) == 247 + 70 + 20 + 6 + 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such.png", "--zone", "Tausend Nadeln"], "There is no file"),
        (["--zone", "Tausend Nadeln"], "No image is given"),
        (["text.png", "--zone", "Tausend Nadeln"], "can't be read as an image"),
        (["good.png", "--zone", "Nirgends"], "knows no zone 'Nirgends'"),
        (["good.png", "--zone", "Tausend Nadeln", "--floor", "-1"], "no floor -1"),
        (["bomb.png", "--zone", "Tausend Nadeln"], "10000 × 10000 pixels"),
        (["bitmap.bmp", "--zone", "Tausend Nadeln"], "PNG, JPEG and WebP are accepted"),
    ],
)
def test_an_image_that_can_not_be_imported_is_refused_with_the_reason(zone, work, folder, arguments, says):
    Path("text.png").write_text("no image")
    image_file(Path("good.png"))
    Image.new("1", (10_000, 10_000)).save("bomb.png")
    image_file(Path("bitmap.bmp"))
    with pytest.raises(CommandError, match=says):
        run(*arguments)
    assert not folder.exists()


@pytest.mark.parametrize(
    "path",
    [
        "frFR/1/0/abc/1/0-0.webp",
        "deDE/1/0/abc/1/0-0.webp",
        "deDE/1/0/../1/0-0.webp",
        "deDE/99999999999999999999/0/abc/1/0-0.webp",
    ],
)
def test_missing_tiles_are_not_found(path):
    assert Client().get(f"/zone-images/{path}").status_code == 404
