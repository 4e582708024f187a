/** Steps taken from the same point, ranked by how the episodes that went each way came out. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { createForest } from "limbeck-base/trajectory/forest";
import { crossingsOf } from "./crossings.ts";
import { definePairSource } from "./pair.ts";
import { stepPair } from "./step-pairs.ts";

export const siblings = definePairSource({
  info: {
    title: "Sibling steps",
    paper: "Step-DPO, arXiv 2406.18629; DPO, arXiv 2305.18290",
    confidence: "paper",
    source: "arXiv 2406.18629, section 3.1",
    formula: [
      "value of a way = mean reward of all scored episodes that went it",
      "the best way from a point is preferred to every way whose value is lower by more than gap; margin = difference",
    ],
    meaning: "Prefers the step after which episodes came out better to others taken from exactly the same point.",
    departures: [
      "Values are means of outcomes here; the source finds the first wrong step of a solution by a stronger model.",
    ],
  },
  level: "step",
  options: {
    gap: option.number(0, "values must differ by more than this", { least: 0 }),
    least: option.count(1, "episodes a way must have been tried with"),
  },
  find: (trajectories, { gap, least }, forest = createForest(trajectories)) =>
    crossingsOf(trajectories, forest).flatMap(({ task, ways }) => {
      const [best, ...others] = ways
        .filter(({ outcomes }) => outcomes.length >= least)
        .map((way) => ({ way, value: mean(way.outcomes.map(({ value }) => value)) }))
        .toSorted((left, right) => right.value - left.value);
      if (best === undefined) return [];
      return others.flatMap(({ way, value }) =>
        best.value - value > gap ? (stepPair(forest, task, best.way, way, best.value - value) ?? []) : [],
      );
    }),
});
