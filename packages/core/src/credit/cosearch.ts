/** CoSearch's ranker groups: rankings for similar sub-queries are compared, whichever rollout asked. */
import { option } from "limbeck-base/base/option";
import { columnOf, groupBy } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes, visits } from "./examples.ts";
import { asTerm, groupAdvantages } from "./groups.ts";
import { outcomeAt } from "./scores.ts";
import { comparison } from "./shared-options.ts";
import { similarity, stateGroups, stateMatch } from "./states.ts";

export const cosearch = defineCredit({
  info: {
    title: "CoSearch (ranker groups)",
    paper: "CoSearch: Joint Training of Reasoning and Document Ranking via Reinforcement Learning for Agentic Search",
    confidence: "inferred",
    formula: [
      "A = z(reward + outcomeWeight * outcome)   over rows of one task whose state, here the sub-query, matches and whose role is the same",
    ],
    meaning: "Trains a ranker beside the searcher without extra samples, by comparing rankings of like queries.",
    departures: [
      "Only the abstract was read. The reward of a row is its ranking's quality; the searcher's own rows use GRPO.",
    ],
  },
  needs: ["states", "stepRewards"],
  options: {
    outcomeWeight: option.number(1, "weight of the trajectory's outcome", { least: 0 }),
    stateMatch,
    similarity,
    ...comparison("zero", "the rows of one task in one state"),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "Two rollouts asked the same; the better ranking came with the better outcome.",
    batch: episodes({ X: visits(1, ["who wrote it", 0.8]), Y: visits(0, ["who wrote it", 0.4]) }),
  },
  compute: (batch, options) => {
    const states = stateGroups(batch, options);
    const groups = groupBy(batch.rows.length, (at) => `${states.of[at]}/${batch.rows[at]?.signals?.role ?? ""}`);
    const scores = columnOf(batch.rows, ({ reward }, at) => reward + options.outcomeWeight * outcomeAt(batch, at));
    return asTerm("ranking", groupAdvantages(scores, groups, options));
  },
});
