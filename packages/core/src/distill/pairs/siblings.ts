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
    confidence: "code",
    source:
      "dvlab-research/Step-DPO @ c4902fd2; data_pipeline/prepare_for_correction.py, data_pipeline/generate_dataset.py; arXiv 2406.18629, section 3.1",
    formula: [
      "value of a way = mean reward of all scored episodes that went it",
      "the best way from a point is preferred to every way whose value is lower by more than gap; margin = difference",
    ],
    meaning: "Prefers the step after which episodes came out better to others taken from exactly the same point.",
    departures: [
      "Pairs are made at every crossing, and the rejected step may be shown from an episode that succeeded; in the source it is the one wrong step of a failed solution.",
      "Values are means of outcomes here; the source finds the first wrong or neutral step of a failed solution by a stronger model, and prefers to it each different first step of the answers from there that end right (20 are drawn). One with the very text of the wrong step is kept there (a loss of 0.693 and no gradient); here it is the same way.",
      "So there one rejected step has many chosen ones; here the one best way is preferred to every lower one, and a way with failures may be the best. The margin, gap and least are ours. Of best ways that tie, the first by its text is preferred to the lower ones, and the others make no pair.",
      "Ways are told apart by the text of the action, not by what was said before it, and a pair shows the first episodes, by name, that had read the same tokens there (of the first four of each way; where none had, there is no pair); episodes in which a later step was imposed or advised do not count for the value.",
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
