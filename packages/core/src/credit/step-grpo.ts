/** Step-GRPO: rollouts that were given the same number of correct first steps are compared with each other. */
import { option } from "limbeck-base/base/option";
import { groupBy } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { asTerm, groupAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { comparison, invalidPenalty } from "./shared-options.ts";

export const stepGrpo = defineCredit({
  info: {
    title: "Step-GRPO",
    paper: "EmbodiedBrain: Expanding Performance Boundaries of Task Planning for Embodied Intelligence",
    confidence: "inferred",
    formula: [
      "A = (S - mean(S)) / (std(S) + epsilon)   over rows of one task with the same signals.guidedSteps (guidance), or of the whole task (task)",
    ],
    meaning: "Makes long plans learnable by starting some rollouts part of the way, and comparing like with like.",
    departures: [
      "From a catalogue description that leaves the mixing of groups open; comparing equal guidance is ours, since given steps make success likelier. Option groups.",
    ],
  },
  needs: ["guidedSteps"],
  options: {
    groups: option.choice("guidance", ["guidance", "task"], "rollouts with equal guidance, or all of the task"),
    ...comparison("zero", "the step rows of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "Without help both fail; with two steps given, one of two succeeds.",
    batch: episodes(
      Object.fromEntries(
        [
          [0, 0],
          [0, 0],
          [2, 1],
          [2, 0],
        ].map(([guidedSteps = 0, outcome = 0], at) => [`X${at}`, { outcome, steps: [{ signals: { guidedSteps } }] }]),
      ),
    ),
  },
  compute: (batch, options) => {
    const { rows, index } = batch;
    const byTask = options.groups === "task";
    const groups = groupBy(rows.length, (at) => `${index.taskOf[at]}/${byTask ? "" : rows[at]?.signals.guidedSteps}`);
    return asTerm("outcome", groupAdvantages(rowScores(batch, options.invalidPenalty), groups, options));
  },
});
