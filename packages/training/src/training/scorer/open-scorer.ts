/** A trained scorer at work: the one thing that rewards, searches and strategies ask for a value. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { readAdapter } from "limbeck-policy/policy/local/adapter-files";
import { bundledFolder, bundledModel, bundledNames } from "limbeck-policy/policy/local/bundled-model";
import { headsIn } from "limbeck-policy/policy/local/heads";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import type { KeptStates } from "limbeck-policy/policy/policy";
import type { OutcomeScorer } from "limbeck-core/walk/judge";
import { findJudge, type SavedJudge } from "../judge/saved-judge.ts";
import { readCard } from "./card.ts";
import { CONTINUATIONS } from "./continuations.ts";
import { answerMarks, chanceOf, ownWordsOf } from "./likelihood.ts";
import { OUTLOOK } from "./outlook.ts";
import { withAsking } from "./rows.ts";
import { readStateHead, stateValue, type StateHead } from "./state-head.ts";
import { headScores, statesScores } from "./readers.ts";

/** The folder of a scorer beside its model. */
const BESIDE = "scorer";

/** Worlds whose bundled model has a scorer beside it. */
export const bundledScorers: readonly (typeof bundledNames)[number][] = bundledNames.filter((name) =>
  existsSync(join(bundledModel(name), BESIDE, "scorer.json")),
);

export interface TrainedScorer extends OutcomeScorer {
  /** What it foretells. */
  readonly labels: string;
  /** Tokens of its model. */
  encode(text: string): Int32Array;
  close(): Promise<void>;
}

/** The same, opened when it is first asked. */
export function scorerAt(
  place: string,
  options: OpenScorerOptions & { readonly ofSteps?: boolean } = {},
): OutcomeScorer & { close(): Promise<void> } {
  let opened: Promise<TrainedScorer> | undefined;
  const scorer = (): Promise<TrainedScorer> => (opened ??= openScorer(place, options));
  return {
    ...(options.ofSteps === undefined ? {} : { ofSteps: options.ofSteps }),
    scoreTokens: async (contexts, signal) => await (await scorer()).scoreTokens(contexts, signal),
    scoreSteps: async (trajectory, steps) => await (await scorer()).scoreSteps(trajectory, steps),
    // What did not open needs no closing.
    close: async () => await (await opened?.catch(() => undefined))?.close(),
  };
}

/** Refuses what is no scorer before anything is played. Tells whether it judges steps. */
export async function requireScorer(place: string): Promise<{ readonly ofSteps: boolean }> {
  if ((await findJudge(scorerFolder(place))) !== undefined) return { ofSteps: true };
  const { labels } = await readCard(scorerFolder(place));
  return { ofSteps: judgesSteps(labels) };
}

/** Labels that are rewards of steps; the others foretell how the episode ends. */
function judgesSteps(labels: string): boolean {
  return labels !== "outcome" && labels !== CONTINUATIONS && labels !== OUTLOOK;
}

/** Both in one. A scorer that is a head on hidden states reads those that the policy has cached. */
export async function namedScorer(place: string, states?: KeptStates): Promise<ReturnType<typeof scorerAt>> {
  if ((await findJudge(scorerFolder(place))) !== undefined) return scorerAt(place, { ofSteps: true });
  const { kind, labels } = await readCard(scorerFolder(place));
  if (kind === "states") states?.keep();
  return scorerAt(place, { ...withoutUndefined({ states }), ofSteps: judgesSteps(labels) });
}

export interface OpenScorerOptions {
  readonly threads?: number | undefined;
  /**
   * The states that the playing policy sampled from, for a scorer that is a head on states: `policy.keptStates`, of the very model it
   * was trained on. What they hold costs nothing; anything else is read again.
   */
  readonly states?: KeptStates | undefined;
}

/** A scorer as a person names it: a bundled one by its world, or a folder. */
export function scorerPlace<Given extends string | undefined>(given: Given, cwd: string): Given | string {
  return given === undefined || bundledScorers.some((name) => name === given) ? given : resolve(cwd, given);
}

/** The folder of a scorer: a bundled one by its world, or as it is given. */
export function scorerFolder(place: string): string {
  const bundled = bundledScorers.find((name) => name === place);
  return bundled === undefined ? place : join(bundledModel(bundled), BESIDE);
}

/**
 * Opens what `limbeck reward train` wrote, a judge of steps that `limbeck reward judge --out` wrote, or a scorer that comes with the package, by the name of its world.
 *
 * @example
 * const scorer = await openScorer("household");
 * const asked = "<|user|>Your task is to: put some book on desk.";
 * console.log(scorer.labels, (await scorer.scoreTokens([scorer.encode(asked)])).length); // outlook 1
 * await scorer.close();
 */
export async function openScorer(place: string, { threads, states }: OpenScorerOptions = {}): Promise<TrainedScorer> {
  const folder = scorerFolder(place);
  const judge = await findJudge(folder);
  if (judge !== undefined) return judgeScorer(judge);
  const { kind, stands, platt, labels, base } = await readCard(folder);
  const adapter = kind === "adapter" ? await readAdapter(folder) : undefined;
  if (adapter !== undefined && !headsIn(adapter.weights.views).includes("quality")) {
    throw new EngineError(
      "bad-input",
      `"${folder}" has a scorer's card and no head "quality"; its weights are those of something else.`,
    );
  }
  const model = await openModel(bundledFolder(base) ?? base, withoutUndefined({ threads, adapter }));
  const bare =
    platt.likelihood === undefined
      ? undefined
      : await openModel(bundledFolder(base) ?? base, withoutUndefined({ threads }));
  const marks = bare === undefined ? undefined : answerMarks(bare);
  const { vocabularySize, hiddenSize } = model.config;
  const head = kind === "states" ? await readStateHead(folder, hiddenSize) : undefined;
  if (head !== undefined) states?.keep();
  const read = async (contexts: readonly Int32Array[], signal?: AbortSignal): Promise<number[]> => {
    const rows = contexts.map((ids) => ({ ids: withAsking(ids), mask: lastOnly(ids.length + 1) }));
    // Together: a signal stops both, and neither may fail unheard.
    const [outputs, words] = await Promise.all([
      head === undefined ? headScores(model, rows, stands, signal) : statesScores(model, head, rows, signal),
      bare === undefined || marks === undefined ? undefined : ownWordsOf(bare, marks, rows, signal),
    ]);
    return outputs.map((own, at) =>
      chanceOf(platt, own.at(-1) as number, words?.[at]?.mean.at(-1), words?.[at]?.least.at(-1)),
    );
  };
  const scoreTokens: TrainedScorer["scoreTokens"] = async (contexts, signal) => {
    // What sampling has computed does not say how likely the words were.
    const isFree = head !== undefined && bare === undefined;
    const known = contexts.map((context) => (isFree ? keptValue(head, states, context) : undefined));
    const unknown = [...contexts.keys()].filter((at) => known[at] === undefined);
    const found = await read(
      unknown.map((at) => contexts[at] as Int32Array),
      signal,
    );
    const values = known.map((output) => (output === undefined ? 0 : chanceOf(platt, output)));
    for (const [place, at] of unknown.entries()) values[at] = found[place] as number;
    return values;
  };
  return {
    labels,
    ofSteps: judgesSteps(labels),
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
    close: async () => {
      await model.close();
      await bare?.close();
    },
  };
}

/** A trained judge of steps where a scorer is asked for. */
function judgeScorer(judge: SavedJudge): TrainedScorer {
  const refused = (): EngineError =>
    new EngineError("bad-value", `the judge of "${judge.method}" reads steps, not tokens`);
  return {
    labels: judge.method,
    ofSteps: true,
    scoreTokens: () => Promise.reject(refused()),
    scoreSteps: (_, steps) => Promise.resolve(judge.scoreSteps(steps)),
    encode: () => {
      throw refused();
    },
    close: () => Promise.resolve(),
  };
}

/** Value of the cached hidden state that the context's last answer was sampled from; undefined where none is cached. */
function keptValue(head: StateHead, states: KeptStates | undefined, context: Int32Array): number | undefined {
  const state = states?.before(context);
  return state?.length === head.centre.length ? stateValue(head, state) : undefined;
}

function lastOnly(length: number): Uint8Array {
  const mask = new Uint8Array(length);
  mask[length - 1] = 1;
  return mask;
}
