import { expect, test } from "vitest";
import { corridorEpisodes } from "../../../../test/support/recipe-bench.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { measureTurnDivergence } from "./turn-divergence.ts";

test("means by turn, over the policy's own tokens of all episodes", async () => {
  const [first, second] = (await corridorEpisodes("one")) as [Trajectory, Trajectory];
  const plain = (own: Trajectory, logprobs: readonly number[], mask: readonly number[]): Trajectory => ({
    ...own,
    streams: [
      {
        ids: new Int32Array(5),
        mask: Uint8Array.from(mask),
        logprobs: Float32Array.from(logprobs),
      },
    ],
    steps: own.steps.slice(0, 2).map((step, at) => ({
      ...step,
      index: at,
      span: { stream: 0, start: 1 + 2 * at, end: 3 + 2 * at },
    })),
  });
  const episodes = [
    plain(first, [0, -1, -2, -3, -1], [0, 1, 1, 1, 1]),
    // The first turn of this one was given by another.
    plain(second, [0, -1, -2, -3, -2], [0, 0, 0, 1, 1]),
  ];
  const opinions = new Map([
    [
      first.id,
      new Map([
        [0, { episode: Float64Array.of(-0.5, -2) }],
        [1, { episode: Float64Array.of(-4, -1) }],
      ]),
    ],
    [
      second.id,
      new Map([
        [0, { episode: Float64Array.of(-9, -9) }],
        [1, { episode: Float64Array.of(-3, -5) }],
      ]),
    ],
  ]);
  // Turn 0: (-1 + 0.5) + (-2 + 2) = -0.5 over 2 tokens. Turn 1: (-3 + 4) + 0 + 0 + (-2 + 5) = 4 over 4.
  expect(measureTurnDivergence(episodes, { opinions })).toEqual([
    { turn: 0, kl: -0.25, tokens: 2 },
    { turn: 1, kl: 1, tokens: 4 },
  ]);
  expect(measureTurnDivergence(episodes, { opinions: new Map() })).toEqual([]);
});
