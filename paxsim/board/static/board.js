"use strict";
// The board: draws what a viewer sees. A view is a flat object with keys such as "legion 2" or
// "hand 1" (paxsim/board/view.py); a card is "land/2/3", or null if it is hidden.

// One shape per category, in a square of 20.
const SHAPES = {
  wealth: "M10 1a9 9 0 1 0 0 18a9 9 0 1 0 0-18zm0 4a5 5 0 1 1 0 10a5 5 0 1 1 0-10z",
  fleet: "M9 1v12H2zM11 4l7 9h-7zM1 15h18l-3 4H4z",
  army: "M2 2h16v7c0 5-4 8-8 10c-4-2-8-5-8-10zm7 2v3H6v2h3v6h2V9h3V7h-3V4z",
  religion: "M10 0c1 5 7 7 7 13a7 7 0 0 1-14 0c0-3 2-4 3-7c1 2 2 2 3 3c1-3 1-6 1-9z",
  senator: "M2 1h16v4h-2v10h2v4H2v-4h2V5H2zm5 5v8h2V6zm4 0v8h2V6z",
  land: "M10 0c8 5 8 13 1 17v3H9v-3c-7-4-7-12 1-17zm-1 6v8h2V6z",
  intrigue: "M0 5c5-2 8-1 10 1c2-2 5-3 10-1c0 7-3 11-6 11c-2 0-3-2-4-2s-2 2-4 2c-3 0-6-4-6-11zm4 3c1 3 3 3 5 2c-1-2-3-3-5-2zm12 0c-2-1-4 0-5 2c2 1 4 1 5-2z",
};
const MOST_SHAPES = 2;

/** Create an element with attributes and children; strings become text, never HTML. */
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const makeSvg = (tag, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

function shape(category) {
  return makeSvg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, makeSvg("path", { d: SHAPES[category], "fill-rule": "evenodd" }));
}

function cardName(card) {
  if (card === null) return "a hidden card";
  const [category, symbols, value] = card.split("/");
  return `${category}, ${symbols} symbol${symbols === "1" ? "" : "s"}, value ${value}`;
}

/** Draw a card, or several hidden ones; `isNew` marks a card that has just arrived. */
function drawCard(card, isNew = false, times = 1) {
  const label = (times > 1 ? `${times} hidden cards` : cardName(card)) + (isNew ? ", new" : "");
  if (card === null) {
    return make("span", { class: `card down${isNew ? " new" : ""}`, role: "img", "aria-label": label }, times > 1 ? `×${times}` : "?");
  }
  const [category, symbols, value] = card.split("/");
  const few = Number(symbols) <= MOST_SHAPES;
  const shapes = Array.from({ length: few ? Number(symbols) : 1 }, () => shape(category));
  return make("span", { class: `card ${category}${isNew ? " new" : ""}`, role: "img", "aria-label": label, title: cardName(card) },
    make("span", { class: "shapes" }, shapes, few ? "" : `×${symbols}`), make("span", { class: "value" }, value));
}

/** Return for each card whether it was not there before. */
function newOnes(cards, before) {
  const left = before === undefined ? [...cards] : [...before];
  return cards.map((card) => {
    const place = left.indexOf(card);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

function drawCards(cards, before) {
  const flags = newOnes(cards, before);
  const known = cards.map((card, i) => [card, flags[i]]).filter(([card]) => card !== null);
  const hidden = cards.length - known.length;
  const drawn = known.map(([card, isNew]) => drawCard(card, isNew));
  if (hidden) drawn.push(drawCard(null, cards.some((card, i) => card === null && flags[i]), hidden));
  return drawn;
}

/** Draw a row of cards per category with its strength; `rival` has the strengths to compare with. */
function drawRows(head, cards, before, strength, rival) {
  const flags = newOnes(cards, before);
  return make("div", { class: "rows" }, head.categories.map((category, number) => {
    const here = cards.map((card, i) => [card, flags[i]]).filter(([card]) => card.startsWith(`${category}/`));
    const ahead = rival && strength[number] > rival[number];
    const label = `${category}: strength ${strength[number]}${ahead ? ", stronger than Rome" : ""}`;
    return make("div", { class: `row ${category}${here.length ? "" : " empty"}`, role: "group", "aria-label": label, title: label },
      shape(category), here.map(([card, isNew]) => drawCard(card, isNew)),
      make("span", { class: `total${ahead ? " ahead" : ""}`, "aria-hidden": "true" }, `${strength[number]}${ahead ? "▲" : ""}`));
  }));
}

function drawMoney(amount, before) {
  const changed = before !== undefined && before !== amount;
  return make("span", { class: `money${changed ? " changed" : ""}`, "aria-label": `${amount} Aurei` },
    make("span", { class: "coin", "aria-hidden": "true" }), String(amount));
}

function drawLegion(head, view, before, number, targets) {
  const name = head.legions[number - 1], cards = view[`legion ${number}`];
  const target = targets[`legion ${number}`];
  const price = cards.length ? `price ${view.prices[number - 1]}` : "empty";
  return make(target ? "button" : "div",
    { class: "legion", "data-place": `legion ${number}`, type: target && "button", onclick: target && target.choose,
      role: target ? null : "group", "aria-label": `Legion ${name}, ${price}${target ? `: ${target.label}` : ""}` },
    make("span", { class: "name", "aria-hidden": "true" }, name), make("span", { class: "price" }, price),
    drawCards(cards, before[`legion ${number}`]));
}

function drawMarket(head, view, before, targets) {
  const known = view.deck_known.map(([place, card]) => make("li", {}, `${place}: `, drawCard(card)));
  const deck = make("div", { class: "pile", role: "group", "aria-label": `Deck, ${view.deck} cards` },
    make("span", { class: "name" }, view.round ? `Round ${view.round}` : "Draft"), make("span", { class: "price" }, "deck"), view.deck ? drawCard(null, before.deck !== undefined && before.deck !== view.deck, view.deck) : make("span", { class: "quiet" }, "empty"),
    known.length ? make("details", {}, make("summary", { class: "quiet" }, `${known.length} known`), make("ol", { style: "list-style:none;margin:0;padding:0", "aria-label": "Known cards by place from the top" }, known)) : null);
  const legions = head.legions.map((_, i) => drawLegion(head, view, before, i + 1, targets));
  return make("section", { class: "panel", "aria-label": "Round, deck and legions" }, make("div", { class: "market" }, deck, legions));
}

function drawRome(head, view, before) {
  const hidden = view.rome_hidden;
  const known = hidden.some((card) => card !== null);
  const label = view.score ? "revealed:" : known ? "hidden:" : `${hidden.length} hidden`;
  return make("section", { class: "panel rome", "aria-label": "Rome" },
    make("header", {}, make("h2", {}, "Rome"),
      hidden.length ? make("span", { class: "quiet" }, label) : null,
      hidden.map((card, i) => drawCard(card, before.rome_hidden !== undefined && before.rome_hidden[i] !== card))),
    drawRows(head, view.rome, before.rome, view.rome_strength, null));
}

function drawSeat(head, view, before, seat, viewer, targets) {
  const name = head.names[seat - 1], turn = view.turn === seat;
  const active = view.decides ? view.decides === seat : turn; // while people play, the server says who decides
  const won = view.score && view.score.winners.includes(seat);
  const badge = (text, kind = "") => make("span", { class: `badge ${kind}` }, text);
  const hand = view[`hand ${seat}`], drawn = turn ? view.drawn : [];
  const flags = newOnes(hand, before[`hand ${seat}`]);
  const mine = seat === viewer;
  const playable = (card, i) => {
    const target = mine && card !== null && targets[`hand ${card}`];
    return target ? make("button", { type: "button", onclick: target.choose, "aria-label": target.label, "data-place": `hand ${card}` }, drawCard(card, flags[i])) : drawCard(card, flags[i]);
  };
  const faces = mine ? hand.map(playable) : drawCards(hand, before[`hand ${seat}`]);
  return make("section", { class: `panel seat${active ? " turn" : ""}${mine ? " mine" : ""}`, "aria-label": `Seat ${seat}, ${name}`, "data-seat": seat },
    make("header", {}, make("h2", {}, `${seat} · ${name}`), drawMoney(view[`money ${seat}`], before[`money ${seat}`]),
      active ? badge(view.decides ? "decides" : "turn", "now") : null, view.start === seat && head.players > 1 ? badge("starts") : null,
      view.primus === seat ? badge("primus conspiratus", "primus") : null,
      view[`peeked ${seat}`] ? badge("peeked") : null, won ? badge("wins", "won") : null,
      view.score ? badge(`${view.score.players[seat - 1].points.total} points`) : null),
    drawRows(head, view[`display ${seat}`], before[`display ${seat}`], view[`strength ${seat}`], view.rome_strength),
    make("div", { class: "hand", role: "group", "aria-label": `Hand of seat ${seat}, ${hand.length} cards` },
      make("span", { class: "label" }, `hand ${hand.length}`), faces,
      drawn.length ? [make("span", { class: "label" }, "drawn"), drawn.map((card) => drawCard(card, true))] : null));
}

const PARTS = { categories: "categories", stronger: "stronger than Rome", fleet_army: "fleets and armies", primus: "primus", wealthiest: "wealthiest", total: "points" };

/** Draw the points of every seat by source, and who wins. */
function drawScore(head, view) {
  const { players, winners, shares } = view.score;
  const won = (seat) => (winners.includes(seat) ? "won" : null);
  const line = (kind, label, text) => make("tr", { class: kind }, make("th", { scope: "row" }, label),
    players.map((player) => make("td", { class: won(player.seat), "data-seat": player.seat, "data-part": kind }, text(player))));
  return make("section", { class: "panel score", "aria-label": "Final score" }, make("h2", {}, "Final score"),
    make("p", { style: "margin:.2rem 0" }, view.text),
    make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "seat"), players.map(({ seat }) =>
        make("th", { scope: "col", class: won(seat), title: head.names[seat - 1] }, String(seat), make("span", {}, head.names[seat - 1]))))),
      make("tbody", {}, Object.entries(PARTS).map(([part, label]) => line(part, label, (player) => String(player.points[part]))),
        line("share", "share of the win", ({ seat }) => (shares[seat - 1] ? `${Math.round(100 * shares[seat - 1])}%` : "–")))));
}

/**
 * Draw a view and mark what is new since the view before it.
 * viewer: a seat, or 0 for all cards.
 * targets: what can be clicked, by place ("legion 2", "hand land/1/2"): {label, choose}.
 */
function drawBoard(root, head, view, before, viewer, targets = {}) {
  const seats = Array.from({ length: head.players }, (_, i) => (viewer ? (viewer - 1 + i) % head.players : i) + 1);
  root.replaceChildren(...[view.score ? drawScore(head, view) : null, drawMarket(head, view, before, targets), drawRome(head, view, before),
    make("div", { class: "seats" }, seats.map((seat) => drawSeat(head, view, before, seat, viewer, targets)))].filter(Boolean));
}
