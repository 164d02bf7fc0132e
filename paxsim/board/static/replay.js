// The page of a replay: it contains the whole game, and the viewer can be chosen.
{
  const { head, steps, analysis } = JSON.parse(document.getElementById("data").textContent);
  const board = document.getElementById("board"), chooser = document.getElementById("viewer");
  for (let seat = 1; seat <= head.players; seat++) {
    chooser.append(make("option", { value: seat }, `seat ${seat} · ${head.names[seat - 1]}`));
  }
  document.getElementById("facts").textContent =
    `${head.solo_level ? `solo level ${head.solo_level}` : `${head.players} players`}, deck ${head.deck}, rules ${head.rules}, paxsim ${head.version}`;
  document.getElementById("command").textContent = head.command;
  let story = new Story(0, steps);
  const judged = analysis ? new Analysis(analysis, head, (step) => { controls.pause(); controls.go(step); }) : null;
  const controls = new Controls(story, (step) => {
    const [view, before] = story.at(step);
    drawBoard(board, head, view, before, story.viewer);
    if (judged) judged.follow(step);
  });
  document.getElementById("speed").addEventListener("change", () => {
    if (controls.timer) { controls.pause(); controls.toggle(); }
  });
  chooser.addEventListener("change", () => {
    story = new Story(Number(chooser.value), steps);
    controls.follow(story);
  });
}
