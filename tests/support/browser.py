"""A page in headless Chromium: what it logs, what it asks the network for, how wide it is."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    # Nothing can be reached, whatever a page or the browser asks for.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--virtual-time-budget=4000",
)
#: Sorts the first table and tells the page's measures; written to the console of a copy.
PROBE = """<script>
window.addEventListener("load", () => {
  for (const table of document.querySelectorAll("details")) table.open = true;
  setTimeout(() => {  // when the page has seen it
  const root = document.documentElement;
  const rows = () => [...document.querySelector("table.sortable").tBodies[0].rows];
  const before = rows().length;
  document.querySelector("table.sortable th button").click();
  const field = document.querySelector("input[type=search]");
  const filtered = {};
  if (field) {
    const all = [...field.closest("details").querySelector("tbody").rows];
    field.focus();
    field.value = all[0].cells[0].textContent + " " + all[0].cells[1].textContent;
    field.dispatchEvent(new Event("input"));
    filtered.shown = all.filter(row => !row.hidden).length;
    filtered.all = all.length;
    field.value = "";
    field.dispatchEvent(new Event("input"));
  }
  const beyond = (region) => {  // how much of the last column can't be scrolled to
    region.scrollLeft = region.scrollWidth;
    const last = region.querySelector("tr").lastElementChild.getBoundingClientRect();
    return last.right - region.getBoundingClientRect().right;
  };
  const leaves = (region) => {  // whether the first column leaves the view with the others
    region.scrollLeft = region.scrollWidth;
    const first = region.querySelector("td").getBoundingClientRect();
    return first.left < region.getBoundingClientRect().left - 1;
  };
  const regions = [...document.querySelectorAll("details[open] .scroll, #short .scroll")];
  const hints = [...document.querySelectorAll(".scroll")].map(region => ({
    name: region.getAttribute("aria-label"),
    wanted: region.scrollWidth > region.clientWidth + 1
      || region.scrollHeight > region.clientHeight + 1,
    said: region.previousElementSibling?.matches(".hint") === true
      && region.previousElementSibling.getClientRects().length > 0}));
  console.log("PROBE " + JSON.stringify({width: innerWidth, content: root.scrollWidth,
    sorted: document.querySelectorAll("th[aria-sort]").length, rows: rows().length === before,
    filtered, unreached: regions.filter(r => r.querySelector("tr") && beyond(r) > 1).length,
    widest: Math.max(0, ...[...document.querySelectorAll("table")]
      .map(t => t.getBoundingClientRect().right)),
    charts: [...document.images].map(i => [i.getAttribute("src"), i.getBoundingClientRect().width]),
    cut: [...document.querySelectorAll(".scroll.findings")]
      .filter(region => region.scrollWidth > region.clientWidth).length,
    hinted: hints.filter(hint => hint.said).length,
    unsaid: hints.filter(hint => hint.said !== hint.wanted).map(hint => hint.name),
    lost: regions.filter(r => r.querySelector("table.sortable") && leaves(r)).length,
    printed: Math.min(...[...document.querySelectorAll("td")]
      .map(cell => parseFloat(getComputedStyle(cell).fontSize) * 0.75)),
    broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).length}));
  }, 300);
});
</script>"""


@dataclass
class Visit:
    """What a page did in the browser."""

    probe: dict
    errors: list
    requests: list


def find_chromium():
    """The browser; without one the test is skipped, but fails where everything must be there."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    message = "no Chromium found: the report page was not looked at (apt-get install chromium)"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def visit(page, width, folder, printed=False):
    """Open a page as wide as asked, in a frame, because windows have a smallest width.

    Printed: with the style of the printed page, as wide as the paper.
    """
    chromium = find_chromium()
    copy, frame, log = page.with_name(".copy.html"), folder / "frame.html", folder / "net.json"
    text = page.read_text("utf-8").replace("</body>", f"{PROBE}</body>")
    copy.write_text(text.replace("@media print", "@media all") if printed else text, "utf-8")
    frame.write_text(
        f'<!DOCTYPE html><iframe src="{copy.as_uri()}" width="{width}" height="900" '
        'style="border:0"></iframe>'
    )
    done = subprocess.run(
        [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}",
         f"--window-size={width + 200},1000", "--dump-dom", frame.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    said = re.findall(r'CONSOLE.*?\] "(.*)", source:', done.stderr)
    probes = [json.loads(line[6:]) for line in said if line.startswith("PROBE ")]
    assert probes, f"the page did not load: {done.stderr[-2000:]}"
    others = [line for line in said if not line.startswith("PROBE ")]
    return Visit(probes[0], others, page_requests(log))


def page_requests(log):
    """Addresses that the page asked for; what the browser asks for by itself has no origin."""
    found = set()
    for line in log.read_text("utf-8", "replace").splitlines():
        url = re.search(r'"url":"((?:https?|wss?)://[^"]*)"', line)
        if url and '"initiator":' in line and '"initiator":"not an origin"' not in line:
            found.add(url[1])
    return sorted(found)


# --- pages that are used, and not only looked at ---------------------------------------------


@contextlib.contextmanager
def chromium():
    """A browser that can be driven; nothing but this machine can be reached from it."""
    from playwright.sync_api import sync_playwright

    flags = [flag for flag in FLAGS if not flag.startswith(("--headless", "--virtual", "--host"))]
    flags.append("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=flags)
        yield browser
        browser.close()


class Tab:
    """A page in a browser of a given width, with its complaints and its requests."""

    def __init__(self, browser, address, width, height=844):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce"
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.errors, self.requests = [], []
        self.page.on("console", lambda line: self.errors.append(f"{line.type}: {line.text}"))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)

    def too_wide(self):
        """By how many pixels the page is wider than its window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
