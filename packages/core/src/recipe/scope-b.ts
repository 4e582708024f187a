/**
 * SCOPE-B: a failed episode is mended at its first wrong step instead of being thrown away.
 *
 * What stood before that step was right and stays. A corrector gives the step, the policy goes on by itself. Where that
 * succeeds, the mended episode joins the group, and the group has something to compare. Its own tokens are learned from as
 * usual; those of the corrected step were never the policy's, so that their ratio is bent instead of clipped.
 */
import { option } from "limbeck-base/base/option";
import { onlyRows } from "../objective/only-rows.ts";
import { allObjectives } from "../objective/registry.ts";
import type { Trajectory, Step } from "limbeck-base/trajectory/trajectory";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";

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

// Steps that a corrector chose, as something to learn from: they count in the credit, and get a row of their own.

/** What a corrector's steps are marked by. */
const isCorrected = ({ info }: Step): boolean => info?.["source"] === "corrector";

/** The same episode with its corrected steps as the policy's own, so that credit is assigned to them. */
function withCorrectedSteps(trajectory: Trajectory): Trajectory {
  const corrected = trajectory.steps.filter(isCorrected);
  if (corrected.length === 0) return trajectory;
  const streams = trajectory.streams.map((stream, at) => {
    const mask = stream.mask.slice();
    for (const { span } of corrected) if (span?.stream === at) mask.fill(1, span.start, span.end);
    return { ...stream, mask };
  });
  return { ...trajectory, streams };
}

interface PartedRows {
  /** The policy's own tokens. */
  readonly own: readonly TrainRow[];
  /** Corrected tokens alone. */
  readonly corrected: readonly TrainRow[];
}

/** Own and corrected tokens in rows of their own. `episodes` are those that the rows were made of. */
function partRows(rows: readonly TrainRow[], episodes: readonly Trajectory[]): PartedRows {
  const known = new Map(episodes.map((one) => [one.id, one]));
  const [own, corrected]: [TrainRow[], TrainRow[]] = [[], []];
  for (const row of rows) {
    const places = correctedPlaces(row, known.get(row.trajectory ?? ""));
    if (!places.includes(1)) {
      own.push(row);
      continue;
    }
    own.push({ ...row, mask: row.mask.map((on, at) => (places[at] === 1 ? 0 : on)) });
    corrected.push({ ...row, mask: row.mask.map((on, at) => (places[at] === 1 ? on : 0)) });
  }
  return { own, corrected };
}

/** 1 at corrected tokens. A row ends with its stream; what a branch shares with its parent stands before. */
function correctedPlaces({ ids }: TrainRow, trajectory: Trajectory | undefined): Uint8Array {
  const places = new Uint8Array(ids.length);
  for (const { span } of trajectory?.steps.filter(isCorrected) ?? []) {
    const stream = span === undefined ? undefined : trajectory?.streams[span.stream];
    if (span === undefined || stream === undefined) continue;
    const offset = ids.length - stream.ids.length;
    if (endsWith(ids, stream.ids)) places.fill(1, offset + span.start, offset + span.end);
  }
  return places;
}

/** Tells the rows of several streams apart. */
function endsWith(ids: Int32Array, stream: Int32Array): boolean {
  const offset = ids.length - stream.length;
  return offset >= 0 && stream.every((id, at) => ids[offset + at] === id);
}
