// Click a heading to sort its table; click again to reverse the order.
for (const button of document.querySelectorAll("table.sortable th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement, body = heading.closest("table").tBodies[0];
    const column = heading.cellIndex, down = heading.getAttribute("aria-sort") !== "descending";
    const numeric = heading.classList.contains("number");
    const key = (row) => row.cells[column].dataset.sort;
    const order = (a, b) => numeric ? Number(a) - Number(b) : a.localeCompare(b);
    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(key(a), key(b)));
    body.append(...rows);
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  });
}
// A field above longer tables shows only rows with all of its words.
for (const table of document.querySelectorAll("table.sortable")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 6) continue;
  const field = document.createElement("input"), count = document.createElement("output");
  field.type = "search";
  field.placeholder = "show rows with …";
  const region = table.closest(".scroll");
  field.setAttribute("aria-label", "Filter: " + region.getAttribute("aria-label"));
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const cells = [...row.cells].map((cell) => cell.textContent.trim().toLowerCase());
      // A number matches whole cells, so that 4 does not match 14.
      const has = (word) => /^\d+$/.test(word) ? cells.includes(word)
        : cells.some((cell) => cell.includes(word));
      row.hidden = !words.every(has);
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  });
  const bar = document.createElement("p");
  bar.className = "filter";
  bar.append(field, " ", count);
  region.before(bar);
}
// A hint above a table or a chart that continues beyond its frame.
for (const region of document.querySelectorAll(".scroll")) {
  const hint = document.createElement("p");
  hint.className = "hint";
  region.before(hint);
  const look = () => {
    const wide = region.scrollWidth > region.clientWidth + 1;
    const tall = region.scrollHeight > region.clientHeight + 1;
    const what = region.classList.contains("picture") ? "the rest of the chart" : "more columns";
    hint.textContent = [wide && `⇆ scroll sideways for ${what}`, tall && "⇅ scroll down for more rows"]
      .filter(Boolean).join(", ");
    hint.hidden = !(wide || tall);
  };
  const watcher = new ResizeObserver(look);
  for (const seen of [region, region.firstElementChild]) watcher.observe(seen);
}
