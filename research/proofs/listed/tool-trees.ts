/**
 * PORTool for the chooser: commands in tiny houses are its calls. A group's episodes that begin alike share those steps, as in
 * a tree of rollouts. Asked is what a solved errand costs: all steps of held-out errands, for each that was solved.
 */
import { openEnv } from "limbeck";
import { sum } from "../../../packages/base/src/base/statistics/summary.ts";
import type { Parent } from "../../../packages/base/src/trajectory/trajectory.ts";
import { assignCredit } from "../../../packages/core/src/credit/assign.ts";
import { portool } from "../../../packages/core/src/credit/portool.ts";
import type { CreditRow } from "../../../packages/core/src/credit/row.ts";
import type { Played } from "./chooser.ts";
import { played as playedOf, startOf, trained } from "./errands.ts";
import { solved, type Learning } from "./learn.ts";
import type { Arms, Figures, Of } from "./study.ts";

const SHOWN = 10;
const STEPS = 5_000;
const HELD_OUT = 200;

interface Beginning {
  /** Steps that are another's. */
  readonly from: number;
  readonly parent?: Parent;
}

/** The first episode of the same task that goes the same way for longest; the last step is always its own. */
function beginningOf(own: Played, before: readonly Played[]): Beginning {
  const actions = own.trajectory.steps.map(({ action }) => action);
  let found: Beginning = { from: 0 };
  for (const { trajectory } of before) {
    if (trajectory.group !== own.trajectory.group) continue;
    const apart = actions.findIndex((action, at) => trajectory.steps[at]?.action !== action);
    const from = Math.min(apart < 0 ? actions.length : apart, actions.length - 1);
    if (from > found.from) found = { from, parent: { trajectory: trajectory.id, step: from } };
  }
  return found;
}

/** Advantages of the tree; a step that several episodes share is pushed once, where it was first taken. */
export const treeAdvantages =
  (options: Readonly<Record<string, number>>) =>
  (played: readonly Played[]): readonly (readonly number[])[] => {
    const beginnings = played.map((one, at) => beginningOf(one, played.slice(0, at)));
    const rows = played.flatMap(({ trajectory: { id, group, steps } }, at) => {
      const { from, parent } = beginnings[at] as Beginning;
      return steps.slice(from).map(({ stateKey, valid }, step): CreditRow => ({
        task: group,
        trajectory: id,
        step: from + step,
        state: stateKey,
        valid,
        mask: Uint8Array.of(1),
        ...(parent === undefined ? {} : { parent }),
      }));
    });
    const trajectories = new Map(played.map(({ trajectory: { id, success } }) => [id, { outcome: Number(success === true), success }])); // prettier-ignore
    const { advantages } = assignCredit(portool, { rows, trajectories }, options);
    let at = 0;
    return played.map(({ trajectory: { steps } }, episode) =>
      steps.map((_, step) => (step < (beginnings[episode]?.from ?? 0) ? 0 : (advantages[at++]?.[0] ?? 0))),
    );
  };

const arm =
  (rate: number, plan: Partial<Learning> = {}) =>
  async (of: Of): Promise<Figures> => {
    const { seed, split, quick } = of;
    const env = await openEnv("household", { dial: "tiny" });
    const start = await startOf(env, seed, SHOWN);
    const size = { seed, split, looks: quick ? 2 : 30, held: 1 };
    const { before, weights, updates } = await trained(env, start, size, { rate: of.rate ?? rate, steps: quick ? 100 : STEPS, ...plan }); // prettier-ignore
    const held = await playedOf(env, weights, of, quick ? 2 : HELD_OUT);
    const steps = sum(held.map(({ trajectory }) => trajectory.steps.length));
    const share = solved(held);
    return {
      before,
      success: share,
      "steps for each solved": steps / Math.max(1, share * held.length),
      updates,
    };
  };

export const portoolArms: Arms = {
  grpo: arm(0.1),
  portool: arm(0.05, { advantages: treeAdvantages({}) }),
  // The tree and its shared steps, without the comparison at forks.
  "portool without forks": arm(0.05, { advantages: treeAdvantages({ forkWeight: 0 }) }),
};
