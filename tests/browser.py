"""A page in headless Chromium: what it logs, what it asks the network for, how wide it is."""

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
  const root = document.documentElement;
  const rows = () => [...document.querySelector("table.sortable").tBodies[0].rows];
  const before = rows().length;
  document.querySelector("table.sortable th button").click();
  console.log("PROBE " + JSON.stringify({width: innerWidth, content: root.scrollWidth,
    sorted: document.querySelectorAll("th[aria-sort]").length, rows: rows().length === before,
    broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).length}));
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


def visit(page, width, folder):
    """Open a page as wide as asked, in a frame, because windows have a smallest width."""
    chromium = find_chromium()
    copy, frame, log = folder / "copy.html", folder / "frame.html", folder / "net.json"
    copy.write_text(page.read_text("utf-8").replace("</body>", f"{PROBE}</body>"), "utf-8")
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
