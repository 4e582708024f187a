/** Midrange: score minus the point halfway between the best and the worst of the task. */
import { columnOf, groupMembers, real } from "../../packages/core/src/credit/columns.ts";
import { defineCredit } from "../../packages/core/src/credit/credit.ts";
import { answers } from "../../packages/core/src/credit/examples.ts";
import { asTerm, groupAdvantages, taskGroups } from "../../packages/core/src/credit/groups.ts";
import { rowScores } from "../../packages/core/src/credit/scores.ts";
import { invalidPenalty, singleton } from "../../packages/core/src/credit/shared-options.ts";

export const midrange = defineCredit({
  info: {
    title: "Midrange",
    paper: "Our own, for this page",
    confidence: "inferred",
    formula: ["A_i = S_i - (max(S) + min(S)) / 2   over the rows of one task"],
    meaning: "Score minus the middle between the best and the worst of its group.",
    departures: [],
  },
  needs: [],
  options: { singleton: singleton("zero", "the step rows of one task"), invalidPenalty: invalidPenalty(0) },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: { about: "Three answers; halfway between 1 and 0 is 0.5.", batch: answers([1, 0.75, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const groups = taskGroups(batch);
    const baseline = columnOf(groupMembers(groups), (members) => {
      const own = members.map((at) => real(scores, at));
      return (Math.max(...own) + Math.min(...own)) / 2;
    });
    return asTerm("outcome", groupAdvantages(scores, groups, { ...options, scale: false, baseline }));
  },
});
