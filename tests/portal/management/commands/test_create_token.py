"""The command that creates and revokes tokens of players."""

from __future__ import annotations

import json
import stat

import pytest
from django.core.management import CommandError, call_command

from portal import accounts
from portal.models import Player

pytestmark = pytest.mark.django_db


def test_the_command_prints_a_working_token(capsys):
    call_command("create_token", "Anna")
    player = accounts.authenticate(capsys.readouterr().out.strip())
    assert player is not None
    assert player.name == "Anna"


def test_the_command_writes_many_tokens_into_a_private_file(tmp_path):
    names, out = tmp_path / "names.txt", tmp_path / "tokens.json"
    names.write_text("Anna\n\nBerta Blau\nAnna\n", encoding="utf-8")
    out.write_text("{}")
    out.chmod(0o644)
    call_command("create_token", "--many", str(names), "--json", str(out))
    tokens = json.loads(out.read_text(encoding="utf-8"))
    assert list(tokens) == ["Anna", "Berta Blau"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    found = accounts.authenticate(tokens["Berta Blau"])
    assert found is not None
    assert found.name == "Berta Blau"


def test_the_command_revokes_all_tokens_of_a_player(capsys):
    token = accounts.issue("Anna")
    call_command("create_token", "Anna", "--revoke")
    assert "1" in capsys.readouterr().out
    assert accounts.authenticate(token) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "NAME"),
        (["Nobody", "--revoke"], "no player"),
        (["--many", "names.txt"], "--json"),
        (["Anna", "--many", "names.txt"], "not both"),
        (["--many", "names.txt", "--revoke"], "NAME"),
        (["--many", "/nowhere/names.txt", "--json", "tokens.json"], "could not read"),
        (["a" * 101], "1 to 100"),
    ],
)
def test_the_command_says_what_is_wrong_with_its_arguments(arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("create_token", *arguments)
    assert not Player.objects.exists()
