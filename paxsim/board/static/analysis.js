// An analysis around the board of a replay: the graph of win chances with marks, the options of the
// current decision, and tables. All numbers arrive as text (paxsim/analysis/page.py).

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 5", "1 2", "12 4", "3 2 1 2"];
const ROME = "Rome";
const WIDTH = 1000, HEIGHT = 190, LEFT = 34, BOTTOM = 16;

class Analysis {
  constructor(data, head, go) {
    this.data = data;
    this.head = head;
    this.go = go;
    this.marks = data.decisions.filter((decision) => decision.mark);
    this.drawGraph(document.getElementById("graph"));
    this.drawTables(document.getElementById("analysis"));
  }

  x(step) { return LEFT + ((WIDTH - LEFT - 6) * step) / this.data.graph.last; }

  y(chance) { return 6 + (HEIGHT - BOTTOM - 6) * (1 - chance); }

  look(place, name) {
    return { stroke: name === ROME ? "currentColor" : COLOURS[place % COLOURS.length], "stroke-dasharray": name === ROME ? "1 4" : DASHES[place % DASHES.length] };
  }

  name(name, place) { return name === ROME ? ROME : `${name} · ${this.head.names[place]}`; }

  drawGraph(root) {
    const { steps, lines } = this.data.graph;
    const picture = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none", "aria-label": "Win chances of all seats and of Rome, step by step" });
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      picture.append(makeSvg("line", { x1: LEFT, x2: WIDTH - 6, y1: this.y(part), y2: this.y(part), class: "grid" }));
    }
    lines.forEach(({ name, values }, place) => picture.append(makeSvg("polyline", { ...this.look(place, name), "data-line": name,
      points: values.map((value, i) => `${this.x(steps[i]).toFixed(1)},${this.y(value).toFixed(1)}`).join(" ") })));
    this.cursor = makeSvg("line", { y1: 0, y2: HEIGHT - BOTTOM, class: "cursor" });
    picture.append(this.cursor);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect(), at = ((event.clientX - box.left) / box.width) * WIDTH;
      this.go(Math.round(((at - LEFT) / (WIDTH - LEFT - 6)) * this.data.graph.last));
    });
    const marks = this.marks.map((decision) => make("button", { type: "button", class: "mark", "data-step": decision.step, style: `left:${(this.x(decision.step) / WIDTH) * 100}%`,
      "aria-label": `Round ${decision.round}, seat ${decision.seat}: better by ${decision.mark.cost} percentage points: ${decision.mark.better}`,
      title: `Seat ${decision.seat}: ${decision.mark.chosen}; better by ${decision.mark.cost} percentage points: ${decision.mark.better}`, onclick: () => this.go(decision.step) }, String(decision.seat)));
    const scale = [100, 50, 0].map((percent) => make("span", { class: "scale", style: `top:${(this.y(percent / 100) / HEIGHT) * 100}%` }, `${percent}%`));
    this.legend = make("div", { class: "legend", id: "chances" });
    this.hand = make("div", { class: "options-judged", id: "judged", "aria-live": "polite" });
    root.replaceChildren(make("div", { class: "panel" }, this.legend,
      make("div", { class: "graph" }, make("div", { class: "plot" }, picture, scale), make("div", { class: "marked", role: "group", "aria-label": "Mistakes, by seat" }, marks)), this.hand));
    root.hidden = false;
  }

  /** Show the chances at a step, and the decision that was made there. */
  follow(step) {
    const { steps, lines } = this.data.graph;
    let at = 0;
    while (at + 1 < steps.length && steps[at + 1] <= step) at += 1;
    this.cursor.setAttribute("x1", this.x(step));
    this.cursor.setAttribute("x2", this.x(step));
    this.legend.replaceChildren(...lines.map(({ name, values }, place) => make("span", { "data-chance": name },
      makeLine(this.look(place, name)), `${this.name(name, place)} ${Math.round(100 * values[at])}%`)));
    const here = this.data.decisions.filter((decision) => decision.step === step);
    this.hand.replaceChildren(...here.map((decision) => this.drawDecision(decision)));
  }

  drawDecision(decision) {
    const verdict = decision.mark ? ` Better by ${decision.mark.cost} percentage points: ${decision.mark.better}.` : "";
    const options = decision.options.map((option) => make("li", { class: `${option.chosen ? "chosen" : ""} ${option.better ? "better" : ""}` },
      `${option.chosen ? "✓ " : option.better ? "★ " : ""}${option.text}: ${option.chance}`));
    return make("div", { "data-decision": decision.kind }, make("strong", {}, `Seat ${decision.seat} decides: ${decision.kind}.`), verdict, make("ul", {}, options));
  }

  drawTables(root) {
    const link = (step, text) => make("button", { type: "button", class: "step", onclick: () => { this.go(step); scrollTo({ top: 0 }); } }, text);
    const round = (number) => (number ? `round ${number}` : "draft");
    const { turns, ledger, summary, notes } = this.data;
    const numbers = (row) => row.map((text, i) => make(i ? "td" : "th", { scope: i ? null : "row", class: i ? "number" : null }, text));
    root.replaceChildren(
      make("div", { class: "panel" }, make("h2", {}, "Luck and play"), summary.map((text) => make("p", {}, text)),
        makeTable("ledger", ["", "start", "result", "change", "draws", "own choices", "others' choices"], ledger.map(numbers)),
        make("p", { class: "quiet" }, "Start and result are win chances in percent, the rest percentage points. Draws and choices add up to the change.")),
      make("div", { class: "panel" }, make("h2", {}, "Turning points"),
        makeTable("turns", ["when", "what happened", "win chance", "change"], turns.map((turn) => [make("td", {}, link(turn.step, round(turn.round))),
          make("td", {}, turn.what), make("td", {}, `${turn.who} ${turn.chances}`), make("td", { class: "number" }, turn.change)]))),
      make("div", { class: "panel" }, make("h2", {}, "Mistakes"),
        makeTable("marks-table", ["when", "seat", "chosen", "better option", "cost"], [...this.marks].sort((a, b) => b.mark.size - a.mark.size).map((one) => [make("td", {}, link(one.step, round(one.round))),
          make("td", {}, `${one.seat} · ${this.head.names[one.seat - 1]}`), make("td", {}, one.mark.chosen), make("td", {}, one.mark.better), make("td", { class: "number" }, one.mark.cost)]))),
      make("details", { class: "panel quiet" }, make("summary", {}, "How to read this, and how it was computed"), notes.map((text) => make("p", {}, text))));
    root.hidden = false;
  }
}

function makeLine(look) {
  return makeSvg("svg", { viewBox: "0 0 26 8", class: "key", "aria-hidden": "true" }, makeSvg("line", { x1: 0, x2: 26, y1: 4, y2: 4, ...look }));
}

function makeTable(id, heads, rows) {
  return make("div", { class: "scroll", tabindex: 0 }, make("table", { id }, make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, rows.length ? rows.map((cells) => make("tr", {}, cells)) : make("tr", {}, make("td", { colspan: heads.length }, "none")))));
}
