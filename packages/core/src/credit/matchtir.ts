/** MatchTIR: tool calls are matched with reference calls; each turn earns what its calls earned. */
import { greedyAssignment, optimalAssignment, transportPlan } from "limbeck-base/base/assignment";
import { option } from "limbeck-base/base/option";
import { wordF1 } from "limbeck-base/base/words";
import { callSimilarity } from "limbeck-base/trajectory/call-similarity";
import type { Json } from "limbeck-base/base/json";
import { trajectoriesOf } from "./batch-index.ts";
import { entry, groupSums, meanOf, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch, type RowWith } from "./credit.ts";
import { episodes, bySignal } from "./examples.ts";
import { groupAdvantages, onRows, trajectoryAdvantages, turnGroups } from "./groups.ts";
import type { CalledTool } from "./row.ts";
import { discountedSums } from "./scores.ts";
import { comparison, gamma } from "./shared-options.ts";

type Called = IndexedBatch<RowWith<"toolCalls">>;

const search = (given: Readonly<Record<string, Json>>) => ({ name: "search", arguments: given });

export const matchtir = defineCredit({
  info: {
    title: "MatchTIR",
    paper: "MatchTIR: Fine-Grained Supervision for Tool-Integrated Reasoning via Bipartite Matching",
    confidence: "code",
    source:
      "quchangle1/MatchTIR @ f614ce11; Code/verl/utils/reward_score/tool.py: assign_rewards_hungarian, assign_rewards_ot",
    formula: [
      "similarity of two calls of one name = (1 + shared parameter names / all + equal values) / (2 + reference parameters), 0 for other names",
      "turn reward = mean over its calls of the similarity with the partner, `unmatched` without one; a turn with an answer: word F1 with the reference answer",
      "A_trajectory = z(sum of turn rewards);   A_turn = z(G_k among the task's rows of turn k),   G_k = r_k + gamma * G_(k+1)",
      "A = (A_trajectory + A_turn) / 2",
    ],
    meaning: "Gives each tool call its own reward by matching the calls of a rollout with those of a reference.",
    departures: [
      "The published assignment is called Hungarian and is greedy; here greedy. Option matching: optimal is the true one, transport the published soft one.",
      "The published function has a penalty of -0.5 for unmatched calls, and its caller sets 0; here 0. Option unmatched (not for transport, where a call of P earns at most 1 / P, there and here).",
      "A call whose arguments cannot be parsed is left out, as in published code; a call without arguments has none here and is left out there. Values are compared as JSON, where true is not 1.",
      "Published code reads the answer from its tags, and no calls of that turn; here the answer is signals.answer, which no provider supplies in a training, and calls beside it are matched.",
      "Two answers without any word are alike here (F1 1); there they score 0. Words end here at all that is no letter or digit, there at blanks and ASCII punctuation, so that a dash of another kind joins them.",
      "The transport ends here at a change of 1e-12 or after 500 rounds; there by a library's defaults (1e-9, 1000).",
    ],
  },
  needs: ["toolCalls"],
  options: {
    matching: option.choice("greedy", ["greedy", "optimal", "transport"], "how calls are matched with reference calls"),
    unmatched: option.number(0, "reward of a call without a partner"),
    regularisation: option.number(0.1, "of the transport", { least: 0.01 }),
    gamma: gamma(0.9, "turn rewards"),
    ...comparison("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about:
      "The reference searches with two parameters. The first rollout gets one value wrong, the second leaves it out.",
    batch: episodes({
      X: bySignal(1, { calls: [search({ query: "mug", count: 3 })], goldCalls: [search({ query: "mug", count: 2 })] }),
      Y: bySignal(0, { calls: [search({ query: "mug" })], goldCalls: [search({ query: "mug", count: 2 })] }),
    }),
  },
  compute: (batch, options) => {
    const rewards = turnRewards(batch, options);
    const totals = groupSums({ of: batch.index.trajectoryOf, count: batch.index.trajectories }, rewards);
    const trajectory = trajectoryAdvantages(batch, options, totals);
    const turn = groupAdvantages(discountedSums(batch, rewards, options.gamma), turnGroups(batch), options);
    return {
      terms: {
        trajectory: { weight: 0.5, perRow: onRows(batch, trajectory.advantages) },
        turn: { weight: 0.5, perRow: turn.advantages },
      },
      metrics: { ...trajectory.metrics, meanTurnReward: meanOf(rewards) },
    };
  },
});

function turnRewards(batch: Called, options: MatchOptions): Float64Array {
  const rewards = new Float64Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    const rows = Array.from(steps, (at) => entry(batch.rows, at));
    const read = rows.map(({ signals }) => signals.calls.filter((call) => call.arguments !== null));
    const calls = read.flat();
    const earned = matchRewards(calls, entry(rows, 0).signals.goldCalls, options);
    let next = 0;
    for (const [place, { signals, gold }] of rows.entries()) {
      const own = earned.slice(next, next + (read[place]?.length ?? 0));
      next += own.length;
      const reward = signals.answer === undefined ? meanOf(Float64Array.from(own)) : answerF1(signals.answer, gold);
      rewards[intAt(steps, place)] = reward;
    }
  }
  return rewards;
}

/** Where no reference answer is known, none can be right. */
function answerF1(answer: string, gold: Json | undefined): number {
  const wanted = typeof gold === "number" ? String(gold) : gold;
  return typeof wanted === "string" && wanted !== "" ? wordF1(answer, wanted) : 0;
}

// Predicted tool calls against reference calls: who is matched with whom, and what each earns.

interface MatchOptions {
  readonly matching: string;
  readonly unmatched: number;
  readonly regularisation: number;
}

/** Reward of each predicted call; `unmatched` for those without a reference call. */
export function matchRewards(
  predicted: readonly CalledTool[],
  gold: readonly CalledTool[],
  options: MatchOptions,
): number[] {
  const similarity = predicted.map((call) => gold.map((other) => callSimilarity(call, other)));
  if (options.matching === "transport") return transported(similarity, options.regularisation);
  const partner = options.matching === "optimal" ? optimalAssignment(similarity) : greedyAssignment(similarity);
  return partner.map((column, row) => {
    const value = column === -1 ? 0 : (similarity[row]?.[column] ?? 0);
    return value > 0 ? value : options.unmatched;
  });
}

/** A call earns what its mass meets; masses are equal. */
function transported(similarity: readonly (readonly number[])[], regularisation: number): number[] {
  const plan = transportPlan(similarity, regularisation);
  return similarity.map((row, at) => row.reduce((sum, value, column) => sum + value * (plan[at]?.[column] ?? 0), 0));
}
