/** From episodes to rows that carry advantages: the teacher's opinions, the providers' signals, the credit method. */
import type { OptionValue } from "limbeck-base/base/option-table";
import { resolveOptions } from "limbeck-base/base/options";
import { assignCredit } from "../credit/assign.ts";
import type { CreditMethod, CreditResult } from "../credit/credit.ts";
import { withoutLonePenalties } from "../credit/scores.ts";
import { batchFromTrajectories, type TrajectoryBatch } from "../credit/from-trajectories.ts";
import type { Rescored } from "../distill/score-sequences.ts";
import type { JsonObject, Trajectory, TokenStream } from "limbeck-base/trajectory/trajectory";
import { measure, timePhase, type UpdateContext } from "./context.ts";
import { minus } from "./ledger.ts";
import { settingsOf } from "./settings.ts";
import type { Credited, Taught } from "./record.ts";
import { trainRows } from "./train-rows.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { highEntropySteps } from "../distill/curation/high-entropy.ts";
import { placesOf } from "./providers/contexts.ts";

export interface CreditingOptions {
  /** Whether the teacher's shift is part of the advantage; a divergence takes its place otherwise. Default: yes. */
  readonly shiftAsAdvantage?: boolean;
  /** Options of the credit method that the recipe sets itself; a method that does not have them is left alone. */
  readonly creditOptions?: Readonly<Record<string, OptionValue>>;
}

/**
 * Advantages by the chosen credit method, with what its providers supply, and the rows that carry them.
 *
 * @example
 * import { getRecipe, collect, credit as giveCredit } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const { rows } = await giveCredit(update, await collect(update));
 *     console.log(rows.length); // 2
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export async function credit(
  update: UpdateContext,
  episodes: readonly Trajectory[],
  taught?: Taught,
  { shiftAsAdvantage = true, creditOptions = {} }: CreditingOptions = {},
): Promise<Credited> {
  return await timePhase(update, "credit", async () => {
    const { credit: method, record, settings } = update;
    const options = { ...settings.credit, ...carried(update), ...known(method, creditOptions) };
    const plain = withTeacher(batchFromTrajectories(episodes), shiftAsAdvantage ? taught : undefined);
    const provided = await provide(update, plain, episodes, options);
    const { rows: left, forgiven } =
      settings.penaltyGroups === "all" || !Object.hasOwn(method.options, "invalidPenalty")
        ? { rows: provided.rows, forgiven: 0 }
        : withoutLonePenalties(provided);
    const batch = forgiven === 0 ? provided : { ...provided, rows: left };
    const assigned = assignCredit(method, batch, options);
    const sure = await sureRows(update, batch, episodes);
    const result = { ...assigned, dropped: [...new Set([...assigned.dropped, ...sure])] };
    const rows = trainRows(episodes, batch, result, {
      ...(taught === undefined ? {} : { opinions: taught.opinions }),
      ...(taught?.distribution === undefined ? {} : { distribution: taught.distribution }),
    });
    measure(update, { ...result.metrics, ...(forgiven === 0 ? {} : { forgiven }) }, "credit/");
    record.credited = { batch, result, rows };
    record.creditState = stateOf(method, result);
    return record.credited;
  });
}

/** The same batch with the signals that the method asks for, each by the provider that supplies it. */
export async function provide(
  update: UpdateContext,
  plain: TrajectoryBatch,
  episodes: readonly Trajectory[],
  options: Readonly<Record<string, OptionValue>>,
): Promise<TrajectoryBatch> {
  const { credit: method, providers, settings, ledger } = update;
  const needs = [...method.needs, ...(method.wants?.(options) ?? [])];
  const before = ledger.cost;
  let batch = plain;
  for (const [id, provider] of Object.entries(providers)) {
    if (!provider.supplies.some((need) => needs.includes(need))) continue;
    const own = resolveOptions(provider.options, settingsOf(settings, id), `the provider ${id}`);
    const provided = await provider.provide(batch, episodes, update, own);
    batch = provided.batch;
    measure(update, provided.metrics ?? {}, `provider/${id}/`);
  }
  const cost = minus(ledger.cost, before);
  if (Object.values(cost).some((one) => one > 0)) measure(update, { ...cost }, "provider/");
  return batch;
}

/** Options whose values the update before has left; those of the settings begin the run. */
function carried({ credit: { carries = {} }, creditState }: UpdateContext): Readonly<Record<string, OptionValue>> {
  const kept = Object.keys(carries).filter((name) => typeof creditState?.[name] === "number");
  return Object.fromEntries(kept.map((name) => [name, creditState?.[name] as number]));
}

/** For the next update; null where the method keeps nothing. */
function stateOf({ carries = {} }: CreditMethod, { metrics }: CreditResult): JsonObject | null {
  const state = Object.entries(carries).map(([option, metric]) => [option, metrics[metric] ?? null]);
  return state.length === 0 ? null : (Object.fromEntries(state) as JsonObject);
}

function known({ options }: CreditMethod, given: Readonly<Record<string, OptionValue>>): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(options, name)));
}

function withTeacher(plain: TrajectoryBatch, rescored: Rescored | undefined): TrajectoryBatch {
  if (rescored === undefined) return plain;
  return {
    ...plain,
    rows: plain.rows.map((row) => {
      const opinion = rescored.opinions.get(row.trajectory)?.get(row.step);
      if (opinion === undefined) return row;
      return {
        ...row,
        logprobs: {
          ...row.logprobs,
          ...(opinion.episode === undefined ? {} : { episodeTeacher: opinion.episode }),
          ...(opinion.step === undefined ? {} : { stepTeacher: opinion.step }),
        },
        useEpisodeSkill: opinion.episode !== undefined,
        useStepSkill: opinion.step !== undefined,
      };
    }),
  };
}

// Learning only from the steps at which the policy was least sure (DART): which rows of a batch are left out.

/**
 * The rows, by index, that are left out. How many of the steps of a group are learned from is the setting `stepShare`.
 * Entropies are of the policy as it is; a stream is scored once for all its steps.
 */
async function sureRows(
  { model, settings: { stepShare: share }, signal }: UpdateContext,
  batch: TrajectoryBatch,
  episodes: readonly Trajectory[],
): Promise<readonly number[]> {
  if (share >= 1) return [];
  const places = placesOf(batch, episodes);
  const masks = new Map<TokenStream, Uint8Array>();
  for (const place of places) {
    if (place === undefined) continue;
    const mask = masks.get(place.stream) ?? new Uint8Array(place.stream.ids.length);
    masks.set(place.stream, mask.fill(1, place.start, place.end));
  }
  const streams = [...masks].map(([stream, mask]) => ({ stream, ids: stream.ids, mask }));
  const scored = await model.score(
    streams.map(({ ids, mask }) => ({ ids, mask })),
    { statistics: ["entropy"], signal },
  );
  const entropies = new Map(streams.map(({ stream }, at) => [stream, scored[at]?.entropy]));
  const steps = batch.rows.map(({ task }, at) => {
    const place = places[at];
    const own = place === undefined ? undefined : entropies.get(place.stream)?.subarray(place.start, place.end);
    return { group: task, entropy: own === undefined || own.length === 0 ? undefined : mean([...own]) };
  });
  const kept = highEntropySteps(steps, share);
  return [...batch.rows.keys()].filter((at) => !kept.has(at));
}
