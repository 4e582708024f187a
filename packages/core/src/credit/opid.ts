/**
 * On-policy distillation of hindsight skills (OPID): the episode's advantage plus what two teachers say of each token.
 */
import { option } from "limbeck-base/base/option";
import { countOf } from "./columns.ts";
import { defineCredit, type IndexedBatch, type Term } from "./credit.ts";
import { episodes } from "./examples.ts";
import { stateAdvantages, stateMetrics, stateOptions, type StateOptions, type StepBatch } from "./gigpo.ts";
import { outcomeAdvantages } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { rowScores } from "./scores.ts";
import { mode } from "./shared-options.ts";
import {
  teacherAdvantages,
  teachersUsed,
  type TeacherOptions,
  type TeachersUsed,
  type TeacherWeights,
} from "./teacher.ts";

export const opid = defineCredit({
  info: {
    title: "OPID",
    paper: "OPID: On-Policy Skill Distillation for Agentic Reinforcement Learning",
    confidence: "code",
    source:
      "jinyangwu/OPID @ 37a15a5f; gigpo/core_gigpo.py: compute_opid_outcome_advantage, compute_opid_advantage_components",
    formula: [
      "A = A_episode + stepAdvantageWeight * A_step + episodeWeight * D_episode + stepWeight * D_step",
      "D[t] = log-probability of token t with the skill in the prompt, less that without it",
      "step_priority: a step with its own skill listens to that teacher only;   additive: to both",
    ],
    meaning: "Adds to the outcome what the policy itself, shown a hindsight skill, thinks of each token it wrote.",
    departures: [
      "The penalty of an invalid action is for answers without their tags in published code, and commands without effect cost nothing; here an action that the world refuses costs it too.",
      "Published configuration has teacher weights 1 and 0, every published script 0.001 and 0.001; here the scripts' weights. Published ALFWorld and WebShop pay 10 for success; beside an outcome of 1 these weights (mode mean_norm) and the penalty of an invalid action, 0.1 (0.01 in the search scripts), count ten times as much here.",
      "Published configuration and six of nine scripts say mean_norm, as here; one ALFWorld script and both search scripts mean_std_norm (option mode). Two scripts have teacherMode additive, the others step_priority, as here. gamma is 1 in the configuration, 0.95 in every script, as here.",
      "Published code refuses a step part (stepAdvantageWeight other than 0) for this method; here it is GiGPO's. Default: 0.",
      "Where no row has a teacher the method is its episode part alone, as in published code: a failed analysis never stops training. Published code refuses negative teacher weights; here they are allowed.",
      "countTrajectoryOnce counts the first step of a trajectory; published code, where its argument is so set, the first row it meets. Published code first copies random rows until the batch divides by its workers, and copies count in means; here no row is copied.",
    ],
  },
  mayNeed: {
    episodeTeacher: "rows that use the episode skill",
    stepTeacher: "rows that use a step skill",
    oldLogprobs: "rows that have a teacher",
    states: "with stepAdvantageWeight",
    stepRewards: "with stepAdvantageWeight",
  },
  options: {
    mode: mode("mean_norm"),
    episodeWeight: option.number(0.001, "weight of the episode skill's teacher"),
    stepWeight: option.number(0.001, "weight of the step skill's teacher"),
    teacherMode: option.choice(
      "step_priority",
      ["step_priority", "additive"],
      "on a step with its own skill: that teacher only, or both",
    ),
    normalize: option.flag(false, "normalise each teacher's part over its tokens of the batch"),
    clip: option.limit(null, "largest teacher part of a token, before its weight", { least: 0 }),
    stepAdvantageWeight: option.number(0, "weight of GiGPO's step part"),
    ...stateOptions,
  },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: {
    about: "A failed step of three tokens with both skills; the step skill liked its first and last token.",
    batch: episodes({
      X: { outcome: 1, steps: [{}, {}] },
      Y: {
        outcome: 0,
        steps: [
          {},
          {
            mask: [1, 1, 1],
            logprobs: { old: [-1, -0.5, -2], episodeTeacher: [-0.8, -0.5, -2.4], stepTeacher: [-0.4, -0.9, -1] },
          },
          {},
        ],
      },
    }),
  },
  compute: (batch, options) => {
    const scale = options.mode === "mean_std_norm";
    const episode = outcomeAdvantages(batch, rowScores(batch, options.invalidPenalty), { ...options, scale });
    const step = stepPart(batch, options);
    const teachers = teacherParts(batch, options);
    return {
      terms: { episode: { weight: 1, perRow: episode.advantages }, ...step.terms, ...teachers.terms },
      metrics: { ...episode.metrics, ...step.metrics, ...teachers.metrics },
    };
  },
});

interface Part {
  readonly terms: Readonly<Record<string, Term>>;
  readonly metrics: Readonly<Record<string, number>>;
}

function stepPart(batch: IndexedBatch, options: StateOptions & { readonly stepAdvantageWeight: number }): Part {
  const weight = options.stepAdvantageWeight;
  if (weight === 0) return { terms: {}, metrics: {} };
  requireNeeds(["states", "stepRewards"], batch, "OPID with stepAdvantageWeight");
  const step = stateAdvantages(batch as StepBatch, options);
  return { terms: { step: { weight, perRow: step.advantages } }, metrics: stateMetrics(step, batch.rows.length) };
}

export interface TeacherPartOptions extends TeacherOptions, TeacherWeights {}

/** The two teacher terms. Without any teacher in the batch there are none, and the rest is untouched to the bit. */
export function teacherParts(batch: IndexedBatch, options: TeacherPartOptions): Part {
  const use = teachersUsed(batch, options);
  const terms: Record<string, Term> = {};
  for (const [name, weight] of [
    ["episodeTeacher", options.episodeWeight],
    ["stepTeacher", options.stepWeight],
  ] as const) {
    if (use[name].includes(1)) terms[name] = { weight, perToken: teacherAdvantages(batch, name, use[name], options) };
  }
  return { terms, metrics: teacherMetrics(batch, use, terms) };
}

function teacherMetrics(
  { index }: IndexedBatch,
  use: TeachersUsed,
  terms: Readonly<Record<string, Term>>,
): Record<string, number> {
  const tokensOf = (taught: Uint8Array): number =>
    index.tokens.reduce((sum, tokens, at) => sum + (taught[at] === 1 ? tokens : 0), 0);
  const meanShift = (name: "episodeTeacher" | "stepTeacher"): number => {
    let sum = 0;
    for (const values of terms[name]?.perToken ?? []) for (const value of values) sum += value;
    return sum / Math.max(tokensOf(use[name]), 1);
  };
  const taught = tokensOf(use.any);
  return {
    taughtTokenShare: index.totalTokens === 0 ? 0 : taught / index.totalTokens,
    episodeSkillRows: countOf(use.episodeTeacher),
    stepSkillRows: countOf(use.stepTeacher),
    meanEpisodeShift: meanShift("episodeTeacher"),
    meanStepShift: meanShift("stepTeacher"),
  };
}
