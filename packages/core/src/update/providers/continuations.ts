/** Values of states and actions by playing forks of the world to the end: the Monte Carlo critic; or by a trained scorer. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { createForest } from "limbeck-base/trajectory/forest";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { pastOf, placesOf, type RowSpan } from "./contexts.ts";
import { playOn, type PlayedOn } from "./play-on.ts";
import { type Point, withWorlds } from "./worlds-at.ts";
import type { UpdateContext } from "../context.ts";
import { defineProvider, gammaOf, withRows, withSignals, seedOf } from "./provider.ts";
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { Episode } from "../../env/env.ts";

export const continuations = defineProvider({
  info: {
    title: "Monte Carlo continuations",
    meaning:
      "Plays the episode to its end several times from the state before each step, and takes the mean return; or asks a trained scorer.",
    cost: "`count` continuations from every state that was met: by far the dearest provider; with by=scorer nothing is played",
    departures: [
      "Continuations are the policy's own, so that values are those of the policy; published play is random. Option by.",
      "The value of an action is its reward and the discounted value of the state it led to.",
      "States after which every continuation was lost are worth what the episode itself earned from there.",
      "With by=scorer (--scorer) a state is worth the chance that the scorer gives the episode before its step, times what a success pays, without discount: credit by differences of values.",
    ],
  },
  supplies: ["stateValues", "actionValues"],
  options: {
    count: option.count(4, "continuations from each state"),
    pays: option.limit(
      null,
      "by=scorer: what a success pays; none: the mean of those in the batch, 1 where nobody succeeds",
    ),
    by: option.choice("policy", ["policy", "random", "scorer"], "who plays on, or the scorer in their place"),
  },
  provide: async (batch, episodes, update, { count, by, pays }) => {
    const forest = createForest(episodes);
    const places = placesOf(batch, episodes);
    const known = places.flatMap((place, at) => (place === undefined ? [] : [{ place, at }]));
    const found = await (by === "scorer"
      ? foretold(
          known.map(({ place }) => place),
          pays ?? successPays(episodes),
          update,
        )
      : returnsOf(
          known.map(({ place }): Point => ({ place, past: pastOf(forest, place), tokens: 0 })),
          { count, by },
          update,
        ));
    const values = new Map(known.map(({ place, at }, number) => [at, found[number] ?? ownReturn(place, update)]));
    const provided = withRows(batch, (row, at) => {
      const before = values.get(at);
      if (before === undefined) return row;
      const next = batch.rows[at + 1];
      const after = next?.trajectory === row.trajectory ? (values.get(at + 1) ?? 0) : 0;
      return withSignals(row, { stateValue: { before }, actionValue: (row.reward ?? 0) + gammaOf(update) * after });
    });
    const lost = found.filter((value) => value === undefined).length;
    return { batch: provided, metrics: { states: known.length, lost } };
  },
});

/** Mean returns of what was played on; undefined where all of it was lost. */
async function returnsOf(
  points: readonly Point[],
  { count, by }: { readonly count: number; readonly by: "policy" | "random" },
  update: UpdateContext,
): Promise<(number | undefined)[]> {
  const played = await (by === "random" ? playRandomly : playOn)(points, count, update);
  return points.map((_, number) => {
    const returns = (played[number] ?? []).map(({ rewards }) => discounted(rewards, gammaOf(update)));
    return returns.length > 0 ? mean(returns) : undefined;
  });
}

/** The scorer's value before each step; unknown where it fails. */
async function foretold(
  places: readonly RowSpan[],
  pays: number,
  { outcomeScorer, signal }: UpdateContext,
): Promise<(number | undefined)[]> {
  if (outcomeScorer === undefined) {
    throw new EngineError(
      "needs-unmet",
      "continuations.by=scorer needs a trained scorer. Give one: --scorer DIR, or the name of a bundled one.",
    );
  }
  const contexts = places.map(({ stream, start }) => stream.ids.subarray(0, start));
  try {
    const said = await outcomeScorer.scoreTokens(contexts, signal);
    return contexts.map((_, at) => (Number.isFinite(said[at]) ? pays * (said[at] as number) : undefined));
  } catch (error) {
    if (signal.aborted) throw error;
    return contexts.map(() => undefined);
  }
}

/** What successes of the batch were paid by the world, on average. */
function successPays(episodes: readonly Trajectory[]): number {
  const paid = episodes
    .filter(({ success }) => success === true)
    .map(({ steps }) => steps.reduce((sum, { reward }) => sum + (scoreValue(reward) ?? 0), 0));
  return paid.length === 0 ? 1 : mean(paid);
}

function ownReturn({ trajectory, step }: RowSpan, update: UpdateContext): number {
  const rewards = trajectory.steps
    .filter(({ index }) => index >= step.index)
    .map(({ reward }) => scoreValue(reward) ?? 0);
  return discounted(rewards, gammaOf(update));
}

function discounted(rewards: readonly number[], gamma: number): number {
  return rewards.reduceRight((later, reward) => reward + gamma * later, 0);
}

// Plays episodes on with actions drawn evenly from those the world accepts; no model is asked.

const AT_ONCE = 16;

async function playRandomly(points: readonly Point[], count: number, update: UpdateContext): Promise<PlayedOn[][]> {
  return await withWorlds(points, update, (worlds) =>
    mapLimit(points, AT_ONCE, async ({ place }, at) => {
      const world = worlds[at];
      if (world === undefined) return [];
      const rng = createRng(`${seedOf(update)} random ${place.trajectory.id} ${place.step.index}`);
      const played: PlayedOn[] = [];
      for (let number = 0; number < count; number += 1) played.push(await toTheEnd(world, rng.split(number), update));
      return played;
    }),
  );
}

async function toTheEnd(from: Episode, rng: Rng, { env, signal }: UpdateContext): Promise<PlayedOn> {
  const world = await from.fork();
  const rewards: number[] = [];
  try {
    while (world.ending === undefined) {
      const action = pick(world.admissible() ?? [], rng);
      if (action === undefined) {
        throw new EngineError(
          "needs-unmet",
          `The world "${env.id}" does not list its actions, so nobody can play at random in it. Use --set continuations.by=policy.`,
          { details: { world: env.id } },
        );
      }
      const { reward } = await world.step(action, { signal });
      rewards.push(scoreValue(reward) ?? 0);
    }
    return { rewards, outcome: scoreValue(world.reward) ?? 0 };
  } finally {
    await world.close();
  }
}
