/** What prefixes of an answer are worth: episodes played on from the middle of it, for SPO on chains. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { cutPoints } from "../../credit/spo-chain.ts";
import { createForest } from "limbeck-base/trajectory/forest";
import { pastOf, placesOf } from "./contexts.ts";
import { playOn } from "./play-on.ts";
import type { Point } from "./worlds-at.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const cutContinuations = defineProvider({
  info: {
    title: "Continuations from cuts",
    meaning: "Plays the episode to its end several times from the prompt of each step and from cuts inside its answer.",
    cost: "`count` continuations from every cut, at least one cut a step",
    departures: [
      "The prompt itself is a cut, so that the first stretch of an answer has credit too.",
      "Cuts stand before tokens the policy was not sure of, every so many of them, and at most so many in an answer: answers are short here.",
    ],
  },
  supplies: ["cutValues"],
  options: {
    count: option.count(4, "continuations from each cut"),
    below: option.share(0.9, "probability below which a token is unsure"),
    every: option.count(5, "unsure tokens between two cuts"),
    most: option.count(3, "cuts in one answer, its prompt included"),
  },
  provide: async (batch, episodes, update, { count, most, ...where }) => {
    const forest = createForest(episodes);
    const wanted: { readonly at: number; readonly token: number; readonly point: Point }[] = [];
    placesOf(batch, episodes).forEach((place, at) => {
      const row = batch.rows[at];
      if (place === undefined || row === undefined) return;
      const inside = cutPoints(row.logprobs?.old ?? new Float64Array(row.mask.length), row.mask, where);
      const past = pastOf(forest, place);
      for (const token of [...new Set([-1, ...inside])].slice(0, most)) {
        wanted.push({ at, token, point: { place, past, tokens: token + 1 } });
      }
    });
    const played = await playOn(
      wanted.map(({ point }) => point),
      count,
      update,
    );
    const cuts = new Map<number, { readonly token: number; readonly value: number }[]>();
    let lost = 0;
    wanted.forEach(({ at, token }, number) => {
      const outcomes = (played[number] ?? []).map(({ outcome }) => outcome);
      if (outcomes.length === 0) lost += 1;
      else cuts.set(at, [...(cuts.get(at) ?? []), { token, value: mean(outcomes) }]);
    });
    const provided = withRows(batch, (row, at) => withSignals(row, { cuts: cuts.get(at) ?? [] }));
    return { batch: provided, metrics: { cuts: wanted.length, lost } };
  },
});
