"""The board in a real browser: replays, an analysis and games played by clicking."""

import json
import random
import re

import pytest
from support.board_server import make_host, serve
from support.browser import Tab, chromium

import paxsim
from paxsim.analysis import analyse
from paxsim.board import Replay
from paxsim.board.view import Observer
from paxsim.trace import trace_game

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(autouse=True)
def close_tabs(browser):
    """Close all tabs, whose pages would otherwise ask a server that is gone."""
    yield
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="module")
def game():
    lineup = paxsim.make_lineup("weighted,random,tribune,builder", 4)
    return Replay(list(trace_game(paxsim.make_setting(4), lineup, 3, 0, 0)))


@pytest.fixture(scope="module")
def judged(game):
    return analyse(game, rollouts=40)


@pytest.fixture(scope="module")
def page_file(game, tmp_path_factory):
    path = tmp_path_factory.mktemp("replay") / "game.html"
    game.save(path)
    return path


def points_on_board(page):
    """Return every number of the final score on the page, by seat."""
    cells = page.locator(".score td[data-part]")
    values = {}
    for cell in cells.all():
        seat, part = cell.get_attribute("data-seat"), cell.get_attribute("data-part")
        values.setdefault(int(seat), {})[part] = cell.inner_text()
    return values


def points_of(score):
    """Return the same from a trace."""
    shares = [f"{round(100 * share)}%" if share else "–" for share in score["shares"]]
    return {
        player["seat"]: {part: str(points) for part, points in player["points"].items()}
        | {"share": shares[player["seat"] - 1]}
        for player in score["players"]
    }


@pytest.mark.parametrize("width", [390, 1280], ids=["phone", "desktop"])
def test_replay_reaches_its_end_and_shows_the_score(browser, page_file, game, width):
    tab = Tab(browser, page_file.as_uri(), width)
    page = tab.page
    steps = len(game.events)  # and one more: Rome turns up its cards
    assert page.locator(".score").count() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator("#sentence").inner_text() == "Seat 1 draws " + rest_of(game, "reveal")
    assert "[object" not in page.locator("body").inner_text(), "the drawn card is drawn"
    page.get_by_role("button", name="Round 3", exact=True).click()
    assert page.locator("#sentence").inner_text() == "Round 3 begins; " + rest_of(game, "round", 2)
    page.locator("#speed").select_option("10")
    page.locator("#play").click()
    page.wait_for_function("Number(document.getElementById('slider').value) > 60")
    page.locator("#play").click()
    halfway = page.locator("#slider").input_value()
    assert int(halfway) < steps
    while int(page.locator("#slider").input_value()) < steps:
        page.locator("#turn-on").click()
    assert points_on_board(page) == points_of(game.events[-1])
    assert page.locator("#log button").count() == steps + 1
    assert page.locator("#command").text_content() == game.command
    assert tab.too_wide() <= 0 and tab.errors == []
    assert tab.requests == [page_file.as_uri()]


def rest_of(game, name, number=0):
    """Return the end of the sentence of the n-th event of a kind."""
    events = [event for event in game.events if event["event"] == name]
    sentence = Replay([events[number]], "-").sentences()[0]
    return re.split(r" draws |; ", sentence)[1]


def test_view_of_a_seat_shows_only_its_own_cards(browser, page_file, game):
    tab = Tab(browser, page_file.as_uri(), 1280)
    page = tab.page
    page.get_by_role("button", name="Round 4", exact=True).click()
    down = page.locator(".seat .card.down")
    assert down.count() == 0, "viewer 0 sees all hands"
    page.locator("#viewer").select_option("2")
    assert page.locator(".seat").first.get_attribute("data-seat") == "2"
    observer = Observer(2)
    for event in game.events:
        observer.observe(event)
        if event["event"] == "round" and event["round"] == 4:
            break
    for seat, hand in observer.hands.items():
        down = page.locator(f'.seat[data-seat="{seat}"] .card.down').all_inner_texts()
        hidden = hand.count(None)
        assert down == ([f"×{hidden}" if hidden > 1 else "?"] if hidden else [])
    assert observer.hands[2].count(None) == 0 < sum(h.count(None) for h in observer.hands.values())
    page.keyboard.press("End")
    assert page.locator(".card.down").count() == 0, "at the end all cards are open"
    assert tab.errors == []


@pytest.mark.parametrize("width", [390, 1280], ids=["phone", "desktop"])
def test_analysis_follows_the_board(browser, judged, tmp_path, width):
    file = tmp_path / "judged.html"
    judged.save(file)
    tab = Tab(browser, file.as_uri(), width)
    page = tab.page
    assert page.locator("#graph polyline").count() == 5, "four seats and Rome"
    marks, mistakes = page.locator(".mark"), judged.mistakes()
    assert marks.count() == len(mistakes) > 0
    marks.nth(0).focus()
    page.keyboard.press("Enter")
    first = mistakes.iloc[0]
    assert page.locator("#slider").input_value() == str(first["step"])
    assert f"points: {first['better']}." in page.locator("#judged").inner_text()
    assert page.locator("#judged .chosen").first.inner_text().startswith(f"✓ {first['chosen']}")
    assert page.locator("#marks-table tbody tr").count() == len(mistakes)
    assert page.locator("#turns tbody tr").count() == len(judged.turning_points())
    page.locator("#turns .step").last.click()
    step = int(judged.turning_points()["step"].iloc[-1])
    assert int(page.locator("#slider").input_value()) == step
    page.locator("#last").click()
    shares = judged.replay.events[-1]["shares"]
    chances = page.locator("#chances [data-chance]").all_inner_texts()
    assert [text.split()[-1] for text in chances[:4]] == [f"{round(100 * s)}%" for s in shares]
    assert points_on_board(page) == points_of(judged.replay.events[-1])
    assert page.locator("#ledger tbody tr").count() == 5
    assert tab.too_wide() <= 0 and tab.errors == [] and tab.requests == [file.as_uri()]


def test_replay_without_analysis_has_no_graph(browser, page_file):
    page = Tab(browser, page_file.as_uri(), 1280).page
    assert page.locator("#graph").is_hidden() and page.locator("#analysis").is_hidden()


def test_board_is_accessible_to_screen_readers(browser, page_file):
    page = Tab(browser, page_file.as_uri(), 390).page
    page.get_by_role("button", name="Round 5", exact=True).click()
    assert page.get_by_role("region", name="Rome").count() == 1
    assert page.get_by_role("region", name=re.compile("^Seat ")).count() == 4
    assert page.get_by_role("group", name=re.compile("^Legion I, (price|empty)")).count() == 1
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.card, button, select, input')].filter("
        "e => !e.getAttribute('aria-label') && !e.innerText && !e.labels?.length).length"
    )
    assert unnamed == 0
    value = page.locator("#slider").get_attribute("aria-valuetext")
    assert re.match(r"Step \d+ of \d+: Round 5 begins", value)


def test_every_category_has_its_own_shape_and_colour(browser, page_file):
    page = Tab(browser, page_file.as_uri(), 1280).page
    values = page.evaluate(
        "['wealth','fleet','army','religion','senator','land','intrigue'].map(name => {"
        "const card = drawCard(`${name}/1/1`); document.body.append(card);"
        "const shape = card.querySelector('path').getAttribute('d');"
        "return [shape, getComputedStyle(card).backgroundColor]})"
    )
    shapes, colours = zip(*values, strict=True)
    assert len(set(shapes)) == len(set(colours)) == 7


@pytest.mark.parametrize(
    ("width", "policies", "rules"),
    [(390, [None, "random"], {}), (1280, [None, "random", "first"], {"cards_removed": 35})],
    ids=["phone", "desktop"],
)
def test_game_is_played_by_clicking(browser, tmp_path, width, policies, rules):
    """Play as published on the phone; on the desktop with fewer cards, which needs fewer clicks."""
    rng = random.Random(width)
    with serve(lambda: make_host(tmp_path, policies, seed=6, rules=rules)) as (seats, _):
        tab = Tab(browser, seats[1].base, width)
        page = tab.page
        taken_back = clicked_on_board = False
        while True:
            page.wait_for_selector("[data-option], #replay")
            if page.locator("#replay").count():
                break
            number = page.locator("#move").get_attribute("data-decision")
            on_board = page.locator(".legion:is(button), .hand button")
            if on_board.count() and rng.random() < 0.5:
                on_board.nth(rng.randrange(on_board.count())).click()
                clicked_on_board = True
            else:
                options = page.locator("[data-option]")
                options.nth(rng.randrange(options.count())).click()
            page.wait_for_selector(f'#move:not([data-decision="{number}"])')
            if not taken_back and page.locator("#undo").count():
                page.locator("#undo").click()
                page.wait_for_selector(f'#move[data-decision="{number}"]')
                taken_back = True
        lines = (tmp_path / "game.jsonl").read_text().splitlines()
        assert points_on_board(page) == points_of(json.loads(lines[-1]))
        assert taken_back and clicked_on_board
        assert tab.too_wide() <= 0 and tab.errors == []
        assert {url.split("?")[0] for url in tab.requests} <= {
            seats[1].base, f"{seats[1].base}state", f"{seats[1].base}act"
        }  # fmt: skip
        page.locator("#replay").click()
        page.wait_for_selector("#viewer")
        page.keyboard.press("End")
        assert points_on_board(page) == points_of(json.loads(lines[-1]))


def test_two_people_in_two_windows_see_only_their_own_cards(browser, tmp_path):
    with serve(lambda: make_host(tmp_path, [None, None], seed=2)) as (seats, _):
        tabs = {seat: Tab(browser, seats[seat].base, 900) for seat in (1, 2)}
        for seat in (1, 2):
            tabs[seat].page.locator("[data-option]").first.click()
        for seat, tab in tabs.items():
            tab.page.wait_for_selector(f'.seat[data-seat="{3 - seat}"] .card.down')
            assert tab.page.locator(f'.seat[data-seat="{seat}"] .card.down').count() == 0
        assert tabs[2].page.locator("#move h2").inner_text().startswith("Seat 1 (person) decides")
        assert tabs[1].page.locator("[data-option]").count() == 2
        assert all(tab.errors == [] for tab in tabs.values())


def test_hint_marks_the_best_option(browser, tmp_path):
    with serve(lambda: make_host(tmp_path, [None, "random"], seed=2)) as (seats, _):
        page = Tab(browser, seats[1].base, 390).page
        page.locator("#hint").click()
        page.wait_for_selector(".options .best", timeout=300_000)  # the first hint compiles
        options = page.locator("[data-option]")
        assert page.locator(".options .best").count() == 1
        assert all("rollouts" in text for text in options.all_inner_texts())
