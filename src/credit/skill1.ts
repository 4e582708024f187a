/**
 * Skill1: choosing a skill, acting with it and writing a new one are judged apart, each by its own score of one outcome.
 *
 *   A = z(score of the segment)     over the task's trajectories, each segment against the same segment of the others
 */
import { option } from "../base/index.ts";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { deviation, epsilon, singleton } from "./shared-options.ts";
import { groupBy } from "./trajectory-groups.ts";

const on = (meaning: string) => option.flag(true, meaning);

export const skill1 = defineCredit({
  info: {
    title: "Skill1",
    paper: "Skill1: Unified Evolution of Skill-Augmented Agents via Reinforcement Learning",
    confidence: "inferred",
    formula: [
      "selection:    A = z(w_sel * U of the chosen skill)     on query and choice",
      "utilisation:  A = z(R)                                 on acting",
      "distillation: A = z(w_dis * (R - Uhat))                on writing; Uhat is the highest U among the candidates",
      "z over the task's trajectories that have the segment, each counted once; U moves slowly with the outcomes of its uses",
    ],
    meaning:
      "Credits the choice of a skill with its trend, acting with the outcome, and writing with what went beyond the trend.",
    departures: [
      "With z the two weights cancel within a segment; with scale centre they count.",
      "What is written follows the outcome and cannot change it, so that its credit says when to write with conviction, not what: in expectation it is 0 at every prompt.",
    ],
  },
  needs: ["segments"],
  options: {
    selectionCredit: on("whether query and choice are trained"),
    utilisationCredit: on("whether acting is trained"),
    distilCredit: on("whether writing is trained"),
    scale: option.choice("z", ["z", "centre"], "whether scores are divided by their deviation"),
    singleton: singleton("zero"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about:
      "Two episodes of a task: the first chose a skill with U 0.4 and succeeded, the second one with U 0.1 and failed.",
    batch: episodes({
      X: {
        outcome: 1,
        steps: [
          { signals: { segment: { name: "selection", score: 0.12 } } },
          { signals: { segment: { name: "utilisation", score: 1 } } },
          { signals: { segment: { name: "distillation", score: 0.18 } } },
        ],
      },
      Y: {
        outcome: 0,
        steps: [
          { signals: { segment: { name: "selection", score: 0.03 } } },
          { signals: { segment: { name: "utilisation", score: 0 } } },
          { signals: { segment: { name: "distillation", score: -0.12 } } },
        ],
      },
    }),
  },
  compute: (batch, { selectionCredit, utilisationCredit, distilCredit, ...options }) => {
    const { rows, index } = batch;
    // The scores of one trajectory's segment are one score: their mean, should they differ.
    const own = groupBy(rows.length, (at) => `${index.trajectoryOf[at]} ${rows[at]?.signals.segment.name}`);
    const [sums, counts, tasks] = [new Float64Array(own.count), new Float64Array(own.count), new Int32Array(own.count)];
    const names: string[] = [];
    for (const [at, { signals }] of rows.entries()) {
      const part = own.of[at] as number;
      sums[part] = (sums[part] as number) + signals.segment.score;
      counts[part] = (counts[part] as number) + 1;
      tasks[part] = index.taskOf[at] as number;
      names[part] = signals.segment.name;
    }
    const scores = sums.map((sum, part) => sum / (counts[part] as number));
    const groups = groupBy(own.count, (part) => `${tasks[part]} ${names[part]}`);
    const { advantages, metrics } = groupAdvantages(scores, groups, { ...options, scale: options.scale === "z" });
    const on = { selection: selectionCredit, utilisation: utilisationCredit, distillation: distilCredit };
    const terms = Object.entries(on).map(([name, trained]) => {
      const perRow = Float64Array.from(own.of, (part) => (names[part] === name ? (advantages[part] as number) : 0));
      return [name, { weight: trained ? 1 : 0, perRow }] as const;
    });
    return { terms: Object.fromEntries(terms), metrics };
  },
});
