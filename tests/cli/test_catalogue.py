"""Commands about policies and decks."""

import json

import pytest
from support.user_files import write_deck

import paxsim
from paxsim.cards import CATEGORIES, COPY_COUNTS
from paxsim.cli import run_command


def printed(capsys, *arguments):
    code = run_command(list(map(str, arguments)))
    out, err = capsys.readouterr()
    assert (code, err) == (0, ""), err
    return out


def fields(capsys, *arguments):
    return json.loads(printed(capsys, *arguments, "--json"))


def test_deck_list_has_every_deck_with_its_note(capsys):
    words = printed(capsys, "deck", "list").split()
    decks = fields(capsys, "deck", "list")["decks"]
    assert [deck["name"] for deck in decks] == paxsim.list_decks()
    assert all(deck["name"] in words and deck["note"].split()[0] in words for deck in decks)


def test_deck_show_counts_the_cards_of_each_kind(capsys):
    text = printed(capsys, "deck", "show", "assumed")
    assert paxsim.load_deck("assumed").fingerprint in text
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}
    assert rows["category"] == ["1/1", "1/2", "2/3", "2/4", "cards", "symbols", "value"]
    assert rows["army"] == ["2", "4", "2", "2", "10", "14", "24"]
    cards = fields(capsys, "deck", "show", "assumed")["cards"]
    assert sum(card["count"] for card in cards) == 74


def test_deck_check_shows_an_owners_deck_and_how_to_use_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cards = "".join(
        f'[[cards]]\ncategory = "{category}"\nsymbols = 1\nvalue = 2\ncount = {count}\n'
        for category, count in COPY_COUNTS.items()
    )
    (tmp_path / "mine.toml").write_text(f'name = "mine"\n{cards}')
    text = printed(capsys, "deck", "check", "mine.toml")
    assert all(name in text for name in CATEGORIES) and text.endswith(
        "mine.toml: fine; use it with --deck mine.toml\n"
    )
    trace = printed(capsys, "trace", "--players", "2", "--deck", "mine.toml")
    assert json.loads(trace.splitlines()[0])["deck_name"] == "mine"
    checked = fields(capsys, "deck", "check", "mine.toml")
    assert checked["players"] == list(range(1, 9)) and checked["unpublished"] == []


@pytest.mark.parametrize(
    ("symbols", "value", "unpublished"),
    [(1, 1, []), (2, 4, []), (1, 9, ["land/1/9"]), (3, 2, ["land/3/2"]), (1, 0, ["land/1/0"])],
)
def test_deck_check_lists_unpublished_cards(tmp_path, capsys, symbols, value, unpublished):
    path = write_deck(tmp_path / "mine.toml", symbols=symbols, value=value)
    assert fields(capsys, "deck", "check", path)["unpublished"] == unpublished
    text = printed(capsys, "deck", "check", path)
    assert all(card in text for card in unpublished) and (": fine;" in text) == (not unpublished)


@pytest.mark.parametrize(("count", "code", "players"), [(4, 2, []), (14, 0, [4])])
def test_deck_check_says_who_can_play(tmp_path, capsys, count, code, players):
    path = write_deck(tmp_path / "few.toml")
    path.write_text(path.read_text().replace("count = 60", f"count = {count}"))
    assert run_command(["deck", "check", str(path), "--json"]) == code
    assert json.loads(capsys.readouterr().out)["players"] == players
    assert run_command(["deck", "check", str(path)]) == code
    out, err = capsys.readouterr()
    assert ("with 4 players only" in out) == bool(players) != ("no game can be played" in err)


def test_policies_lists_name_idea_parameters_and_players(capsys):
    text = " ".join(printed(capsys, "policies").split())
    listed = fields(capsys, "policies")
    assert listed["broken"] == [] and len(listed["policies"]) == len(paxsim.list_policies())
    for policy in listed["policies"]:
        assert policy["name"] in text and policy["fits"] in text
        assert " ".join(policy["idea"].split()[:2]) in text
    assert "breadth=" in text


def test_policies_describes_named_ones(capsys):
    text = printed(capsys, "policies", "builder:breadth=9", "feeder")
    assert "builder (solo, 2-8 players; from " in text and "  breadth = 9\n" in text
    assert "feeder (2-8 players;" in text and "miser (" not in text
    (builder,) = fields(capsys, "policies", "builder:breadth=0.5")["policies"]
    assert builder["parameters"]["breadth"] == 0.5 and builder["fits"] == "solo, 2-8 players"


def test_check_has_one_object_per_setting(capsys):
    answer = fields(capsys, "check", "first", "--deals", "1", "--players", "2")
    assert (answer["policy"], answer["fine"]) == ("first", True)
    (check,) = answer["checks"]
    assert check["setting"] == "2 players" and check["games"] == 2 and check["problem"] is None
