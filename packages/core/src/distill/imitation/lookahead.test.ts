import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf } from "../pairs/crossings.ts";
import { lookaheads, outlooks, type LookaheadOptions } from "./lookahead.ts";

/** Actions with what was seen before each and what each earned, and the sight at the end. */
const line = (
  id: string,
  moves: readonly (readonly [seen: string, action: string, reward: number])[],
  closing: string,
): Trajectory =>
  sampleTrajectory(id, {
    steps: moves.map(([observation, action, reward], index) =>
      sampleStep(index, { observation, action, reward: scored(reward) }),
    ),
    closing: { observation: closing },
  });

const tree = [
  line(
    "win",
    [
      ["hall", "east", 0],
      ["kitchen", "take mug", 1],
    ],
    "you have the mug",
  ),
  line(
    "slow",
    [
      ["hall", "east", 0],
      ["kitchen", "wait", 0],
      ["kitchen", "take mug", 1],
    ],
    "you have the mug",
  ),
  line("lost", [["hall", "west", 0]], "a wall"),
];

const options: LookaheadOptions = {
  place: "after",
  write: (thought, action) => `${thought} ${action}`,
  depth: 3,
  others: 1,
  gamma: 0.5,
  gap: 0,
};

test("values are backed up from the best line behind each action", () => {
  const [start] = crossingsOf(tree);
  // Kitchen: take mug 1, wait 0 + 0.5 * 1 = 0.5. Hall: east 0 + 0.5 * 1 = 0.5, west 0.
  const [east, west] = outlooks(start as NonNullable<typeof start>, 0.5);
  expect([east?.way.action, east?.value, west?.way.action, west?.value]).toEqual(["east", 0.5, "west", 0]);
  expect(east?.best?.way.action).toBe("take mug");
});

test("the tree becomes a chain of causes and effects, and where another way leads", () => {
  expect(lookaheads(tree, options)).toEqual([
    {
      trajectory: "slow",
      step: 0,
      answer: "east",
      learnAnswer: true,
      after: "east -> kitchen\ntake mug -> you have the mug (+1)\nnot west -> a wall",
    },
    {
      trajectory: "win",
      step: 1,
      answer: "take mug",
      learnAnswer: true,
      after: "take mug -> you have the mug (+1)\nnot wait -> kitchen",
    },
  ]);
  expect(lookaheads(tree, { ...options, place: "before", depth: 1, others: 0 })[0]?.answer).toBe(
    "east -> kitchen east",
  );
});

test("points where the search tells nothing apart teach nothing", () => {
  expect(lookaheads(tree, { ...options, gap: 0.5 })).toHaveLength(0);
  expect(lookaheads(tree.slice(0, 1), options)).toEqual([]);
});
