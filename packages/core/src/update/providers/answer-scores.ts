/** How likely given answers are at every turn of an episode: the measure behind information gains and answer clusters. */
import { mean } from "limbeck-base/base/statistics/summary";
import { concat } from "limbeck-base/base/concat";
import type { TrajectoryBatch } from "../../credit/from-trajectories.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { closingContext, lastTokens, placesOf, type RowSpan } from "./contexts.ts";
import type { UpdateContext } from "../context.ts";
import { statisticsOf } from "./provider.ts";

export interface AroundTurn {
  /** Mean log-probability of each answer's tokens before the turn, and once its observation is known. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

interface Ask {
  readonly ids: Int32Array;
  readonly tokens: number;
}

/**
 * One entry a row; undefined where the row has no tokens, its trajectory no answers, or the context no room. The turn
 * after the last one is the closing observation; where there is none the last turn leaves everything as it was.
 */
export async function scoreAnswers(
  batch: TrajectoryBatch,
  episodes: readonly Trajectory[],
  update: UpdateContext,
  answersOf: (trajectory: Trajectory) => readonly string[],
): Promise<{ readonly around: (AroundTurn | undefined)[]; readonly lost: number }> {
  const { dialect, model } = update;
  const room = model.config.contextLength;
  const asks: Ask[] = [];
  /** Places of the asks about one context. */
  const asked = (context: Int32Array, answers: readonly string[]): number[] | undefined => {
    const all = answers.map((answer) => {
      const reply = dialect.reply(answer);
      return { ids: concat(Int32Array, [context, reply]), tokens: reply.length };
    });
    if (all.length === 0 || all.some(({ ids }) => ids.length > room)) return undefined;
    asks.push(...all);
    return all.map((_, at) => asks.length - all.length + at);
  };
  const places = placesOf(batch, episodes);
  const before = places.map((place) =>
    place === undefined ? undefined : asked(place.stream.ids.subarray(0, place.start), answersOf(place.trajectory)),
  );
  const after = places.map((place, at) => {
    if (place === undefined || before[at] === undefined) return undefined;
    const next = places[at + 1];
    if (next !== undefined && follows(place, next)) return before[at + 1] ?? before[at];
    const context = closingContext(place, dialect);
    return (context === undefined ? undefined : asked(context, answersOf(place.trajectory))) ?? before[at];
  });
  const scored = await statisticsOf(
    update,
    asks.map(({ ids, tokens }) => ({ ids, mask: lastTokens(ids.length, tokens) })),
    ["logprob"],
  );
  const value = (at: number): number => {
    const { ids, tokens } = asks[at] as Ask;
    return mean([...(scored[at]?.logprob?.subarray(ids.length - tokens) ?? [])]);
  };
  const around = before.map((own, at) =>
    own === undefined ? undefined : { before: own.map(value), after: (after[at] ?? own).map(value) },
  );
  return { around, lost: places.filter((place, at) => place !== undefined && before[at] === undefined).length };
}

function follows(place: RowSpan, next: RowSpan): boolean {
  return next.trajectory === place.trajectory && next.step.index === place.step.index + 1;
}
