import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { Frontier, type Waiting } from "./weboperator.ts";

const LIMITS = { size: 4, solutions: 2, expansions: 20 };

function item(score: number, kind: string, action = `${kind} ${score}`, count = 1): Waiting {
  return { score, count, action, ends: kind === "end", isFinal: kind === "final", repeats: kind === "repeated" };
}

function chosenOf(...items: readonly Waiting[]): number | undefined {
  const frontier = new Frontier(LIMITS);
  frontier.add(items);
  return frontier.next(0)?.score;
}

test("what ends, repeats or cannot be taken back waits while there is something else", () => {
  expect(chosenOf(item(0.9, "final"), item(0.8, "end"), item(0.7, "repeated"), item(0.1, ""))).toBe(0.1);
  // Two that cannot be taken back: the best of all is chosen.
  expect(chosenOf(item(0.9, "final"), item(0.8, "final"), item(0.1, ""))).toBe(0.9);
  // An end waits for a second one, and for something that was done for good or cut; what repeats goes before it.
  expect(chosenOf(item(0.9, "end"), item(0.7, "repeated"))).toBe(0.7);
  expect(chosenOf(item(0.9, "end"))).toBe(0.9);
});

test("after something was done for good an end is taken before another, and less is kept", () => {
  const frontier = new Frontier(LIMITS);
  frontier.add([item(0.5, "final"), item(0.4, "")]);
  frontier.doneForGood();
  expect(frontier.waiting).toEqual([]);
  frontier.add([item(0.9, "final"), item(0.2, "end")]);
  expect(frontier.next(1)?.score).toBe(0.2);
  // Three are kept now: of four one is cut when others come.
  frontier.add([item(0.6, "", "a"), item(0.5, "", "b"), item(0.4, "", "a")]);
  frontier.add([]);
  expect(frontier.waiting.map(({ score }) => score)).toEqual([0.9, 0.6, 0.5]);
});

test("when all proposals mean one end nothing else counts, and equal scores go by how many meant it", () => {
  const frontier = new Frontier(LIMITS);
  frontier.add([item(0.9, "", "a", 1), item(0.9, "", "b", 2)]);
  expect(frontier.waiting.map(({ action }) => action)).toEqual(["b", "a"]);
  frontier.add([item(0.1, "end")], true);
  expect(frontier.waiting.map(({ score }) => score)).toEqual([0.1]);
});

test("at the end the best end is left, else what cannot be taken back", () => {
  const frontier = new Frontier(LIMITS);
  frontier.add([item(0.9, "final"), item(0.2, "end"), item(0.95, "")]);
  expect([frontier.last()?.score, frontier.last()?.score, frontier.last()]).toEqual([0.2, 0.9, undefined]);
});

interface Drawn {
  readonly items: readonly (readonly [score: number, action: string, kind: string])[];
  readonly done: number;
  readonly cuts: number;
  readonly solutions: number;
  readonly expanded: number;
  /** Whether the queue is cut first, as it is when actions are added. */
  readonly add: boolean;
  readonly kept: readonly number[];
  /** Null: it gives up. */
  readonly chosen: number | null;
}

/** A frontier with these counts, reached as a search would reach them. */
function frontierOf({ items, done, cuts, solutions, add }: Drawn): Frontier<Waiting> {
  const frontier = new Frontier<Waiting>(LIMITS);
  const filler = Array.from({ length: 5 }, (_, at) => item(at, ""));
  for (let at = 0; at < cuts; at += 1) {
    frontier.add(filler);
    frontier.add([]);
    while (frontier.waiting.length > 0) frontier.next(0);
  }
  for (let at = 0; at < solutions; at += 1) frontier.add([item(1, "end")]);
  while (frontier.waiting.length > 0) frontier.next(0);
  for (let at = 0; at < done; at += 1) frontier.doneForGood();
  // Ends among them are counted when they are found; here they are among those that were.
  frontier.add(items.map(([score, action, kind]) => item(score, kind, action)));
  if (add) frontier.add([]);
  return frontier;
}

test("the published code keeps and chooses the same actions", () => {
  const { cases } = published<Drawn>("weboperator");
  expect(cases.length).toBeGreaterThan(40);
  for (const one of cases) {
    const found = one.items.filter(([, , kind]) => kind === "end").length;
    const frontier = frontierOf({ ...one, solutions: one.solutions - found });
    const place = (waiting: Waiting | undefined): number | null =>
      waiting === undefined ? null : one.items.findIndex(([score]) => score === waiting.score);
    const kept = frontier.waiting.map(place).toSorted((left, right) => Number(left) - Number(right));
    expect({ ...one, kept, chosen: place(frontier.next(one.expanded)) }).toEqual(one);
  }
});
