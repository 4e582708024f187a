/**
 * SCOPE-B: a failed episode is mended at its first wrong step instead of being thrown away.
 *
 * What stood before that step was right and stays. A corrector gives the step, the policy goes on by itself. Where that
 * succeeds, the mended episode joins the group, and the group has something to compare. Its own tokens are learned from as
 * usual; those of the corrected step were never the policy's, so that their ratio is bent instead of clipped.
 */
import { option } from "../base/index.ts";
import { onlyRows } from "../objective/index.ts";
import { allObjectives } from "../objective/registry.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { partRows, withCorrectedSteps } from "./corrected-steps.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const scopeB = defineRecipe({
  info: {
    title: "SCOPE-B",
    paper: "Recycling Failures: Salvaging Exploration in RLVR via Fine-Grained Off-Policy Guidance",
    confidence: "inferred",
    meaning: "Mends failed episodes at their first wrong step, and learns from what then succeeds.",
    departures: [
      "Only the abstract was read. Who finds the first wrong step is the world's own feedback, or a trained scorer (--scorer); who corrects it is the demonstrator.",
      "A mended episode joins its group and nobody has to leave: it is a branch of the failed one, whose beginning it shares.",
    ],
  },
  credit: "grpo",
  strategy: { name: "salvage", options: {} },
  settings: {
    gamma: option.number(0.1, "probability at which a corrected token counts half", { least: 1e-6 }),
    correctedWeight: option.number(1, "weight of the loss on corrected tokens", { least: 0 }),
    clipLow: sharedSettings.clipLow,
    clipHigh: sharedSettings.clipHigh,
    dualClip: sharedSettings.dualClip,
  },
  update: async (update, { gamma, correctedWeight, clipLow, clipHigh, dualClip }) => {
    // 1. Act, and mend what failed.
    const played = await collect(update);
    const episodes = played.filter((one) => !isVain(one)).map(withCorrectedSteps);

    // 2. Compare within the groups.
    const { rows } = await credit(update, episodes);
    const { own, corrected } = partRows(rows, episodes);
    measure(update, {
      "salvage/tried": played.filter(({ info }) => info?.["salvage"] !== undefined).length,
      "salvage/vain": played.filter(isVain).length,
      "salvage/corrected": corrected.length,
    });

    // 3. Own tokens by the clipped ratio, corrected ones by the shaped.
    const foreign = new Set(corrected);
    const clipped = allObjectives.clipped.create({ clipLow, clipHigh, dualClip });
    const shaped = allObjectives["shaped-ratio"].create({ gamma });
    await learn(
      update,
      [...own, ...corrected],
      { name: "policy", weight: 1, objective: onlyRows(clipped, (row) => !foreign.has(row)) },
      [
        {
          name: "corrected",
          weight: corrected.length === 0 ? 0 : correctedWeight,
          objective: onlyRows(shaped, (row) => foreign.has(row)),
        },
      ],
    );
  },
});

/** A mended episode that failed all the same. */
function isVain({ info, success }: Trajectory): boolean {
  return info?.["salvage"] !== undefined && success !== true;
}
