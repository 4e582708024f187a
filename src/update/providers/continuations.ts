/** Values of states and actions by playing forks of the world to the end: the Monte Carlo critic. */
import { mean, option } from "../../base/index.ts";
import { createForest, scoreValue } from "../../trajectory/index.ts";
import { pastOf, placesOf, type Place } from "./contexts.ts";
import { playOn } from "./play-on.ts";
import type { Point } from "./worlds-at.ts";
import { playRandomly } from "./play-randomly.ts";
import type { UpdateContext } from "../context.ts";
import { defineProvider, gammaOf, withRows, withSignals } from "./provider.ts";

export const continuations = defineProvider({
  info: {
    title: "Monte Carlo continuations",
    meaning: "Plays the episode to its end several times from the state before each step, and takes the mean return.",
    cost: "`count` continuations from every state that was met: by far the dearest provider",
    departures: [
      "Continuations are the policy's own, so that values are those of the policy; published play is random. Option by.",
      "The value of an action is its reward and the discounted value of the state it led to.",
      "States after which every continuation was lost are worth what the episode itself earned from there.",
    ],
  },
  supplies: ["stateValues", "actionValues"],
  options: {
    count: option.count(4, "continuations from each state"),
    by: option.choice("policy", ["policy", "random"], "who plays on"),
  },
  provide: async (batch, episodes, update, { count, by }) => {
    const forest = createForest(episodes);
    const places = placesOf(batch, episodes);
    const known = places.flatMap((place, at) => (place === undefined ? [] : [{ place, at }]));
    const points = known.map(({ place }): Point => ({ place, past: pastOf(forest, place), tokens: 0 }));
    const played = await (by === "random" ? playRandomly : playOn)(points, count, update);
    const values = new Map<number, number>();
    known.forEach(({ place, at }, number) => {
      const returns = (played[number] ?? []).map(({ rewards }) => discounted(rewards, gammaOf(update)));
      values.set(at, returns.length > 0 ? mean(returns) : ownReturn(place, update));
    });
    const provided = withRows(batch, (row, at) => {
      const before = values.get(at);
      if (before === undefined) return row;
      const next = batch.rows[at + 1];
      const after = next?.trajectory === row.trajectory ? (values.get(at + 1) ?? 0) : 0;
      return withSignals(row, { stateValue: { before }, actionValue: (row.reward ?? 0) + gammaOf(update) * after });
    });
    const lost = played.filter((own) => own.length === 0).length;
    return { batch: provided, metrics: { states: points.length, lost } };
  },
});

function ownReturn({ trajectory, step }: Place, update: UpdateContext): number {
  const rewards = trajectory.steps
    .filter(({ index }) => index >= step.index)
    .map(({ reward }) => scoreValue(reward) ?? 0);
  return discounted(rewards, gammaOf(update));
}

function discounted(rewards: readonly number[], gamma: number): number {
  return rewards.reduceRight((later, reward) => reward + gamma * later, 0);
}
