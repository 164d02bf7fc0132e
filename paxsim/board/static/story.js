// A story: the views of one viewer, step by step; and the controls to move through it.

class Story {
  /** Every step has the changes of the view: for all viewers, or under `all` and, by viewer, `by`. */
  constructor(viewer, steps) {
    this.viewer = viewer;
    this.views = [];
    for (const step of steps) {
      const changes = step.all ? { ...step.all, ...(step.by ? step.by[viewer] : {}) } : step;
      this.views.push({ ...this.views[this.last], ...changes });
    }
  }

  get last() {
    return this.views.length - 1;
  }

  /** Return the view of a step and the one before it. */
  at(step) {
    return [this.views[step], step ? this.views[step - 1] : {}];
  }

  /** Return the steps at which a view changes in "round" or "turns". */
  begins(key) {
    return this.views.flatMap((view, i) => (i && view[key] !== this.views[i - 1][key] ? [i] : []));
  }
}

const PACE = 900;

/** Slider, buttons, keys, round marks and log; `show(step)` draws the current step. */
class Controls {
  constructor(story, show) {
    this.story = story;
    this.show = show;
    this.step = 0;
    this.timer = null;
    this.find = (id) => document.getElementById(id);
    const acts = { first: () => this.go(0), back: () => this.go(this.step - 1), on: () => this.go(this.step + 1), last: () => this.go(this.story.last),
      "turn-back": () => this.skip(-1), "turn-on": () => this.skip(1), play: () => this.toggle() };
    for (const [id, act] of Object.entries(acts)) {
      this.find(id).addEventListener("click", () => { if (id !== "play") this.pause(); act(); });
    }
    this.find("slider").addEventListener("input", (event) => { this.pause(); this.go(Number(event.target.value)); });
    // The log ends above the controls, whatever their height.
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

  /** Show a new or longer story: fill the log and the round marks. */
  follow(story) {
    this.story = story;
    const entries = story.views.map((view, step) => make("li", {}, make("button", { type: "button", class: view.event === "round" ? "round" : null, onclick: () => { this.pause(); this.go(step); } }, view.text)));
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
    this.find("sentence").textContent = view.text;
    const slider = this.find("slider");
    slider.value = this.step;
    slider.setAttribute("aria-valuetext", `Step ${this.step} of ${this.story.last}: ${view.text}`);
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
    // Scroll the log only, not the page.
    if (entry) log.scrollTop = entry.offsetTop - log.clientHeight / 2;
  }

  /** Go to the next or previous step at which a turn begins. */
  skip(direction) {
    const begins = [0, ...this.story.begins("turns"), this.story.last];
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
