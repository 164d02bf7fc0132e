// The page of a person who plays: what the seat sees, and its decisions. The server sends a seat
// only what it may see.
{
  const { seat } = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const TOTAL_TIME = 2400, STEP_TIME = 240, RETRY = 1000; // milliseconds
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let story = new Story(seat, []), state = null, head = null, hints = {}, controls = null, walk = null, refusal = "";

  async function ask(address, message) {
    const response = await fetch(address, message && { method: "POST", body: JSON.stringify(message) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  /** Send a message to the server; if it is refused, show why. */
  async function act(message) {
    refusal = "";
    try {
      return await ask("act", message);
    } catch (error) {
      refusal = error.message;
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

  function heading() {
    if (state.failed) return "A policy failed, so the game can't continue. The terminal of the server shows the error.";
    if (state.over) return "The game is over.";
    return state.decision ? state.decision.question : `Seat ${state.waits_for} (${head.names[state.waits_for - 1]}) decides …`;
  }

  /** Draw the options of the decision; return what can be clicked on the board. */
  function drawMove() {
    const move = find("move"), decision = state.decision;
    const isLive = controls && controls.step === story.last;
    const note = refusal ? make("p", { class: "refused", role: "alert", style: "margin:.2rem 0" }, refusal) : null;
    const acts = make("span", { class: "acts" },
      decision && make("button", { type: "button", id: "hint", onclick: askForHint }, "Hint"),
      state.can_undo && make("button", { type: "button", id: "undo", onclick: () => act({ act: "undo" }) }, "Undo"),
      state.next_level && make("button", { type: "button", id: "next", onclick: () => act({ act: "next" }) }, "Next level"),
      state.over && make("a", { href: "replay", id: "replay" }, "Watch the replay"));
    const options = (decision ? decision.options : []).map((option) => {
      const hint = hints[option.index];
      return make("button", { type: "button", class: hint && hint.best ? "best" : null, "data-option": option.index, onclick: () => choose(option) },
        option.card ? drawCard(option.card) : null, option.card ? " " : null, option.text, hint ? make("span", { class: "hint" }, hint.text) : null);
    });
    move.replaceChildren(...[make("h2", {}, heading(), acts), note, make("div", { class: "options" }, options)].filter(Boolean));
    move.dataset.decision = decision ? decision.number : "";
    const targets = {};
    for (const option of isLive && decision ? decision.options : []) {
      if (option.place) targets[option.place] = { label: option.text, choose: () => choose(option) };
    }
    return targets;
  }

  function show(step) {
    const [view, before] = story.at(step), isLast = step === story.last;
    drawBoard(find("board"), head, isLast ? { ...view, decides: state.waits_for } : view, before, seat, isLast ? drawMove() : {});
  }

  /** Show the new steps one by one, in a short time. */
  function walkToEnd(from) {
    clearInterval(walk);
    if (still || from < 0) return controls.go(story.last);
    const pace = Math.min(STEP_TIME, TOTAL_TIME / Math.max(story.last - from, 1));
    controls.go(from + 1);
    walk = setInterval(() => {
      if (controls.step >= story.last) clearInterval(walk);
      else controls.go(controls.step + 1);
    }, pace);
  }

  function receive(next) {
    const old = state ? state.steps : [];
    let known = 0;
    while (known < old.length && JSON.stringify(old[known]) === JSON.stringify(next.steps[known])) known += 1;
    const isLive = !controls || controls.step >= story.last || known < old.length; // undone, or a new game
    const isSame = state && state.decision && next.decision && state.decision.number === next.decision.number && known === old.length;
    if (!isSame) hints = {};
    state = next;
    story = new Story(seat, next.steps);
    head = next.head;
    head.names[seat - 1] = "you";
    find("facts").textContent = `${head.solo_level ? `solo level ${head.solo_level}` : `${head.players} players`}, deck ${head.deck}, rules ${head.rules}, you are seat ${seat}`;
    drawMove();
    if (!controls) controls = new Controls(story, show);
    else controls.follow(story);
    if (isLive) walkToEnd(Math.min(known, story.last) - 1);
  }

  async function listen() {
    for (;;) {
      try {
        receive(await ask(`state?version=${state ? state.version : ""}`));
        find("connection").textContent = "";
      } catch (error) {
        find("connection").textContent = `The server doesn't answer (${error.message}); trying again …`;
        await new Promise((done) => setTimeout(done, RETRY));
      }
    }
  }
  listen();
}
