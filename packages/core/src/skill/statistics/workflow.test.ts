import { expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import { findFaults } from "./faults.ts";
import { passingVerbs } from "./passing-verbs.ts";
import { readMoves, type Move } from "./transitions.ts";
import { findWorkflow, workflowEvidence } from "./workflow.ts";

const actions = (group: Parameters<typeof findWorkflow>[0]) =>
  findWorkflow(group)?.moves.map(({ step }) => step.action);

/** Keys that name states: "s" is seen with two texts, so keys are more than texts. */
test("refused and useless actions go, and loops are cut", () => {
  const won = played("w", true, [
    ["s", "look"],
    ["s", "eat lamp", { valid: false, observation: "other words" }],
    ["s", "go a"],
    ["a", "go b"],
    ["b", "go a"],
    ["a", "take x"],
    ["ax", "finish"],
  ]);
  expect(actions([won])).toEqual(["go a", "take x", "finish"]);
  expect(workflowEvidence(findWorkflow([won]) as { moves: Move[] })).toEqual([{ trajectory: "w", steps: [2, 5, 6] }]);
});

test("the shortest clean success wins over the own one", () => {
  const long = played("long", true, [
    ["s", "go a"],
    ["s2", "go b"],
    ["b", "finish"],
  ]);
  const short = played("short", true, [
    ["s", "go c", { observation: "another text" }],
    ["c", "finish"],
  ]);
  expect(actions([long, short])).toEqual(["go c", "finish"]);
});

test("moves of different episodes are joined where keys name states", () => {
  // One knows the short way to "b", the other the short way from it; neither is short by itself.
  const first = played("first", true, [
    ["s", "go b"],
    ["b", "wander"],
    ["c", "wander on"],
    ["d", "finish"],
  ]);
  const second = played("second", true, [
    ["s", "go a", { observation: "another text" }],
    ["a", "go b"],
    ["b", "win"],
  ]);
  expect(actions([first, second])).toEqual(["go b", "win"]);
  expect(workflowEvidence(findWorkflow([first, second]) as { moves: Move[] })).toEqual([
    { trajectory: "first", steps: [0] },
    { trajectory: "second", steps: [2] },
  ]);
});

test("where luck decides, nothing is joined", () => {
  // The same roll led to "b" and to "a": that the one who came to "b" could have won at once is not to be relied on.
  const first = played("first", true, [
    ["s", "roll"],
    ["b", "wander"],
    ["c", "stay"],
    ["d", "finish"],
  ]);
  const second = played("second", true, [
    ["s", "roll", { observation: "another text" }],
    ["a", "hop"],
    ["b", "win"],
  ]);
  expect(readMoves([first, second]).consistent).toBe(false);
  expect(actions([first, second])).toEqual(["roll", "hop", "win"]);
});

test("nobody succeeded: no workflow", () => {
  expect(findWorkflow([played("f", false, [["s", "look"]])])).toBeUndefined();
  expect(findWorkflow([])).toBeUndefined();
});

test("a branch counts only where no episode from the start succeeded", () => {
  const branch = played("branch", true, [["a", "finish"]], 4);
  const whole = played("whole", true, [
    ["s", "go a"],
    ["a", "stay"],
    ["b", "finish"],
  ]);
  expect(actions([branch, whole])).toEqual(["go a", "stay", "finish"]);
  expect(actions([branch])).toEqual(["finish"]);
});

// From here on keys are the texts themselves.
const search = (id: string, places: readonly string[], won = false) =>
  played(id, won, [
    ["room", `go ${places[0]}`],
    ...places.map((place, at): [string, string] => [
      place,
      places[at + 1] === undefined ? "finish" : `go ${places[at + 1]}`,
    ]),
  ]);

test("walking is learnt from its being undone, taking is not", () => {
  const direct = search("1", ["desk", "bed"]);
  const detour = search("2", ["bed", "desk", "lamp"]);
  expect(passingVerbs([direct, detour])).toEqual(new Set(["go"]));
  expect(passingVerbs([direct])).toEqual(new Set());
  const taken = played("t", true, [
    ["room", "take a"],
    ["a held", "take b"],
    ["both held", "finish"],
  ]);
  const other = played("u", true, [
    ["room", "take b"],
    ["b held", "finish"],
  ]);
  expect(passingVerbs([taken, other])).toEqual(new Set());
});

test("a verb whose effect may not show is never taken for walking", () => {
  // Choosing "red" leaves the page as it was; that "back" undoes "item" must not make choosing pass.
  const direct = played("1", false, [
    ["results", "click back"],
    ["start", "wait"],
  ]);
  const shop = played("2", true, [
    ["results", "click item"],
    ["item", "click back"],
    ["start", "open results"],
    ["results", "click item"],
    ["item", "click red"],
    ["item", "click buy"],
  ]);
  expect(passingVerbs([direct, shop])).toEqual(new Set());
  expect(actions([direct, shop])?.slice(-3)).toEqual(["click item", "click red", "click buy"]);
});

test("a search becomes the way to what it found", () => {
  const found = played("won", true, [
    ["room", "go shelf"],
    ["shelf", "go bed"],
    ["bed", "go desk"],
    ["desk", "take cup"],
    ["cup taken", "finish"],
  ]);
  expect(actions([found, search("1", ["bed", "lamp"])])).toEqual(["go desk", "take cup", "finish"]);
});

test("two equal texts are not one state when a thing was done in between", () => {
  // The shelf looks the same before and after the cup was taken elsewhere; only the second visit can finish.
  const won = played("won", true, [
    ["room", "go shelf"],
    ["shelf", "go desk"],
    ["desk", "take cup"],
    ["cup taken", "go shelf"],
    ["shelf", "put cup"],
  ]);
  const others = [search("1", ["desk", "shelf"]), search("2", ["shelf", "desk", "shelf"])];
  expect(actions([won, ...others])).toEqual(["go desk", "take cup", "go shelf", "put cup"]);
});

test("the text of a refusal is not a state", () => {
  const won = played("won", true, [
    ["room", "fly", { valid: false }],
    ["Nothing happens.", "go desk"],
    ["desk", "fly", { valid: false }],
    ["Nothing happens.", "take cup"],
    ["cup taken", "finish"],
  ]);
  expect(actions([won])).toEqual(["go desk", "take cup", "finish"]);
});

test("faults: each action in the first list it fits, the most frequent first", () => {
  const failed = played("f", false, [
    ["s", "go a"],
    ["a", "fly", { valid: false, observation: "another text" }],
    ["a", "go b"],
    ["b", "go a"],
    ["a", "look"],
    ["a", "look"],
    ["a", "inventory"],
    ["a", "go c"],
    ["c", "dig"],
    ["c2", "dig"],
    ["c3", "dig"],
    ["c4", "rest"],
  ]);
  const moves = readMoves([failed]).of.get("f") ?? [];
  const { refused, useless, leadsBack, repeated, tried } = findFaults(moves);
  expect(refused).toEqual([{ action: "fly", steps: [1] }]);
  expect(useless).toEqual([
    { action: "look", steps: [4, 5] },
    { action: "inventory", steps: [6] },
  ]);
  expect(leadsBack).toEqual([{ action: "go b", steps: [2] }]);
  expect(repeated).toEqual([{ action: "dig", steps: [8, 9, 10] }]);
  expect(tried.map(({ action }) => action)).toEqual(["go a", "go c", "rest"]);
});

test("the smallest loop is the detour: what a larger one holds may have been right", () => {
  const failed = played("f", false, [
    ["t", "take plate"],
    ["t held", "go coffeemachine"],
    ["c held", "go table"],
    ["t held", "put plate"],
    ["t", "look", { observation: "another text" }],
    ["t", "look"],
  ]);
  const { leadsBack } = findFaults(readMoves([failed]).of.get("f") ?? []);
  expect(leadsBack.map(({ action }) => action)).toEqual(["go coffeemachine"]);
});
