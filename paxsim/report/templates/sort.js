// Click a heading to sort its table; click again to turn the order round.
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
