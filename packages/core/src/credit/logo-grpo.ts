/** LoGo-GRPO: trajectories against each other, and alternatives from one frozen memory against each other. */
import { option } from "limbeck-base/base/option";
import { stepsOf } from "./batch-index.ts";
import { columnOf, groupBy, real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages, onRows, trajectoryAdvantages } from "./groups.ts";
import { comparison } from "./shared-options.ts";

export const logoGrpo = defineCredit({
  info: {
    title: "LoGo-GRPO",
    paper: "Memory-R2: Fair Credit Assignment for Long-Horizon Memory-Augmented LLM Agents",
    confidence: "inferred",
    formula: [
      "A_global = z(outcome over the task's trajectories that are no alternatives), on all their rows",
      "A_local = z(signals.snapshot.reward over rows of one snapshot), 0 alone",
      "A = A_global + localWeight * A_local",
    ],
    meaning: "Beside the outcome, compares memory operations that were sampled from exactly the same memory.",
    departures: [
      "Only the abstract was read. Alternatives are branches whose first row has a snapshot: they have a local part only and do not enter the global statistics.",
      "The two losses are added as advantages, which is the same for one clipped loss with the same ratios.",
    ],
  },
  needs: ["snapshots"],
  options: {
    localWeight: option.number(1, "weight of the local comparison"),
    ...comparison("zero", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two sessions; three alternatives were sampled from the first one's memory before its second step.",
    batch: episodes({
      X: { outcome: 1, steps: [{}, {}] },
      Y: { outcome: 0, steps: [{}] },
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
    const global = trajectoryAdvantages(batch, { ...options, counted });
    const own = global.advantages.map((value, at) => (counted[at] === 1 ? value : 0));
    const sampled = rows.flatMap(({ signals, task }, at) =>
      signals?.snapshot === undefined ? [] : [{ at, task, ...signals.snapshot }],
    );
    const snapshots = groupBy(sampled.length, (place) => JSON.stringify([sampled[place]?.task, sampled[place]?.id]));
    const rewards = columnOf(sampled, ({ reward }) => reward);
    const found = groupAdvantages(rewards, snapshots, { ...options, singleton: "zero" });
    const local = new Float64Array(rows.length);
    for (const [place, { at }] of sampled.entries()) local[at] = real(found.advantages, place);
    return {
      terms: {
        global: { weight: 1, perRow: onRows(batch, own) },
        local: { weight: options.localWeight, perRow: local },
      },
      metrics: { ...global.metrics, snapshots: snapshots.count },
    };
  },
});
