/**
 * Skill1: choosing a skill, acting with it and writing a new one are judged apart, each by its own score of one outcome.
 */
import { option } from "limbeck-base/base/option";
import { columnOf, entry, groupBy, groupMeans, groupMembers, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes, bySignal } from "./examples.ts";
import { groupAdvantages } from "./groups.ts";
import { comparison } from "./shared-options.ts";

/** An episode with the scores of its three segments. */
const segmented = (outcome: number, selection: number, utilisation: number, distillation: number) =>
  bySignal(
    outcome,
    { segment: { name: "selection", score: selection } },
    { segment: { name: "utilisation", score: utilisation } },
    { segment: { name: "distillation", score: distillation } },
  );

export const skill1 = defineCredit({
  info: {
    title: "Skill1",
    paper: "Skill1: Unified Evolution of Skill-Augmented Agents via Reinforcement Learning",
    confidence: "reading",
    source:
      "AlphaLab-USTC/Skill1 @ f3aa2fbf; launch_scripts/alfworld/train_alfworld.sh, and the paper's abstract, arXiv 2605.06130; of its trainer only stored copies without repository and commit",
    formula: [
      "selection:    A = z(w_sel * U of the chosen skill)     on query and choice",
      "utilisation:  A = z(R)                                 on acting",
      "distillation: A = z(w_dis * (R - Uhat))                on writing; Uhat is the highest U among the candidates",
      "z over the task's trajectories that have the segment, each counted once; U moves slowly with the outcomes of its uses",
    ],
    meaning:
      "Credits the choice of a skill with its trend, acting with the outcome, and writing with what went beyond the trend.",
    departures: [
      "Copies of the trainer credit a choice by 0.3 times the NDCG of the order that the policy gave the candidates, by their utilities, and a query by 0.3 times the share of successes; here a choice is one skill, credited by its utility, and the query with it.",
      "Those copies compute R - Uhat for what was written and do not learn its tokens. Options distilCredit, judge of the recipe.",
      "With z the two weights cancel within a segment; with scale centre they count.",
      "What is written follows the outcome and cannot change it, so that its credit says when to write with conviction, not what: in expectation it is 0 at every prompt.",
    ],
  },
  needs: ["segments"],
  options: {
    selectionCredit: option.flag(true, "whether query and choice are trained"),
    utilisationCredit: option.flag(true, "whether acting is trained"),
    distilCredit: option.flag(true, "whether writing is trained"),
    scale: option.choice("z", ["z", "centre"], "whether scores are divided by their deviation"),
    ...comparison("zero", "the trajectories of one task that have the segment"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about:
      "Two episodes of a task: the first chose a skill with U 0.4 and succeeded, the second one with U 0.1 and failed.",
    batch: episodes({ X: segmented(1, 0.12, 1, 0.18), Y: segmented(0, 0.03, 0, -0.12) }),
  },
  compute: (batch, { selectionCredit, utilisationCredit, distilCredit, ...options }) => {
    const { rows, index } = batch;
    // The scores of one trajectory's segment are one score: their mean, should they differ.
    const own = groupBy(rows.length, (at) => `${index.trajectoryOf[at]} ${rows[at]?.signals.segment.name}`);
    const scores = groupMeans(
      own,
      columnOf(rows, ({ signals }) => signals.segment.score),
    );
    const first = groupMembers(own).map((members) => entry(members, 0));
    const names = first.map((at) => entry(rows, at).signals.segment.name);
    const groups = groupBy(own.count, (part) => `${index.taskOf[entry(first, part)]} ${names[part]}`);
    const { advantages, metrics } = groupAdvantages(scores, groups, { ...options, scale: options.scale === "z" });
    const on = { selection: selectionCredit, utilisation: utilisationCredit, distillation: distilCredit };
    const terms = Object.entries(on).map(([name, trained]) => {
      const perRow = Float64Array.from(own.of, (part) => (names[part] === name ? real(advantages, part) : 0));
      return [name, { weight: trained ? 1 : 0, perRow }] as const;
    });
    return { terms: Object.fromEntries(terms), metrics };
  },
});
