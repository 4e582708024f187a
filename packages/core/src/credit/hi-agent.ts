/** Hi-Agent's foresight advantage: subgoals that were sampled in one state, compared by what came of them. */
import { columnOf, groupBy } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { asTerm, groupAdvantages } from "./groups.ts";
import { comparison, invalidPenalty } from "./shared-options.ts";

export const hiAgent = defineCredit({
  info: {
    title: "Hi-Agent (foresight advantage)",
    paper: "Hi-Agent: Hierarchical Vision-Language Agents for Mobile Device Control",
    confidence: "inferred",
    formula: [
      "A = (r - mean(r)) / (std(r) + epsilon)   over rows of one task, one state and one role (signals.role), r the step's reward after execution",
    ],
    meaning: "Judges a plan by what its executor made of it, against other plans for the same situation.",
    departures: [
      "From a catalogue description: n steps with G subgoals each cost n * G executions, where whole trajectories cost G^n.",
      "Planner and executor are told apart by signals.role; rows without one are one role.",
    ],
  },
  needs: ["states", "stepRewards"],
  options: {
    ...comparison("zero", "the rows of one task in one state"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "Three subgoals for one screen; the second worked.",
    batch: episodes(
      Object.fromEntries(
        [0, 1, 0.5].map((reward, at) => [
          `X${at}`,
          { outcome: 0, steps: [{ state: "home screen", reward, signals: { role: "planner" } }] },
        ]),
      ),
    ),
  },
  compute: (batch, options) => {
    const { rows } = batch;
    const scores = columnOf(rows, ({ reward, valid }) => (valid ? reward : reward - options.invalidPenalty));
    const groups = groupBy(rows.length, (at) =>
      JSON.stringify([rows[at]?.task, rows[at]?.state, rows[at]?.signals?.role ?? ""]),
    );
    return asTerm("foresight", groupAdvantages(scores, groups, options));
  },
});
