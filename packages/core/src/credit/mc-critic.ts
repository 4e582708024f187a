/**
 * MC-Critic: values of states by playing forks of the environment to the end, in place of, or beside, a learned critic.
 */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { columnOf, entry, groupBy, real, intAt } from "./columns.ts";
import { type CreditRow, defineCredit, type IndexedBatch, type Terms } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { epsilon, gamma, lambda, share } from "./shared-options.ts";

interface McCriticOptions {
  readonly mix: number;
  readonly gamma: number;
  readonly lambda: number;
  readonly epsilon: number;
}

export const mcCritic = defineCredit({
  info: {
    title: "MC-Critic",
    paper: "ProAct: Agentic Lookahead in Interactive Environments",
    confidence: "code",
    source:
      "GreatX3/ProAct @ b0046d0d; areal/engine/ppo/actor.py: compute_turn_level_advantages; areal/workflow/step_grpo_workflow.py: arun_one_state_groupsample_sokoban",
    formula: [
      "ppo: V = (1 - mix) * V_net + mix * V_mc;   delta_k = r_k + gamma * V_(k+1) - V_k;   A_k = delta_k + gamma * lambda * A_(k+1)",
      "grpo: A = z(Q) over the task's rows of one state;   where all Q are equal: (Q - mean over legal actions) / std over legal actions",
      "V_mc and Q: mean discounted return of continuations from the state, and after the action",
    ],
    meaning: "Asks the environment itself, by random play from copies of it, what states and actions are worth.",
    departures: [
      "The value after the last step is 0 unless signals.stateValue.after is given (a cut-off episode).",
      "Equal Q in a group is taken as the same action: forks of one action share their estimate.",
      "A published training may norm advantages over the batch afterwards; here they stay as they are.",
      "Prices of illegal actions (-1) and bad formats (-10) belong to the environment's rewards.",
      "Published runs of form ppo divide the turns' advantages by their deviation over the batch; here they stay as they are.",
    ],
  },
  mayNeed: {
    stateValues: "with form=ppo",
    stepRewards: "with form=ppo",
    values: "with form=ppo and mix below 1",
    actionValues: "with form=grpo",
    states: "with form=grpo",
  },
  wants: ({ form, mix }) =>
    form === "grpo" ? ["actionValues"] : ["stateValues", ...(mix < 1 ? (["values"] as const) : [])],
  options: {
    form: option.choice("ppo", ["ppo", "grpo"], "values of states, or values of actions"),
    mix: share(1, "share of the Monte Carlo value; published 0.9 and 1"),
    gamma: gamma(0.9, "turn returns"),
    lambda: lambda(0),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "Two steps; the second state is worth less than the first.",
    batch: episodes({
      X: {
        outcome: 1,
        steps: [
          { reward: 0, signals: { stateValue: { before: 0.7 } } },
          { reward: 1, signals: { stateValue: { before: 0.4 } } },
        ],
      },
    }),
  },
  compute: (batch, options) => (options.form === "ppo" ? byStates(batch, options) : byActions(batch, options)),
});

function byStates(batch: IndexedBatch, options: McCriticOptions): Terms {
  requireNeeds(["stateValues", "stepRewards"], batch, "MC-Critic");
  if (options.mix < 1) requireNeeds(["values"], batch, "MC-Critic with mix below 1");
  const perRow = new Float64Array(batch.rows.length);
  for (const [, steps] of trajectoriesOf(batch)) {
    let next = batch.rows[intAt(steps, steps.length - 1)]?.signals?.stateValue?.after ?? 0;
    let carry = 0;
    for (const at of steps.toReversed()) {
      const row = entry(batch.rows, at);
      const value = mixedValue(row, options.mix);
      carry = (row.reward ?? 0) + options.gamma * next - value + options.gamma * options.lambda * carry;
      perRow[at] = carry;
      next = value;
    }
  }
  return { terms: { turn: { weight: 1, perRow } } };
}

/** The value head's word on the state is what it says at the turn's first trained token. */
export function mixedValue(
  { mask, values, signals }: Pick<CreditRow, "mask" | "values" | "signals">,
  mix: number,
): number {
  const net = mix === 1 ? 0 : (values?.[Math.max(mask.indexOf(1), 0)] ?? 0);
  return (1 - mix) * net + mix * (signals?.stateValue?.before ?? 0);
}

function byActions(batch: IndexedBatch, options: McCriticOptions): Terms {
  requireNeeds(["actionValues", "states"], batch, "MC-Critic with form=grpo");
  const { rows } = batch;
  const values = columnOf(rows, ({ signals }) => signals?.actionValue ?? 0);
  const states = groupBy(rows.length, (at) => JSON.stringify([rows[at]?.task, rows[at]?.state]));
  const { advantages, metrics } = groupAdvantages(values, states, { singleton: "zero", epsilon: options.epsilon });
  const differs = new Uint8Array(states.count);
  for (const [at, advantage] of advantages.entries()) if (advantage !== 0) differs[intAt(states.of, at)] = 1;
  const perRow = advantages.map((advantage, at) => {
    const legal = rows[at]?.signals?.legalValues;
    if (differs[intAt(states.of, at)] === 1 || legal === undefined || legal.length < 2) return advantage;
    const spread = deviation(legal);
    return spread === 0 ? 0 : (real(values, at) - mean(legal)) / spread;
  });
  return { terms: { action: { weight: 1, perRow } }, metrics };
}
