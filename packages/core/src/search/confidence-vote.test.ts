import { expect, test } from "vitest";
import { createCheckGround } from "../walk/check-ground.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Scorer, ScoreRow, TopTokens, TopTokensOptions, WholeScorer } from "limbeck-policy/policy/policy";
import { published } from "../../../../test/support/published.ts";
import { placeConfidence, surest } from "./confidence-vote.ts";
import { createSearch } from "./registry.ts";
import { countVotes } from "./votes.ts";
import { joinLine } from "../walk/tree/pieces.ts";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import { runSearch } from "../walk/tree/run-search.ts";

test("the surest voices vote with how sure they were at the end", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  // A token of the number i counts i / 2: two words, of ln p 0 and -i.
  const topTokens = (rows: readonly ScoreRow[], { count }: TopTokensOptions): Promise<TopTokens[]> =>
    Promise.resolve(
      rows.map(({ ids }) => ({
        count,
        ids: new Int32Array(ids.length * count),
        logprobs: Float32Array.from({ length: ids.length * count }, (_, at) =>
          at % count === 0 ? 0 : -ids[Math.floor(at / count)]!,
        ),
      })),
    );
  const told = { ...agent, scorer: { ...agent.scorer!, topTokens } };
  const given = { env, agent: told, task: task as Task, seed: 3 };
  for (const [keep, tail] of [
    [1, 2],
    [0.5, 2_048],
  ] as const) {
    const search = createSearch("confidence-vote", { n: 6, topTokens: 2, keep, tail });
    const { root, chosen } = await runSearch({ ...given, search });
    const ends = nodesBelow(root).filter(({ ending }) => ending !== undefined);
    const sure = ends.map((end) => {
      const own = joinLine(lineTo(end)).streams.flatMap(({ ids, mask }) => [...ids].filter((_, at) => mask[at] === 1));
      return mean(own.slice(-tail).map((id) => id / 2));
    });
    const least = keep === 1 ? 0 : sure.toSorted((left, right) => left - right)[3]!;
    const weights = new Map<string, number>();
    for (const [at, end] of ends.entries()) {
      const weight = sure[at]! >= least ? sure[at]! : 0;
      weights.set(end.action ?? "", (weights.get(end.action ?? "") ?? 0) + weight);
    }
    const [most] = [...weights].toSorted((left, right) => right[1] - left[1]);
    expect(chosen?.action).toBe(most?.[0]);
    expect(chosen?.info?.["votes"]).toBeCloseTo(most?.[1] ?? 0, 6);
  }
  // Reading that cannot be paid leaves a majority vote.
  const search = createSearch("confidence-vote", { n: 2, topTokens: 2, keep: 1 });
  const free = await runSearch({ ...given, search });
  const { chosen } = await runSearch({ ...given, search, budget: { tokens: free.spent.tokens - 1 } });
  expect([1, 2]).toContain(chosen?.info?.["votes"]);
});

interface PublishedVote {
  readonly traces: readonly { readonly answer: string; readonly logprobs: readonly (readonly number[])[] }[];
  readonly tail: number;
  readonly keep: number;
  readonly confidences: readonly number[];
  readonly kept: readonly boolean[];
  readonly winner: string;
}

test.each(published<PublishedVote>("confidence-vote").cases)("as published: keep $keep, $confidences", (given) => {
  const sure = given.traces.map(({ logprobs }) => mean(logprobs.slice(-given.tail).map(placeConfidence)));
  // The source rounds each place to three digits.
  for (const [at, one] of given.confidences.entries()) expect(Math.abs(sure[at]! - one)).toBeLessThan(0.001);
  const weights = surest(sure, given.keep);
  expect(weights.map((weight) => weight > 0)).toEqual(given.kept);
  const answers = given.traces.map(({ answer }) => answer);
  const camps = countVotes(
    answers.map((answer) => answers.indexOf(answer)),
    weights,
  );
  expect(answers[camps[0]!.first]).toBe(given.winner);
});

test("a place is surer the less likely the other words are, and no word is impossible", () => {
  // p = 0.9 on what was drawn: 0.105 where the other has 0.1 is (0.105361 + 2.302585) / 2.
  expect(placeConfidence([Math.log(0.9), Math.log(0.1)])).toBeCloseTo(1.203973, 6);
  expect(placeConfidence([0, -Infinity])).toBe(50);
  expect(surest([], 0.1)).toEqual([]);
});

test.each([{ by: "likelihood" }, {}])(
  "without most probable tokens votes weigh exp(mean log p): %j",
  async (options) => {
    const ground = createCheckGround();
    const { env } = ground;
    const whole = ground.agent.scorer as WholeScorer;
    const scorer: Scorer = { statistics: whole.statistics, score: (rows, given) => whole.score(rows, given) };
    const agent = { ...ground.agent, scorer };
    const [task] = env.tasks("train") as Iterable<Task>;
    const search = createSearch("confidence-vote", { n: 6, ...options });
    const { root, chosen } = await runSearch({ env, agent, task: task as Task, seed: 3, search });
    const ends = nodesBelow(root).filter(({ ending }) => ending !== undefined);
    expect(ends).toHaveLength(6);
    const weights = new Map<string, number>();
    for (const end of ends) {
      const said = lineTo(end).slice(1);
      const mean =
        said.reduce((sum, { logprob = 0 }) => sum + logprob, 0) / said.reduce((sum, node) => sum + node.said, 0);
      weights.set(end.action ?? "", (weights.get(end.action ?? "") ?? 0) + Math.exp(mean));
    }
    const [most] = [...weights].toSorted((left, right) => right[1] - left[1]);
    expect(chosen?.action).toBe(most?.[0]);
    expect(chosen?.info?.["votes"]).toBeCloseTo(most?.[1] ?? 0, 6);
  },
);

test("by value: votes weigh what the ends are valued, and a step has no such value", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  const search = createSearch("confidence-vote", { n: 6, by: "value" });
  const worth = (action = ""): number => (action.length % 7) / 10;
  const value = {
    estimate: (nodes: readonly SearchNode[]) => Promise.resolve(nodes.map(({ action }) => worth(action))),
  };
  const given = { env, agent, task: task as Task, seed: 3, search, value, seesOutcome: false };
  const { root, chosen } = await runSearch(given);
  const ends = nodesBelow(root).filter(({ ending }) => ending !== undefined);
  const weights = new Map<string, number>();
  for (const { action = "" } of ends) weights.set(action, (weights.get(action) ?? 0) + worth(action));
  const [most] = [...weights].toSorted((left, right) => right[1] - left[1]);
  expect(chosen?.info?.["votes"]).toBeCloseTo(most?.[1] ?? 0, 12);
  expect(chosen?.action).toBe(most?.[0]);
  expect(() => createSearch("confidence-vote", { by: "value", over: "step" })).toThrow("Use over=episode");
});
