/** Which part of Skill1's loop each step was, and the score of that part: what `skill1` keeps apart. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { visitOf, type EpisodeVisit, type CreditedSegment, segmentOf } from "../../orchestrate/skills/shelf.ts";
import { distilCredit, selectionCredit } from "../../skill/lifecycle/skill1.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const skillSegments = defineProvider({
  info: {
    title: "Segments of Skill1",
    meaning:
      "Reads from each episode which steps asked, chose, acted and wrote, and scores them by the utilities of the skills at hand and the outcome.",
    cost: "nothing",
    departures: [
      "R is 1 or 0 where the world says whether the task was solved, whatever its reward; the reward otherwise.",
      "Episodes of other worlds have one segment, acting.",
    ],
  },
  supplies: ["segments"],
  options: {
    selectionWeight: option.number(0.3, "w_sel, the weight of the chosen skill's utility", { least: 0 }),
    distilWeight: option.number(0.3, "w_dis, the weight of what went beyond it", { least: 0 }),
    baseline: option.choice("max", ["max", "mean"], "Uhat: the highest utility among the candidates, or their mean"),
  },
  provide: async (batch, episodes, _bench, { selectionWeight, distilWeight, baseline }) => {
    const visits = new Map(episodes.map((episode) => [episode.id, visitOf(episode)]));
    const scoreOf = (segment: CreditedSegment, visit: EpisodeVisit): number => {
      const { outcome, chosenUtility, candidateUtilities } = visit;
      if (segment === "utilisation") return outcome;
      if (segment === "selection") return selectionCredit(chosenUtility, selectionWeight) ?? 0;
      return distilCredit(outcome, candidateUtilities, { weight: distilWeight, baseline });
    };
    const provided = withRows(batch, (row, at) => {
      const step = batch.steps[at];
      const visit = visits.get(row.trajectory);
      const name = step === undefined ? "utilisation" : segmentOf(step);
      return withSignals(row, { segment: { name, score: visit === undefined ? 0 : scoreOf(name, visit) } });
    });
    const seen = [...visits.values()].filter((visit) => visit !== undefined);
    const chosen = seen.flatMap(({ chosenUtility }) => chosenUtility ?? []);
    const metrics = {
      chosen: chosen.length,
      written: seen.filter(({ written }) => written !== undefined).length,
      ...(chosen.length === 0 ? {} : { chosenUtility: mean(chosen) }),
    };
    return { batch: provided, metrics };
  },
});
