/**
 * MatchTIR: tool calls are matched with reference calls; each turn earns what its calls earned.
 *
 *   A = (A_trajectory + A_turn) / 2      A_turn: discounted return of the turn within (task, turn)
 */
import { option, wordF1 } from "../base/index.ts";
import type { Json } from "../trajectory/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { deviation, epsilon, gamma, singleton } from "./shared-options.ts";
import type { RowSignals, CalledTool } from "./signals.ts";
import { matchRewards } from "./tool-matching.ts";
import { discountedSums, onRows, stepsOf, trajectoryAdvantages, turnGroups } from "./trajectory-groups.ts";

type Called = IndexedBatch<
  CreditRow & {
    readonly signals: RowSignals & { readonly calls: readonly CalledTool[]; readonly goldCalls: readonly CalledTool[] };
  }
>;

export const matchtir = defineCredit({
  info: {
    title: "MatchTIR",
    paper: "MatchTIR: Fine-Grained Supervision for Tool-Integrated Reasoning via Bipartite Matching",
    confidence: "code",
    formula: [
      "similarity of two calls of one name = (1 + shared parameter names / all + equal values) / (2 + reference parameters), 0 for other names",
      "turn reward = mean over its matched calls; a turn with an answer: word F1 with the reference answer",
      "A_trajectory = z(sum of turn rewards);   A_turn = z(G_k among the task's rows of turn k),   G_k = r_k + gamma * G_(k+1)",
      "A = (A_trajectory + A_turn) / 2",
    ],
    meaning: "Gives each tool call its own reward by matching the calls of a rollout with those of a reference.",
    departures: [
      "The published assignment is called Hungarian and is greedy; here greedy. Option matching: optimal is the true one, transport the published soft one.",
      "Published code has a penalty of -0.5 for unmatched calls that its configuration overrides with 0; here 0. Option unmatched.",
      "Arguments that cannot be parsed score 0; published code stops.",
    ],
  },
  needs: ["toolCalls"],
  options: {
    matching: option.choice("greedy", ["greedy", "optimal", "transport"], "how calls are matched with reference calls"),
    unmatched: option.number(0, "reward of a call without a partner"),
    regularisation: option.number(0.1, "of the transport", { least: 0.01 }),
    gamma: gamma(0.9, "turn rewards"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about:
      "The reference searches with two parameters. The first rollout gets one value wrong, the second leaves it out.",
    batch: episodes({
      X: {
        outcome: 1,
        steps: [
          {
            signals: {
              calls: [{ name: "search", arguments: { query: "mug", count: 3 } }],
              goldCalls: [{ name: "search", arguments: { query: "mug", count: 2 } }],
            },
          },
        ],
      },
      Y: {
        outcome: 0,
        steps: [
          {
            signals: {
              calls: [{ name: "search", arguments: { query: "mug" } }],
              goldCalls: [{ name: "search", arguments: { query: "mug", count: 2 } }],
            },
          },
        ],
      },
    }),
  },
  compute: (batch, options) => {
    const rewards = turnRewards(batch, options);
    const group = { ...options, scale: true };
    const totals = new Float64Array(batch.index.trajectories);
    for (const [at, reward] of rewards.entries()) {
      const own = batch.index.trajectoryOf[at] as number;
      totals[own] = (totals[own] as number) + reward;
    }
    const trajectory = trajectoryAdvantages(batch, group, totals);
    const returns = discountedSums(batch, rewards, options.gamma);
    const turn = groupAdvantages(returns, turnGroups(batch), group);
    return {
      terms: {
        trajectory: { weight: 0.5, perRow: onRows(batch, trajectory.advantages) },
        turn: { weight: 0.5, perRow: turn.advantages },
      },
      metrics: {
        ...trajectory.metrics,
        meanTurnReward: rewards.length === 0 ? 0 : rewards.reduce((sum, one) => sum + one, 0) / rewards.length,
      },
    };
  },
});

function turnRewards(
  batch: Called,
  options: { readonly matching: string; readonly unmatched: number; readonly regularisation: number },
): Float64Array {
  const rewards = new Float64Array(batch.rows.length);
  for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
    const steps = stepsOf(batch, trajectory);
    const rowOf = (at: number) => batch.rows[at] as Called["rows"][number];
    const calls = [...steps].flatMap((at) => [...rowOf(at).signals.calls]);
    const earned = matchRewards(calls, rowOf(steps[0] as number).signals.goldCalls, options);
    let next = 0;
    for (const at of steps) {
      const { signals, gold } = rowOf(at);
      const own = earned.slice(next, next + signals.calls.length);
      next += own.length;
      if (signals.answer !== undefined) rewards[at] = answerF1(signals.answer, gold);
      else rewards[at] = own.length === 0 ? 0 : own.reduce((sum, one) => sum + one, 0) / own.length;
    }
  }
  return rewards;
}

/** Where no reference answer is known, none can be right. */
function answerF1(answer: string, gold: Json | undefined): number {
  return typeof gold === "string" && gold !== "" ? wordF1(answer, gold) : 0;
}
