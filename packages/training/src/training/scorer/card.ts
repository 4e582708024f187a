/** The card of a scorer: a file of JSON that it is opened by, and a page with a picture for people. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { textIfThere } from "limbeck-base/base/files";
import { LOSSES, type ScorerLoss } from "./losses.ts";
import type { Platt } from "./measures.ts";
import { STANDS, type Stands } from "./readers.ts";
import type { ScorerMeasures } from "./report.ts";

const FILE = "scorer.json";

/** Of what it is made; see `TrainScorerOptions`. */
export const KINDS = ["adapter", "states"] as const;
export type ScorerKind = (typeof KINDS)[number];

export interface ScorerCard {
  readonly form: 1;
  readonly kind: ScorerKind;
  readonly stands: Stands;
  readonly labels: string;
  readonly loss: ScorerLoss;
  readonly platt: Platt;
  /** The model that the scorer adapts: a folder, or "bundled:NAME". */
  readonly base: string;
  readonly epochs: number;
  readonly episodes: number;
  readonly tasks: number;
  readonly worlds: readonly string[];
  readonly measures: ScorerMeasures;
}

/** What opening needs; the rest is for people. */
const cardSchema = z.looseObject({
  form: z.literal(1),
  // Cards of the first ones do not say it.
  kind: z.enum(KINDS).default("adapter"),
  stands: z.enum(STANDS).default("after"),
  labels: z.string(),
  loss: z.enum(LOSSES),
  platt: z.object({
    slope: z.number(),
    shift: z.number(),
    likelihood: z.object({ mean: z.number(), least: z.number() }).optional(),
  }),
  base: z.string(),
});

export async function writeCard(folder: string, card: ScorerCard): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(card, null, 2)}\n`);
  await writeFile(join(folder, "calibration.svg"), calibrationPicture(card.measures));
  await writeFile(join(folder, "SCORER.md"), cardPage(card));
}

export async function readCard(
  folder: string,
): Promise<Pick<ScorerCard, "kind" | "stands" | "platt" | "labels" | "base">> {
  const text = await textIfThere(join(folder, FILE));
  if (text === undefined) {
    throw new EngineError(
      "bad-input",
      `"${folder}" is not a scorer: it has no ${FILE}. Make one with limbeck reward train --out DIR.`,
    );
  }
  const parsed = cardSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-input",
    `${FILE} of "${folder}" is not a scorer's card: ${parsed.error.issues[0]?.message ?? ""}.`,
  );
}

function cardPage({ kind, labels, loss, platt, base, epochs, episodes, tasks, worlds, measures }: ScorerCard): string {
  const { auc, midAuc, calibrationError, bestOf, beats } = measures;
  const ways = Object.keys(bestOf[0]?.by ?? {});
  const number = (value: number | null): string => (value === null ? "–" : value.toFixed(3));
  return `${[
    `# Scorer of ${worlds.join(", ")}`,
    `Foretells after every action: ${labels}. Loss: ${loss}. ${epochs === 1 ? "1 epoch" : `${epochs} epochs`} over ${episodes} episodes of ${tasks} tasks.`,
    `On ${measures.episodes} episodes of ${measures.tasks} tasks that it has not seen (success ${number(measures.success)}): AUC at the end ${number(auc)}, while episodes go on ${number(midAuc)}; calibration error ${number(calibrationError)} and ${number(measures.midCalibrationError)}.`,
    kind === "adapter" ? `An adapter of ${base}, with a head.` : `A head on the hidden states of ${base}.`,
    ...(platt.likelihood === undefined
      ? []
      : [
          `It also looks at how likely the model finds its own words: weight ${number(platt.likelihood.mean)} for the mean log-probability, ${number(platt.likelihood.least)} for the least, ${number(platt.slope)} for the head.`,
        ]),
    "![calibration](calibration.svg)",
    [
      "| best of | " + ways.join(" | ") + " |",
      "| --- |" + " --- |".repeat(ways.length),
      ...bestOf.map(({ n, by }) => `| ${n} | ${ways.map((way) => number(by[way] ?? null)).join(" | ")} |`),
    ].join("\n"),
    ...Object.entries(beats).map(
      ([way, { mean, low, high }]) =>
        `Against ${way}, at the largest: ${number(mean)} (${number(low)} to ${number(high)}).`,
    ),
    ...halfLines(measures),
  ].join("\n\n")}\n`;
}

function halfLines({ half }: Pick<ScorerMeasures, "half">): string[] {
  if (half === null) return [];
  const by = Object.entries(half.by).map(([way, value]) => `${way} ${value.toFixed(3)}`);
  const beats = Object.entries(half.beats).map(
    ([way, { mean, low, high }]) => `${way} ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
  );
  return [
    `In the middle: which of those that still go on after ${half.after} steps to finish, on ${half.tasks} tasks: ${by.join(", ")}. The scorer against ${beats.join(", ")}.`,
  ];
}

/** Predictions against outcomes; a calibrated scorer lies on the line. */
export function calibrationPicture({
  bins,
  calibrationError,
}: Pick<ScorerMeasures, "bins" | "calibrationError">): string {
  const size = 240;
  const at = (share: number): string => (20 + share * (size - 40)).toFixed(1);
  const dots = bins.map(
    ({ said, was, count }) =>
      `<circle cx="${at(said)}" cy="${at(1 - was)}" r="4"><title>said ${said.toFixed(2)}, was ${was.toFixed(2)}, ${count} episodes</title></circle>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" font-family="sans-serif" font-size="10">`,
    `<title>Calibration: error ${calibrationError.toFixed(3)}</title>`,
    `<path d="M${at(0)} ${at(1)}L${at(1)} ${at(0)}" stroke="#999" stroke-dasharray="4"/>`,
    `<path d="M${at(0)} ${at(0)}V${at(1)}H${at(1)}" fill="none" stroke="#333"/>`,
    `<text x="${size / 2}" y="${size - 4}" text-anchor="middle">what it said</text><text x="4" y="14">what was</text>`,
    ...dots,
    "</svg>\n",
  ].join("\n");
}
