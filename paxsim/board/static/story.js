// A story: what happened, step by step, as one viewer or another saw it; and the controls that go
// through it. A step has what changed in the view, for all and by viewer.

class Story {
  constructor(viewer) {
    this.viewer = viewer;
    this.views = [];
  }

  get last() {
    return this.views.length - 1;
  }

  /** What a viewer saw change in a step. */
  static changes(step, viewer) {
    return step.by ? { ...step.all, ...step.by[viewer] } : step.all;
  }

  add(changes) {
    this.views.push({ ...this.views[this.last], ...changes });
  }

  /** The view of a step, and the one before it, which tells what is new. */
  at(step) {
    return [this.views[step], step ? this.views[step - 1] : {}];
  }

  /** Steps at which something begins: "round" or "turns". */
  begins(key) {
    return this.views.flatMap((view, i) => (i && view[key] !== this.views[i - 1][key] ? [i] : []));
  }
}

const PACE = 900;

/** Slider, buttons, keys, marks of the rounds and the log; `show(step)` is called at every move. */
class Controls {
  constructor(story, show) {
    this.story = story;
    this.show = show;
    this.step = 0;
    this.timer = null;
    this.find = (id) => document.getElementById(id);
    const acts = { first: () => this.go(0), back: () => this.go(this.step - 1), on: () => this.go(this.step + 1), last: () => this.go(this.story.last),
      "turn-back": () => this.skip("turns", -1), "turn-on": () => this.skip("turns", 1), play: () => this.toggle() };
    for (const [id, act] of Object.entries(acts)) {
      this.find(id).addEventListener("click", () => { if (id !== "play") this.pause(); act(); });
    }
    this.find("slider").addEventListener("input", (event) => { this.pause(); this.go(Number(event.target.value)); });
    // The log ends above the controls, however high they are.
    const footer = document.querySelector(".controls");
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--footer", `${footer.offsetHeight}px`);
      this.markLog();
    }).observe(footer);
    document.addEventListener("keydown", (event) => this.press(event, acts));
    this.follow(story);
  }

  press(event, acts) {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: event.shiftKey ? "turn-back" : "back", ArrowRight: event.shiftKey ? "turn-on" : "on", PageUp: "turn-back", PageDown: "turn-on", Home: "first", End: "last" };
    if (event.key === " " && !event.target.matches("button, summary")) keys[" "] = "play";
    if (!keys[event.key]) return;
    event.preventDefault();
    if (event.key !== " ") this.pause();
    acts[keys[event.key]]();
  }

  /** Another story, or the same one grown longer: the log and the marks are made anew. */
  follow(story) {
    this.story = story;
    const entries = story.views.map((view, step) => make("li", {}, make("button", { type: "button", class: view.event === "round" ? "round" : null, onclick: () => { this.pause(); this.go(step); } }, view.said)));
    this.find("log").replaceChildren(...entries);
    this.find("slider").max = story.last;
    const rounds = story.begins("round").map((step) => make("button", { type: "button", style: `left:${(100 * step) / Math.max(story.last, 1)}%`, "data-step": step, "aria-label": `Round ${story.views[step].round}`, onclick: () => { this.pause(); this.go(step); } }, String(story.views[step].round)));
    this.find("marks").replaceChildren(...rounds);
    this.go(Math.min(this.step, story.last));
  }

  go(step) {
    this.step = Math.max(0, Math.min(step, this.story.last));
    if (this.step === this.story.last) this.pause();
    const view = this.story.views[this.step];
    this.find("said").textContent = view.said;
    const slider = this.find("slider");
    slider.value = this.step;
    slider.setAttribute("aria-valuetext", `Step ${this.step} of ${this.story.last}: ${view.said}`);
    this.markLog();
    for (const mark of this.find("marks").children) {
      mark.toggleAttribute("aria-current", this.story.views[mark.dataset.step].round === view.round);
    }
    this.show(this.step);
  }

  markLog() {
    const log = this.find("log");
    [...log.children].forEach((entry, step) => {
      entry.firstChild.toggleAttribute("aria-current", step === this.step);
      entry.classList.toggle("later", step > this.step);
    });
    const entry = log.children[this.step];
    // Within the log only: the page stays where it is.
    if (entry) log.scrollTop = entry.offsetTop - log.clientHeight / 2;
  }

  /** To the next or the last step at which a turn begins. */
  skip(key, direction) {
    const begins = [0, ...this.story.begins(key), this.story.last];
    const goal = direction > 0 ? begins.find((step) => step > this.step) : begins.findLast((step) => step < this.step);
    this.go(goal ?? this.step);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.step === this.story.last) this.go(0);
    this.timer = setInterval(() => this.go(this.step + 1), PACE / Number(this.find("speed").value));
    this.find("play").textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.find("play").textContent = "Play";
  }
}
