"""Write the pictures of ``docs/board.md``: pages of real games in a browser.

python docs/make_pictures.py [CHROMIUM]

Needs the packages of the extras `play` and `dev`, and Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parent / "pictures"
DESKTOP, PHONE = (1280, 860), (390, 844)
PAXSIM = [sys.executable, "-c", "from paxsim.cli import main; main()"]
GAME = ["--players", "4", "--policies", "weighted,tribune,augur,builder", "--seed", "11"]
#: Decisions of the person before the picture is taken.
DECISIONS = 28


def opened(browser: Browser, address: str, size: tuple[int, int]) -> Page:
    """Return a page in a window of the given size."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    return page


def show_replay(browser: Browser, folder: Path) -> None:
    """Photograph a game in its fifth round, from a seat on a phone, and at its end."""
    file = folder / "game.html"
    subprocess.run([*PAXSIM, "replay", *GAME, "--out", str(file)], check=True)
    page = opened(browser, file.as_uri(), DESKTOP)
    page.get_by_role("button", name="Round 5", exact=True).click()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    page.screenshot(path=PICTURES / "replay.png")
    page.keyboard.press("End")
    page.screenshot(path=PICTURES / "score.png")
    phone = opened(browser, file.as_uri(), PHONE)
    phone.locator("#viewer").select_option("2")
    phone.get_by_role("button", name="Round 5", exact=True).click()
    phone.screenshot(path=PICTURES / "replay-phone.png")


def show_analysis(browser: Browser, folder: Path) -> None:
    """Photograph the analysis of the same game, and of many games."""
    file = folder / "judged.html"
    subprocess.run([*PAXSIM, "analyse", *GAME, "--out", str(file)], check=True)
    page = opened(browser, file.as_uri(), DESKTOP)
    page.locator("#marks-table .step").first.click()
    page.screenshot(path=PICTURES / "analysis.png")
    page.locator("#analysis").evaluate("element => element.scrollIntoView()")
    page.screenshot(path=PICTURES / "analysis-tables.png")
    chart = folder / "habits"
    many = ["--games", "8", "--rollouts", "20", "--out", str(chart)]
    subprocess.run([*PAXSIM, "analyse", *GAME, *many], check=True)
    shutil.copy(chart.with_suffix(".png"), PICTURES / "habits.png")


def show_play(browser: Browser, folder: Path) -> None:
    """Photograph a person at seat 1, some way into a game, with a hint."""
    words = ["play", "--players", "4", "--policies", "weighted,tribune,augur", "--seed", "11"]
    server = subprocess.Popen(
        [*PAXSIM, *words, "--save", "game.json"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        link = next(line.split()[-1] for line in server.stdout if line.startswith("seat 1:"))
        page = opened(browser, link, DESKTOP)
        for _ in range(DECISIONS):
            page.wait_for_selector("[data-option]")
            number = page.locator("#move").get_attribute("data-decision")
            page.locator("[data-option]").first.click()
            page.wait_for_selector(f'#move:not([data-decision="{number}"])')
        page.wait_for_selector("[data-option]")
        page.locator("#hint").click()
        page.wait_for_selector(".options .best", timeout=300_000)
        page.screenshot(path=PICTURES / "play.png")
        phone = opened(browser, link, PHONE)
        phone.wait_for_selector("[data-option]")
        phone.screenshot(path=PICTURES / "play-phone.png")
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Write all pictures."""
    chromium = sys.argv[1] if len(sys.argv) > 1 else shutil.which("chromium")
    PICTURES.mkdir(exist_ok=True)
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium, args=flags)
        show_replay(browser, Path(folder))
        show_analysis(browser, Path(folder))
        show_play(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
