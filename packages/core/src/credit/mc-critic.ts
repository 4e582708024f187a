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
import { eachTrained, tokenArrays } from "./tokens.ts";

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
      "ppo: V = (1 - mix) * V_net + mix * V_mc;   delta_k = r_k + gamma * V_(k+1) - V_k;   A_k = delta_k + gamma * lambda * A_(k+1);   mix below 1: the value head learns A_k + V_k",
      "grpo: A = z(Q) over the task's rows of one state;   where all Q are equal: (Q - mean over legal actions) / std over legal actions",
      "V_mc and Q: mean discounted return of continuations from the state, and after the action",
    ],
    meaning: "Asks the environment itself, by play from copies of it, what states and actions are worth.",
    departures: [
      "The value after the last step is 0 unless signals.stateValue.after is given (a cut-off episode; no provider gives it in a training). Published ppo trains on stretches of 8 turns of a running game, the value of the ninth behind them; a game that is cut off takes the value of the next game's first state.",
      "Published form grpo asks whether the eight answers drawn in one state took the same action; here whether all Q of the rows that met the state are equal. The provider continuations estimates each row by itself, from its reward and the state that it led to (published play takes the action anew each time, and in Sokoban counts the reward of one that moves nothing twice), so rows of one action mostly differ by chance, and that is divided by its own deviation; give one estimate for an action where this matters. A state that one row alone met gives 0.",
      "For a group of one action published code takes mean and deviation over all actions of the game, legal or not, over n - 1 in 2048 and over n in Sokoban; here over signals.legalValues, over n. No provider supplies these in a training, and such a group then gives 0, as one does whose legal values are all alike (0 divided by 0 there).",
      "Published runs of form ppo take the batch's mean off the turns' advantages and divide by its deviation; here they stay as they are.",
      "Prices of illegal actions and bad formats (-1 and -10 in 2048, -2 in Sokoban) belong to the environment's rewards.",
      "The published value head is read before the last token of the answer and learns A + V there alone; here it is read before the turn's first trained token, and learns A + V before every trained token of the turn.",
      "Published estimates are means of 1000 random plays, with gamma 0.9 and at most 1000 moves in 2048, 0.95 and 200 moves (20 for states) in Sokoban; mix is 0 in the function, 0.9 in the run of 2048 and 1 in that of Sokoban, beside a head that is trained all the same. Here gamma is 0.9, mix 1 and no head then trained, and the provider continuations plays 4 times with the policy, to the end; with by=random it draws from the actions that the world lists, published play from all, illegal ones too.",
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
    epsilon: epsilon(1e-5),
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
  const returns = tokenArrays(batch.rows);
  for (const [, steps] of trajectoriesOf(batch)) {
    let next = batch.rows[intAt(steps, steps.length - 1)]?.signals?.stateValue?.after ?? 0;
    let carry = 0;
    for (const at of steps.toReversed()) {
      const row = entry(batch.rows, at);
      const value = mixedValue(row, options.mix);
      carry = (row.reward ?? 0) + options.gamma * next - value + options.gamma * options.lambda * carry;
      perRow[at] = carry;
      const target = carry + value;
      eachTrained(row.mask, (token) => (entry(returns, at)[token] = target));
      next = value;
    }
  }
  return { terms: { turn: { weight: 1, perRow } }, ...(options.mix < 1 ? { returns } : {}) };
}

/** The value of the state is that of the turn's first trained token, which is read in front of it. */
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
