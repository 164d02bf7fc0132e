// The page of a person at the table: what the seat sees, and its decisions. All that it knows was
// sent to it by the server, which sends a seat nothing that it may not see.
{
  const { seat } = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const WHOLE_PACE = 2400, STEP_PACE = 240, RETRY = 1000;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let story = new Story(seat), state = null, head = null, hints = {}, controls = null, walk = null, refused = "";

  async function ask(address, message) {
    const answer = await fetch(address, message && { method: "POST", body: JSON.stringify(message) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.error);
    return said;
  }

  /** Tell the server something; what it refuses is shown, and the game goes on. */
  async function act(message) {
    refused = "";
    try {
      return await ask("act", { seat, ...message });
    } catch (error) {
      refused = error.message;
      drawMove();
      return {};
    }
  }

  async function askForHint() {
    const button = find("hint");
    button.disabled = true;
    button.textContent = "Thinking …";
    const { hint = [] } = await act({ act: "hint" });
    hints = Object.fromEntries(hint.map((one, place) => [one.index, { ...one, best: place === 0 }]));
    drawMove();
  }

  const choose = (option) => act({ act: "choose", decision: state.decision.number, option: option.index });

  function drawMove() {
    const move = find("move"), decision = state.decision;
    const isLive = controls && controls.step === story.last;
    const note = refused ? make("p", { class: "refused", role: "alert", style: "margin:.2rem 0" }, refused) : null;
    const acts = make("span", { class: "acts" },
      decision && make("button", { type: "button", id: "hint", onclick: askForHint }, "Hint"),
      state.can_undo && make("button", { type: "button", id: "undo", onclick: () => act({ act: "undo" }) }, "Take back"),
      state.next_level && make("button", { type: "button", id: "next", onclick: () => act({ act: "next" }) }, "Next level"),
      state.over && make("a", { href: "replay", id: "replay" }, "Watch it with all cards"));
    const says = state.failed ? "A strategy failed, and the game can't go on; the server's terminal says more."
      : state.over ? "The game is over." : decision ? decision.asked : `Seat ${state.waits_for} (${head.names[state.waits_for - 1]}) decides …`;
    const options = (decision ? decision.options : []).map((option) => {
      const hint = hints[option.index];
      return make("button", { type: "button", class: hint && hint.best ? "best" : null, "data-option": option.index, onclick: () => choose(option) },
        option.card ? drawCard(option.card) : null, option.card ? " " : null, option.words, hint ? make("span", { class: "hint" }, hint.words) : null);
    });
    move.replaceChildren(...[make("h2", {}, says, acts), note, make("div", { class: "options" }, options)].filter(Boolean));
    move.dataset.decision = decision ? decision.number : "";
    const targets = {};
    for (const option of isLive && decision ? decision.options : []) {
      if (option.place) targets[option.place] = { label: option.words, choose: () => choose(option) };
    }
    return targets;
  }

  function show(step) {
    const [view, before] = story.at(step), isLast = step === story.last;
    drawBoard(find("board"), head, isLast ? { ...view, decides: state.waits_for } : view, before, seat, isLast ? drawMove() : {});
  }

  /** Go through what is new, step by step, as fast as is pleasant. */
  function walkToEnd(from) {
    clearInterval(walk);
    if (still || from < 0) return controls.go(story.last);
    const pace = Math.min(STEP_PACE, WHOLE_PACE / Math.max(story.last - from, 1));
    controls.go(from + 1);
    walk = setInterval(() => {
      if (controls.step >= story.last) clearInterval(walk);
      else controls.go(controls.step + 1);
    }, pace);
  }

  function receive(told) {
    const isNew = told.from === 0;
    if (isNew) {
      story = new Story(seat);
      head = told.head;
      head.names[seat - 1] = "you";
    }
    const live = !controls || controls.step >= story.last || isNew, last = isNew ? -1 : story.last;
    for (const step of told.steps) story.add(step);
    if (!state || !state.decision || !told.decision || state.decision.number !== told.decision.number) hints = {};
    state = told;
    find("facts").textContent = `${head.solo_level ? `solo level ${head.solo_level}` : `${head.players} players`}, deck ${head.deck}, rules ${head.rules}, you are seat ${seat}`;
    drawMove();
    if (!controls) controls = new Controls(story, show);
    else if (told.steps.length || isNew) controls.follow(story);
    if (live) walkToEnd(told.steps.length ? last : story.last - 1);
  }

  async function listen() {
    for (;;) {
      const known = state ? `?epoch=${state.epoch}&since=${story.views.length}&last=${encodeURIComponent(state.last)}` : "";
      try {
        receive(await ask(`state${known}`));
        find("connection").textContent = "";
      } catch (error) {
        find("connection").textContent = `No answer from the server (${error.message}); trying again …`;
        await new Promise((done) => setTimeout(done, RETRY));
      }
    }
  }
  listen();
}
