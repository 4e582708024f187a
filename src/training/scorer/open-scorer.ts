/** A trained scorer at work: the one thing that rewards, searches and strategies ask for a value. */
import { join } from "node:path";
import { EngineError, withoutUndefined } from "../../base/index.ts";
import { readAdapter } from "../../policy/local/adapter-files.ts";
import { bundledFolder, bundledModel, type BundledModelName } from "../../policy/local/bundled-model.ts";
import { headsIn } from "../../policy/local/heads.ts";
import { openModel, requireTokenizer } from "../../policy/local/index.ts";
import type { OutcomeScorer } from "../../walk/judge.ts";
import { readCard } from "./card.ts";
import { sigmoid } from "./losses.ts";
import { withAsking } from "./rows.ts";
import { headScores } from "./train-scorer.ts";

/** Worlds whose bundled model has a scorer beside it. */
export const bundledScorers = ["household"] as const satisfies readonly BundledModelName[];

export interface TrainedScorer extends OutcomeScorer {
  /** What it foretells. */
  readonly labels: string;
  /** Tokens of its model. */
  encode(text: string): Int32Array;
  close(): Promise<void>;
}

/** The same, opened when it is first asked. */
export function scorerAt(place: string): OutcomeScorer & { close(): Promise<void> } {
  let opened: Promise<TrainedScorer> | undefined;
  const scorer = (): Promise<TrainedScorer> => (opened ??= openScorer(place));
  return {
    scoreTokens: async (contexts, signal) => await (await scorer()).scoreTokens(contexts, signal),
    scoreSteps: async (trajectory, steps) => await (await scorer()).scoreSteps(trajectory, steps),
    // What did not open needs no closing.
    close: async () => await (await opened?.catch(() => undefined))?.close(),
  };
}

/** Refuses what is no scorer before anything is played. */
export async function requireScorer(place: string): Promise<void> {
  await readCard(scorerFolder(place));
}

/** The two in one. */
export async function namedScorer(place: string): Promise<ReturnType<typeof scorerAt>> {
  await requireScorer(place);
  return scorerAt(place);
}

/** The folder of a scorer: a bundled one by its world, or as it is given. */
export function scorerFolder(place: string): string {
  const bundled = bundledScorers.find((name) => name === place);
  return bundled === undefined ? place : join(bundledModel(bundled), "scorer");
}

/**
 * Opens what `limbeck reward train` wrote, or a scorer that comes with the package, by the name of its world.
 *
 * @example
 * const scorer = await openScorer("household");
 * const asked = "<|user|>Your task is to: put some book on desk.";
 * console.log(scorer.labels, (await scorer.scoreTokens([scorer.encode(asked)])).length); // outcome 1
 * await scorer.close();
 */
export async function openScorer(
  place: string,
  options: { readonly threads?: number | undefined } = {},
): Promise<TrainedScorer> {
  const folder = scorerFolder(place);
  const { platt, labels, base } = await readCard(folder);
  const adapter = await readAdapter(folder);
  if (!headsIn(adapter.weights.views).includes("quality")) {
    throw new EngineError(
      "bad-input",
      `"${folder}" has a scorer's card and no head "quality"; its weights are those of something else.`,
    );
  }
  const model = await openModel(bundledFolder(base) ?? base, { ...withoutUndefined(options), adapter });
  const chance = (output: number): number => sigmoid(platt.slope * output + platt.shift);
  const { vocabularySize } = model.config;
  const scoreTokens: TrainedScorer["scoreTokens"] = async (contexts, signal) => {
    const rows = contexts.map((ids) => ({ ids: withAsking(ids), mask: lastOnly(ids.length + 1) }));
    return (await headScores(model, rows, signal)).map((outputs) => chance(outputs.at(-1) as number));
  };
  return {
    labels,
    scoreTokens,
    encode: (text) => requireTokenizer(model).encode(text),
    scoreSteps: async ({ streams, steps: own }, steps) => {
      if (steps.length !== own.length)
        throw new EngineError("bad-value", "the scorer reads whole episodes, and this is a branch of one");
      const contexts = steps.map(({ index, span }) => {
        const ids = span === undefined ? undefined : streams[span.stream]?.ids.subarray(0, span.end);
        if (ids === undefined || ids.length === 0) throw new EngineError("bad-value", `step ${index} has no tokens`);
        if (ids.some((id) => id >= vocabularySize))
          throw new EngineError("bad-value", `step ${index} has tokens of another model`);
        return ids;
      });
      return await scoreTokens(contexts);
    },
    close: () => model.close(),
  };
}

function lastOnly(length: number): Uint8Array {
  const mask = new Uint8Array(length);
  mask[length - 1] = 1;
  return mask;
}
