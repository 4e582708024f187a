/** R3L: attempts and their guided retries in one group; credit only from the pivot on; successes amplified. */
import { option } from "limbeck-base/base/option";
import { entry, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { onRows, trajectoryAdvantages, trajectoryGroups } from "./groups.ts";
import { comparison } from "./shared-options.ts";
import { softBaselines } from "./soft-value.ts";

export const r3l = defineCredit({
  info: {
    title: "R3L",
    paper: "R3L: Reflect-then-Retry Reinforcement Learning, with pivotal credit and positive amplification",
    confidence: "code",
    source:
      "shiweijiezero/R3L @ d503f6c6; trinity/algorithm/advantage_fn/opmd_advantage.py: OPMDReweightAdvGroupAdvantage; trinity/common/workflows/envs/R3L/alfworld/R3L_workflow.py",
    formula: [
      "s = outcome - mean over the task's trajectories, attempts and retries alike (or z, or against tau * ln(mean(exp(r / tau))))",
      "full success (outcome at least fullSuccess): 1;   else s >= 0: amplify * s;   negatives unchanged",
      "steps before the one a retry began at are not trained, in the attempt as in the retry",
    ],
    meaning: "Trains what attempts and their retries do from the point where they part, and trusts success most.",
    departures: [
      "A full success is worth 1 even where all succeed, and amplification moves partial successes only, as in published code, where factor 3 and limit 1 are fixed. Option amplifyFull applies it to full ones by s instead.",
      "The pivot is the step that a retry's parent names; a retry without one is an ordinary rollout. An attempt with several retries is trained from the earliest pivot on; published code has one retry for each attempt.",
      "Published code has a second form with a row for each step (alfworld/step_R3L_workflow.py, for 4B models): there a retried attempt is trained before a pivot above 0 and not from it on, 3 is an option (alpha), and there is no divergence. Here rows are steps too, but masked as in the form named above: with a pivot at step 1 the attempt's step 0 is not trained here, and its later steps are not there.",
      "Baseline z, option singleton zero and the deviation's options are ours; published code compares with the mean or the soft value, and with 0 in a group of one.",
      "Reflections and guided retries are rows there too, each a group of one with reward 1, so with advantage 1; here the recipe r3l learns them beside this method.",
      "The loss is -A log p / (1 + tau): objective policy-gradient with tau 1.",
    ],
  },
  needs: ["branches"],
  options: {
    baseline: option.choice("mean", ["mean", "z", "soft"], "what outcomes are compared with"),
    tau: option.number(1, "temperature of the soft baseline", { least: 1e-6 }),
    amplify: option.number(3, "factor of partial successes above the baseline", { least: 0 }),
    fullSuccess: option.number(1, "outcome from which a trajectory is a full success"),
    amplifyFull: option.flag(false, "full successes are amplified by s instead of set to 1"),
    pivotal: option.flag(true, "steps before the pivot are not trained"),
    ...comparison("raw", "the trajectories of one task"),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "A failed attempt, and its retry from the second step that succeeds.",
    batch: episodes({
      X: { outcome: 0, steps: [{}, {}] },
      Y: { outcome: 1, steps: [{ step: 1, parent: { trajectory: "X", step: 1 } }] },
    }),
  },
  compute: (batch, options) => {
    const { baseline, ...group } = options;
    const { outcomeOf } = batch.index;
    const soft =
      baseline === "soft" ? { baseline: softBaselines(outcomeOf, trajectoryGroups(batch), options.tau) } : {};
    const { advantages, metrics } = trajectoryAdvantages(batch, { ...group, scale: baseline === "z", ...soft });
    const perTrajectory = advantages.map((score, at) => {
      if (real(outcomeOf, at) >= options.fullSuccess && !options.amplifyFull) return 1;
      return score >= 0 ? options.amplify * score : score;
    });
    const perRow = onRows(batch, perTrajectory);
    const before = options.pivotal ? beforePivot(batch) : [];
    for (const at of before) perRow[at] = 0;
    return {
      terms: { outcome: { weight: 1, perRow } },
      metrics: { ...metrics, rowsBeforePivot: before.length },
      dropped: before,
    };
  },
});

/** Rows of a trajectory before the earliest step at which a retry left it. */
function beforePivot({ rows, index }: IndexedBatch): number[] {
  const pivots = new Float64Array(index.trajectories).fill(-1);
  for (const [retry, parent] of index.parentOf.entries()) {
    if (parent === -1) continue;
    const step = intAt(index.parentSteps, retry);
    pivots[parent] = pivots[parent] === -1 ? step : Math.min(real(pivots, parent), step);
  }
  return [...rows.keys()].filter((at) => entry(rows, at).step < real(pivots, intAt(index.trajectoryOf, at)));
}
