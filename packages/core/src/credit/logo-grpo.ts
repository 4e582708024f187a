/** LoGo-GRPO: sessions against each other across trajectories, and alternatives from one frozen memory against each other. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { stepsOf } from "./batch-index.ts";
import { columnOf, groupBy, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes, visits } from "./examples.ts";
import { groupAdvantages, type GroupAdvantages, onRows, trajectoryAdvantages } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { comparison } from "./shared-options.ts";

const options = {
  global: option.choice(
    "session",
    ["session", "trajectory"],
    "compare rewards of the same step across trajectories, or outcomes of whole trajectories",
  ),
  localWeight: option.number(1, "weight of the local comparison"),
  ...comparison("zero", "the trajectories of one task"),
};

export const logoGrpo = defineCredit({
  info: {
    title: "LoGo-GRPO",
    paper: "Memory-R2: Fair Credit Assignment for Long-Horizon Memory-Augmented LLM Agents",
    confidence: "code",
    source:
      "ahmedehabb/Memory-R2 @ 357b4ecc; src/verl/verl/rema_trainer/ppo/core_algos.py: compute_grpo_outcome_advantage; ray_trainer.py: groups by session, rewardtype persession, inner sampling",
    formula: [
      "A_global = z(reward of the step over the task's trajectories at the same step), alternatives left out",
      "A_local = z(signals.snapshot.reward over rows of one snapshot), 0 alone",
      "A = A_global + localWeight * A_local",
      "global=trajectory: A_global = z(outcome over the task's trajectories that are no alternatives), on all their rows",
    ],
    meaning: "Compares sessions with each other, and memory operations that were sampled from exactly the same memory.",
    departures: [
      "A step stands for a session: give each step the score of the questions about it, asked of the last memory, less what that memory costs (mostly 0.2 or 0.3 of the compression there). Where a world rewards the end alone, use global: trajectory, which is what published code does where rewardtype is not set. Its third form, cumulative (the mean of this session and all later ones), is left out.",
      "Alternatives are branches whose first row has a snapshot: they have a local part only and do not enter the global statistics, as in published code. Here what they do after that step is left out of training; there an alternative ends with its session, and is paid by its own memory right after it, while a session of a rollout is paid by the last one.",
      "Where alternatives leave is for the rollout to say: published code takes a share of the sessions (0.5 in most scripts, 0.25 in others, none unless set), one random rollout of each question, and 4 alternatives (8 in some).",
      "A session that only one trajectory came to gives 0; published code would keep its reward, and there every rollout has every session. Option singleton.",
      "A lone alternative has a local part of 0, whatever singleton is; published code keeps its reward, which its default of one alternative for a snapshot makes the rule.",
      "The two parts are added as advantages. In published code too there is one loss: alternatives are further rows of its batch.",
      "Published code has two roles and compares rows of one role alone; here rows of all roles are compared.",
      "Published runs mostly have 16 rollouts, clip one ratio for each turn at 0.2, take means over turns, two epochs and a KL term of 0.0005 to 0.01; here the objective is chosen beside it.",
    ],
  },
  needs: ["snapshots"],
  mayNeed: { stepRewards: "with global=session" },
  options,
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "Two sessions each; three alternatives were sampled from the first one's memory before its second step.",
    batch: episodes({
      X: visits(1, ["s0", 0.4], ["s1", 0.9]),
      Y: visits(0, ["s0", 0.6], ["s1", 0.1]),
      ...Object.fromEntries(
        [0.8, 0.2, 0.5].map((reward, at) => [
          `X${at}`,
          {
            outcome: reward,
            steps: [{ step: 1, parent: { trajectory: "X", step: 1 }, signals: { snapshot: { id: "m1", reward } } }],
          },
        ]),
      ),
    }),
  },
  compute: (batch, options) => {
    const { rows, index } = batch;
    const isAlternative = (at: number): boolean => rows[intAt(stepsOf(batch, at), 0)]?.signals?.snapshot !== undefined;
    const counted = Uint8Array.from(index.parentOf, (parent, at) => (parent !== -1 && isAlternative(at) ? 0 : 1));
    const global = globalPart(batch, counted, options);
    const sampled = rows.flatMap(({ signals, task }, at) =>
      signals?.snapshot === undefined ? [] : [{ at, task, ...signals.snapshot }],
    );
    const snapshots = groupBy(sampled.length, (place) => JSON.stringify([sampled[place]?.task, sampled[place]?.id]));
    const rewards = columnOf(sampled, ({ reward }) => reward);
    const isBehind = (at: number): boolean =>
      counted[intAt(index.trajectoryOf, at)] === 0 && rows[at]?.signals?.snapshot === undefined;
    const found = groupAdvantages(rewards, snapshots, { ...options, singleton: "zero" });
    const local = new Float64Array(rows.length);
    for (const [place, { at }] of sampled.entries()) local[at] = real(found.advantages, place);
    return {
      terms: {
        global: { weight: 1, perRow: global.advantages },
        local: { weight: options.localWeight, perRow: local },
      },
      metrics: { ...global.metrics, snapshots: snapshots.count },
      dropped: [...rows.keys()].filter(isBehind),
    };
  },
});

/** On each row; 0 on those of alternatives, whose trajectories are not counted. */
function globalPart(
  batch: IndexedBatch,
  counted: Uint8Array,
  { global, ...group }: OptionValues<typeof options>,
): Pick<GroupAdvantages, "advantages" | "metrics"> {
  if (global === "trajectory") {
    const { advantages, metrics } = trajectoryAdvantages(batch, { ...group, counted });
    return {
      advantages: onRows(
        batch,
        advantages.map((value, at) => (counted[at] === 1 ? value : 0)),
      ),
      metrics,
    };
  }
  const { rows, index } = batch;
  const own = rows.flatMap((row, at) => (counted[intAt(index.trajectoryOf, at)] === 1 ? [{ ...row, at }] : []));
  requireNeeds(["stepRewards"], { ...batch, rows: own }, "LoGo-GRPO with global=session");
  const sessions = groupBy(own.length, (place) => JSON.stringify([own[place]?.task, own[place]?.step]));
  const found = groupAdvantages(
    columnOf(own, ({ reward = 0 }) => reward),
    sessions,
    group,
  );
  const advantages = new Float64Array(rows.length);
  for (const [place, { at }] of own.entries()) advantages[at] = real(found.advantages, place);
  return { advantages, metrics: found.metrics };
}
